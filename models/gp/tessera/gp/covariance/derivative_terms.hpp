// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gp {

/// Sums over the pairs of points that the gradient of the likelihood consists of, with weights
/// w_ij: w M, w u M' times the fraction of each coordinate and of each product of two coordinates
/// in u^2 (distance.hpp), w dM/dshape, the terms of the time, and the trace of w; all but the trace
/// are multiplied by the factor in time. The terms of the time are, of a separable covariance, w M
/// |lag|; of Gneiting's, with psi and b of temporal.hpp and D = decay M + b/2 u M',
///
///     kLag           w D (1 - 1 / psi)
///     kLogLag        w D (1 - 1 / psi) log(|lag| / range)
///     kInteraction   w (decay_slope M + 1/2 u M') log psi
///     kDecay         w M log psi
///
/// The fractions of coordinates beyond the third follow; with them there are no products.
template <int Count>
struct DerivativeTerms {
  static constexpr int kCount = Count, kFractions = 6;
  enum {
    kCorrelation,
    kDistance,
    kProduct = 4,
    kShape = 7,
    kLag,
    kTrace,
    kLogLag,
    kInteraction,
    kDecay,
    kFurther
  };
  double value[kCount] = {};

  /// Returns the term of the fraction of coordinate k, from 0 on.
  KOKKOS_INLINE_FUNCTION static constexpr int distance(int k) {
    return k < 3 ? kDistance + k : kFurther + k - 3;
  }
  /// Returns the number of the fraction (distance.hpp) that a term of a distance stands for.
  KOKKOS_INLINE_FUNCTION static constexpr int fraction(int term) {
    return term < kFurther ? term - kDistance : term - kFurther + 3;
  }

  /// Returns term k of the time, from 0 on: kLag, kLogLag and those that follow.
  KOKKOS_INLINE_FUNCTION static constexpr int time(int k) { return k == 0 ? kLag : kTrace + k; }
  KOKKOS_INLINE_FUNCTION static constexpr bool is_of_time(int term) {
    return term == kLag || (term > kTrace && term < kFurther);
  }
  /// Returns which of the terms of the time a term is.
  KOKKOS_INLINE_FUNCTION static constexpr int part_of_time(int term) {
    return term == kLag ? 0 : term - kTrace;
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
    double sum = 0;  // of the terms that every covariance has, then of those that some have
    for (int k = 0; k < kLogLag; ++k) sum += value[k] * other.value[k];
    for (int k = kLogLag; k < kLast; ++k) sum += value[k] * other.value[k];
    return sum;
  }
};

/// The terms of up to three coordinates, and of as many as there may be.
using DerivativeSums = DerivativeTerms<10>;
using AllDerivativeSums = DerivativeTerms<42>;

}  // namespace tessera::gp

namespace Kokkos {  // Kokkos finds the start of a sum by this
template <int Count>
struct reduction_identity<tessera::gp::DerivativeTerms<Count>> {
  KOKKOS_FORCEINLINE_FUNCTION static tessera::gp::DerivativeTerms<Count> sum() { return {}; }
};
}  // namespace Kokkos
