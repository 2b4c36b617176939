// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The search of a run of tessera-gp for the largest likelihood.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/covariance/range_proportions.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/program/model.hpp"
#include "tessera/gp/program/random_fields.hpp"
#include "tessera/gp/program/sphere.hpp"

namespace tessera::gp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// the most by which distances of neighbours may change against each other: 20 %
constexpr double kMostNearnessChange = 1.2;
// the rise of the log-likelihood that a search forgoes whose neighbours are found again after it,
// and the most likelihoods that it takes
constexpr double kRoughly = 0.1;
constexpr int kPreliminary = 12;

std::string describe_old_neighbours(const CovarianceModel& model) {
  return std::string(model.rotated ? "the ranges and their angle have changed distances"
                                   : "the ranges have changed") +
         " against each other by more than 20 % since the neighbours were found";
}

}  // namespace

void GpModel::begin_search() {
  m_stage = Stage::fit;
  const std::size_t replicate = m_fits.size();
  if (m_start == 0) {
    if (m_parameters.fit.separate) use_replicate(replicate);
    m_space.emplace(m_parameters, m_kept, moments());
    m_current = FitResult{};
    m_current.loglik = -std::numeric_limits<double>::infinity();
  }
  if (m_start == 0 && start_sample_size() > 0) make_start_solver();
  m_refreshed = 0;
  m_from_sample = false;
  m_evaluated_before = m_current.evaluations;
  m_failed_before = m_current.failed;
  start_search(m_space->start(m_start, m_settings.seed));
}

/// Returns the number of points whose fit gives the start of the full one; 0: none.
std::size_t GpModel::start_sample_size() const {
  const std::size_t most = m_kept.size(),
                    wanted = static_cast<std::size_t>(m_parameters.fit.start_sample.value_or(
                        m_vecchia && most > 100000 ? 10000 : 0));
  return wanted < most ? wanted : 0;
}

void GpModel::make_start_solver() {
  const std::size_t size = start_sample_size();
  std::vector<std::size_t> rows = permutation(m_settings.seed, Stream::start_sample, m_kept.size());
  rows.resize(size);
  std::sort(rows.begin(), rows.end());
  const auto choose = [&](const std::vector<double>& column) {
    std::vector<double> chosen;
    for (const std::size_t i : rows) chosen.push_back(column[i]);
    return chosen;
  };
  std::vector<double> values;
  const std::size_t first = m_parameters.fit.separate ? m_fits.size() : 0,
                    last = m_parameters.fit.separate ? first + 1 : m_observations.replicates;
  for (std::size_t r = first; r < last; ++r) {
    const std::vector<double> chosen = choose(kept_values(r));
    values.insert(values.end(), chosen.begin(), chosen.end());
  }
  std::vector<std::vector<double>> trend;
  for (const std::vector<double>& column : m_trend) trend.push_back(choose(column));
  m_start_solver = make_solver_of_kind(m_kept.subset(rows), m_parameters.method.vecchia);
  try {
    m_start_solver->set_data(values, trend);
  } catch (const Error& error) {  // a covariate that hardly varies among so few
    logging::info("the fit starts without that of a sample: " + std::string(error.what()));
    m_start_solver.reset();
  }
}

/// Goes from the sample to all points.
void GpModel::end_start_search(const optimize::Outcome& outcome) {
  const std::size_t size = static_cast<std::size_t>(m_start_solver->size());
  m_start_solver.reset();
  m_refreshed = 0;
  m_from_sample = !outcome.best.empty();
  const Theta theta = m_from_sample ? m_space->theta(outcome.best) : m_space->start();
  if (fits() == 1) {
    std::string text;
    const std::vector<std::string> names = m_parameters.model.names();
    for (std::size_t k = 0; k < names.size(); ++k)
      text += (k == 0 ? "" : ", ") + names[k] + " = " + number(theta[k]);
    logging::info("a fit of " + std::to_string(size) + " of " + std::to_string(m_kept.size()) +
                  " points, " + std::to_string(m_current.evaluations) + " likelihoods, " +
                  (m_from_sample ? "gives the start: " + text
                                 : std::string("gives no start: all their likelihoods failed")));
  }
  m_current.evaluations = m_current.failed = 0;
  m_evaluated_before = m_failed_before = 0;
  start_search(theta);
}

