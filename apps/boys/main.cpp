// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-boys: Boys functions, their errors, and integrals of s-type Gaussian functions made from
// them. Exit codes: 0 ok, 1 internal, 2 usage, 3 input, 4 files, 5 numerical, 6 device or memory,
// 128+n signal n.
#include "tessera/boys/application.hpp"

int main(int argc, char** argv) {
  return tessera::run_app(tessera::boys::application(), argc, argv);
}
