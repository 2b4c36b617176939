// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/latent/predictive.hpp"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

namespace tessera::gp {

namespace {

// Quantiles of counts are the smallest number with no less than the probability.
using Integer = boost::math::policies::policy<
    boost::math::policies::discrete_quantile<boost::math::policies::integer_round_up>>;

/// The largest value of log p(y | f) - (f - mean)^2 / (2 variance), by Newton's method from the
/// mean, and where it is.
double find_peak(const Response& response, const Moments& predictor, double y, double& peak) {
  const auto value = [&](double f) {
    const double z = f - predictor.mean;
    return response.slopes(y, f).value - 0.5 * z * z / predictor.variance;
  };
  double f = predictor.mean, best = value(f);
  for (int step = 0; step < 200; ++step) {
    const ResponseSlopes s = response.slopes(y, f);
    const double move = (s.slope - (f - predictor.mean) / predictor.variance) /
                        (s.far_weight + 1 / predictor.variance);
    double length = 1, next = value(f + move);
    while (!(next >= best) && length > 1e-10) {
      length *= 0.5;
      next = value(f + length * move);
    }
    if (!(next > best)) break;
    f += length * move;
    best = next;
  }
  peak = f;
  return best;
}

}  // namespace

Moments predict_response(const Response& response, const Moments& predictor) {
  const double v = predictor.variance;
  switch (response.family) {
    case ResponseFamily::bernoulli_probit:
    case ResponseFamily::bernoulli_logit: {
      const double p = response.family == ResponseFamily::bernoulli_probit
                           ? 0.5 * std::erfc(-predictor.mean / std::sqrt(2 * (1 + v)))
                           : std::exp(log_predictive_density(response, predictor, 1));
      return {p, p * (1 - p)};
    }
    case ResponseFamily::poisson:
    case ResponseFamily::negative_binomial:
    case ResponseFamily::gamma: {
      const double mean = std::exp(predictor.mean + 0.5 * v), square = mean * mean * std::exp(v);
      const double own = response.family == ResponseFamily::poisson ? mean
                         : response.family == ResponseFamily::gamma ? square / response.a
                                                                    : mean + square / response.a;
      return {mean, own + mean * mean * std::expm1(v)};
    }
    case ResponseFamily::student_t: {
      const double b = response.b;
      return {predictor.mean, b > 2 ? v + response.a * response.a * b / (b - 2)
                                    : std::numeric_limits<double>::infinity()};
    }
    default:
      return predictor;
  }
}

/// The integrand divided by its largest value is integrated to either side of its peak, as far as
/// ten standard deviations of the predictor from its mean, or from the peak where that is farther.
/// Where it has one peak alone, which may be narrow, that is integrated first, and the rest where
/// that counts.
double log_predictive_density(const Response& response, const Moments& predictor, double y) {
  const double rest = log_normaliser(response, {y});
  if (!(predictor.variance > 0)) return rest + response.slopes(y, predictor.mean).value;
  double peak = 0;
  const double deviation = std::sqrt(predictor.variance),
               largest = find_peak(response, predictor, y, peak);
  const auto integrand = [&](double f) {
    const double z = (f - predictor.mean) / deviation;
    const double value = response.slopes(y, f).value - 0.5 * z * z - largest;
    return std::isfinite(value) ? std::exp(value) : 0.0;
  };
  const auto integrate = [&](double from, double to) {
    return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(integrand, from, to, 12,
                                                                         1e-10);
  };
  const double low = std::min(predictor.mean, peak) - 10 * deviation,
               high = std::max(predictor.mean, peak) + 10 * deviation;
  double integral = 0;
  if (response.family == ResponseFamily::student_t) {
    integral = integrate(low, peak) + integrate(peak, high);
  } else {
    const double reach = 8 / std::sqrt(response.slopes(y, peak).weight + 1 / predictor.variance);
    const double left = std::max(peak - reach, low), right = std::min(peak + reach, high);
    integral = integrate(left, peak) + integrate(peak, right);
    if (integrand(left) * (left - low) > 1e-13 * integral) integral += integrate(low, left);
    if (integrand(right) * (high - right) > 1e-13 * integral) integral += integrate(right, high);
  }
  return rest + largest + std::log(integral / deviation) - 0.918938533204672741780;
}

double response_quantile(const Response& response, double f, double u) {
  switch (response.family) {
    case ResponseFamily::bernoulli_probit:
      return u > 0.5 * std::erfc(f / std::sqrt(2.0)) ? 1 : 0;
    case ResponseFamily::bernoulli_logit:
      return u > 1 / (1 + std::exp(f)) ? 1 : 0;
    case ResponseFamily::poisson:
      return quantile(boost::math::poisson_distribution<double, Integer>(std::exp(f)), u);
    case ResponseFamily::negative_binomial: {
      const double share = response.a / (response.a + std::exp(f));
      return quantile(
          boost::math::negative_binomial_distribution<double, Integer>(response.a, share), u);
    }
    case ResponseFamily::gamma:
      return quantile(boost::math::gamma_distribution<double>(response.a, std::exp(f) / response.a),
                      u);
    case ResponseFamily::student_t:
      return f + response.a * quantile(boost::math::students_t_distribution<double>(response.b), u);
    default:
      return f;
  }
}

}  // namespace tessera::gp
