// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/latent_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/latent/predictive.hpp"
#include "tessera/gp/latent/separation.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/program/random_fields.hpp"
#include "tessera/gp/program/sphere.hpp"

namespace tessera::gp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum / static_cast<long double>(values.size()));
}

double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  long double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return static_cast<double>(sum / static_cast<long double>(values.size()));
}

}  // namespace

LatentModel::LatentModel(const Parameters& parameters, const RunSettings& settings)
    : m_parameters(parameters), m_settings(settings) {}

void LatentModel::initialize() {
  m_observations = make_observations(m_parameters, m_settings.seed);
  warn_of_great_circle(m_parameters);
  if (m_parameters.simulate.given) simulate();
  m_kept = m_observations.points.subset(m_observations.kept);
  if (m_parameters.predict.targets) m_targets = *m_parameters.predict.targets;
  if (!m_parameters.predict.grid_shape().empty()) {
    m_targets = grid_points(m_parameters.predict, m_parameters.model, m_observations.points);
    add_covariates(m_parameters, {}, "grid point", m_targets);
  }
  if (!m_observations.left_out.empty())
    m_targets = m_observations.points.subset(m_observations.left_out);
  if (m_parameters.predict.given && m_targets.size() == 0) {
    throw Error(ErrorKind::input, "no observation is held out: there is nothing to predict",
                "mark some rows with 1 in predict.held_out, or use predict.grid");
  }
  m_trend = trend(m_parameters.mean, m_kept, m_kept, m_parameters.model.metric);
  require_independent(m_trend, trend_columns(), m_parameters.covariates.size());
  set_start();
  require_maximum();
  m_log.emplace(static_cast<std::size_t>(m_parameters.model.parameters()),
                m_parameters.response.family, m_trend.size());
  make_solver();
  next_stage();
}

std::vector<std::string> LatentModel::trend_columns() const {
  return trend_names(m_parameters.mean, m_observations.names, m_parameters.covariates);
}

std::vector<double> LatentModel::offsets(const std::vector<std::size_t>& rows) const {
  std::vector<double> offsets;
  for (const std::size_t i : rows) {
    if (!m_observations.exposure.empty()) offsets.push_back(std::log(m_observations.exposure[i]));
  }
  return offsets;
}

std::vector<double> LatentModel::values(const std::vector<std::size_t>& rows) const {
  std::vector<double> values;
  for (const std::size_t i : rows) values.push_back(m_observations.values[i]);
  return values;
}

/// Draws a field, then an observation at each point.
void LatentModel::simulate() {
  const std::size_t n = m_observations.size();
  VecchiaOptions options = m_parameters.method.vecchia;
  options.seed = m_settings.seed;
  options.simulated = 1;
  const std::unique_ptr<Solver> solver =
      make_vecchia_solver(m_settings.backend, m_parameters.model, m_observations.points, options,
                          m_settings.memory_limit, m_settings.ranks);
  const std::vector<double> field =
      solver->simulate(m_parameters.theta, standard_normals(m_settings.seed, Stream::fields, n, 1),
                       standard_normals(m_settings.seed, Stream::noise, n, 1));
  const ResponseParameters& r = m_parameters.response;
  const Response response{r.family, r.a.value_or(1), r.b.value_or(1)};
  const std::vector<double> u = uniforms(m_settings.seed, Stream::responses, n);
  m_observations.values.clear();
  m_observations.replicates = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double exposure =
        m_observations.exposure.empty() ? 0 : std::log(m_observations.exposure[i]);
    m_observations.values.push_back(
        response_quantile(response, m_parameters.simulate.mean + field[i] + exposure, u[i]));
  }
}

void LatentModel::make_solver() {
  LatentOptions options = m_parameters.response.options;
  options.vecchia = m_parameters.method.vecchia;
  options.vecchia.seed = m_settings.seed;
  options.vecchia.kernels = m_settings.kernels;
  m_solver =
      make_latent_solver(m_settings.backend, m_parameters.model, m_kept, options, m_settings.ranks);
  m_solver->set_data(values(m_observations.kept), offsets(m_observations.kept), m_trend);
}

