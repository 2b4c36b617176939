// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/function/order_pair.hpp"
#include "tessera/bessel/function/uniform_expansion.hpp"

namespace tessera::bessel::detail {

/// From this order on, K in double comes from the uniform expansion.
inline constexpr double kUniformOrder = 60;

/// Largest order of K.
template <class Real>
inline constexpr Real kMaxOrderOfK = sizeof(Real) == 8 ? Real(1e6) : Real(200);

/// Steps of the recurrence in the order between two looks at the exponent: K grows by less than
/// 2^12 a step.
template <class Real>
inline constexpr int kStepsPerLook = sizeof(Real) == 8 ? 64 : 6;

/// Goes from K_mu, K_{mu+1} to K_{mu+n}, K_{mu+n+1}, with the derivatives, by K_{m+1} = 2m/x K_m +
/// K_{m-1}; for x >= 0.1. Powers of two that the numbers outgrow go to `exponent`.
template <class Real, bool with_order>
KOKKOS_INLINE_FUNCTION void recur_upwards(Real mu, Real x, int n, OrderPair<Real>& pair,
                                          int& exponent) {
  const Real two_over_x = 2 / x,
             rest = multiply_add(-two_over_x, x, Real(2)) * Real(0.5) * two_over_x;
  Real k0 = pair.k0, k1 = pair.k1, d0 = pair.d0, d1 = pair.d1, order = mu;
  for (int i = 0; i < n;) {
    const int stop = n - i < kStepsPerLook<Real> ? n : i + kStepsPerLook<Real>;
    for (; i < stop; ++i) {
      order += 1;
      const Real factor = multiply_add(order, two_over_x, order * rest);
      const Real k2 = multiply_add(factor, k1, k0);
      if constexpr (with_order) {
        const Real d2 = multiply_add(factor, d1, multiply_add(two_over_x, k1, d0));
        d0 = d1;
        d1 = d2;
      }
      k0 = k1;
      k1 = k2;
    }
    if (i < n) {
      int taken;
      take_exponent(k1, taken);
      const Real scale = from_bits<Real>(
          static_cast<typename Format<Real>::Bits>(Format<Real>::exponent_bias - taken)
          << Format<Real>::mantissa_bits);
      k0 *= scale;
      k1 *= scale;
      d0 *= scale;
      d1 *= scale;
      exponent += taken;
    }
  }
  pair = {k0, k1, d0, d1};
}

/// Does the same for J_m = (x/2)^m K_{mu+m}, J_{m+1} = (mu+m) J_m + (x/2)^2 J_{m-1}; for small x.
template <class Real>
KOKKOS_INLINE_FUNCTION void recur_upwards_scaled(Real mu, Real quarter_square, int n,
                                                 OrderPair<Real>& pair, int& exponent) {
  Real k0 = pair.k0, k1 = pair.k1, d0 = pair.d0, d1 = pair.d1, order = mu;
  for (int i = 0; i < n;) {
    const int stop = n - i < kStepsPerLook<Real> ? n : i + kStepsPerLook<Real>;
    for (; i < stop; ++i) {
      order += 1;
      const Real k2 = multiply_add(order, k1, quarter_square * k0),
                 d2 = multiply_add(order, d1, multiply_add(quarter_square, d0, k1));
      k0 = k1;
      k1 = k2;
      d0 = d1;
      d1 = d2;
    }
    if (i < n) {
      int taken;
      take_exponent(k1, taken);
      k0 = scale_by_power(k0, -taken);
      k1 = scale_by_power(k1, -taken);
      d0 = scale_by_power(d0, -taken);
      d1 = scale_by_power(d1, -taken);
      exponent += taken;
    }
  }
  pair = {k0, k1, d0, d1};
}

/// K_nu(x) = e^-shift (2/x)^power 2^exponent k0, with shift = 0 if `small` and x else, and what its
/// forms need.
template <class Real>
struct Evaluation {
  Real nu, x;
  OrderPair<Real> pair;  ///< of the orders nu and nu + 1; that of nu + 1 without 2/x if `is_bare`
  int power = 0, exponent = 0;
  bool small = false;  ///< from Temme's series
  bool is_bare = false;
  bool is_negative = false;  ///< the order, of which nu is the magnitude
  Real special = 0;          ///< 0, or NaN, or an infinity where x = 0, or minus that where x = inf

  KOKKOS_INLINE_FUNCTION Real scaled() const {
    if (special != 0) return special < 0 ? 0 : special;
    return small ? magnitude() * compat::math::exp(x) : scale_by_power(pair.k0, exponent);
  }

  KOKKOS_INLINE_FUNCTION Real value() const {
    if (special != 0) return special < 0 ? 0 : special;
    if (small) return magnitude();
    if (exponent != 0) return scaled_last();
    // e^-x in two factors, so that it does not vanish before its product with a large number
    const Real half = compat::math::exp(Real(-0.5) * x);
    return half * (half * pair.k0);
  }

  KOKKOS_INLINE_FUNCTION Real logarithm() const {
    if (special != 0) return special;
    const Real fraction =
        multiply_add(static_cast<Real>(exponent), LogTwo<Real>::low, compat::math::log(pair.k0));
    if (!small) {  // rounded once, where the power of two and x are large
      const Real first = exponent * LogTwo<Real>::high, sum = first - x, taken = first - sum,
                 rest = (first - (sum + taken)) - (x - taken);
      return sum + (rest + fraction);
    }
    const SplitLogarithm<Real> base = split_log_two_over(x);
    return (power * base.high + exponent * LogTwo<Real>::high) + (power * base.low + fraction);
  }

