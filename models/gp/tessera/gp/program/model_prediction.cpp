// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The predictions of a run of tessera-gp, its draws, and the scores of predictions.
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/math/scores.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/points/local_variance.hpp"
#include "tessera/gp/program/model.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

namespace {

/// What a prediction says of an observation.
struct Judgement {
  double error, variance;  ///< of the mean
  bool inside;             ///< the central 95 % interval
  double surprise, crps;
};

/// Returns the means of the scores with which variance estimates are compared: mean square error,
/// share inside the central 95 % interval, mean squared error in units of the variance, mean
/// negative logarithm of the predictive density, mean continuous ranked probability score.
Scores scores(const std::vector<Judgement>& judgements) {
  double squares = 0, standardised = 0, inside = 0, surprise = 0, crps = 0;
  const double count = static_cast<double>(judgements.size());
  for (const Judgement& one : judgements) {
    squares += one.error * one.error;
    if (one.error != 0) standardised += one.error * one.error / one.variance;
    surprise += one.surprise;
    crps += one.crps;
    inside += one.inside ? 1 : 0;
  }
  return {{"mspe", squares / count},
          {"coverage_95", inside / count},
          {"mean_squared_standardised_error", standardised / count},
          {"nlpd", surprise / count},
          {"crps", crps / count}};
}

constexpr double kCentral = 1.959963984540054;  // standard deviations of 95 %

/// Returns the scores of Gaussian predictions.
Scores scores(const std::vector<double>& truth, const std::vector<double>& mean,
              const std::vector<double>& variance) {
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = truth[i] - mean[i], deviation = std::sqrt(variance[i]);
    const double surprise = 0.5 * (std::log(6.283185307179586477 * variance[i]) +
                                   (error != 0 ? error * error / variance[i] : 0));
    judgements.push_back({error, variance[i], std::fabs(error) <= kCentral * deviation, surprise,
                          math::normal_crps(error, deviation)});
  }
  return scores(judgements);
}

Scores scores(const std::vector<double>& truth, const std::vector<TukeyLaw>& laws) {
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const TukeyLaw& law = laws[i];
    const bool inside =
        std::fabs(law.inverse(truth[i]) - law.mean) <= kCentral * std::sqrt(law.variance);
    judgements.push_back({truth[i] - law.expectation(), law.spread(), inside,
                          -law.log_density(truth[i]), law.crps(truth[i])});
  }
  return scores(judgements);
}

/// Throws Error (numerical) where a prediction is not finite, which no solver should let pass.
void require_finite(const Prediction& prediction, const Points& points) {
  const std::size_t columns = prediction.mean.size() / std::max<std::size_t>(points.size(), 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool finite = std::isfinite(prediction.variance[i]);
    for (std::size_t r = 0; r < columns; ++r)
      finite = finite && std::isfinite(prediction.mean[i * columns + r]);
    if (finite) continue;
    throw Error(
        ErrorKind::numerical,
        "the prediction at point " + std::to_string(i + 1) + ", " + points.text(i) +
            ", is not finite",
        "give the covariance a nugget or a smaller range, and check the size of the observations");
  }
}

}  // namespace

/// Scores several variables one by one, since their units differ; the names of scores end with
/// those of the variables.
Scores GpModel::scores_by_variable(const std::vector<double>& truth,
                                   const std::vector<double>& mean,
                                   const std::vector<double>& variance,
                                   const Points& points) const {
  if (!m_parameters.model.has_variables()) return scores(truth, mean, variance);
  Scores all;
  for (std::size_t v = 0; v < m_observations.variables.size(); ++v) {
    std::vector<double> own_truth, own_mean, own_variance;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (points.variable_of(i) != static_cast<int>(v)) continue;
      own_truth.push_back(truth[i]);
      own_mean.push_back(mean[i]);
      own_variance.push_back(variance[i]);
    }
    if (own_truth.empty()) continue;
    for (const auto& [name, value] : scores(own_truth, own_mean, own_variance))
      all.emplace_back(name + "_" + m_observations.variables[v], value);
  }
  return all;
}

