// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-compare: one input on every backend, or two results files: times, speed-up and the
// largest difference of each result. Exit codes: 0 all within the tolerance, 1 internal, 2 usage, 3
// input, 4 files, 5 beyond the tolerance or numerical, 6 device or memory, 128+n signal n.
#include <iostream>

#include "apps/compare/backends.hpp"
#include "apps/compare/command_line.hpp"
#include "apps/compare/files.hpp"
#include "tessera/core/app/exit_code.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/host_blas.hpp"

namespace {

int compare(const tessera::compare::CommandLine& line) {
  if (!line.input.empty()) return tessera::compare::compare_backends(line);
  const bool verbose = line.level == tessera::logging::Level::verbose;
  const bool acceptable = tessera::compare::compare_files(
      {line.first, line.first}, {line.second, line.second}, line.options, verbose);
  return acceptable ? 0 : static_cast<int>(tessera::ErrorKind::numerical);
}

}  // namespace

int main(int argc, char** argv) {
  const int exit_code = tessera::run_and_report_errors([&] {
    tessera::compare::CommandLine line;
    if (const auto code = tessera::compare::parse_command_line(argc, argv, line)) return *code;
    tessera::logging::set_level(line.level);
    const int code = compare(line);
    if (!std::cout.flush())
      throw tessera::Error(tessera::ErrorKind::file, "cannot write to the standard output",
                           "check the disk it goes to");
    return code;
  });
  return tessera::linalg::end_host_blas(exit_code);
}
