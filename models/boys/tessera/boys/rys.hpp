// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/boys.hpp"
#include "tessera/boys/function/rys_fits.hpp"
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
/// Method: to n = 5 polynomials in x for each root and weight. Above, the recurrence coefficients
/// of the orthogonal polynomials, to n = 20 from tables, then by the Stieltjes procedure, which
/// takes tens of times as long; Newton's method; Christoffel's sum (models/boys/METHOD.md).
///
/// Accuracy, for every root and weight and every x in the domain that leaves them normal numbers:
/// double: relative error <= 1e-15 for n <= 5, 1e-14 for n <= 20, 5e-14 above; float: 1e-7 (it is
/// computed in double precision).
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

/// Returns the x from which on an order takes the limit.
template <int n>
TESSERA_FUNCTION double rys_border() {
  if constexpr (n <= RysFits::max_order) {
    return RysFits::border;
  } else {
    return rys_tables().border[n - 1];
  }
}

/// The limit at large x, and NaN for a negative x.
template <int n, class Real>
TESSERA_FUNCTION void rys_far(double x, Real* roots, Real* weights) {
  const auto& tables = rys_tables();
  const double root = rys_sqrt(x), divisor = root == root ? x : root;
  constexpr int begin = n * (n - 1) / 2;
  for (int i = 0; i < n; ++i) {
    roots[i] = static_cast<Real>(tables.limit_root[begin + i] / divisor);
    weights[i] = static_cast<Real>(tables.limit_weight[begin + i] / root);
  }
}

/// The quadrature of an order that has tables.
template <int n, class Real>
TESSERA_FUNCTION void rys_from_tables(double x, Real* roots, Real* weights) {
  if (!(x >= 0 && x < rys_border<n>())) {
    rys_far<n>(x, roots, weights);
    return;
  }
  constexpr bool is_fitted = n <= RysFits::max_order;
  double value[2 * rys_padded(n)];
  double* const w = value + (is_fitted ? n : rys_padded(n));
  if constexpr (TESSERA_ON_GPU && n == 1) {  // faster there, and a table less
    double f[2];
    boys<1>(x, f);
    value[0] = f[1] / f[0];
    value[1] = f[0];
  } else if constexpr (is_fitted) {
    rys_fitted<n>(x, value);
  } else {
    double mass;
    boys<0>(x, &mass);
    rys_near<n>(x, mass, value, w);
  }
  for (int i = 0; i < n; ++i) {
    roots[i] = static_cast<Real>(value[i]);
    weights[i] = static_cast<Real>(w[i]);
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
  const Real s = detail::range_shares(rho, omega).square;
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
  const auto shares = detail::range_shares(static_cast<double>(rho), static_cast<double>(omega));
  detail::rys_without_tables<n>(static_cast<double>(x), shares.square, shares.rest, roots, weights);
}

}  // namespace tessera::boys
