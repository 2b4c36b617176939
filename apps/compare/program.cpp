// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/program.hpp"

#include <iostream>

#include "apps/compare/backends.hpp"
#include "apps/compare/command_line.hpp"
#include "apps/compare/files.hpp"
#include "tessera/core/app/exit_code.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/host_blas.hpp"

namespace tessera::compare {

namespace {

int compare(const CommandLine& line) {
  if (!line.input.empty()) return compare_backends(line);
  const bool verbose = line.level == logging::Level::verbose;
  const bool acceptable =
      compare_files({line.first, line.first}, {line.second, line.second}, line.options, verbose);
  return acceptable ? 0 : static_cast<int>(ErrorKind::numerical);
}

}  // namespace

int run_program(int argc, char** argv) {
  const int exit_code = run_and_report_errors([&] {
    CommandLine line;
    if (const auto code = parse_command_line(argc, argv, line)) return *code;
    logging::set_level(line.level);
    const int code = compare(line);
    if (!std::cout.flush())
      throw Error(ErrorKind::file, "cannot write to the standard output",
                  "check the disk it goes to");
    return code;
  });
  return linalg::end_host_blas(exit_code);
}

}  // namespace tessera::compare
