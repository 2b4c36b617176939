// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::compat {

/// The unevaluated sum of two doubles: some 32 digits.
struct DoubleDouble {
  double high = 0, low = 0;
};

KOKKOS_INLINE_FUNCTION DoubleDouble add(const DoubleDouble& a, const DoubleDouble& b) {
  const double sum = a.high + b.high, b_rounded = sum - a.high;
  const double error = (a.high - (sum - b_rounded)) + (b.high - b_rounded) + (a.low + b.low);
  const double high = sum + error;
  return {high, error - (high - sum)};
}

KOKKOS_INLINE_FUNCTION DoubleDouble negative(const DoubleDouble& a) { return {-a.high, -a.low}; }

KOKKOS_INLINE_FUNCTION DoubleDouble multiply(const DoubleDouble& a, const DoubleDouble& b) {
  // a compiler must not join it with a later addition
  const double product = compat::fma(a.high, b.high, 0.0);
  const double error = compat::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
  const double high = product + error;
  return {high, error - (high - product)};
}

KOKKOS_INLINE_FUNCTION DoubleDouble divide(const DoubleDouble& a, double b) {
  const double quotient = a.high / b;
  const double low = (compat::fma(-quotient, b, a.high) + a.low) / b;
  const double high = quotient + low;
  return {high, low - (high - quotient)};
}

KOKKOS_INLINE_FUNCTION DoubleDouble divide(const DoubleDouble& a, const DoubleDouble& b) {
  const double quotient = a.high / b.high;
  const double low =
      (compat::fma(-quotient, b.high, a.high) + compat::fma(-quotient, b.low, a.low)) / b.high;
  const double high = quotient + low;
  return {high, low - (high - quotient)};
}

/// The root of a > 0.
KOKKOS_INLINE_FUNCTION DoubleDouble square_root(const DoubleDouble& a) {
  const double root = compat::math::sqrt(a.high);
  const double low = (compat::fma(-root, root, a.high) + a.low) / (2 * root);
  const double high = root + low;
  return {high, low - (high - root)};
}

}  // namespace tessera::compat