/// Looks for the maximum from theta on, with the neighbours that suit it.
void GpModel::start_search(const Theta& theta) {
  search_solver().prepare(theta);
  m_prepared = theta;
  optimize::Problem problem = m_space->problem(m_parameters.fit, theta);
  if (fit_method() == "scoring") {
    // the average information may promise less of a step than the likelihood rises
    if (!m_vecchia) problem.value_tolerance *= 0.1;
    if (is_preliminary()) {
      problem.value_tolerance = std::max(problem.value_tolerance, kRoughly);
      problem.max_evaluations = std::min(problem.max_evaluations, kPreliminary);
    }
    m_scoring.emplace(problem);
  } else {
    problem.method = fit_method() == "lbfgs" ? optimize::Method::lbfgs : optimize::Method::bobyqa;
    m_search = std::make_unique<optimize::Maximizer>(problem);
  }
  if (!ask_search()) end_search();
}

/// Returns whether a search leads to ranges in which neighbours are found again, and no farther. Of
/// many ranges such a search would take most of the likelihoods of a fit.
bool GpModel::is_preliminary() const {
  const CovarianceModel& model = m_parameters.model;
  return m_vecchia && model.anisotropic && model.is_high_dimensional() &&
         fit_method() == "scoring" && m_refreshed < m_parameters.method.refresh;
}

bool GpModel::ask_search() { return m_scoring ? m_scoring->ask(m_point) : m_search->ask(m_point); }

void GpModel::step_search() {
  const Theta theta = m_space->theta(m_point);
  const Evaluation evaluation = likelihood(theta, fit_method() != "bobyqa", m_scoring.has_value());
  record(theta, evaluation, m_start_solver ? -1 : m_start);
  if (evaluation.valid) {
    m_status = "replicate " + std::to_string(m_fits.size() + 1) + ", likelihood " +
               std::to_string(m_current.evaluations) + ": " + number(evaluation.loglik, "%.8g");
    const std::vector<double> gradient = m_space->gradient(theta, evaluation.gradient);
    m_scoring ? m_scoring->tell(evaluation.loglik, gradient,
                                m_space->information(theta, evaluation.information))
              : m_search->tell(evaluation.loglik, gradient);
  } else {
    require_support(theta, evaluation);
    logging::detail("at a trial point: " + evaluation.problem);
    m_scoring ? m_scoring->tell_invalid() : m_search->tell_invalid();
  }
  if (!ask_search()) end_search();
}

/// Throws Error (input) where a fit starts with marginals whose values end before some observation,
/// which those with h = 0 do.
void GpModel::require_support(const Theta& theta, const Evaluation& evaluation) const {
  const CovarianceModel& model = m_parameters.model;
  if (!model.has_tukey || m_current.evaluations > 1 || theta[model.h()] > 0) return;
  throw Error(ErrorKind::input, "the fit has no likelihood where it starts: " + evaluation.problem,
              "start with marginal.h above 0, or marginal.g nearer to 0");
}

/// Appends a likelihood of the fit to the series.
void GpModel::record(const Theta& theta, const Evaluation& evaluation, int start) {
  m_series.iteration.push_back(static_cast<std::int64_t>(m_series.iteration.size()));
  m_series.replicate.push_back(static_cast<std::int64_t>(m_fits.size()));
  m_series.start.push_back(start);
  m_series.valid.push_back(evaluation.valid ? 1 : 0);
  m_series.loglik.push_back(evaluation.valid ? evaluation.loglik : kNaN);
  m_series.theta.insert(m_series.theta.end(), theta.begin(), theta.end());
  ++m_current.evaluations;
  if (!evaluation.valid) ++m_current.failed;
}

