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
  /// Length of the first steps of bobyqa, and the unit of distances
  std::vector<double> step;
  double value_tolerance = 1e-6;  ///< how near the value comes to the maximum: see Maximizer
  double point_tolerance = 1e-8;  ///< stops when no variable changes by more
  int max_evaluations = 1000;
  bool probe = true;  ///< bobyqa makes sure of the maximum, by two evaluations a variable
};

/// The outcome of a maximisation.
struct Outcome {
  std::vector<double> best;
  double value = 0;
  int evaluations = 0;
  int failed = 0;  ///< of them, at points without a value
  bool converged = false;
  /// It ended along a direction without a better point: at the maximum but for rounding, or with
  /// wrong derivatives
  bool stuck = false;
  std::string reason;  ///< "the value no longer changes"
  /// The place of each variable of `best`: -1 at its lower bound, 1 at its upper one, 0 between
  /// (1e-4 of the distance)
  std::vector<int> at_bound;
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
/// The caller keeps control between evaluations, so that it can show progress, be interrupted, and
/// continue later: a search that is told the same values asks for the same points. NLopt does the
/// work, in a thread of its own that runs only while the caller waits in `ask` or `tell`. Throws
/// Error (input) in a build without NLopt.
///
/// When it ends: bobyqa when its trust region is as small as the larger of point_tolerance and
/// sqrt(value_tolerance) / 10, so that a value with second derivatives up to 200 changes by less
/// than value_tolerance within it. (A small change of the value ends nothing: on a flat slope steps
/// that gain little lead far.) With `probe` it then looks some hundredth of `step` to either side
/// along each variable. Where the parabola through the three values promises a rise by more than
/// value_tolerance, it begins again from the best point, and where that gains nothing once more to
/// a tenth of that size. lbfgs ends when two steps in turn gain less than value_tolerance. An end
/// that says nothing of the maximum (rounding, a line search without a better point) is followed by
/// a search from the best point, with a new model, as long as that gains something. One by lbfgs
/// that ends so again has not converged.
///
/// Points where the function has no value are told as such. The model of a search takes such a
/// point for somewhat worse than the best one and those that are as near to it, so that steps
/// become shorter and what is known of the function stays. `bobyqa` whose start has no value begins
/// at the best of its neighbours, a step away along each variable; lbfgs ends there. A search has
/// not converged when most of its points had no value, or when one beside its best point (a
/// hundredth of `step`) had none.
class Maximizer {
 public:
  explicit Maximizer(const Problem& problem);
  ~Maximizer();
  Maximizer(const Maximizer&) = delete;
  Maximizer& operator=(const Maximizer&) = delete;

  /// Returns whether there is another point to evaluate, and puts it into x.
  bool ask(std::vector<double>& x);

  void tell(double value, const std::vector<double>& gradient = {});
  void tell_invalid();

  /// Returns what the search has found. Call it after `ask` returned false.
  Outcome outcome() const;

  /// Returns whether this build has NLopt.
  static bool available();

 private:
  struct Search;
  std::unique_ptr<Search> m_search;
};

}  // namespace tessera::optimize
