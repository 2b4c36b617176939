// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/bessel/function/coefficients.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

// Numbers of either precision, bit by bit.

namespace tessera::bessel::detail {

using compat::multiply_add;

template <class Real>
struct Format;
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr double infinity = std::numeric_limits<double>::infinity(),
                          nan = std::numeric_limits<double>::quiet_NaN(),
                          smallest = std::numeric_limits<double>::min(),
                          largest = std::numeric_limits<double>::max();
  static constexpr int mantissa_bits = 52, exponent_bias = 1023;
  // adding it rounds to an integer, found in the low bits
  static constexpr double shifter = 0x1.8p+52;
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr float infinity = std::numeric_limits<float>::infinity(),
                         nan = std::numeric_limits<float>::quiet_NaN(),
                         smallest = std::numeric_limits<float>::min(),
                         largest = std::numeric_limits<float>::max();
  static constexpr int mantissa_bits = 23, exponent_bias = 127;
  static constexpr float shifter = 0x1.8p+23F;
};

/// a b - product, where `product` is the rounded a b.
template <class Real>
KOKKOS_INLINE_FUNCTION Real product_rest(Real a, Real b, Real product) {
  if constexpr (sizeof(Real) == 8) {
    return compat::fma(a, b, -product);  // in one rounding on every processor
  } else {
    return multiply_add(a, b, -product);
  }
}

template <class Real>
KOKKOS_INLINE_FUNCTION typename Format<Real>::Bits to_bits(Real x) {
  return compat::bit_cast<typename Format<Real>::Bits>(x);
}

template <class Real>
KOKKOS_INLINE_FUNCTION Real from_bits(typename Format<Real>::Bits bits) {
  return compat::bit_cast<Real>(bits);
}

/// The polynomial with the coefficients P::at(0), ..., P::at(P::terms - 1).
template <class P, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real polynomial(Real x) {
  Real sum = P::at(P::terms - 1);
  for (int k = P::terms - 2; k >= 0; --k) sum = multiply_add(sum, x, P::at(k));
  return sum;
}

/// 2^(a b), where that is a normal number. Rounds a b only once, after the integer part is gone.
template <class Real>
KOKKOS_INLINE_FUNCTION Real power_of_two(Real a, Real b) {
  using Bits = typename Format<Real>::Bits;
  constexpr Real shifter = Format<Real>::shifter;
  const Real shifted = multiply_add(a, b, shifter);
  const Real r = multiply_add(a, b, shifter - shifted);
  return from_bits<Real>(to_bits(polynomial<typename Coefficients<Real>::PowerOfTwo>(r)) +
                         static_cast<Bits>(to_bits(shifted) << Format<Real>::mantissa_bits));
}

/// x 2^n, also where 2^n is no number.
template <class Real>
KOKKOS_INLINE_FUNCTION Real scale_by_power(Real x, int n) {
  constexpr int bias = Format<Real>::exponent_bias;
  for (int turn = 0; turn < 8 && n != 0; ++turn) {
    const int step = n > bias ? bias : n < 1 - bias ? 1 - bias : n;
    x *= from_bits<Real>(static_cast<typename Format<Real>::Bits>(step + bias)
                         << Format<Real>::mantissa_bits);
    n -= step;
  }
  return x;
}

/// Takes the power of two out of a normal x > 0: x = result 2^exponent with 1 <= result < 2.
template <class Real>
KOKKOS_INLINE_FUNCTION Real take_exponent(Real x, int& exponent) {
  using Bits = typename Format<Real>::Bits;
  constexpr Bits mantissa = (Bits(1) << Format<Real>::mantissa_bits) - 1;
  const Bits bits = to_bits(x);
  exponent = static_cast<int>(bits >> Format<Real>::mantissa_bits) - Format<Real>::exponent_bias;
  return from_bits<Real>((bits & mantissa) |
                         (Bits(Format<Real>::exponent_bias) << Format<Real>::mantissa_bits));
}

/// ln 2 in two parts, the first so short that its products with whole numbers up to 2^20 (float:
/// 2^9) are exact.
template <class Real>
struct LogTwo {
  static constexpr Real high =
      sizeof(Real) == 8 ? Real(6.93147180369123816490e-01) : Real(6.9314575195e-01);
  static constexpr Real low =
      sizeof(Real) == 8 ? Real(1.90821492927058770002e-10) : Real(1.4286067653e-06);
};

}  // namespace tessera::bessel::detail
