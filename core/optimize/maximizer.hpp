// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tessera::optimize {

enum class Method {
  bobyqa,  ///< quadratic models without derivatives (Powell 2009)
  lbfgs,   ///< limited-memory quasi-Newton steps; needs the gradient
};

/// A maximisation within bounds. All vectors have one entry a variable.
struct Problem {
  Method method = Method::bobyqa;
  std::vector<double> start, lower, upper;
  std::vector<double> step;       ///< length of the first steps of bobyqa
  double value_tolerance = 1e-6;  ///< stops when the value changes by less
  double point_tolerance = 1e-8;  ///< stops when no variable changes by more
  int max_evaluations = 1000;
};

/// How a maximisation ended.
struct Outcome {
  std::vector<double> best;
  double value = 0;
  int evaluations = 0;
  bool converged = false;
  std::string reason;         ///< "the value no longer changes"
  std::vector<int> at_bound;  ///< for each variable of `best`: -1 at its lower bound, 1 at its upper one, 0 between (1e-4 of the distance)
};

/// Maximises a function step by step: the caller evaluates it where it is asked to.
///
/// Example (tests/install/examples/gp.cpp):
///
///     optimize::Maximizer search(problem);
///     std::vector<double> x;
///     while (search.ask(x)) {
///       const gp::Evaluation trial = solver->evaluate({std::exp(x[0]), std::exp(x[1]), std::exp(x[2])}, false);
///       trial.valid ? search.tell(trial.loglik) : search.tell_invalid();
///     }
///     best = search.outcome().value;
///
/// The caller keeps control between evaluations, so that it can show progress, be interrupted, and continue later: a search that is told
/// the same values asks for the same points. A point where the function has no value is told as such; the search then takes it for a bad
/// one. NLopt does the work, in a thread of its own that runs only while the caller waits in `ask` or `tell`. Throws Error (input) in a
/// build without NLopt.
class Maximizer {
 public:
  explicit Maximizer(const Problem& problem);
  ~Maximizer();
  Maximizer(const Maximizer&) = delete;
  Maximizer& operator=(const Maximizer&) = delete;

  /// Whether there is another point to evaluate, and which.
  bool ask(std::vector<double>& x);

  void tell(double value, const std::vector<double>& gradient = {});
  void tell_invalid();

  /// Returns what the search has found. Call it after `ask` returned false.
  Outcome outcome() const;

  /// Whether this build has NLopt.
  static bool available();

 private:
  struct Search;
  std::unique_ptr<Search> m_search;
};

}  // namespace tessera::optimize
