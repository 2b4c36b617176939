// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// The `model:` section: which dynamics, and their parameters.
struct DynamicsParameters {
  std::string name = "lorenz63";
  int dimension = 3;
  std::vector<std::string> variables;  ///< names of the state variables
  double sigma = 4, b = 1, r = 48;     ///< lorenz63
  double forcing = 4;                  ///< lorenz96
  std::vector<double> noise;           ///< spectral density for each variable; empty: none
  EquationText text;                   ///< of every model, those that run compiled too
  EquationProgram program;             ///< of the text, for the coordinates of the grid
};

}  // namespace tessera::gbees
