// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/function/gsl.hpp"

/// The algorithms of two papers, and the GNU Scientific Library (function/gsl.hpp), for comparison;
/// the code for use is tessera/bessel/bessel.hpp.
///
///   Z. Geng, S. Abdulah, Y. Sun, H. Ltaief, D. E. Keyes, M. G. Genton, GPU-accelerated modified Bessel function of the second kind for
///   Gaussian processes: log K by the trapezoidal rule on [0, 9] with a fixed number b of bins, Temme's series below x = 0.1.
///   T. Takekawa, Fast parallel calculation of modified Bessel function of the second kind and its derivatives, SoftwareX 17 (2022) 100923:
///   the trapezoidal rule on the range where the integrand is not negligible, searched for each argument.
///
/// Accuracy: that of the methods. With b = 40 the first is wrong by 12 % at x = 140; see
/// models/bessel/README.md. 0 <= nu <= 200; x > 0, NaN elsewhere. The factors 1/2 of the rule's
/// ends stand before the exponential, not in the exponent as equation (8) of the first paper has
/// it.
namespace tessera::bessel {

namespace detail {

/// g(t) = log cosh(nu t) - x cosh t, without overflow.
KOKKOS_INLINE_FUNCTION double log_integrand(double nu, double x, double t) {
  const double y = nu * t, e = compat::math::exp(t);
  return y + compat::math::log1p(compat::math::exp(-2 * y)) - 0.693147180559945309417 -
         0.5 * x * (e + 1 / e);
}

/// The derivative of g.
KOKKOS_INLINE_FUNCTION double log_integrand_derivative(double nu, double x, double t) {
  return nu * compat::math::tanh(nu * t) - x * compat::math::sinh(t);
}

/// log of the integral of e^g over [begin, end], in `bins` bins; the largest exponent is taken out
/// first.
KOKKOS_INLINE_FUNCTION double log_sum_exp(double nu, double x, double begin, double end, int bins) {
  const double h = (end - begin) / bins;
  double largest = log_integrand(nu, x, begin);
  for (int m = 1; m <= bins; ++m) {
    const double g = log_integrand(nu, x, begin + m * h);
    largest = g > largest ? g : largest;
  }
  double sum = 0;
  for (int m = 0; m <= bins; ++m)
    sum += (m == 0 || m == bins ? 0.5 : 1.0) *
           compat::math::exp(log_integrand(nu, x, begin + m * h) - largest);
  return largest + compat::math::log(h * sum);
}

/// Finds where a decreasing function changes sign in [low, high], by bisection.
template <class Function>
KOKKOS_INLINE_FUNCTION double find_zero(const Function& f, double low, double high) {
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (f(middle) > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

struct Derivative {
  double nu, x;
  KOKKOS_INLINE_FUNCTION double operator()(double t) const {
    return log_integrand_derivative(nu, x, t);
  }
};

/// g - level, or level - g.
struct AboveLevel {
  double nu, x, level, sign;
  KOKKOS_INLINE_FUNCTION double operator()(double t) const {
    return sign * (log_integrand(nu, x, t) - level);
  }
};

}  // namespace detail

/// Largest order of the methods that this code is compared with.
inline constexpr double kMaxComparedOrder = 200;

/// log K_nu(x) by the refined algorithm of Geng et al.; the bounds of the integral are theirs.
KOKKOS_INLINE_FUNCTION double log_bessel_k_paper(double nu, double x, int bins, double lower = 0,
                                                 double upper = 9) {
  if (!(x > 0) || !(nu >= 0 && nu <= kMaxComparedOrder)) return detail::Format<double>::nan;
  return x < detail::kSmallArgument ? log_bessel_k(nu, x)
                                    : detail::log_sum_exp(nu, x, lower, upper, bins);
}

/// log K_nu(x) by the algorithm of Takekawa, which uses 32 bins.
KOKKOS_INLINE_FUNCTION double log_bessel_k_takekawa(double nu, double x, int bins) {
  using namespace detail;
  if (!(x > 0) || !(nu >= 0 && nu <= kMaxComparedOrder)) return Format<double>::nan;
  double peak = 0, width = 1;
  if (nu * nu > x) {
    for (width = 1; log_integrand_derivative(nu, x, width) > 0; width *= 2) continue;
    peak = find_zero(Derivative{nu, x}, 0, width);
  }
  const double level = log_integrand(nu, x, peak) - 36.043653389117154;  // log of 2^-52
  const double begin = peak > 0 && log_integrand(nu, x, 0) < level
                           ? find_zero(AboveLevel{nu, x, level, -1}, 0, peak)
                           : 0;
  for (width = 1; log_integrand(nu, x, peak + width) > level; width *= 2) continue;
  return log_sum_exp(nu, x, begin, find_zero(AboveLevel{nu, x, level, 1}, peak, peak + width),
                     bins);
}

}  // namespace tessera::bessel
