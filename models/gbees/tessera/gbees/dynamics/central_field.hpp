// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// The gravity of a body at the origin, flattened or not, whose pole is the third axis: the
/// potential of -mu r/r^3, and
///
///     U = flattening (3 z^2/r^2 - 1) / (2 r^3),  flattening = J2 mu R^2
///
/// A planar state lies in the equator. Orbits are described about such a field, and whatever else
/// moves the state is a perturbation. Units are those of the run.
struct CentralField {
  double mu = 0;          ///< length^3/time^2; 0: there is no field, and all is perturbation
  double flattening = 0;  ///< J2 mu R^2, length^5/time^2; 0: the field is that of a point
  /// Names of forces of the text that are the parts of this field, or empty
  std::string two_body, j2;
};

/// Makes a field of forces that add_two_body and add_j2 have added to a text (forces.hpp).
/// `j2`: empty where the body is not flattened. Throws Error (input) where there is no such force.
CentralField find_central_field(const EquationText& text, const std::string& two_body,
                                const std::string& j2 = {});

/// What accelerates a state beside a central field.
struct Perturbation {
  /// Definitions that the accelerations need beside those of the text: these come after them
  std::vector<std::pair<std::string, std::string>> definitions;
  /// An expression for each axis, in terms of the text; empty where there is no acceleration
  std::vector<std::string> accelerations;
};

/// Finds the accelerations that equations of motion have beside a field: of the equations
/// vx' = F_x + ... those without the field. Where the field's forces are terms of the equations,
/// directly or through definitions, they are left out, so that small perturbations keep their
/// digits. Otherwise the field is subtracted, with the rounding errors of the equations themselves.
/// `prefix`: of the names of definitions.
///
/// Throws EquationError where the text is in error, or the rate of change of a position is not the
/// velocity.
Perturbation find_perturbation(const EquationText& text, const CentralField& field,
                               const std::string& prefix);

}  // namespace tessera::gbees
