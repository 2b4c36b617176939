// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/optimize/maximizer.hpp"

namespace tessera::gp {

/// Maximum likelihood by Fisher scoring within bounds, step by step like optimize::Maximizer: from
/// x the next point is x + F^-1 g with the gradient g and Fisher's information F.
///
/// Safeguards: no variable changes by more than 1 in a step (a factor e where variables are
/// logarithms) or leaves its bounds, and the others go on as if it had been meant to stop there;
/// one at a bound with the gradient pointing outwards stays; a step that does not raise the
/// likelihood is halved, up to 20 times; an information that is not positive definite gets a larger
/// diagonal. It has converged when the step promises less than the tolerance, g's - s'Fs / 2, or
/// when a whole step that promised less than ten times as much changed the likelihood by less. A
/// direction along which no step raises the likelihood is no end at a maximum, unless rounding
/// (1e-11 of the likelihood) hides what it promises.
class FisherScoring {
 public:
  /// Uses start, bounds, value_tolerance and max_evaluations of the problem.
  explicit FisherScoring(const optimize::Problem& problem);

  /// Returns whether there is another point to evaluate, and gives it in x.
  bool ask(std::vector<double>& x) const;

  void tell(double value, const std::vector<double>& gradient, const linalg::Matrix& information);
  void tell_invalid();

  /// Returns the outcome of the search, after `ask` returned false; without a single value `best`
  /// is empty.
  optimize::Outcome outcome() const;

 private:
  void choose_step();
  std::vector<double> maximize_model(const std::vector<std::size_t>& moving) const;
  double information(std::size_t i, std::size_t j) const {
    return 0.5 * (m_information[i][j] + m_information[j][i]);
  }
  void shorten_step();
  void propose();
  void finish(bool converged, const std::string& reason);

  optimize::Problem m_problem;
  optimize::Outcome m_outcome;
  std::vector<double> m_gradient, m_step, m_trial;
  linalg::Matrix m_information;
  bool m_started = false, m_finished = false;
  int m_halvings = 0;
  double m_promise = 0;  // of the whole step
};

}  // namespace tessera::gp
