// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "tessera/boys/batch/batch_kernels.hpp"
#include "tessera/boys/batch/require.hpp"
#include "tessera/boys/batch/rys_batch.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

/// Boys functions of whole Views. Formula, domain and accuracy: boys.hpp.
///
/// Shapes: x(i) and F(i, n), n = 0..n_max, both double or both float. Calls are asynchronous on
/// `exec` and allocate nothing.
///
/// Errors: Error (input) for an order outside 0..40 and Views whose extents do not fit.
///
/// Example (tests/install/examples/boys.cpp):
///
///     // F(i, n) = F_n(x(i)), n = 0..8, one array per order
///     const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> F("F", count, 9);
///     tessera::boys::boys_batch(exec, 8, x, F);
namespace tessera::boys {

/// F(i, n) = F_n(x(i)) for n = 0..n_max, in double or float.
///
/// The layout of F decides how results lie in memory: LayoutLeft, one array per order (structure of
/// arrays), is stored directly; LayoutRight, the orders of an argument side by side (array of
/// structures), is transposed in scratch memory; any stride is allowed. Best rates: arrays aligned
/// to 16 bytes, and a distance between the columns of a LayoutLeft F that is a multiple of 32
/// numbers and no power of two.
template <class ExecSpace, class XView, class FView>
void boys_batch(const ExecSpace& exec, int n_max, const XView& x, const FView& F) {
  detail::require_order(n_max);
  detail::require_extents(n_max, x, F);
  if (x.extent(0) == 0) return;
  const auto problem = detail::make_batch(n_max, x, F);
  detail::with_compiled_order(
      n_max, detail::LaunchBatch<ExecSpace, typename FView::value_type>{exec, problem});
}

/// Does the same, with the arguments sorted by range first, so that every warp of a GPU takes one
/// path. That pays on processors with few double-precision units, where arithmetic and not memory
/// is the limit. Elsewhere the extra passes cost more than they save. `order` is work space with as
/// many elements as x.
template <class ExecSpace, class XView, class FView, class OrderView>
void boys_batch_binned(const ExecSpace& exec, int n_max, const XView& x, const FView& F,
                       const OrderView& order) {
  static_assert(std::is_same_v<typename OrderView::value_type, std::int32_t>,
                "boys: order holds 32-bit integers");
  detail::require_order(n_max);
  detail::require_extents(n_max, x, F);
  detail::require(order.extent(0) == x.extent(0) && x.extent(0) <= INT32_MAX,
                  "boys: the work space has " + std::to_string(order.extent(0)) + " elements for " +
                      std::to_string(x.extent(0)) + " arguments",
                  "give it one element per argument, and at most 2^31 - 1 arguments at a time");
  if (x.extent(0) == 0) return;
  const auto problem = detail::make_batch(n_max, x, F);
  detail::with_compiled_order(n_max, detail::LaunchBinned<ExecSpace, typename FView::value_type>{
                                         exec, problem, order.data(), order.stride(0)});
}

/// top(i) = F_N(x(i)) and exponential(i) = e^-x(i), from which boys_expand<N> computes every order
/// where it is needed. 24 bytes of memory traffic per argument in double precision, whatever N is.
template <int N, class ExecSpace, class XView, class TopView>
void boys_top_order_batch(const ExecSpace& exec, const XView& x, const TopView& top,
                          const TopView& exponential) {
  static_assert(XView::rank == 1 && TopView::rank == 1,
                "boys: x(i), top(i) and exponential(i) are expected");
  detail::require(top.extent(0) == x.extent(0) && exponential.extent(0) == x.extent(0),
                  "boys: top and exponential have " + std::to_string(top.extent(0)) + " and " +
                      std::to_string(exponential.extent(0)) + " elements for " +
                      std::to_string(x.extent(0)) + " arguments",
                  "give each one element per argument");
  if (x.extent(0) == 0) return;
  Kokkos::parallel_for(
      "tessera::boys::top_order_batch",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
      detail::TopOrderKernel<N, XView, TopView>{x, top, exponential});
}

}  // namespace tessera::boys
