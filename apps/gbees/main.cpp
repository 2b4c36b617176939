// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-gbees: propagates a probability density on a grid that follows the mass. Exit codes: 0
// ok, 1 internal, 2 usage, 3 input, 4 files, 5 numerical, 6 device or memory, 128+n signal n.
#include "tessera/gbees/application.hpp"

int main(int argc, char** argv) {
  return tessera::run_app(tessera::gbees::application(), argc, argv);
}
