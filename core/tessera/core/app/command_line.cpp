// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <map>

#include "tessera/core/app/exit_code.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/names.hpp"
#include "tessera/core/version.hpp"

namespace tessera {

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 internal error, 2 usage, 3 input, 4 files, 5 numerical failure, 6 device "
    "or memory, 128+n signal n.\n"
    "Options --kokkos-* are passed on to Kokkos.";

/// Quotes an argument where a shell would need it.
std::string quoted(const std::string& argument) {
  const bool plain =
      !argument.empty() &&
      argument.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") ==
          std::string::npos;
  if (plain) return argument;
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

const std::map<std::string, logging::ProgressMode> kProgressModes{
    {"auto", logging::ProgressMode::automatic},
    {"on", logging::ProgressMode::on},
    {"off", logging::ProgressMode::off}};

/// Returns what is wrong with a seed; empty when nothing is.
std::string check_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
  return problem == std::errc() && end == text.data() + text.size()
             ? ""
             : "a whole number from 0 to 2^64 - 1 is needed, not '" + text + "'";
}

std::string check_progress_mode(const std::string& text) {
  return kProgressModes.count(text) != 0 ? "" : "auto, on or off is needed, not '" + text + "'";
}

/// Refuses options that nobody declared, with a suggestion.
void refuse_unknown_options(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return;
  const std::string option = unknown.front().substr(0, unknown.front().find('='));
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  }
  const std::string near = option.rfind("--", 0) == 0 ? nearest_name(option, names) : "";
  throw CLI::ValidationError("unknown option '" + option + "'" +
                             (near.empty() ? "" : " (did you mean '" + near + "'?)"));
}

/// Splits the positional arguments: the input file, then overrides.
void assign_positionals(const std::vector<std::string>& positionals, CommandLine& line) {
  for (const std::string& argument : positionals) {
    if (argument.find('=') != std::string::npos && (!line.input.empty() || line.print_defaults)) {
      line.overrides.push_back(argument);
    } else if (line.input.empty()) {
      line.input = argument;
    } else {
      throw CLI::ValidationError(
          "'" + argument + "' is neither an option nor an override of the form key.path=value");
    }
  }
  if (line.print_defaults && !line.input.empty())
    throw CLI::ValidationError("--print-defaults takes no input file, only overrides");
  if (line.input.empty() && !line.print_defaults)
    throw CLI::ValidationError("an input file is needed: INPUT.yaml");
}

}  // namespace

Arguments sort_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    arguments.text += (i ? " " : "") + quoted(argument);
    if (argument.rfind("--kokkos-", 0) == 0) {
      arguments.kokkos.push_back(argument);
    } else if (i > 0) {
      arguments.own.push_back(argument);
    }
  }
  return arguments;
}

std::optional<int> parse_command_line(const std::string& name, const std::string& summary, int argc,
                                      const char* const* argv, CommandLine& line) {
  CLI::App app(summary, "tessera-" + name);
  app.footer(kFooter);
  app.allow_extras();  // refused below, with a suggestion
  std::vector<std::string> positionals;
  std::string progress = "auto";
  bool quiet = false, verbose = false;
  app.add_option("INPUT", positionals,
                 "input file (YAML), then any number of overrides of its values")
      ->option_text("[key.path=value ...]");
  app.add_option("-o,--output", line.output,
                 "results file (HDF5); default: run.output of the input, else <input stem>.h5")
      ->type_name("FILE");
  app.add_option("--backend", line.backend, "auto, serial, openmp or cuda, instead of the input's")
      ->type_name("NAME");
  app.add_option("--restart", line.restart,
                 "continue from a restart file, where the program writes them")
      ->type_name("FILE");
  app.add_option("--seed", line.seed, "seed of random numbers, instead of the input's")
      ->type_name("N")
      ->check(check_seed);
  app.add_option("--progress", progress, "auto, on or off")
      ->type_name("MODE")
      ->check(check_progress_mode);
  app.add_flag("--validate", line.validate, "check the input and stop");
  auto* const print_defaults =
      app.add_flag("--print-defaults", line.print_defaults,
                   "print an annotated input with every parameter and stop");
  app.add_flag("--markdown", line.markdown,
               "with --print-defaults: a page in Markdown with a table for each section instead")
      ->needs(print_defaults);
  app.add_flag("--timing", line.timing,
               "measure and print where the time goes (waits for the device after each part)");
  app.add_flag("--force", line.force, "replace an existing results file");
  app.add_flag("-q,--quiet", quiet, "only warnings and errors");
  app.add_flag("-v,--verbose", verbose,
               "also versions, files read and written, and what a run does on its way");
  app.set_version_flag("--version", version_text(), "print version, build and Kokkos and stop");
  app.set_help_flag("-h,--help", "print this help and stop");

  const Arguments arguments = sort_arguments(argc, argv);
  line.kokkos = arguments.kokkos;
  line.text = arguments.text;
  try {
    // CLI11 takes them in reverse
    app.parse(std::vector<std::string>(arguments.own.rbegin(), arguments.own.rend()));
    refuse_unknown_options(app);
    assign_positionals(positionals, line);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help and --version
      app.exit(error);
      return finish_output();
    }
    std::cerr << "tessera-" << name << ": error: " << error.what()
              << "\nRun with --help for more information.\n";
    return static_cast<int>(ErrorKind::usage);
  }
  line.progress = kProgressModes.at(progress);
  line.level = quiet     ? logging::Level::quiet
               : verbose ? logging::Level::verbose
                         : logging::Level::normal;
  return std::nullopt;
}

}  // namespace tessera
