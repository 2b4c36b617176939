// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/fit/koutrouvelis.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "tessera/core/app/signals.hpp"
#include "tessera/stable/law/stable_distribution.hpp"

namespace tessera::stable {

namespace {

/// The empirical characteristic function at t of the standardised values.
std::complex<double> characteristic(const std::vector<double>& values, const FourParameters& p,
                                    double t) {
  stop_at_signal();
  double real = 0, imag = 0;
  for (const double x : values) {
    const double angle = t * (x - p.mu) / p.sigma;
    real += std::cos(angle);
    imag += std::sin(angle);
  }
  return std::complex<double>(real, imag) / static_cast<double>(values.size());
}

/// Points of the first regression: fewer for large alpha, where the function falls sooner.
int points_for(double alpha) { return alpha > 1.5 ? 10 : alpha > 1.1 ? 15 : alpha > 0.8 ? 20 : 30; }

/// Finds alpha and the remaining scale from |phi|.
void regress_modulus(const std::vector<double>& values, const FourParameters& p, double& alpha,
                     double& scale) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  const int points = points_for(p.alpha);
  for (int k = 1; k <= points; ++k) {
    const double t = kPi * k / 25, modulus = std::norm(characteristic(values, p, t));
    if (!(modulus > 0 && modulus < 1)) continue;
    const double x = std::log(t), y = std::log(-std::log(modulus));
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  alpha = std::clamp((n * sxy - sx * sy) / (n * sxx - sx * sx), kMinAlpha, kMaxAlpha);
  scale = std::exp((sy / n - alpha * sx / n - std::log(2.0)) / alpha);
}

/// Finds beta and the remaining shift from the argument of phi: arg phi(t) = mu t + beta tan(pi
/// alpha/2) ((s t)^alpha - s t).
void regress_argument(const std::vector<double>& values, const FourParameters& p, double alpha,
                      double scale, double& beta, double& shift) {
  const StableDistribution distribution(alpha, 0);
  double a11 = 0, a12 = 0, a22 = 0, b1 = 0, b2 = 0, before = 0;
  for (int k = 1; k <= 15; ++k) {
    const double t = kPi * k / 50, s = scale * t;
    double argument = std::arg(characteristic(values, p, t));
    argument += 2 * kPi * std::round((before - argument) / (2 * kPi));
    before = argument;
    const double w = -distribution.cosine * s *
                     (std::expm1(distribution.excess * std::log(s)) * distribution.inverse_sine +
                      distribution.log_factor * std::log(s));
    a11 += t * t;
    a12 += t * w;
    a22 += w * w;
    b1 += t * argument;
    b2 += w * argument;
  }
  const double determinant = a11 * a22 - a12 * a12;
  beta = determinant > 1e-12 * a11 * a22 ? (a11 * b2 - a12 * b1) / determinant : 0;
  beta = std::clamp(beta, -1.0, 1.0);
  shift = (b1 - a12 * beta) / a11;
}

}  // namespace

FourParameters koutrouvelis(const std::vector<double>& values, const FourParameters& start) {
  FourParameters p = start;
  for (int k = 0; k < 20; ++k) {
    double alpha, scale, beta, shift;
    regress_modulus(values, p, alpha, scale);
    regress_argument(values, p, alpha, scale, beta, shift);
    const double change = std::max({std::fabs(alpha - p.alpha), std::fabs(beta - p.beta),
                                    std::fabs(scale - 1), std::fabs(shift)});
    p = {alpha, beta, p.sigma * scale, p.mu + p.sigma * shift};
    if (change < 1e-6) break;
  }
  return p;
}

}  // namespace tessera::stable
