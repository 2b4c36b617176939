// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/backends.hpp"

#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

#include "apps/applications.hpp"
#include "apps/compare/files.hpp"
#include "apps/compare/report.hpp"
#include "apps/compare/run.hpp"
#include "apps/compare/scratch_folder.hpp"
#include "tessera/core/app/input.hpp"
#include "tessera/core/app/kokkos_guard.hpp"
#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"

namespace tessera::compare {

namespace {

/// A run for each backend, the results of which go to a folder.
std::vector<BackendRun> plan(const std::string& input, const std::filesystem::path& folder) {
  const std::string stem = std::filesystem::path(input).stem().string();
  std::vector<BackendRun> runs;
  for (const Backend backend : compiled_backends()) {
    BackendRun run;
    run.backend = backend;
    run.path = (folder / (stem + "." + to_string(backend) + ".h5")).string();
    runs.push_back(run);
  }
  return runs;
}

void check_outputs(const std::vector<BackendRun>& runs, bool force) {
  for (const BackendRun& run : runs) {
    std::error_code ignored;
    if (!force && std::filesystem::exists(run.path, ignored)) {
      throw Error(ErrorKind::file, "the output '" + run.path + "' exists",
                  "move it away, or overwrite it with --force");
    }
    io::check_writable(run.path, true);
  }
}

int interrupted(const SignalWatch& signals) {
  logging::info("interrupted by signal " + std::to_string(signals.received()));
  return 128 + signals.received();
}

}  // namespace

int compare_backends(const CommandLine& line) {
  const CheckedInput input = read_input(apps::applications(), line.input, line.overrides);
  if (input.document.has_errors()) {
    std::cerr << input.document.report() << '\n';
    return static_cast<int>(ErrorKind::input);
  }
  // first in, last out: temporary files are removed also when a signal comes late
  const SignalWatch signals;
  std::optional<ScratchFolder> scratch;
  if (!line.keep) scratch.emplace();
  std::vector<BackendRun> runs = plan(line.input, line.keep ? "" : scratch->path());
  check_outputs(runs, line.force);

  const KokkosGuard kokkos(line.kokkos, line.level == logging::Level::verbose);
  for (BackendRun& run : runs) {
    if (!run_on(input, line.text, signals, run)) return interrupted(signals);
  }
  std::cout << run_table(runs);
  if (runs.size() == 1) logging::warning("this executable has no other backend to compare with");

  bool acceptable = true;
  const NamedFile first{to_string(runs.front().backend), runs.front().path};
  for (std::size_t i = 1; i < runs.size(); ++i) {
    std::cout << '\n';
    acceptable &= compare_files(first, {to_string(runs[i].backend), runs[i].path}, line.options,
                                line.level == logging::Level::verbose);
    if (signals.received() != 0) return interrupted(signals);
  }
  return acceptable ? 0 : static_cast<int>(ErrorKind::numerical);
}

}  // namespace tessera::compare
