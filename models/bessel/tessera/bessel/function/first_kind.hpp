// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/recurrence.hpp"
#include "tessera/core/device/quotient.hpp"

namespace tessera::bessel::detail {

/// Largest order of I.
inline constexpr double kMaxOrderOfI = 1e6;

/// d log Gamma(nu + 1) / dnu for nu = mu + n >= 0, |mu| <= 1/2.
KOKKOS_INLINE_FUNCTION double digamma_of_next(double mu, int n) {
  using C = Coefficients<double>;
  const double mu2 = mu * mu;
  const Even<double> even = even_function<typename C::GammaEven>(mu2),
                     odd = even_function<typename C::GammaOdd>(mu2);
  // of 1 / Gamma(1 + mu) = even - mu odd
  double sum = (odd.value + 2 * mu * (mu * odd.dw - even.dw)) / (even.value - mu * odd.value);
  for (int k = 1; k <= n; ++k) sum += 1 / (mu + k);
  return sum;
}

/// I_nu(x) where sqrt(nu^2 + x^2) < 25, by the power series, whose terms are positive:
///
///   I = (x/2)^nu / Gamma(nu + 1) sum_k q^k / (k! (nu + 1)_k),   q = x^2 / 4.
template <bool with_order>
KOKKOS_INLINE_FUNCTION Exponential power_series(double nu, double x) {
  using C = Coefficients<double>;
  // q + rest is exact
  const double half = x / 2, q = compat::fma(half, half, 0.0), rest = compat::fma(half, half, -q);
  double term = 1, sum = 1, slope = 0;   // slope: the derivative of sum in q
  double harmonic = 0, order_slope = 0;  // sum_j 1 / (nu + j); minus the derivative in nu
  for (int k = 1; k < 200 && term > sum * 0x1p-57; ++k) {
    const double over = compat::reciprocal_of_normal(k * (k + nu));
    slope = multiply_add(term, k * over, slope);
    term *= q * over;
    sum += term;
    if constexpr (with_order) {
      harmonic += k * over;
      order_slope = multiply_add(term, harmonic, order_slope);
    }
  }
  const double lowest = sum;
  sum = multiply_add(slope, rest, sum);
  const int n = static_cast<int>(nu + 0.5);
  const double mu = nu - n, mu2 = mu * mu;
  // 1 / Gamma(1 + mu)
  const double over_gamma = multiply_add(-mu, polynomial<typename C::GammaOdd>(mu2),
                                         polynomial<typename C::GammaEven>(mu2));
  double product = 1;
  for (int k = 1; k <= n; ++k) product *= mu + k;
  int power;
  const double mantissa = take_exponent_of_any(x, power);
  const DoubleDouble log_half = log_of({mantissa, 0}, power - 1);
  Exponential e{sum * over_gamma / product, multiply({nu, 0}, log_half),
                nu / x + half * (slope / sum), 0};
  if constexpr (with_order)
    e.dlog_dnu = log_half.high - (digamma_of_next(mu, n) + order_slope / lowest);
  return e;
}

/// pi nu less the half turns of the whole number next to nu, and whether that number is odd.
struct HalfTurns {
  double angle;
  bool is_odd;
};
KOKKOS_INLINE_FUNCTION HalfTurns half_turns(double nu) {
  const double n = compat::math::floor(nu + 0.5);
  return {3.14159265358979323846264338327950288 * (nu - n),
          n - 2 * compat::math::floor(n / 2) != 0};
}

/// sin(pi nu), exactly 0 for whole nu.
KOKKOS_INLINE_FUNCTION double sine_pi(double nu) {
  const HalfTurns turns = half_turns(nu);
  const double sine = compat::math::sin(turns.angle);
  return turns.is_odd ? -sine : sine;
}

/// cos(pi nu).
KOKKOS_INLINE_FUNCTION double cosine_pi(double nu) {
  const HalfTurns turns = half_turns(nu);
  const double cosine = compat::math::cos(turns.angle);
  return turns.is_odd ? -cosine : cosine;
}

/// I_nu(x) = `one` for nu >= 0, and for nu < 0 by the reflection
///
///   I_-nu = I_nu + weight K_nu,   weight = 2/pi sin(pi nu).
struct FirstKind {
  double x;
  Exponential one, other;    ///< I and K of the order |nu|
  double weight = 0;         ///< of `other`
  bool is_negative = false;  ///< the order
  double weight_slope = 0;   ///< d weight / d|nu|
  double special = 0;        ///< 0, or that `special_*` hold the results
  double special_value = 0, special_scaled = 0, special_log = 0, special_slope = 0,
         special_order_slope = 0;

  KOKKOS_INLINE_FUNCTION double value(bool scaled) const {
    if (special != 0) return scaled ? special_scaled : special_value;
    const double first = one.value(x, scaled);
    return weight == 0 ? first : multiply_add(weight, other.value(x, scaled), first);
  }

  /// NaN where the function is negative.
  KOKKOS_INLINE_FUNCTION double logarithm() const {
    if (special != 0) return special_log;
    const double log_one = one.logarithm();
    if (weight == 0) return log_one;
    const double log_other = log_weighted_other(), difference = log_other - log_one;
    if (weight < 0) {
      if (difference > 0) return Format<double>::nan;
      return log_one + compat::math::log1p(-compat::math::exp(difference));
    }
    return difference > 0 ? log_other + compat::math::log1p(compat::math::exp(-difference))
                          : log_one + compat::math::log1p(compat::math::exp(difference));
  }

