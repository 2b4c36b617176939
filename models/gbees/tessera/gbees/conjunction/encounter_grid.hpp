// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/gbees/conjunction/encounter.hpp"

namespace tessera::gbees {

/// The probability of a meeting by a grid, without random numbers.
struct GridProbability {
  /// Why there is no number: the passage is not straight, the window ends during it, or the cells
  /// were too many.
  enum class Status { known, not_short, cut_by_window, too_many_cells };
  double value = 0;  ///< not a number unless it is known
  Status status = Status::known;
  double turn = 0;        ///< rad that the orbits turn during the passages of a cell
  std::size_t cells = 0;  ///< that were looked at
};

/// Integrates the density of the place at which the second object passes the first in the encounter
/// plane over the disc of the hard body. The pairs are those of the Monte Carlo: Gaussian in
/// equinoctial elements, carried by two-body motion.
///
/// The cells lie in the one or two directions w of the twelve normal numbers along which that place
/// bends most, besides the two that move it linearly. In each cell the other numbers are Gaussian,
/// and linear about the pair of that w that meets. So the density in the plane is a sum of
/// Gaussians along a curve, each with its own place and covariance, and its integral over the disc
/// is that of disc_probability. A cell is halved where the place, in its standard deviations,
/// changes by more than one from its middle to its nodes: that follows the region into the cells
/// that it crosses. Cells that cannot change the result by 1e-3 are left out. In the 25 public
/// messages whose passages are short the cells are exact to 1e-5, and the result agrees with the
/// pairs to 0.8 %, their error.
///
/// The passages must be short: within a cell, the times of closest approach must differ so little
/// that the orbits turn by less than 0.3 rad in six standard deviations of them.
GridProbability grid_probability(const Encounter& encounter);

}  // namespace tessera::gbees
