// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/boys/pack.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::boys::detail {

/// Arguments x[i x_stride] and results F[i argument_stride + n order_stride].
template <class Real>
struct Batch {
  const Real* x;
  Real* F;
  std::int64_t count, x_stride, argument_stride, order_stride;
  int n_max;
};

template <class XView, class FView>
Batch<typename FView::value_type> make_batch(int n_max, const XView& x, const FView& F) {
  const auto stride = [](const auto& view, int dimension) {
    return static_cast<std::int64_t>(view.stride(dimension));
  };
  return {x.data(),     F.data(),     static_cast<std::int64_t>(x.extent(0)),
          stride(x, 0), stride(F, 0), stride(F, 1),
          n_max};
}

/// Stores the pack of arguments that starts at F, order by order; `Aligned`: in one instruction
/// that bypasses the caches.
template <class Real, int W, bool Aligned>
struct StorePack {
  Real* F;
  std::int64_t order_stride;
  int n_max;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int n, const Pack<Real, W>& value) const {
    if (n > n_max) return;
    Real* const to = F + n * order_stride;
    if constexpr (!Aligned) {
      for (int w = 0; w < W; ++w) to[w] = value.v[w];
    } else {
      compat::store_streaming(to, value.v);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int n, int w, Real value) const {
    if (n <= n_max) F[n * order_stride + w] = value;
  }
};

}  // namespace tessera::boys::detail
