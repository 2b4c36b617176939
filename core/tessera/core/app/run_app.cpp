// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/run_app.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/command_line.hpp"
#include "tessera/core/app/exit_code.hpp"
#include "tessera/core/app/input.hpp"
#include "tessera/core/app/kokkos_guard.hpp"
#include "tessera/core/app/signals.hpp"
#include "tessera/core/app/write_results.hpp"
#include "tessera/core/config/parameters_page.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/file_stamp.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/kept_files.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/io/sha256.hpp"
#include "tessera/core/linalg/host_blas.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/log/warnings.hpp"
#include "tessera/core/parallel/device.hpp"
#include "tessera/core/parallel/launch.hpp"
#include "tessera/core/version.hpp"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSetUp = "while the run was set up";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Throws UnreadableInput with a line for each problem.
CheckedInput read_run_input(const std::vector<Application>& applications, const CommandLine& line,
                            const std::optional<std::string>& text) {
  std::vector<std::string> overrides = line.overrides;
  if (!line.backend.empty()) overrides.push_back("backend=" + line.backend);
  if (line.seed) overrides.push_back("run.seed=" + std::to_string(*line.seed));
  CheckedInput input = text ? parse_input(applications, *text, line.input, overrides)
                            : read_input(applications, line.input, overrides);
  if (input.document.has_errors()) throw config::UnreadableInput(input.document.report());
  return input;
}

/// The parameters with the values that the overrides give, with every value of the application's
/// selectors that they leave open, and in their forms as sections.
std::string parameters_page(const Application& application, const CheckedInput& defaults,
                            const std::vector<std::string>& overrides) {
  std::deque<CheckedInput> inputs;
  std::vector<config::Reading> readings{{"", "", &defaults.document.declarations()}};
  const auto read = [&](const std::string& key, const std::string& value, const std::string& text) {
    std::vector<std::string> chosen = overrides;
    chosen.push_back(key + "=" + text);
    inputs.push_back(read_defaults(application, chosen));
    readings.push_back({key, value, &inputs.back().document.declarations()});
  };
  for (const std::string& key : application.selectors) {
    const config::Declaration* selector = config::find(defaults.document.declarations(), key);
    if (selector == nullptr || selector->given) continue;
    for (const std::string& value : selector->names) {
      if (value != selector->value) read(key, value, value);
    }
  }
  for (const SectionForm& form : application.section_forms) read(form.key, form.value, form.text);
  return config::parameters_page("tessera-" + application.name, readings);
}

int print_defaults(const Application& application, const CommandLine& line) {
  const CheckedInput input = read_defaults(application, line.overrides);
  if (input.document.has_errors()) {
    std::cerr << input.document.report() << '\n';
    return static_cast<int>(ErrorKind::input);
  }
  std::cout << (line.markdown ? parameters_page(application, input, line.overrides)
                              : input.document.print_defaults());
  return finish_output();
}

/// The files that a run writes.
struct Paths {
  std::string output, checkpoint;
  /// The stamps of what stood under these names when the run began, or of what it has put there
  io::FileStamp before, checkpoint_before;
};

Paths choose_paths(const CommandLine& line, const CheckedInput& input) {
  namespace fs = std::filesystem;
  Paths paths;
  paths.output = line.output.empty()
                     ? input.common.output.value_or(fs::path(line.input).stem().string() + ".h5")
                     : line.output;
  // run.1 and run.2 have a restart file each
  const bool is_hdf5 = fs::path(paths.output).extension() == ".h5";
  paths.checkpoint =
      (is_hdf5 ? fs::path(paths.output).replace_extension().string() : paths.output) +
      ".restart.h5";
  paths.before = io::stamp_file(paths.output);
  paths.checkpoint_before = io::stamp_file(paths.checkpoint);
  return paths;
}

