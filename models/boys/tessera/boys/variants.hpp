// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/boys/boys.hpp"
#include "tessera/boys/rys.hpp"

// Relatives of the Boys functions that integral codes ask for. Orders, domain and portability as in
// tessera/boys/boys.hpp.

namespace tessera::boys {

/// F[n] = F_n(x) and dF[n] = dF_n/dx = -F_{n+1}(x) for n = 0..N, N < 40: the derivatives cost one
/// order more. Accuracy: that of order N + 1.
template <int N, class Real>
TESSERA_FUNCTION void boys_with_derivatives(Real x, Real* F, Real* dF) {
  static_assert(0 <= N && N < kMaxOrder, "derivatives are available for orders 0 to 39");
  Real all[N + 2];
  boys<N + 1>(x, all);
  for (int n = 0; n <= N; ++n) {
    F[n] = all[n];
    dF[n] = -all[n + 1];
  }
}

/// The Boys functions of the long-range interaction erf(omega r) / r,
///
///     F[n] = s^(n+1/2) F_n(s x) = integral from 0 to sqrt(s) of t^(2n) e^(-x t^2) dt,    s = omega^2 / (omega^2 + rho),
///
/// for n = 0..N, where rho is the reduced exponent that x = rho R^2 was formed with; omega >= 0,
/// rho > 0. Relative error <= 2e-14 (double, N <= 32), 4e-6 (float, N <= 16), at the rounded s.
template <int N, class Real>
TESSERA_FUNCTION void boys_erf(Real x, Real rho, Real omega, Real* F) {
  const Real s = detail::range_shares(rho, omega).square;
  boys<N>(s * x, F);
#if TESSERA_ON_GPU
  Real factor = ::sqrt(s);
#else
  Real factor = std::sqrt(s);
#endif
  for (int n = 0; n <= N; ++n) {
    F[n] *= factor;
    factor *= s;
  }
}

/// The Boys functions of the short-range interaction erfc(omega r) / r: F[n] = F_n(x) - s^(n+1/2)
/// F_n(s x), as the difference of the two. The error is at most 3e-14 F_n(x) (double, N <= 32) or
/// 6e-6 F_n(x) (float, N <= 16); where the difference is small beside F_n(x), as it is for large s
/// x, its own relative error is larger by that ratio.
template <int N, class Real>
TESSERA_FUNCTION void boys_erfc(Real x, Real rho, Real omega, Real* F) {
  Real long_range[N + 1];
  boys<N>(x, F);
  boys_erf<N>(x, rho, omega, long_range);
  for (int n = 0; n <= N; ++n) F[n] -= long_range[n];
}

/// The Boys functions of an integral that they enter with the factor `weight`, F[n] = F_n(x) for n
/// = 0..N <= 16, in single precision where that brings no more than `tolerance` into the integral,
/// and else in double precision. Returns whether single precision was taken. That depends on x as
/// well as on the weight: F_n(x) is at most sqrt(pi / (4 x)), so distant pairs of charges need
/// less.
///
/// Absolute error: |weight| |error of F[n]| <= max(tolerance, 4e-16 |weight|). With tolerance 0 all
/// is in double precision.
template <int N>
TESSERA_FUNCTION bool boys_mixed(double x, double weight, double tolerance, double* F) {
  static_assert(0 <= N && N <= 16, "mixed precision is available for orders 0 to 16");
  // relative: 2e-6 of the functions, and (n + 1/2) 2^-24 <= 1e-6 of rounding x
  constexpr double single_error = 3e-6, quarter_pi = 0.78539816339744830962;
  const double error = weight * single_error;  // of F_n <= 1
  const double squared = error * error, wanted = tolerance * tolerance;
  // beyond 2^100 single precision has no room
  const bool single = (squared <= wanted || squared * quarter_pi <= wanted * x) && x < 0x1p+100;
  if (!single) {
    boys<N>(x, F);
    return false;
  }
  float all[N + 1];
  boys<N>(static_cast<float>(x), all);
  for (int n = 0; n <= N; ++n) F[n] = all[n];
  return true;
}

/// F[n] = e^x F_n(x) for n = 0..N, which stays of order 1/x^(n+1/2) e^x where F_n itself and e^-x
/// would underflow in products. Relative error <= 1e-14 (double, N <= 32), 2e-6 (float, N <= 16);
/// infinity for x > 1416 (double) or 174 (float), and where the result comes within a factor 2N + 1
/// of overflow.
template <int N, class Real>
TESSERA_FUNCTION void boys_weighted(Real x, Real* F) {
  static_assert(0 <= N && N <= kMaxOrder, "Boys functions are available for orders 0 to 40");
  using C = detail::Coefficients<Real, N>;
  constexpr Real largest = 2 * detail::ExponentialConstants<Real>::largest;
  x = detail::checked_argument(x);
  if (x > largest) {
    for (int n = 0; n <= N; ++n) F[n] = static_cast<Real>(INFINITY);
    return;
  }
  // e^(x/2): its square may overflow before the result does
  const Real root = 1 / detail::exponential_of_minus<true>(x / 2);
  if (detail::is_far<N>(x)) {
    detail::far_orders<N>(x, detail::StoreOrders<Real>{F});
    for (int n = 0; n <= N; ++n) F[n] = F[n] * root * root;
    return;
  }
  if constexpr (N == 0) {
    F[0] = (x < C::split ? detail::top_below<0>(x, Real(0))
                         : detail::top_above<0>(x, detail::exponential_of_minus<true>(x))) *
           root * root;
  } else {
    F[N] = x < C::split
               ? detail::top_below<N>(x, Real(1))
               : detail::top_above<N>(x, detail::exponential_of_minus<true>(x)) * root * root;
    detail::recur_downward<N>(x + x, Real(1), F[N], detail::StoreOrders<Real>{F});
  }
}

}  // namespace tessera::boys
