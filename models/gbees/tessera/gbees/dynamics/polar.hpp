// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/central_field.hpp"
#include "tessera/gbees/dynamics/change_of_variables.hpp"

namespace tessera::gbees {

/// Polar coordinates of planar motion, for any dynamics of a state x, y, vx, vy:
///
///     r = sqrt(x^2 + y^2),  theta: the angle from the first axis in radians, which grows without
///     bound,  v_r = dr/dt,  h = x vy - y vx: the angular momentum by mass
///
///     r' = v_r,  theta' = h/r^2,  v_r' = h^2/r^3 + a_r,  h' = r a_theta
///
/// with the acceleration a. Round trips keep r and v to 1e-14 for |theta| <= 40. Only r = 0 is
/// singular. The determinant of the change of variables is 1: a density has the same values in
/// both.
const std::vector<VariableMeaning>& polar_variables();

/// Returns the same dynamics in polar coordinates. The variables of `text` become definitions.
/// `field`: gravity that is known to be central, or none (mu = 0); without it h would change by
/// rounding errors. Throws EquationError, as compile() and find_perturbation do.
EquationText polar_equations(const EquationText& text, const CentralField& field = {});

/// Says why a Cartesian state has no polar coordinates; empty: it has.
std::string polar_problem(const double* state);

/// Returns r, theta, v_r, h of a Cartesian state, with the turn of theta that is nearest to
/// `angle`. Throws Error (numerical) at r = 0.
std::array<double, 4> polar_coordinates(const double* state, double angle = 0);

/// Returns the Cartesian state. Throws Error (numerical) unless r > 0.
std::array<double, 4> polar_state(const std::array<double, 4>& coordinates);

}  // namespace tessera::gbees
