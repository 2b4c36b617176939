// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/boys/function/basic_methods.hpp"
#include "tessera/boys/function/coefficients_paper.hpp"
#include "tessera/boys/function/polynomial.hpp"

namespace tessera::boys {

/// The two choices of the paper: ratios of polynomials, or polynomials alone.
enum class PaperForm { rational, polynomial };

/// The largest order of the paper's scheme: 8 in the paper; its rational forms in double precision
/// are continued here in the form of its orders 4 to 8.
template <class Real, PaperForm form>
inline constexpr int kMaxPaperOrderOf = sizeof(Real) == 8 && form == PaperForm::rational ? 16 : 8;
inline constexpr int kMaxPaperOrder = kMaxPaperOrderOf<double, PaperForm::rational>;

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

/// p(x) / q(x), or p(x) alone, by Horner's rule: terms cancel, and two chains would have errors
/// five times as large. On GPUs the division is the square of a reciprocal square root, as in the
/// paper.
template <class Range, PaperForm form, class Real>
TESSERA_FUNCTION Real paper_form(Real x) {
  const Real p = horner<Numerator<Range>, 0, 1>(x);
  if constexpr (form == PaperForm::polynomial) {
    return p;
  } else {
    const Real q = horner<Denominator<Range>, 0, 1>(x);
#if TESSERA_ON_GPU
    const Real r = ::rsqrt(q);
    return p * (r * r);
#else
    return p / q;
#endif
  }
}

/// The form of the top order N.
template <class Real, PaperForm form, int N>
struct PaperTop : PaperHead<Real, N> {};
template <class Real, int N>
struct PaperTop<Real, PaperForm::polynomial, N> : PaperPolynomialHead<Real, N> {};

/// The form of order 0 in the middle.
template <class Real, PaperForm form>
struct PaperCentre : PaperMiddle<Real> {};
template <class Real>
struct PaperCentre<Real, PaperForm::polynomial> : PaperPolynomialMiddle<Real> {};

/// e^(-sixths x / 6), from e^(-x/6): one exponential serves the damping and the recursion.
template <int sixths, class Real>
TESSERA_FUNCTION Real paper_damping(Real e6) {
  static_assert(sixths == 2 || sixths == 3 || sixths == 4 || sixths == 6);
  const Real e3 = e6 * e6;
  if constexpr (sixths == 2) {
    return e3;
  } else if constexpr (sixths == 3) {
    return e3 * e6;
  } else if constexpr (sixths == 4) {
    return e3 * e3;
  } else {
    const Real e2 = e3 * e6;
    return e2 * e2;
  }
}

/// e^(-x/6) by the library of the platform.
template <class Real>
TESSERA_FUNCTION Real paper_exponential(Real x) {
#if TESSERA_ON_GPU
  return ::exp(-x / 6);
#else
  return std::exp(-x / 6);
#endif
}

}  // namespace detail

/// The scheme of Mazur, Makowski and Lazarski, J. Math. Chem. 54 (2016) 2022, for comparison: its
/// Table 2 in double precision, its Table 3 in single. F_N from a rational function, or a
/// polynomial, times e^(-x/3), e^(-x/2), e^(-2x/3) or e^-x and downward recursion at small x, F_0
/// from another and upward recursion in the middle, and the asymptotic value without e^-x beyond 28
/// (double) or 13 (single). Hands every order to sink(n, F_n(x)), n = 0..N; N <= 16 in double
/// precision with rational functions, else N <= 8. The coefficients are our own.
///
/// Absolute error <= 1.3e-13 (double, N <= 8), 3e-13 (double), 4e-7 (single), 6e-7 (single, on a
/// GPU, whose e^(-x/6) may be two units in the last place off; its sixth power is used). The
/// relative error is not bounded: 5e-6 at N = 8, 8e-3 at N = 16, near x = 28. Domain: x >= 0.
template <int N, PaperForm form = PaperForm::rational, class Real, class Sink>
TESSERA_FUNCTION void boys_paper_each(Real x, Sink&& sink) {
  static_assert(0 <= N && N <= kMaxPaperOrderOf<Real, form>,
                "the paper's scheme is available for orders 0 to 16 (double precision, rational "
                "functions) or 0 to 8");
  using Top = detail::PaperTop<Real, form, N>;
  using Centre = detail::PaperCentre<Real, form>;
  if (x < Top::end) {
    const Real e6 = detail::paper_exponential(x), e = detail::paper_damping<6>(e6);
    Real value = detail::paper_form<Top, form>(x) * detail::paper_damping<Top::sixths>(e6);
    sink(N, value);
    for (int n = N - 1; n >= 0; --n) {
      value = detail::multiply_add(2 * x, value, e) * (Real(1) / static_cast<Real>(2 * n + 1));
      sink(n, value);
    }
    return;
  }
  Real value, e, y;
  if (x < Centre::end) {
    const Real e6 = detail::paper_exponential(x), e3 = e6 * e6;
    e = e3 * e3 * e3;
    value = detail::paper_form<Centre, form>(x) * detail::paper_damping<Centre::sixths>(e6);
    y = 1 / x;
  } else {
    constexpr Real half_root_pi = Real(0x1.c5bf891b4ef6bp-1);
    e = 0;
#if TESSERA_ON_GPU
    const Real r = ::rsqrt(x);
    y = r * r;
#else
    y = 1 / x;
    const Real r = std::sqrt(y);
#endif
    value = half_root_pi * r;
  }
  sink(0, value);
  for (int n = 0; n < N; ++n) {
    value = detail::multiply_add(static_cast<Real>(2 * n + 1), value, -e) * (Real(0.5) * y);
    sink(n + 1, value);
  }
}

}  // namespace tessera::boys
