// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/tukey_law.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "tessera/core/math/scores.hpp"
#include "tessera/gp/likelihood/tukey.hpp"

namespace tessera::gp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kReach = 27;  // in deviations: the square of the tail beyond is below 1e-300

double integrate_piece(const auto& f, double from, double to) {
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(f, from, to, 12, 1e-11);
}

/// Integrates a function of standard deviations from the mean, in pieces of a few of them.
double integrate(const auto& f, double from, double to) {
  constexpr double kPiece = 4;
  double sum = 0;
  while (from < to) {
    const double next = std::min(from + kPiece, to);
    sum += integrate_piece(f, from, next);
    from = next;
  }
  return sum;
}

}  // namespace

double TukeyLaw::value(double y) const { return location + scale * tukey_g_and_h(y / scale, g, h); }

double TukeyLaw::inverse(double z) const {
  return scale * inverse_tukey_g_and_h((z - location) / scale, g, h);
}

double TukeyLaw::expectation() const {
  const double a = mean / scale, v = variance / (scale * scale), d = 1 - h * v;
  if (!(d > 0)) return kNaN;
  const double tail = std::exp(0.5 * h * a * a / d) / std::sqrt(d);
  const double power = g * (a + 0.5 * g * v) / d;
  const double skewed =
      std::fabs(power) < 1e-9 ? (a + 0.5 * g * v) / d * (1 + 0.5 * power) : std::expm1(power) / g;
  return location + scale * tail * skewed;
}

/// E z^2 - (E z)^2 where little of it cancels, otherwise the integral of (z - E z)^2.
double TukeyLaw::spread() const {
  const double a = mean / scale, v = variance / (scale * scale), d = 1 - 2 * h * v;
  if (!(d > 0)) return kInfinity;
  const double largest = std::numeric_limits<double>::max(),
               first = (expectation() - location) / scale;
  if (std::fabs(g) > 1e-4) {
    const double tail = std::exp(h * a * a / d) / std::sqrt(d);
    const double power = (g * a + 0.5 * g * g * v) / d, change = std::expm1(power);
    const double second =
        tail * (change * change + std::exp(2 * power) * std::expm1(g * g * v / d)) / (g * g);
    if (!(second < largest)) return kInfinity;  // beyond the numbers
    if (second - first * first > 1e-4 * second) return scale * scale * (second - first * first);
  }
  const double deviation = std::sqrt(v);
  const auto integrand = [&](double t) {
    const double error = tukey_g_and_h(a + deviation * t, g, h) - first;
    return error * error * std::exp(-0.5 * t * t);
  };
  const double reach = std::min(
      12 / std::sqrt(d) + 2 * std::fabs(g) * deviation / d + 2 * h * std::fabs(a) * deviation / d,
      600.0);
  return scale * scale * integrate(integrand, -reach, reach) / std::sqrt(8 * std::atan(1.0));
}

double TukeyLaw::quantile(double probability) const {
  const boost::math::normal_distribution<double> normal;
  return value(mean + std::sqrt(variance) * boost::math::quantile(normal, probability));
}

double TukeyLaw::log_density(double z) const {
  const double y = inverse(z);
  if (!std::isfinite(y)) return -kInfinity;
  const double error = y - mean;
  return -0.5 * (std::log(6.283185307179586477 * variance) +
                 (error != 0 ? error * error / variance : 0)) -
         tukey_slopes(y / scale, g, h).log_slope;
}

double TukeyLaw::crps(double z) const {
  const double deviation = std::sqrt(variance), u = deviation / scale;
  if (!(variance > 0)) return std::fabs(z - value(mean));
  if (!(h * u * u < 1.8)) return kInfinity;
  double at = (inverse(z) - mean) / deviation, beyond = 0;
  if (std::fabs(at) > kReach) {  // F is 0 or 1 from there to z
    at = std::copysign(kReach, at);
    beyond = std::fabs(z - value(mean + deviation * at));
  }
  const auto slope = [&](double t) {
    return tukey_slopes((mean + deviation * t) / scale, g, h).log_slope;
  };
  const auto below = [&](double t) {
    return std::exp(2 * std::log(math::normal_probability(t)) + slope(t));
  };
  const auto above = [&](double t) {
    return std::exp(2 * std::log(math::normal_probability(-t)) + slope(t));
  };
  return beyond + deviation * (integrate(below, -kReach, at) + integrate(above, at, kReach));
}

}  // namespace tessera::gp
