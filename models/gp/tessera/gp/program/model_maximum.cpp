// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The part of a run of tessera-gp that makes sure of the maximum that a search ended at, and finds
// standard errors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/program/model.hpp"

namespace tessera::gp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// the share of the distance of the bounds within which a parameter counts as at one of them
constexpr double kBoundShare = 1e-4;
constexpr int kMostSteps = 40;  // likelihoods of the last steps to the maximum

}  // namespace

/// Begins to find the information at the theta where the search ended.
void GpModel::begin_information() {
  m_ascent.reset();
  if (m_current.best_start + 1 < m_parameters.fit.starts) m_solver->prepare(m_current.prepared);
  find_bounds();
  m_differences.clear();
  m_stage = Stage::information;
}

/// Finds the parameters that are at a bound, and those that are not.
void GpModel::find_bounds() {
  const optimize::Problem problem = m_space->problem(m_parameters.fit, m_current.theta);
  const std::vector<double> x = m_space->variables(m_current.theta);
  m_current.at_bound.assign(m_current.theta.size(), 0);
  m_inner.clear();
  for (std::size_t k = 0; k < m_space->size(); ++k) {
    const double margin = kBoundShare * (problem.upper[k] - problem.lower[k]);
    int& side = m_current.at_bound[m_space->free()[k]];
    side = x[k] <= problem.lower[k] + margin ? -1 : x[k] >= problem.upper[k] - margin ? 1 : 0;
    if (side == 0) m_inner.push_back(m_space->free()[k]);
  }
}

/// Returns theta moved along a parameter, in its unit, with cross-correlations that are at their
/// bounds at them again.
Theta GpModel::beside(int parameter, double step) const {
  Theta theta = m_current.theta;
  theta[parameter] += step * m_space->unit(m_current.theta, parameter);
  return m_space->keep_at_bounds(m_current.theta, theta, m_current.at_bound);
}

/// Returns the step of differences in a parameter, in its unit: 1e-3, or less where that would
/// leave the parameter's domain.
double GpModel::difference_step(int parameter) const {
  double step = 1e-3;
  const auto is_inside = [&](double sign) {
    return check(m_parameters.model, beside(parameter, sign * step)).empty();
  };
  while (step > 1e-6 && !(is_inside(1) && is_inside(-1))) step *= 0.5;
  return step;
}

/// Computes one gradient, or Fisher's information at once.
void GpModel::step_information() {
  if (information_kind() == "observed" &&
      m_differences.size() < 2 * m_inner.size() * m_inner.size()) {
    const std::size_t step = m_differences.size() / m_inner.size();
    const int index = m_inner[step / 2];
    const double length = difference_step(index);
    const Theta theta = beside(index, step % 2 == 0 ? length : -length);
    const Evaluation evaluation = likelihood(theta, true);
    const std::vector<double> gradient =
        evaluation.valid
            ? m_space->gradient_at_bounds(theta, evaluation.gradient, m_current.at_bound)
            : std::vector<double>(theta.size(), kNaN);
    for (const int k : m_inner)
      m_differences.push_back(gradient[k] * m_space->unit(m_current.theta, k));
    m_status = "standard errors";
    return;
  }
  const linalg::Matrix information = inner_information();
  if (!confirm_maximum(information)) return;
  end_information(information);
}

/// Returns the information in the parameters away from their bounds, in their units.
linalg::Matrix GpModel::inner_information() {
  const std::size_t count = m_inner.size();
  linalg::Matrix information(count, std::vector<double>(count));
  if (information_kind() == "observed") {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j)
        information[i][j] =
            -(m_differences[2 * i * count + j] - m_differences[(2 * i + 1) * count + j]) /
            (2 * difference_step(m_inner[i]));
    }
  } else if (information_kind() == "fisher") {
    const std::vector<double> all = m_space->information_at_bounds(
        m_current.theta, m_solver->fisher_information(m_current.theta), m_current.at_bound);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        information[i][j] = all[m_inner[i] * m_current.theta.size() + m_inner[j]] *
                            m_space->unit(m_current.theta, m_inner[i]) *
                            m_space->unit(m_current.theta, m_inner[j]);
      }
    }
  }
  return information;
}

