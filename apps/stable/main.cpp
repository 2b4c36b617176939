// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-stable: evaluates, samples and fits alpha-stable distributions. Exit codes: 0 ok, 1
// internal, 2 usage, 3 input, 4 files, 5 numerical, 6 device or memory, 128+n signal n.
#include "tessera/stable/application.hpp"

int main(int argc, char** argv) {
  return tessera::run_app(tessera::stable::application(), argc, argv);
}
