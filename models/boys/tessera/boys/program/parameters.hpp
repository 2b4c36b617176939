// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/boys/integrals.hpp"
#include "tessera/boys/program/method.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/section.hpp"

namespace tessera::boys {

enum class Task { evaluate, rys, nuclear_attraction, eri_ssss, integrals };

/// The values that results are compared with.
enum class Reference { none, file, extended };

/// A further method whose errors are wanted, and what its results are called.
struct ComparedMethod {
  MethodChoice choice;
  std::string name;
};

/// Everything an input file says about a run. Files that the input names have been read.
struct Parameters {
  Task task = Task::evaluate;

  // evaluate
  int n_max = 8;  ///< that of `method`, too
  config::Numbers x;
  bool single_precision = false;
  MethodChoice method;
  int repeat = 1;  ///< how often everything is evaluated, for timing
  Reference reference = Reference::none;
  std::vector<double> reference_values;  ///< from a file: n_max + 1 per argument
  std::vector<ComparedMethod> also;
  bool output_values = true;

  // rys, with x, repeat and interaction
  int order = 6;
  double rho = 1;

  // integrals
  std::vector<Nucleus> nuclei;
  std::vector<Contraction> basis;
  bool normalize = true;
  Interaction interaction;

  /// Declares, reads and checks all sections; problems are recorded in `root`. Throws Error (file)
  /// when a file cannot be read.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::boys