/// Returns whether the output is what an interrupted run left: continuing may replace that.
bool holds_unfinished_run(const std::string& path) {
  try {
    const io::Group root = io::File::open(path, io::File::Role::own).root();
    return root.has_attribute("run_status") &&
           root.attribute<std::string>("run_status") != "complete";
  } catch (const Error&) {
    return false;
  }
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

/// Neither the results nor a restart file may replace what the run itself reads, not even with
/// --force.
void protect_sources(const CommandLine& line, const Paths& paths) {
  std::vector<std::string> sources{line.input};
  for (const io::FileDigest& file : io::FilesRead::global().list()) sources.push_back(file.name);
  const auto protect = [](const std::string& written, const std::string& source) {
    if (same_file(written, source)) {
      throw Error(ErrorKind::usage, "the output would replace '" + source + "'",
                  "choose another with --output");
    }
  };
  protect(paths.output, line.restart);  // which a new restart file may replace
  for (const std::string& source : sources) {
    protect(paths.output, source);
    protect(paths.checkpoint, source);
  }
}

void check_output(const CommandLine& line, const Paths& paths) {
  protect_sources(line, paths);
  std::error_code ignored;
  if (line.restart.empty() && !line.force && std::filesystem::exists(paths.checkpoint, ignored)) {
    throw Error(
        ErrorKind::file, "the restart file '" + paths.checkpoint + "' of an earlier run exists",
        "continue that run with --restart " + paths.checkpoint + ", or start again with --force");
  }
  const bool continues = !line.restart.empty() && holds_unfinished_run(paths.output);
  io::check_writable(paths.output, line.force || continues);
  io::check_writable(paths.checkpoint, true);
}

/// Requires that all ranks have read the same. Throws Error (usage) where they have not.
void require_same_input(const parallel::Communicator& ranks, const CheckedInput& input) {
  if (ranks.size() == 1) return;
  std::string text = version_text() + input.document.resolved();
  for (const io::FileDigest& file : io::FilesRead::global().list()) text += file.name + file.sha256;
  const std::vector<std::string> all = ranks.all_gather(io::sha256(text.data(), text.size()));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw Error(
        ErrorKind::usage,
        "rank " + std::to_string(rank) + " has another program, input or data file than the first",
        "start the same program with the same arguments on all ranks, and give their machines the "
        "same files");
  }
}

/// An attribute of the state in restart files of runs that were interrupted before their first
/// step.
constexpr const char* kNotBegun = "not_begun";

/// One run, from the model's construction to its results.
class Run {
 public:
  Run(const CommandLine& line, const Paths& paths, const CheckedInput& input, Backend backend,
      const parallel::Launch* launch)
      : m_line(line),
        m_launch(launch),
        m_ranks(launch ? launch->ranks() : parallel::Communicator()),
        m_paths(paths),
        m_checkpoint_every(input.common.checkpoint_every),
        m_keep_restart(input.common.keep_restart),
        m_changeable(input.changeable),
        m_provenance(input.provenance(backend, line.text)),
        m_model(input.make_model(backend, m_ranks, m_paths.output, line.force)) {
    m_provenance.precision = m_model->precision();
    if (m_ranks.size() > 1 && !m_model->indivisible().empty())
      throw Error(ErrorKind::usage,
                  "this run cannot be divided among ranks: " + m_model->indivisible(),
                  "start it without a launcher");
  }

  RunOutcome execute() {
    const int exit_code = run();
    return {exit_code, m_results, m_message};
  }

 private:
  int run() {
    // The watch also covers the set-up of the initial state and the writing of files.
    const SignalWatch signals(m_ranks.size() > 1);
    // All ranks watch for signals from here on.
    m_ranks.barrier();
    logging::info("running on " +
                  (m_ranks.size() > 1 ? std::to_string(m_ranks.size()) + " ranks, " : "") +
                  m_provenance.backend + " (" + m_provenance.device_name + ")");
    auto reporter = std::make_unique<logging::ProgressReporter>(m_line.progress);
    reporter->prepare("setting up");
    try {
      report_memory_errors(kSetUp, [&] { begin(); });
    } catch (const Interrupted& given_up) {
      return interrupt_beginning(given_up.signal);
    }
    m_ranks.at_root([&] { protect_sources(m_line, m_paths); });  // from what was read since
    describe();
    try {
      const int signal = loop(signals, std::move(reporter));
      return signal == 0 ? complete() : interrupt(signal);
    } catch (const Error& error) {
      return fail(error, error.kind() == ErrorKind::resource);
    } catch (const std::exception& failure) {
      const std::optional<Error> error = find_memory_error(failure, "while the model ran");
      return fail(
          error ? *error
                : Error(ErrorKind::internal, std::string("internal error: ") + failure.what()),
          false);
    }
  }

  /// Logs what --verbose tells beside the progress of a run.
  void describe() const {
    logging::detail(version_text());
    logging::detail("seed " + std::to_string(m_provenance.seed) + ", " + m_provenance.precision +
                    " precision");
    for (const io::FileDigest& file : io::FilesRead::global().list())
      logging::detail("read " + file.name + ", SHA-256 " + file.sha256);
    logging::detail("results go to " + m_paths.output + ", a restart file to " +
                    m_paths.checkpoint);
  }

  void begin() {
    if (m_line.restart.empty()) {
      m_model->initialize();
      return;
    }
    if (!m_model->restartable())
      throw Error(ErrorKind::usage, "this application has no restart",
                  "run it again without --restart");
    const io::RestartReader restart(m_line.restart, m_provenance, m_changeable);
    io::FilesRead::global().hold_to(restart.files(), m_line.restart);
    for (const std::string& warning : restart.warnings()) logging::add_warning(warning);
    const io::Group state = restart.state();
    if (state.has_attribute(kNotBegun)) {
      m_model->initialize();
    } else {
      m_model->load(state);
      m_work_before = m_model->progress().work;
    }
    logging::info("continuing from " + m_line.restart);
  }

