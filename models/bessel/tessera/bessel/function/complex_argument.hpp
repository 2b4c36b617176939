// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Complex.hpp>

#include "tessera/bessel/function/first_kind.hpp"

// K and I of complex arguments, from the quadrature and the series of order_pair.hpp with a complex
// path, the recurrence in the order, and the Wronskian of K and I.

namespace tessera::bessel::detail {

using Complex = Kokkos::complex<double>;

/// Largest order of complex arguments.
inline constexpr double kMaxOrderOfComplex = 200;

KOKKOS_INLINE_FUNCTION double modulus(const Complex& z) {
  return compat::math::hypot(z.real(), z.imag());
}

KOKKOS_INLINE_FUNCTION Complex times_i(const Complex& z) { return {-z.imag(), z.real()}; }

/// a b + c, each part in two roundings less.
KOKKOS_INLINE_FUNCTION Complex multiply_add(const Complex& a, const Complex& b, const Complex& c) {
  return {multiply_add(-a.imag(), b.imag(), multiply_add(a.real(), b.real(), c.real())),
          multiply_add(a.imag(), b.real(), multiply_add(a.real(), b.imag(), c.imag()))};
}

/// e^(i angle).
KOKKOS_INLINE_FUNCTION Complex unit(double angle) {
  return {compat::math::cos(angle), compat::math::sin(angle)};
}

KOKKOS_INLINE_FUNCTION Complex exponential(const Complex& z) {
  return compat::math::exp(z.real()) * unit(z.imag());
}

/// The root in the right half-plane.
KOKKOS_INLINE_FUNCTION Complex root(const Complex& z) {
  const double size = modulus(z);
  if (size == 0) return {0, 0};
  if (z.real() >= 0) {
    const double a = compat::math::sqrt(0.5 * (size + z.real()));
    return {a, 0.5 * z.imag() / a};
  }
  const double b = compat::math::sqrt(0.5 * (size - z.real()));
  return z.imag() < 0 ? Complex(-0.5 * z.imag() / b, -b) : Complex(0.5 * z.imag() / b, b);
}

/// log(1 + z), without loss of digits next to 0.
KOKKOS_INLINE_FUNCTION Complex log_one_plus(const Complex& z) {
  const double x = z.real(), y = z.imag(), more = 2 * x + (x * x + y * y);
  return {0.5 * compat::math::log1p(more), compat::math::atan2(y, 1 + x)};
}

/// z by a power of two, so that 1 <= max(|Re|, |Im|) < 2.
KOKKOS_INLINE_FUNCTION Complex take_exponent(const Complex& z, int& exponent) {
  const double x = z.real() < 0 ? -z.real() : z.real(), y = z.imag() < 0 ? -z.imag() : z.imag();
  take_exponent_of_any(x > y ? x : y, exponent);
  return {scale_by_power(z.real(), -exponent), scale_by_power(z.imag(), -exponent)};
}

KOKKOS_INLINE_FUNCTION Complex scale_by_power(const Complex& z, int n) {
  return {scale_by_power(z.real(), n), scale_by_power(z.imag(), n)};
}

/// A sum of two numbers, the second of which is about as large as the rounding of the first.
struct SplitComplex {
  Complex high, low;
};

/// 2 / z. What the product with z leaves of 2 has no rounding: the larger product is at least 1,
/// and the differences are those of numbers about as large.
KOKKOS_INLINE_FUNCTION SplitComplex split_two_over(const Complex& z) {
  const Complex high = Complex(2, 0) / z;
  const double p = high.real() * z.real(), q = -high.imag() * z.imag(), r = high.real() * z.imag(),
               s = high.imag() * z.real(),
               rest_of_real = multiply_add(high.real(), z.real(), -p) +
                              multiply_add(-high.imag(), z.imag(), -q),
               rest_of_imag = multiply_add(high.real(), z.imag(), -r) +
                              multiply_add(high.imag(), z.real(), -s);
  const double real = (p > q ? (2 - p) - q : (2 - q) - p) - rest_of_real,
               imag = -(r + s) - rest_of_imag;
  return {high, Complex(real, imag) / z};
}

/// Neighbouring orders of K.
struct ComplexPair {
  Complex k0, k1;
};

/// e^z K_mu(z) and e^z K_{mu+1}(z) for |mu| <= 1/2, Re z >= 0, Im z >= 0, |z| >= 0.1, by the
/// trapezoidal rule on
///
///   e^z K_mu(z) = int e^(-z v(t)) cosh(mu t) dt,   v(t) = cosh t - 1,   t = tau - i theta tanh(c tau),   tau = 0 ... inf,
///
/// with theta = arg z: the path leaves 0 in the direction of steepest descent, since c theta =
/// tan(theta / 2), and ends where z cosh t is real. The integrand is even in tau and without
/// oscillation, so that a step of 0.42 / sqrt(|z| + 13.2) leaves 4e-16.
KOKKOS_INLINE_FUNCTION ComplexPair complex_quadrature_pair(double mu, const Complex& z) {
  constexpr double kCut = 39, kStep = 0.42;
  const double size = modulus(z), theta = compat::math::atan2(z.imag(), z.real()),
               slope = theta < 1e-8 ? 0.5 : compat::math::tan(0.5 * theta) / theta, growth = 1 + mu,
               a = kCut / size, steep = size * compat::math::sqrt(a * (a + 2));
  double end = compat::math::log1p(a + compat::math::sqrt(a * (a + 2)));
  end += growth * end / (steep - growth);
  const double step = kStep / compat::math::sqrt(size + 13.2);
  const int nodes = static_cast<int>(end / step) + 1;
  Complex sum(0.5, -0.5 * theta * slope), sum_v(0, 0);
  for (int k = 1; k <= nodes; ++k) {
    const double tau = step * k, bend = compat::math::tanh(slope * tau), phase = -theta * bend;
    const Complex weight(1, -theta * slope * (1 - bend * bend));
    // v = 2 sinh(t/2)^2 and cosh(mu t), by parts
    const double half = 0.5 * tau, sine = compat::math::sin(0.5 * phase);
    const Complex sinh_half(compat::math::sinh(half) * compat::math::cos(0.5 * phase),
                            compat::math::cosh(half) * sine);
    const Complex v = 2.0 * (sinh_half * sinh_half),
                  cosh_mu(compat::math::cosh(mu * tau) * compat::math::cos(mu * phase),
                          compat::math::sinh(mu * tau) * compat::math::sin(mu * phase));
    const Complex f = exponential(-(z * v)) * weight * cosh_mu;
    sum += f;
    sum_v = multiply_add(f, v, sum_v);
  }
  const Complex k0 = step * sum;
  return {k0, multiply_add(Complex(mu, 0) / z, k0, k0 + step * sum_v)};
}

/// K_mu(z) and z/2 K_{mu+1}(z) for |mu| <= 1/2, |z| <= 0.1, by Temme's series: see temme_pair.
KOKKOS_INLINE_FUNCTION ComplexPair complex_temme_pair(double mu, const Complex& z) {
  using C = Coefficients<double>;
  const double w = mu * mu, even = polynomial<typename C::GammaEven>(w),
               odd = polynomial<typename C::GammaOdd>(w), gamma_plus = 1 / (even - mu * odd),
               gamma_minus = 1 / (even + mu * odd);
  const SplitLogarithm<double> log_size = split_log_two_over(modulus(z));
  const double theta = compat::math::atan2(z.imag(), z.real());
  const Complex log_two_over(log_size.high, -theta);
  const double real = mu * log_size.high,
               rest = product_rest(mu, log_size.high, real) + mu * log_size.low,
               grown = compat::math::exp(real) * (1 + rest);
  const Complex e = grown * unit(-mu * theta), e_minus = 1 / grown * unit(mu * theta),
                sigma = mu * log_two_over;
  Complex ratio = 0.5 / mu * (e - e_minus);  // sinh(sigma) / mu
  if (modulus(sigma) < 0.5) {
    const Complex y = sigma * sigma;
    Complex series(SinhSeries<double>::at(SinhSeries<double>::terms - 1), 0);
    for (int k = SinhSeries<double>::terms - 2; k >= 0; --k)
      series = multiply_add(series, y, Complex(SinhSeries<double>::at(k), 0));
    ratio = log_two_over * series;
  }
  Complex f = gamma_plus * gamma_minus * ((0.5 * odd) * (e + e_minus) + even * ratio),
          p = 0.5 * gamma_plus * e, q = 0.5 * gamma_minus * e_minus, sum = f, sum_next = p;
  const Complex half = 0.5 * z, quarter_square = half * half;
  Complex c(1, 0);
  for (int k = 1; k <= 7; ++k) {
    const double kk = k;
    f = (1 / (kk * kk - w)) * (kk * f + p + q);
    p = (1 / (kk - mu)) * p;
    q = (1 / (kk + mu)) * q;
    c = (1 / kk) * (c * quarter_square);
    sum += c * f;
    sum_next += c * (p - kk * f);
  }
  return {sum, sum_next};
}

/// K_nu(z) = e^-shift 2^exponent k0, shift = z if `scaled` and 0 else; k1 is K_{nu+1} in the same
/// unit times 2^lift.
struct ComplexEvaluation {
  Complex k0, k1;
  int exponent = 0, lift = 0;
  bool scaled = true;
};

/// K for 0 <= nu <= 200, Re z >= 0, Im z >= 0, 0 < |z| < 1e30.
KOKKOS_INLINE_FUNCTION ComplexEvaluation evaluate_complex(double nu, const Complex& z) {
  ComplexEvaluation e;
  const int n = static_cast<int>(nu + 0.5);
  const double mu = nu - n;
  // The recurrence in the order is that of z = place 2^lift: G_m = 2^(lift m) K_{mu+m}.
  Complex place = z;
  ComplexPair pair;
  if (modulus(z) < kSmallArgument) {
    e.scaled = false;
    place = take_exponent(z, e.lift);
    pair = complex_temme_pair(mu, z);
    pair.k1 = 2.0 * (pair.k1 / place);
  } else {
    pair = complex_quadrature_pair(mu, z);
  }
  const SplitComplex two_over = split_two_over(place);
  const double unit_of_last = scale_by_power(1.0, 2 * e.lift);
  Complex k0 = pair.k0, k1 = pair.k1;
  for (int m = 1; m <= n; ++m) {
    const double order = mu + m;
    const Complex k2 = multiply_add(order * two_over.high, k1,
                                    multiply_add(order * two_over.low, k1, unit_of_last * k0));
    k0 = k1;
    k1 = k2;
    if (m % 32 == 0) {
      int taken;
      take_exponent(k1, taken);
      k0 = scale_by_power(k0, -taken);
      k1 = scale_by_power(k1, -taken);
      e.exponent += taken;
    }
  }
  e.exponent -= n * e.lift;
  e.k0 = k0;
  e.k1 = k1;
  return e;
}

/// I_{nu+1}(z) / I_nu(z) for Re z >= 0, from the recurrence in the order, downwards from an order
/// at which I has fallen by far more than 2^53.
KOKKOS_INLINE_FUNCTION Complex first_kind_ratio(double nu, const Complex& z) {
  const double size = modulus(z), above = size > nu ? size - nu : 0;
  if (size < 1e-9) return (0.5 / (nu + 1)) * z;
  const int steps = static_cast<int>(above + 12 * compat::math::cbrt(size + nu)) + 24;
  const SplitComplex two_over = split_two_over(z);
  Complex ratio(0, 0);
  for (int k = steps; k >= 1; --k) {
    const double order = nu + k;
    const Complex below = order * two_over.high + (order * two_over.low + ratio);
    ratio = below == Complex(0, 0) ? Complex(1e300, 0) : Complex(1, 0) / below;
  }
  return ratio;
}

/// Returns whether I comes from the uniform expansion, on the imaginary axis too. The exponent of
/// the expansion is about nu^2 / 2z and has an error of several roundings of it: where it is large,
/// and the recurrence is not too long, I comes from the Wronskian.
KOKKOS_INLINE_FUNCTION bool is_far(double nu, const Complex& z) {
  const double size = modulus(z);
  const bool has_large_exponent = size < 2000 && nu * nu > 8 * size && z.real() >= 8;
  return size > 50 && size > 2.25 * nu && !has_large_exponent;
}

/// e^-z times the part of I that grows in the right half-plane, for arguments that are far, by the
/// uniform expansion: see UniformExpansion.
KOKKOS_INLINE_FUNCTION Complex growing_part(double nu, const Complex& z) {
  constexpr int kTerms = 14;
  const Complex square(nu * nu, 0), w = root(square + z * z), d = square / (w + z),
                                    over = (d + nu) / z, excess = d - nu * log_one_plus(over),
                                    q = square / (w * w), h = Complex(1, 0) / w;
  Complex sum(0, 0);
  for (int k = kTerms - 1; k >= 0; --k) {
    Complex term(UniformValue::at(k * (k + 1) / 2 + k), 0);
    for (int j = k - 1; j >= 0; --j)
      term = multiply_add(term, q, Complex(UniformValue::at(k * (k + 1) / 2 + j), 0));
    sum = multiply_add(sum, h, term);
  }
  return 0.398942280401432677939946059934381868 * (exponential(excess) * sum / root(w));
}

/// A function 2^exponent value e^(sign z).
struct ComplexPower {
  Complex value;
  int exponent;
  double sign;  ///< -1, 0 or 1
};

/// 2^exponent value e^(sign z + shift), which leaves the numbers only where the product does.
KOKKOS_INLINE_FUNCTION Complex finish(const ComplexPower& p, const Complex& z, double shift) {
  const double real = p.sign * z.real() + shift;
  if (real < -1e7) return {0, 0};
  const DividedExponent power = divide_exponent({real < 1e7 ? real : 1e7, 0});
  const Complex turned = p.sign == 0 ? p.value : p.value * unit(p.sign * z.imag());
  return scale_by_power(compat::math::exp(power.rest) * turned, power.exponent + p.exponent);
}

/// K and I of the order |nu| in the first quadrant.
struct ComplexFunctions {
  ComplexPower k, i;
  Complex decaying{0, 0};  ///< a part of I of far arguments: decaying e^-z
};

KOKKOS_INLINE_FUNCTION ComplexFunctions complex_functions(double nu, const Complex& z,
                                                          bool with_first_kind) {
  ComplexFunctions f;
  const ComplexEvaluation e = evaluate_complex(nu, z);
  f.k = {e.k0, e.exponent, e.scaled ? -1.0 : 0.0};
  if (!with_first_kind) return f;
  if (is_far(nu, z)) {
    f.i = {growing_part(nu, z), 0, 1};
    // e^((nu + 1/2) pi i) K / pi
    const Complex turn(-sine_pi(nu), cosine_pi(nu));
    f.decaying = 0.318309886183790671537767526745028724 * (turn * scale_by_power(e.k0, e.exponent));
  } else {  // I_nu K_{nu+1} + I_{nu+1} K_nu = 1/z, with k1 = 2^lift K_{nu+1}
    int exponent;
    const Complex place = take_exponent(z, exponent), ratio = first_kind_ratio(nu, z),
                  sum = e.k1 + scale_by_power(ratio * e.k0, e.lift);
    f.i = {Complex(1, 0) / (place * sum), e.lift - exponent - e.exponent, e.scaled ? 1.0 : 0.0};
  }
  return f;
}

}  // namespace tessera::bessel::detail
