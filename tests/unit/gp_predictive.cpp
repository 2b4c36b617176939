// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Predictive laws of observations whose predictor is Gaussian, against sums and closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/gp/latent/predictive.hpp"

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

}  // namespace
