// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/optimize/maximizer.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#ifdef TESSERA_HAVE_NLOPT
#include <nlopt.h>
#endif

#include "tessera/core/error.hpp"

namespace tessera::optimize {

/// Hands points and values to and fro between the caller and the thread of the search: exactly one
/// of the two runs at any time.
struct Maximizer::Search {
  enum class Turn { search, caller, over };

  explicit Search(const Problem& p) : problem(p), unit(p.step) {
    outcome.value = -std::numeric_limits<double>::infinity();
    outcome.best = p.start;
    if (unit.empty()) {
      for (std::size_t i = 0; i < p.start.size(); ++i) {
        const double width = p.upper[i] - p.lower[i];
        unit.push_back(std::isfinite(width) && width > 0 ? 0.1 * width : 1);
      }
    }
  }

  struct Known {
    std::vector<double> point;
    double value;
  };

  Problem problem;
  std::vector<double> unit;  // of distances
  Outcome outcome;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  Turn turn = Turn::search;
  bool abandoned = false;
  std::vector<double> point, gradient, best_gradient;
  double value = 0;
  bool valid = false;
  std::vector<Known> known;                // points with a value
  std::vector<std::vector<double>> empty;  // and without

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
      known.push_back({point, found});
      if (found > outcome.value) {
        outcome.value = found;
        outcome.best = point;
        best_gradient = derivatives;
      }
    } else {
      ++outcome.failed;
      empty.push_back(point);
    }
    give(Turn::search);
    wait_for(Turn::caller);
  }

  /// Returns the distance of x from the best point, in units of `unit`.
  double distance(const std::vector<double>& x) const {
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      largest = std::max(largest, std::fabs(x[i] - outcome.best[i]) / unit[i]);
    return largest;
  }

  /// Returns by how much a point without a value is taken for worse than the best one: twice the
  /// variation of the values that are as near to that, and no less than a rise that a gradient
  /// promised.
  double drop(const std::vector<double>& x) const {
    const double radius = distance(x);
    double lowest = outcome.value, rise = 0;
    for (const Known& other : known) {
      if (other.value < lowest && distance(other.point) <= radius) lowest = other.value;
    }
    for (std::size_t i = 0; i < best_gradient.size(); ++i)
      rise += best_gradient[i] * (x[i] - outcome.best[i]);
    return std::max({2 * (outcome.value - lowest), std::fabs(rise), problem.value_tolerance});
  }

  bool has_value() const { return !known.empty(); }

  /// Returns whether the best point lies beside one without a value.
  bool at_an_edge() const {
    return std::any_of(empty.begin(), empty.end(),
                       [&](const std::vector<double>& x) { return distance(x) < 0.01; });
  }

