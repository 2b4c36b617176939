// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/location_anchor.hpp"
#include "tessera/stable/fit/optimizer.hpp"
#include "tessera/stable/fit/sample_functions.hpp"

/// The log-likelihood of a sorted sample and its derivatives, and distances of the sample from the
/// distribution, by a team.

namespace tessera::stable::detail {

/// A thread's share of the sums over a sample.
struct LikelihoodShare {
  const SortedSample& sample;
  const double* weight;  ///< or null
  double alpha_derivative, beta_derivative;
  Anchor anchor;
  bool outer;  ///< also the outer product of the scores
  double sums[LikelihoodSums::kSize] = {};

  KOKKOS_INLINE_FUNCTION void operator()(int i, const double* v) {
    double s[4];
    find_scores(sample.standard(i), v, s);
    add(i, v[0], s);
  }

  /// The scores in theta at a standardised point, from log pdf and its derivatives.
  KOKKOS_INLINE_FUNCTION void find_scores(double z, const double* v, double* s) const {
    s[0] = (v[2] + anchor.d_alpha * v[1]) * alpha_derivative;
    s[1] = (v[3] + anchor.d_beta * v[1]) * beta_derivative;
    s[2] = -1 - (z - anchor.value) * v[1];
    s[3] = -v[1];
  }

  KOKKOS_INLINE_FUNCTION void add(int i, double log_likelihood, const double* s) {
    const double w = weight == nullptr ? 1.0 : weight[i];
    if (w == 0) return;
    sums[0] += w * log_likelihood;
    for (int k = 0; k < 4; ++k) sums[1 + k] += w * s[k];
    if (!outer) return;
    int m = 5;
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j <= k; ++j) sums[m++] += w * s[k] * s[j];
    }
  }
};

/// A thread's share of the distances of Kolmogorov, Anderson and Darling, and Cramer and von Mises.
struct DistanceShare {
  int size;
  double largest = 0, anderson_darling = 0, cramer_von_mises = 0;

  KOKKOS_INLINE_FUNCTION void operator()(int i, const double* v) {
    const double n = size, cdf = ::exp(v[0]), above = (i + 1) / n - cdf, below = cdf - i / n,
                 from_middle = cdf - (i + 0.5) / n;
    largest = above > largest ? above : largest;
    largest = below > largest ? below : largest;
    anderson_darling += (2 * i + 1) * v[0] + (2 * (n - i) - 1) * v[1];
    cramer_von_mises += from_middle * from_middle;
  }
};

/// Distances of a sample from a distribution.
struct Distances {
  double kolmogorov_smirnov, anderson_darling, cramer_von_mises;
};

/// Keeps the functions at every point: [function][point].
template <class Functions>
struct StoreFunctions {
  double* v;
  int size;
  KOKKOS_INLINE_FUNCTION void operator()(int i, const double* values) const {
    for (int f = 0; f < Functions::kCount; ++f) v[f * size + i] = values[f];
  }
};

/// Adds the scores at every point to a share or, where the values stand for cells, keeps them.
struct TakeScores {
  LikelihoodShare& share;
  StoreFunctions<ScoreFunctions> cells;  ///< where these have room
  KOKKOS_INLINE_FUNCTION void operator()(int i, const double* v) const {
    if (cells.v == nullptr) {
      share(i, v);
    } else {
      cells(i, v);
    }
  }
};

template <class ExecSpace>
struct Likelihood {
  Panels<ExecSpace> panels;
  double half_width;  ///< of the cells that the values stand for; 0: they are exact
  double* cells;      ///< room for the functions at the nodes of all cells

  template <class Member>
  KOKKOS_INLINE_FUNCTION Likelihood(const Member& team, const StopFlag<ExecSpace>& stop,
                                    double cell, double* room)
      : panels(team, LikelihoodSums::kSize * team.team_size(), stop),
        half_width(cell),
        cells(room) {}

  static int scratch_size(int team_size) {
    return Panels<ExecSpace>::scratch_size(LikelihoodSums::kSize * team_size);
  }

