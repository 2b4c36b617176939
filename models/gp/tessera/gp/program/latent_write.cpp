// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The results of a run with observations that are not Gaussian.
#include "tessera/core/io/results_file.hpp"
#include "tessera/gp/program/latent_model.hpp"

namespace tessera::gp {

namespace {

using io::Attributes;
using io::Shape;

}  // namespace

void LatentModel::write_parameters(const io::Group& results) const {
  const CovarianceModel& model = m_parameters.model;
  const std::vector<std::string> own = response_parameters(m_parameters.response.family);
  results.write("parameters", model.names(), Attributes{"1", "names of the elements of theta"});
  if (!own.empty())
    results.write("response_parameters", own,
                  Attributes{"1", "names of the parameters of the observations' law"});
  if (!m_trend.empty())
    results.write("trend_names", trend_columns(), Attributes{"1", "columns of the mean"});
  const auto write = [&](const io::Group& group, const std::vector<Found>& rows) {
    std::vector<double> theta, response, trend, loglik, determinant, error;
    for (const Found& row : rows) {
      theta.insert(theta.end(), row.point.theta.begin(), row.point.theta.end());
      if (own.size() > 0) response.push_back(row.point.response.a);
      if (own.size() > 1) response.push_back(row.point.response.b);
      trend.insert(trend.end(), row.point.coefficients.begin(), row.point.coefficients.end());
      loglik.push_back(row.evaluation.loglik);
      determinant.push_back(row.evaluation.log_determinant);
      error.push_back(row.evaluation.log_determinant_error);
    }
    const std::uint64_t count = rows.size();
    group.write("theta", theta, Shape{count, theta.size() / count},
                Attributes{"1", "parameters of the covariance, a row a likelihood"});
    if (!response.empty())
      group.write("response", response, Shape{count, own.size()},
                  Attributes{"1", "parameters of the observations' law"});
    if (!trend.empty())
      group.write("trend", trend, Shape{count, m_trend.size()},
                  Attributes{"1",
                             "coefficients of the mean: constant, coordinates (which count from "
                             "-1 to 1 across the data), their products, covariates"});
    group.write("loglik", loglik, Attributes{"1", "log-likelihood by Laplace's approximation"});
    group.write("log_determinant", determinant,
                Attributes{"1",
                           "of the precision of the field given the observations, less that "
                           "without them"});
    group.write("log_determinant_error", error,
                Attributes{"1", "standard error of an estimated determinant; 0: exact"});
  };
  if (!m_listed.empty()) write(m_found ? results.group("evaluated") : results, m_listed);
  if (m_found) write(results, {*m_found});
  if (m_errors.empty()) return;
  const auto part = [&](std::size_t first, std::size_t count) {
    const auto begin = m_errors.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const std::size_t count = m_found->point.theta.size();
  results.write("theta_se", part(0, count), Shape{1, count},
                Attributes{"1", "standard errors of theta; NaN: fixed, at a bound, or unknown"});
  if (!own.empty())
    results.write("response_se", part(count, own.size()), Shape{1, own.size()},
                  Attributes{"1", "standard errors of the parameters of the observations' law"});
  if (!m_trend.empty())
    results.write("trend_se", part(count + own.size(), m_trend.size()), Shape{1, m_trend.size()},
                  Attributes{"1", "standard errors of the coefficients of the mean"});
}

namespace {

/// Writes the laws of observations; quantiles and draws apart.
void write_forecast(const io::Group& group, const LatentForecast& f) {
  group.write("response_mean", f.mean,
              Attributes{"1", "mean of an observation; of 0 or 1 the probability of 1"});
  group.write("response_variance", f.variance, Attributes{"1", "variance of an observation"});
  if (f.observed.empty()) return;
  group.write("log_density", f.log_density,
              Attributes{"1", "logarithm of the predictive density of what was observed"});
  group.write("probability", f.probability,
              Attributes{"1", "predictive probability of at most what was observed"});
  for (const auto& [name, value] : f.scores) group.set_attribute(name, value);
}

}  // namespace

void LatentModel::write_prediction(const io::Group& results) const {
  if (m_forecast.mean.empty()) return;
  const PredictParameters& predict = m_parameters.predict;
  const io::Group group = results.group("prediction");
  const std::uint64_t points = m_targets.size();
  write_points(group, m_parameters.model, m_observations.names, m_targets);
  if (const std::vector<std::size_t> shape = predict.grid_shape(); !shape.empty())
    group.write("grid", std::vector<std::int64_t>(shape.begin(), shape.end()),
                Attributes{"1", "points along each coordinate; the last one runs fastest"});
  group.write("mean", m_prediction.mean,
              Attributes{"1", "mean of the predictor: the mean function and the field"});
  group.write("variance", m_prediction.variance, Attributes{"1", "variance of the field"});
  write_forecast(group, m_forecast);
  if (!m_forecast.observed.empty())
    group.write("observed", m_forecast.observed, Attributes{"1", "what was held out"});
  write_quantiles(group, predict.quantiles, m_forecast.quantiles);
  if (m_draws.empty()) return;
  const Shape shape{points, static_cast<std::uint64_t>(predict.draws)};
  group.write("draws", m_draws, shape,
              Attributes{"1", "predictors drawn from the conditional distribution"});
  group.write("response_draws", m_response_draws, shape,
              Attributes{"1", "an observation drawn from each of them"});
}

void LatentModel::write_validation(const io::Group& results) const {
  if (m_validation_forecast.mean.empty()) return;
  const io::Group group = results.group("cross_validation");
  group.write("mean", m_validation.mean,
              Attributes{"1", "mean of the predictor from the observations outside the fold"});
  group.write("variance", m_validation.variance,
              Attributes{"1", "variance of the predictor, with the nugget"});
  group.write("fold", m_fold, Attributes{"1", "fold of each observation"});
  write_forecast(group, m_validation_forecast);
}

void LatentModel::write(io::ResultsFile& file) const {
  write_points(file.coordinates(), m_parameters.model, m_observations.names, m_kept);
  file.coordinates().write("names", m_observations.names,
                           Attributes{"1", "names of the coordinates"});
  const io::Group results = file.results();
  if (!m_observations.values.empty())
    results.write("observations", values(m_observations.kept), Shape{m_kept.size(), 1},
                  Attributes{"1", "observations at the points of /coordinates"});
  if (!m_observations.exposure.empty()) {
    std::vector<double> exposure;
    for (const std::size_t i : m_observations.kept) exposure.push_back(m_observations.exposure[i]);
    results.write("exposure", exposure, Attributes{"1", "by which the mean is multiplied"});
  }
  write_parameters(results);
  if (m_found)
    results.write("field", m_solver->mode(),
                  Attributes{"1", "mode of the field at the points, without the mean function"});
  if (m_found && m_parameters.fit.given) {
    results.set_attribute("converged", std::int64_t(m_outcome.converged ? 1 : 0));
    results.set_attribute("end", m_outcome.reason);
  }
  if (m_found && m_parameters.simulate.given)
    results.write("truth", m_parameters.theta, Attributes{"1", "parameters of the simulation"});
  write_prediction(results);
  write_validation(results);
  results.set_attribute("points", static_cast<std::uint64_t>(m_kept.size()));
  results.set_attribute("method", std::string("vecchia"));
  results.set_attribute("neighbours",
                        static_cast<std::uint64_t>(m_parameters.method.vecchia.neighbours));
  const io::Group series = file.series();
  series.write("iteration", m_series.iteration, Attributes{"1", "number of the likelihood"});
  const std::vector<std::int64_t> none(m_series.iteration.size(), 0);
  series.write("replicate", none, Attributes{"1", "fit it belongs to"});
  series.write("start", none, Attributes{"1", "start it belongs to"});
  series.write("valid", m_series.valid, Attributes{"1", "0: no likelihood at these parameters"});
  series.write("loglik", m_series.loglik, Attributes{"1", "log-likelihood"});
  const std::uint64_t count = m_series.iteration.size();
  if (count > 0)
    series.write("theta", m_series.theta, Shape{count, m_series.theta.size() / count},
                 Attributes{"1", "where it was evaluated"});
  series.write("newton_steps", m_series.newton_steps,
               Attributes{"1", "steps of Newton's method to the mode of the field"});
  series.write("cg_iterations", m_series.cg_iterations,
               Attributes{"1", "iterations of conjugate gradients, of all systems"});
  series.set_attribute("likelihoods", m_likelihoods);
}

}  // namespace tessera::gp