  KOKKOS_INLINE_FUNCTION double dlog_dx() const {
    if (special != 0) return special_slope;
    if (weight == 0) return one.dlog_dx;
    const double difference = log_weighted_other() - one.logarithm();
    const double sign = weight < 0 ? -1 : 1;
    if (difference > 0) {
      const double share = sign * compat::math::exp(-difference);
      return (other.dlog_dx + share * one.dlog_dx) / (1 + share);
    }
    const double share = sign * compat::math::exp(difference);
    return (one.dlog_dx + share * other.dlog_dx) / (1 + share);
  }

  /// d log |I| / dnu.
  KOKKOS_INLINE_FUNCTION double dlog_dnu() const {
    if (special != 0) return special_order_slope;
    if (!is_negative) return one.dlog_dnu;
    const double difference = other.logarithm() - one.logarithm(),
                 reflected = multiply_add(weight, other.dlog_dnu, weight_slope);
    if (difference > 0) {
      const double share = compat::math::exp(-difference);
      return -multiply_add(share, one.dlog_dnu, reflected) / (share + weight);
    }
    const double share = compat::math::exp(difference);
    return -multiply_add(share, reflected, one.dlog_dnu) / multiply_add(share, weight, 1.0);
  }

 private:
  KOKKOS_INLINE_FUNCTION double log_weighted_other() const {
    return compat::math::log(weight < 0 ? -weight : weight) + other.logarithm();
  }
};

/// The results where x is 0 or infinite, or an argument out of the domain.
KOKKOS_INLINE_FUNCTION void take_special(double nu, FirstKind& f) {
  constexpr double infinity = Format<double>::infinity, nan = Format<double>::nan;
  f.special = 1;
  f.special_value = f.special_scaled = f.special_log = f.special_slope = f.special_order_slope =
      nan;
  if (!(f.x >= 0) || !(nu <= kMaxOrderOfI) || !(nu >= -kMaxOrderOfI)) return;
  if (f.x > 0) {
    f.special_value = f.special_log = infinity;
    f.special_scaled = 0;
    f.special_slope = 1;
    f.special_order_slope = 0;
    return;
  }
  // log(x/2) next to x = 0; for whole negative orders -2 (-1)^nu K / I
  f.special_order_slope = nu < 0 && f.weight == 0 && f.weight_slope < 0 ? infinity : -infinity;
  if (nu == 0) {
    f.special_value = f.special_scaled = 1;
    f.special_log = f.special_slope = 0;
  } else if (f.weight == 0) {
    f.special_value = f.special_scaled = 0;
    f.special_log = -infinity;
    f.special_slope = infinity;
  } else {
    f.special_value = f.special_scaled = f.weight < 0 ? -infinity : infinity;
    f.special_log = f.weight < 0 ? nan : infinity;
    f.special_slope = -infinity;
  }
}

/// K_nu(x) by the quadrature and the series of this library.
template <bool with_order>
KOKKOS_INLINE_FUNCTION Exponential second_kind_below(double nu, double x) {
  const Evaluation<double> k = evaluate<double, with_order>(nu, x);
  const double logarithm = k.logarithm();
  // K itself where it is a number, else e to its logarithm
  if (logarithm < 600) return {k.value(), {0, 0}, k.dlog_dx(), k.dlog_dnu()};
  return {1, {logarithm, 0}, k.dlog_dx(), k.dlog_dnu()};
}

/// The forms of I_nu(x); those of d log I / dx and d log I / dnu only with `with_slope` and
/// `with_order`.
template <bool with_slope, bool with_order>
KOKKOS_INLINE_FUNCTION FirstKind evaluate_first_kind(double nu, double x) {
  FirstKind f;
  f.x = x;
  f.is_negative = nu < 0;
  const double order = nu < 0 ? -nu : nu;
  if (nu < 0 && order <= kMaxOrderOfI) {
    f.weight = 0.636619772367581343075535053490057448 * sine_pi(order);
    f.weight_slope = 2 * cosine_pi(order);
  }
  const bool has_other = f.weight != 0 || (with_order && f.is_negative);
  if (!(x > 0) || !(order <= kMaxOrderOfI) || x > Format<double>::largest) {
    take_special(nu, f);
  } else if (x > 1e30) {  // (2 pi x)^(-1/2), and K is 0 beside it
    f.one = {0.398942280401432677939946059934381868 / compat::math::sqrt(x), {x, 0}, 1, -order / x};
    f.weight = f.weight_slope = 0;
    f.other.factor = 1;
    f.other.power.high = -x;
  } else if (order * order + x * x < kUniformFrom * kUniformFrom) {
    f.one = power_series<with_order>(order, x);
    if (has_other) f.other = second_kind_below<with_order>(order, x);
  } else {
    const UniformExpansion<with_slope, with_order> expansion(order, x);
    f.one = expansion.first_kind();
    if (has_other) f.other = expansion.second_kind();
  }
  return f;
}

/// sqrt(pi / (2x)), for any x > 0.
KOKKOS_INLINE_FUNCTION double spherical_factor(double x) {
  return 1.25331413731550025120788264240552263 / compat::math::sqrt(x);
}

}  // namespace tessera::bessel::detail
