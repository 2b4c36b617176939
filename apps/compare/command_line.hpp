// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/compare.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::compare {

/// The command line of tessera-compare: it asks to run an input on every backend, or to compare two
/// results files.
struct CommandLine {
  std::string input;                   ///< empty: compare files
  std::vector<std::string> overrides;  ///< of the input: key.path=value
  std::string first, second;           ///< the files to compare
  io::CompareOptions options;
  bool keep = false, force = false;
  logging::Level level = logging::Level::normal;
  std::vector<std::string> kokkos;  ///< --kokkos-* arguments, passed on
  std::string text;                 ///< all of it, for the record
};

/// Parses the command line. Returns the exit code when that is all there is to do (--help,
/// --version, or a usage error, which has been reported on stderr), else nothing.
std::optional<int> parse_command_line(int argc, const char* const* argv, CommandLine& line);

}  // namespace tessera::compare
