// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The floating-point operations of the Boys functions that C++ has no name for.

#include <cstdint>
#include <type_traits>

#include "tessera/core/device/hardware.hpp"

// A constant as an operand of floating-point operations on GPUs: from constant memory, as part of
// the instruction that uses it. Written into the code, one of 64 bits would cost two more
// instructions, and the units that issue them would be busier than those that multiply.
#if defined(__CUDACC__)
namespace tessera::boys::detail {
template <auto value>
__constant__ std::remove_const_t<decltype(value)> constant_operand = value;
}
#endif
#if TESSERA_ON_CUDA && defined(TESSERA_BOYS_CONSTANT_MEMORY)
#define TESSERA_BOYS_USES_CONSTANT_MEMORY 1
#define TESSERA_BOYS_OPERAND(...) (::tessera::boys::detail::constant_operand<__VA_ARGS__>)
#else
#define TESSERA_BOYS_USES_CONSTANT_MEMORY 0
#define TESSERA_BOYS_OPERAND(...) (__VA_ARGS__)
#endif

namespace tessera::boys::detail {

using compat::multiply_add;

/// a b + c where the two nearly cancel, without the rounding of the product; |a|, |b| < 2^100.
template <class Real>
TESSERA_FUNCTION Real product_residual(Real a, Real b, Real c) {
#if TESSERA_HAS_FMA
  return multiply_add(a, b, c);
#else
  // Veltkamp's splitting into halves, Dekker's product
  constexpr Real splitter = sizeof(Real) == 8 ? Real(134217729) : Real(4097);
  const Real a_scaled = splitter * a, a_high = a_scaled - (a_scaled - a), a_low = a - a_high;
  const Real b_scaled = splitter * b, b_high = b_scaled - (b_scaled - b), b_low = b - b_high;
  const Real product = a * b;
  const Real rounding =
      ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return (product + c) + rounding;
#endif
}

/// omega^2 / (omega^2 + rho) and rho / (omega^2 + rho), for any numbers rho > 0 and omega >= 0.
template <class Real>
struct RangeShares {
  Real square, rest;
};
template <class Real>
TESSERA_FUNCTION RangeShares<Real> range_shares(Real rho, Real omega) {
  constexpr Real large = sizeof(Real) == 8 ? Real(1e300) : Real(1e37), small = 1 / large;
  const Real square = omega * omega, sum = square + rho;
  if (sum > small && sum < large) return {square / sum, rho / sum};
  const Real ratio = omega / rho * omega;
  if (ratio < 1) return {ratio / (1 + ratio), 1 / (1 + ratio)};
  const Real inverse = rho / omega / omega;
  return {1 / (1 + inverse), inverse / (1 + inverse)};
}

/// Integer of the size of a floating-point type.
template <class Real>
struct SameSizeInteger;
template <>
struct SameSizeInteger<double> {
  using type = std::int64_t;
};
template <>
struct SameSizeInteger<float> {
  using type = std::int32_t;
};

template <class Real>
TESSERA_FUNCTION typename SameSizeInteger<Real>::type to_bits(Real a) {
  return compat::bit_cast<typename SameSizeInteger<Real>::type>(a);
}

template <class Real>
TESSERA_FUNCTION Real from_bits(typename SameSizeInteger<Real>::type bits) {
  return compat::bit_cast<Real>(bits);
}

#if TESSERA_ON_GPU
/// Sign, exponent and leading bits of the mantissa, as an integer that orders positive numbers as
/// they are.
TESSERA_FUNCTION int leading_bits(double a) { return __double2hiint(a); }
TESSERA_FUNCTION int leading_bits(float a) { return __float_as_int(a); }

/// 2^exponent a, for a in [1/2, 2].
TESSERA_FUNCTION double scale_by_power(double a, int exponent) {
  return __hiloint2double(static_cast<int>(static_cast<unsigned>(__double2hiint(a)) +
                                           (static_cast<unsigned>(exponent) << 20)),
                          __double2loint(a));
}
TESSERA_FUNCTION float scale_by_power(float a, int exponent) {
  return __int_as_float(static_cast<int>(static_cast<unsigned>(__float_as_int(a)) +
                                         (static_cast<unsigned>(exponent) << 23)));
}

/// The integer that was found by adding `shifter`, 3/2 times the power of two of the mantissa's
/// length.
TESSERA_FUNCTION int shifted_integer(double shifted) { return __double2loint(shifted); }
TESSERA_FUNCTION int shifted_integer(float shifted) {
  return __float_as_int(shifted) - __float_as_int(0x1.8p+23F);
}

/// x^(-1/2) for x well inside the normal range.
template <class Real>
TESSERA_FUNCTION Real inverse_root(Real x) {
#if TESSERA_ON_CUDA
  // An estimate and one step of third (double) or second order
  const Real r = compat::approximate_reciprocal_sqrt(x);
  if constexpr (sizeof(Real) == 8) {
    const Real h = multiply_add(-x * r, r, Real(1));
    return multiply_add(multiply_add(h, Real(0.375), Real(0.5)), h * r, r);
  } else {
    return multiply_add(multiply_add(-x * r, r, Real(1)), Real(0.5) * r, r);
  }
#else
  return ::rsqrt(x);
#endif
}
#endif

}  // namespace tessera::boys::detail
