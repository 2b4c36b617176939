// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

/// Elementary functions on the ranges that an update of a spin needs, without branches or library
/// calls, so that loops over sites vectorise on a CPU. On a GPU in single precision they are
/// hardware instructions. The method stays exact although they are approximate: a proposal may turn
/// a spin by any angle with a symmetric law, and a turned spin is normalised.

namespace tessera::mpr::detail {

/// 1 / x; relative error 2^-23 (float on a GPU), otherwise correctly rounded.
KOKKOS_FORCEINLINE_FUNCTION float reciprocal(float x) { return compat::approximate_reciprocal(x); }
KOKKOS_FORCEINLINE_FUNCTION double reciprocal(double x) { return 1.0 / x; }

/// 1 / sqrt(x), x > 0; relative error 2^-22 (float on a GPU), otherwise two roundings.
KOKKOS_FORCEINLINE_FUNCTION float reciprocal_root(float x) {
  return compat::approximate_reciprocal_sqrt(x);
}
KOKKOS_FORCEINLINE_FUNCTION double reciprocal_root(double x) { return 1.0 / compat::math::sqrt(x); }

/// The angle's cosine and sine, |angle| <= pi / 2. Absolute error 5e-7 (float), 1e-13 (double).
KOKKOS_FORCEINLINE_FUNCTION void cosine_sine(float angle, float& cosine, float& sine) {
#if TESSERA_ON_GPU
  cosine = compat::approximate_cos(angle);
  sine = compat::approximate_sin(angle);
#else
  // Taylor series at half the angle, which is then doubled
  const float h = 0.5f * angle, q = h * h;
  const float s = h * (1.0f + q * (-1.0f / 6 + q * (1.0f / 120 - q * (1.0f / 5040))));
  const float c = 1.0f + q * (-0.5f + q * (1.0f / 24 + q * (-1.0f / 720 + q * (1.0f / 40320))));
  sine = 2.0f * s * c;
  cosine = 1.0f - 2.0f * s * s;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void cosine_sine(double angle, double& cosine, double& sine) {
  const double h = 0.5 * angle, q = h * h;
  const double s =
      h * (1.0 + q * (-1.0 / 6 +
                      q * (1.0 / 120 + q * (-1.0 / 5040 +
                                            q * (1.0 / 362880 + q * (-1.0 / 39916800 +
                                                                     q * (1.0 / 6227020800.0)))))));
  const double c =
      1.0 +
      q * (-0.5 + q * (1.0 / 24 + q * (-1.0 / 720 +
                                       q * (1.0 / 40320 + q * (-1.0 / 3628800 +
                                                               q * (1.0 / 479001600.0 -
                                                                    q * (1.0 / 87178291200.0)))))));
  sine = 2.0 * s * c;
  cosine = 1.0 - 2.0 * s * s;
}

/// (x, y) or (-x, -y), whichever has y >= 0.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void point_up(Real& x, Real& y) {
#if TESSERA_ON_GPU
  if constexpr (sizeof(Real) == 4) {  // the sign bit of y, without a comparison
    x = compat::bit_cast<float>(compat::bit_cast<std::uint32_t>(x) ^
                                (compat::bit_cast<std::uint32_t>(y) & 0x80000000u));
    y = fabsf(y);
    return;
  }
#endif
  const Real sign = y < Real(0) ? Real(-1) : Real(1);
  x *= sign;
  y *= sign;
}

/// 2^x for x <= 0; below -100 it is 2^-100. Relative error 3e-7 (float), 1e-11 (double).
KOKKOS_FORCEINLINE_FUNCTION float exp2_negative(float x) {
#if TESSERA_ON_GPU
  return compat::approximate_exp2(x);
#else
  x = x < -100.0f ? -100.0f : x;
  const int whole = static_cast<int>(x - 0.5f);  // towards zero: the nearest integer
  const float f = (x - static_cast<float>(whole)) * 0.69314718056f;
  const float mantissa =
      1.0f + f * (1.0f + f * (0.5f + f * (1.0f / 6 +
                                          f * (1.0f / 24 + f * (1.0f / 120 + f * (1.0f / 720))))));
  union {
    std::int32_t bits;
    float value;
  } power;
  power.bits = (whole + 127) << 23;
  return mantissa * power.value;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION double exp2_negative(double x) {
  x = x < -100.0 ? -100.0 : x;
  const int whole = static_cast<int>(x - 0.5);
  const double f = (x - static_cast<double>(whole)) * 0.69314718055994530942;
  const double mantissa =
      1.0 +
      f * (1.0 +
           f * (0.5 +
                f * (1.0 / 6 +
                     f * (1.0 / 24 +
                          f * (1.0 / 120 +
                               f * (1.0 / 720 +
                                    f * (1.0 / 5040 + f * (1.0 / 40320 + f * (1.0 / 362880)))))))));
  union {
    std::int64_t bits;
    double value;
  } power;
  power.bits = static_cast<std::int64_t>(whole + 1023) << 52;
  return mantissa * power.value;
}

/// The probability to accept, min(1, 2^x); for x > 0 any number >= 1.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real probability(Real x) {
#if TESSERA_ON_GPU
  if constexpr (sizeof(Real) == 4) return exp2_negative(x);  // the hardware takes any x
#endif
  return exp2_negative(x < Real(0) ? x : Real(0));
}

/// atan(t) for |t| <= 1 (float: absolute error 1e-7) and |t| <= tan(pi / 8) (double: 2e-12).
KOKKOS_FORCEINLINE_FUNCTION float atan_small(float t) {  // Abramowitz and Stegun 4.4.49
  const float q = t * t;
  float p = 0.0028662257f;
  p = p * q - 0.0161657367f;
  p = p * q + 0.0429096138f;
  p = p * q - 0.0752896400f;
  p = p * q + 0.1065626393f;
  p = p * q - 0.1420889944f;
  p = p * q + 0.1999355085f;
  p = p * q - 0.3333314528f;
  return p * (t * q) + t;
}
KOKKOS_FORCEINLINE_FUNCTION double atan_small(double t) {
  const double q = t * t;
  double p = 1.0 / 25;
  p = p * q - 1.0 / 23;
  p = p * q + 1.0 / 21;
  p = p * q - 1.0 / 19;
  p = p * q + 1.0 / 17;
  p = p * q - 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q - 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q - 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q - 1.0 / 3;
  return p * (t * q) + t;
}

}  // namespace tessera::mpr::detail
