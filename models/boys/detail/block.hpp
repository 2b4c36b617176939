// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "models/boys/boys.hpp"

// Many arguments at once. Both ranges are evaluated and one is selected, so that all arguments take the same path.

namespace tessera::boys::detail {

/// Arguments per block on a CPU: the results of one order fill whole cache lines, those of all orders fit the first-level cache.
inline constexpr int kBlock = 64;

template <class Real>
struct StoreUpTo {
  Real* F;
  std::ptrdiff_t stride;
  int n_max;
  TESSERA_BOYS_FUNCTION void operator()(int n, Real value) const {
    if (n <= n_max) F[n * stride] = value;
  }
};

template <class Real>
struct StoreRow {
  Real* F;
  std::ptrdiff_t stride;
  TESSERA_BOYS_FUNCTION void operator()(int n, Real value) const { F[n * stride] = value; }
};

/// The orders below the top of a block.
template <int N, class Real>
inline void lower_rows(const Real* x, const Real* e, const Real* top, Real* F, std::ptrdiff_t stride) {
TESSERA_BOYS_VECTORIZE
  for (int i = 0; i < kBlock; ++i) recur_downward<N>(x[i] + x[i], e[i], top[i], StoreRow<Real>{F + i, stride});
}

/// F[n stride + i] = F_n(x[i]) for n = 0..N and i < kBlock, on a CPU, one argument per SIMD lane. In short loops over the block,
/// so that the processor overlaps many arguments; a range that no argument of the block lies in is skipped. The loops vectorise with
/// -O3 -fno-math-errno -fno-trapping-math and the processor's -march; they are correct without.
template <int N, class Real>
inline void orders_of_block(const Real* x, Real* F, std::ptrdiff_t stride) {
  using C = Coefficients<Real, N>;
  Real e[kBlock], r[kBlock], y[kBlock], top[kBlock];
  typename BitsOf<Real>::type above_split = 0, special = 0;
  for (int i = 0; i < kBlock; ++i) {
    above_split += x[i] >= C::split;
    special += (x[i] > C::last) | (x[i] < lowest_argument<Real>);
  }
  if (above_split == 0) {
TESSERA_BOYS_VECTORIZE
    for (int i = 0; i < kBlock; ++i) {
      e[i] = exponential_of_minus<(N > 4)>(x[i]);
      top[i] = top_below<N>(x[i], e[i]);
    }
  } else {
TESSERA_BOYS_VECTORIZE
    for (int i = 0; i < kBlock; ++i) {
      e[i] = exponential_of_minus<(N > 4)>(x[i]);
      const auto reciprocal = reciprocals<false>(x[i]);
      r[i] = reciprocal.r;
      y[i] = reciprocal.y;
    }
TESSERA_BOYS_VECTORIZE
    for (int i = 0; i < kBlock; ++i) {
      const Real below = top_below<N>(x[i], e[i]);
      const Real above = top_above<N>(x[i], e[i], Reciprocals<Real>{r[i], y[i]});
      top[i] = x[i] < C::split ? below : above;
    }
  }
  for (int i = 0; i < kBlock; ++i) F[N * stride + i] = top[i];
  lower_rows<N>(x, e, top, F, stride);
  if (special != 0) {
    for (int i = 0; i < kBlock; ++i) {
      if (x[i] > C::last || x[i] < lowest_argument<Real>) boys_each<N>(x[i], StoreRow<Real>{F + i, stride});
    }
  }
}

}  // namespace tessera::boys::detail
