// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/boys/function/arithmetic.hpp"

namespace tessera::boys {

/// The largest order for complex arguments.
inline constexpr int kMaxComplexOrder = 16;

namespace detail {

/// A complex number with the operations that the evaluation needs; std::complex does not run on
/// GPUs.
struct Complex {
  double re, im;
};

TESSERA_FUNCTION Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
TESSERA_FUNCTION Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
TESSERA_FUNCTION Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
TESSERA_FUNCTION Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
TESSERA_FUNCTION Complex reciprocal(Complex a) {
  const double norm = a.re * a.re + a.im * a.im;
  return {a.re / norm, -a.im / norm};
}

TESSERA_FUNCTION Complex exponential_of_minus(Complex z) {
  const double modulus = ::exp(-z.re);
  return {modulus * ::cos(z.im), -modulus * ::sin(z.im)};
}

/// The square root with a positive real part, for Re z >= 0.
TESSERA_FUNCTION Complex square_root(Complex z, double modulus) {
  const double re = ::sqrt((modulus + z.re) / 2);
  return {re, z.im / (2 * re)};
}

/// e^z F_n(z) = sum_k (2z)^k / ((2n+1)(2n+3)...(2n+2k+1)). The sum is smaller than its terms by
/// e^(|z| - Re z).
TESSERA_FUNCTION Complex complex_series(int n, Complex z, double modulus) {
  const int terms = 32 + static_cast<int>(2.5 * modulus);
  Complex sum{1, 0};
  for (int k = terms; k > 0; --k) sum = Complex{1, 0} + (1 / (n + k + 0.5)) * (z * sum);
  return (1 / (2.0 * n + 1)) * sum;
}

/// e^z (sqrt(pi/z)/2 - F_0(z)) by the continued fraction of the incomplete gamma function, for |z|
/// - Re z > 6 or |z| > 30.
TESSERA_FUNCTION Complex complex_tail(Complex z) {
  constexpr int depth = 40;
  Complex denominator = z + Complex{2 * depth + 0.5, 0};
  for (int k = depth; k > 0; --k)
    denominator = z + Complex{2 * k - 1.5, 0} - (k * (k - 0.5)) * reciprocal(denominator);
  return 0.5 * reciprocal(denominator);
}

}  // namespace detail

/// F_n(z) = integral from 0 to 1 of t^(2n) e^(-z t^2) dt for complex z and n = 0..N, N <= 16, in
/// double precision; as integrals over plane waves and over Gaussians with magnetic-field phases
/// need them. F_re[n] and F_im[n] receive the real and the imaginary parts.
///
/// Domain: Re z >= 0, or |z| - Re z <= 6; NaN elsewhere. Relative error |error| / |F_n(z)| <=
/// 1e-12.
///
/// Example (tests/install/examples/boys.cpp):
///
///     double re[3], im[3];
///     tessera::boys::boys_complex<2>(2.5, 0.1, re, im);  // z = 2.5 + 0.1 i
///
/// Method: near the positive real axis the power series of the top order and downward recursion;
/// elsewhere F_0 from the continued fraction of the incomplete gamma function and upward recursion,
/// whose terms do not cancel there.
template <int N>
TESSERA_FUNCTION void boys_complex(double re, double im, double* F_re, double* F_im) {
  static_assert(0 <= N && N <= kMaxComplexOrder,
                "complex Boys functions are available for orders 0 to 16");
  using detail::Complex;
  const Complex z{re, im};
  const double modulus = ::hypot(re, im);
  const bool near_real_axis = modulus - re <= 6;
  if (!(re >= 0 || near_real_axis)) {
    for (int n = 0; n <= N; ++n) F_re[n] = F_im[n] = static_cast<double>(NAN);
    return;
  }
  const Complex e = detail::exponential_of_minus(z);
  Complex F;
  if (near_real_axis && modulus <= 30) {
    F = detail::complex_series(N, z, modulus) * e;
    F_re[N] = F.re;
    F_im[N] = F.im;
    for (int n = N - 1; n >= 0; --n) {
      F = (1 / (2.0 * n + 1)) * (2.0 * (z * F) + e);
      F_re[n] = F.re;
      F_im[n] = F.im;
    }
  } else {
    constexpr double half_root_pi = 0x1.c5bf891b4ef6bp-1;
    F = half_root_pi * detail::reciprocal(detail::square_root(z, modulus)) -
        e * detail::complex_tail(z);
    F_re[0] = F.re;
    F_im[0] = F.im;
    const Complex half_inverse = 0.5 * detail::reciprocal(z);
    for (int n = 0; n < N; ++n) {
      F = half_inverse * ((2.0 * n + 1) * F - e);
      F_re[n + 1] = F.re;
      F_im[n + 1] = F.im;
    }
  }
}

}  // namespace tessera::boys
