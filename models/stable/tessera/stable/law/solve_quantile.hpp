// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/core/device/hardware.hpp"
#include "tessera/stable/law/evaluate.hpp"

namespace tessera::stable::detail {

/// `share` of the distance from zeta over which the density of a distribution with alpha < 1
/// changes; at most 1/2.
KOKKOS_INLINE_FUNCTION double width_at_zeta(double alpha, double share) {
  const double width = share * ::exp(::lgamma(1 / alpha) - ::lgamma(2 / alpha));
  return width < 0.5 ? width : 0.5;
}

/// A length of the order of the width of a distribution, about zeta for alpha < 1, else about 0.
KOKKOS_INLINE_FUNCTION double characteristic_width(const StableDistribution& distribution) {
  return distribution.alpha >= 1 ? 1 : width_at_zeta(distribution.alpha, 0.3);
}

/// Returns the point from which the accuracy of quantiles is measured: zeta for alpha < 1, unless
/// it lies outside the bulk of the distribution, else 0.
KOKKOS_INLINE_FUNCTION double quantile_centre(const StableDistribution& distribution) {
  return distribution.alpha < 1 && ::fabs(distribution.zeta) < 20 ? distribution.zeta : 0;
}

/// The point with lower tail probability p, or upper one with `upper`, of a standard distribution:
/// bisection in asinh((x - c)/w), then Newton's method on the logarithm of the probability. An
/// infinity where the point is beyond the largest number. Not inlined: in the middle of fifty
/// evaluations a call costs nothing, and their code would stand in every kernel that asks for
/// quantiles.
TESSERA_NOINLINE KOKKOS_INLINE_FUNCTION double solve_quantile(
    const StableDistribution& distribution, double p, bool upper) {
  const bool at_zeta = distribution.alpha < 1 && ::fabs(distribution.zeta) < 20;
  const double centre = quantile_centre(distribution), w = characteristic_width(distribution),
               sign = upper ? -1 : 1;
  const auto at = [&](double d) {
    return evaluate_at<Quantities::sf>(distribution, centre + d,
                                       at_zeta ? d : distance_from_zeta(distribution, centre + d));
  };
  // w sinh(m), up to the largest number, where sinh alone would be infinite.
  const double log_half_width = ::log(0.5 * w), limit = 709.7 - log_half_width;
  const auto distance = [&](double m) {
    return ::fabs(m) < 300 ? w * ::sinh(m) : ::copysign(::exp(::fabs(m) + log_half_width), m);
  };
  // The bisection goes along sign * d, in which the probability grows, from the far end of the
  // tail.
  double low = -limit, high = limit;
  for (int k = 0; k < 44; ++k) {
    const double middle = 0.5 * (low + high);
    const Evaluation v = at(sign * distance(middle));
    ((upper ? v.sf : v.cdf) < p ? low : high) = middle;
  }
  if (low == -limit) return -sign * INFINITY;
  double d = sign * distance(0.5 * (low + high));
  for (int k = 0; k < 4; ++k) {
    const Evaluation v = at(d);
    const double tail = upper ? v.sf : v.cdf;
    // The step is one in the logarithm of the smaller probability, so that both ends keep their
    // digits.
    const double step = (tail <= 0.5 ? ::log(p / tail) * tail : (p - tail)) / v.pdf;
    if (!(::fabs(step) < 0.5 * (::fabs(d) + w))) break;
    d += sign * step;
  }
  return centre + d;
}

}  // namespace tessera::stable::detail
