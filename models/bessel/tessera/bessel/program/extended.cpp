// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/program/extended.hpp"

#include <cmath>
#include <limits>

namespace tessera::bessel {

namespace {

using Real = long double;

/// The integrand of K_nu(x) in units of its largest value at t = asinh(nu / x): e^(nu t - x cosh t)
/// (1 + e^(-2 nu t)) / 2.
struct Integrand {
  Real nu, x, peak, w;

  Integrand(Real order, Real argument)
      : nu(order), x(argument), peak(std::asinh(nu / x)), w(std::hypot(x, nu)) {}

  /// w (cosh s - 1) + nu (sinh s - s), s = t - peak.
  Real depth(Real s) const {
    // cosh s and sinh s would cancel here
    if (s < -1) return x * std::cosh(peak + s) - w - nu * s;
    const Real half = std::sinh(s / 2);
    return 2 * w * half * half + nu * (std::abs(s) < 1e-2L
                                           ? s * s * s / 6 * (1 + s * s / 20 * (1 + s * s / 42))
                                           : std::sinh(s) - s);
  }
};

}  // namespace

ExtendedBesselK bessel_k_extended(double nu, double x) {
  const Real infinity = std::numeric_limits<Real>::infinity(),
             nan = std::numeric_limits<Real>::quiet_NaN();
  nu = std::abs(nu);
  if (!(x >= 0) || !(nu <= 200)) return {nan, nan, nan};
  if (x == 0) return {infinity, -infinity, nu == 0 ? 0 : infinity};
  if (std::isinf(x)) return {-infinity, -1, 0};
  const Integrand f(nu, x);
  constexpr Real cut = 46;  // e^-46 = 1e-20
  const Real h = 0.5L / std::sqrt(f.w + 12);
  Real sum = 0, sum_cosh = 0, sum_t = 0;
  // The sum goes from the node nearest to the peak outwards; on the left not beyond t = 0, about
  // which the integrand is even.
  const auto middle = static_cast<long long>(std::floor(f.peak / h));
  const auto add = [&](long long m) {
    const Real t = m * h, depth = f.depth(t - f.peak);
    const Real mirror = std::exp(-2 * f.nu * t), value = std::exp(-depth) * (m == 0 ? 0.5L : 1);
    sum += value * (1 + mirror);
    sum_cosh += value * (1 + mirror) * (std::exp(t) + std::exp(-t)) / 2;
    sum_t -= value * t * std::expm1(-2 * f.nu * t);
    return depth < cut + t;  // with room for the factor cosh t
  };
  for (long long m = middle + 1; add(m); ++m) continue;
  for (long long m = middle; m >= 0 && (add(m) || f.nu == 0); --m) continue;
  const Real log_k = f.nu * f.peak - f.w + std::log(h * sum / 2);
  return {log_k, -sum_cosh / sum, sum_t / sum};
}

}  // namespace tessera::bessel
