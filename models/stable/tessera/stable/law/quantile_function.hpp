// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/parameterization.hpp"
#include "tessera/stable/law/solve_quantile.hpp"

/// Quantiles of a stable distribution, inside a kernel or on the host: the x with P(X <= x) = p, or
/// P(X > x) = q.
///
/// Bisection in asinh((x - c)/w), then Newton's method on the logarithm of the smaller tail
/// probability; w is a width of the distribution, 1 for alpha >= 1; c = zeta for alpha < 1 where
/// |zeta| < 20, else 0. Some 50 evaluations of sf: for thousands of probabilities use
/// `QuantileTable`.
///
/// Domain: 0 < p < 1, anything else gives NaN; 0.1 <= alpha <= 2, -1 <= beta <= 1 (not checked).
///
/// Accuracy: 1e-12 of |x - c| + w and 1e-11 of |x| + 0.001, the smaller of the two, and what p
/// itself lacks. A p close to 1 has few digits of 1 - p: where 1 - p is known better, ask for
/// upper_quantile(distribution, 1 - p).
///
/// Errors: none; these functions run in kernels.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const double median = stable::quantile(distribution, 0.5);
///     const double far_out = stable::upper_quantile(distribution, 1e-12);  // P(X > far_out) = 1e-12
namespace tessera::stable {

/// x with P(X <= x) = p for the standard distribution S0.
KOKKOS_INLINE_FUNCTION double quantile(const StableDistribution& distribution, double p) {
  if (!(p > 0 && p < 1)) return NAN;
  const bool upper = p > 0.5;
  return detail::solve_quantile(distribution, upper ? 1 - p : p, upper);
}

/// x with P(X > x) = q for the standard distribution S0.
KOKKOS_INLINE_FUNCTION double upper_quantile(const StableDistribution& distribution, double q) {
  if (!(q > 0 && q < 1)) return NAN;
  const bool upper = q <= 0.5;
  return detail::solve_quantile(distribution, upper ? q : 1 - q, upper);
}

/// x with P(X <= x) = p at a location and scale, by the power law of its tail where the standard x
/// is beyond the largest number. Not for S2, which `resolve_mode` converts first.
KOKKOS_INLINE_FUNCTION double quantile(const StableDistribution& distribution,
                                       const LocationScale& where, double p) {
  const double standard = quantile(distribution, p);
  if (::fabs(standard) != INFINITY) return where.from_standard(distribution, standard);
  const bool upper = standard > 0;
  const double rise = (upper ? distribution : distribution.mirrored()).imag_rise,
               alpha = distribution.alpha;
  const double log_distance =
      (::lgamma(alpha) + ::log(rise / kPi) - ::log(upper ? 1 - p : p)) / alpha;
  const double distance = ::exp(log_distance + ::log(where.sigma));
  return upper ? where.mu + distance : where.mu - distance;
}

}  // namespace tessera::stable
