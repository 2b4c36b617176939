// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/likelihood/repeated_places.hpp"
#include "tessera/gp/likelihood/tukey.hpp"
#include "tessera/gp/likelihood/tukey_solver.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/program/circulant.hpp"
#include "tessera/gp/program/local_fields.hpp"
#include "tessera/gp/program/random_fields.hpp"
#include "tessera/gp/program/sphere.hpp"

namespace tessera::gp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

GpModel::GpModel(const Parameters& parameters, const RunSettings& settings)
    : m_parameters(parameters), m_settings(settings) {}

void GpModel::initialize() {
  m_observations = make_observations(m_parameters, m_settings.seed);
  m_kept = m_observations.points.subset(m_observations.kept);
  complete_local_model(m_observations, m_parameters);
  if (m_parameters.fit.given) require_varied_covariates(m_parameters, m_kept);
  const CovarianceModel& model = m_parameters.model;
  warn_of_great_circle(m_parameters);
  if (!m_parameters.fit.given) warn_of_truncation(model, m_parameters.theta);
  if (m_parameters.predict.targets) m_targets = *m_parameters.predict.targets;
  if (!m_parameters.predict.grid_shape().empty()) {
    m_targets = grid_points(m_parameters.predict, model, m_observations.points);
    add_covariates(m_parameters, {}, "grid point", m_targets);
  }
  if (model.has_variables()) m_targets = repeat_for_variables(m_targets, model.variables);
  if (!m_observations.left_out.empty())
    m_targets = m_observations.points.subset(m_observations.left_out);
  if (m_parameters.predict.given && m_targets.size() == 0) {
    throw Error(ErrorKind::input, "no observation is held out: there is nothing to predict",
                "mark some rows with 1 in predict.held_out, or use predict.grid");
  }
  for (std::size_t k = 0; k < m_parameters.theta.size() && !m_parameters.fit.given; ++k) {
    if (std::isnan(m_parameters.theta[k]) &&
        (m_parameters.predict.given || m_parameters.cross_validate)) {
      const int parameter = static_cast<int>(k);
      const std::string section = parameter >= model.group()                  ? "groups.variance: "
                                  : model.has_tukey && parameter >= model.g() ? "marginal."
                                  : !model.is_of_local(parameter)             ? "covariance."
                                  : parameter < model.first_of_local() + model.local.first_of_warp()
                                      ? "covariance.by_covariates.coefficients: "
                                      : "covariance.warp.coefficients: ";
      throw Error(ErrorKind::input,
                  "predictions need '" + section + model.names()[k] + "', or a 'fit'",
                  "give its value, or add 'fit: {}'");
    }
  }
  // The largest matrix of the run is allocated first, so that too little memory is told at once.
  if (m_parameters.simulate.given) {
    if (!m_parameters.simulate.circulant) make_solver(m_observations.points);
    m_stage = Stage::simulate;
    m_status = "simulating " + std::to_string(m_observations.size()) + " points";
  } else {
    after_data();
  }
}

/// Makes the exact solver, or that of Vecchia's approximation.
void GpModel::make_solver(const Points& points) {
  const std::size_t n = points.size();
  m_vecchia = m_parameters.method.method == Method::vecchia;
  m_method_reason = "chosen in the input";
  if (m_parameters.method.method == Method::automatic) {
    const std::size_t most = m_settings.backend == Backend::cuda ? 32768 : 8192;
    const double bytes = static_cast<double>(exact_solver_bytes(static_cast<std::int64_t>(n)));
    double memory = static_cast<double>(available_memory(m_settings.backend));
    if (m_settings.memory_limit > 0)
      memory = std::min(memory, static_cast<double>(m_settings.memory_limit));
    memory = static_cast<double>(m_settings.ranks.min(static_cast<std::int64_t>(memory)));
    m_vecchia = m_parameters.model.is_own() && (n > most || bytes > 0.5 * memory);
    m_method_reason = std::to_string(n) + " points, " + (n > most ? "more" : "not more") +
                      " than the " + std::to_string(most) + " that the exact solver takes on " +
                      to_string(m_settings.backend);
    if (m_vecchia && n <= most)
      m_method_reason = "the exact solver would take more than half of the memory";
    logging::info("method: " + std::string(m_vecchia ? "vecchia" : "exact") + " (" +
                  m_method_reason + ")");
  }
  VecchiaOptions options = m_parameters.method.vecchia;
  if (m_parameters.simulate.given && m_observations.values.empty())
    options.simulated = m_parameters.simulate.replicates;
  options.targets = static_cast<std::int64_t>(m_targets.size());
  // mloe and mmom
  const bool with_weights =
      m_parameters.simulate.given && m_parameters.fit.given && !m_observations.left_out.empty();
  options.draws = std::max(m_parameters.predict.draws, with_weights ? 1 : 0);
  m_solver = make_solver_of_kind(points, options);
  if (m_vecchia && m_parameters.data.given) warn_of_close_places(points);
}

