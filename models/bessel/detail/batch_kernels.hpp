// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/device/kokkos_compat.hpp"
#include "models/bessel/detail/recurrence.hpp"

namespace tessera::bessel::detail {

template <class RealView>
struct Outputs {
  RealView k, k_scaled, log_k, dlog_dx, dlog_dnu;

  template <class Real>
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, const Evaluation<Real>& e) const {
    if (k.extent(0) > 0) k(i) = e.value();
    if (k_scaled.extent(0) > 0) k_scaled(i) = e.scaled();
    if (log_k.extent(0) > 0) log_k(i) = e.logarithm();
    if (dlog_dx.extent(0) > 0) dlog_dx(i) = e.dlog_dx();
    if (dlog_dnu.extent(0) > 0) dlog_dnu(i) = e.dlog_dnu();
  }
};

/// The order of argument i: of a View, or one for all.
template <class Nu>
KOKKOS_INLINE_FUNCTION auto order_of(const Nu& nu, std::int64_t i) {
  if constexpr (std::is_arithmetic_v<Nu>) {
    static_cast<void>(i);
    return nu;
  } else {
    return nu(i);
  }
}

/// An argument per iteration.
template <bool with_order, class Nu, class XView, class RealView>
struct EachBessel {
  using Real = typename RealView::non_const_value_type;
  Nu nu;
  XView x;
  Outputs<RealView> out;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out.store(i, evaluate<Real, with_order>(static_cast<Real>(order_of(nu, i)), x(i)));
  }
};

template <bool with_order, class ExecSpace, class Nu, class XView, class RealView>
void launch_batch(const ExecSpace& exec, const Nu& nu, const XView& x, const Outputs<RealView>& out) {
  const auto count = static_cast<std::int64_t>(x.extent(0));
  Kokkos::parallel_for("tessera::bessel::bessel_k", Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                       EachBessel<with_order, Nu, XView, RealView>{nu, x, out});
}

}  // namespace tessera::bessel::detail
