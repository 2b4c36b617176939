// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/optimizer.hpp"
#include "tessera/stable/fit/start_table.hpp"

namespace tessera::stable::detail {

/// The search for the largest likelihood: the optimizer from the quantiles of the sample, and for
/// small samples, whose likelihood may have several maxima, from the best of a grid of other starts
/// and the normal distribution too. The first maximum stands unless another one is clearly larger.
///
/// The likelihood of few values also grows without bound where alpha and sigma are so small that
/// the density has its peak at one value and is flat elsewhere. Such a distribution has quantiles
/// unlike those of the sample, and is not taken.
struct MultiStart {
  static constexpr int kFewValues = 60;  ///< samples up to this size get other starts
  static constexpr int kAlphas = 4, kBetas = 3, kStarts = kAlphas * kBetas + 1;
  static constexpr int kRuns = 4;                 ///< other starts that an optimizer is run from
  static constexpr double kClearlyLarger = 1e-5;  ///< difference of log-likelihoods
  /// The largest ratio of the interquartile ranges of distribution and sample
  static constexpr double kMostRatio = 10;

  Optimizer optimizer;  ///< that at work; in the end that of the largest maximum
  Optimizer best;
  FiveQuantiles five;
  double mean, deviation;      ///< of the sample, if it is small
  double likelihood[kStarts];  ///< at the starts
  double tolerance;
  int stage;  ///< 0: from the quantiles; then one for each start; then one for each run
  bool few;

  KOKKOS_INLINE_FUNCTION void start(const FourParameters& from, int mask, double weights,
                                    double tol, bool is_small) {
    optimizer.start(from.alpha, from.beta, from.sigma, from.mu, mask, weights, tol);
    tolerance = tol;
    stage = 0;
    few = is_small && (mask & 3) != 3;
  }

  /// Takes the sums at the optimizer's trial point; false when the search has ended.
  template <class Table>
  KOKKOS_INLINE_FUNCTION bool advance(const LikelihoodSums& sums, const FitTask& task,
                                      const Table& table) {
    if (stage >= 1 && stage <= kStarts) {
      likelihood[stage - 1] = sums.value[0];
    } else if (optimizer.advance(sums)) {
      return true;
    } else if (stage == 0) {
      best = optimizer;
      if (!few) return false;
    } else {
      take_larger(table);
    }
    if (stage == kStarts + kRuns) {
      optimizer = best;
      return false;
    }
    ++stage;
    begin(stage <= kStarts ? stage - 1 : take_best_start(), task, table);
    return true;
  }

 private:
  KOKKOS_INLINE_FUNCTION int take_best_start() {
    int top = 0;
    for (int k = 1; k < kStarts; ++k) {
      if (likelihood[k] > likelihood[top]) top = k;
    }
    likelihood[top] = -INFINITY;
    return top;
  }

  /// The optimizer from start k of the grid, with scale and location that fit the quartiles of the
  /// sample; the last one is nearly normal.
  template <class Table>
  KOKKOS_INLINE_FUNCTION void begin(int k, const FitTask& task, const Table& table) {
    const double alphas[kAlphas] = {0.5, 0.9, 1.3, 1.7}, betas[kBetas] = {-0.8, 0, 0.8};
    const bool normal = k == kStarts - 1;
    FourParameters from = table.match_quartiles(five,
                                                task.is_fixed(0) ? task.fixed_value[0]
                                                : normal         ? 1.97
                                                                 : alphas[k / kBetas],
                                                task.is_fixed(1) ? task.fixed_value[1]
                                                : normal         ? 0
                                                                 : betas[k % kBetas]);
    if (normal && deviation > 0 && deviation < INFINITY) {
      from.sigma = deviation / ::sqrt(2.0);
      from.mu = mean;
    }
    if (task.is_fixed(2)) from.sigma = task.fixed_value[2];
    if (task.is_fixed(3)) from.mu = task.fixed_value[3];
    optimizer.start(from.alpha, from.beta, from.sigma, from.mu, task.fixed,
                    optimizer.sum_of_weights, tolerance);
  }

  template <class Table>
  KOKKOS_INLINE_FUNCTION void take_larger(const Table& table) {
    if (optimizer.status > FitStatus::boundary ||
        !(optimizer.likelihood > best.likelihood + kClearlyLarger))
      return;
    const double* theta = optimizer.theta;
    const double range =
        table.match_quartiles(five, optimizer.alpha(theta), optimizer.beta(theta)).sigma;
    const double ratio = ::exp(theta[2]) / range;
    if (ratio > 1 / kMostRatio && ratio < kMostRatio) best = optimizer;
  }
};

}  // namespace tessera::stable::detail