/// Observations at one place are merged, those a rounding error apart are not. (Without errors see
/// make_observations.)
void GpModel::warn_of_close_places(const Points& points) const {
  const CovarianceModel& model = m_parameters.model;
  if (!model.has_nugget && points.error_variance.empty()) return;
  const std::optional<Places> places = find_places(model, points);
  const Points apart = places ? points.subset(places->first) : points;
  const auto pairs = find_close_pairs(model, apart);
  if (pairs.empty()) return;
  const auto [first, second] = pairs[0];
  logging::warning(
      std::to_string(pairs.size()) + (pairs.size() == 1 ? " place lies" : " places lie") +
      " beside another, no farther away than rounding puts it (the first at " + apart.text(first) +
      ", " + number(distance(model, apart, first, second), "%.3g") + " apart), and " +
      (pairs.size() == 1 ? "stays" : "stay") +
      " apart from it, so that the nearest data that Vecchia's approximation takes are those of "
      "fewer places: round the coordinates, so that observations at one place have the same ones");
}

std::unique_ptr<Solver> GpModel::make_solver_of_kind(const Points& points,
                                                     VecchiaOptions options) const {
  options.seed = m_settings.seed;
  options.kernels = m_settings.kernels;
  const bool with_gradients =
      m_parameters.fit.given &&
      (fit_method() != "bobyqa" || m_parameters.fit.information.value_or("") != "none");
  const CovarianceModel& model = m_parameters.model;
  const GroupSolver::Make make = [=, settings = m_settings, vecchia = m_vecchia,
                                  gaussian = model.gaussian()](const Points& some) {
    return vecchia ? make_vecchia_solver(settings.backend, gaussian, some, options,
                                         settings.memory_limit, settings.ranks)
                   : make_exact_solver(settings.backend, gaussian, some, settings.memory_limit,
                                       settings.ranks, with_gradients);
  };
  if (model.has_groups()) return std::make_unique<GroupSolver>(model, points, make);
  if (model.has_tukey) return std::make_unique<TukeySolver>(model, points, make(points));
  return make(points);
}

/// The observations are there: from here on only those that are kept count.
void GpModel::after_data() {
  const bool goes_on = !m_parameters.loglik.empty() || m_parameters.fit.given ||
                       m_parameters.predict.given || m_parameters.cross_validate;
  if (!goes_on) m_solver.reset();
  if (goes_on && (!m_solver || m_solver->size() != static_cast<std::int64_t>(m_kept.size()))) {
    m_solver.reset();
    make_solver(m_kept);
  }
  m_trend = trend(m_parameters.mean, m_kept, m_kept, m_parameters.model.metric);
  if (goes_on) {
    require_independent(
        m_trend,
        trend_names(m_parameters.mean, m_observations.names, m_parameters.covariates,
                    m_observations.variables),
        m_parameters.covariates.size() * static_cast<std::size_t>(m_parameters.model.variables));
  }
  if (goes_on) use_all_replicates();
  std::vector<double> residuals = kept_values(0);
  double mean = 0;
  for (const double z : residuals) mean += z / static_cast<double>(residuals.size());
  for (double& z : residuals) z -= m_parameters.mean == Mean::zero ? 0 : mean;
  if (!m_parameters.covariates.empty() || m_parameters.model.has_variables())
    residuals = ordinary_residuals();
  m_variogram = empirical_variogram(m_parameters.model, m_kept, residuals);
  next_stage(Stage::simulate);
}

