// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::compare {

/// tessera-compare, from its command line to its exit code.
int run_program(int argc, char** argv);

}  // namespace tessera::compare
