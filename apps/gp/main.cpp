// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// tessera-gp: Gaussian processes with a Matern covariance of any smoothness: simulate, fit,
// predict. Exit codes: 0 ok, 1 internal, 2 usage, 3 input, 4 files, 5 numerical, 6 device or
// memory, 128+n signal n.
#include "tessera/gp/application.hpp"

int main(int argc, char** argv) { return tessera::run_app(tessera::gp::application(), argc, argv); }
