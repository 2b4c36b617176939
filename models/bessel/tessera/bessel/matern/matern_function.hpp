// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "tessera/bessel/function/scalar.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

// The Matern correlation of one smoothness as a function of s = h^2, in three ranges:
//   s < 2^kFirstExponent   expansion about zero, with logarithm
//   up to 4^far_exponent   a polynomial on every sixteenth of a binade of s, chosen by the bits of
//                          s: no root, no exponential, no branch
//   beyond                 one on every quarter of a binade of h, times the leading term of the
//                          uniform expansion for large h or nu

namespace tessera::bessel {

/// Smallest and largest smoothness of a table: below, M is of the order of nu, and the last
/// coefficients of its polynomials, in single precision, lose their digits.
inline constexpr double kMaternMinNu = 1e-20, kMaternMaxNu = 200;

namespace detail {

inline constexpr int kFirstExponent = -20;   // below s = 2^-20 the expansion takes over
inline constexpr int kLastFarExponent = 11;  // M underflows before h = 2^11 for every nu up to 200
inline constexpr int kDegree = 9;
// c_0 ... c_5; the others are so small that float holds them well enough
inline constexpr int kDoubleCoefficients = 6;
inline constexpr int kDoublesPerInterval = 8;  // 6 doubles and 4 floats

inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// 16 bytes, moved with one instruction.
struct alignas(16) DoublePair {
  double a, b;
};
struct alignas(16) FloatQuad {
  float a, b, c, d;
};

/// Expansion about zero for nu = n + delta, |delta| <= 1/2, in pairs of terms that stay finite at
/// integers: M = sum_{j<n} a_j s^j + sum_k C_k s^{n+k} lambda_k phi(delta lambda_k), lambda_k = ln
/// s + q_k, phi(y) = (e^y - 1) / y.
struct MaternExpansion {
  int n = 0;
  double delta = 0;
  double a[3] = {}, a_dnu[3] = {};
  double C[3] = {}, C_dnu[3] = {};
  double q[3] = {}, q_dnu[3] = {};
};

/// The division of the range into intervals, and the expansion about zero.
struct MaternShape {
  double nu = 0;
  int near_intervals = 0;  ///< polynomials in s, from 2^kFirstExponent
  int far_exponent = 0;    ///< those in h begin at 2^far_exponent
  int far_intervals = 0;
  MaternExpansion expansion;

  KOKKOS_INLINE_FUNCTION int intervals() const { return near_intervals + far_intervals; }
};

/// A division of the positive numbers into 2^Bits equal intervals per binade, counted from that of
/// 2^first.
template <int Bits, int first>
struct Division {
  static constexpr int per_binade = 1 << Bits;

  /// The interval that x > 0 lies in. Negative numbers, NaN and infinity get one beyond every
  /// table.
  KOKKOS_INLINE_FUNCTION static std::uint32_t interval(double x) {
    return static_cast<std::uint32_t>(to_bits(x) >> (52 - Bits)) -
           static_cast<std::uint32_t>((1023 + first) * per_binade);
  }

  /// The local coordinate z of x in its interval, -1 <= z < 1; exact.
  KOKKOS_INLINE_FUNCTION static double local(double x) {
    const double y =
        from_bits<double>((to_bits(x) & ((1ull << (52 - Bits)) - 1)) | 0x3FF0000000000000ull);
    return compat::fma(y, 2.0 * per_binade, -2.0 * per_binade - 1);
  }

  /// dz/dx.
  KOKKOS_INLINE_FUNCTION static double dlocal_dx(double x) {
    return 2 * per_binade / from_bits<double>(to_bits(x) & 0x7FF0000000000000ull);
  }
};

using Near = Division<4, kFirstExponent>;  ///< of s
using Far = Division<2, 0>;                ///< of h

/// Polynomials of degree 9, one for each interval: arrays of (c_0, c_1), of (c_2, c_3), of (c_4,
/// c_5) and of (c_6, c_7, c_8, c_9), so that neighbouring intervals lie in different banks of a
/// GPU's shared memory. `stride` is the number of intervals of the whole table.
struct MaternPolynomials {
  const double* data = nullptr;
  std::uint32_t stride = 0;

  KOKKOS_INLINE_FUNCTION DoublePair pair(int k, std::uint32_t interval) const {
    return reinterpret_cast<const DoublePair*>(
        data)[static_cast<std::size_t>(k) * stride + interval];
  }
  KOKKOS_INLINE_FUNCTION FloatQuad quad(std::uint32_t interval) const {
    return reinterpret_cast<const FloatQuad*>(
        data)[static_cast<std::size_t>(3) * stride + interval];
  }

