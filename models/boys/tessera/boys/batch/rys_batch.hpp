// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tessera/boys/batch/require.hpp"
#include "tessera/boys/rys.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::boys {

namespace detail {

template <int n, class XView, class ResultView>
struct RysKernel {
  XView x;
  ResultView roots, weights;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Real = typename ResultView::value_type;
    Real u[n], w[n];
    rys<n>(static_cast<Real>(x(i)), u, w);
    for (int k = 0; k < n; ++k) {
      roots(i, k) = u[k];
      weights(i, k) = w[k];
    }
  }
};

/// Launches the kernel of the order that is known at run time, 1 <= order <= kMaxRysOrder.
template <int n = 1, class ExecSpace, class XView, class ResultView>
void launch_rys(const ExecSpace& exec, int order, const XView& x, const ResultView& roots,
                const ResultView& weights) {
  if constexpr (n < kMaxRysOrder) {
    if (order > n) {
      launch_rys<n + 1>(exec, order, x, roots, weights);
      return;
    }
  }
  Kokkos::parallel_for(
      "tessera::boys::rys_batch",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
      RysKernel<n, XView, ResultView>{x, roots, weights});
}

template <class XView, class ResultView>
void require_rys_extents(int n, const XView& x, const ResultView& view, const std::string& name) {
  require(view.extent(0) == x.extent(0) && view.extent(1) >= static_cast<std::size_t>(n),
          "boys: " + name + " has the extents " + std::to_string(view.extent(0)) + " x " +
              std::to_string(view.extent(1)) + " for " + std::to_string(x.extent(0)) +
              " arguments and " + std::to_string(n) + " roots",
          "give " + name + " one row per argument and one column per root");
}

}  // namespace detail

/// The n roots and weights of Rys quadrature at x(i): roots(i, k) and weights(i, k), k = 0..n-1,
/// with x, roots and weights all double or all float. Formula, domain and accuracy: rys.hpp. Any
/// layouts; asynchronous on `exec`, without allocation.
///
/// Errors: Error (input) for an order outside 1..32 and Views whose extents do not fit.
template <class ExecSpace, class XView, class ResultView>
void rys_batch(const ExecSpace& exec, int n, const XView& x, const ResultView& roots,
               const ResultView& weights) {
  static_assert(XView::rank == 1 && ResultView::rank == 2,
                "boys: x(i), roots(i, k) and weights(i, k) are expected");
  static_assert(
      std::is_same_v<typename XView::non_const_value_type, typename ResultView::value_type>,
      "boys: x and the roots differ in precision, or the roots are not writable");
  detail::require(1 <= n && n <= kMaxRysOrder,
                  "boys: the order n = " + std::to_string(n) + " of Rys quadrature is out of range",
                  "choose 1 <= n <= " + std::to_string(kMaxRysOrder));
  detail::require_rys_extents(n, x, roots, "roots");
  detail::require_rys_extents(n, x, weights, "weights");
  if (x.extent(0) > 0) detail::launch_rys(exec, n, x, roots, weights);
}

}  // namespace tessera::boys
