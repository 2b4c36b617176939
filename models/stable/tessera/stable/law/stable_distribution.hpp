// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/math/elementary.hpp"
#include "tessera/stable/law/double_double.hpp"

namespace tessera::stable {

inline constexpr double kPi = 3.14159265358979323846, kHalfPi = 1.57079632679489661923;

/// The range of the stability index that every function of this model covers.
inline constexpr double kMinAlpha = 0.1, kMaxAlpha = 2.0;

/// The standard stable distribution S0(alpha, beta): scale 1 and location 0 in Nolan's
/// parameterisation 0, which is continuous in all parameters. Its characteristic function is, for t
/// > 0,
///
///   ln phi(t) = -t^alpha - i zeta (t^alpha - t),   zeta = -beta tan(pi alpha/2);   at alpha = 1:  -t - i (2/pi) beta t ln t.
///
/// The members hold what every evaluation needs of (alpha, beta). They are written with h = pi
/// (alpha - 1)/2, so that no digits are lost next to alpha = 1 and 2. Domain: 0.1 <= alpha <= 2, -1
/// <= beta <= 1. It is not checked here; `require_parameters` does that.
struct StableDistribution {
  double alpha, beta;
  double excess;        ///< alpha - 1
  double sine, cosine;  ///< of h
  double zeta;          ///< -beta tan(pi alpha/2); 0 at alpha = 1, where it has no limit
  /// Re ln phi = real_rise tau^alpha - ... on the imaginary axis; 0 at alpha = 1
  double real_rise;
  double imag_rise;     ///< (1 + beta) cos h: the imaginary part there, exactly
  double ratio;         ///< (alpha - 1)/sin h
  double curve;         ///< (1 - sin 2h / 2h)/sin^2 h, of the derivative in alpha
  double inverse_sine;  ///< 1/sin h; 0 at alpha = 1
  /// 2/pi at alpha = 1, else 0: (r^D - 1)/sin h = inverse_sine (r^D - 1) + log_factor ln r
  double log_factor;
  double half_tangent;  ///< cos h tan(h/2)
  double cut;           ///< integrands below e^-cut times their largest value are neglected
  bool at_one;          ///< alpha = 1
  bool far;             ///< away from alpha = 1, where x - zeta may be used

  StableDistribution() = default;

  KOKKOS_INLINE_FUNCTION StableDistribution(double given_alpha, double given_beta) {
    alpha = given_alpha;
    excess = alpha - 1;
    cut = 40 + 3 / alpha;
    at_one = excess == 0;
    far = ::fabs(excess) > 0.08;
    const double h = kHalfPi * excess;
    if (alpha < 0.5) {
      math::sine_cosine(kHalfPi * alpha, cosine, sine);
      sine = -sine;
    } else if (alpha > 1.5) {
      math::sine_cosine(kHalfPi * (2 - alpha), cosine, sine);
    } else {
      math::sine_cosine(h, sine, cosine);
    }
    ratio = at_one ? 2 / kPi : excess / sine;
    inverse_sine = at_one ? 0 : 1 / sine;
    log_factor = at_one ? 2 / kPi : 0;
    const double z = 2 * h, z2 = z * z;
    curve = ::fabs(z) < 0.05
                ? (1.0 / 6 - z2 / 120 + z2 * z2 / 5040) * 4 / (1 - z2 / 12 + z2 * z2 / 360)
                : (1 - 2 * sine * cosine / z) / (sine * sine);
    // cos h tan(h/2) = cos h sin h / (1 + cos h)
    half_tangent = cosine * sine / (1 + cosine);
    set_beta(given_beta);
  }

  /// The distribution of -X.
  KOKKOS_INLINE_FUNCTION StableDistribution mirrored() const {
    StableDistribution mirror = *this;
    mirror.set_beta(-beta);
    return mirror;
  }

 private:
  KOKKOS_INLINE_FUNCTION void set_beta(double given_beta) {
    beta = given_beta;
    zeta = at_one ? 0 : beta * cosine / sine;
    real_rise = at_one ? 0 : (beta * cosine * cosine - sine * sine) / sine;
    imag_rise = (1 + beta) * cosine;
  }
};

/// x - zeta. Next to zeta it is computed in twice the precision for alpha < 1, because the density
/// is so steep there that the rounding of zeta would show.
KOKKOS_INLINE_FUNCTION double distance_from_zeta(const StableDistribution& distribution, double x) {
  const double plain = x - distribution.zeta;
  if (distribution.alpha >= 1 || ::fabs(plain) > 1e-3 * ::fabs(distribution.zeta) ||
      distribution.beta == 0)
    return plain;
  detail::DoubleDouble s, c;
  detail::sine_cosine_half_pi(distribution.alpha, s, c);
  const detail::DoubleDouble numerator =
      detail::add(detail::multiply(c, {x, 0}), detail::multiply(s, {distribution.beta, 0}));
  const double distance = numerator.high / c.high;
  return ::fabs(distance) < 1e-29 * ::fabs(distribution.zeta) ? 0.0 : distance;
}

}  // namespace tessera::stable