void GpModel::end_search() {
  const optimize::Outcome outcome = m_scoring ? m_scoring->outcome() : m_search->outcome();
  m_search.reset();
  m_scoring.reset();
  const bool was_preliminary = is_preliminary();
  // the ranges have changed, and with them the neighbours
  if (!outcome.best.empty() && m_refreshed < m_parameters.method.refresh) {
    ++m_refreshed;
    const Theta theta = m_space->theta(outcome.best);
    if (search_solver().prepare(theta) || was_preliminary) {
      start_search(theta);
      return;
    }
  }
  if (m_start_solver) {
    end_start_search(outcome);
    return;
  }
  // no likelihood of all points where that of the sample was largest
  if (outcome.best.empty() && m_from_sample) {
    m_from_sample = false;
    start_search(m_space->start());
    return;
  }
  m_units_done += 1;
  if (outcome.value > m_current.loglik) {
    m_current.loglik = outcome.value;
    m_current.theta = m_space->theta(outcome.best);
    m_current.converged = outcome.converged;
    m_current.stuck = outcome.stuck;
    m_current.reason = outcome.reason;
    const int failed = m_current.failed - m_failed_before,
              evaluated = m_current.evaluations - m_evaluated_before;
    m_current.mostly_failed = 2 * failed > evaluated;
    if (m_current.mostly_failed) {  // what is left of a search is no maximum
      m_current.converged = m_current.stuck = false;
      m_current.reason = std::to_string(failed) + " of " + std::to_string(evaluated) +
                         " trial points had no likelihood";
    }
    m_current.best_start = m_start;
    m_current.prepared = m_prepared;
  }
  if (++m_start < m_parameters.fit.starts) {
    begin_search();
    return;
  }
  m_start = 0;
  if (m_current.theta.empty()) {
    throw Error(ErrorKind::numerical,
                "the likelihood could not be evaluated at any of " +
                    std::to_string(m_current.evaluations) + " trial points",
                "start elsewhere (fit.start); " + remedy_not_positive_definite(m_parameters.model));
  }
  begin_information();
}

/// Returns whether a fit ended where other neighbours are near than those that it had.
bool GpModel::has_old_neighbours(const FitResult& fit) const {
  if (!m_vecchia) return false;
  std::vector<double> widths;
  if (m_parameters.model.is_high_dimensional()) widths = extent(m_kept).second;
  return nearness_change(m_parameters.model, fit.prepared, fit.theta, widths) > kMostNearnessChange;
}