void GpModel::next_stage(Stage after) {
  if (after == Stage::information) find_effects();
  m_stage = static_cast<Stage>(static_cast<int>(after) + 1);
  if (m_stage == Stage::evaluate && m_parameters.loglik.empty()) m_stage = Stage::fit;
  if (m_stage == Stage::fit) {
    if (m_parameters.fit.given) {
      begin_search();
      return;
    }
    m_stage = Stage::predict;
  }
  if (m_stage == Stage::predict && !m_parameters.predict.given) m_stage = Stage::validate;
  if (m_stage == Stage::validate && !m_parameters.cross_validate) m_stage = Stage::finished;
}

bool GpModel::advance() {
  switch (m_stage) {
    case Stage::simulate:
      simulate();
      break;
    case Stage::evaluate:
      evaluate_next();
      break;
    case Stage::fit:
      step_search();
      break;
    case Stage::information:
      step_information();
      break;
    case Stage::predict:
      predict();
      break;
    case Stage::validate:
      validate();
      break;
    case Stage::finished:
      break;
  }
  return m_stage != Stage::finished;
}

// --- data
// -------------------------------------------------------------------------------------------------

void GpModel::simulate() {
  const SimulateParameters& s = m_parameters.simulate;
  const std::size_t n = m_observations.size();
  m_observations.replicates = static_cast<std::size_t>(s.replicates);
  if (s.circulant) {
    const std::size_t side = grid_side(s);
    std::vector<double> spacing;
    for (std::size_t k = 0; k < s.lower.size(); ++k)
      spacing.push_back((s.upper[k] - s.lower[k]) / static_cast<double>(side));
    m_observations.values = simulate_on_grid(m_parameters.model, m_parameters.theta, side, spacing,
                                             m_settings.seed, m_observations.replicates);
  } else {
    const std::vector<double> normals =
        standard_normals(m_settings.seed, Stream::fields, n, m_observations.replicates);
    const std::vector<double> noise =
        standard_normals(m_settings.seed, Stream::noise, n, m_observations.replicates);
    m_observations.values = m_solver->simulate(m_parameters.theta, normals, noise);
    m_simulation_levels = static_cast<std::uint64_t>(m_solver->levels());
  }
  const double deviation = std::sqrt(m_parameters.theta[0]);
  for (double& z : m_observations.values)
    z = s.mean + (s.tukey ? deviation * tukey_g_and_h(z / deviation, s.g, s.h) : z);
  add_effects();
  m_units_done += 1;
  after_data();
}

std::vector<double> GpModel::kept_values(std::size_t replicate) const {
  std::vector<double> values;
  for (const std::size_t i : m_observations.kept)
    values.push_back(m_observations.values[i + replicate * m_observations.size()]);
  return values;
}

void GpModel::use_replicate(std::size_t replicate) {
  m_solver->set_data(kept_values(replicate), m_trend);
}

void GpModel::use_all_replicates() { set_all_data(*m_solver); }

void GpModel::set_all_data(Solver& solver) const {
  std::vector<double> values;
  for (std::size_t r = 0; r < m_observations.replicates; ++r) {
    const std::vector<double> one = kept_values(r);
    values.insert(values.end(), one.begin(), one.end());
  }
  solver.set_data(values, m_trend);
}

double GpModel::mean_error_variance() const {
  double sum = 0;
  for (const double variance : m_kept.error_variance)
    sum += variance / static_cast<double>(m_kept.size());
  return sum;
}