/// Returns whether theta is the maximum, or there is no way up: by what a step from it promises,
/// with the likelihood's own derivatives. Otherwise theta has moved up, and all that belongs to it
/// must be found again. A fit whose maximum cannot be confirmed has not converged.
bool GpModel::confirm_maximum(const linalg::Matrix& information) {
  if ((!m_current.converged && !m_current.stuck) || fit_method() == "scoring" ||
      !m_parameters.model.is_own() || m_space->size() == 0)
    return true;
  const Theta& theta = m_current.theta;
  const Evaluation here = likelihood(theta, true);
  const std::vector<double> gradient = m_space->gradient(theta, here.gradient);
  if (information_kind() == "none") {
    confirm_along(gradient);
    return true;
  }
  optimize::Problem problem = m_space->problem(m_parameters.fit, theta);
  problem.max_evaluations = kMostSteps;
  // what a step promises is an estimate; half of the tolerance keeps the maximum within the whole
  problem.value_tolerance =
      std::max(0.5 * problem.value_tolerance, 1e-12 * std::fabs(m_current.loglik));
  linalg::Matrix model(m_space->size(), std::vector<double>(m_space->size()));
  for (std::size_t i = 0; i < m_space->size(); ++i) {
    const auto place = [&](std::size_t k) {
      return std::find(m_inner.begin(), m_inner.end(), m_space->free()[k]) - m_inner.begin();
    };
    const std::size_t row = static_cast<std::size_t>(place(i));
    if (row == m_inner.size()) {  // at a bound: moves within what counts as that
      model[i][i] = std::fabs(gradient[i]) / (kBoundShare * (problem.upper[i] - problem.lower[i]));
      continue;
    }
    for (std::size_t j = 0; j < m_space->size(); ++j) {
      const std::size_t column = static_cast<std::size_t>(place(j));
      if (column == m_inner.size()) continue;
      if (!std::isfinite(information[row][column])) {
        m_current.converged = false;
        m_current.reason = "beside the best point there is no likelihood";
        return true;
      }
      model[i][j] = information[row][column] * m_space->slope(theta, i) * m_space->slope(theta, j);
    }
    if (information_kind() == "observed") model[i][i] -= m_space->bend(i) * gradient[i];
  }
  if (!m_ascent) m_ascent.emplace(problem);
  m_ascent->tell(m_current.loglik, gradient, model);
  std::vector<double> x;
  while (m_ascent->ask(x)) {
    const Theta next = m_space->theta(x);
    const Evaluation evaluation = likelihood(next, false);
    record(next, evaluation, m_current.best_start);
    if (!evaluation.valid) {
      m_ascent->tell_invalid();
    } else if (evaluation.loglik <= m_current.loglik) {
      m_ascent->tell(evaluation.loglik, {}, {});
    } else {
      m_current.theta = next;
      m_current.loglik = evaluation.loglik;
      find_bounds();
      m_differences.clear();
      return false;
    }
  }
  const optimize::Outcome outcome = m_ascent->outcome();
  m_current.converged = outcome.converged;
  if (outcome.evaluations >= kMostSteps) {
    m_current.reason =
        std::to_string(kMostSteps) + " steps by the likelihood's derivatives came to no maximum";
  } else if (outcome.evaluations > 1) {
    m_current.reason = outcome.reason;
  }
  return true;
}

