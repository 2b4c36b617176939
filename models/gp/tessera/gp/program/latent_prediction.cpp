// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Predictions, draws and the cross-validation of a run with observations that are not Gaussian.
#include <algorithm>
#include <cmath>

#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/program/latent_model.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

namespace {

/// Adds the mean function to the field at some points, and checks the sum.
void add_trend(const std::vector<std::vector<double>>& trend,
               const std::vector<double>& coefficients, const Points& points,
               LatentPrediction& prediction) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    double& mean = prediction.mean[i];
    for (std::size_t k = 0; k < trend.size(); ++k) mean += coefficients[k] * trend[k][i];
    if (!std::isfinite(mean) || !std::isfinite(prediction.variance[i]))
      throw Error(ErrorKind::numerical,
                  "the prediction at point " + std::to_string(i + 1) + ", " + points.text(i) +
                      ", is not finite",
                  "give the covariance a nugget or a smaller range");
  }
}

/// The predictors of observations: with the logarithms of exposures and a nugget.
std::vector<Moments> predictors(const LatentPrediction& prediction,
                                const std::vector<double>& offset, double nugget) {
  std::vector<Moments> result;
  for (std::size_t i = 0; i < prediction.mean.size(); ++i)
    result.push_back(
        {prediction.mean[i] + (offset.empty() ? 0 : offset[i]), prediction.variance[i] + nugget});
  return result;
}

}  // namespace

void LatentModel::predict() {
  const LatentPoint& point = m_found->point;
  const CovarianceModel& model = m_parameters.model;
  m_solver->prepare(point.theta);
  m_prediction = m_solver->predict(point, m_targets);
  const std::vector<std::vector<double>> columns =
      trend(m_parameters.mean, m_targets, m_kept, model.metric);
  add_trend(columns, point.coefficients, m_targets, m_prediction);
  const std::vector<double> offset = offsets(m_observations.left_out);
  m_forecast =
      forecast(point.response, predictors(m_prediction, offset, nugget()),
               values(m_observations.left_out), m_parameters.predict.quantiles, m_settings.ranks);
  if (m_parameters.predict.draws > 0) draw(columns, offset);
}

double LatentModel::nugget() const {
  const CovarianceModel& model = m_parameters.model;
  return model.has_nugget ? m_found->point.theta[model.nugget()] : 0;
}

/// Draws the predictor at the targets, then an observation of each.
void LatentModel::draw(const std::vector<std::vector<double>>& columns,
                       const std::vector<double>& offset) {
  const LatentPoint& point = m_found->point;
  const std::size_t m = m_targets.size(),
                    count = static_cast<std::size_t>(m_parameters.predict.draws);
  require_host_memory(40.0 * static_cast<double>(m) * static_cast<double>(count),
                      "the draws of predictions", "take fewer predict.draws, or fewer points");
  DrawOptions options;
  options.count = m_parameters.predict.draws;
  options.jitter = m_parameters.predict.jitter;
  options.normals = standard_normals(m_settings.seed, Stream::draws, m, count);
  m_draws = m_solver->draw(point, m_targets, options);
  const std::vector<double> noise =
      standard_normals(m_settings.seed, Stream::draws, m, count, 2 * count);
  const double deviation = std::sqrt(nugget());
  m_response_draws.resize(m_draws.size());
  for (std::size_t d = 0; d < count; ++d) {
    const std::vector<double> u = uniforms(m_settings.seed, Stream::responses, m, 1 + d);
    for (std::size_t i = 0; i < m; ++i) {
      double& predictor = m_draws[i * count + d];
      for (std::size_t k = 0; k < columns.size(); ++k)
        predictor += point.coefficients[k] * columns[k][i];
      const double f = predictor + (offset.empty() ? 0 : offset[i]) + deviation * noise[d * m + i];
      m_response_draws[i * count + d] = response_quantile(point.response, f, u[i]);
    }
  }
}

// --- cross-validation

void LatentModel::begin_validation() {
  const std::size_t n = m_kept.size();
  m_folds = m_parameters.folds == 0 ? n : std::min<std::size_t>(m_parameters.folds, n);
  const std::vector<std::size_t> order = permutation(m_settings.seed, Stream::folds, n);
  m_fold.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) m_fold[order[k]] = static_cast<std::int64_t>(k % m_folds);
  m_folds_done = 0;
  m_validation.mean.assign(n, 0.0);
  m_validation.variance.assign(n, 0.0);
  m_solver->prepare(m_found->point.theta);
}

/// Predicts the observations of one fold from the others.
void LatentModel::validate_fold() {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < m_fold.size(); ++i) {
    if (m_fold[i] == static_cast<std::int64_t>(m_folds_done)) rows.push_back(i);
  }
  const LatentPrediction fold = m_solver->leave_out(m_found->point, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    m_validation.mean[rows[k]] = fold.mean[k];
    m_validation.variance[rows[k]] = fold.variance[k];
  }
  ++m_folds_done;
  m_status = "fold " + std::to_string(m_folds_done) + " of " + std::to_string(m_folds);
  if (m_folds_done < m_folds) return;
  add_trend(m_trend, m_found->point.coefficients, m_kept, m_validation);
  m_validation_forecast =
      forecast(m_found->point.response, predictors(m_validation, offsets(m_observations.kept), 0),
               values(m_observations.kept), {}, m_settings.ranks);
  next_stage();
}

}  // namespace tessera::gp
