// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::logging {

/// The warnings of this process since `clear_warnings`, in order; equal ones stand once. A run
/// stores them with its results.
const std::vector<std::string>& warnings();

/// Adds a warning that was shown before, such as one of the run that is continued.
void add_warning(const std::string& message);

void clear_warnings();

/// Switches whether a warning is written to stderr when it is given; on at first. Callers that
/// report `warnings()` in their own way switch it off.
void show_warnings(bool on);

/// Does the same for errors, for callers that get them as exceptions.
void show_errors(bool on);

}  // namespace tessera::logging