/// Chooses where searches begin: the constant of the mean from the mean observation, and the
/// family's parameters from the variance.
void LatentModel::set_start() {
  const std::vector<double> y = values(m_observations.kept);
  const ResponseParameters& r = m_parameters.response;
  m_start.theta = m_parameters.theta;
  start_response(y);
  m_start.coefficients = r.coefficients;
  if (!r.coefficients.empty() || m_trend.empty()) {
    if (r.coefficients.size() == m_trend.size()) return;
    throw Error(ErrorKind::input,
                "likelihood.coefficients has " + std::to_string(r.coefficients.size()) +
                    " elements, but the mean has " + std::to_string(m_trend.size()),
                "give one for each column of the mean");
  }
  m_start.coefficients.assign(m_trend.size(), 0.0);
  if (m_parameters.mean == Mean::zero) return;
  double mean = mean_of(y);
  if (r.family == ResponseFamily::bernoulli_logit) mean = std::log(mean / (1 - mean));
  if (r.family == ResponseFamily::bernoulli_probit) mean = 1.6 * (mean - 0.5);
  if (has_log_link(r.family)) {
    std::vector<double> exposure;
    for (const double offset : offsets(m_observations.kept)) exposure.push_back(std::exp(offset));
    mean = std::log(mean / (exposure.empty() ? 1 : mean_of(exposure)));
  }
  m_start.coefficients[0] = mean;
}

/// Coefficients that are searched for must have a largest likelihood. The error names the fewest
/// columns that leave none.
void LatentModel::require_maximum() const {
  const bool searches =
      m_parameters.fit.given || (m_parameters.response.coefficients.empty() &&
                                 (uses_parameters() || !m_parameters.loglik.empty()));
  const std::vector<double> y = values(m_observations.kept), offset = offsets(m_observations.kept);
  const auto separates = [&](const std::vector<std::vector<double>>& columns) {
    return !find_separation(m_start.response, y, offset, columns).empty();
  };
  std::vector<std::vector<double>> columns = m_trend;
  if (!searches || !separates(columns)) return;
  std::vector<std::string> names = trend_columns();
  for (std::size_t k = names.size(); k-- > 0;) {
    std::vector<std::vector<double>> fewer = columns;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    if (!separates(fewer)) continue;
    columns = fewer;
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(k));
  }
  if (names.size() > 1 && names[0] == "constant") names.erase(names.begin());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  throw Error(ErrorKind::input,
              "the mean has no coefficients of largest likelihood: its column" +
                  std::string(names.size() > 1 ? "s " : " ") + text +
                  (has_log_link(m_start.response.family)
                       ? " can lower the mean of observations that are 0, and of no others"
                   : names.size() > 1 ? " separate the observations 0 from 1"
                                      : " separates the observations 0 from 1"),
              "leave columns out of 'mean', join levels of a covariate, or take more data; with "
              "known coefficients give 'likelihood.coefficients' without 'fit'");
}

void LatentModel::start_response(const std::vector<double>& y) {
  const ResponseParameters& r = m_parameters.response;
  const double mean = mean_of(y), variance = variance_of(y);
  m_start.response = {r.family, 1, 1};
  if (r.family == ResponseFamily::negative_binomial)
    m_start.response.a = std::clamp(2 * mean * mean / std::max(variance - mean, 1e-9), 0.1, 100.0);
  if (r.family == ResponseFamily::gamma) m_start.response.a = 2 * mean * mean / variance;
  if (r.family == ResponseFamily::student_t)
    m_start.response = {r.family, 0.5 * std::sqrt(variance), 6};
  if (r.a) m_start.response.a = *r.a;
  if (r.b) m_start.response.b = *r.b;
}

/// One likelihood, or one of the run that this one goes on with.
LatentEvaluation LatentModel::evaluate(const LatentPoint& point, LatentGradient gradient) {
  LatentEvaluation evaluation;
  if (const LatentEvaluation* known = m_log->replay(point, gradient)) {
    evaluation = *known;
    if (const std::vector<double> mode = m_log->mode(); !mode.empty()) m_solver->set_mode(mode);
  } else {
    evaluation = m_solver->evaluate(point, gradient);
    m_log->append(point, gradient, evaluation, m_solver->mode());
  }
  m_series.iteration.push_back(static_cast<std::int64_t>(m_likelihoods++));
  m_series.newton_steps.push_back(evaluation.newton_steps);
  m_series.cg_iterations.push_back(evaluation.cg_iterations);
  m_series.valid.push_back(evaluation.valid ? 1 : 0);
  m_series.loglik.push_back(evaluation.valid ? evaluation.loglik : kNaN);
  m_series.theta.insert(m_series.theta.end(), point.theta.begin(), point.theta.end());
  const std::size_t own = response_parameters(point.response.family).size();
  if (own > 0) m_series.response.push_back(point.response.a);
  if (own > 1) m_series.response.push_back(point.response.b);
  m_series.coefficients.insert(m_series.coefficients.end(), point.coefficients.begin(),
                               point.coefficients.end());
  m_status = "log-likelihood " + number(evaluation.loglik, "%.10g");
  return evaluation;
}

// --- stages