  KOKKOS_INLINE_FUNCTION SortedSample place(const Optimizer& optimizer, const double* theta,
                                            const Anchor& anchor, const double* x, int size) const {
    const double sigma = ::exp(theta[2]);
    return SortedSample(optimizer.alpha(theta), optimizer.beta(theta), sigma,
                        theta[3] - sigma * anchor.value, x, size, half_width);
  }

  /// Computes the sums over the sample at `theta`, whose location is that of `anchor`, into
  /// `result` (in scratch memory). Every thread of the team takes part. After a signal the sums are
  /// those of some of the values.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team, const Optimizer& optimizer,
                                         const double* theta, const Anchor& anchor, const double* x,
                                         const double* weight, int size, bool outer,
                                         LikelihoodSums& result) const {
    const SortedSample sample = place(optimizer, theta, anchor, x, size);
    LikelihoodShare share{
        sample, weight, optimizer.alpha_derivative(theta), optimizer.beta_derivative(theta),
        anchor, outer};
    const TakeScores take{share, {half_width > 0 ? cells : nullptr, sample.size}};
    panels.template visit<ScoreFunctions>(team, sample, take);
    if (half_width > 0) add_cells(team, sample, size, share);
    const int thread = team.team_rank(), threads = team.team_size(),
              terms = outer ? LikelihoodSums::kSize : 5;
    for (int k = 0; k < terms; ++k) panels.work(thread * LikelihoodSums::kSize + k) = share.sums[k];
    team.team_barrier();
    for (int k = thread; k < terms; k += threads) {
      double sum = 0;
      for (int q = 0; q < threads; ++q) sum += panels.work(q * LikelihoodSums::kSize + k);
      result.value[k] = k == 0 ? sum - optimizer.sum_of_weights * theta[2] : sum;
    }
    team.team_barrier();
  }

  /// Adds the probability of every cell, whose scores are means of those kept at its nodes.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void add_cells(const Member& team, const SortedSample& sample, int size,
                                        LikelihoodShare& share) const {
    constexpr int kNodes = CellRule::kNodes;
    team.team_barrier();
    for (int i = team.team_rank(); i < size; i += team.team_size()) {
      double top = -INFINITY, total = 0, mean[4] = {0, 0, 0, 0};
      for (int k = 0; k < kNodes; ++k)
        top = cells[kNodes * i + k] > top ? cells[kNodes * i + k] : top;
      for (int k = 0; k < kNodes; ++k) {
        const int point = kNodes * i + k;
        double v[ScoreFunctions::kCount], s[4];
        for (int f = 0; f < ScoreFunctions::kCount; ++f) v[f] = cells[f * sample.size + point];
        share.find_scores(sample.standard(point), v, s);
        const double p = CellRule::weight(k) * ::exp(v[0] - top);
        if (p == 0) continue;  // where the density is 0 there are no scores
        total += p;
        for (int j = 0; j < 4; ++j) mean[j] += p * s[j];
      }
      for (int j = 0; j < 4; ++j) mean[j] /= total;
      share.add(i, top + ::log(half_width * total), mean);
    }
  }

  /// Finds the distances of the sample from the distribution at `theta`; they are of use on thread
  /// 0. Weights count as one.
  template <class Member>
  KOKKOS_INLINE_FUNCTION Distances find_distances(const Member& team, const Optimizer& optimizer,
                                                  const double* theta, const Anchor& anchor,
                                                  const double* x, int size) const {
    const SortedSample sample = place(optimizer, theta, anchor, x, size);
    DistanceShare share{size};
    panels.template visit<TailFunctions>(team, sample, share);
    const int thread = team.team_rank();
    panels.work(3 * thread) = share.largest;
    panels.work(3 * thread + 1) = share.anderson_darling;
    panels.work(3 * thread + 2) = share.cramer_von_mises;
    team.team_barrier();
    Distances found{0, -static_cast<double>(size), 1 / (12.0 * size)};
    for (int q = 0; thread == 0 && q < team.team_size(); ++q) {
      const double largest = panels.work(3 * q);
      found.kolmogorov_smirnov =
          largest > found.kolmogorov_smirnov ? largest : found.kolmogorov_smirnov;
      found.anderson_darling -= panels.work(3 * q + 1) / size;
      found.cramer_von_mises += panels.work(3 * q + 2);
    }
    team.team_barrier();
    return found;
  }
};

}  // namespace tessera::stable::detail
