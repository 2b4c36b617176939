// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/grid/observation.hpp"

namespace tessera::gbees {

/// The demands of observations on the cells of a grid, which takes their likelihood at the centres
/// of its cells.
struct Sharpness {
  bool is_known = false;
  /// Moments of the density after them, by a Kalman filter that has looked for it (an iterated one)
  std::vector<double> mean;
  linalg::Matrix covariance;
  std::size_t axis = 0;   ///< along which the density is then narrowest beside the cells
  double cells = 0;       ///< its standard deviation there, in cells
  double likelihood = 0;  ///< that of the likelihood along an axis, in cells: the least
  double fault = 0;       ///< of the evidence, as a share of it, about
  double refinement = 1;  ///< by which cells must shrink along all axes for a fault of 5 %
};

/// The sums over the cells of a Gaussian differ from its integral by 2 sum_n exp(-2 pi^2 n^T P n)
/// as a share, where P is its covariance in units of cells and n a vector of whole numbers
/// (Poisson's formula), of which those along an axis and between two are taken. `mean`,
/// `covariance`: of the density before, in the coordinates of the grid; observations of Gaussian
/// and Student's errors at one time.
Sharpness find_sharpness(const std::vector<Observation>& observations, double time,
                         std::vector<double> mean, linalg::Matrix covariance,
                         const std::vector<double>& spacing);

/// How narrow a density is beside the cells of a grid.
struct Narrowness {
  double cells = 0;         ///< its standard deviation, in cells, where that is least
  std::size_t axis = 0;     ///< along which it is narrowest
  bool is_between = false;  ///< whether it is much narrower in a direction between the axes
};
Narrowness find_narrowness(const linalg::Matrix& covariance, const std::vector<double>& spacing);

}  // namespace tessera::gbees
