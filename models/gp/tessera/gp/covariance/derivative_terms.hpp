// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gp {

/// Sums over the pairs of points that the gradient of the likelihood consists of, with weights
/// w_ij: w M, w u M' times the fraction of each coordinate and of each product of two coordinates
/// in u^2 (distance.hpp), w dM/dshape, w M |lag|, and the trace of w; M stands for the product of
/// the correlations in space and time. The fractions of coordinates beyond the third follow; with
/// them there are no products.
template <int Count>
struct DerivativeTerms {
  static constexpr int kCount = Count, kFractions = 6;
  enum { kCorrelation, kDistance, kProduct = 4, kShape = 7, kLag, kTrace, kFurther };
  double value[kCount] = {};

  /// Returns the term of the fraction of coordinate k, from 0 on.
  KOKKOS_INLINE_FUNCTION static constexpr int distance(int k) {
    return k < 3 ? kDistance + k : kFurther + k - 3;
  }
  /// Returns the number of the fraction (distance.hpp) that a term of a distance stands for.
  KOKKOS_INLINE_FUNCTION static constexpr int fraction(int term) {
    return term < kFurther ? term - kDistance : term - kFurther + 3;
  }

  template <int Others>
  KOKKOS_INLINE_FUNCTION DerivativeTerms& operator+=(const DerivativeTerms<Others>& other) {
    static_assert(Others <= Count);
    for (int k = 0; k < Others; ++k) value[k] += other.value[k];
    return *this;
  }
  /// Returns the sum of the products with the terms of others.
  template <int Others>
  double dot(const DerivativeTerms<Others>& other) const {
    constexpr int kLast = Count < Others ? Count : Others;
    double sum = 0;
    for (int k = 0; k < kFurther; ++k) sum += value[k] * other.value[k];
    for (int k = kFurther; k < kLast; ++k) sum += value[k] * other.value[k];
    return sum;
  }
};

/// The terms of up to three coordinates, and of as many as there may be.
using DerivativeSums = DerivativeTerms<10>;
using AllDerivativeSums = DerivativeTerms<39>;

}  // namespace tessera::gp

namespace Kokkos {  // Kokkos finds the start of a sum by this
template <int Count>
struct reduction_identity<tessera::gp::DerivativeTerms<Count>> {
  KOKKOS_FORCEINLINE_FUNCTION static tessera::gp::DerivativeTerms<Count> sum() { return {}; }
};
}  // namespace Kokkos
