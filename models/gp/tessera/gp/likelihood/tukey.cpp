// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/tukey.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tessera::gp {

namespace {

constexpr double kSmall = 1e-9;  // whose square is below rounding
constexpr int kMostSteps = 100;

/// Returns (exp(g u) - 1) / g.
double skew(double u, double g) {
  const double v = g * u;
  return std::fabs(v) < kSmall ? u * (1 + 0.5 * v) : std::expm1(v) / g;
}

/// Returns its inverse, log(1 + g x) / g.
double unskew(double x, double g) {
  const double v = g * x;
  if (std::fabs(v) < kSmall) return x * (1 - 0.5 * v);
  // near -1 rounding of the product would count
  return (v < -0.5 ? std::log(std::fma(g, x, 1.0)) : std::log1p(v)) / g;
}

/// Returns (v e^v - e^v + 1) / v^2, in which the derivative of `skew` by g is u^2 times this.
double skew_slope(double v) {
  if (std::fabs(v) > 1) return (v * std::exp(v) - std::expm1(v)) / (v * v);
  double sum = 0;
  for (int n = 20; n >= 0; --n) {  // sum of (n + 1) v^n / (n + 2)!
    double term = n + 1.0;
    for (int k = 2; k <= n + 2; ++k) term /= k;
    sum = sum * v + term;
  }
  return sum;
}

/// Returns the logarithm of |tau(u)| / |x| for u of the sign of x; `slope`: its derivative by log
/// |u|.
double log_ratio(double log_size, bool positive, double g, double h, double log_x, double& slope) {
  const double size = std::exp(log_size), v = positive ? g * size : -g * size;
  const double tail = h * size * size;
  // log((e^v - 1) / v), and its derivative by log |v|
  double bend = 0, bend_slope = 0;
  if (std::fabs(v) < kSmall) {
    bend = 0.5 * v;
    bend_slope = 0.5 * v;
  } else if (v > 0) {
    bend = v + std::log(-std::expm1(-v) / v);
    bend_slope = v / -std::expm1(-v) - 1;
  } else {
    bend = std::log(std::expm1(v) / v);
    bend_slope = v * std::exp(v) / std::expm1(v) - 1;
  }
  slope = 1 + bend_slope + tail;
  return log_size + bend + 0.5 * tail - log_x;
}

/// Finds the u of tau(u) = x, h > 0 and x finite and not 0, by Newton's method in log |u| between
/// bounds, then by one step in u.
double solve(double x, double g, double h) {
  const bool positive = x > 0;
  const double log_x = std::log(std::fabs(x));
  // |tau(u)| is the largest where g has the sign of u: |u| e^(h u^2 / 2) is then the less
  const bool longer = (g >= 0) == positive;
  const double without_skew =
      std::fabs(x) < 1 ? std::fabs(x) : std::max(1.0, std::sqrt(2 * log_x / h));
  double high = longer ? std::log(std::min(without_skew, std::fabs(unskew(x, g))))
                       : std::log(without_skew),
         low = -std::numeric_limits<double>::infinity(), slope = 0;
  while (!longer && log_ratio(high, positive, g, h, log_x, slope) < 0) {
    low = high;
    high += 0.7;
  }
  double log_size = high;
  for (int k = 0; k < kMostSteps; ++k) {
    const double ratio = log_ratio(log_size, positive, g, h, log_x, slope);
    (ratio > 0 ? high : low) = log_size;
    double next = log_size - ratio / slope;
    if (!(next > low && next < high) && ratio != 0)
      next = std::isfinite(low) ? 0.5 * (low + high) : high - 2;
    const bool at_end = std::fabs(next - log_size) < 1e-13 * std::max(1.0, std::fabs(log_size));
    log_size = next;
    if (at_end || ratio == 0) break;
  }
  const double u = positive ? std::exp(log_size) : -std::exp(log_size);
  const double value = tukey_g_and_h(u, g, h), step = (value - x) / tukey_slopes(u, g, h).slope;
  return std::isfinite(step) ? u - step : u;
}

/// Returns the quantile of a sorted sample, between its numbers.
double sample_quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[std::min(below + 1, sorted.size() - 1)] - sorted[below]);
}

}  // namespace

double tukey_g_and_h(double u, double g, double h) {
  return skew(u, g) * std::exp(0.5 * h * u * u);
}

double inverse_tukey_g_and_h(double x, double g, double h) {
  if (std::isnan(x) || std::isinf(x)) return x;
  if (h == 0) {
    if (std::fma(g, x, 1.0) > 0) return unskew(x, g);
    return x > 0 ? std::numeric_limits<double>::infinity()
                 : -std::numeric_limits<double>::infinity();
  }
  return x == 0 ? 0 : solve(x, g, h);
}

TukeySlopes tukey_slopes(double u, double g, double h) {
  const double v = g * u, power = std::exp(v), skewed = skew(u, g),
               skewed_by_g = u * u * skew_slope(v), tail = std::exp(0.5 * h * u * u);
  const double inner = power + h * u * skewed;  // the slope of tau without the tail
  TukeySlopes s;
  s.slope = tail * inner;
  s.log_slope = 0.5 * h * u * u + (h == 0 ? v : std::log(inner));
  s.by_g = tail * skewed_by_g;
  s.by_h = 0.5 * u * u * skewed * tail;
  s.log_slope_by_u = h * u + (g * power + h * skewed + h * u * power) / inner;
  s.log_slope_by_g = (u * power + h * u * skewed_by_g) / inner;
  s.log_slope_by_h = 0.5 * u * u + u * skewed / inner;
  return s;
}

/// With z_p the quantile of a Gaussian number, the upper and lower distances to the median differ
/// by the factor e^(g z_p), and their sum is 2 scale sinh(g z_p) / g e^(h z_p^2 / 2).
TukeyShape shape_of_quantiles(std::vector<double> sample) {
  constexpr double kQuartile = 0.6744897501960817, kOuter = 1.6448536269514722;
  std::sort(sample.begin(), sample.end());
  const auto at = [&](double p) { return sample_quantile(sample, p); };
  TukeyShape shape{0, 0, 0, at(0.5)};
  const double quartiles = at(0.75) - at(0.25), upper = at(0.95) - shape.median,
               lower = shape.median - at(0.05);
  shape.scale = quartiles / (2 * kQuartile);
  if (sample.size() < 20 || !(quartiles > 0 && upper > 0 && lower > 0)) return shape;
  shape.g = std::log(upper / lower) / kOuter;
  const auto spread = [&](double z) {
    return std::fabs(shape.g) < kSmall ? 2 * z : 2 * std::sinh(shape.g * z) / shape.g;
  };
  const double inner = quartiles / spread(kQuartile), outer = (upper + lower) / spread(kOuter);
  shape.h = std::max(2 * std::log(outer / inner) / (kOuter * kOuter - kQuartile * kQuartile), 0.0);
  shape.scale = inner * std::exp(-0.5 * shape.h * kQuartile * kQuartile);
  return shape;
}

}  // namespace tessera::gp
