// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/function/batch_kernels.hpp"
#include "tessera/bessel/function/first_kind_kernel.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

/// Bessel functions K_nu(i)(x(i)) and I_nu(i)(x(i)) of whole Views, in double or float. The calls
/// are asynchronous on `exec`, allocate nothing, and throw Error (input) when extents do not fit.
/// Formula, domain and accuracy: bessel.hpp.
///
/// Example (tests/install/examples/bessel.cpp):
///
///     bessel::BesselResults<Array> results;
///     results.log_k = Array("log_k", x.extent(0));  // what has no extent is not computed
///     results.dlog_k_dnu = Array("dlog_k_dnu", x.extent(0));
///     bessel::bessel_k(exec, 0.426, x, results);  // one order for all, or a View of orders
namespace tessera::bessel {

/// The destinations of the results of a batched call: any of them may be left empty (extent 0) and
/// is then neither computed nor written.
template <class RealView>
struct BesselResults {
  RealView k;           ///< K_nu(x)
  RealView k_scaled;    ///< e^x K_nu(x)
  RealView log_k;       ///< log K_nu(x)
  RealView dlog_k_dx;   ///< d log K / dx
  RealView dlog_k_dnu;  ///< d log K / dnu
};

namespace detail {

template <class View>
void require_extent(const View& view, std::size_t count, const char* name) {
  if (view.extent(0) == 0 || view.extent(0) == count) return;
  throw Error(ErrorKind::input,
              "bessel: " + std::string(name) + " has " + std::to_string(view.extent(0)) +
                  " elements for " + std::to_string(count) + " arguments",
              "give it one element per argument, or none");
}

/// Checks the orders of a call, and the types of x and of the results.
template <class Nu, class XView, class RealView>
void require_orders(const Nu& nu, const XView& x, const RealView&) {
  static_assert(XView::rank == 1 && RealView::rank == 1,
                "bessel: x(i) and results of one dimension are expected");
  static_assert(
      std::is_same_v<typename XView::non_const_value_type, typename RealView::non_const_value_type>,
      "bessel: x and the results differ in precision");
  if constexpr (!std::is_arithmetic_v<Nu>) {
    if (nu.extent(0) == x.extent(0)) return;
    throw Error(ErrorKind::input,
                "bessel: " + std::to_string(nu.extent(0)) + " orders for " +
                    std::to_string(x.extent(0)) + " arguments",
                "give one order per argument, or one number");
  }
}

}  // namespace detail

/// Any of the forms of K_nu(i)(x(i)), in double or float. `nu` is a View like x, or one number for
/// all.
template <class ExecSpace, class Nu, class XView, class RealView>
void bessel_k(const ExecSpace& exec, const Nu& nu, const XView& x,
              const BesselResults<RealView>& results) {
  detail::require_orders(nu, x, results.k);
  const std::size_t count = x.extent(0);
  detail::require_extent(results.k, count, "k");
  detail::require_extent(results.k_scaled, count, "k_scaled");
  detail::require_extent(results.log_k, count, "log_k");
  detail::require_extent(results.dlog_k_dx, count, "dlog_k_dx");
  detail::require_extent(results.dlog_k_dnu, count, "dlog_k_dnu");
  if (count == 0) return;
  const detail::Outputs<RealView> out{results.k, results.k_scaled, results.log_k, results.dlog_k_dx,
                                      results.dlog_k_dnu};
  if (results.dlog_k_dnu.extent(0) == 0) {
    detail::launch_batch<false>(exec, nu, x, out);
  } else {
    detail::launch_batch<true>(exec, nu, x, out);
  }
}

/// The destinations of the results of a batched call of I, of which any may be left empty.
template <class RealView>
struct BesselIResults {
  RealView i;           ///< I_nu(x)
  RealView i_scaled;    ///< e^-x I_nu(x)
  RealView log_i;       ///< log I_nu(x)
  RealView dlog_i_dx;   ///< d log I / dx
  RealView dlog_i_dnu;  ///< d log |I| / dnu
};

/// Any of the forms of I_nu(i)(x(i)), in double or float. `nu` is a View like x, or one number for
/// all.
template <class ExecSpace, class Nu, class XView, class RealView>
void bessel_i(const ExecSpace& exec, const Nu& nu, const XView& x,
              const BesselIResults<RealView>& results) {
  detail::require_orders(nu, x, results.i);
  const std::size_t count = x.extent(0);
  detail::require_extent(results.i, count, "i");
  detail::require_extent(results.i_scaled, count, "i_scaled");
  detail::require_extent(results.log_i, count, "log_i");
  detail::require_extent(results.dlog_i_dx, count, "dlog_i_dx");
  detail::require_extent(results.dlog_i_dnu, count, "dlog_i_dnu");
  if (count == 0) return;
  const auto launch = [&](auto with_slope, auto with_order) {
    detail::launch_first_kind(
        exec, detail::EachFirstKind<with_slope(), with_order(), Nu, XView, RealView>{
                  nu, x, results.i, results.i_scaled, results.log_i, results.dlog_i_dx,
                  results.dlog_i_dnu});
  };
  if (results.dlog_i_dnu.extent(0) > 0) {
    launch(std::true_type(), std::true_type());
  } else if (results.dlog_i_dx.extent(0) > 0) {
    launch(std::true_type(), std::false_type());
  } else {
    launch(std::false_type(), std::false_type());
  }
}

}  // namespace tessera::bessel