  KOKKOS_INLINE_FUNCTION Real dlog_dx() const {
    if (special != 0) return special < 0 ? -1 : -special;
    const Real ratio = pair.k1 / pair.k0;
    return is_bare ? (nu - 2 * ratio) / x : nu / x - ratio;
  }

  /// The derivative is odd in nu, since K is even. Its limit for large x is nu / x.
  KOKKOS_INLINE_FUNCTION Real dlog_dnu() const {
    if (special < 0 || (special > 0 && nu == 0)) return 0;
    if (special != 0) return is_negative ? -special : special;
    const Real slope = x > Real(1e20) ? nu / x : pair.d0 / pair.k0;
    return is_negative ? -slope : slope;
  }

 private:
  /// e^-x 2^exponent k0, the powers of two of all three in one: neither factor leaves the numbers
  /// before the product does.
  KOKKOS_INLINE_FUNCTION Real scaled_last() const {
    // beyond, e^-x makes K vanish for every order
    if (x > (sizeof(Real) == 8 ? Real(1e7) : Real(4000))) return 0;
    constexpr Real log2_e = Real(1.44269504088896340735992468100189214);
    const int n = static_cast<int>(x * log2_e + Real(0.5));
    const Real rest = (x - n * LogTwo<Real>::high) - n * LogTwo<Real>::low;
    int taken;
    const Real mantissa = take_exponent(pair.k0, taken);
    return scale_by_power(mantissa * compat::math::exp(-rest), exponent + taken - n);
  }

  /// (2/x)^power 2^exponent k0.
  KOKKOS_INLINE_FUNCTION Real magnitude() const {
    if (power == 0) return pair.k0;
    // 2/x = f 2^(1 - a) with 0.7 < f < 1.5, whose powers stay numbers, where x itself may be below
    // the normal numbers
    const bool tiny = x < Format<Real>::smallest;
    constexpr int lift = Format<Real>::mantissa_bits + 2;
    int a;
    const Real mantissa = take_exponent(tiny ? scale_by_power(x, lift) : x, a);
    if (tiny) a -= lift;
    // 1 / mantissa = f (1 + rest)
    const Real f = 1 / mantissa, rest = multiply_add(-f, mantissa, Real(1));
    const bool small_factor = f < Real(0.7071067811865475244);
    if (small_factor) ++a;
    int taken;
    const Real k = take_exponent(pair.k0, taken);
    Real base = small_factor ? 2 * f : f, product = 1;
    for (int n = power; n > 0; n >>= 1) {
      if (n & 1) product *= base;
      base *= base;
    }
    return scale_by_power(k * (product * multiply_add(Real(power), rest, Real(1))),
                          exponent + taken + power * (1 - a));
  }
};

/// Fills an evaluation of the order e.nu >= kUniformOrder by the uniform expansion, with the powers
/// of two of e^x K in its exponent.
template <bool with_order>
KOKKOS_INLINE_FUNCTION void take_uniform_expansion(Evaluation<double>& e) {
  constexpr int terms = 13;  // enough for w >= kUniformOrder
  const Exponential k = UniformExpansion<true, with_order, terms>(e.nu, e.x).scaled_second_kind();
  const DividedExponent power = divide_exponent(k.power);
  e.exponent = power.exponent;
  e.is_bare = true;
  e.pair.k0 = k.factor * compat::math::exp(power.rest);
  e.pair.k1 = e.pair.k0 * (0.5 * (e.nu - e.x * k.dlog_dx));
  e.pair.d0 = e.pair.k0 * k.dlog_dnu;
}

template <class Real, bool with_order>
KOKKOS_INLINE_FUNCTION Evaluation<Real> evaluate(Real nu, Real x) {
  Evaluation<Real> e;
  e.is_negative = nu < 0;
  e.nu = e.is_negative ? -nu : nu;
  e.x = x;
  e.pair = {1, 1, 0, 0};
  if (!(x > 0) || !(e.nu <= kMaxOrderOfK<Real>) || x > Real(1e30)) {
    if (!(x >= 0) || !(e.nu <= kMaxOrderOfK<Real>)) {
      e.special = Format<Real>::nan;
    } else if (x == 0) {
      e.special = Format<Real>::infinity;
    } else if (x > Format<Real>::largest) {
      e.special = -Format<Real>::infinity;
    } else {  // sqrt(pi / (2x)) with its first correction
      const Real k = compat::math::sqrt(Real(1.57079632679489661923132169163975144) / x);
      e.pair = {k, k * (1 + (e.nu + Real(0.5)) / x), k * (e.nu / x), 0};
    }
    return e;
  }
  if constexpr (sizeof(Real) == 8) {
    if (e.nu >= kUniformOrder) {
      take_uniform_expansion<with_order>(e);
      return e;
    }
  }
  const int n = static_cast<int>(e.nu + Real(0.5));
  const Real mu = e.nu - n;
  if (x >= Real(kSmallArgument)) {
    e.pair = quadrature_pair<Real, with_order>(mu, x);
    recur_upwards<Real, with_order>(mu, x, n, e.pair, e.exponent);
  } else {
    const Real quarter_square = (x / 2) * (x / 2);
    e.small = e.is_bare = true;
    e.power = n;
    e.pair = temme_pair(mu, split_log_two_over(x), quarter_square);
    recur_upwards_scaled(mu, quarter_square, n, e.pair, e.exponent);
    // (2/x)^power is of the integer part of the order and does not change with nu
  }
  return e;
}

}  // namespace tessera::bessel::detail
