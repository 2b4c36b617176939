// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/math/elementary.hpp"
#include "tessera/stable/detail/double_double.hpp"

namespace tessera::stable {

inline constexpr double kPi = 3.14159265358979323846, kHalfPi = 1.57079632679489661923;

/// The range of the stability index that every function of this model covers.
inline constexpr double kMinAlpha = 0.1, kMaxAlpha = 2.0;

/// A standard stable law S0(alpha, beta): scale 1, location 0 in Nolan's parameterisation 0, which is continuous in all parameters. Its
/// characteristic function is, for t > 0,
///
///   ln phi(t) = -t^alpha - i zeta (t^alpha - t),   zeta = -beta tan(pi alpha/2);   at alpha = 1:  -t - i (2/pi) beta t ln t.
///
/// Holds what every evaluation needs of (alpha, beta), written with h = pi (alpha - 1)/2 such that nothing is lost next to alpha = 1 and 2.
/// Domain: 0.1 <= alpha <= 2, -1 <= beta <= 1 (not checked here).
struct Law {
  double alpha, beta;
  double excess;        ///< alpha - 1
  double sine, cosine;  ///< of h
  double zeta;          ///< -beta tan(pi alpha/2); 0 at alpha = 1, where it has no limit
  double real_rise;     ///< Re ln phi = real_rise tau^alpha - ... on the imaginary axis; 0 at alpha = 1
  double imag_rise;     ///< (1 + beta) cos h: the imaginary part there, exactly
  double ratio;         ///< (alpha - 1)/sin h
  double curve;         ///< (1 - sin 2h / 2h)/sin^2 h, of the derivative in alpha
  double inverse_sine;  ///< 1/sin h; 0 at alpha = 1
  double log_factor;    ///< 2/pi at alpha = 1, else 0: (r^D - 1)/sin h = inverse_sine (r^D - 1) + log_factor ln r
  double half_tangent;  ///< cos h tan(h/2)
  double cut;           ///< an integrand below e^-cut times its peak is nothing
  bool at_one;          ///< alpha = 1
  bool far;             ///< away from alpha = 1, where x - zeta may be used
};

KOKKOS_INLINE_FUNCTION void set_skewness(Law& law, double beta) {
  law.beta = beta;
  law.zeta = law.at_one ? 0 : beta * law.cosine / law.sine;
  law.real_rise = law.at_one ? 0 : (beta * law.cosine * law.cosine - law.sine * law.sine) / law.sine;
  law.imag_rise = (1 + beta) * law.cosine;
}

KOKKOS_INLINE_FUNCTION Law make_law(double alpha, double beta) {
  Law law;
  law.alpha = alpha;
  law.excess = alpha - 1;
  law.cut = 40 + 3 / alpha;
  law.at_one = law.excess == 0;
  law.far = ::fabs(law.excess) > 0.08;
  const double h = kHalfPi * law.excess;
  if (alpha < 0.5) {
    math::sine_cosine(kHalfPi * alpha, law.cosine, law.sine);
    law.sine = -law.sine;
  } else if (alpha > 1.5) {
    math::sine_cosine(kHalfPi * (2 - alpha), law.cosine, law.sine);
  } else {
    math::sine_cosine(h, law.sine, law.cosine);
  }
  law.ratio = law.at_one ? 2 / kPi : law.excess / law.sine;
  law.inverse_sine = law.at_one ? 0 : 1 / law.sine;
  law.log_factor = law.at_one ? 2 / kPi : 0;
  const double z = 2 * h, z2 = z * z;
  law.curve = ::fabs(z) < 0.05 ? (1.0 / 6 - z2 / 120 + z2 * z2 / 5040) * 4 / (1 - z2 / 12 + z2 * z2 / 360)
                               : (1 - 2 * law.sine * law.cosine / z) / (law.sine * law.sine);
  // cos h tan(h/2) = cos h sin h / (1 + cos h)
  law.half_tangent = law.cosine * law.sine / (1 + law.cosine);
  set_skewness(law, beta);
  return law;
}

/// The law of -X.
KOKKOS_INLINE_FUNCTION Law mirrored(Law law) {
  set_skewness(law, -law.beta);
  return law;
}

/// x - zeta. For alpha < 1 the density is so steep next to zeta that rounding zeta itself would show; there in twice the precision.
KOKKOS_INLINE_FUNCTION double distance_from_zeta(const Law& law, double x) {
  const double plain = x - law.zeta;
  if (law.alpha >= 1 || ::fabs(plain) > 1e-3 * ::fabs(law.zeta) || law.beta == 0) return plain;
  detail::DoubleDouble s, c;
  detail::sine_cosine_half_pi(law.alpha, s, c);
  const detail::DoubleDouble numerator = detail::add(detail::multiply(c, {x, 0}), detail::multiply(s, {law.beta, 0}));
  const double distance = numerator.high / c.high;
  return ::fabs(distance) < 1e-29 * ::fabs(law.zeta) ? 0.0 : distance;
}

}  // namespace tessera::stable