/// Says where one fit ended, and how; of several, see warn_of_ends.
void GpModel::warn_of_end() const {
  if (fits() > 1) return;
  if (m_current.failed > 0) {
    logging::info(std::to_string(m_current.failed) + " of " +
                  std::to_string(m_current.evaluations) +
                  " trial points had no likelihood and were passed over");
  }
  const std::vector<std::string> names = m_parameters.model.names();
  std::string idle;  // coordinates that do not matter
  const auto is_range_of_many = [&](int index) {
    const CovarianceModel& model = m_parameters.model;
    return model.is_high_dimensional() && model.anisotropic && index >= model.beta() &&
           index < model.angle();
  };
  const auto is_nugget = [&](int index) {
    const CovarianceModel& model = m_parameters.model;
    return model.has_nugget && index >= model.nugget() && index < model.first_of_local();
  };
  for (std::size_t k = 0; k < m_space->size(); ++k) {
    const int index = m_space->free()[k];
    if (m_current.at_bound[index] == 0) continue;
    if (m_current.at_bound[index] > 0 && is_range_of_many(index)) {
      idle += (idle.empty() ? "" : ", ") +
              m_observations.names[static_cast<std::size_t>(index - m_parameters.model.beta())];
      continue;
    }
    if (index >= m_parameters.model.group() && m_current.at_bound[index] < 0) {
      logging::warning(
          "the observations show no effects of the grouping '" +
          m_parameters.model.groups[static_cast<std::size_t>(index - m_parameters.model.group())] +
          "': the fit ends with " + names[index] + " = " + number(m_current.theta[index]) +
          " at its lower bound; leave the grouping out");
      continue;
    }
    if (m_current.at_bound[index] < 0 && is_nugget(index)) {
      logging::warning("the data show no errors: the fit ends with " + names[index] + " = " +
                       number(m_current.theta[index]) +
                       " at its lower bound; leave covariance.nugget out, or fix it (fit.fixed)");
      continue;
    }
    const std::string limit =
        describe_limit(m_parameters.model, m_current.theta, index, m_current.at_bound[index]);
    if (!limit.empty()) {
      logging::warning(limit);
      continue;
    }
    logging::warning("the fit ends with " + names[index] + " = " + number(m_current.theta[index]) +
                     " at its " + (m_current.at_bound[index] < 0 ? "lower" : "upper") +
                     " bound; widen fit." + (m_current.at_bound[index] < 0 ? "lower" : "upper") +
                     " or fix it, and mistrust its standard error");
  }
  if (!idle.empty()) {
    logging::warning(
        "the field hardly depends on the coordinates " + idle +
        ": the fit ends with their ranges at the upper bounds, 300 times their deviation "
        "where fit.upper says no other; leave them out, or keep them as they are");
  }
  warn_of_truncation(m_parameters.model, m_current.theta);
  if (has_old_neighbours(m_current)) {
    logging::warning(describe_old_neighbours(m_parameters.model) +
                     ": raise method.vecchia.refresh, or start there (fit.start)");
  }
  if (!m_current.converged) {
    logging::warning(
        "the fit has not converged: " + m_current.reason + "; " +
        (m_current.mostly_failed
             ? "start elsewhere (fit.start); " + remedy_not_positive_definite(m_parameters.model)
             : "raise fit.max_evaluations, or start nearer (fit.start)"));
  }
}

/// Says of one fit that its data do not tell a nugget from none.
void GpModel::warn_of_idle_nuggets() const {
  constexpr double kSmall = 1e-4;  // of the variance of the field
  const CovarianceModel& model = m_parameters.model;
  if (fits() > 1 || !model.has_nugget) return;
  for (int v = 0; v < model.variables; ++v) {
    const int index = model.nugget() + v;
    const double nugget = m_current.theta[index], error = m_current.errors[index];
    if (m_current.at_bound[index] != 0 || !(nugget < kSmall * m_current.theta[v]) ||
        !(error > nugget))
      continue;
    const std::string name = model.names()[static_cast<std::size_t>(index)];
    logging::warning("the data do not tell " + name + " from 0: the fit ends with " +
                     number(nugget) + ", and its standard error is " + number(error) +
                     ", which makes those of the other parameters larger; leave covariance.nugget "
                     "out, or fix it (fit.fixed)");
  }
}

/// Says of several fits how many have not converged, end at a bound or had old neighbours. Of one
/// fit, warn_of_end says where it ended.
void GpModel::warn_of_ends() const {
  if (fits() == 1) return;
  std::size_t open = 0, bounded = 0, old = 0;
  for (const FitResult& fit : m_fits) {
    open += fit.converged ? 0 : 1;
    bounded +=
        std::any_of(fit.at_bound.begin(), fit.at_bound.end(), [](int side) { return side != 0; })
            ? 1
            : 0;
    old += has_old_neighbours(fit) ? 1 : 0;
  }
  const std::string all = " of " + std::to_string(m_fits.size()) + " fits ";
  if (open > 0)
    logging::warning(std::to_string(open) + all +
                     "have not converged (results/converged and end); raise fit.max_evaluations, "
                     "or start nearer (fit.start)");
  if (bounded > 0)
    logging::warning(
        std::to_string(bounded) + all +
        "end at a bound (results/at_bound); widen fit.lower or fit.upper, or fix the parameter");
  if (old > 0)
    logging::warning("in " + std::to_string(old) + all +
                     describe_old_neighbours(m_parameters.model) +
                     ": raise method.vecchia.refresh, or start nearer (fit.start)");
}

}  // namespace tessera::gp
