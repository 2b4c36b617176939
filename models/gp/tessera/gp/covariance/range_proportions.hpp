// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/gp/covariance/covariance.hpp"

/// The proportions of the ranges and, of a rotated model, their axes say which points are near to
/// each other. Neighbours that were found for one theta are the nearest for another one of the
/// same proportions and axes.

namespace tessera::gp {

/// Factors of the coordinates (on the sphere x, y and z of the unit vectors), then of the time,
/// such that the distances u are proportional to those of the products; the first factor is 1.
std::vector<double> range_proportions(const CovarianceModel& model, const Theta& theta);

/// Returns whether a and b have the same proportions and the same angles, bit by bit.
bool have_same_nearness(const CovarianceModel& model, const Theta& a, const Theta& b);

/// Returns the factor by which, at most, the distances of two pairs of points change against each
/// other from one theta to another; at least 1. `widths`: the extents of more than three
/// coordinates, of which those count that make, at one theta, a twentieth of the distances that
/// another makes; empty: all count.
double nearness_change(const CovarianceModel& model, const Theta& from, const Theta& to,
                       const std::vector<double>& widths = {});

}  // namespace tessera::gp