/// Checks the maximum by the curvature along the gradient, where the information is not wanted.
void GpModel::confirm_along(const std::vector<double>& gradient) {
  const optimize::Problem problem = m_space->problem(m_parameters.fit, m_current.theta);
  std::vector<double> along = gradient;
  double square = 0, largest = 0;
  for (std::size_t k = 0; k < along.size(); ++k) {
    if (m_current.at_bound[m_space->free()[k]] * along[k] > 0) along[k] = 0;
    square += along[k] * along[k];
    largest = std::max(largest, std::fabs(along[k]));
  }
  if (largest == 0) return;
  const double step = 1e-4 / largest;
  std::vector<double> x = problem.start;
  for (std::size_t k = 0; k < x.size(); ++k)
    x[k] = std::clamp(x[k] + step * along[k], problem.lower[k], problem.upper[k]);
  const Theta there = m_space->theta(x);
  const Evaluation evaluation = likelihood(there, true);
  if (!evaluation.valid) {
    m_current.converged = false;
    m_current.reason = "beside the best point there is no likelihood";
    return;
  }
  const std::vector<double> changed = m_space->gradient(there, evaluation.gradient);
  double curvature = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    curvature -= along[k] * (changed[k] - gradient[k]) / step;
  const double length = curvature > 0 ? std::min(square / curvature, 1 / largest) : 1 / largest;
  const double promise = length * square - 0.5 * length * length * curvature;
  m_current.converged =
      promise < 10 * m_parameters.fit.tolerance + 1e-11 * std::fabs(m_current.loglik);
  if (m_current.converged) return;
  m_current.reason = "its derivatives promise a likelihood larger by " + number(promise, "%.2g");
}

/// Finds the mean's coefficients b and their standard errors where these depend on those of theta:
/// with b(theta) of the largest likelihood, the covariance of b is that at theta, and db/dtheta C
/// (db/dtheta)' besides, with the covariance C of theta; NaN where there is none.
void GpModel::find_trend_errors(const linalg::Matrix& covariance) {
  std::vector<double> unused;
  linalg::Matrix slopes;  // a row for each parameter, in its unit
  for (std::size_t k = 0; k < covariance.size(); ++k) {
    const int index = m_inner[k];
    std::vector<double>& slope = slopes.emplace_back();
    for (const double sign : {1.0, -1.0}) {
      Theta theta = m_current.theta;
      const double step = difference_step(index);
      theta[index] += sign * step * m_space->unit(m_current.theta, index);
      std::vector<double> beside;
      m_solver->trend_coefficients(theta, beside, unused);
      slope.resize(beside.size());
      for (std::size_t i = 0; i < beside.size(); ++i) slope[i] += sign * beside[i] / (2 * step);
    }
  }
  m_solver->trend_coefficients(m_current.theta, m_current.trend, m_current.trend_errors);
  if (covariance.empty() && !m_inner.empty())
    m_current.trend_errors.assign(m_current.trend.size(), kNaN);
  for (std::size_t i = 0; i < m_current.trend.size(); ++i) {
    double variance = m_current.trend_errors[i] * m_current.trend_errors[i];
    for (std::size_t k = 0; k < covariance.size(); ++k) {
      for (std::size_t l = 0; l < covariance.size(); ++l)
        variance += slopes[k][i] * covariance[k][l] * slopes[l][i];
    }
    m_current.trend_errors[i] = std::sqrt(variance);
  }
}

void GpModel::end_information(const linalg::Matrix& information) {
  const std::size_t count = m_inner.size();
  warn_of_end();
  m_current.errors.assign(m_current.theta.size(), kNaN);
  if (information_kind() != "none" && count > 0) {
    m_current.errors = standard_errors(m_current.theta.size(), m_inner, information);
    for (std::size_t k = 0; k < m_current.theta.size(); ++k)
      m_current.errors[k] *= m_space->unit(m_current.theta, static_cast<int>(k));
    if (std::isnan(m_current.errors[m_inner[0]])) {
      logging::warning(
          "no standard errors: the information matrix is not positive definite (a flat likelihood, "
          "or a maximum that was not reached)");
    }
    warn_of_idle_nuggets();
  }
  if (m_parameters.model.has_tukey && information_kind() != "none") {
    find_trend_errors(covariance_of_estimates(information));
  } else {
    m_solver->trend_coefficients(m_current.theta, m_current.trend, m_current.trend_errors);
  }
  warn_of_rounding(m_current.theta);
  m_fits.push_back(m_current);
  m_units_done += 1;
  if (m_fits.size() < fits()) {
    begin_search();
  } else {
    warn_of_ends();
    next_stage(Stage::information);
  }
}

}  // namespace tessera::gp
