// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/boys.hpp"
#include "tessera/boys/function/rys_interval.hpp"
#include "tessera/boys/function/rys_quadrature.hpp"

/// Rys quadrature: roots u_i = t_i^2 in (0, 1) and weights w_i > 0, i = 0..n-1, with
///
///     sum_i w_i f(u_i) = integral from 0 to 1 of f(t^2) e^(-x t^2) dt
///
/// for every polynomial f of degree below 2n, so that sum_i w_i u_i^m = F_m(x) for m < 2n. The
/// orders are n = 1..32. Like boys.hpp, this header needs a C++20 compiler and nothing else.
///
/// Example (tests/install/examples/boys.cpp):
///
///     double roots[6], weights[6];
///     tessera::boys::rys<6>(x, roots, weights);  // roots ascend; they serve powers up to u^11
///
/// Method: the recurrence coefficients of the orthogonal polynomials from tables, of orders above
/// 20 by the Stieltjes procedure, which takes tens of times as long; Newton's method; Christoffel's
/// sum (models/boys/METHOD.md).
///
/// Accuracy, for every root and weight and every x in the domain that leaves them normal numbers:
/// double: relative error <= 1e-14 for n <= 16, 2e-14 above; float: 1e-7 (it is computed in double
/// precision).
///
/// Domain: 0 <= x <= infinity, with roots and weights 0 at infinity; a negative x or a NaN gives
/// NaN.
namespace tessera::boys {

/// The largest order of Rys quadrature.
inline constexpr int kMaxRysOrder = 32;

namespace detail {

/// The quadrature over a <= t <= 1, a^2 + rest = 1, which is that of rys where a = 0.
template <int n, class Real>
TESSERA_FUNCTION void rys_without_tables(double x, double square, double rest, Real* roots,
                                         Real* weights) {
  double v[rys_padded(n)], w[rys_padded(n)];
  const bool is_finite = x >= 0 && x <= 1.7976931348623157e308;
  if (is_finite) rys_on_interval<n>(x, rys_sqrt(square), rest, v, w);
  // at infinity the limit; NaN for a negative x
  const double end = x > 0 ? 0 : (x - x) / 0.0, factor = is_finite ? rys_exp(-x * square) : end;
  for (int i = 0; i < n; ++i) {
    roots[i] = static_cast<Real>(square + (is_finite ? v[i] : end));
    weights[i] = static_cast<Real>(is_finite ? factor * w[i] : end);
  }
}

/// The quadrature of an order that has tables.
template <int n, class Real>
TESSERA_FUNCTION void rys_from_tables(double argument, Real* roots, Real* weights) {
  const RysTables& tables = rys_tables();
  if (argument >= 0 && argument < tables.border[n - 1]) {
    double mass, u[rys_padded(n)], w[rys_padded(n)];
    boys<0>(argument, &mass);
    rys_near<n>(argument, mass, u, w);
    for (int i = 0; i < n; ++i) {
      roots[i] = static_cast<Real>(u[i]);
      weights[i] = static_cast<Real>(w[i]);
    }
  } else {
#if TESSERA_ON_GPU
    const double root = ::sqrt(argument);
#else
    const double root = std::sqrt(argument);
#endif
    const double divisor = root == root ? argument : root;  // NaN for a negative x
    constexpr int begin = n * (n - 1) / 2;
    for (int i = 0; i < n; ++i) {
      roots[i] = static_cast<Real>(tables.limit_root[begin + i] / divisor);
      weights[i] = static_cast<Real>(tables.limit_weight[begin + i] / root);
    }
  }
}

}  // namespace detail

/// Writes the n roots, ascending, and their weights.
template <int n, class Real>
TESSERA_FUNCTION void rys(Real x, Real* roots, Real* weights) {
  static_assert(1 <= n && n <= kMaxRysOrder, "Rys quadrature is available for orders 1 to 32");
  if constexpr (n <= detail::RysTables::max_order) {
    detail::rys_from_tables<n>(static_cast<double>(x), roots, weights);
  } else {
    detail::rys_without_tables<n>(static_cast<double>(x), 0, 1, roots, weights);
  }
}

/// The quadrature of the long-range interaction erf(omega r) / r: n roots in (0, s), where s =
/// omega^2 / (omega^2 + rho), and weights with
///
///     sum_i w_i u_i^m = integral from 0 to sqrt(s) of t^(2m) e^(-x t^2) dt,     m < 2n.
///
/// x = rho R^2 was formed with the reduced exponent rho > 0; omega >= 0. For n <= 7 the sums agree
/// with those of boys_erf to 2e-14 (float: 4e-6), at the rounded s.
template <int n, class Real>
TESSERA_FUNCTION void rys_erf(Real x, Real rho, Real omega, Real* roots, Real* weights) {
  const Real s = omega * omega / (omega * omega + rho);
  rys<n>(s * x, roots, weights);
#if TESSERA_ON_GPU
  const Real upper = ::sqrt(s);
#else
  const Real upper = std::sqrt(s);
#endif
  for (int i = 0; i < n; ++i) {
    roots[i] *= s;
    weights[i] *= upper;
  }
}

/// The quadrature of the short-range interaction erfc(omega r) / r: n roots in (s, 1), where s =
/// omega^2 / (omega^2 + rho), and weights with
///
///     sum_i w_i u_i^m = integral from sqrt(s) to 1 of t^(2m) e^(-x t^2) dt,     m < 2n.
///
/// x = rho R^2 was formed with the reduced exponent rho > 0; omega >= 0. Weights below the smallest
/// number are 0, at infinity too. Relative error, at the given s and 1 - s = rho / (omega^2 + rho):
/// roots 1e-14, weights 2e-14 for n <= 20, 5e-14 above, and 3e-16 x s besides, as e^(-x s) has it
/// (float: 1e-6). With omega = 0 it is rys.
template <int n, class Real>
TESSERA_FUNCTION void rys_erfc(Real x, Real rho, Real omega, Real* roots, Real* weights) {
  if (omega == 0) {
    rys<n>(x, roots, weights);
    return;
  }
  const double exponent = rho, square = static_cast<double>(omega) * static_cast<double>(omega),
               sum = square + exponent;
  detail::rys_without_tables<n>(static_cast<double>(x), square / sum, exponent / sum, roots,
                                weights);
}

}  // namespace tessera::boys
