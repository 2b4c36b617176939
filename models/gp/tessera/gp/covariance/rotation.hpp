// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "tessera/gp/covariance/covariance.hpp"

/// Rotated anisotropy: ranges along turned axes. With x = a - b and w_k = (A x)_k / beta_k,
///
///     u^2 = sum_k w_k^2,     A = R(angles)'.
///
/// Angles are in radians. In the plane beta_1 is the range along the direction `angle`
/// counter-clockwise from the first coordinate. In space R = R_z(angle_1) R_y(angle_2)
/// R_x(angle_3), rotations by the right-hand rule: yaw, then pitch about the turned y axis, then
/// roll about the twice turned x axis; the columns of R are the directions of beta_1, beta_2 and
/// beta_3.

namespace tessera::gp {

using Axes = std::array<std::array<double, 3>, 3>;

/// A, whose rows are the directions of the ranges. The model must be rotated.
Axes range_axes(const CovarianceModel& model, const Theta& theta);

/// The derivative of u^2 / 2 in an angle (from 0 on) as a form in w: the factors of w_1 w_2, w_1
/// w_3 and w_2 w_3.
std::array<double, 3> angle_derivative(const CovarianceModel& model, const Theta& theta, int angle);

}  // namespace tessera::gp
