// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/optimize/maximizer.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#ifdef TESSERA_HAVE_NLOPT
#include <nlopt.h>
#endif

#include "tessera/core/error.hpp"

namespace tessera::optimize {

/// Hands points and values to and fro between the caller and the thread of the search: exactly one of the two runs at any time.
struct Maximizer::Search {
  enum class Turn { search, caller, over };

  explicit Search(const Problem& p) : problem(p) {
    outcome.value = -std::numeric_limits<double>::infinity();
    outcome.best = p.start;
    worst = std::numeric_limits<double>::infinity();
  }

  Problem problem;
  Outcome outcome;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  Turn turn = Turn::search;
  bool abandoned = false;
  std::vector<double> point, gradient;
  double value = 0;
  bool valid = false;
  double worst;  // of the valid values so far

  void wait_for(Turn wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return turn == wanted || turn == Turn::over || abandoned; });
  }

  void give(Turn to) {
    {
      const std::lock_guard lock(mutex);
      turn = to;
    }
    changed.notify_all();
  }

  void answer(double found, const std::vector<double>& derivatives, bool is_valid) {
    value = found;
    gradient = derivatives;
    valid = is_valid;
    ++outcome.evaluations;
    if (is_valid) {
      worst = std::min(worst, found);
      if (found > outcome.value) {
        outcome.value = found;
        outcome.best = point;
      }
    }
    give(Turn::search);
    wait_for(Turn::caller);
  }

  /// What the search takes a point without a value for: worse than all others, and flat.
  double penalty() const {
    if (!std::isfinite(worst)) return -1e10;
    return worst - 10 * (std::fabs(outcome.value - worst) + 1);
  }

#ifdef TESSERA_HAVE_NLOPT
  static double objective(unsigned n, const double* x, double* derivatives, void* self) {
    return static_cast<Search*>(self)->evaluate(n, x, derivatives);
  }

  double evaluate(unsigned n, const double* x, double* derivatives) {
    point.assign(x, x + n);
    give(Turn::caller);
    wait_for(Turn::search);
    if (abandoned) {
      nlopt_force_stop(optimizer);
      return 0;
    }
    if (derivatives != nullptr) {
      for (unsigned i = 0; i < n; ++i) derivatives[i] = valid && i < gradient.size() ? gradient[i] : 0;
    }
    return valid ? value : penalty();
  }

  nlopt_opt optimizer = nullptr;

  void run() {
    const unsigned n = static_cast<unsigned>(problem.start.size());
    optimizer = nlopt_create(problem.method == Method::bobyqa ? NLOPT_LN_BOBYQA : NLOPT_LD_LBFGS, n);
    nlopt_set_max_objective(optimizer, &Search::objective, this);
    nlopt_set_lower_bounds(optimizer, problem.lower.data());
    nlopt_set_upper_bounds(optimizer, problem.upper.data());
    if (!problem.step.empty()) nlopt_set_initial_step(optimizer, problem.step.data());
    nlopt_set_ftol_abs(optimizer, problem.value_tolerance);
    const std::vector<double> tolerance(n, problem.point_tolerance);
    nlopt_set_xtol_abs(optimizer, tolerance.data());
    nlopt_set_maxeval(optimizer, problem.max_evaluations);
    std::vector<double> x = problem.start;
    double last = 0;
    const nlopt_result result = nlopt_optimize(optimizer, x.data(), &last);
    nlopt_destroy(optimizer);
    describe(result);
    give(Turn::over);
  }

  void describe(nlopt_result result) {
    outcome.converged =
        result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED || result == NLOPT_SUCCESS || result == NLOPT_ROUNDOFF_LIMITED;
    switch (result) {
      case NLOPT_FTOL_REACHED:
        outcome.reason = "the value no longer changes";
        break;
      case NLOPT_XTOL_REACHED:
        outcome.reason = "the point no longer changes";
        break;
      case NLOPT_ROUNDOFF_LIMITED:
        outcome.reason = "rounding errors allow no further progress";
        break;
      case NLOPT_MAXEVAL_REACHED:
        outcome.reason = "the largest number of evaluations was reached";
        break;
      case NLOPT_SUCCESS:
        outcome.reason = "success";
        break;
      default:
        // A line search that finds nothing better ends as a failure; at a point that is the best so far, that is an end like another.
        outcome.converged = outcome.evaluations > 1 && std::isfinite(outcome.value);
        outcome.reason = outcome.converged ? "no better point was found along the last direction" : "the search failed";
    }
  }
#endif

  void find_bounds() {
    outcome.at_bound.clear();
    for (std::size_t i = 0; i < outcome.best.size(); ++i) {
      const double margin = 1e-4 * (problem.upper[i] - problem.lower[i]);
      outcome.at_bound.push_back(outcome.best[i] <= problem.lower[i] + margin ? -1 : outcome.best[i] >= problem.upper[i] - margin ? 1 : 0);
    }
  }
};

Maximizer::Maximizer(const Problem& problem) : m_search(std::make_unique<Search>(problem)) {
#ifdef TESSERA_HAVE_NLOPT
  m_search->thread = std::thread([search = m_search.get()] { search->run(); });
  m_search->wait_for(Search::Turn::caller);
#else
  throw Error(ErrorKind::input, "this build has no NLopt, which does the optimisation",
              "install NLopt (Debian: libnlopt-dev) and build again");
#endif
}

Maximizer::~Maximizer() {
  if (!m_search->thread.joinable()) return;
  {
    const std::lock_guard lock(m_search->mutex);
    m_search->abandoned = true;
  }
  m_search->changed.notify_all();
  m_search->thread.join();
}

bool Maximizer::ask(std::vector<double>& x) {
  if (m_search->turn == Search::Turn::over) {
    m_search->find_bounds();
    return false;
  }
  x = m_search->point;
  return true;
}

void Maximizer::tell(double value, const std::vector<double>& gradient) {
  std::isfinite(value) ? m_search->answer(value, gradient, true) : tell_invalid();
}

void Maximizer::tell_invalid() { m_search->answer(0, {}, false); }

Outcome Maximizer::outcome() const { return m_search->outcome; }

bool Maximizer::available() {
#ifdef TESSERA_HAVE_NLOPT
  return true;
#else
  return false;
#endif
}

}  // namespace tessera::optimize
