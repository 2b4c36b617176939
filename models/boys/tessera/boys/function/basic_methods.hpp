// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/boys/function/arithmetic.hpp"
#include "tessera/boys/function/orders.hpp"

// The ways to the Boys functions that Mazur, Makowski and Lazarski, J. Math. Chem. 54 (2016) 2022,
// weigh in their section 2 before they choose minimax forms, for comparison. Equations are numbered
// as theirs. Each hands every order to sink(n, F_n(x)), n = 0..N; `boys` (boys.hpp) is better than
// each of them everywhere.

namespace tessera::boys {

/// The largest order of `boys_miller_each`: equation (27) is fitted to orders up to 8, and gives
/// too few steps for orders much above 16.
inline constexpr int kMaxMillerOrder = 16;

/// The largest argument of `boys_miller_each` in each precision: e^-x is a normal number there.
template <class Real>
inline constexpr Real kMaxMillerArgument = sizeof(Real) == 8 ? Real(700) : Real(80);

namespace detail {

template <class Real>
inline constexpr Real kHalfRootPi = Real(0x1.c5bf891b4ef6bp-1);

/// e^-x by the library of the platform.
template <class Real>
TESSERA_FUNCTION Real library_exponential_of_minus(Real x) {
#if TESSERA_ON_GPU
  return ::exp(-x);
#else
  return std::exp(-x);
#endif
}

template <class Real>
TESSERA_FUNCTION Real library_root(Real x) {
#if TESSERA_ON_GPU
  return ::sqrt(x);
#else
  return std::sqrt(x);
#endif
}

template <class Real>
TESSERA_FUNCTION Real library_erf(Real x) {
#if TESSERA_ON_GPU
  return ::erf(x);
#else
  return std::erf(x);
#endif
}

}  // namespace detail

/// Equation (4): the Taylor series of every order about 0, its first `terms` terms.
///
/// The absolute error stays below 1e-13 (double) for 0 <= x <= taylor_range(terms, 1e-13) as long
/// as that is below 10.6: from there on the terms, which alternate, cancel too much. In single
/// precision it stays below 3e-7 to x = 4.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void boys_taylor_each(Real x, int terms, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxOrder, "the Taylor series is available for orders 0 to 40");
  Real sums[N + 1];
  for (int n = 0; n <= N; ++n) sums[n] = 0;
  Real power = 1;  // (-x)^k / k!
  for (int k = 0; k < terms; ++k) {
    if (k > 0) power *= -x / static_cast<Real>(k);
    for (int n = 0; n <= N; ++n) sums[n] += power / static_cast<Real>(2 * k + 2 * n + 1);
  }
  for (int n = 0; n <= N; ++n) sink(n, sums[n]);
}

/// Equation (6): the argument to which the first terms of the Taylor series, one or more, hold the
/// absolute error `epsilon`, rounding aside.
TESSERA_FUNCTION double taylor_range(int terms, double epsilon) {
#if TESSERA_ON_GPU
  return ::exp(::log(epsilon) / terms + ::log(static_cast<double>(terms)) - 1);
#else
  return std::exp(std::log(epsilon) / terms + std::log(static_cast<double>(terms)) - 1);
#endif
}

/// Equations (8) and (11): F_0 from the error function, the other orders by upward recursion, which
/// loses a factor (2n + 1) / (2x) of accuracy an order. NaN at x = 0 for the orders from 1 on,
/// where equation (8) divides by 0.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void boys_upward_each(Real x, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxOrder, "upward recursion is available for orders 0 to 40");
  const Real root = detail::library_root(x), e = detail::library_exponential_of_minus(x);
  Real value = x == 0 ? Real(1) : detail::kHalfRootPi<Real> * detail::library_erf(root) / root;
  sink(0, value);
  for (int n = 0; n < N; ++n) {
    value = (static_cast<Real>(2 * n + 1) * value - e) / (2 * x);
    sink(n + 1, value);
  }
}

/// Equation (27): the order that downward recursion starts from, for order n at x.
template <class Real>
TESSERA_FUNCTION int miller_start(int n, Real x) {
  const double slope = -0.10453 * n + 3.68823, offset = 0.76625 * n + 16.0;
  return static_cast<int>(slope * static_cast<double>(x) + offset) + 1;
}

/// Miller's algorithm, equations (7), (16) and (27): downward recursion from an order far above,
/// whose value is guessed as F_0 of large arguments (at most 1, for small x). It starts from the
/// larger of the orders that equation (27) gives for F_0 and F_N, because all are wanted. Takes
/// about 16 + 3.7 x steps.
///
/// Absolute error <= 1e-14 (double), 3e-7 (float). Domain: 0 <= x <= kMaxMillerArgument; NaN
/// outside.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void boys_miller_each(Real x, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxMillerOrder, "Miller's algorithm is available to order 16");
  if (!(x >= 0 && x <= kMaxMillerArgument<Real>)) {
    for (int n = 0; n <= N; ++n) sink(n, static_cast<Real>(NAN));
    return;
  }
  const Real e = detail::library_exponential_of_minus(x), two_x = 2 * x;
  const Real guess = detail::kHalfRootPi<Real> / detail::library_root(x);
  const int of_first = miller_start(0, x), of_last = miller_start(N, x);
  Real value = guess < 1 ? guess : Real(1);
  for (int n = (of_first > of_last ? of_first : of_last) - 1; n > N; --n)
    value = (two_x * value + e) / static_cast<Real>(2 * n + 1);
  for (int n = N; n >= 0; --n) {
    value = (two_x * value + e) / static_cast<Real>(2 * n + 1);
    sink(n, value);
  }
}

/// Equations (28) and (32): the integral to infinity. The absolute error of F_0 is at most e^-x /
/// (2x), below 1e-13 from x = 26 on. Domain: x > 0; infinite at 0.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void boys_asymptotic_each(Real x, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxOrder, "the asymptotic value is available for orders 0 to 40");
  Real value = detail::kHalfRootPi<Real> / detail::library_root(x);
  sink(0, value);
  for (int n = 0; n < N; ++n) {
    value *= static_cast<Real>(2 * n + 1) / (2 * x);
    sink(n + 1, value);
  }
}

}  // namespace tessera::boys
