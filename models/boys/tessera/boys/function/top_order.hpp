// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "tessera/boys/function/coefficients_double.hpp"
#include "tessera/boys/function/coefficients_float.hpp"
#include "tessera/boys/function/exponential.hpp"

// The top order F_N for lowest_argument <= x < Coefficients<Real, N>::last, from two ranges.
// Everything else follows by recursion.

namespace tessera::boys::detail {

/// Arguments below this give NaN; between it and 0 the functions are continued analytically.
template <class Real>
inline constexpr Real lowest_argument = static_cast<Real>(-1e-3);

/// Returns whether x < border, for a border of few digits. A GPU compares integers, to spare the
/// floating-point pipe.
template <class Real>
TESSERA_FUNCTION bool is_below(Real x, Real border) {
#if TESSERA_ON_GPU
  return leading_bits(x) < leading_bits(border);
#else
  return x < border;
#endif
}

/// Returns whether x, which is not below `lowest_argument`, lies beyond the ranges or is NaN.
template <int N, class Real>
TESSERA_FUNCTION bool is_far(Real x) {
  return !is_below(x, Coefficients<Real, N>::last);
}

/// Returns whether x is anything but a number in [0, last): one comparison that separates the usual
/// arguments from the others.
template <int N, class Real>
TESSERA_FUNCTION bool is_unusual(Real x) {
#if TESSERA_ON_GPU
  return static_cast<unsigned>(leading_bits(x)) >=
         static_cast<unsigned>(leading_bits(Coefficients<Real, N>::last));
#else
  return !(x >= 0 && x < Coefficients<Real, N>::last);
#endif
}

/// NaN for an argument that is out of the domain, else x.
template <class Real>
TESSERA_FUNCTION Real checked_argument(Real x) {
  constexpr Real nan = static_cast<Real>(NAN);
#if TESSERA_ON_GPU
  using Unsigned = std::make_unsigned_t<typename SameSizeInteger<Real>::type>;
  return static_cast<Unsigned>(to_bits(x)) > static_cast<Unsigned>(to_bits(lowest_argument<Real>))
             ? nan
             : x;
#else
  return x < lowest_argument<Real> ? nan : x;
#endif
}

/// x^(-1/2) and 1/x for x well inside the normal range.
template <class Real>
struct Reciprocals {
  Real r, y;
};

/// `refined`: y is correctly rounded almost always; else, on GPUs, it is the rounded square of r.
template <bool refined, class Real>
TESSERA_FUNCTION Reciprocals<Real> reciprocals(Real x) {
#if TESSERA_ON_GPU
  const Real r = inverse_root(x);
  Real y = r * r;
  if constexpr (refined) y = multiply_add(multiply_add(-x, y, Real(1)), y, y);
  return {r, y};
#else
  const Real y = 1 / x;
  return {std::sqrt(y), y};
#endif
}

/// a^N by repeated squaring.
template <int N, class Real>
TESSERA_FUNCTION Real power(Real a) {
  if constexpr (N == 0) {
    return 1;
  } else if constexpr (N == 1) {
    return a;
  } else if constexpr (N % 2 == 0) {
    return power<N / 2>(a * a);
  } else {
    return power<N / 2>(a * a) * a;
  }
}

/// factor (scale / x)^N from y, the rounded 1/x. The roundings of y and of its square, which a high
/// power would magnify, are measured and taken out: x y = 1 - d and x y^2 = y + q, so that 1/x^2 =
/// y^2 (1 + d - x q).
template <int N, class Real>
TESSERA_FUNCTION Real compensated_power(Real factor, Real scale, Real x, Real y) {
  if constexpr (N < 4) {
    return factor * power<N>(scale * y);
  } else {
    const Real y2 = y * y;
    const Real d = product_residual(-x, y, Real(1));
    const Real q = product_residual(x, y2, -y);
    Real error = multiply_add(-x, q, d) * (N / 2);
    Real product = factor * power<N / 2>((scale * scale) * y2);
    if constexpr (N % 2 == 1) {
      product *= scale * y;
      error += d;
    }
    return multiply_add(product, error, product);
  }
}

/// F_N below the split; e = e^-x (not used for N = 0).
template <int N, class Real>
TESSERA_FUNCTION Real top_below(Real x, [[maybe_unused]] Real e) {
  using C = Coefficients<Real, N>;
  Real t = x;
  if constexpr (C::head_center != 0) t -= TESSERA_BOYS_OPERAND(C::head_center);
  if constexpr (N == 0) {
    return polynomial<Head<Real, N>>(t);
  } else {
    return polynomial<Head<Real, N>>(t) * e;
  }
}

/// F_N from the split on: the asymptotic value less the tail.
template <int N, class Real>
TESSERA_FUNCTION Real top_above(Real x, Real e, Reciprocals<Real> reciprocal) {
  using C = Coefficients<Real, N>;
  const auto [r, y] = reciprocal;
  Real v = C::tail_in_r ? r : y;
  if constexpr (C::tail_center != 0) v -= TESSERA_BOYS_OPERAND(C::tail_center);
  const Real tail = polynomial<Tail<Real, N>>(v);
  if constexpr (N == 0) {
    return r * multiply_add(-e, tail, TESSERA_BOYS_OPERAND(C::asymptote));
  } else {
    return multiply_add(
        -e, y * tail, compensated_power<N>(TESSERA_BOYS_OPERAND(C::asymptote) * r, C::scale, x, y));
  }
}

template <int N, class Real>
TESSERA_FUNCTION Real top_above(Real x, Real e) {
  return top_above<N>(x, e, reciprocals<(N > 0 && N < 4)>(x));
}

/// One term of the downward recursion: F_n from F_{n+1}, stable for every x > 0 because all its
/// terms are positive.
template <int n, class Real>
TESSERA_FUNCTION Real lower_order(Real two_x, Real above, Real e) {
  return multiply_add(two_x, above, e) * TESSERA_BOYS_OPERAND(InverseOdd<Real>::c[n]);
}

/// Below the top order: hands F_{N-1}, ..., F_0 to sink(n, F_n).
template <int N, class Real, class Sink>
TESSERA_FUNCTION void recur_downward(Real two_x, Real e, Real top, Sink&& sink) {
  if constexpr (N > 0) {
    const Real next = lower_order<N - 1>(two_x, top, e);
    sink(N - 1, next);
    recur_downward<N - 1>(two_x, e, next, sink);
  }
}

/// All orders where e^-x is negligible, F_{n+1} = (n + 1/2) F_n / x with 1/x = y + dy: hands F_n,
/// ..., F_N to sink(n, F_n).
template <int N, int n = 0, class Real, class Sink>
TESSERA_FUNCTION void recur_upward(Real y, Real dy, Real value, Sink&& sink) {
  sink(n, value);
  if constexpr (n < N) {
    const Real scaled = value * (n + Real(0.5));
    recur_upward<N, n + 1>(y, dy, multiply_add(scaled, dy, scaled * y), sink);
  }
}

/// All orders for x >= Coefficients<Real, N>::last, or NaN.
template <int N, class Real, class Sink>
TESSERA_FUNCTION void far_orders(Real x, Sink&& sink) {
  const Real y = 1 / x;
  // beyond, few orders are left to magnify it
  const Real dy = x < Real(0x1p90) ? y * product_residual(-x, y, Real(1)) : Real(0);
#if TESSERA_ON_GPU
  const Real r = ::sqrt(y);
#else
  const Real r = std::sqrt(y);
#endif
  recur_upward<N>(y, dy, Coefficients<Real, 0>::asymptote * r, sink);
}

}  // namespace tessera::boys::detail