/// Goes on with what the input asks for next.
void LatentModel::next_stage() {
  if (m_stage == Stage::evaluate && m_listed.size() < m_parameters.loglik.size()) {
    LatentPoint start = m_start;
    start.theta = m_parameters.loglik[m_listed.size()];
    m_solver->prepare(start.theta);
    begin_search(start, nullptr);
    return;
  }
  if (m_stage == Stage::evaluate) {
    m_stage = Stage::fit;
    if (m_parameters.fit.given) {
      warn_of_rough_fields();
      const ResponseParameters& r = m_parameters.response;
      const std::vector<double> y = values(m_observations.kept);
      const double variance = r.family == ResponseFamily::student_t ? variance_of(y) : 1.0;
      m_space.emplace(m_parameters, m_kept, ResidualMoments{{variance}, {}});
      LatentPoint start = m_start;
      start.theta = m_space->start();
      m_solver->prepare(start.theta);
      begin_search(start, &*m_space);
      return;
    }
    if (uses_parameters()) {
      m_solver->prepare(m_start.theta);
      begin_search(m_start, nullptr);
      return;
    }
    m_stage = Stage::predict;
  } else if (m_stage == Stage::fit && m_parameters.fit.given && with_errors()) {
    begin_information();
    return;
  } else if (m_stage == Stage::fit || m_stage == Stage::information) {
    m_stage = Stage::predict;
  } else if (m_stage == Stage::predict && m_parameters.cross_validate) {
    m_stage = Stage::validate;
  } else {
    m_stage = Stage::finished;
  }
  if (m_stage == Stage::predict && !m_parameters.predict.given)
    m_stage = m_parameters.cross_validate ? Stage::validate : Stage::finished;
  if (m_stage == Stage::validate) begin_validation();
}

bool LatentModel::advance() {
  switch (m_stage) {
    case Stage::evaluate:
    case Stage::fit:
      step_search();
      break;
    case Stage::information:
      step_information();
      break;
    case Stage::predict:
      predict();
      next_stage();
      break;
    case Stage::validate:
      validate_fold();
      break;
    case Stage::finished:
      break;
  }
  return m_stage != Stage::finished;
}

// --- the run

Progress LatentModel::progress() const {
  Progress progress;
  const double list = static_cast<double>(m_parameters.loglik.size());
  progress.total = list + (m_parameters.fit.given ? 2 : 0) + (m_parameters.predict.given ? 1 : 0) +
                   (m_parameters.cross_validate ? 1 : 0);
  progress.total = std::max(progress.total, 1.0);
  const auto of_fit = static_cast<double>(m_series.iteration.size());
  progress.done = static_cast<double>(m_listed.size());
  if (m_stage == Stage::fit) progress.done += of_fit / (of_fit + 30);
  if (m_stage == Stage::information) progress.done += 1;
  if (m_stage == Stage::predict)
    progress.done = progress.total - (m_parameters.cross_validate ? 2 : 1);
  if (m_stage == Stage::validate)
    progress.done =
        progress.total - 1 + static_cast<double>(m_folds_done) / static_cast<double>(m_folds);
  if (m_stage == Stage::finished) progress.done = progress.total;
  progress.unit = "steps";
  progress.work = static_cast<double>(m_likelihoods);
  progress.work_unit = "likelihoods";
  progress.status = m_status;
  return progress;
}

std::string LatentModel::summary() const {
  std::string text = std::to_string(m_kept.size()) + " points, " + std::to_string(m_likelihoods) +
                     " likelihoods by Laplace's approximation";
  if (m_found && m_parameters.fit.given) {
    std::vector<std::string> names = m_parameters.model.names();
    std::vector<double> fitted = m_found->point.theta;
    const std::vector<std::string> own = response_parameters(m_parameters.response.family);
    names.insert(names.end(), own.begin(), own.end());
    fitted.push_back(m_found->point.response.a);
    fitted.push_back(m_found->point.response.b);
    text += "; fitted";
    for (std::size_t k = 0; k < names.size(); ++k) {
      text += (k == 0 ? " " : ", ") + names[k] + " = " + number(fitted[k]);
      if (!m_errors.empty() && std::isfinite(m_errors[k]))
        text += " +- " + number(m_errors[k], "%.2g");
    }
    text += ", log-likelihood " + number(m_found->evaluation.loglik, "%.8g");
    if (m_found->evaluation.log_determinant_error > 0)
      text += " +- " + number(0.5 * m_found->evaluation.log_determinant_error, "%.2g");
  }
  for (const auto& [name, value] : m_forecast.scores)
    text += ", " + name + " " + number(value, "%.4g");
  const char* separator = "; cross-validation: ";
  for (const auto& [name, value] : m_validation_forecast.scores) {
    text += separator + name + " " + number(value, "%.4g");
    separator = ", ";
  }
  return text;
}

void LatentModel::save(io::Group& state) const { m_log->save(state); }

void LatentModel::load(const io::Group& state) {
  initialize();
  m_log->load(state, m_kept.size());
}

}  // namespace tessera::gp
