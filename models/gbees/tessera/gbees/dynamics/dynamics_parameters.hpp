// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"
#include "tessera/gbees/grid/circle.hpp"

namespace tessera::gbees {

/// The `model:` section: which dynamics, and their parameters.
struct DynamicsParameters {
  std::string name = "lorenz63";
  int dimension = 3;
  std::vector<std::string> variables;  ///< names of the variables of the grid
  /// Names of the variables in which the input is written: of the state, of which those of the grid
  /// may be other coordinates
  std::vector<std::string> state;
  std::optional<OrbitCoordinates> orbit;  ///< these coordinates; none: they are the state
  double sigma = 4, b = 1, r = 48;        ///< lorenz63
  double forcing = 4;                     ///< lorenz96
  std::vector<Circle> circles;            ///< of each variable; empty: all are lines
  linalg::Matrix noise;                   ///< spectral density, as rows; empty: none
  EquationText text;                      ///< of every model, those that run compiled too
  EquationProgram program;                ///< of the text, for the coordinates of the grid
};

}  // namespace tessera::gbees
