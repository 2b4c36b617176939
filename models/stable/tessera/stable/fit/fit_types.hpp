// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/law/stable_distribution.hpp"

namespace tessera::stable {

/// The outcome of a fit.
enum class FitStatus : int {
  converged = 0,
  boundary = 1,       ///< converged with alpha or beta at the end of its range
  not_converged = 2,  ///< no further ascent, or too many iterations, before the gradient was small
  too_few = 3,        ///< fewer than five values (or weights above zero)
  not_finite = 4,     ///< NaN or infinite values
  constant = 5,       ///< all values are the same, or more than half of them
  collinear = 6,      ///< of regressions: columns are combinations of others
};

/// The method that estimates parameters.
enum class FitMethod : int {
  maximum_likelihood,
  mcculloch,  ///< from five quantiles alone
};

/// The fourth parameter of a fit: mu, or a quantile or minus an expected shortfall, whose
/// likelihood is then profiled.
enum class Location : std::int32_t { mu, quantile, shortfall };

/// A stable distribution in S0.
struct FourParameters {
  double alpha, beta, sigma, mu;
};

/// One sample: values begin, ..., begin + count - 1 of an array, and the parameters that are given
/// instead of fitted.
struct FitTask {
  std::int64_t begin = 0;
  std::int32_t count = 0;
  std::int32_t fixed = 0;  ///< bit i: parameter i of alpha, beta, sigma, location is fixed_value[i]
  double fixed_value[4] = {0, 0, 0, 0};
  /// Values stand for cells of x +- half_width, into which they were rounded; 0: they are exact
  double half_width = 0;
  Location location = Location::mu;
  /// The probability of the quantile or of the lower tail, unless the location is mu; such a task
  /// needs a start
  double probability = NAN;
  /// The point at which the search for the maximum begins; NaN: the quantiles of the sample give it
  FourParameters start{NAN, NAN, NAN, NAN};

  KOKKOS_INLINE_FUNCTION bool is_fixed(int i) const { return (fixed >> i & 1) != 0; }
  KOKKOS_INLINE_FUNCTION bool has_start() const { return start.alpha == start.alpha; }
};

/// The options of a fit.
struct FitOptions {
  FitMethod method = FitMethod::maximum_likelihood;
  /// The tolerance for the largest component of the gradient, divided by the number of values
  double tolerance = 1e-9;
  /// The fit finds standard errors and covariance matrices, from the observed information
  bool standard_errors = true;
  /// The fit finds the distances of Kolmogorov-Smirnov, Anderson-Darling and Cramer-von Mises
  bool goodness = false;
  std::int64_t together = 0;  ///< of how many fits these are a part: see Fitter
};

/// The result of a fit, in S0. For the statuses too_few, not_finite and constant everything else is
/// NaN.
struct FitResult {
  double alpha = NAN, beta = NAN, sigma = NAN, mu = NAN;
  /// 0: fixed; NaN: at the end of its range, or not known
  double standard_error[4] = {NAN, NAN, NAN, NAN};
  /// Inverse of the observed information: see covariance_of
  double covariance[10] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  /// The outer product of the scores between two of these inverses
  double sandwich[10] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  double log_likelihood = NAN;
  /// Largest |d ln L/d theta| of the fitted parameters, divided by the number of values
  double gradient_norm = NAN;
  /// Status boundary: d ln L/d parameter outwards, at the end of its range
  double boundary_gradient = 0;
  double start_alpha = NAN, start_beta = NAN;
  double kolmogorov_smirnov = NAN, anderson_darling = NAN, cramer_von_mises = NAN;
  std::int32_t iterations = 0, evaluations = 0;
  FitStatus status = FitStatus::not_converged;

  KOKKOS_INLINE_FUNCTION FourParameters parameters() const { return {alpha, beta, sigma, mu}; }
  /// The place of the covariance of parameters i and j in `covariance` and `sandwich`, the lower
  /// triangles of symmetric matrices. Rows of fixed parameters are 0, those of parameters at the
  /// end of their range NaN, as are products of errors that no double holds (scales below 1e-154 or
  /// above 1e154).
  KOKKOS_INLINE_FUNCTION static int index(int i, int j) {
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
  }
};

}  // namespace tessera::stable
