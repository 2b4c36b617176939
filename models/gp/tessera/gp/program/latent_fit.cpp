// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The searches of a run with observations that are not Gaussian, and standard errors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"
#include "tessera/gp/program/latent_model.hpp"

namespace tessera::gp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

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
  if (m_stage != Stage::fit || !m_space) return;
  std::vector<std::string> names;
  for (const int k : m_space->free())
    names.push_back(m_parameters.model.names()[static_cast<std::size_t>(k)]);
  const std::vector<std::string> own = response_parameters(m_parameters.response.family);
  const std::vector<bool> free = free_response();
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (free[k]) names.push_back(own[k]);
  }
  const Theta theta = m_variables->point(outcome.best).theta;
  for (std::size_t k = 0; k < outcome.at_bound.size(); ++k) {
    if (outcome.at_bound[k] == 0) continue;
    const std::string limit =
        k < m_space->size()
            ? describe_limit(m_parameters.model, theta, m_space->free()[k], outcome.at_bound[k])
            : "";
    if (!limit.empty()) {
      logging::warning(limit);
      continue;
    }
    const std::string side = outcome.at_bound[k] < 0 ? "lower" : "upper",
                      name = k < names.size() ? names[k] : "a coefficient of the mean";
    logging::warning("the fit ends with " + name + " at its " + side + " bound; " +
                     remedy_of_bound(name, side, k < m_space->size()) +
                     ", and mistrust its standard error");
  }
}

/// Where 0 and 1 lie apart from each other the likelihood rises with the variance of the field.
std::string LatentModel::remedy_of_bound(const std::string& name, const std::string& side,
                                         bool is_theta) const {
  const ResponseFamily family = m_parameters.response.family;
  const bool is_binary =
      family == ResponseFamily::bernoulli_logit || family == ResponseFamily::bernoulli_probit;
  if (name == "sigma2" && side == "upper" && is_binary)
    return "the field separates the observations 0 from 1: fix sigma2 at what is plausible "
           "(fit.fixed), or take more data";
  return is_theta ? "widen fit." + side + " or fix it"
                  : "fix it, or take another likelihood.family or mean";
}

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

}  // namespace tessera::gp
