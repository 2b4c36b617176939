// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/stable/law/evaluate.hpp"

namespace tessera::stable {

/// Nolan's parameterisations of location and scale. With S0 location mu0 and scale sigma, X = mu0 +
/// sigma Z for Z of the standard distribution; it is continuous in alpha. S1 (location mu1, the
/// mean for alpha > 1): mu0 = mu1 + beta sigma tan(pi alpha/2), at alpha = 1: mu1 + beta (2/pi)
/// sigma ln sigma. S2: the location is the mode, and the scale is alpha^{1/alpha} sigma.
enum class Parameterization : int { S0, S1, S2 };

/// Location and scale of a distribution in one of the parameterisations.
struct LocationScale {
  double sigma = 1, mu = 0;
  Parameterization parameterization = Parameterization::S0;

  /// Finds x of the standard distribution and its distance from zeta. `resolve_mode` converts S2
  /// first.
  KOKKOS_INLINE_FUNCTION void standardize(const StableDistribution& distribution, double x,
                                          double& standard, double& distance) const {
    double z = (x - mu) / sigma;
    // The difference x - mu alone may be no finite number.
    if (!(::fabs(z) < INFINITY)) z = 2 * ((0.5 * x - 0.5 * mu) / sigma);
    if (parameterization == Parameterization::S1) {
      if (distribution.at_one) {
        standard = z - distribution.beta * (2 / kPi) * ::log(sigma);
        distance = standard;
      } else {
        standard = z + distribution.zeta;
        distance = z;
      }
    } else {
      standard = z;
      distance = distance_from_zeta(distribution, z);
    }
  }

  /// ln |x - mu|/sigma, also where that is no number.
  KOKKOS_INLINE_FUNCTION double log_standard(double x) const {
    return ::log(::fabs(0.5 * x - 0.5 * mu)) + 0.6931471805599453 - ::log(sigma);
  }

  /// The x whose standard value is given.
  KOKKOS_INLINE_FUNCTION double from_standard(const StableDistribution& distribution,
                                              double standard) const {
    if (parameterization != Parameterization::S1) return mu + sigma * standard;
    return mu + sigma * (distribution.at_one
                             ? standard + distribution.beta * (2 / kPi) * ::log(sigma)
                             : standard - distribution.zeta);
  }
};

/// Returns whether the density of a standard distribution rises at `distance` from zeta. Left of a
/// support it counts as rising, right of one as falling: there is neither density nor score.
inline bool density_rises(const StableDistribution& distribution, double x, double distance) {
  const double score = evaluate_at<Quantities::scores>(distribution, x, distance).d_x;
  return score == score ? score > 0 : x < 0;
}

/// Returns whether a distribution lies on one side of zeta, so near that its mode is best known by
/// its distance from there.
inline bool is_one_sided(const StableDistribution& distribution) {
  return distribution.alpha < 1 && ::fabs(distribution.beta) == 1 && ::fabs(distribution.zeta) < 20;
}

/// The distance of the mode from zeta, for distributions on one side of it, by bisection in its
/// logarithm: relative error 1e-12.
inline double find_mode_from_zeta(const StableDistribution& distribution) {
  const StableDistribution right = distribution.beta < 0 ? distribution.mirrored() : distribution;
  double low = -600, high = 10;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high), distance = ::exp(middle);
    const Evaluation v = evaluate_at<Quantities::scores>(right, right.zeta + distance, distance);
    (v.d_x > 0 || !(v.pdf > 0) ? low : high) = middle;
  }
  const double distance = ::exp(0.5 * (low + high));
  return distribution.beta < 0 ? -distance : distance;
}

/// The mode of a standard distribution S0, where the score is 0, by bisection: relative error
/// 1e-10.
inline double find_mode(const StableDistribution& distribution) {
  if (distribution.beta == 0) return 0;
  if (is_one_sided(distribution)) return distribution.zeta + find_mode_from_zeta(distribution);
  const bool negative = distribution.beta < 0;
  const StableDistribution right = negative ? distribution.mirrored() : distribution;
  const auto rises = [&](double x) {
    return density_rises(right, x, distance_from_zeta(right, x));
  };
  double low = -1, high = 0.5;
  for (int k = 0; k < 60 && !rises(low); ++k) low *= 1.7;
  for (int k = 0; k < 60 && rises(high); ++k) high = 2 * high + 0.5;
  for (int k = 0; k < 200 && high - low > 1e-12 * (1e-3 + ::fabs(low)); ++k) {
    const double middle = 0.5 * (low + high);
    (rises(middle) ? low : high) = middle;
  }
  const double mode = 0.5 * (low + high);
  return negative ? -mode : mode;
}

/// Converts location and scale to S0, or to S1 where the distribution lies on one side of zeta; S0
/// and S1 are returned as they are, because S1 keeps digits next to zeta.
inline LocationScale resolve_mode(const StableDistribution& distribution, LocationScale where) {
  if (where.parameterization != Parameterization::S2) return where;
  const double sigma = where.sigma / std::pow(distribution.alpha, 1 / distribution.alpha);
  if (is_one_sided(distribution))
    return {sigma, where.mu - sigma * find_mode_from_zeta(distribution), Parameterization::S1};
  return {sigma, where.mu - sigma * find_mode(distribution), Parameterization::S0};
}

/// Throws Error (input) unless 0.1 <= alpha <= 2, |beta| <= 1 and 0 < sigma < 1e300, naming the one
/// that is wrong.
inline void require_parameters(double alpha, double beta, double sigma = 1) {
  const auto require = [](bool is_right, const char* name, double value, const char* range) {
    if (is_right) return;
    char text[120];
    std::snprintf(text, sizeof text, "stable: %s is %.10g, but must be %s", name, value, range);
    throw Error(ErrorKind::input, text);
  };
  require(alpha >= kMinAlpha && alpha <= kMaxAlpha, "alpha", alpha, "between 0.1 and 2");
  require(beta >= -1 && beta <= 1, "beta", beta, "between -1 and 1");
  require(sigma > 0 && sigma < 1e300, "sigma", sigma, "positive and below 1e300");
}

}  // namespace tessera::stable
