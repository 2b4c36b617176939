// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/bessel/function/batch_kernels.hpp"
#include "tessera/bessel/function/first_kind.hpp"

namespace tessera::bessel::detail {

/// The kernel: an argument per iteration.
template <bool with_slope, bool with_order, class Nu, class XView, class RealView>
struct EachFirstKind {
  using Real = typename RealView::non_const_value_type;
  Nu nu;
  XView x;
  RealView i, i_scaled, log_i, dlog_dx, dlog_dnu;

  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    const FirstKind f =
        evaluate_first_kind<with_slope, with_order>(static_cast<Real>(order_at(nu, at)), x(at));
    if (i.extent(0) > 0) i(at) = static_cast<Real>(f.value(false));
    if (i_scaled.extent(0) > 0) i_scaled(at) = static_cast<Real>(f.value(true));
    if (log_i.extent(0) > 0) log_i(at) = static_cast<Real>(f.logarithm());
    if constexpr (with_slope)
      if (dlog_dx.extent(0) > 0) dlog_dx(at) = static_cast<Real>(f.dlog_dx());
    if constexpr (with_order) dlog_dnu(at) = static_cast<Real>(f.dlog_dnu());
  }
};

template <class ExecSpace, class Each>
void launch_first_kind(const ExecSpace& exec, const Each& each) {
  Kokkos::parallel_for("tessera::bessel::bessel_i",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(each.x.extent(0))),
                       each);
}

}  // namespace tessera::bessel::detail
