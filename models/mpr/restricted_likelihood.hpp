// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/mpr/couplings.hpp"
#include "tessera/mpr/grid.hpp"
#include "tessera/mpr/metric.hpp"

/// Couplings by evidence: the maximum of the restricted likelihood of the Gaussian approximation, in which the samples have the precision
/// matrix Q / T, Q = L + beta L^2 (couplings.hpp), with the temperature T at its own maximum and the level of the field left open:
///
///     2 l = log pdet Q - log det Q_mm - (n - 1) log(u' Q u),
///
/// with n samples, the block Q_mm of the missing sites and the harmonic interpolant u. The first term is a sum over cosine modes; with a
/// diagonal (AxisCouplings), over plane waves, which neglects the edges of the field. The derivative of the second is the mean of x' dQ x
/// over draws x of the Gaussian approximation at T = 1, so that no determinant is needed: x = Q_mm^-1 w, with random numbers w of
/// covariance Q_mm ("perturb and solve"; Papandreou, Yuille, NIPS 2010). Fisher scoring in log beta and in the logarithms of the ratios of
/// couplings takes some five steps; its information matrix is that of complete data, n / 2 times the covariance of the logarithmic
/// derivatives of the modes.
///
/// Where cells are not all the same (metric.hpp), Q = L + beta L M^-1 L with the areas M, and the first term falls apart into
///
///     log pdet Q = log pdet L + log det (M + beta L) - log det M,
///
/// and over the modes along x (and z) into determinants of tridiagonal matrices, one row of cells to a row: exact but for a diagonal, whose
/// waves along x neglect the first and last column unless the grid is periodic.
///
/// Large fields are represented by windows; sites that are inactive count as missing here.

namespace tessera::mpr {

/// Where the scoring stood at one of its steps.
struct EvidenceStep {
  AxisCouplings axis;
  double beta = 0;
  double temperature = 0;  ///< at its maximum, pooled over the windows
  double slope = 0;        ///< length of the step to the next point, in standard deviations
};

/// What evidence says about the couplings.
struct Evidence {
  AxisCouplings axis;  ///< product 1; with a diagonal, determinant of the tensor 1
  double beta = 0;
  double beta_error = 0, ratio_error = 0;  ///< standard errors of log beta and log(A_x / A_y)
  std::vector<EvidenceStep> steps;
};

/// Which couplings are looked for; others stay as they are. A diagonal is for images.
struct EvidenceOptions {
  bool beta = true, axis = true, diagonal = false;
  double start_beta = 1;
  AxisCouplings start_axis;
  std::uint64_t seed = 0;
};

/// Sums over the modes of a rectangular grid, but for the constant one.
struct ModeSums {
  double count = 0;
  std::array<double, 4> sum{};                     ///< of d log q / d log beta and of d log q / d log A_a
  std::array<std::array<double, 4>, 4> product{};  ///< of their products
};

/// Over the cosine modes, those of cells that are all the same.
ModeSums sum_modes(const Grid& grid, const AxisCouplings& axis, double beta);

/// With a metric: `sum` as the derivatives of log pdet Q, and `product` such that their covariance is that of cells of the mean size.
ModeSums sum_modes(const Grid& grid, const AxisCouplings& axis, double beta, const Metric& metric);

/// Derivatives of the restricted likelihood with respect to log beta, log A_x, log A_y, log A_z or log A_d, and its information matrix.
struct EvidenceSlope {
  std::array<double, 4> slope{};
  std::array<std::array<double, 4>, 4> information{};
};

/// The step of Fisher scoring in the parameters that are free, at a constant product of the couplings; updates axis and beta, and the
/// standard errors. Returns the length of the step in standard deviations.
double take_step(const EvidenceSlope& at, const EvidenceOptions& options, int dimension, Evidence& evidence);

}  // namespace tessera::mpr
