// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/logarithm.hpp"
#include "tessera/bessel/function/recurrence.hpp"

namespace tessera::bessel::detail {

/// Largest order of I.
inline constexpr double kMaxOrderOfI = 1e6;

/// A function factor e^power, with its logarithmic derivative in x.
struct Exponential {
  double factor = 0;
  DoubleDouble power;
  double dlog_dx = 0;

  /// The function, times e^-x if `scaled`.
  KOKKOS_INLINE_FUNCTION double value(double x, bool scaled) const {
    return times_exponential(factor, scaled ? add(power, {-x, 0}) : power);
  }

  KOKKOS_INLINE_FUNCTION double logarithm() const {
    // of the product, where a sum of two logarithms could lose digits
    if (power.high < 100 && power.high > -100)
      return compat::math::log(times_exponential(factor, power));
    return power.high + (power.low + compat::math::log(factor));
  }
};

/// The polynomial U_k or V_k, from its coefficient j on; unrolled.
template <class Table, int k, int j = 0>
KOKKOS_FORCEINLINE_FUNCTION double uniform_polynomial(double square) {
  constexpr double coefficient = Table::at(k * (k + 1) / 2 + j);
  if constexpr (j == k) {
    return coefficient;
  } else {
    return multiply_add(uniform_polynomial<Table, k, j + 1>(square), square, coefficient);
  }
}

/// Its sum over k < terms, from k on.
template <class Table, int terms, int k = 0>
KOKKOS_FORCEINLINE_FUNCTION double uniform_sum(double step, double square) {
  if constexpr (k == terms - 1) {
    return uniform_polynomial<Table, k>(square);
  } else {
    return multiply_add(uniform_sum<Table, terms, k + 1>(step, square), step,
                        uniform_polynomial<Table, k>(square));
  }
}

/// The sums of the uniform expansion of I (sign = 1) or K (sign = -1) and of its derivative,
///
///   sum_k (sign / w)^k U_k(nu^2 / w^2),   sum_k (sign / w)^k V_k(nu^2 / w^2),
///
/// with as many terms as w needs.
template <class Table>
KOKKOS_INLINE_FUNCTION double uniform_sum(double w, double square, double sign) {
  const double step = sign / w;
  if (w >= UniformLimit::at(5)) return uniform_sum<Table, 5>(step, square);
  if (w >= UniformLimit::at(9)) return uniform_sum<Table, 9>(step, square);
  if (w >= UniformLimit::at(13)) return uniform_sum<Table, 13>(step, square);
  return uniform_sum<Table, kUniformTerms>(step, square);
}

/// I_nu(x) and K_nu(x) where w = sqrt(nu^2 + x^2) >= 25, by the uniform expansion (DLMF 10.41),
///
///   I = e^s (2 pi w)^(-1/2) sum U_k w^-k,   s = w + nu log(x / (nu + w)),
///   K = e^-s (pi / (2 w))^(1/2) sum U_k (-w)^-k,
///
/// which includes Hankel's expansion for nu = 0. s is built as x + d - nu log(1 + (nu + d) / x),
/// d = nu^2 / (w + x), in 32 digits.
template <bool with_slope>
struct UniformExpansion {
  double nu, x;
  double w, square;  ///< nu^2 / w^2
  DoubleDouble s;

  KOKKOS_INLINE_FUNCTION UniformExpansion(double order, double argument) : nu(order), x(argument) {
    const DoubleDouble nu_square = multiply({nu, 0}, {nu, 0}),
                       sum = add(nu_square, multiply({x, 0}, {x, 0})), root = square_root(sum),
                       d = divide(nu_square, add(root, {x, 0})), over = add({nu, 0}, d);
    w = root.high;
    square = nu_square.high / sum.high;
    DoubleDouble log_ratio;
    if (over.high < x / 128) {
      log_ratio = log_one_plus(divide(over, x));
    } else {
      int power_of_x, power;
      const double mantissa = take_exponent_of_any(x, power_of_x);
      const DoubleDouble ratio = divide(add({nu, 0}, root), mantissa);
      const double leading = take_exponent(ratio.high, power);
      log_ratio = log_of({leading, scale_by_power(ratio.low, -power)}, power - power_of_x);
    }
    s = add(add({x, 0}, d), negative(multiply({nu, 0}, log_ratio)));
  }

  KOKKOS_INLINE_FUNCTION Exponential first_kind() const {
    return of(1, 0.398942280401432677939946059934381868, s);
  }

  KOKKOS_INLINE_FUNCTION Exponential second_kind() const {
    return of(-1, 1.25331413731550025120788264240552263, negative(s));
  }