  /// Advances until the model is done (0) or a signal arrives (its number).
  int loop(const SignalWatch& signals, std::unique_ptr<logging::ProgressReporter> reporter) {
    try {
      return advance_until(signals, *reporter);
    } catch (const Interrupted& given_up) {
      return given_up.signal;
    }
  }

  int advance_until(const SignalWatch& signals, logging::ProgressReporter& reporter) {
    reporter.update(m_model->progress());
    Clock::time_point last_checkpoint = Clock::now();
    while (m_model->advance()) {
      reporter.update(m_model->progress());
      if (const auto signal = static_cast<int>(m_ranks.max(signals.received()))) return signal;
      if (m_checkpoint_every > 0 && m_model->restartable() &&
          m_ranks.max(seconds_since(last_checkpoint) >= m_checkpoint_every) != 0) {
        save_checkpoint_in_passing();
        last_checkpoint = Clock::now();
      }
    }
    reporter.update(m_model->progress());
    return 0;
  }

  void save_checkpoint(bool begun = true) {
    if (begun) m_model->gather();
    m_ranks.at_root([&] { write_checkpoint(begun); });
  }

  void write_checkpoint(bool begun) {
    const logging::Region region("checkpoint");
    m_provenance.files = io::FilesRead::global().list();
    io::RestartWriter file(m_paths.checkpoint, m_provenance);
    io::Group state = file.state();
    if (begun) {
      m_model->save(state);
    } else {
      state.set_attribute(kNotBegun, true);
    }
    file.write_warnings(logging::warnings());
    const std::string name = file.commit_beside(m_paths.checkpoint_before);
    if (name != m_paths.checkpoint) {
      logging::warning("'" + m_paths.checkpoint +
                       "' is another run's and is kept; the restart file of this one is '" + name +
                       "'");
      m_paths.checkpoint = name;
    }
    m_paths.checkpoint_before = io::stamp_file(name);
    m_checkpoint_written = true;
  }

