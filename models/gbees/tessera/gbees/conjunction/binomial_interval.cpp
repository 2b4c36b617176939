// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/binomial_interval.hpp"

#include <cmath>

namespace tessera::gbees {

namespace {

/// The continued fraction by the modified method of Lentz.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMost = 10'000'000;
  const auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return value;
}

/// The x at which the probability of Beta(a, b) is `probability`, by bisection of log x.
double beta_quantile(double a, double b, double probability) {
  double low = -745, high = 0;  // of the logarithm
  for (int n = 0; n < 200 && high - low > 1e-14 * (1 - low); ++n) {
    const double middle = 0.5 * (low + high);
    (beta_probability(a, b, std::exp(middle)) < probability ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace

double beta_probability(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (!(x < 1)) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

ProbabilityInterval binomial_interval(std::uint64_t hits, std::uint64_t trials, double level) {
  const double k = static_cast<double>(hits), n = static_cast<double>(trials);
  const double tail = 0.5 * (1 - level);
  ProbabilityInterval interval;
  if (hits > 0) interval.low = beta_quantile(k, n - k + 1, tail);
  if (hits < trials) interval.high = beta_quantile(k + 1, n - k, 1 - tail);
  return interval;
}

}  // namespace tessera::gbees