void GpModel::predict() {
  DrawOptions draws;
  draws.count = m_parameters.predict.draws;
  m_solver->prepare(theta());
  draws.jitter = m_parameters.predict.jitter;
  if (draws.count > 0) {
    const std::size_t m = m_targets.size();
    const double bytes =
        8.0 * static_cast<double>(m) *
        static_cast<double>(m + m_kept.size() + 2 * static_cast<std::size_t>(draws.count));
    if (!m_vecchia && bytes > static_cast<double>(available_memory(m_settings.backend))) {
      throw Error(ErrorKind::resource,
                  "drawing at " + std::to_string(m) + " points needs " +
                      number(bytes / 1e9, "%.4g") + " GB more on the device than there is",
                  "predict at fewer points, use method: vecchia, or set predict.draws: 0");
    }
    const auto count = static_cast<std::size_t>(draws.count);
    draws.normals = standard_normals(m_settings.seed, Stream::draws, m, count);
    const GroupSolver* const groups = group_solver();
    draws.trend_normals = standard_normals(
        m_settings.seed, Stream::draws,
        groups == nullptr ? m_trend.size() : groups->numbers_of_draw(m_targets), count, count);
  }
  if (m_parameters.fit.separate && m_observations.replicates > 1) use_replicate(0);
  if (!m_parameters.fit.given) find_effects();
  describe_target_levels();
  m_prediction = m_solver->predict(
      theta(), m_targets, trend(m_parameters.mean, m_targets, m_kept, m_parameters.model.metric),
      draws);
  require_finite(m_prediction, m_targets);
  warn_of_rounding(theta());
  if (draws.count > 0) m_draw_levels = static_cast<std::uint64_t>(m_solver->levels());
  m_units_done += 1;
  if (!m_observations.left_out.empty()) score_prediction();
  find_quantiles();
  if (m_parameters.predict.of_observation) add_errors();
  transform(m_prediction);
  next_stage(Stage::predict);
}

/// Returns the nugget and, where it is known, the variance of the error at a target; and the
/// variances of groupings whose levels are not known there.
std::vector<double> GpModel::target_error_variance() const {
  std::vector<double> variance;
  for (std::size_t i = 0; i < m_targets.size(); ++i)
    variance.push_back(nugget_variance(m_parameters.model, theta(), m_targets, i));
  for (std::size_t i = 0; i < m_targets.error_variance.size(); ++i)
    variance[i] += m_targets.error_variance[i];
  const CovarianceModel& model = m_parameters.model;
  for (std::size_t g = 0; g < model.groups.size() && m_targets.level.empty(); ++g) {
    for (double& one : variance) one += theta()[static_cast<std::size_t>(model.group()) + g];
  }
  return variance;
}

std::vector<TukeyLaw> GpModel::tukey_laws(const Prediction& prediction,
                                          const std::vector<double>& error) const {
  const CovarianceModel& model = m_parameters.model;
  std::vector<TukeyLaw> laws;
  for (std::size_t i = 0; i < prediction.location.size(); ++i)
    laws.push_back({prediction.mean[i], prediction.variance[i] + (error.empty() ? 0 : error[i]),
                    prediction.location[i], std::sqrt(theta()[0]), theta()[model.g()],
                    theta()[model.h()]});
  return laws;
}

/// Turns predictions of the Gaussian field of Tukey's marginals into those of what is observed.
void GpModel::transform(Prediction& prediction) const {
  if (!m_parameters.model.has_tukey) return;
  const std::vector<TukeyLaw> laws = tukey_laws(prediction, {});
  const std::size_t draws = prediction.draws.size() / std::max<std::size_t>(laws.size(), 1);
  std::size_t infinite = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    prediction.mean[i] = laws[i].expectation();
    prediction.variance[i] = laws[i].spread();
    infinite += std::isfinite(prediction.variance[i]) ? 0 : 1;
    for (std::size_t d = 0; d < draws; ++d) {
      double& draw = prediction.draws[i * draws + d];
      draw = laws[i].value(draw);
    }
  }
  if (infinite > 0)
    logging::warning("the law of " + std::to_string(infinite) + " of " +
                     std::to_string(laws.size()) +
                     " predictions has no variance (and no mean, where that is NaN), for h = " +
                     number(theta()[m_parameters.model.h()]) +
                     " makes its tails too heavy: take predict.quantiles");
}

/// Finds the quantiles of observations, which are Gaussian or have Tukey's marginals, of the first
/// replicate.
void GpModel::find_quantiles() {
  const std::vector<double> error = target_error_variance();
  for (const TukeyLaw& law : tukey_laws(m_prediction, error)) {
    for (const double p : m_parameters.predict.quantiles) m_quantiles.push_back(law.quantile(p));
  }
  if (m_parameters.model.has_tukey) return;
  const std::size_t columns = m_prediction.mean.size() / m_targets.size();
  const boost::math::normal_distribution<double> normal;
  for (std::size_t i = 0; i < m_targets.size(); ++i) {
    const double deviation = std::sqrt(m_prediction.variance[i] + error[i]);
    for (const double p : m_parameters.predict.quantiles)
      m_quantiles.push_back(m_prediction.mean[i * columns] + deviation * quantile(normal, p));
  }
}

