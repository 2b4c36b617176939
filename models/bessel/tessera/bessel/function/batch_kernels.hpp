// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/bessel/function/bessel_block.hpp"
#include "tessera/bessel/function/recurrence.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

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
KOKKOS_INLINE_FUNCTION auto order_at(const Nu& nu, std::int64_t i) {
  if constexpr (std::is_arithmetic_v<Nu>) {
    static_cast<void>(i);
    return nu;
  } else {
    return nu(i);
  }
}

/// The kernel for a GPU: an argument per thread.
template <bool with_order, class Nu, class XView, class RealView>
struct EachBessel {
  using Real = typename RealView::non_const_value_type;
  Nu nu;
  XView x;
  Outputs<RealView> out;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out.store(i, evaluate<Real, with_order>(static_cast<Real>(order_at(nu, i)), x(i)));
  }
};

/// The kernel for a CPU: a block of arguments per iteration, in the lanes of SIMD registers; those
/// that do not fit follow one by one.
template <bool with_order, class Nu, class XView, class RealView>
struct BlockBessel {
  using Real = typename RealView::non_const_value_type;
  Nu nu;
  XView x;
  Outputs<RealView> out;

  void operator()(std::int64_t block) const {
    const std::int64_t begin = block * kBesselBlock;
    const int count = static_cast<int>(
        std::min<std::int64_t>(kBesselBlock, static_cast<std::int64_t>(x.extent(0)) - begin));
    BesselBlock<Real> b;
    Real order[kBesselBlock];
    bool fits[kBesselBlock];
    int fitting = 0;
    for (int l = 0; l < kBesselBlock; ++l) {
      Real argument = 1;
      order[l] = 0;
      fits[l] = false;
      if (l < count) {
        const Real given = static_cast<Real>(order_at(nu, begin + l)),
                   positive = given < 0 ? -given : given;
        fits[l] = fits_block(positive, x(begin + l));
        if (fits[l]) {
          order[l] = positive;
          argument = x(begin + l);
          ++fitting;
        }
      }
      b.x[l] = argument;
      b.n[l] = static_cast<int>(order[l] + Real(0.5));
      b.mu[l] = order[l] - b.n[l];
    }
    if (fitting > 0) evaluate_block<Real, with_order>(b);
    for (int l = 0; l < count; ++l) {
      if (!fits[l]) {
        out.store(begin + l, evaluate<Real, with_order>(static_cast<Real>(order_at(nu, begin + l)),
                                                        x(begin + l)));
        continue;
      }
      Evaluation<Real> e;
      e.is_negative = order_at(nu, begin + l) < 0;
      e.nu = order[l];
      e.x = b.x[l];
      e.pair = {b.k0[l], b.k1[l], b.d0[l], b.d1[l]};
      out.store(begin + l, e);
    }
  }
};

template <bool with_order, class ExecSpace, class Nu, class XView, class RealView>
void launch_batch(const ExecSpace& exec, const Nu& nu, const XView& x,
                  const Outputs<RealView>& out) {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  const auto count = static_cast<std::int64_t>(x.extent(0));
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    Kokkos::parallel_for("tessera::bessel::bessel_k", Range(exec, 0, count),
                         EachBessel<with_order, Nu, XView, RealView>{nu, x, out});
  } else {
    Kokkos::parallel_for("tessera::bessel::bessel_k",
                         Range(exec, 0, (count + kBesselBlock - 1) / kBesselBlock),
                         BlockBessel<with_order, Nu, XView, RealView>{nu, x, out});
  }
}

}  // namespace tessera::bessel::detail
