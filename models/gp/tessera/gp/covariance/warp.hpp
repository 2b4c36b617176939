// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/local_model.hpp"

namespace tessera::gp {

/// An increasing function of a coordinate, for use in kernels: at equidistant knots t_1 < ... < t_K
/// its slope is e^(w_k), between them the logarithm of the slope is linear, beyond them the slope
/// stays. Of the w_k the last is minus the sum of the others, so that the slope is 1 in the
/// (geometric) mean of the knots, and the function is the identity where all are 0. Error: 1e-15 of
/// the distance from the first knot.
struct Warp {
  int knots = 0;
  double first = 0, spacing = 1;
  double log_slope[kMostKnots] = {}, slope[kMostKnots] = {};
  // of each interval between knots: the integral of the slope from the first knot on, and of the
  // slope times the distance from the right end, and from the left end, in units of the spacing
  double before[kMostKnots] = {}, left[kMostKnots] = {}, right[kMostKnots] = {};

  /// `coefficient`: of all knots but the last.
  static Warp make(int knots, double first, double last, const double* coefficient) {
    Warp warp;
    warp.knots = knots;
    warp.first = first;
    warp.spacing = (last - first) / (knots - 1);
    double sum = 0;
    for (int k = 0; k + 1 < knots; ++k) sum += warp.log_slope[k] = coefficient[k];
    warp.log_slope[knots - 1] = 0 - sum;
    for (int k = 0; k < knots; ++k) warp.slope[k] = std::exp(warp.log_slope[k]);
    for (int k = 0; k + 1 < knots; ++k) {
      const double z = warp.log_slope[k + 1] - warp.log_slope[k], whole = mean_exponential(z),
                   rise = mean_rising_exponential(z);
      warp.left[k] = warp.spacing * warp.slope[k] * (whole - rise);
      warp.right[k] = warp.spacing * warp.slope[k] * rise;
      warp.before[k + 1] = warp.before[k] + warp.spacing * warp.slope[k] * whole;
    }
    return warp;
  }

  /// Returns the integral of e^(z t) over t from 0 to 1.
  KOKKOS_INLINE_FUNCTION static double mean_exponential(double z) {
    if (compat::math::fabs(z) > 1) return (compat::math::exp(z) - 1) / z;
    double sum = 0;
    for (int k = kTerms; k > 0; --k) sum = 1 + sum * z / (k + 1);
    return sum;
  }
  /// Returns the integral of t e^(z t) over t from 0 to 1.
  KOKKOS_INLINE_FUNCTION static double mean_rising_exponential(double z) {
    if (compat::math::fabs(z) > 1) return (compat::math::exp(z) * (z - 1) + 1) / (z * z);
    double sum = 0, power = 1;
    for (int k = 0; k < kTerms; ++k) {
      sum += power / (k + 2);
      power *= z / (k + 1);
    }
    return sum;
  }

  /// Returns the number of the interval between knots that a coordinate is in, or nearest to.
  KOKKOS_INLINE_FUNCTION int interval(double x) const {
    const double at = (x - first) / spacing;
    if (!(at > 0)) return 0;
    return at < knots - 2 ? static_cast<int>(at) : knots - 2;
  }

  KOKKOS_INLINE_FUNCTION double value(double x) const {
    const double at = (x - first) / spacing;
    if (at <= 0) return first + spacing * at * slope[0];
    if (at >= knots - 1)
      return first + before[knots - 1] + spacing * (at - (knots - 1)) * slope[knots - 1];
    const int k = interval(x);
    const double part = at - k, z = log_slope[k + 1] - log_slope[k];
    return first + before[k] + spacing * slope[k] * part * mean_exponential(z * part);
  }

  /// Finds the derivatives of value(x) in the coefficients.
  KOKKOS_INLINE_FUNCTION void derivatives(double x, double (&by)[kMostKnots]) const {
    const double at = (x - first) / spacing;
    for (int k = 0; k < knots; ++k) by[k] = 0;
    if (at <= 0) {
      by[0] = spacing * at * slope[0];
    } else {
      const int in = interval(x), whole = at >= knots - 1 ? knots - 1 : in;
      for (int k = 0; k < whole; ++k) {
        by[k] += left[k];
        by[k + 1] += right[k];
      }
      if (at >= knots - 1) {
        by[knots - 1] += spacing * (at - (knots - 1)) * slope[knots - 1];
      } else {
        const double part = at - in, z = (log_slope[in + 1] - log_slope[in]) * part,
                     scale = spacing * slope[in] * part, rise = part * mean_rising_exponential(z);
        by[in] += scale * (mean_exponential(z) - rise);
        by[in + 1] += scale * rise;
      }
    }
    for (int k = 0; k + 1 < knots; ++k) by[k] -= by[knots - 1];  // w_K is minus the sum
  }

 private:
  static constexpr int kTerms = 20;
};

}  // namespace tessera::gp
