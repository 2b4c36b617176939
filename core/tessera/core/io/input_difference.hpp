// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::io {

/// The parameters that may change when a run is continued, besides those under `backend:`, `run:`
/// and `output:`. Model::load checks whether a change comes in time for the state that was saved.
struct Changeable {
  std::vector<std::string> values = {};  ///< of a section of the input ("time.end"): another value
  /// The lists of the input ("measurements") that may have more entries behind those that were
  /// there
  std::vector<std::string> lists = {};
};

/// Says in words where two resolved inputs differ in what fixes the results. Returns an empty text
/// when they agree.
std::string input_difference(const std::string& restart, const std::string& current,
                             const Changeable& changeable = {});

}  // namespace tessera::io