/// Turns predictions of the field into predictions of observations of it.
void GpModel::add_errors() {
  const std::vector<double> error = target_error_variance();
  for (std::size_t i = 0; i < error.size(); ++i) m_prediction.variance[i] += error[i];
  const auto count = static_cast<std::size_t>(m_parameters.predict.draws);
  const std::vector<double> normals =
      standard_normals(m_settings.seed, Stream::draws, m_targets.size(), count, 2 * count);
  for (std::size_t d = 0; d < count; ++d) {
    for (std::size_t i = 0; i < m_targets.size(); ++i)
      m_prediction.draws[i * count + d] += std::sqrt(error[i]) * normals[d * m_targets.size() + i];
  }
}

/// Scores the prediction of the first replicate; what was held out was observed with errors.
void GpModel::score_prediction() {
  const std::size_t columns = m_prediction.mean.size() / m_targets.size();
  const std::vector<double> error = target_error_variance();
  std::vector<double> mean;
  for (const std::size_t i : m_observations.left_out) m_truth.push_back(m_observations.values[i]);
  if (m_parameters.model.has_tukey) {
    const std::vector<TukeyLaw> laws = tukey_laws(m_prediction, error);
    for (const TukeyLaw& law : laws) m_truth_variance.push_back(law.spread());
    m_scores = scores(m_truth, laws);
    return;
  }
  for (std::size_t i = 0; i < m_targets.size(); ++i) {
    mean.push_back(m_prediction.mean[i * columns]);
    m_truth_variance.push_back(m_prediction.variance[i] + error[i]);
  }
  m_scores = scores_by_variable(m_truth, mean, m_truth_variance, m_targets);
  if (m_parameters.simulate.given && !m_fits.empty() && m_trend.empty() &&
      !m_parameters.simulate.tukey && !m_parameters.model.has_groups()) {
    // The comparison with the predictor that knows the truth: mean loss of efficiency, mean
    // misspecification of the mean square error.
    const std::vector<double> actual =
        m_solver->misspecified_variance(m_parameters.theta, theta(), m_targets);
    const Prediction best = m_solver->predict(m_parameters.theta, m_targets, {}, {});
    double loss = 0, misspecification = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      loss += (actual[i] / best.variance[i] - 1) / static_cast<double>(actual.size());
      misspecification +=
          (m_prediction.variance[i] / actual[i] - 1) / static_cast<double>(actual.size());
    }
    m_scores.emplace_back("mloe", loss);
    m_scores.emplace_back("mmom", misspecification);
  }
}

/// Divides the observations into folds, or the levels of a grouping with all of theirs.
void GpModel::make_folds() {
  std::vector<int> of(m_kept.size());  // of each observation: what is divided
  std::iota(of.begin(), of.end(), 0);
  const std::vector<std::string>& groups = m_parameters.model.groups;
  const auto group = std::find(groups.begin(), groups.end(), m_parameters.fold_group);
  if (group != groups.end()) of = m_kept.level[static_cast<std::size_t>(group - groups.begin())];
  std::vector<int> parts = of;
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  const std::size_t count = parts.size(),
                    folds = m_parameters.folds == 0
                                ? count
                                : std::min(static_cast<std::size_t>(m_parameters.folds), count);
  const std::vector<std::size_t> order = permutation(m_settings.seed, Stream::folds, count);
  std::vector<int> fold(count);
  for (std::size_t k = 0; k < count; ++k) fold[order[k]] = static_cast<int>(k % folds);
  m_fold.clear();
  for (const int part : of)
    m_fold.push_back(fold[static_cast<std::size_t>(
        std::lower_bound(parts.begin(), parts.end(), part) - parts.begin())]);
}

void GpModel::validate() {
  make_folds();
  if (m_parameters.fit.separate && m_observations.replicates > 1) use_replicate(0);
  m_solver->prepare(theta());
  m_validation = m_solver->cross_validate(theta(), m_fold);
  require_finite(m_validation, m_kept);
  warn_of_rounding(theta());
  m_validation_scores =
      m_parameters.model.has_tukey
          ? scores(kept_values(0), tukey_laws(m_validation, {}))
          : scores_by_variable(kept_values(0), m_validation.mean, m_validation.variance, m_kept);
  transform(m_validation);
  m_units_done += 1;
  next_stage(Stage::validate);
}

}  // namespace tessera::gp