/// Warns, once per run, where rounding leaves likelihoods and predictions few digits.
void GpModel::warn_of_rounding(const Theta& theta) {
  const double lost = m_solver->amplification() * std::numeric_limits<double>::epsilon();
  if (m_warned_of_rounding || !(lost > 1e-3)) return;
  m_warned_of_rounding = true;
  std::string text;
  const std::vector<std::string> names = m_parameters.model.names();
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : ", ") + names[k] + " = " + number(theta[k], "%.4g");
  logging::warning("the covariance matrix at " + text +
                   " is singular almost to rounding: its errors grow by a factor of " +
                   number(m_solver->amplification(), "%.2g") +
                   " or more, so that likelihoods and variances may have " +
                   (lost > 0.1    ? "no digit"
                    : lost > 1e-2 ? "one digit"
                                  : "two digits") +
                   " that counts; " + remedy_not_positive_definite(m_parameters.model));
}

double GpModel::residual_variance() const {
  double sum = 0;
  const std::size_t first = m_parameters.fit.separate ? m_fits.size() : 0,
                    last = m_parameters.fit.separate ? first + 1 : m_observations.replicates;
  for (std::size_t r = first; r < last; ++r) {
    std::vector<double> z = kept_values(r);
    if (!m_parameters.covariates.empty()) z = regression_residuals(z, m_trend);
    double mean = 0, squares = 0;
    for (const double x : z) mean += x / static_cast<double>(z.size());
    if (m_parameters.mean == Mean::zero) mean = 0;
    for (const double x : z) squares += (x - mean) * (x - mean) / static_cast<double>(z.size());
    sum += squares / static_cast<double>(last - first);
  }
  return std::max(sum - mean_error_variance(), 0.05 * sum);
}

std::vector<double> GpModel::ordinary_residuals() const {
  return m_trend.empty() ? kept_values(0) : regression_residuals(kept_values(0), m_trend);
}

/// Returns the variance of each variable's residuals, and of each pair the correlation of those at
/// the same places; 0 where there are fewer than ten. With Tukey's marginals the variance is that
/// of the Gaussian field.
ResidualMoments GpModel::moments() const {
  if (m_parameters.model.has_tukey) {
    const TukeyShape shape = shape_of_quantiles(ordinary_residuals());
    ResidualMoments moments{{shape.scale * shape.scale}, {}};
    moments.g = shape.g;
    moments.h = shape.h;
    return moments;
  }
  if (!m_parameters.model.has_variables()) return {{residual_variance()}, {}};
  const auto variables = static_cast<std::size_t>(m_parameters.model.variables);
  const std::vector<double> residuals = ordinary_residuals();
  ResidualMoments moments{std::vector<double>(variables, 0.0), {}};
  std::vector<double> count(variables, 0.0);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const auto v = static_cast<std::size_t>(m_kept.variable_of(i));
    moments.variance[v] += residuals[i] * residuals[i];
    ++count[v];
  }
  for (std::size_t v = 0; v < variables; ++v) moments.variance[v] /= count[v];
  moments.correlation = correlations_at_places(m_parameters.model, m_kept, residuals);
  return moments;
}

// --- likelihoods
// -------------------------------------------------------------------------------------------------

Evaluation GpModel::likelihood(const Theta& theta, bool with_gradient, bool with_information) {
  if (const Evaluation* known = m_log.replay(theta, with_gradient)) return *known;
  Evaluation evaluation = search_solver().evaluate(theta, with_gradient, with_information);
  ++m_likelihoods;
  m_log.append(theta, evaluation);
  return evaluation;
}

void GpModel::evaluate_next() {
  const std::vector<Theta>& list = m_parameters.loglik;
  const std::vector<int>& neighbours = m_parameters.loglik_neighbours;
  if (m_listed.size() < list.size()) {
    const Theta& theta = list[m_listed.size()];
    m_solver->prepare(theta);
    const Evaluation evaluation = likelihood(theta, false);
    m_listed.push_back(evaluation.valid ? evaluation.loglik : kNaN);
    if (!evaluation.valid) reject_listed(m_listed.size() - 1, evaluation.problem);
    warn_of_rounding(theta);
    m_units_done += 1;
    m_status = "log-likelihood " + number(evaluation.loglik, "%.10g");
  } else {
    evaluate_with_neighbours(neighbours[m_by_neighbours.size() / list.size()]);
    m_units_done += 1;
  }
  if (m_listed.size() == list.size() && m_by_neighbours.size() == list.size() * neighbours.size())
    next_stage(Stage::evaluate);
}

