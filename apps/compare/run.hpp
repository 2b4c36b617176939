// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/device/backend.hpp"

namespace tessera {
struct CheckedInput;
class SignalWatch;
}  // namespace tessera

namespace tessera::compare {

/// A run of the input on one backend.
struct BackendRun {
  Backend backend = Backend::serial;
  std::string device;
  std::string path;    ///< of its results
  double seconds = 0;  ///< wall time from the initial state to the end, without files
};

/// Runs an input and writes its results to `path`. Returns false when a signal came first; there
/// are no results then. Throws what the model throws. Kokkos must be running.
bool run_on(const CheckedInput& input, const std::string& command_line, const SignalWatch& signals,
            BackendRun& run);

}  // namespace tessera::compare
