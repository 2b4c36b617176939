// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/fisher_scoring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/gp/covariance/number_text.hpp"

namespace tessera::gp {

namespace {

constexpr double kLongestStep = 1;
constexpr int kMostHalvings = 20;

}  // namespace

FisherScoring::FisherScoring(const optimize::Problem& problem)
    : m_problem(problem), m_trial(problem.start) {
  m_outcome.value = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < m_trial.size(); ++k)
    m_trial[k] = std::clamp(m_trial[k], problem.lower[k], problem.upper[k]);
}

bool FisherScoring::ask(std::vector<double>& x) const {
  if (m_finished) return false;
  x = m_trial;
  return true;
}

void FisherScoring::tell(double value, const std::vector<double>& gradient,
                         const linalg::Matrix& information) {
  ++m_outcome.evaluations;
  const double rise = value - m_outcome.value;
  if (m_started && !(rise > 0)) {
    if (std::fabs(rise) < m_problem.value_tolerance && m_halvings == 0 &&
        m_promise < 10 * m_problem.value_tolerance) {
      finish(true, "the likelihood no longer changes");
    } else {
      shorten_step();
    }
    return;
  }
  m_outcome.best = m_trial;
  m_outcome.value = value;
  m_gradient = gradient;
  m_information = information;
  if (m_started && rise < m_problem.value_tolerance && m_halvings == 0 &&
      m_promise < 10 * m_problem.value_tolerance) {
    finish(true, "the likelihood no longer changes");
    return;
  }
  m_started = true;
  m_halvings = 0;
  choose_step();
}

void FisherScoring::tell_invalid() {
  ++m_outcome.evaluations;
  if (!m_started) {
    finish(false, "there is no likelihood at the start");
    return;
  }
  shorten_step();
}

/// F^-1 g, within a box: no variable leaves its bounds or changes by more than kLongestStep. On the
/// way to the largest value of the model g's - s'Fs / 2 a variable that reaches its side stays
/// there, and the others go on; one that hardly counts cannot hold them up so.
void FisherScoring::choose_step() {
  const std::vector<double>& x = m_outcome.best;
  std::vector<std::size_t> moving;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool held = (x[k] <= m_problem.lower[k] && m_gradient[k] < 0) ||
                      (x[k] >= m_problem.upper[k] && m_gradient[k] > 0);
    if (!held && m_information[k][k] > 0) moving.push_back(k);
  }
  m_step.assign(x.size(), 0.0);
  while (!moving.empty()) {
    const std::vector<double> target = maximize_model(moving);
    double share = 1;  // of the way there that stays in the box
    std::size_t first = moving.size();
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const std::size_t k = moving[i];
      const double way = target[i] - m_step[k];
      const double side = way > 0 ? std::min(kLongestStep, m_problem.upper[k] - x[k])
                                  : std::max(-kLongestStep, m_problem.lower[k] - x[k]);
      if (std::fabs(way) * share <= std::fabs(side - m_step[k])) continue;
      share = (side - m_step[k]) / way;
      first = i;
    }
    for (std::size_t i = 0; i < moving.size(); ++i)
      m_step[moving[i]] += share * (target[i] - m_step[moving[i]]);
    if (first == moving.size()) break;
    moving.erase(moving.begin() + static_cast<std::ptrdiff_t>(first));
  }
  propose();
}

/// The steps of some variables that make the model largest, the others' given.
std::vector<double> FisherScoring::maximize_model(const std::vector<std::size_t>& moving) const {
  const std::size_t count = moving.size();
  std::vector<double> slope;
  for (const std::size_t k : moving) {
    slope.push_back(m_gradient[k]);
    for (std::size_t j = 0; j < m_step.size(); ++j) {
      if (std::find(moving.begin(), moving.end(), j) == moving.end())
        slope.back() -= information(k, j) * m_step[j];
    }
  }
  std::vector<double> step(count, 0.0);
  for (double ridge = 0; ridge < 1e6; ridge = ridge == 0 ? 1e-8 : 10 * ridge) {
    linalg::Matrix scaled(count, std::vector<double>(count));  // to a unit diagonal
    const auto root = [&](std::size_t i) { return std::sqrt(m_information[moving[i]][moving[i]]); };
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j)
        scaled[i][j] = i == j ? 1 + ridge : information(moving[i], moving[j]) / (root(i) * root(j));
    }
    try {
      const linalg::Matrix inverse = linalg::inverse_positive_definite(scaled);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j)
          step[i] += inverse[i][j] * slope[j] / (root(i) * root(j));
      }
      break;
    } catch (const Error&) {
      // not positive definite: a larger diagonal
    }
  }
  return step;
}

void FisherScoring::propose() {
  double promise = 0;
  for (std::size_t k = 0; k < m_step.size(); ++k) {
    m_trial[k] = std::clamp(m_outcome.best[k] + m_step[k], m_problem.lower[k], m_problem.upper[k]);
    promise += m_gradient[k] * (m_trial[k] - m_outcome.best[k]);
  }
  for (std::size_t k = 0; k < m_step.size(); ++k) {
    for (std::size_t j = 0; j < m_step.size(); ++j)
      promise -= 0.5 * information(k, j) * (m_trial[k] - m_outcome.best[k]) *
                 (m_trial[j] - m_outcome.best[j]);
  }
  if (m_halvings == 0) m_promise = promise;
  if (promise < m_problem.value_tolerance && m_halvings == 0) {
    finish(true, "no step promises a larger likelihood");
  } else if (m_outcome.evaluations >= m_problem.max_evaluations) {
    finish(false, "the largest number of evaluations was reached");
  }
}

void FisherScoring::shorten_step() {
  if (++m_halvings > kMostHalvings) {
    finish(m_promise < 1e-11 * std::fabs(m_outcome.value),
           "no step raises the likelihood, though its derivatives promise a rise of " +
               number(m_promise, "%.2g"));
    return;
  }
  for (double& s : m_step) s *= 0.5;
  propose();
}

void FisherScoring::finish(bool converged, const std::string& reason) {
  m_finished = true;
  m_outcome.converged = converged;
  m_outcome.reason = reason;
}

optimize::Outcome FisherScoring::outcome() const {
  optimize::Outcome outcome = m_outcome;
  for (std::size_t k = 0; k < outcome.best.size(); ++k) {
    const double near = 1e-4 * (m_problem.upper[k] - m_problem.lower[k]);
    outcome.at_bound.push_back(outcome.best[k] <= m_problem.lower[k] + near   ? -1
                               : outcome.best[k] >= m_problem.upper[k] - near ? 1
                                                                              : 0);
  }
  return outcome;
}

}  // namespace tessera::gp
