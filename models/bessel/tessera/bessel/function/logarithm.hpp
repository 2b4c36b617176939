// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/scalar.hpp"
#include "tessera/bessel/function/uniform_coefficients.hpp"
#include "tessera/core/device/double_double.hpp"

// Logarithms and powers with more digits than a double holds: where K and I are e^s, the error of s
// is the relative error of the function.

namespace tessera::bessel::detail {

using compat::add;
using compat::divide;
using compat::DoubleDouble;
using compat::multiply;
using compat::negative;
using compat::square_root;

/// log(1 + f) for |f| <= 1/100: the terms in f and f^2 with all digits.
KOKKOS_INLINE_FUNCTION DoubleDouble log_one_plus(const DoubleDouble& f) {
  const DoubleDouble square = multiply(f, f);
  const double g = f.high;
  double rest = 1.0 / 10;
  for (int k = 9; k >= 3; --k) rest = multiply_add(-g, rest, 1.0 / k);
  return add(add(f, {-square.high / 2, -square.low / 2}), {rest * g * square.high, 0});
}

/// log(a 2^power) for 1 <= a < 2, to 1e-22 absolutely: the table has the logarithm of the middle of
/// that 64th of [1, 2) in which a lies.
KOKKOS_INLINE_FUNCTION DoubleDouble log_of(const DoubleDouble& a, int power) {
  const int scaled = static_cast<int>((a.high - 1) * kLogarithms),
            i = scaled < kLogarithms ? scaled : kLogarithms - 1;
  const double middle = 1 + (2 * i + 1) / (2.0 * kLogarithms);
  const DoubleDouble f = divide(add(a, {-middle, 0}), middle),
                     log_a =
                         add({Logarithms::at(2 * i), Logarithms::at(2 * i + 1)}, log_one_plus(f)),
                     log_power = multiply({0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
                                          {static_cast<double>(power), 0});
  return add(log_power, log_a);
}

/// Takes the power of two out of any x > 0, also of those below the normal numbers.
KOKKOS_INLINE_FUNCTION double take_exponent_of_any(double x, int& exponent) {
  constexpr int lift = Format<double>::mantissa_bits + 2;
  const bool tiny = x < Format<double>::smallest;
  const double mantissa = take_exponent(tiny ? scale_by_power(x, lift) : x, exponent);
  if (tiny) exponent -= lift;
  return mantissa;
}

/// s = exponent ln 2 + rest, |rest| <= 0.35.
struct DividedExponent {
  int exponent;
  double rest;
};

/// Divides the exponent of e^s, |s| < 1.4e9. The rest has an error of 1e-16, where |s| > 7e5 of
/// 1e-16 |s|.
KOKKOS_INLINE_FUNCTION DividedExponent divide_exponent(const DoubleDouble& s) {
  constexpr double log2_e = 1.44269504088896340735992468100189214;
  const int n = static_cast<int>(s.high * log2_e + (s.high < 0 ? -0.5 : 0.5));
  return {n, ((s.high - n * LogTwo<double>::high) - n * LogTwo<double>::low) + s.low};
}

/// factor e^s for factor > 0, which is 0 or infinite only where the product is.
KOKKOS_INLINE_FUNCTION double times_exponential(double factor, const DoubleDouble& s) {
  if (s.high > 2000) return Format<double>::infinity;
  if (s.high < -2000) return 0;
  const DividedExponent power = divide_exponent(s);
  return scale_by_power(factor * compat::math::exp(power.rest), power.exponent);
}

}  // namespace tessera::bessel::detail