#ifdef TESSERA_HAVE_NLOPT
  static double objective(unsigned n, const double* x, double* derivatives, void* self) {
    return static_cast<Search*>(self)->evaluate(n, x, derivatives);
  }

  /// Asks the caller for the value at x; false: the search was abandoned.
  bool ask(const std::vector<double>& x) {
    point = x;
    give(Turn::caller);
    wait_for(Turn::search);
    return !abandoned;
  }

  double evaluate(unsigned n, const double* x, double* derivatives) {
    const std::vector<double> at(x, x + n);
    const bool again = has_value() && at == outcome.best;  // where a search begins again
    if (!again && !ask(at)) {
      nlopt_force_stop(optimizer);
      return 0;
    }
    if (again || valid) {
      const std::vector<double>& slope = again ? best_gradient : gradient;
      for (unsigned i = 0; derivatives != nullptr && i < n; ++i)
        derivatives[i] = i < slope.size() ? slope[i] : 0;
      return again ? outcome.value : value;
    }
    if (!has_value()) {  // a search by gradients: nothing leads away from here
      nlopt_force_stop(optimizer);
      return 0;
    }
    // A parabola with its top at the best point.
    const double less = drop(at);
    if (derivatives != nullptr) {
      double square = 0;
      for (unsigned i = 0; i < n; ++i)
        square += (at[i] - outcome.best[i]) * (at[i] - outcome.best[i]);
      for (unsigned i = 0; i < n; ++i)
        derivatives[i] = -2 * less * (at[i] - outcome.best[i]) / square;
    }
    return outcome.value - less;
  }

  nlopt_opt optimizer = nullptr;

  void run() {
    if (problem.method == Method::bobyqa) look_for_a_start();
    if (!abandoned && (has_value() || problem.method == Method::lbfgs) &&
        outcome.evaluations < problem.max_evaluations) {
      nlopt_result result = NLOPT_FAILURE;
      double promise = 0;
      bool goes_on = true;
      double radius = 0.1 * std::sqrt(problem.value_tolerance);
      while (goes_on) {
        const double before = outcome.value;
        result = search_from(outcome.best, std::max(problem.point_tolerance, radius));
        promise = problem.probe && problem.method == Method::bobyqa && !is_open(result)
                      ? look_around(result)
                      : 0;
        const bool rises = !(outcome.value - before < problem.value_tolerance),
                   promises = promise > problem.value_tolerance;
        goes_on = !abandoned && has_value() && outcome.evaluations < problem.max_evaluations &&
                  ((is_open(result) && rises) ||
                   (promises && (rises || radius > problem.point_tolerance)));
        if (!rises) radius *= 0.1;
      }
      describe(result);
      if (outcome.converged && promise > problem.value_tolerance) {
        outcome.converged = false;
        outcome.reason = "values near the best point promise a better one";
      }
    } else {
      describe(outcome.evaluations >= problem.max_evaluations ? NLOPT_MAXEVAL_REACHED
                                                              : NLOPT_FAILURE);
    }
    give(Turn::over);
  }

  /// The best of the start, or, where that has no value, of the points a step away from it along
  /// each variable.
  void look_for_a_start() {
    if (!ask(problem.start) || has_value()) return;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      for (const double step : {unit[i], -unit[i]}) {
        std::vector<double> x = problem.start;
        x[i] = std::min(std::max(x[i] + step, problem.lower[i]), problem.upper[i]);
        if (x == problem.start || outcome.evaluations >= problem.max_evaluations) continue;
        if (!ask(x)) return;
      }
    }
  }

  /// Returns the largest rise that the parabolas through the best point and its neighbours along
  /// each variable promise. Without curvature it is that of a whole step.
  double look_around(nlopt_result& result) {
    const std::vector<double> middle = outcome.best;
    const double top = outcome.value;
    // third derivatives count little
    const double share =
        0.01 * std::clamp(std::pow(problem.value_tolerance / 1e-6, 0.25), 0.01, 3.0);
    double most = 0;
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const double reach = share * unit[i];
      double value_at[2] = {0, 0},
             room[2] = {middle[i] - problem.lower[i], problem.upper[i] - middle[i]};
      bool known_at[2] = {false, false};
      for (int side = 0; side < 2; ++side) {
        if (room[side] < reach) continue;
        if (outcome.evaluations >= problem.max_evaluations) {
          result = NLOPT_MAXEVAL_REACHED;
          return 0;
        }
        std::vector<double> x = middle;
        x[i] += side == 0 ? -reach : reach;
        if (!ask(x)) return 0;
        known_at[side] = valid;
        value_at[side] = value - top;
        if (valid) most = std::max(most, value_at[side]);
      }
      if (!known_at[0] || !known_at[1]) continue;
      const double slope = std::fabs(value_at[1] - value_at[0]) / (2 * reach);
      const double curvature = -(value_at[1] + value_at[0]) / (reach * reach),
                   rounding = 1e-14 * std::fabs(top);
      if (slope * reach <= rounding) continue;
      const double longest = std::min(unit[i], value_at[1] > value_at[0] ? room[1] : room[0]);
      const double length = curvature * longest > slope ? slope / curvature : longest;
      most = std::max(most, length * slope - 0.5 * length * length * std::max(curvature, 0.0));
    }
    return most;
  }

  nlopt_result search_from(std::vector<double> x, double radius) {
    const unsigned n = static_cast<unsigned>(x.size());
    const bool by_bobyqa = problem.method == Method::bobyqa;
    optimizer = nlopt_create(by_bobyqa ? NLOPT_LN_BOBYQA : NLOPT_LD_LBFGS, n);
    nlopt_set_max_objective(optimizer, &Search::objective, this);
    nlopt_set_lower_bounds(optimizer, problem.lower.data());
    nlopt_set_upper_bounds(optimizer, problem.upper.data());
    if (!problem.step.empty()) nlopt_set_initial_step(optimizer, problem.step.data());
    if (!by_bobyqa) nlopt_set_ftol_abs(optimizer, problem.value_tolerance);
    const std::vector<double> tolerance(n, by_bobyqa ? radius : problem.point_tolerance);
    nlopt_set_xtol_abs(optimizer, tolerance.data());
    nlopt_set_maxeval(optimizer,
                      problem.max_evaluations - outcome.evaluations + (has_value() ? 1 : 0));
    double last = 0;
    const nlopt_result result = nlopt_optimize(optimizer, x.data(), &last);
    nlopt_destroy(optimizer);
    return result;
  }

  /// Returns whether a search ended without saying anything of the maximum: by rounding, or along a
  /// direction where it found nothing better.
  static bool is_open(nlopt_result result) {
    return result == NLOPT_ROUNDOFF_LIMITED || result == NLOPT_FAILURE;
  }

  void describe(nlopt_result result) {
    outcome.converged = true;
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
      case NLOPT_SUCCESS:
        outcome.reason = problem.method == Method::bobyqa ? "the point no longer changes"
                                                          : "the gradient is zero";
        break;
      case NLOPT_MAXEVAL_REACHED:
        outcome.converged = false;
        outcome.reason = "the largest number of evaluations was reached";
        break;
      default:
        outcome.stuck = result == NLOPT_FAILURE && has_value() && outcome.evaluations > 1;
        outcome.converged = false;
        outcome.reason = !has_value()    ? "there is no value at the start"
                         : outcome.stuck ? "no better point was found along the last direction"
                                         : "the search failed";
    }
    if (!outcome.converged) return;
    if (2 * outcome.failed > outcome.evaluations) {
      outcome.converged = false;
      outcome.reason = std::to_string(outcome.failed) + " of " +
                       std::to_string(outcome.evaluations) + " points had no value";
    } else if (at_an_edge()) {
      outcome.converged = false;
      outcome.reason = "beside the best point there are points without a value";
    }
  }
#endif

  void find_bounds() {
    outcome.at_bound.clear();
    for (std::size_t i = 0; i < outcome.best.size(); ++i) {
      const double margin = 1e-4 * (problem.upper[i] - problem.lower[i]);
      outcome.at_bound.push_back(outcome.best[i] <= problem.lower[i] + margin   ? -1
                                 : outcome.best[i] >= problem.upper[i] - margin ? 1
                                                                                : 0);
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
