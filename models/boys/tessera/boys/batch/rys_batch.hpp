// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
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

/// A part of the interaction 1 / r at each point: erf(omega r) / r or erfc(omega r) / r.
template <int n, class XView, class ResultView>
struct RysRangeKernel {
  XView x, rho, omega;
  bool short_range;
  ResultView roots, weights;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Real = typename ResultView::value_type;
    const bool valid = rho(i) > 0 && omega(i) >= 0;
    const Real argument = valid ? static_cast<Real>(x(i)) : static_cast<Real>(NAN);
    const Real exponent = valid ? static_cast<Real>(rho(i)) : Real(1);
    const Real range = valid ? static_cast<Real>(omega(i)) : Real(0);
    Real u[n], w[n];
    if (short_range) {
      rys_erfc<n>(argument, exponent, range, u, w);
    } else {
      rys_erf<n>(argument, exponent, range, u, w);
    }
    for (int k = 0; k < n; ++k) {
      roots(i, k) = u[k];
      weights(i, k) = w[k];
    }
  }
};

/// Calls `launch` with the order that is known at run time, 1 <= order <= kMaxRysOrder, as a
/// constant.
template <int n = 1, class Launch>
void with_rys_order(int order, const Launch& launch) {
  if constexpr (n < kMaxRysOrder) {
    if (order > n) return with_rys_order<n + 1>(order, launch);
  }
  launch(std::integral_constant<int, n>());
}

template <class ExecSpace, class Kernel>
void launch_rys(const ExecSpace& exec, const Kernel& kernel) {
  Kokkos::parallel_for(
      "tessera::boys::rys_batch",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, kernel.x.extent(0)),
      kernel);
}

inline void require_rys_order(int n) {
  require(1 <= n && n <= kMaxRysOrder,
          "boys: the order n = " + std::to_string(n) + " of Rys quadrature is out of range",
          "choose 1 <= n <= " + std::to_string(kMaxRysOrder));
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
  detail::require_rys_order(n);
  detail::require_rys_extents(n, x, roots, "roots");
  detail::require_rys_extents(n, x, weights, "weights");
  if (x.extent(0) == 0) return;
  detail::with_rys_order(n, [&](auto order) {
    detail::launch_rys(exec, detail::RysKernel<order(), XView, ResultView>{x, roots, weights});
  });
}

/// The same for erfc(omega(i) r) / r with the reduced exponents rho(i) (rys_erfc) or, with
/// short_range = false, erf(omega(i) r) / r (rys_erf). A rho that is not positive and a negative
/// omega give NaN.
template <class ExecSpace, class XView, class ResultView>
void rys_range_batch(const ExecSpace& exec, int n, const XView& x, const XView& rho,
                     const XView& omega, bool short_range, const ResultView& roots,
                     const ResultView& weights) {
  detail::require_rys_order(n);
  detail::require_rys_extents(n, x, roots, "roots");
  detail::require_rys_extents(n, x, weights, "weights");
  detail::require(rho.extent(0) == x.extent(0) && omega.extent(0) == x.extent(0),
                  "boys: x, rho and omega differ in length", "give one of each per argument");
  if (x.extent(0) == 0) return;
  detail::with_rys_order(n, [&](auto order) {
    detail::launch_rys(exec, detail::RysRangeKernel<order(), XView, ResultView>{
                                 x, rho, omega, short_range, roots, weights});
  });
}

}  // namespace tessera::boys
