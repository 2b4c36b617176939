// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/compare/command_line.hpp"

namespace tessera::compare {

/// Runs an input on every backend of this executable, prints how long each took and how its results
/// differ from those of the first, and returns the exit code.
int compare_backends(const CommandLine& line);

}  // namespace tessera::compare
