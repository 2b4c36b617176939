// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/boys/boys.hpp"

namespace tessera::boys::detail {

/// W neighbouring numbers, moved with one instruction.
template <class Real, int W>
struct alignas(W * sizeof(Real)) Pack {
  Real v[W];
};

/// F_{N-1}, ..., F_0 of a pack, each handed to sink(n, pack).
template <int N, int W, class Real, class Sink>
TESSERA_BOYS_FUNCTION void recur_pack_downward(const Pack<Real, W>& two_x, const Pack<Real, W>& e, Pack<Real, W> value, const Sink& sink) {
  if constexpr (N > 0) {
    for (int w = 0; w < W; ++w) value.v[w] = lower_order<N - 1>(two_x.v[w], value.v[w], e.v[w]);
    sink(N - 1, value);
    recur_pack_downward<N - 1>(two_x, e, value, sink);
  }
}

/// All orders of the W arguments of one GPU thread: sink(n, pack) for n = N..0; then again sink(n, w, value) for those beyond the ranges.
/// The arguments go through each range together, so that their chains of operations overlap, and skip a range none of them is in.
template <int N, int W, class Real, class Sink>
TESSERA_BOYS_FUNCTION void orders_of_pack(const Pack<Real, W>& argument, const Sink& sink) {
  using C = Coefficients<Real, N>;
  Pack<Real, W> x, e, top;
  bool any_below = false, any_above = false, any_far = false;
  for (int w = 0; w < W; ++w) {
    x.v[w] = checked_argument(argument.v[w]);
    const bool below = exceeds(C::split, x.v[w]);
    any_below = any_below || below;
    any_above = any_above || !below;
    any_far = any_far || exceeds(x.v[w], C::last);
  }
  if constexpr (N > 0) {
    for (int w = 0; w < W; ++w) e.v[w] = exponential_of_minus<(N > 4)>(x.v[w]);
  }
  if (any_below) {
    for (int w = 0; w < W; ++w) top.v[w] = top_below<N>(x.v[w], e.v[w]);
  }
  if (any_above) {
    if constexpr (N == 0) {
      for (int w = 0; w < W; ++w) e.v[w] = exponential_of_minus<false>(x.v[w]);
    }
    for (int w = 0; w < W; ++w) {
      const Real above = top_above<N>(x.v[w], e.v[w]);
      top.v[w] = exceeds(C::split, x.v[w]) ? top.v[w] : above;
    }
  }
  sink(N, top);
  Pack<Real, W> two_x;
  for (int w = 0; w < W; ++w) two_x.v[w] = x.v[w] + x.v[w];
  recur_pack_downward<N>(two_x, e, top, sink);
  if (any_far) {
    for (int w = 0; w < W; ++w) {
      const auto one = [&sink, w](int n, Real value) { sink(n, w, value); };
      if (exceeds(x.v[w], C::last)) far_orders<N>(x.v[w], one);
    }
  }
}

}  // namespace tessera::boys::detail
