// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-compare: one input on every backend, or two results files: times, speed-up and the
// largest difference of each result. Exit codes: 0 all within the tolerance, 1 internal, 2 usage, 3
// input, 4 files, 5 beyond the tolerance or numerical, 6 device or memory, 128+n signal n.
#include "apps/compare/program.hpp"

int main(int argc, char** argv) { return tessera::compare::run_program(argc, argv); }
