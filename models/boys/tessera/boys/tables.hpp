// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/boys/boys.hpp"

/// The Boys functions from tables, as most integral codes have them, in double precision: to
/// compare with, and for processors on which arithmetic is slower than memory. A table divides [0,
/// 117) into 819 segments of 1/7 with a polynomial of degree 7 in each; beyond 117 the asymptotic
/// values serve.
///
///   all orders   one polynomial per order: 52 KB (N + 1) of table and 64 (N + 1) bytes to gather
///                per argument. The layout of libint2's and LibintX's `Chebyshev<7>`; the
///                coefficients are our own.
///   top order    a polynomial for F_N alone, then downward recursion with e^-x: 52 KB, and 64
///                bytes per argument.
///
/// Accuracy, for n <= N <= 32: relative error <= 1e-14, absolute <= 4e-16 (6e-16 without fused
/// multiply-add). Domain as in tessera/boys/boys.hpp.
namespace tessera::boys {

inline constexpr int kTableSegments = 819;
inline constexpr int kTableSegmentsPerUnit = 7;
inline constexpr int kTableTerms = 8;
inline constexpr double kTableEnd = static_cast<double>(kTableSegments) / kTableSegmentsPerUnit;

/// The table of F_0..F_N for `boys_all_orders_table_each<N>`: segments x orders x 8 coefficients.
/// Store it aligned to 16 bytes.
std::vector<double> make_all_orders_table(int N);

/// The table of F_N for `boys_top_order_table_each<N>`: segments x 8 coefficients. Store it aligned
/// to 16 bytes.
std::vector<double> make_top_order_table(int N);

namespace detail {

/// Four 16-byte loads.
struct alignas(16) TablePolynomial {
  double c[kTableTerms];

  TESSERA_FUNCTION double operator()(double t) const {
    double value = c[kTableTerms - 1];
    TESSERA_UNROLL_ON_GPU
    for (int k = kTableTerms - 2; k >= 0; --k) value = multiply_add(value, t, c[k]);
    return value;
  }
};

/// The segment that x lies in, and the local coordinate of x there, from -1 to 1.
struct TableLocation {
  int segment;
  double t;
};

TESSERA_FUNCTION TableLocation locate_in_table(double x) {
  const int segment = static_cast<int>(kTableSegmentsPerUnit * x);
  return {segment,
          multiply_add(x, 2.0 * kTableSegmentsPerUnit, -static_cast<double>(2 * segment + 1))};
}

template <int N, int n, class Sink>
TESSERA_FUNCTION void orders_from_table(const TablePolynomial* polynomials, double t, Sink&& sink) {
  sink(n, polynomials[n](t));
  if constexpr (n < N) orders_from_table<N, n + 1>(polynomials, t, sink);
}

}  // namespace detail

/// Hands every order to sink(n, F_n(x)), n = 0..N, from the table of all orders.
template <int N, class Sink>
TESSERA_FUNCTION void boys_all_orders_table_each(const double* table, double x, Sink&& sink) {
  x = detail::checked_argument(x);
  if (!(x < kTableEnd)) {
    detail::far_orders<N>(x, sink);
    return;
  }
  const detail::TableLocation location = detail::locate_in_table(x);
  detail::orders_from_table<N, 0>(
      reinterpret_cast<const detail::TablePolynomial*>(table) + location.segment * (N + 1),
      location.t, sink);
}

/// Hands every order to sink(n, F_n(x)), n = N..0, from the table of the top order.
template <int N, class Sink>
TESSERA_FUNCTION void boys_top_order_table_each(const double* table, double x, Sink&& sink) {
  x = detail::checked_argument(x);
  if (!(x < kTableEnd)) {
    detail::far_orders<N>(x, sink);
    return;
  }
  const detail::TableLocation location = detail::locate_in_table(x);
  const double top =
      reinterpret_cast<const detail::TablePolynomial*>(table)[location.segment](location.t);
  sink(N, top);
  if constexpr (N > 0)
    detail::recur_downward<N>(x + x, detail::exponential_of_minus<(N > 4)>(x), top, sink);
}

}  // namespace tessera::boys
