// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"

namespace tessera {

/// The arguments of an executable, sorted.
struct Arguments {
  std::vector<std::string> own;     ///< without the executable's name
  std::vector<std::string> kokkos;  ///< --kokkos-*
  std::string text;                 ///< the whole command line, quoted where a shell needs it
};

Arguments sort_arguments(int argc, const char* const* argv);

/// The requests of a command line to an application.
struct CommandLine {
  std::string input;
  std::vector<std::string> overrides;  ///< key.path=value
  /// empty: what the input says, else <input stem>.h5 in the working directory
  std::string output;
  std::string backend;                ///< empty: what the input says
  std::string restart;                ///< restart file to continue from; empty: start afresh
  std::optional<std::uint64_t> seed;  ///< instead of the input's
  bool validate = false, print_defaults = false, markdown = false, timing = false, force = false;
  logging::ProgressMode progress = logging::ProgressMode::automatic;
  logging::Level level = logging::Level::normal;
  std::vector<std::string> kokkos;  ///< --kokkos-* arguments, passed on
  std::string text;                 ///< all of it, for the record
};

/// Parses the command line of tessera-<name>. Returns the exit code when that is all there is to do
/// (--help, --version, or a usage error, which has been reported on stderr), else nothing.
std::optional<int> parse_command_line(const std::string& name, const std::string& summary, int argc,
                                      const char* const* argv, CommandLine& line);

}  // namespace tessera
