// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/function/coefficients_paper.hpp"
#include "tessera/boys/function/polynomial.hpp"

namespace tessera::boys {

/// The largest order of the paper's scheme: 8 in the paper, continued here in the form of its
/// orders 4 to 8.
inline constexpr int kMaxPaperOrder = 16;

namespace detail {

template <class Range>
struct Numerator {
  static constexpr int degree = sizeof(Range::p) / sizeof(Range::p[0]) - 1;
  template <int K>
  static constexpr auto coefficient = Range::p[K];
};
template <class Range>
struct Denominator {
  static constexpr int degree = sizeof(Range::q) / sizeof(Range::q[0]) - 1;
  template <int K>
  static constexpr auto coefficient = Range::q[K];
};

/// p(x) / q(x); on GPUs the division is the square of a reciprocal square root, as in the paper.
template <class Range>
TESSERA_FUNCTION double rational(double x) {
  const double p = polynomial<Numerator<Range>>(x);
  const double q = polynomial<Denominator<Range>>(x);
#if TESSERA_ON_GPU
  const double r = ::rsqrt(q);
  return p * (r * r);
#else
  return p / q;
#endif
}

}  // namespace detail

/// The scheme of Mazur, Makowski and Lazarski, J. Math. Chem. 54 (2016) 2022, in double precision,
/// for comparison: F_N from a rational function times e^(-x/3), e^(-x/2) or e^-x and downward
/// recursion on [0, 13), F_0 from another and upward recursion on [13, 28), and the asymptotic
/// value without e^-x beyond. Hands every order to sink(n, F_n(x)), n = 0..N <= 16. The
/// coefficients are our own.
///
/// Absolute error <= 3e-13. The relative error is not bounded: 5e-6 at N = 8, 8e-3 at N = 16, near
/// x = 28. Domain: x >= 0.
template <int N, class Sink>
TESSERA_FUNCTION void boys_paper_each(double x, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxPaperOrder,
                "the paper's scheme is available for orders 0 to 16");
  if (x < 13) {
    const double e6 = ::exp(-x / 6), e3 = e6 * e6, e2 = e3 * e6, e = e2 * e2;
    double value = detail::rational<detail::PaperHead<double, N>>(x) * (N == 0  ? e3
                                                                        : N < 4 ? e2
                                                                                : e);
    sink(N, value);
    for (int n = N - 1; n >= 0; --n) {
      value = detail::multiply_add(2 * x, value, e) * (1.0 / (2 * n + 1));
      sink(n, value);
    }
    return;
  }
  double value, e, y;
  if (x < 28) {
    const double e6 = ::exp(-x / 6), e3 = e6 * e6;
    e = e3 * e3 * e3;
    value = detail::rational<detail::PaperMiddle<double>>(x) * e3;
    y = 1 / x;
  } else {
    constexpr double half_root_pi = 0x1.c5bf891b4ef6bp-1;
    e = 0;
#if TESSERA_ON_GPU
    const double r = ::rsqrt(x);
    y = r * r;
#else
    y = 1 / x;
    const double r = std::sqrt(y);
#endif
    value = half_root_pi * r;
  }
  sink(0, value);
  for (int n = 0; n < N; ++n) {
    value = detail::multiply_add(2 * n + 1.0, value, -e) * (0.5 * y);
    sink(n + 1, value);
  }
}

}  // namespace tessera::boys
