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
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/program/random_fields.hpp"

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
                          m_settings.memory_limit);
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
  m_solver = make_latent_solver(m_settings.backend, m_parameters.model, m_kept, options);
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

std::vector<bool> LatentModel::free_response() const {
  std::vector<bool> free;
  for (const std::string& name : response_parameters(m_parameters.response.family)) {
    const std::vector<std::string>& fixed = m_parameters.fit.fixed;
    free.push_back(std::find(fixed.begin(), fixed.end(), name) == fixed.end());
  }
  return free;
}

bool LatentModel::by_gradients() const {
  return m_parameters.fit.method.value_or("lbfgs") == "lbfgs";
}

LatentEvaluation LatentModel::evaluate(const LatentPoint& point, LatentGradient gradient) {
  const LatentEvaluation evaluation = m_solver->evaluate(point, gradient);
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
      m_space.emplace(m_parameters, m_kept, variance);
      LatentPoint start = m_start;
      start.theta = m_space->start();
      m_solver->prepare(start.theta);
      begin_search(start, &*m_space);
      return;
    }
    if (m_parameters.predict.given) {
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
  } else {
    m_stage = Stage::finished;
  }
  if (m_stage == Stage::predict && !m_parameters.predict.given) m_stage = Stage::finished;
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
    case Stage::finished:
      break;
  }
  return m_stage != Stage::finished;
}

/// With a small scale and a rough field, errors pass for the field: there the approximation of
/// Student's t may be larger than where the parameters are right.
void LatentModel::warn_of_rough_fields() const {
  const CovarianceModel& model = m_parameters.model;
  if (m_parameters.response.family != ResponseFamily::student_t || !model.has_shape()) return;
  const std::string name = model.names()[static_cast<std::size_t>(model.shape())];
  const std::vector<std::string>& fixed = m_parameters.fit.fixed;
  if (std::find(fixed.begin(), fixed.end(), name) != fixed.end()) return;
  logging::warning(
      "Laplace's approximation of 'family: student_t' favours rough fields with a "
      "small scale when " +
      name +
      " is fitted: name it in fit.fixed, or take a "
      "covariance.family without it");
}

// --- searches

/// Looks for the largest likelihood from `start` on; without `space` in the coefficients alone,
/// where the input does not give them.
void LatentModel::begin_search(const LatentPoint& start, const SearchSpace* space) {
  const bool fits = space != nullptr;
  m_variables.emplace(start, space, fits ? free_response() : std::vector<bool>(),
                      fits || m_parameters.response.coefficients.empty());
  m_search.reset();
  if (m_variables->size() > 0) {
    optimize::Problem problem = m_variables->problem(m_parameters.fit, by_gradients());
    // The gradient of an estimated determinant is not quite that of the estimate.
    if (by_gradients() && !m_solver->is_exact())
      problem.value_tolerance = std::max(problem.value_tolerance, 1e-3);
    m_search = std::make_unique<optimize::Maximizer>(problem);
  }
  m_point = m_variables->variables(start);
  if (m_search) m_search->ask(m_point);
}

void LatentModel::step_search() {
  const LatentPoint point = m_variables->point(m_point);
  const LatentGradient gradient =
      m_search && by_gradients() ? m_variables->gradient_kind() : LatentGradient::none;
  const LatentEvaluation evaluation = evaluate(point, gradient);
  if (!m_search) {
    if (!evaluation.valid)
      throw Error(ErrorKind::numerical, evaluation.problem,
                  remedy_not_positive_definite(m_parameters.model));
    m_outcome = {};
    m_outcome.converged = true;
    m_outcome.best = m_point;
    end_search(&evaluation);
    return;
  }
  if (evaluation.valid) {
    m_search->tell(evaluation.loglik, gradient == LatentGradient::none
                                          ? std::vector<double>()
                                          : m_variables->gradient(point, evaluation));
  } else {
    logging::detail("at a trial point: " + evaluation.problem);
    m_outcome.reason = evaluation.problem;
    m_search->tell_invalid();
  }
  if (m_search->ask(m_point)) return;
  const std::string problem = m_outcome.reason;
  m_outcome = m_search->outcome();
  m_search.reset();
  if (m_outcome.best.empty())
    throw Error(
        ErrorKind::numerical, "the likelihood has no value at any trial point: " + problem,
        "start elsewhere (fit.start), or " + remedy_not_positive_definite(m_parameters.model));
  end_search(nullptr);
}

