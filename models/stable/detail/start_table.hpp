// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/quantile.hpp"

/// McCulloch's estimator with tables of our own, for 0.1 <= alpha <= 2: from five quantiles of a sample,
///
///   nu_alpha = ln[(q95 - q05)/(q75 - q25)],  nu_beta = (q95 + q05 - 2 q50)/(q95 - q05)
///
/// to (alpha, beta), then sigma from q75 - q25 and mu from q50. The tables hold both, the interquartile range and the median of standard
/// distributions.

namespace tessera::stable::detail {

struct StartNode {
  double spread, skew, range, median;
};

/// Five quantiles: 0.05, 0.25, 0.5, 0.75, 0.95.
struct FiveQuantiles {
  double q[5];
  KOKKOS_INLINE_FUNCTION StartNode node() const {
    return {::log((q[4] - q[0]) / (q[3] - q[1])), (q[4] + q[0] - 2 * q[2]) / (q[4] - q[0]), q[3] - q[1], q[2]};
  }
};

struct Start {
  double alpha, beta, sigma, mu;
};

template <class ExecSpace>
struct StartTable {
  static constexpr int kAlphas = 41, kBetas = 17;
  using Nodes = Kokkos::View<StartNode*, ExecSpace>;
  Nodes nodes;

  /// Somewhat denser towards small alpha, where the spread changes quickly.
  KOKKOS_INLINE_FUNCTION static double alpha(double i) {
    const double s = i / (kAlphas - 1);
    return 0.1 + 1.9 * s * (0.75 + 0.25 * s);
  }
  KOKKOS_INLINE_FUNCTION static double beta(double j) { return j / (kBetas - 1); }

  KOKKOS_INLINE_FUNCTION void operator()(int k) const {
    const StableDistribution distribution(alpha(k / kBetas), beta(k % kBetas));
    const double p[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    FiveQuantiles five;
    for (int i = 0; i < 5; ++i) five.q[i] = quantile(distribution, p[i]);
    nodes(k) = five.node();
  }

  static StartTable build(const ExecSpace& exec) {
    StartTable table{Nodes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::start_table"), kAlphas * kBetas)};
    Kokkos::parallel_for("tessera::stable::start_table", Kokkos::RangePolicy<ExecSpace>(exec, 0, kAlphas * kBetas), table);
    return table;
  }

  KOKKOS_INLINE_FUNCTION StartNode at(double i, double j) const {
    const int i0 = i < kAlphas - 1 ? static_cast<int>(i) : kAlphas - 2, j0 = j < kBetas - 1 ? static_cast<int>(j) : kBetas - 2;
    const double u = i - i0, v = j - j0;
    const StartNode &a = nodes(i0 * kBetas + j0), &b = nodes(i0 * kBetas + j0 + 1), &c = nodes((i0 + 1) * kBetas + j0),
                    &d = nodes((i0 + 1) * kBetas + j0 + 1);
    const double wa = (1 - u) * (1 - v), wb = (1 - u) * v, wc = u * (1 - v), wd = u * v;
    return {wa * a.spread + wb * b.spread + wc * c.spread + wd * d.spread, wa * a.skew + wb * b.skew + wc * c.skew + wd * d.skew,
            wa * a.range + wb * b.range + wc * c.range + wd * d.range, wa * a.median + wb * b.median + wc * c.median + wd * d.median};
  }

  KOKKOS_INLINE_FUNCTION double distance(double i, double j, double spread, double skew) const {
    const StartNode node = at(i, j);
    const double a = node.spread - spread, b = node.skew - skew;
    return a * a + b * b;
  }

  /// The distributions whose quantiles are closest to those of a sample: the nearest node, then a contracting cross search between the
  /// nodes. What is given (not NaN) of alpha and beta is kept.
  KOKKOS_INLINE_FUNCTION Start estimate(const FiveQuantiles& five, double given_alpha, double given_beta) const {
    const StartNode sample = five.node();
    const bool negative = given_beta == given_beta ? given_beta < 0 : sample.skew < 0;
    const double skew = negative ? -sample.skew : sample.skew;
    double fixed_i = -1, fixed_j = -1;
    if (given_alpha == given_alpha) {  // invert alpha(i)
      const double r = (given_alpha - 0.1) / 1.9;
      fixed_i = (-0.75 + ::sqrt(0.5625 + r)) * 2 * (kAlphas - 1);
    }
    if (given_beta == given_beta) fixed_j = ::fabs(given_beta) * (kBetas - 1);
    double i = 0, j = 0, least = INFINITY;
    for (int p = 0; p < kAlphas; ++p) {
      for (int q = 0; q < kBetas; ++q) {
        const double a = fixed_i >= 0 ? fixed_i : p, b = fixed_j >= 0 ? fixed_j : q;
        const double d = distance(a, b, sample.spread, skew);
        if (d < least) {
          least = d;
          i = a;
          j = b;
        }
        if (fixed_j >= 0) break;
      }
      if (fixed_i >= 0) break;
    }
    for (double step = 0.5; step > 1e-4; step *= 0.5) {
      for (int tries = 0; tries < 4; ++tries) {
        double best_i = i, best_j = j;
        for (int side = 0; side < 4; ++side) {
          const double a = i + (side == 0 ? step : (side == 1 ? -step : 0)), b = j + (side == 2 ? step : (side == 3 ? -step : 0));
          if (a < 0 || a > kAlphas - 1 || b < 0 || b > kBetas - 1) continue;
          if ((side < 2 && fixed_i >= 0) || (side >= 2 && fixed_j >= 0)) continue;
          const double d = distance(a, b, sample.spread, skew);
          if (d < least) {
            least = d;
            best_i = a;
            best_j = b;
          }
        }
        if (best_i == i && best_j == j) break;
        i = best_i;
        j = best_j;
      }
    }
    const StartNode node = at(i, j);
    const double sign = negative ? -1 : 1;
    Start start;
    start.alpha = given_alpha == given_alpha ? given_alpha : alpha(i);
    start.beta = given_beta == given_beta ? given_beta : sign * beta(j);
    start.sigma = sample.range / node.range;
    start.mu = sample.median - start.sigma * sign * node.median;
    return start;
  }
};

}  // namespace tessera::stable::detail
