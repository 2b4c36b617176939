// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/arithmetic.hpp"

namespace tessera::boys {

/// The largest order.
inline constexpr int kMaxOrder = 40;

namespace detail {

/// The orders that are compiled for an n_max known only at run time: 0, 1, 2, 4, 6, 8, 12, 16, 24,
/// 32 and 40.
TESSERA_FUNCTION constexpr int following_order(int order) {
  return order < 2 ? order + 1 : order < 8 ? order + 2 : order < 16 ? order + 4 : order + 8;
}

TESSERA_HOST_OR_DEVICE
/// Calls body.run<N>() with the smallest compiled order N >= n_max; 0 <= n_max <= kMaxOrder.
template <int N = 0, class Body>
TESSERA_FUNCTION void with_compiled_order(int n_max, const Body& body) {
  if constexpr (N < kMaxOrder) {
    if (n_max > N) {
      with_compiled_order<following_order(N)>(n_max, body);
      return;
    }
  }
  body.template run<N>();
}

}  // namespace detail
}  // namespace tessera::boys
