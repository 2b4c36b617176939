// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/latent_forecast.hpp"

#include <cstddef>

#include "tessera/core/app/signals.hpp"
#include "tessera/gp/latent/predictive_law.hpp"

namespace tessera::gp {

namespace {

bool is_binary(const Response& response) {
  return response.family == ResponseFamily::bernoulli_logit ||
         response.family == ResponseFamily::bernoulli_probit;
}

/// The numbers of a point, in a row: its mean and variance and, where there is an observation, what
/// the scores are made of; then quantiles.
struct Columns {
  enum { kMean, kVariance, kLogDensity, kProbability, kCrps, kInside, kWrong, kOthers };
  std::size_t quantiles;
  std::size_t width() const { return kOthers + quantiles; }
};

/// Finds what the scores of one observation are made of.
void score(const Response& response, const Moments& predictor, double y, double* row) {
  row[Columns::kLogDensity] = log_predictive_density(response, predictor, y);
  const double probability = predictive_probability(response, predictor, y);
  row[Columns::kProbability] = probability;
  if (is_binary(response)) {
    row[Columns::kWrong] = (row[Columns::kMean] > 0.5) == (y == 1) ? 0 : 1;
    return;
  }
  row[Columns::kCrps] = predictive_crps(response, predictor, y);
  // y is at most a quantile where the probability of less than y is below that of the quantile
  const double less = has_log_link(response.family) && response.family != ResponseFamily::gamma
                          ? predictive_probability(response, predictor, y - 1)
                          : probability;
  row[Columns::kInside] = probability >= 0.025 && less < 0.975 ? 1 : 0;
}

/// Makes the scores of the rows of all points.
std::vector<std::pair<std::string, double>> scores(const Response& response,
                                                   const LatentForecast& f,
                                                   const std::vector<double>& rows,
                                                   std::size_t width) {
  const auto mean_of = [&](const auto& number) {
    double sum = 0;
    for (std::size_t i = 0; i < f.observed.size(); ++i) sum += number(i);
    return sum / static_cast<double>(f.observed.size());
  };
  const auto mean_of_column = [&](std::size_t k) {
    return mean_of([&](std::size_t i) { return rows[i * width + k]; });
  };
  const double log_score = -mean_of_column(Columns::kLogDensity),
               squares = mean_of([&](std::size_t i) {
                 return (f.observed[i] - f.mean[i]) * (f.observed[i] - f.mean[i]);
               });
  if (is_binary(response))
    return {{"log_score", log_score},
            {"brier_score", squares},
            {"misclassified", mean_of_column(Columns::kWrong)}};
  return {{"log_score", log_score},
          {"crps", mean_of_column(Columns::kCrps)},
          {"coverage_95", mean_of_column(Columns::kInside)},
          {"mspe", squares}};
}

}  // namespace

LatentForecast forecast(const Response& response, const std::vector<Moments>& predictors,
                        const std::vector<double>& observed, const std::vector<double>& quantiles,
                        const parallel::Communicator& ranks) {
  const std::size_t width = Columns{quantiles.size()}.width();
  const parallel::Range mine = ranks.share(static_cast<std::int64_t>(predictors.size()));
  std::vector<double> own(static_cast<std::size_t>(mine.size()) * width, 0.0);
  ranks.together([&] {
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      stop_at_signal();
      const Moments& predictor = predictors[static_cast<std::size_t>(i)];
      double* const row = own.data() + static_cast<std::size_t>(i - mine.begin) * width;
      const Moments law = predict_response(response, predictor);
      row[Columns::kMean] = law.mean;
      row[Columns::kVariance] = law.variance;
      for (std::size_t k = 0; k < quantiles.size(); ++k)
        row[Columns::kOthers + k] = predictive_quantile(response, predictor, quantiles[k]);
      if (!observed.empty()) score(response, predictor, observed[static_cast<std::size_t>(i)], row);
    }
  });
  const std::vector<double> rows = ranks.all_gather(own);
  LatentForecast f;
  f.observed = observed;
  for (auto row = rows.begin(); row != rows.end(); row += static_cast<std::ptrdiff_t>(width)) {
    f.mean.push_back(row[Columns::kMean]);
    f.variance.push_back(row[Columns::kVariance]);
    f.quantiles.insert(f.quantiles.end(), row + Columns::kOthers,
                       row + static_cast<std::ptrdiff_t>(width));
    if (observed.empty()) continue;
    f.log_density.push_back(row[Columns::kLogDensity]);
    f.probability.push_back(row[Columns::kProbability]);
  }
  if (!observed.empty()) f.scores = scores(response, f, rows, width);
  return f;
}

}  // namespace tessera::gp