  /// A restart file that cannot be written does not end the run: there may be room again for the
  /// next one or for the results.
  void save_checkpoint_in_passing() {
    try {
      save_checkpoint();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::file) throw;
      logging::warning(std::string("no restart file this time: ") + error.what());
    }
  }

  void point_to_checkpoint() const {
    if (m_checkpoint_written) logging::info("continue with --restart " + m_paths.checkpoint);
  }

  void write_results_as(const std::string& status, bool begun = true) {
    if (begun && m_ranks.size() > 1) m_model->gather_results();
    m_ranks.at_root([&] { write_own_results(status, begun); });
  }

  void write_own_results(const std::string& status, bool begun) {
    m_provenance.run_status = status;
    m_results = report_memory_errors("while the results were written", [&] {
      return write_results(begun ? m_model.get() : nullptr, m_provenance, m_paths.output,
                           m_line.force ? std::nullopt : std::optional(m_paths.before));
    });
    if (is_beside()) {
      add_error("'" + m_paths.output +
                "' has appeared since this run began and is kept; the results of this run are '" +
                m_results + "'\n  remedy: rename one of them; --force would have replaced it");
    } else {
      m_paths.before = io::stamp_file(m_paths.output);
    }
    if (begun && !io::is_in_memory(m_results)) m_model->write_beside(m_results);
  }

  void add_error(const std::string& text) {
    m_message += (m_message.empty() ? "" : "\n") + text;
    logging::error(text);
  }

  /// Returns whether the results could not take their name, because another run took it.
  bool is_beside() const { return m_results != m_paths.output; }

  int complete() {
    write_results_as("complete");
    const bool keeps_restart = m_keep_restart && m_model->restartable();
    if (keeps_restart) save_checkpoint();
    int exit_code = 0;
    m_ranks.at_root([&] { exit_code = conclude_results(keeps_restart); });
    m_ranks.broadcast(&exit_code, 1);
    return exit_code;
  }

  int conclude_results(bool keeps_restart) {
    const bool is_ours = m_checkpoint_written || same_file(m_line.restart, m_paths.checkpoint);
    if (!keeps_restart && is_ours &&
        // the results are whole: nothing is left to continue
        io::stamp_file(m_paths.checkpoint) == m_paths.checkpoint_before) {
      std::error_code ignored;
      std::filesystem::remove(m_paths.checkpoint, ignored);
    }
    summarize("complete");
    logging::info("results: " + m_results);
    if (keeps_restart) logging::info("restart file: " + m_paths.checkpoint);
    return is_beside() ? static_cast<int>(ErrorKind::file) : 0;
  }

  int interrupt(int signal) {
    if (m_model->restartable()) save_checkpoint();
    write_results_as("interrupted");
    summarize("interrupted by signal " + std::to_string(signal));
    logging::info("results so far: " + m_results);
    point_to_checkpoint();
    return 128 + signal;
  }

  /// A signal before the first step. A restart file that the run was to continue from stays as it
  /// is.
  int interrupt_beginning(int signal) {
    if (m_line.restart.empty() && m_model->restartable()) save_checkpoint(false);
    write_results_as("interrupted", false);
    logging::info("interrupted by signal " + std::to_string(signal) +
                  " before the first step; there are no results");
    point_to_checkpoint();
    if (!m_line.restart.empty()) logging::info("continue with --restart " + m_line.restart);
    return 128 + signal;
  }

  /// Keeps what there is: a restart file when the state is sound, and the results so far unless
  /// files are what failed.
  int fail(const Error& error, bool state_is_sound) {
    add_error(error.what());
    if (m_launch != nullptr && !m_launch->all_fail()) m_launch->abandon(error.exit_code());
    try {
      if (state_is_sound && m_model->restartable()) save_checkpoint();
      if (error.kind() != ErrorKind::file) {
        write_results_as("failed");
        logging::info("results so far: " + m_results);
      }
    } catch (const std::exception& second) {
      add_error(second.what());
    }
    point_to_checkpoint();
    summarize("failed");
    return error.exit_code();
  }

  void summarize(const std::string& why) const {
    const double wall = seconds_since(m_start);
    const Progress progress = m_model->progress();
    logging::info(why + ": " + m_model->summary());
    std::string line = logging::duration(wall);
    if (wall > 0 && progress.work > m_work_before)
      line += ", " + logging::si((progress.work - m_work_before) / wall) + " " +
              progress.work_unit + "/s";
    std::string memory;
    for (const auto& [space, bytes] : peak_memory())
      memory += (memory.empty() ? "" : ", ") + space + " " + logging::bytes(bytes);
    logging::info(line + "; peak memory: " + memory);
    if (m_line.timing) logging::info("where the time went:\n" + logging::Timings::global().table());
  }

  const CommandLine& m_line;
  const parallel::Launch* m_launch;  // none: alone
  parallel::Communicator m_ranks;
  Paths m_paths;
  double m_checkpoint_every;
  bool m_keep_restart;
  io::Changeable m_changeable;
  io::Provenance m_provenance;
  Clock::time_point m_start = Clock::now();
  std::unique_ptr<Model> m_model;
  double m_work_before = 0;  // of the run that is continued
  bool m_checkpoint_written = false;
  std::string m_results;  // the file that was written
  std::string m_message;  // of the errors that ended the run
};

}  // namespace

RunOutcome run_application(const std::vector<Application>& applications, const CommandLine& line,
                           const std::optional<std::string>& text, const parallel::Launch* launch) {
  const parallel::Communicator ranks =
      launch != nullptr ? launch->ranks() : parallel::Communicator();
  io::FilesRead::global().clear();  // of an earlier run of this process
  logging::Timings::global().clear();
  logging::clear_warnings();
  const CheckedInput input = report_memory_errors(
      "while the input was read", [&] { return read_run_input(applications, line, text); });
  if (line.validate) {
    logging::info(line.input + ": valid");
    return {};
  }
  const Backend backend = choose_backend(input.common.backend);
  const Paths paths = choose_paths(line, input);
  if (!text) io::keep_file(line.input, "the input");
  io::keep_file(paths.output, "the results file");
  io::keep_file(paths.checkpoint, "the restart file");
  require_same_input(ranks, input);
  ranks.at_root([&] { check_output(line, paths); });
  std::vector<std::string> kokkos_arguments = parallel::choose_device(ranks, backend, line.kokkos);
  kokkos_arguments.insert(kokkos_arguments.end(), line.kokkos.begin(), line.kokkos.end());
  const KokkosGuard kokkos(kokkos_arguments, line.level == logging::Level::verbose);
  watch_memory();
  logging::Timings::global().set_fencing(line.timing);
  return report_memory_errors(kSetUp, [&] { return Run(line, paths, input, backend, launch); })
      .execute();
}

int run_app(const Application& application, int argc, char** argv) {
  const int exit_code = run_and_report_errors([&] {
    CommandLine line;
    if (const auto code =
            parse_command_line(application.name, application.summary, argc, argv, line))
      return *code;
    logging::set_level(line.level);
    if (line.print_defaults) return print_defaults(application, line);
    const parallel::Launch launch;
    return launch.conclude(run_and_report_errors(
        [&] { return run_application({application}, line, {}, &launch).exit_code; }));
  });
  return linalg::end_host_blas(exit_code);
}

}  // namespace tessera
