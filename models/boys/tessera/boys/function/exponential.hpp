// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "tessera/boys/function/polynomial.hpp"

namespace tessera::boys::detail {

template <class Real>
struct ExponentialConstants;
template <>
struct ExponentialConstants<double> {
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
  // k ln2_high is exact for |k| < 2^22
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  // adding it rounds to an integer, found in the low bits
  static constexpr double shifter = 0x1.8p+52;
  static constexpr double largest = 708;  // e^-708 is the last normal power
  static constexpr int mantissa_bits = 52, smallest_exponent = -1022;
};
template <>
struct ExponentialConstants<float> {
  static constexpr float log2e = 0x1.715476p+0F;
  static constexpr float ln2 = 0x1.62e430p-1F;
  // k ln2_high is exact for |k| < 2^9
  static constexpr float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float shifter = 0x1.8p+23F;
  static constexpr float largest = 87;
  static constexpr int mantissa_bits = 23, smallest_exponent = -126;
};

/// e^-x for x >= -1e-3, with a relative error of 2e-16 (double) or 1e-7 (float) and, unless
/// `refined`, x 3e-17 or x 3e-9 more. Where it would underflow, some number below 1e-37 (float) or
/// 1e-307 (double), which changes no result.
template <bool refined, class Real>
TESSERA_FUNCTION Real exponential_of_minus(Real x) {
  using Constants = ExponentialConstants<Real>;
#if TESSERA_ON_GPU
  const Real shifted = multiply_add(x, TESSERA_BOYS_OPERAND(-Constants::log2e), Constants::shifter);
  const Real k = shifted - Constants::shifter;
  const Real z = refined
                     ? multiply_add(k, TESSERA_BOYS_OPERAND(-Constants::ln2_low),
                                    multiply_add(k, TESSERA_BOYS_OPERAND(-Constants::ln2_high), -x))
                     : multiply_add(k, TESSERA_BOYS_OPERAND(-Constants::ln2), -x);
  const int exponent = shifted_integer(shifted);
  const int clamped =
      exponent > Constants::smallest_exponent ? exponent : Constants::smallest_exponent;
  return scale_by_power(polynomial<Exponential<Real>>(z), clamped);
#else
  using Bits = typename SameSizeInteger<Real>::type;
  const Real y = x < Constants::largest ? x : Constants::largest;
  const Real shifted = multiply_add(y, -Constants::log2e, Constants::shifter);
  const Real k = shifted - Constants::shifter;
#if TESSERA_HAS_FMA
  const Real z =
      refined ? multiply_add(k, -Constants::ln2_low, multiply_add(k, -Constants::ln2_high, -y))
              : multiply_add(k, -Constants::ln2, -y);
#else
  // the first product is exact
  const Real z = multiply_add(k, -Constants::ln2_low, multiply_add(k, -Constants::ln2_high, -y));
#endif
  const Bits exponent = static_cast<Bits>(static_cast<std::make_unsigned_t<Bits>>(to_bits(shifted))
                                          << Constants::mantissa_bits);
  return from_bits<Real>(to_bits(polynomial<Exponential<Real>>(z)) + exponent);
#endif
}

}  // namespace tessera::boys::detail
