// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/central_field.hpp"
#include "tessera/gbees/dynamics/change_of_variables.hpp"

namespace tessera::gbees {

/// Generalised equinoctial orbital elements (Bau, Hernando-Ayuso, Bombardelli, Celestial Mechanics
/// and Dynamical Astronomy 133:50, 2021), in which an orbit about a flattened body nearly rests.
/// The state is x, y, z, vx, vy, vz in a frame that does not turn, r the distance, h the angular
/// momentum, U the potential of the flattening (central_field.hpp):
///
///     nu      = (-2 E)^(3/2) / mu,  E = v^2/2 - mu/r + U: the generalised mean motion, 1/time
///     p1, p2  = g sin Psi, g cos Psi: the generalised Laplace vector, of the orbit with the
///               angular momentum c = sqrt(h^2 + 2 r^2 U); g is the generalised eccentricity
///     q1, q2  = tan(i/2) sin Omega, tan(i/2) cos Omega: the plane of the orbit
///     L       = K + p1 cos K - p2 sin K: the generalised mean longitude in radians, which grows
///               without bound along an orbit; K is the generalised eccentric longitude
///
/// Without flattening they are the classical equinoctial elements with the mean motion and the mean
/// longitude. They exist for bound orbits (E < 0, h^2 > 2 r^2 |U|) but those with i = 180 degrees.
/// They are regular at g = 0 and i = 0.
///
/// Domain of the equations: g <= kLargestEccentricity and tan(i/2) <= kLargestTangent. There the
/// error of K is at most 1e-15 rad. Beyond, it grows: 1.1e-13 at g = 0.97, 4e-8 at 0.99. Rates are
/// no numbers where g >= 1 or nu <= 0.
inline constexpr double kLargestEccentricity = 0.95;
inline constexpr double kLargestTangent = 100;  ///< an inclination of 178.85 degrees

using Elements = std::array<double, 6>;  ///< nu, p1, p2, q1, q2, L

const std::vector<VariableMeaning>& equinoctial_variables();

/// Returns the same dynamics in elements about a field with mu > 0. The variables of `text`
/// become definitions, with Kepler's equation solved by two steps of fifth order; perturbations are
/// what the text has beside the field (find_perturbation). Throws EquationError, as compile()
/// and find_perturbation do.
EquationText equinoctial_equations(const EquationText& text, const CentralField& field);

/// Says why a Cartesian state is outside the domain and which coordinates to take; empty: it is in.
std::string equinoctial_problem(const CentralField& field, const double* state);

/// Returns the elements of a Cartesian state, with the turn of L that is nearest to `longitude`.
/// Round trips keep the state to 1e-12 of r and v for |L| <= 20. Throws Error (numerical) where the
/// elements do not exist.
Elements equinoctial_elements(const CentralField& field, const double* state, double longitude = 0);

/// Returns the Cartesian state of elements. Throws Error (numerical) where there is none.
std::array<double, 6> equinoctial_state(const CentralField& field, const Elements& elements);

/// Returns the logarithm of |d(elements)/d(state)|, in the units of the run. The state's density is
/// the elements' times that. It is 3 nu^2 (1 + q1^2 + q2^2)^2 / (4 mu^2) with any flattening.
double equinoctial_log_jacobian(const CentralField& field, const Elements& elements);

}  // namespace tessera::gbees
