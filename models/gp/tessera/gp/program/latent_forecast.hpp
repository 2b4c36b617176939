// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/latent/predictive.hpp"

namespace tessera::gp {

/// The laws of observations at some points whose predictors are Gaussian, in numbers.
struct LatentForecast {
  std::vector<double> mean, variance;  ///< of observations
  std::vector<double> quantiles;       ///< a row for each point
  /// Of what was observed; empty: nothing was
  std::vector<double> observed, log_density, probability;
  std::vector<std::pair<std::string, double>> scores;
};

/// Finds them; `quantiles`: probabilities. Scores are the means over the points
///
/// | name | families | |
/// |---|---|---|
/// | log_score | all | minus the logarithm of the density |
/// | crps | all but bernoulli | continuous ranked probability score |
/// | coverage_95 | all but bernoulli | share between the quantiles of 0.025 and 0.975, these included |
/// | mspe | all but bernoulli | square of the error of the mean |
/// | brier_score | bernoulli | square of the error of the probability, which is its crps |
/// | misclassified | bernoulli | share on the other side of a probability of 0.5 |
///
/// Ranks share the points. Accuracy: predictive_law.hpp.
LatentForecast forecast(const Response& response, const std::vector<Moments>& predictors,
                        const std::vector<double>& observed, const std::vector<double>& quantiles,
                        const parallel::Communicator& ranks);

}  // namespace tessera::gp
