// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/latent_forecast.hpp"

#include <cstddef>

#include "tessera/core/app/signals.hpp"
#include "tessera/gp/latent/predictive_law.hpp"

namespace tessera::gp {

namespace {

/// Adds the scores of what was observed to a forecast.
void add_scores(const Response& response, const std::vector<Moments>& predictors,
                LatentForecast& f) {
  const bool is_binary = response.family == ResponseFamily::bernoulli_logit ||
                         response.family == ResponseFamily::bernoulli_probit;
  const auto count = static_cast<double>(f.observed.size());
  double log_score = 0, crps = 0, inside = 0, squares = 0, wrong = 0;
  for (std::size_t i = 0; i < f.observed.size(); ++i) {
    stop_at_signal();
    const double y = f.observed[i], error = y - f.mean[i];
    f.log_density.push_back(log_predictive_density(response, predictors[i], y));
    f.probability.push_back(predictive_probability(response, predictors[i], y));
    log_score -= f.log_density[i] / count;
    squares += error * error / count;
    if (is_binary) {
      wrong += (f.mean[i] > 0.5) == (y == 1) ? 0 : 1 / count;
      continue;
    }
    crps += predictive_crps(response, predictors[i], y) / count;
    // y is at most a quantile where the probability of less than y is below that of the quantile
    const double less = has_log_link(response.family) && response.family != ResponseFamily::gamma
                            ? predictive_probability(response, predictors[i], y - 1)
                            : f.probability[i];
    inside += f.probability[i] >= 0.025 && less < 0.975 ? 1 / count : 0;
  }
  f.scores = {{"log_score", log_score}};
  if (is_binary) {
    f.scores.emplace_back("brier_score", squares);
    f.scores.emplace_back("misclassified", wrong);
  } else {
    f.scores.emplace_back("crps", crps);
    f.scores.emplace_back("coverage_95", inside);
    f.scores.emplace_back("mspe", squares);
  }
}

}  // namespace

LatentForecast forecast(const Response& response, const std::vector<Moments>& predictors,
                        const std::vector<double>& observed, const std::vector<double>& quantiles) {
  LatentForecast f;
  f.observed = observed;
  for (const Moments& predictor : predictors) {
    stop_at_signal();
    const Moments law = predict_response(response, predictor);
    f.mean.push_back(law.mean);
    f.variance.push_back(law.variance);
    for (const double p : quantiles)
      f.quantiles.push_back(predictive_quantile(response, predictor, p));
  }
  if (!observed.empty()) add_scores(response, predictors, f);
  return f;
}

}  // namespace tessera::gp
