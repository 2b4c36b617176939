// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/logarithm.hpp"

namespace tessera::bessel::detail {

/// A function factor e^power, with its logarithmic derivatives.
struct Exponential {
  double factor = 0;
  DoubleDouble power;
  double dlog_dx = 0, dlog_dnu = 0;

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

/// A polynomial in q = nu^2 / w^2, or a sum of such polynomials over powers of h = sign / w, with
/// its derivatives in q and h.
struct UniformSum {
  double value, dq, dh;
};

/// The polynomial U_k or V_k of q, from its coefficient j on; unrolled.
template <class Table, int k, bool with_order, int j = 0>
KOKKOS_FORCEINLINE_FUNCTION UniformSum uniform_polynomial(double q) {
  constexpr double coefficient = Table::at(k * (k + 1) / 2 + j);
  if constexpr (j == k) {
    return {coefficient, 0, 0};
  } else {
    const UniformSum rest = uniform_polynomial<Table, k, with_order, j + 1>(q);
    return {multiply_add(rest.value, q, coefficient),
            with_order ? multiply_add(rest.dq, q, rest.value) : 0, 0};
  }
}

/// Its sum over k < terms, from k on.
template <class Table, int terms, bool with_order, int k = 0>
KOKKOS_FORCEINLINE_FUNCTION UniformSum uniform_sum(double h, double q) {
  const UniformSum term = uniform_polynomial<Table, k, with_order>(q);
  if constexpr (k == terms - 1) {
    return term;
  } else {
    const UniformSum rest = uniform_sum<Table, terms, with_order, k + 1>(h, q);
    return {multiply_add(rest.value, h, term.value),
            with_order ? multiply_add(rest.dq, h, term.dq) : 0,
            with_order ? multiply_add(rest.dh, h, rest.value) : 0};
  }
}

/// The sums of the uniform expansion of I (sign = 1) or K (sign = -1) and of its derivative,
///
///   sum_k h^k U_k(q),   sum_k h^k V_k(q),   h = sign / w,
///
/// with as many terms as w needs. w is at least that of `most` terms.
template <class Table, bool with_order, int most>
KOKKOS_INLINE_FUNCTION UniformSum uniform_sum(double w, double q, double sign) {
  const double h = sign / w;
  if (w >= UniformLimit::at(5)) return uniform_sum<Table, 5, with_order>(h, q);
  if (w >= UniformLimit::at(9)) return uniform_sum<Table, 9, with_order>(h, q);
  if constexpr (most > 13) {
    if (w < UniformLimit::at(13)) return uniform_sum<Table, most, with_order>(h, q);
  }
  return uniform_sum<Table, 13, with_order>(h, q);
}

/// I_nu(x) and K_nu(x) where w = sqrt(nu^2 + x^2) >= 25, by the uniform expansion (DLMF 10.41),
///
///   I = e^s (2 pi w)^(-1/2) sum U_k w^-k,   s = w + nu log(x / (nu + w)) = x + excess,
///   K = e^-s (pi / (2 w))^(1/2) sum U_k (-w)^-k,
///
/// which includes Hankel's expansion for nu = 0. The excess is d - nu log(1 + (nu + d) / x), d =
/// nu^2 / (w + x), in 32 digits. Derivatives in nu come term by term, from ds / dnu = log(x / (nu +
/// w)).
template <bool with_slope, bool with_order, int most = kUniformTerms>
struct UniformExpansion {
  double nu, x;
  double w, q;       ///< q = nu^2 / w^2
  double x_share;    ///< 1 - q = x^2 / w^2
  double log_ratio;  ///< log((nu + w) / x)
  DoubleDouble excess;

  KOKKOS_INLINE_FUNCTION UniformExpansion(double order, double argument) : nu(order), x(argument) {
    const DoubleDouble nu_square = multiply({nu, 0}, {nu, 0}), x_square = multiply({x, 0}, {x, 0}),
                       sum = add(nu_square, x_square), root = square_root(sum),
                       d = divide(nu_square, add(root, {x, 0})), over = add({nu, 0}, d);
    w = root.high;
    q = nu_square.high / sum.high;
    x_share = x_square.high / sum.high;
    DoubleDouble ratio_log;
    if (over.high < x / 128) {
      ratio_log = log_one_plus(divide(over, x));
    } else {
      int power_of_x, power;
      const double mantissa = take_exponent_of_any(x, power_of_x);
      const DoubleDouble ratio = divide(add({nu, 0}, root), mantissa);
      const double leading = take_exponent(ratio.high, power);
      ratio_log = log_of({leading, scale_by_power(ratio.low, -power)}, power - power_of_x);
    }
    log_ratio = ratio_log.high;
    excess = add(d, negative(multiply({nu, 0}, ratio_log)));
  }

  KOKKOS_INLINE_FUNCTION Exponential first_kind() const {
    return of(1, 0.398942280401432677939946059934381868, add({x, 0}, excess));
  }

  KOKKOS_INLINE_FUNCTION Exponential second_kind() const {
    return of(-1, 1.25331413731550025120788264240552263, negative(add({x, 0}, excess)));
  }

  /// e^x K.
  KOKKOS_INLINE_FUNCTION Exponential scaled_second_kind() const {
    return of(-1, 1.25331413731550025120788264240552263, negative(excess));
  }

 private:
  KOKKOS_INLINE_FUNCTION Exponential of(double sign, double factor,
                                        const DoubleDouble& power) const {
    const UniformSum sum = uniform_sum<UniformValue, with_order, most>(w, q, sign);
    Exponential e{factor / compat::math::sqrt(w) * sum.value, power, 0, 0};
    if constexpr (with_slope)
      e.dlog_dx =
          sign * (w / x) * (uniform_sum<UniformSlope, false, most>(w, q, sign).value / sum.value);
    if constexpr (with_order) {
      const double in_sum = (2 * x_share * sum.dq - sign / w * sum.dh) / sum.value;
      e.dlog_dnu = multiply_add(nu / (w * w), in_sum - 0.5, -sign * log_ratio);
    }
    return e;
  }
};

}  // namespace tessera::bessel::detail
