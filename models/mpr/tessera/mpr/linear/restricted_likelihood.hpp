// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/mpr/lattice/couplings.hpp"
#include "tessera/mpr/lattice/grid.hpp"
#include "tessera/mpr/lattice/metric.hpp"

/// Couplings by evidence: the maximum of the restricted likelihood of the Gaussian approximation,
/// in which the samples have the precision matrix Q / T, Q = L + beta L^2 (couplings.hpp), with the
/// temperature T at its own maximum and the level of the field left open:
///
///     2 l = log pdet Q - log det Q_mm - (n - 1) log(u' Q u),
///
/// with n samples, the block Q_mm of the missing sites and the harmonic interpolant u. The first
/// term is a sum over cosine modes; with a diagonal (AxisCouplings), over plane waves, which
/// neglects the edges of the field. The derivative of the second is the mean of x' dQ x over draws
/// x of the Gaussian approximation at T = 1, so that no determinant is needed: x = Q_mm^-1 w, with
/// random numbers w of covariance Q_mm ("perturb and solve"; Papandreou, Yuille, NIPS 2010). The
/// mean of x' Q x is known, the number of missing sites: means over draws are multiplied by it over
/// the mean found, which takes most of their noise out. Fisher scoring in log beta and in the
/// logarithms of the ratios of couplings takes some five steps; its information matrix is that of
/// complete data, n / 2 times the covariance of the logarithmic derivatives of the modes. Where few
/// sites are known the likelihood may be more curved than that, and steps overshoot: along the
/// steps so far the information is at least what the change of the derivatives over them says, as
/// in quasi-Newton methods.
///
/// Where cells are not all the same (metric.hpp), Q = L + beta L M^-1 L with the areas M, and the
/// first term falls apart into
///
///     log pdet Q = log pdet L + log det (M + beta L) - log det M,
///
/// and over the modes along x (and z) into determinants of tridiagonal matrices, one row of cells
/// to a row: exact but for a diagonal, whose waves along x neglect the first and last column unless
/// the grid is periodic.
///
/// Samples with errors of known variances s^2 make T a parameter of its own. With A = T / s^2 at
/// noisy samples,
///
///     2 l = (1 - m) log T + log pdet Q - log det (Q + A) - (u' Q u + (y - u)' A (y - u)) / T,
///
/// where m samples are exact and the second determinant is that of the block of the others. Its
/// derivative in log T is 1 - m - tr (Q + A)^-1 A + u' Q u / T: the trace is the mean of x' A x
/// over the draws. The information is that of noisy modes: a mode of the precision q is known as
/// well as a share r = 1 / (1 + q s^2 N / (n T)) of its variance is that of the field, with n
/// samples of N sites.
///
/// Large fields are represented by windows; sites that are inactive count as missing here.

namespace tessera::mpr {

/// The state of the scoring at one of its steps.
struct EvidenceStep {
  AxisCouplings axis;
  double beta = 0;
  double temperature = 0;  ///< at its maximum, pooled over the windows
  double slope = 0;        ///< length of the step to the next point, in standard deviations
};

/// The results of the search for the couplings of greatest evidence.
struct Evidence {
  AxisCouplings axis;  ///< product 1; with a diagonal, determinant of the tensor 1
  double beta = 0;
  double temperature = 0;                  ///< where there is noise
  double beta_error = 0, ratio_error = 0;  ///< standard errors of log beta and log(A_x / A_y)
  std::vector<EvidenceStep> steps;
  bool settled = false;  ///< the last step was short: in standard errors, or less than 5 %
};

/// The options of the search: which couplings are looked for; others stay as they are. A diagonal
/// is for images.
struct EvidenceOptions {
  bool beta = true, axis = true, diagonal = false;
  double start_beta = 1;
  AxisCouplings start_axis;
  double start_temperature = 0;  ///< needed where there is noise
  /// Looked for where there is noise; without it the temperature is always that of greatest
  /// evidence
  bool temperature = true;
  std::uint64_t seed = 0;
  /// Coefficients of a trend that was taken off each window; a share of them where windows have
  /// them together
  double trend = 0;
  /// Told after each step how many there were, what one of them takes on average and the cells that
  /// it goes over; may be empty.
  std::function<void(int steps, double seconds, double cells)> tell_pace;
};

/// Sums over the modes of a rectangular grid, but for the constant one.
struct ModeSums {
  double count = 0;
  /// Sum of r^2, the squares of the shares of variances that are those of the field
  double known = 0;
  /// Sums of d log q / d log beta and of d log q / d log A_a
  std::array<double, 4> sum{};
  std::array<std::array<double, 4>, 4> product{};  ///< of their products times r^2
  std::array<double, 4> known_sum{};               ///< of them times r^2
};

/// Over the cosine modes, those of cells that are all the same. noise: r = 1 / (1 + noise q) of a
/// mode with the precision q.
ModeSums sum_modes(const Grid& grid, const AxisCouplings& axis, double beta, double noise = 0);

/// Sums over the modes with a metric: `sum` as the derivatives of log pdet Q, and `product` such
/// that their covariance is that of cells of the mean size.
ModeSums sum_modes(const Grid& grid, const AxisCouplings& axis, double beta, const Metric& metric);

/// Couplings of pixels that stand for cells with a metric: those of cells of the mean size.
AxisCouplings typical_couplings(const AxisCouplings& axis, const Metric& metric);

/// Derivatives of the restricted likelihood with respect to log beta, log A_x, log A_y, log A_z or
/// log A_d, and log T where there is noise, and its information matrix.
struct EvidenceSlope {
  std::array<double, 4> slope{};
  std::array<std::array<double, 4>, 4> information{};
  double temperature_slope = 0, temperature_information = 0;  ///< of log T
  std::array<double, 4> mixed_information{};                  ///< of log T with the others
};

/// A step of the search in (log beta, log A_x, log A_y, log A_z or log A_d, log T), and by how much
/// the derivatives fell over it.
struct EvidenceMove {
  std::array<double, 5> step{}, fallen{};
};

/// Finds the move from where a step began to where it led.
EvidenceMove find_move(const EvidenceStep& from, const EvidenceSlope& before, const Evidence& to,
                       const EvidenceSlope& after);

/// Replaces the information along the steps so far, the last one after the others, by what they say
/// of the curvature of the likelihood, where that is more (the update of Broyden, Fletcher,
/// Goldfarb and Shanno).
void learn_curvature(const std::vector<EvidenceMove>& moves, EvidenceSlope& at);

/// Adds the information of n noisy samples in a window with these modes.
void add_noisy_information(const ModeSums& modes, double samples, EvidenceSlope& slope);

/// The step of Fisher scoring in the parameters that are free, at a constant product of the
/// couplings; updates axis, beta and, where it is more than 0, the temperature, and the standard
/// errors. Returns the length of the step in standard deviations.
double take_step(const EvidenceSlope& at, const EvidenceOptions& options, int dimension,
                 Evidence& evidence);

}  // namespace tessera::mpr