  KOKKOS_INLINE_FUNCTION double value(std::uint32_t interval, double z) const {
    const DoublePair low = pair(0, interval), middle = pair(1, interval), high = pair(2, interval);
    const FloatQuad tail = quad(interval);
    const float t = static_cast<float>(z);
    const float small = ((tail.d * t + tail.c) * t + tail.b) * t + tail.a;
    double sum = compat::fma(static_cast<double>(small), z, high.b);
    sum = compat::fma(sum, z, high.a);
    sum = compat::fma(sum, z, middle.b);
    sum = compat::fma(sum, z, middle.a);
    sum = compat::fma(sum, z, low.b);
    return compat::fma(sum, z, low.a);
  }

  /// The value, and the derivative to z.
  KOKKOS_INLINE_FUNCTION double value_and_derivative(std::uint32_t interval, double z,
                                                     double& derivative) const {
    const DoublePair low = pair(0, interval), middle = pair(1, interval), high = pair(2, interval);
    const FloatQuad tail = quad(interval);
    const float t = static_cast<float>(z);
    const float small = ((tail.d * t + tail.c) * t + tail.b) * t + tail.a;
    const float small_derivative = (3 * tail.d * t + 2 * tail.c) * t + tail.b;
    double sum = small, sum_derivative = small_derivative;
    const double c[] = {low.a, low.b, middle.a, middle.b, high.a, high.b};
    for (int k = kDoubleCoefficients - 1; k >= 0; --k) {
      sum_derivative = compat::fma(sum_derivative, z, sum);
      sum = compat::fma(sum, z, c[k]);
    }
    derivative = sum_derivative;
    return sum;
  }
};

}  // namespace detail

/// M(h), s dM/ds = h/2 dM/dh and dM/dnu.
struct MaternJet {
  double m, s_dm_ds, dm_dnu;
};

namespace detail {

/// (e^y - 1) / y and its derivative.
KOKKOS_INLINE_FUNCTION void phi(double y, double& value, double& derivative) {
  if (y > -0.5 && y < 0.5) {
    value = 1;
    derivative = 0;
    double term = 1, power = 1;  // 1 / (k + 1)!, y^(k-1)
    for (int k = 1; k <= 13; ++k) {
      term /= k + 1;
      derivative += k * term * power;
      power *= y;
      value += term * power;
    }
  } else {
    value = compat::math::expm1(y) / y;
    derivative = (compat::math::exp(y) - value) / y;
  }
}

/// The interval below 2^kFirstExponent, from s >= 0 and its logarithm.
KOKKOS_INLINE_FUNCTION MaternJet matern_near_zero(const MaternExpansion& e, double s,
                                                  double log_s) {
  MaternJet sum{0, 0, 0};
  double power = 1;
  for (int j = 0; j < (e.n < 3 ? e.n : 3); ++j) {
    sum.m += e.a[j] * power;
    sum.s_dm_ds += j * e.a[j] * power;
    sum.dm_dnu += e.a_dnu[j] * power;
    power *= s;
  }
  if (e.n >= 3 || (e.n > 0 && s < 1e-250)) return sum;
  int first = 0;
  // the pair that holds the whole of M, without rounding it twice: 1 - e^(nu lambda)
  if (e.n == 0) {
    const double lambda = log_s + e.q[0], y = e.delta * lambda, exponential = compat::math::exp(y);
    sum.m = -compat::math::expm1(y);
    sum.s_dm_ds = -e.delta * exponential;
    sum.dm_dnu = -exponential * (lambda + e.delta * e.q_dnu[0]);
    power = s;
    first = 1;
  }
  for (int k = first; k < 3; ++k) {
    const double lambda = log_s + e.q[k], y = e.delta * lambda;
    double f, derivative;
    phi(y, f, derivative);
    const double exponential = 1 + y * f;
    sum.m += e.C[k] * power * lambda * f;
    sum.s_dm_ds += e.C[k] * power * ((e.n + k) * lambda * f + exponential);
    sum.dm_dnu += power * (e.C_dnu[k] * lambda * f +
                           e.C[k] * (e.q_dnu[k] * exponential + lambda * lambda * derivative));
    power *= s;
  }
  return sum;
}

}  // namespace detail

/// Evaluates the correlation from polynomials that lie anywhere: in a table's memory, or in a copy
/// near the processor.
struct MaternFunction {
  detail::MaternPolynomials value_polynomials, order_polynomials;
  detail::MaternShape shape;

  /// M(h).
  KOKKOS_INLINE_FUNCTION double at_distance(double h) const {
    const double s = h * h;
    const std::uint32_t interval = detail::Near::interval(s);
    if (interval < static_cast<std::uint32_t>(shape.near_intervals) && h > 0)
      return value_polynomials.value(interval, detail::Near::local(s));
    // s may be 0
    if (h > 0 && h < 1)
      return detail::matern_near_zero(shape.expansion, s, 2 * compat::math::log(h)).m;
    return h < 0 ? detail::kNotANumber : far_value(s);
  }