 private:
  KOKKOS_INLINE_FUNCTION Exponential of(double sign, double factor,
                                        const DoubleDouble& power) const {
    const double value = uniform_sum<UniformValue>(w, square, sign);
    Exponential e{factor / compat::math::sqrt(w) * value, power, 0};
    if constexpr (with_slope)
      e.dlog_dx = sign * (w / x) * (uniform_sum<UniformSlope>(w, square, sign) / value);
    return e;
  }
};

/// I_nu(x) where sqrt(nu^2 + x^2) < 25, by the power series, whose terms are positive:
///
///   I = (x/2)^nu / Gamma(nu + 1) sum_k q^k / (k! (nu + 1)_k),   q = x^2 / 4.
KOKKOS_INLINE_FUNCTION Exponential power_series(double nu, double x) {
  using C = Coefficients<double>;
  // q + rest is exact
  const double half = x / 2, q = compat::fma(half, half, 0.0), rest = compat::fma(half, half, -q);
  double term = 1, sum = 1, slope = 0;  // slope: the derivative of sum in q
  for (int k = 1; k < 200 && term > sum * 0x1p-57; ++k) {
    const double over = 1 / (k * (k + nu));
    slope = multiply_add(term, k * over, slope);
    term *= q * over;
    sum += term;
  }
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
  return {sum * over_gamma / product, multiply({nu, 0}, log_of({mantissa, 0}, power - 1)),
          nu / x + half * (slope / sum)};
}

/// sin(pi nu), exactly 0 for whole nu.
KOKKOS_INLINE_FUNCTION double sine_pi(double nu) {
  const double n = compat::math::floor(nu + 0.5), f = nu - n;
  const double sine = compat::math::sin(3.14159265358979323846264338327950288 * f);
  return n - 2 * compat::math::floor(n / 2) == 0 ? sine : -sine;
}

/// I_nu(x) = `one` for nu >= 0, and for nu < 0 by the reflection
///
///   I_-nu = I_nu + weight K_nu,   weight = 2/pi sin(pi nu).
struct FirstKind {
  double x;
  Exponential one, other;  ///< I and K of the order |nu|
  double weight = 0;       ///< of `other`
  double special = 0;      ///< 0, or that `special_*` hold the results
  double special_value = 0, special_scaled = 0, special_log = 0, special_slope = 0;

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

 private:
  KOKKOS_INLINE_FUNCTION double log_weighted_other() const {
    return compat::math::log(weight < 0 ? -weight : weight) + other.logarithm();
  }
};

/// The results where x is 0 or infinite, or an argument out of the domain.
KOKKOS_INLINE_FUNCTION void take_special(double nu, FirstKind& f) {
  constexpr double infinity = Format<double>::infinity, nan = Format<double>::nan;
  f.special = 1;
  f.special_value = f.special_scaled = f.special_log = f.special_slope = nan;
  if (!(f.x >= 0) || !(nu <= kMaxOrderOfI) || !(nu >= -kMaxOrderOfI)) return;
  if (f.x > 0) {
    f.special_value = f.special_log = infinity;
    f.special_scaled = 0;
    f.special_slope = 1;
  } else if (nu == 0) {
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
KOKKOS_INLINE_FUNCTION Exponential second_kind_below(double nu, double x) {
  const Evaluation<double> k = evaluate<double, false>(nu, x);
  const double logarithm = k.logarithm();
  // K itself where it is a number, else e to its logarithm
  if (logarithm < 600) return {k.value(), {0, 0}, k.dlog_dx()};
  return {1, {logarithm, 0}, k.dlog_dx()};
}

/// The forms of I_nu(x); that of d log I / dx only with `with_slope`.
template <bool with_slope>
KOKKOS_INLINE_FUNCTION FirstKind evaluate_first_kind(double nu, double x) {
  FirstKind f;
  f.x = x;
  const double order = nu < 0 ? -nu : nu;
  if (nu < 0 && order <= kMaxOrderOfI)
    f.weight = 0.636619772367581343075535053490057448 * sine_pi(order);
  if (!(x > 0) || !(order <= kMaxOrderOfI) || x > Format<double>::largest) {
    take_special(nu, f);
  } else if (x > 1e30) {  // (2 pi x)^(-1/2), and K is 0 beside it
    f.one = {0.398942280401432677939946059934381868 / compat::math::sqrt(x), {x, 0}, 1};
    f.weight = 0;
  } else if (order * order + x * x < kUniformFrom * kUniformFrom) {
    f.one = power_series(order, x);
    if (f.weight != 0) f.other = second_kind_below(order, x);
  } else {
    const UniformExpansion<with_slope> expansion(order, x);
    f.one = expansion.first_kind();
    if (f.weight != 0) f.other = expansion.second_kind();
  }
  return f;
}

}  // namespace tessera::bessel::detail
