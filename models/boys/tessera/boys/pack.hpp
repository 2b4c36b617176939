// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/boys.hpp"

/// Several arguments per GPU thread: W = 2 to 4 of them go through the ranges side by side, so that
/// chains of operations overlap and constants are fetched once. Accuracy and domain:
/// tessera/boys/boys.hpp. On CPUs use tessera/boys/batch.hpp, which puts arguments into SIMD lanes.
namespace tessera::boys {

/// W numbers, a power of two of them, moved with one instruction where they fill 16 bytes.
template <class Real, int W>
struct alignas(W * sizeof(Real) < 16 ? W * sizeof(Real) : 16) Pack {
  Real v[W];
};

namespace detail {

/// F_{N-1}, ..., F_0 of a pack, each handed to sink(n, pack).
template <int N, int W, class Real, class Sink>
TESSERA_FUNCTION void recur_pack_downward(const Pack<Real, W>& two_x, const Pack<Real, W>& e,
                                          Pack<Real, W> value, const Sink& sink) {
  if constexpr (N > 0) {
    for (int w = 0; w < W; ++w) value.v[w] = lower_order<N - 1>(two_x.v[w], value.v[w], e.v[w]);
    sink(N - 1, value);
    recur_pack_downward<N - 1>(two_x, e, value, sink);
  }
}

/// An argument of a pack, without an address: packs live in registers.
template <class Real, int W>
TESSERA_FUNCTION Real element(const Pack<Real, W>& pack, int w) {
  Real value = pack.v[0];
  for (int k = 1; k < W; ++k) value = k == w ? pack.v[k] : value;
  return value;
}

template <class Real, class Sink>
struct ElementSink {
  const Sink& sink;
  int w;
  TESSERA_FUNCTION void operator()(int n, Real value) const { sink(n, w, value); }
};

/// The arguments of a pack one by one.
template <int N, int W, class Real, class Sink>
TESSERA_FUNCTION void orders_one_by_one(const Pack<Real, W>& x, const Sink& sink) {
  TESSERA_NO_UNROLL
  for (int w = 0; w < W; ++w) boys_each<N>(element(x, w), ElementSink<Real, Sink>{sink, w});
}

}  // namespace detail

/// All orders of W arguments: hands sink(n, pack) the packs of F_N, ..., F_0; or, when an argument
/// is negative, beyond 2^20 (less in float) or NaN, sink(n, w, F_n(x.v[w])) each order of each
/// argument once.
template <int N, int W, class Real, class Sink>
TESSERA_FUNCTION void boys_pack_each(const Pack<Real, W>& x, const Sink& sink) {
  static_assert(0 <= N && N <= kMaxOrder, "Boys functions are available for orders 0 to 40");
  using namespace detail;
  using C = Coefficients<Real, N>;
  bool unusual = false, any_below = false, any_above = false;
  for (int w = 0; w < W; ++w) {
    const bool below = is_below(x.v[w], C::split);
    unusual = unusual || is_unusual<N>(x.v[w]);
    any_below = any_below || below;
    any_above = any_above || !below;
  }
  if (unusual) {
    orders_one_by_one<N>(x, sink);
    return;
  }
  Pack<Real, W> e, top;
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
      top.v[w] = is_below(x.v[w], C::split) ? top.v[w] : above;
    }
  }
  sink(N, top);
  Pack<Real, W> two_x;
  for (int w = 0; w < W; ++w) two_x.v[w] = x.v[w] + x.v[w];
  recur_pack_downward<N>(two_x, e, top, sink);
}

}  // namespace tessera::boys
