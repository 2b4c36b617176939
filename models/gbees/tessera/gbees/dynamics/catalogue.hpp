// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// The dynamics that an input can name, as equations. What Lorenz63 and Lorenz96 compute compiled
/// (dynamics.hpp) is here too: in a frame that is turned, and in other dimensions, they run from
/// these texts.

EquationText lorenz63_equations(double sigma, double b, double r);
EquationText lorenz96_equations(int dimension, double forcing);

/// x' = A x + b.
EquationText linear_equations(const linalg::Matrix& matrix, const std::vector<double>& offset);

/// x' = rate (level - x) for each variable; with process noise the Ornstein-Uhlenbeck process.
EquationText ornstein_uhlenbeck_equations(const std::vector<double>& rate,
                                          const std::vector<double>& level);

/// The two-body problem in Poincare elements of a planar circular orbit, L = sqrt(mu a) and the
/// mean longitude l: L' = 0, l' = mu^2 / L^3.
EquationText poincare_equations(double mu);

/// The circular restricted three-body problem in the rotating frame, planar (x, y, vx, vy) or
/// spatial (x, y, z, vx, vy, vz), in units of the primaries' distance and of the time in which they
/// turn by one radian. mu: mass of the smaller over the sum. The invariant is Jacobi's.
EquationText three_body_equations(bool planar, double mu);

/// Duffing's oscillator x'' + damping x' - x + x^3 = amplitude cos(frequency t).
EquationText duffing_equations(double damping, double amplitude, double frequency);

/// Aizawa's attractor: x' = (z - b) x - d y, y' = d x + (z - b) y, z' = c + a z - z^3/3 - (x^2 +
/// y^2)(1 + e z) + f z x^3.
EquationText aizawa_equations(double a, double b, double c, double d, double e, double f);

}  // namespace tessera::gbees