  /// M at s = h^2.
  KOKKOS_INLINE_FUNCTION double at_square(double s) const {
    const std::uint32_t interval = detail::Near::interval(s);
    if (interval < static_cast<std::uint32_t>(shape.near_intervals))
      return value_polynomials.value(interval, detail::Near::local(s));
    return outside(s);
  }

  /// Evaluates M for at_square where the polynomials in s do not reach: about zero, far away, and
  /// for what is no square.
  KOKKOS_INLINE_FUNCTION double outside(double s) const {
    return s > 0 && s < 1 ? detail::matern_near_zero(shape.expansion, s, compat::math::log(s)).m
                          : far_value(s);
  }

  /// M(h), h/2 dM/dh and dM/dnu.
  KOKKOS_INLINE_FUNCTION MaternJet jet_at_distance(double h) const {
    const double s = h * h;
    const std::uint32_t interval = detail::Near::interval(s);
    if (interval < static_cast<std::uint32_t>(shape.near_intervals) && h > 0)
      return near_jet(s, interval);
    if (h > 0 && h < 1)
      return detail::matern_near_zero(shape.expansion, s, 2 * compat::math::log(h));
    return far_jet(h < 0 ? detail::kNotANumber : s);
  }

  KOKKOS_INLINE_FUNCTION MaternJet jet_at_square(double s) const {
    const std::uint32_t interval = detail::Near::interval(s);
    if (interval < static_cast<std::uint32_t>(shape.near_intervals)) return near_jet(s, interval);
    return s > 0 && s < 1 ? detail::matern_near_zero(shape.expansion, s, compat::math::log(s))
                          : far_jet(s);
  }

 private:
  KOKKOS_INLINE_FUNCTION MaternJet near_jet(double s, std::uint32_t interval) const {
    const double z = detail::Near::local(s);
    MaternJet jet{};
    double derivative;
    jet.m = value_polynomials.value_and_derivative(interval, z, derivative);
    jet.s_dm_ds = derivative * detail::Near::dlocal_dx(s) * s;
    jet.dm_dnu = order_polynomials.value(interval, z);
    return jet;
  }

  /// Number of the polynomial in h, counted from the first of those; beyond all of them where M is
  /// below the smallest number.
  KOKKOS_INLINE_FUNCTION std::uint32_t far_interval(double h) const {
    return detail::Far::interval(h) - shape.far_exponent * detail::Far::per_binade;
  }

  /// M for s = 0 and beyond the polynomials in s.
  KOKKOS_INLINE_FUNCTION double far_value(double s) const {
    if (s == 0) return 1;
    if (!(s > 0)) return detail::kNotANumber;
    const double h = compat::math::sqrt(s);
    const std::uint32_t far = far_interval(h);
    return far < static_cast<std::uint32_t>(shape.far_intervals)
               ? value_polynomials.value(shape.near_intervals + far, detail::Far::local(h)) *
                     far_decay(s)
               : 0;
  }

  KOKKOS_INLINE_FUNCTION MaternJet far_jet(double s) const {
    if (s == 0) return {1, 0, 0};
    if (!(s > 0)) return {detail::kNotANumber, detail::kNotANumber, detail::kNotANumber};
    const double h = compat::math::sqrt(s);
    const std::uint32_t far = far_interval(h);
    MaternJet jet{};
    if (far >= static_cast<std::uint32_t>(shape.far_intervals)) return jet;
    const double z = detail::Far::local(h), decay = far_decay(s);
    double derivative;
    const double ratio =
        value_polynomials.value_and_derivative(shape.near_intervals + far, z, derivative);
    jet.m = ratio * decay;
    // h d log(decay) / dh = -(w - nu) = -s / (w + nu)
    jet.s_dm_ds = 0.5 *
                  (derivative * detail::Far::dlocal_dx(h) * h -
                   ratio * s / (compat::math::sqrt(s + shape.nu * shape.nu) + shape.nu)) *
                  decay;
    jet.dm_dnu = order_polynomials.value(shape.near_intervals + far, z) * decay;
    return jet;
  }

  /// e^(nu - w) ((w + nu) / (2 nu))^nu with w = sqrt(s + nu^2): M but for a factor that varies
  /// slowly.
  KOKKOS_INLINE_FUNCTION double far_decay(double s) const {
    const double y = s / (compat::math::sqrt(s + shape.nu * shape.nu) + shape.nu);
    return compat::math::exp(shape.nu * compat::math::log1p(y / (2 * shape.nu)) - y);
  }
};

}  // namespace tessera::bessel
