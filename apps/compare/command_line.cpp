// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "tessera/core/app/command_line.hpp"
#include "tessera/core/app/exit_code.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/version.hpp"

namespace tessera::compare {

namespace {

constexpr const char* kSummary =
    "Runs one input on every backend of this executable and compares times and results; or "
    "compares two results files.\n"
    "\n"
    "Compared are the datasets below /coordinates, /results and /series. Two floating-point values "
    "a and b agree when\n"
    "|a - b| <= atol + rtol * max(|a|, |b|), and when both are NaN or the same infinity; integers "
    "and text when they are equal.";

constexpr const char* kFooter =
    "Each run's results go to a temporary file (in $TMPDIR, else /tmp) unless they are kept.\n"
    "Exit codes: 0 all within the tolerance, 1 internal error, 2 usage, 3 input, 4 files, 5 beyond "
    "the tolerance or a numerical failure,\n"
    "6 device or memory, 128+n signal n.\n"
    "Options --kokkos-* are passed on to Kokkos.";

/// Returns what is wrong with the text of a tolerance, as CLI11 asks of a check; empty: nothing.
std::string reject_tolerance(const std::string& text) {
  double value = 0;
  const bool valid = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0;
  return valid ? "" : "'" + text + "' is no tolerance: a number that is not negative";
}

bool is_override(const std::string& argument) { return argument.find('=') != std::string::npos; }

/// Decides between an input with overrides and two results files.
void assign_positionals(const std::vector<std::string>& positionals, CommandLine& line) {
  if (positionals.empty())
    throw CLI::ValidationError(
        "an input file or two results files are needed: INPUT.yaml, or A.h5 B.h5");
  const std::string extension = std::filesystem::path(positionals[0]).extension().string();
  const bool input = extension == ".yaml" || extension == ".yml";
  const bool results = extension == ".h5" || extension == ".hdf5" ||
                       (positionals.size() == 2 && !is_override(positionals[1]));
  if (!input && results) {
    if (positionals.size() != 2)
      throw CLI::ValidationError("two results files are needed: A.h5 B.h5");
    line.first = positionals[0];
    line.second = positionals[1];
    return;
  }
  line.input = positionals[0];
  line.overrides.assign(positionals.begin() + 1, positionals.end());
  for (const std::string& argument : line.overrides) {
    if (!is_override(argument)) {
      throw CLI::ValidationError(
          "'" + argument + "' is neither an option nor an override of the form key.path=value");
    }
  }
}

}  // namespace

std::optional<int> parse_command_line(int argc, const char* const* argv, CommandLine& line) {
  CLI::App app(kSummary, "tessera-compare");
  app.footer(kFooter);
  std::vector<std::string> positionals;
  bool quiet = false, verbose = false;
  app.add_option("INPUT", positionals,
                 "input file (YAML) of any application, then any number of overrides "
                 "key.path=value; or two results files")
      ->option_text("INPUT.yaml [key.path=value ...] | A.h5 B.h5");
  app.add_option("--rtol", line.options.relative, "relative tolerance; default: 1e-12")
      ->check(reject_tolerance)
      ->option_text("X");
  app.add_option("--atol", line.options.absolute,
                 "absolute tolerance; default: 1e-15 times the largest magnitude in the dataset")
      ->check(reject_tolerance)
      ->option_text("X");
  app.add_option("--ignore", line.options.ignore,
                 "leave out datasets like \"results/record_*\" (may be given several times)")
      ->allow_extra_args(false)
      ->option_text("PATTERN");
  app.add_flag(
      "--keep", line.keep,
      "keep the results of each backend: <input stem>.<backend>.h5 in the working directory");
  app.add_flag("--force", line.force, "with --keep: replace existing results files");
  app.add_flag("-q,--quiet", quiet, "no progress, only the outcome");
  app.add_flag("-v,--verbose", verbose, "list also the datasets that are equal");
  app.set_version_flag("--version", version_text());

  const Arguments arguments = sort_arguments(argc, argv);
  line.kokkos = arguments.kokkos;
  line.text = arguments.text;
  try {
    // CLI11 takes them in reverse
    app.parse(std::vector<std::string>(arguments.own.rbegin(), arguments.own.rend()));
    assign_positionals(positionals, line);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help and --version
      app.exit(error);
      return finish_output();
    }
    std::cerr << "tessera-compare: error: " << error.what()
              << "\nRun with --help for more information.\n";
    return static_cast<int>(ErrorKind::usage);
  }
  line.level = quiet     ? logging::Level::quiet
               : verbose ? logging::Level::verbose
                         : logging::Level::normal;
  return std::nullopt;
}

}  // namespace tessera::compare
