// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Predictive laws of observations whose predictor is Gaussian, against sums and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <vector>

#include "tessera/gp/latent/predictive.hpp"
#include "tessera/gp/latent/predictive_law.hpp"

namespace {

using namespace tessera::gp;

/// The density at y by the trapezoidal rule with 200 000 points, which is exact to rounding for
/// smooth integrands that vanish at both ends.
double trapezoid(const Response& response, const Moments& predictor, double y) {
  const double deviation = std::sqrt(predictor.variance), step = 24 * deviation / 200000;
  double sum = 0;
  for (int k = 0; k <= 200000; ++k) {
    const double f = predictor.mean + (k - 100000) * step, z = (f - predictor.mean) / deviation;
    sum += std::exp(response.slopes(y, f).value + log_normaliser(response, {y}) - 0.5 * z * z);
  }
  return sum * step / (deviation * std::sqrt(2 * 3.141592653589793238));
}

TEST(GpPredictive, Densities) {
  const Response responses[] = {{ResponseFamily::bernoulli_probit, 1, 1},
                                {ResponseFamily::bernoulli_logit, 1, 1},
                                {ResponseFamily::poisson, 1, 1},
                                {ResponseFamily::negative_binomial, 0.8, 1},
                                {ResponseFamily::gamma, 3, 1},
                                {ResponseFamily::student_t, 0.2, 3}};
  for (const Response& response : responses) {
    for (const Moments& predictor : {Moments{0.3, 0.01}, {-1, 1}, {2, 4}}) {
      const bool is_binary = response.family == ResponseFamily::bernoulli_probit ||
                             response.family == ResponseFamily::bernoulli_logit;
      for (const double y : {1.0, is_binary ? 0.0 : 12.0}) {
        const double expected = trapezoid(response, predictor, y);
        EXPECT_NEAR(std::exp(log_predictive_density(response, predictor, y)), expected,
                    1e-8 * expected)
            << static_cast<int>(response.family) << ' ' << predictor.mean << ' ' << y;
      }
    }
  }
}

/// Counts so large that they give their predictor: p(y) is that of e^f.
TEST(GpPredictive, DensitiesOfLargeCounts) {
  const Response poisson{ResponseFamily::poisson, 1, 1};
  for (const double y : {1e5, 1e7, 1e9}) {
    for (const double z : {0.0, 2.0}) {
      EXPECT_NEAR(log_predictive_density(poisson, {std::log(y) - 0.7 * z, 0.49}, y),
                  -0.5 * z * z - std::log(0.7 * y) - 0.918938533204672741780,
                  5 / y + 1e-15 * y * std::log(y))
          << y << ' ' << z;
    }
  }
}

TEST(GpPredictive, Moments) {
  const Moments predictor{0.4, 0.6};
  const Response probit{ResponseFamily::bernoulli_probit, 1, 1};
  EXPECT_NEAR(predict_response(probit, predictor).mean,
              std::exp(log_predictive_density(probit, predictor, 1)), 1e-9);
  for (const Response& response : {Response{ResponseFamily::poisson, 1, 1},
                                   Response{ResponseFamily::negative_binomial, 3, 1}}) {
    double mean = 0, square = 0;
    for (int y = 0; y < 3000; ++y) {
      const double p = std::exp(log_predictive_density(response, predictor, y));
      mean += p * y;
      square += p * y * y;
    }
    const Moments found = predict_response(response, predictor);
    EXPECT_NEAR(found.mean, mean, 1e-6 * mean);
    EXPECT_NEAR(found.variance, square - mean * mean, 1e-5 * found.variance);
  }
  const Response sure{ResponseFamily::poisson, 1, 1};
  EXPECT_NEAR(predict_response(sure, {0.4, 0}).variance, std::exp(0.4), 1e-12);
  EXPECT_TRUE(std::isinf(predict_response({ResponseFamily::student_t, 1, 2}, predictor).variance));
}

TEST(GpPredictive, Quantiles) {
  EXPECT_EQ(response_quantile({ResponseFamily::bernoulli_probit, 1, 1}, 0, 0.49), 0);
  EXPECT_EQ(response_quantile({ResponseFamily::bernoulli_logit, 1, 1}, 0, 0.51), 1);
  // P(y = 0) = e^-1 = 0.3679, P(y <= 1) = 0.7358
  EXPECT_EQ(response_quantile({ResponseFamily::poisson, 1, 1}, 0, 0.36), 0);
  EXPECT_EQ(response_quantile({ResponseFamily::poisson, 1, 1}, 0, 0.37), 1);
  EXPECT_EQ(response_quantile({ResponseFamily::poisson, 1, 1}, 0, 0.74), 2);
  // size 1: P(y <= k) = 1 - 2^-(k + 1) for the mean 1
  EXPECT_EQ(response_quantile({ResponseFamily::negative_binomial, 1, 1}, 0, 0.49), 0);
  EXPECT_EQ(response_quantile({ResponseFamily::negative_binomial, 1, 1}, 0, 0.76), 2);
  EXPECT_NEAR(response_quantile({ResponseFamily::gamma, 1, 1}, 0, 0.5), std::log(2.0), 1e-12);
  EXPECT_NEAR(response_quantile({ResponseFamily::student_t, 2, 1}, 1, 0.75), 3, 1e-12);
}

/// The laws whose predictive distribution is more than two numbers, at several widths of it.
std::vector<Response> laws() {
  return {{ResponseFamily::poisson, 1, 1},
          {ResponseFamily::negative_binomial, 0.8, 1},
          {ResponseFamily::negative_binomial, 40, 1},
          {ResponseFamily::gamma, 0.6, 1},
          {ResponseFamily::gamma, 30, 1},
          {ResponseFamily::student_t, 0.2, 3},
          {ResponseFamily::student_t, 2, 8}};
}

bool is_count(const Response& r) {
  return r.family == ResponseFamily::poisson || r.family == ResponseFamily::negative_binomial;
}

const Moments kPredictors[] = {{0.3, 1e-4}, {-1, 1}, {2, 4}, {3, 0.05}};

/// F of counts against sums of densities, differences of F of numbers against Simpson's rule.
TEST(GpPredictive, Probabilities) {
  for (const Response& response : laws()) {
    for (const Moments& predictor : kPredictors) {
      const auto density = [&](double y) {
        return std::exp(log_predictive_density(response, predictor, y));
      };
      for (const double y : {0.4, 3.0, 21.0}) {
        const double step = is_count(response) ? y + 1 : 1e-3,
                     found = predictive_probability(response, predictor, y + step) -
                             predictive_probability(response, predictor, y - step);
        double expected = (density(y - step) + 4 * density(y) + density(y + step)) * step / 3;
        if (is_count(response)) {
          expected = 0;
          for (int k = 0; k <= y + step; ++k) expected += density(k);
        }
        EXPECT_NEAR(found, expected, 1e-9) << static_cast<int>(response.family) << ' ' << response.a
                                           << ' ' << predictor.mean << ' ' << y;
      }
    }
  }
  const Response t{ResponseFamily::student_t, 0.3, 3}, gamma{ResponseFamily::gamma, 2, 1};
  EXPECT_NEAR(predictive_probability(t, {1.3, 0.7}, 1.3), 0.5, 1e-9);
  EXPECT_EQ(predictive_probability(gamma, {1.3, 0.7}, 0), 0);
  EXPECT_NEAR(predictive_probability(gamma, {0, 0}, 3), 1 - 7 * std::exp(-6.0), 1e-12);
  EXPECT_EQ(predictive_probability({ResponseFamily::poisson, 1, 1}, {0, 1}, -1), 0);
}

TEST(GpPredictive, QuantilesOfLaws) {
  for (const Response& response : laws()) {
    for (const Moments& predictor : kPredictors) {
      for (const double p : {0.025, 0.5, 0.975}) {
        const double y = predictive_quantile(response, predictor, p),
                     below = predictive_probability(response, predictor, y);
        if (is_count(response)) {
          EXPECT_GE(below, p);
          EXPECT_LT(predictive_probability(response, predictor, y - 1), p);
        } else {
          EXPECT_NEAR(below, p, 1e-8) << static_cast<int>(response.family) << ' ' << predictor.mean;
        }
      }
    }
  }
  const Response logit{ResponseFamily::bernoulli_logit, 1, 1};
  EXPECT_EQ(predictive_quantile(logit, {0, 1}, 0.49), 0);
  EXPECT_EQ(predictive_quantile(logit, {0, 1}, 0.51), 1);
  EXPECT_EQ(predictive_quantile({ResponseFamily::poisson, 1, 1}, {0, 0}, 0.37), 1);
  // a count far beyond what is summed
  for (const Response& response : {Response{ResponseFamily::poisson, 1, 1},
                                   Response{ResponseFamily::negative_binomial, 1e9, 1}}) {
    const double far = predictive_quantile(response, {20, 1}, 0.975);
    EXPECT_NEAR(std::log(far), 20 + 1.959963984540054, 1e-7);
  }
}

/// Where the predictor is known there are formulas (Jordan, Krueger and Lerch 2019).
TEST(GpPredictive, ScoresOfKnownPredictors) {
  const double f = 0.7, m = std::exp(f);
  for (const double y : {0.0, 2.0, 9.0}) {
    const Response poisson{ResponseFamily::poisson, 1, 1};
    const double below = boost::math::gamma_q(y + 1, m),
                 density = std::exp(y * f - m - std::lgamma(y + 1));
    EXPECT_NEAR(predictive_crps(poisson, {f, 0}, y),
                (y - m) * (2 * below - 1) + 2 * m * density -
                    m * std::exp(-2 * m) *
                        (boost::math::cyl_bessel_i(0, 2 * m) + boost::math::cyl_bessel_i(1, 2 * m)),
                1e-10);
  }
  for (const double a : {0.5, 4.0}) {
    for (const double y : {0.1, 2.0, 9.0}) {
      const double rate = a / m;
      EXPECT_NEAR(predictive_crps({ResponseFamily::gamma, a, 1}, {f, 0}, y),
                  y * (2 * boost::math::gamma_p(a, rate * y) - 1) -
                      m * (2 * boost::math::gamma_p(a + 1, rate * y) - 1) -
                      1 / (rate * boost::math::beta(0.5, a)),
                  1e-8)
          << a << ' ' << y;
    }
  }
  const double a = 0.4;
  for (const double b : {1.5, 6.0}) {
    for (const double y : {-3.0, 0.7, 2.0}) {
      const double z = (y - f) / a, square = z * z / b,
                   below = 0.5 + (z < 0 ? -0.5 : 0.5) *
                                     boost::math::ibeta(0.5, 0.5 * b, square / (1 + square)),
                   density = std::pow(1 + square, -0.5 * (b + 1)) /
                             (std::sqrt(b) * boost::math::beta(0.5, 0.5 * b)),
                   own = boost::math::beta(0.5, 0.5 * b);
      EXPECT_NEAR(predictive_crps({ResponseFamily::student_t, a, b}, {f, 0}, y),
                  a * (z * (2 * below - 1) + 2 * density * (b + z * z) / (b - 1) -
                       2 * std::sqrt(b) / (b - 1) * boost::math::beta(0.5, b - 0.5) / (own * own)),
                  1e-7)
          << b << ' ' << y;
    }
  }
}

/// Scores against plain sums of squares; the largest means go by Euler's and Maclaurin's formula.
TEST(GpPredictive, Scores) {
  for (const Response& response : laws()) {
    if (!is_count(response)) continue;
    for (const Moments& predictor : {Moments{0.3, 1e-4}, {-1, 1}, {3, 0.3}, {6.5, 0.6}}) {
      for (const double y : {0.0, 5.0, 900.0}) {
        double expected = 0;
        for (double k = 0;; ++k) {
          const double upper = 1 - predictive_probability(response, predictor, k);
          expected += k >= y ? upper * upper : (1 - upper) * (1 - upper);
          if (k > y && upper < 1e-5) break;
        }
        EXPECT_NEAR(predictive_crps(response, predictor, y), expected, 1e-7 * expected + 1e-9)
            << static_cast<int>(response.family) << ' ' << response.a << ' ' << predictor.mean
            << ' ' << y;
      }
    }
  }
  for (const Response& response :
       {Response{ResponseFamily::gamma, 2.5, 1}, Response{ResponseFamily::student_t, 0.3, 4}}) {
    for (const Moments& predictor : {Moments{-1, 1}, {1, 0.04}}) {
      for (const double y : {0.2, 2.0, 9.0}) {
        const bool is_gamma = response.family == ResponseFamily::gamma;
        const double low = is_gamma ? 0 : -400, high = is_gamma ? 600 : 400, step = 0.01;
        double expected = 0;  // by Simpson's rule from `y` to either side
        for (const double side : {-1.0, 1.0}) {
          const double end = side < 0 ? low : high;
          const int panels = 2 * static_cast<int>(std::fabs(end - y) / step / 2) + 2;
          for (int k = 0; k <= panels; ++k) {
            const double x = y + (end - y) * k / panels,
                         below = predictive_probability(response, predictor, x),
                         value = side < 0 ? below : 1 - below;
            expected += (k == 0 || k == panels ? 1
                         : k % 2 == 1          ? 4
                                               : 2) *
                        value * value * std::fabs(end - y) / panels / 3;
            if (std::fabs(value) < 1e-9 && k % 2 == 0) break;
          }
        }
        EXPECT_NEAR(predictive_crps(response, predictor, y), expected, 1e-6 * expected)
            << static_cast<int>(response.family) << ' ' << predictor.mean << ' ' << y;
      }
    }
  }
  const Response probit{ResponseFamily::bernoulli_probit, 1, 1};
  EXPECT_NEAR(predictive_crps(probit, {0, 1}, 1), 0.25, 1e-12);
}

}  // namespace
