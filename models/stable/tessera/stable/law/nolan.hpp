// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/stable_distribution.hpp"

namespace tessera::stable::detail {

/// Nolan's integrand (Communications in Statistics: Stochastic Models 13 (1997) 759): with g
/// growing or falling over the range of theta,
///
///   pdf = front int g e^-g dtheta,   one probability = int e^-g dtheta / pi,
///
/// for one distribution at x > zeta. ln g is formed, not g, and theta is measured from the nearer
/// end of its range, so that all sines are of small angles and keep their digits. At alpha = 1 for
/// beta > 0.
struct NolanIntegrand {
  double length;  ///< of the range of theta
  double front;   ///< of the density
  /// Ln g = constant + power ln(cos theta/sin alpha(theta + theta0)) + ln(bend/cos theta)
  double constant, power;
  double alpha, beta;
  double phase[2][3];  ///< of sin alpha(theta + theta0), cos theta and bend as sines, at both ends
  bool at_one;

  /// ln g at distance y from the start (end = 0) or the end (1) of the range.
  KOKKOS_INLINE_FUNCTION double log_g(int end, double y) const {
    const double sign = end == 0 ? 1 : -1;
    double unused, cosine;
    if (at_one) {
      double tangent_below;
      math::sine_cosine(y, tangent_below, cosine);
      const double angle = phase[end][0] + sign * beta * y;  // pi/2 + beta theta
      return constant + math::logarithm(angle / tangent_below) -
             sign * angle * cosine / (beta * tangent_below);
    }
    double sine, bend;
    math::sine_cosine(phase[end][0] + alpha * y, sine, unused);
    math::sine_cosine(phase[end][1] + y, cosine, unused);
    math::sine_cosine(phase[end][2] + sign * (1 - alpha) * y, bend, unused);
    return constant + power * math::logarithm(cosine / sine) + math::logarithm(bend / cosine);
  }
};

/// theta0 of the paper's equation (6).
KOKKOS_INLINE_FUNCTION double nolan_angle(const StableDistribution& distribution) {
  if (distribution.alpha < 1 && ::fabs(distribution.beta) == 1) return distribution.beta * kHalfPi;
  return -::atan(distribution.zeta) / distribution.alpha;
}

/// Makes the integrand for distance = x - zeta > 0, and at alpha = 1 for any x.
KOKKOS_INLINE_FUNCTION NolanIntegrand make_nolan(const StableDistribution& distribution, double x,
                                                 double distance) {
  NolanIntegrand n;
  n.alpha = distribution.alpha;
  n.beta = distribution.beta;
  n.at_one = distribution.at_one;
  if (distribution.at_one) {
    n.length = kPi;
    n.front = 0.5 / distribution.beta;
    n.constant = ::log(2 / kPi) - kHalfPi * x / distribution.beta;
    n.power = 0;
    n.phase[0][0] = kHalfPi * (1 - distribution.beta);
    n.phase[1][0] = kHalfPi * (1 + distribution.beta);
    for (int end = 0; end < 2; ++end) n.phase[end][1] = n.phase[end][2] = 0;
    return n;
  }
  const double angle = nolan_angle(distribution);
  const double start = kHalfPi - angle;
  const double end = distribution.alpha > 1 && distribution.beta == -1
                         ? 0
                         : kHalfPi * (2 - distribution.alpha) - distribution.alpha * angle;
  n.length = kHalfPi + angle;
  n.front = distribution.alpha / (kPi * ::fabs(distribution.excess) * distance);
  n.power = distribution.alpha / distribution.excess;
  n.constant = n.power * ::log(distance) -
               0.5 * ::log1p(distribution.zeta * distribution.zeta) / distribution.excess;
  n.phase[0][0] = 0;
  n.phase[0][1] = n.phase[0][2] = start > 0 ? start : 0;
  n.phase[1][0] = n.phase[1][2] = end > 0 ? end : 0;
  n.phase[1][1] = 0;
  return n;
}

}  // namespace tessera::stable::detail
