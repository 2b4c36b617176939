// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The results that a run of tessera-gp writes.
#include <cmath>

#include "tessera/core/io/results_file.hpp"
#include "tessera/gp/covariance/cross_correlations.hpp"
#include "tessera/gp/program/local_fields.hpp"
#include "tessera/gp/program/model.hpp"

namespace tessera::gp {

namespace {

using io::Attributes;
using io::Shape;

/// Returns one member of every fit, row by row.
template <class Member>
auto stack(const std::vector<FitResult>& fits, Member FitResult::*member) {
  std::vector<typename Member::value_type> rows;
  for (const FitResult& fit : fits)
    rows.insert(rows.end(), (fit.*member).begin(), (fit.*member).end());
  return rows;
}

/// Writes what follows from the estimates of a full cross-covariance.
void write_cross_covariance(const io::Group& results, const CovarianceModel& model,
                            const std::vector<FitResult>& fits) {
  std::vector<double> smoothness, bound;
  for (const FitResult& fit : fits) {
    smoothness.push_back(pair_smoothness(model, fit.theta, 0, 1));
    bound.push_back(largest_cross_correlation(model, fit.theta, 0, 1));
  }
  results.write("nu_12", smoothness, Attributes{"1", "smoothness of the cross-covariance"});
  results.write("largest_rho_12", bound,
                Attributes{"1", "largest |rho_12| that the other estimates allow"});
}

}  // namespace

void GpModel::write_observations(io::ResultsFile& file) const {
  write_points(file.coordinates(), m_parameters.model, m_observations.names, m_kept);
  file.coordinates().write("names", m_observations.names,
                           Attributes{"1", "names of the coordinates"});
  if (!m_observations.variables.empty())
    file.results().write("variables", m_observations.variables,
                         Attributes{"1", "names of the variables"});
  if (m_observations.values.empty()) return;
  std::vector<double> rows;
  for (const std::size_t i : m_observations.kept) {
    for (std::size_t r = 0; r < m_observations.replicates; ++r)
      rows.push_back(m_observations.values[i + r * m_observations.size()]);
  }
  file.results().write(
      "observations", rows, Shape{m_kept.size(), m_observations.replicates},
      Attributes{"1", "observations at the points of /coordinates, a column a replicate"});
  if (!m_kept.error_variance.empty())
    file.results().write("error_variance", m_kept.error_variance,
                         Attributes{"1", "known variances of the observations' errors"});
  const io::Group group = file.results().group("variogram");
  if (!m_observations.variables.empty())
    group.set_attribute("variable", m_observations.variables.front());
  group.write("distance", m_variogram.distance,
              Attributes{"1", "mean distance of the pairs of a bin"});
  group.write("semivariance", m_variogram.semivariance,
              Attributes{"1", "half the mean squared difference of the first replicate"});
  group.write("pairs", m_variogram.pairs, Attributes{"1", "number of pairs"});
  bool known = true;
  for (const double parameter : theta()) known = known && std::isfinite(parameter);
  // with Tukey's marginals the model's semivariance is that of another field, and without the
  // effects of groupings; a covariance that differs from place to place has none
  if (!known || m_variogram.distance.empty() || m_parameters.model.has_tukey ||
      m_parameters.model.has_groups() || m_parameters.model.is_local())
    return;
  std::vector<double> distance;
  for (int k = 0; k <= 200; ++k) distance.push_back(1.05 * m_variogram.distance.back() * k / 200.0);
  group.write("model_distance", distance, Attributes{"1", "distances of the model's semivariance"});
  std::vector<double> semivariance = model_semivariance(m_parameters.model, theta(), distance);
  for (double& value : semivariance) value += mean_error_variance();
  group.write("model_semivariance", semivariance,
              Attributes{"1", "sigma2 (1 - M) + nugget + mean of the known error variances"});
}

void GpModel::write_by_neighbours(const io::Group& results) const {
  const std::uint64_t list = m_parameters.loglik.size(),
                      rows = list == 0 ? 0 : m_by_neighbours.size() / list;
  if (rows == 0) return;
  const std::vector<std::int64_t> neighbours(
      m_parameters.loglik_neighbours.begin(),
      m_parameters.loglik_neighbours.begin() + static_cast<std::ptrdiff_t>(rows));
  const io::Group group = results.group("by_neighbours");
  group.write("neighbours", neighbours,
              Attributes{"1", "numbers of neighbours of Vecchia's approximation"});
  group.write(
      "loglik",
      std::vector<double>(m_by_neighbours.begin(),
                          m_by_neighbours.begin() + static_cast<std::ptrdiff_t>(rows * list)),
      Shape{rows, list}, Attributes{"1", "log-likelihood with so many, a column a theta"});
}

void GpModel::write_fit(io::ResultsFile& file) const {
  const io::Group results = file.results();
  const std::uint64_t parameters = static_cast<std::uint64_t>(m_parameters.model.parameters());
  results.write("parameters", m_parameters.model.names(),
                Attributes{"1", "names of the elements of theta"});
  if (!m_parameters.loglik.empty()) {
    std::vector<double> rows;
    for (std::size_t k = 0; k < m_listed.size(); ++k)
      rows.insert(rows.end(), m_parameters.loglik[k].begin(), m_parameters.loglik[k].end());
    const io::Group group = m_parameters.fit.given ? results.group("evaluated") : results;
    group.write("theta", rows, Shape{m_listed.size(), parameters},
                Attributes{"1", "parameters at which the likelihood was evaluated"});
    group.write("loglik", m_listed, Attributes{"1", "log-likelihood"});
    write_by_neighbours(results);
  }
  if (!m_parameters.fit.given) return;
  const std::uint64_t count = m_fits.size();
  std::vector<double> loglik;
  std::vector<std::int64_t> evaluations, failed, converged, bounds;
  std::vector<std::string> reason;
  for (const FitResult& fit : m_fits) {
    loglik.push_back(fit.loglik);
    evaluations.push_back(fit.evaluations);
    failed.push_back(fit.failed);
    converged.push_back(fit.converged ? 1 : 0);
    reason.push_back(fit.reason);
    for (const int side : fit.at_bound) bounds.push_back(side);
  }
  results.write("theta", stack(m_fits, &FitResult::theta), Shape{count, parameters},
                Attributes{"1", "maximum likelihood estimates, a row a fit"});
  results.write("theta_se", stack(m_fits, &FitResult::errors), Shape{count, parameters},
                Attributes{"1", "standard errors of theta; NaN: fixed, at a bound, or unknown"});
  if (m_parameters.model.has_full_cross())
    write_cross_covariance(results, m_parameters.model, m_fits);
  results.write("loglik", loglik, Attributes{"1", "largest log-likelihood"});
  results.write("evaluations", evaluations, Attributes{"1", "likelihoods that the fit took"});
  if (start_sample_size() > 0)
    results.set_attribute("start_sample", static_cast<std::uint64_t>(start_sample_size()));
  results.write("failed_evaluations", failed, Attributes{"1", "trial points without a likelihood"});
  results.write("converged", converged,
                Attributes{"1", "1: no step promises a likelihood larger by the tolerance"});
  results.write("end", reason, Attributes{"1", "why the search ended"});
  results.write("at_bound", bounds, Shape{count, parameters},
                Attributes{"1", "-1: at the lower bound, 1: at the upper one"});
  const std::uint64_t trends = m_trend.size(),
                      per_fit = m_fits.empty() ? 0 : m_fits[0].trend.size();
  if (trends > 0 && count > 0) {
    results.write("trend", stack(m_fits, &FitResult::trend), Shape{count, per_fit / trends, trends},
                  Attributes{"1",
                             "coefficients of the mean: constant, coordinates (which count from -1 "
                             "to 1 across the data), their products, covariates"});
    results.write("trend_names",
                  trend_names(m_parameters.mean, m_observations.names, m_parameters.covariates,
                              m_observations.variables),
                  Attributes{"1", "columns of the mean"});
    results.write("trend_se", stack(m_fits, &FitResult::trend_errors), Shape{count, trends},
                  Attributes{"1", m_parameters.model.has_tukey
                                      ? "standard errors of the trend's coefficients"
                                      : "standard errors of the trend's coefficients at theta"});
  }
  if (m_parameters.simulate.given)
    results.write("truth", m_parameters.theta, Attributes{"1", "parameters of the simulation"});
  const io::Group series = file.series();
  series.write("iteration", m_series.iteration, Attributes{"1", "number of the likelihood"});
  series.write("replicate", m_series.replicate, Attributes{"1", "fit it belongs to"});
  series.write(
      "start", m_series.start,
      Attributes{"1", "start it belongs to; -1: the fit of the sample that gives the first one"});
  series.write("valid", m_series.valid, Attributes{"1", "0: no likelihood at this theta"});
  series.write("loglik", m_series.loglik, Attributes{"1", "log-likelihood"});
  series.write("theta", m_series.theta, Shape{m_series.iteration.size(), parameters},
               Attributes{"1", "where it was evaluated"});
}

void GpModel::write_prediction(io::ResultsFile& file) const {
  if (!m_prediction.variance.empty()) {
    const io::Group group = file.results().group("prediction");
    const std::uint64_t m = m_prediction.variance.size(), columns = m_prediction.mean.size() / m;
    write_points(group, m_parameters.model, m_observations.names, m_targets);
    if (const std::vector<std::size_t> shape = m_parameters.predict.grid_shape(); !shape.empty()) {
      group.write("grid", std::vector<std::int64_t>(shape.begin(), shape.end()),
                  Attributes{"1", m_observations.variables.empty()
                                      ? "points along each coordinate; the last one runs fastest"
                                      : "points along each coordinate, of each variable in turn; "
                                        "the last one runs fastest"});
    }
    const std::string kind = m_parameters.model.has_tukey ? "predictive " : "kriging ";
    if (columns == 1) {
      group.write("mean", m_prediction.mean, Attributes{"1", kind + "mean"});
    } else {
      group.write("mean", m_prediction.mean, Shape{m, columns},
                  Attributes{"1", kind + "mean, a column a replicate"});
    }
    const bool of_observation = m_parameters.predict.of_observation;
    group.write("variance", m_prediction.variance,
                Attributes{"1", kind + (of_observation ? "variance of an observation"
                                        : !m_targets.level.empty()
                                            ? "variance of the field and the effects of groupings"
                                            : "variance of the field, without its errors")});
    write_quantiles(group, m_parameters.predict.quantiles, m_quantiles);
    if (m_parameters.predict.draws > 0) {
      group.write("draws", m_prediction.draws,
                  Shape{m, static_cast<std::uint64_t>(m_parameters.predict.draws)},
                  Attributes{"1", "fields drawn from the conditional distribution"});
      if (m_draw_levels > 0) group.set_attribute("levels", m_draw_levels);
    }
    if (!m_truth.empty()) {
      group.write("observed", m_truth, Attributes{"1", "what was held out"});
      group.write("observed_variance", m_truth_variance,
                  Attributes{"1", kind + "variance of what was held out, with its errors"});
    }
    for (const auto& [name, value] : m_scores) group.set_attribute(name, value);
  }
  if (m_validation.variance.empty()) return;
  const io::Group group = file.results().group("cross_validation");
  const std::vector<std::int64_t> fold(m_fold.begin(), m_fold.end());
  group.write("mean", m_validation.mean,
              Attributes{"1", "prediction of each observation from those outside its fold"});
  group.write("variance", m_validation.variance, Attributes{"1", "variance of its error"});
  group.write("fold", fold, Attributes{"1", "fold of each observation"});
  for (const auto& [name, value] : m_validation_scores) group.set_attribute(name, value);
}

/// Writes which points some points are conditioned on, as a picture of the approximation.
void GpModel::write_neighbours(io::ResultsFile& file) const {
  const std::vector<Neighbourhood> chosen =
      m_solver ? m_solver->neighbourhoods() : std::vector<Neighbourhood>();
  if (chosen.empty()) return;
  std::vector<std::int64_t> points, ranks, neighbours;
  const std::size_t width = chosen.front().neighbours.size();
  for (const Neighbourhood& one : chosen) {
    points.push_back(static_cast<std::int64_t>(one.row));
    ranks.push_back(static_cast<std::int64_t>(one.rank));
    for (std::size_t k = 0; k < width; ++k)
      neighbours.push_back(k < one.neighbours.size() ? static_cast<std::int64_t>(one.neighbours[k])
                                                     : std::int64_t(-1));
  }
  const io::Group group = file.results().group("neighbours");
  group.write("point", points,
              Attributes{"1", "some points, by their numbers in /coordinates from 0"});
  group.write("rank", ranks,
              Attributes{"1", "their places in the order of Vecchia's approximation"});
  group.write("neighbours", neighbours, Shape{chosen.size(), width},
              Attributes{"1", "the points that each is conditioned on; -1: none"});
}

void GpModel::write(io::ResultsFile& file) const {
  write_observations(file);
  write_fit(file);
  write_prediction(file);
  write_neighbours(file);
  write_groups(file);
  write_local(file.results(), m_parameters.model, theta(), m_kept);
  file.results().set_attribute("points", static_cast<std::uint64_t>(m_kept.size()));
  if (!m_method_reason.empty()) {
    file.results().set_attribute("method", std::string(m_vecchia ? "vecchia" : "exact"));
    file.results().set_attribute("method_reason", m_method_reason);
    if (m_vecchia)
      file.results().set_attribute(
          "neighbours", static_cast<std::uint64_t>(m_parameters.method.vecchia.neighbours));
  }
  if (m_simulation_levels > 0)
    file.results().set_attribute("simulation_levels", m_simulation_levels);
  file.series().set_attribute("likelihoods", m_likelihoods);
}

}  // namespace tessera::gp