void LatentModel::end_search(const LatentEvaluation* last) {
  const LatentPoint best = m_variables->point(m_outcome.best);
  if (m_stage == Stage::fit && m_parameters.fit.given &&
      m_refreshed < m_parameters.method.refresh) {
    ++m_refreshed;
    if (m_solver->prepare(best.theta)) {  // the ranges have changed, and with them the neighbours
      begin_search(best, &*m_space);
      return;
    }
  }
  const Found found{best, last != nullptr ? *last : evaluate(best, LatentGradient::none)};
  if (!found.evaluation.valid)
    throw Error(ErrorKind::numerical, found.evaluation.problem,
                remedy_not_positive_definite(m_parameters.model));
  warn_of_end(m_outcome);
  if (m_stage == Stage::evaluate) {
    m_listed.push_back(found);
  } else {
    m_found = found;
  }
  next_stage();
}

void LatentModel::warn_of_end(const optimize::Outcome& outcome) const {
  if (!outcome.converged)
    logging::warning("the search for the largest likelihood has not converged: " + outcome.reason +
                     "; raise fit.max_evaluations, or start nearer (fit.start)");
  std::vector<std::string> names;
  if (m_space) {
    for (const int k : m_space->free())
      names.push_back(m_parameters.model.names()[static_cast<std::size_t>(k)]);
  }
  const std::vector<std::string> own = response_parameters(m_parameters.response.family);
  const std::vector<bool> free = free_response();
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (free[k]) names.push_back(own[k]);
  }
  for (std::size_t k = 0; k < outcome.at_bound.size() && m_stage == Stage::fit && m_space; ++k) {
    if (outcome.at_bound[k] == 0) continue;
    const bool is_theta = k < m_space->size();
    logging::warning("the fit ends with " +
                     (k < names.size() ? names[k] : std::string("a coefficient of the mean")) +
                     " at its " + (outcome.at_bound[k] < 0 ? "lower" : "upper") + " bound; " +
                     (is_theta ? "widen fit." +
                                     std::string(outcome.at_bound[k] < 0 ? "lower" : "upper") +
                                     " or fix it"
                               : "fix it, or take another likelihood.family or mean") +
                     ", and mistrust its standard error");
  }
}

// --- standard errors

/// Gradients at 1e-3 to either side of the maximum, in each variable away from its bounds.
void LatentModel::begin_information() {
  m_stage = Stage::information;
  m_inner.clear();
  m_gradients.clear();
  for (std::size_t k = 0; k < m_outcome.best.size(); ++k) {
    if (m_outcome.at_bound.empty() || m_outcome.at_bound[k] == 0) m_inner.push_back(k);
  }
  if (m_inner.empty()) end_information();
}

void LatentModel::step_information() {
  const std::size_t count = m_inner.size(), step = m_gradients.size() / count;
  std::vector<double> x = m_outcome.best;
  x[m_inner[step / 2]] += step % 2 == 0 ? 1e-3 : -1e-3;
  const LatentPoint point = m_variables->point(x);
  const LatentEvaluation evaluation = evaluate(point, m_variables->gradient_kind());
  const std::vector<double> gradient =
      evaluation.valid ? m_variables->gradient(point, evaluation) : std::vector<double>();
  for (const std::size_t k : m_inner) m_gradients.push_back(evaluation.valid ? gradient[k] : kNaN);
  m_status = "standard errors";
  if (m_gradients.size() == 2 * count * count) end_information();
}

