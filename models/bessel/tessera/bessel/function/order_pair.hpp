// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/scalar.hpp"

namespace tessera::bessel::detail {

/// Two neighbouring orders, with their derivatives to the order.
template <class Real>
struct OrderPair {
  Real k0, k1, d0, d1;
};

/// The constants that decide on step and range of the quadrature.
template <class Real>
struct Quadrature;
template <>
struct Quadrature<double> {
  static constexpr float step = 0.70F, cut = 39;  // the integrand is followed down to e^-39
};
template <>
struct Quadrature<float> {
  static constexpr float step = 1.02F, cut = 19;
};

/// Below this argument the power series takes over.
inline constexpr double kSmallArgument = 0.1;

/// Taylor series: 2 (cosh y - 1) / y^2, sinh(y) / y and its derivative to y^2, all in y^2.
template <class Real>
struct SecondDifferenceSeries {
  static constexpr int terms = 6;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Real at(int k) {
    constexpr Real c[terms] = {1,
                               Real(1.0 / 12),
                               Real(1.0 / 360),
                               Real(1.0 / 20160),
                               Real(1.0 / 1814400),
                               Real(1.0 / 239500800)};
    return c[k];
  }
};
template <class Real>
struct SinhSeries {
  static constexpr int terms = 7;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Real at(int k) {
    constexpr Real c[terms] = {1,
                               Real(1.0 / 6),
                               Real(1.0 / 120),
                               Real(1.0 / 5040),
                               Real(1.0 / 362880),
                               Real(1.0 / 39916800),
                               Real(1.0 / 6227020800)};
    return c[k];
  }
};
template <class Real>
struct SinhSlopeSeries {
  static constexpr int terms = 6;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Real at(int k) {
    return (k + 1) * SinhSeries<Real>::at(k + 1);
  }
};

/// 2 (cosh y - 1) of y^2 <= 0.08, to a rounding.
template <class Real>
KOKKOS_INLINE_FUNCTION Real second_difference(Real y2) {
  return y2 * polynomial<SecondDifferenceSeries<Real>>(y2);
}

/// e^x K_mu(x) and e^x K_{mu+1}(x) for |mu| <= 1/2, 0.1 <= x < 1e30, by the trapezoidal rule on
///
///   e^x K_mu(x) = int_0^inf e^(-x v(t)) cosh(mu t) dt,   v(t) = cosh t - 1,   K_{mu+1} = (1 + mu/x) K_mu + int e^(-x v) v cosh(mu t) dt,
///
/// which converges faster than exponentially: the integrand is even and entire. With the step h =
/// 0.7 / sqrt(x + 13.2) it needs 14 nodes for large x and 37 at x = 0.1. cosh and sinh come from
/// their differences, one addition and one multiplication a node.
template <class Real, bool with_order>
KOKKOS_INLINE_FUNCTION OrderPair<Real> quadrature_pair(Real mu, Real x) {
  using Q = Quadrature<Real>;
  // Step and number of nodes in single precision: any step will do, if only it is the same
  // everywhere.
  const float xf = static_cast<float>(x), growth = 1 + static_cast<float>(mu);
  const float a = Q::cut / xf, root = compat::math::sqrt(a * (a + 2));
  // The range ends where x v = cut; one step of Newton's method for x v - (1 + mu) t corrects it.
  float end = compat::math::log1p(a + root);
  end += growth * end / (xf * root - growth);
  const float step = Q::step / compat::math::sqrt(xf + 13.2F);
  const int nodes = static_cast<int>(end / step) + 1;

  const Real h = step, h2 = h * h, theta = mu * h, theta2 = theta * theta;
  const Real kappa = second_difference(h2), kappa_mu = second_difference(theta2);
  const Real exponent = x * Real(-1.44269504088896340735992468100189214);
  // cosh t - 1 and its next difference
  Real v = 0, dv = Real(0.5) * kappa;
  Real c = 1, dc = Real(0.5) * kappa_mu;                          // cosh(mu t)
  Real s = 0, ds = theta * polynomial<SinhSeries<Real>>(theta2);  // sinh(mu t)
  Real sum = Real(0.5), sum_v = 0, order = 0, order_v = 0, m = 0;
  for (int i = 0; i < nodes; ++i) {
    v += dv;
    c += dc;
    const Real f = power_of_two(exponent, v), fc = f * c;
    sum += fc;
    sum_v = multiply_add(fc, v, sum_v);
    if constexpr (with_order) {
      s += ds;
      m += 1;
      const Real fs = f * (m * s);
      order += fs;
      order_v = multiply_add(fs, v, order_v);
      ds = multiply_add(kappa_mu, s, ds);
    }
    dv = multiply_add(kappa, v, dv + kappa);
    dc = multiply_add(kappa_mu, c, dc);
  }
  const Real k0 = h * sum, beside = 1 + mu / x;
  OrderPair<Real> pair{k0, multiply_add(k0, beside, h * sum_v), 0, 0};
  if constexpr (with_order) {
    pair.d0 = h2 * order;
    pair.d1 = multiply_add(pair.d0, beside, multiply_add(h2, order_v, k0 / x));
  }
  return pair;
}

/// A function of mu with its derivative.
template <class Real>
struct Dual {
  Real value, derivative;
};
template <class Real>
KOKKOS_INLINE_FUNCTION Dual<Real> operator*(const Dual<Real>& a, const Dual<Real>& b) {
  return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
}
template <class Real>
KOKKOS_INLINE_FUNCTION Dual<Real> operator*(Real a, const Dual<Real>& b) {
  return {a * b.value, a * b.derivative};
}
template <class Real>
KOKKOS_INLINE_FUNCTION Dual<Real> operator+(const Dual<Real>& a, const Dual<Real>& b) {
  return {a.value + b.value, a.derivative + b.derivative};
}
template <class Real>
KOKKOS_INLINE_FUNCTION Dual<Real> reciprocal(const Dual<Real>& a) {
  const Real r = 1 / a.value;
  return {r, -r * r * a.derivative};
}

/// A function that is even in mu, with its derivative in w = mu^2: no digits of d/dmu = 2 mu d/dw
/// are lost next to mu = 0.
template <class Real>
struct Even {
  Real value, dw;
};
template <class Real>
KOKKOS_INLINE_FUNCTION Even<Real> operator*(const Even<Real>& a, const Even<Real>& b) {
  return {a.value * b.value, a.dw * b.value + a.value * b.dw};
}
template <class Real>
KOKKOS_INLINE_FUNCTION Even<Real> operator+(const Even<Real>& a, const Even<Real>& b) {
  return {a.value + b.value, a.dw + b.dw};
}

/// Polynomial in w = mu^2.
template <class P, class Real>
KOKKOS_INLINE_FUNCTION Even<Real> even_function(Real w) {
  Real sum = P::at(P::terms - 1), derivative = 0;
  for (int k = P::terms - 2; k >= 0; --k) {
    derivative = multiply_add(derivative, w, sum);
    sum = multiply_add(sum, w, P::at(k));
  }
  return {sum, derivative};
}

/// A logarithm as the sum of two numbers.
template <class Real>
struct SplitLogarithm {
  Real high, low;
};

/// log(2 / x), to a rounding of its fraction.
template <class Real>
KOKKOS_INLINE_FUNCTION SplitLogarithm<Real> split_log_two_over(Real x) {
  const bool tiny = x < Format<Real>::smallest;
  constexpr int lift = Format<Real>::mantissa_bits + 2;
  int a;
  const Real mantissa = take_exponent(tiny ? scale_by_power(x, lift) : x, a);
  const Real n = static_cast<Real>(1 + (tiny ? lift : 0) - a), first = n * LogTwo<Real>::high,
             second = multiply_add(n, LogTwo<Real>::low, -compat::math::log(mantissa)),
             sum = first + second;
  return {sum, second - (sum - first)};
}

/// J_0 = K_mu(x) and J_1 = x/2 K_{mu+1}(x) for |mu| <= 1/2, 0 < x <= 0.1, by Temme's series:
///
///   K_mu = sum_k c_k f_k,   x/2 K_{mu+1} = sum_k c_k (p_k - k f_k),   c_k = (x^2/4)^k / k!,
///
/// N. M. Temme, On the numerical evaluation of the modified Bessel function of the third kind, J.
/// Comput. Phys. 19 (1975) 324.
template <class Real>
KOKKOS_INLINE_FUNCTION OrderPair<Real> temme_pair(Real mu,
                                                  const SplitLogarithm<Real>& log_two_over_x,
                                                  Real quarter_square) {
  using D = Dual<Real>;
  using C = Coefficients<Real>;
  const Real w = mu * mu;
  const auto in_mu = [mu](const Even<Real>& a) { return D{a.value, 2 * mu * a.dw}; };
  // The even and the odd part of 1 / Gamma(1 -+ mu)
  const Even<Real> even = even_function<typename C::GammaEven>(w),
                   odd = even_function<typename C::GammaOdd>(w);
  const D mu_odd = D{mu, 1} * in_mu(odd), gamma_plus = reciprocal(in_mu(even) + Real(-1) * mu_odd);
  const Real gamma_minus = 1 / (even.value + mu_odd.value),
             gamma_product = gamma_plus.value * gamma_minus;
  const Even<Real> gammas{gamma_product, gamma_product * gamma_product *
                                             (odd.value * odd.value +
                                              2 * (w * odd.value * odd.dw - even.value * even.dw))};

  // e^(mu L) with what rounding took from its exponent, which reaches 355
  const Real L = log_two_over_x.high, sigma = mu * L,
             rest = product_rest(mu, L, sigma) + mu * log_two_over_x.low;
  const Real rounded = compat::math::exp(sigma), e = multiply_add(rounded, rest, rounded),
             e_minus = 1 / e;
  Even<Real> cosh_sigma{(e + e_minus) / 2, 0}, ratio;  // ratio: sinh(sigma) / mu
  if (sigma > Real(-0.5) && sigma < Real(0.5)) {
    const Real y = sigma * sigma;
    ratio = {L * polynomial<SinhSeries<Real>>(y), L * L * L * polynomial<SinhSlopeSeries<Real>>(y)};
  } else {
    const Real sinh_over_mu = (e - e_minus) / (2 * mu);
    ratio = {sinh_over_mu, (cosh_sigma.value * L - sinh_over_mu) / (2 * w)};
  }
  cosh_sigma.dw = L / 2 * ratio.value;
  Even<Real> f = gammas * (cosh_sigma * odd + ratio * even);
  D p = Real(0.5) * (D{e, e * L} * gamma_plus);
  Real q = Real(0.5) * (e_minus * gamma_minus);
  // p + q is even, and p - q = mu f: p + q = gammas (cosh_sigma even + w ratio odd)
  Real both_dw = (gammas * (cosh_sigma * even + Even<Real>{w, 1} * (ratio * odd))).dw;
  Even<Real> sum = f;
  D sum_next = p;
  Real c = 1;
  for (int k = 1; k <= 7; ++k) {
    const Real kk = k;
    const D below = reciprocal(D{kk - mu, -1});
    // 1 / (k^2 - w), whose derivative is its square
    const Real above = 1 / (kk + mu), product = below.value * above;
    const Even<Real> previous = f;
    f.value = (kk * f.value + p.value + q) * product;
    f.dw = (kk * f.dw + both_dw + f.value) * product;
    p = p * below;
    q = q * above;
    both_dw = (kk * both_dw + previous.value + w * previous.dw + p.value + q) * product;
    c *= quarter_square / kk;
    sum = {sum.value + c * f.value, sum.dw + c * f.dw};
    sum_next = sum_next + c * (p + (-kk) * in_mu(f));
  }
  return {sum.value, sum_next.value, 2 * mu * sum.dw, sum_next.derivative};
}

}  // namespace tessera::bessel::detail
