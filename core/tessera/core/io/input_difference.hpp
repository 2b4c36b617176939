// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::io {

/// What a run that is continued may say otherwise than before, besides what stands under
/// `backend:`, `run:` and `output:`. Whether it comes in time for the state that was saved is for
/// Model::load to see.
struct Changeable {
  std::vector<std::string> values = {};  ///< of a section of the input ("time.end"): another value
  /// Of the input ("measurements"): more entries behind those that were there
  std::vector<std::string> lists = {};
};

/// Says in words where two resolved inputs differ in what fixes the results. Returns an empty text
/// when they agree.
std::string input_difference(const std::string& restart, const std::string& current,
                             const Changeable& changeable = {});

}  // namespace tessera::io