void LatentModel::end_information() {
  const std::size_t count = m_inner.size();
  linalg::Matrix information(count, std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j)
      information[i][j] =
          -(m_gradients[2 * i * count + j] - m_gradients[(2 * i + 1) * count + j]) / 2e-3;
  }
  const std::vector<int> used(m_inner.begin(), m_inner.end());
  m_errors =
      m_variables->errors(m_found->point, standard_errors(m_variables->size(), used, information));
  next_stage();
}

// --- predictions

void LatentModel::predict() {
  const LatentPoint& point = m_found->point;
  const CovarianceModel& model = m_parameters.model;
  m_solver->prepare(point.theta);
  m_prediction = m_solver->predict(point, m_targets);
  const std::vector<std::vector<double>> columns =
      trend(m_parameters.mean, m_targets, m_kept, model.metric);
  const std::vector<double> offset = offsets(m_observations.left_out);
  const double nugget = model.has_nugget ? point.theta[model.nugget()] : 0;
  const std::vector<double> observed = values(m_observations.left_out);
  for (std::size_t i = 0; i < m_targets.size(); ++i) {
    double& mean = m_prediction.mean[i];
    for (std::size_t k = 0; k < columns.size(); ++k) mean += point.coefficients[k] * columns[k][i];
    if (!std::isfinite(mean) || !std::isfinite(m_prediction.variance[i]))
      throw Error(ErrorKind::numerical,
                  "the prediction at point " + std::to_string(i + 1) + ", " + m_targets.text(i) +
                      ", is not finite",
                  "give the covariance a nugget or a smaller range");
    const Moments predictor{mean + (offset.empty() ? 0 : offset[i]),
                            m_prediction.variance[i] + nugget};
    const Moments response = predict_response(point.response, predictor);
    m_response_mean.push_back(response.mean);
    m_response_variance.push_back(response.variance);
    if (!observed.empty())
      m_log_density.push_back(log_predictive_density(point.response, predictor, observed[i]));
  }
  m_truth = observed;
  if (!observed.empty()) score();
}

/// The logarithmic score is minus the mean logarithm of the density of what was observed; the Brier
/// score is the mean square of the probability's error.
void LatentModel::score() {
  double squares = 0, wrong = 0;
  const auto count = static_cast<double>(m_truth.size());
  for (std::size_t i = 0; i < m_truth.size(); ++i) {
    const double error = m_truth[i] - m_response_mean[i];
    squares += error * error / count;
    wrong += (m_response_mean[i] > 0.5) == (m_truth[i] == 1) ? 0 : 1 / count;
  }
  m_scores = {{"log_score", -mean_of(m_log_density)}};
  const ResponseFamily family = m_parameters.response.family;
  if (family == ResponseFamily::bernoulli_logit || family == ResponseFamily::bernoulli_probit) {
    m_scores.emplace_back("brier_score", squares);
    m_scores.emplace_back("misclassified", wrong);
  } else {
    m_scores.emplace_back("mspe", squares);
  }
}

// --- the run

Progress LatentModel::progress() const {
  Progress progress;
  const double list = static_cast<double>(m_parameters.loglik.size());
  progress.total = list + (m_parameters.fit.given ? 2 : 0) + (m_parameters.predict.given ? 1 : 0);
  progress.total = std::max(progress.total, 1.0);
  const auto of_fit = static_cast<double>(m_series.iteration.size());
  progress.done = static_cast<double>(m_listed.size());
  if (m_stage == Stage::fit) progress.done += of_fit / (of_fit + 30);
  if (m_stage == Stage::information) progress.done += 1;
  if (m_stage == Stage::predict) progress.done = progress.total - 1;
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
  for (const auto& [name, value] : m_scores) text += ", " + name + " " + number(value, "%.4g");
  return text;
}

}  // namespace tessera::gp