void GpModel::reject_listed(std::size_t k, const std::string& problem) const {
  throw Error(ErrorKind::numerical, "loglik.theta[" + std::to_string(k) + "]: " + problem,
              remedy_not_positive_definite(m_parameters.model));
}

/// Evaluates the list again, by another approximation.
void GpModel::evaluate_with_neighbours(int neighbours) {
  VecchiaOptions options = m_parameters.method.vecchia;
  options.neighbours = neighbours;
  const std::unique_ptr<Solver> solver = make_solver_of_kind(m_kept, options);
  set_all_data(*solver);
  for (std::size_t k = 0; k < m_parameters.loglik.size(); ++k) {
    solver->prepare(m_parameters.loglik[k]);
    const Evaluation evaluation = solver->evaluate(m_parameters.loglik[k], false);
    if (!evaluation.valid) reject_listed(k, evaluation.problem);
    m_by_neighbours.push_back(evaluation.loglik);
    ++m_likelihoods;
  }
  m_status = std::to_string(neighbours) + " neighbours: log-likelihood " +
             number(m_by_neighbours.back(), "%.10g");
}

// --- the run
// -------------------------------------------------------------------------------------------------

double GpModel::units_total() const {
  const Parameters& p = m_parameters;
  double total = static_cast<double>(p.loglik.size() + p.loglik_neighbours.size());
  if (p.simulate.given) total += 1;
  if (p.predict.given) total += 1;
  if (p.cross_validate) total += 1;
  const double replicates =
      p.fit.separate
          ? static_cast<double>(p.simulate.given ? static_cast<std::size_t>(p.simulate.replicates)
                                                 : m_observations.replicates)
          : 1;
  if (p.fit.given) total += replicates * (p.fit.starts + 1);
  return std::max(total, 1.0);
}

Progress GpModel::progress() const {
  Progress progress;
  const double within =
      // a search takes some 40 to 150 likelihoods
      m_stage == Stage::fit ? m_current.evaluations / (m_current.evaluations + 40.0) : 0;
  progress.done = std::min(m_units_done + within, units_total());
  progress.total = units_total();
  progress.unit = "steps";
  progress.work = static_cast<double>(m_likelihoods);
  progress.work_unit = "likelihoods";
  progress.status = m_status;
  return progress;
}

std::string GpModel::summary() const {
  std::string text =
      std::to_string(m_kept.size()) + " points, " + std::to_string(m_likelihoods) + " likelihoods";
  if (m_vecchia) text += " by Vecchia's approximation";
  const std::vector<std::string> names = m_parameters.model.names();
  if (m_fits.size() == 1) {
    text += "; fitted";
    for (std::size_t k = 0; k < names.size(); ++k) {
      text += (k == 0 ? " " : ", ") + names[k] + " = " + number(m_fits[0].theta[k]);
      if (!m_fits[0].errors.empty() && std::isfinite(m_fits[0].errors[k]))
        text += " +- " + number(m_fits[0].errors[k], "%.2g");
    }
    text += ", log-likelihood " + number(m_fits[0].loglik, "%.8g");
  }
  if (m_fits.size() > 1) text += "; " + std::to_string(m_fits.size()) + " replicates fitted";
  for (const auto& [name, value] : m_scores) text += ", " + name + " " + number(value, "%.4g");
  if (!m_validation_scores.empty())
    text += "; cross-validation: " + m_validation_scores[0].first + " " +
            number(m_validation_scores[0].second, "%.4g") + ", " + m_validation_scores[1].first +
            " " + number(m_validation_scores[1].second, "%.4g");
  return text;
}

void GpModel::save(io::Group& state) const {
  m_log.save(state, static_cast<std::size_t>(m_parameters.model.parameters()));
}

void GpModel::load(const io::Group& state) {
  EvaluationLog log;
  log.load(state, static_cast<std::size_t>(m_parameters.model.parameters()));
  initialize();
  m_log = std::move(log);
}

}  // namespace tessera::gp
