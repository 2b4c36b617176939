// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/fit_types.hpp"
#include "tessera/stable/law/quantile_function.hpp"

/// McCulloch's estimator with tables that are computed here, for 0.1 <= alpha <= 2. It leads from
/// five quantiles of a sample,
///
///   nu_alpha = ln[(q95 - q05)/(q75 - q25)],  nu_beta = (q95 + q05 - 2 q50)/(q95 - q05)
///
/// to (alpha, beta), then sigma from q75 - q25 and mu from q50. The tables hold both, the
/// interquartile range and the median of standard distributions.

namespace tessera::stable::detail {

struct StartNode {
  double spread, skew, range, median;
};

/// Five quantiles: 0.05, 0.25, 0.5, 0.75, 0.95.
struct FiveQuantiles {
  double q[5];
  KOKKOS_INLINE_FUNCTION StartNode node() const {
    return {::log((q[4] - q[0]) / (q[3] - q[1])), (q[4] + q[0] - 2 * q[2]) / (q[4] - q[0]),
            q[3] - q[1], q[2]};
  }
};

template <class ExecSpace>
struct StartTable {
  static constexpr int kAlphas = 41, kBetas = 17;
  using Nodes = Kokkos::View<StartNode*, ExecSpace>;
  Nodes nodes;

  /// Returns alpha of node i. Nodes are somewhat denser towards small alpha, where the spread
  /// changes quickly.
  KOKKOS_INLINE_FUNCTION static double alpha(double i) {
    const double s = i / (kAlphas - 1);
    return 0.1 + 1.9 * s * (0.75 + 0.25 * s);
  }
  KOKKOS_INLINE_FUNCTION static double beta(double j) { return j / (kBetas - 1); }
  /// Returns the i of an alpha.
  KOKKOS_INLINE_FUNCTION static double invert_alpha(double alpha) {
    const double r = (alpha - 0.1) / 1.9;
    return (-0.75 + ::sqrt(0.5625 + r)) * 2 * (kAlphas - 1);
  }

  KOKKOS_INLINE_FUNCTION void operator()(int k) const {
    const StableDistribution distribution(alpha(k / kBetas), beta(k % kBetas));
    const double p[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    FiveQuantiles five;
    for (int i = 0; i < 5; ++i) five.q[i] = quantile(distribution, p[i]);
    nodes(k) = five.node();
  }

  static StartTable build(const ExecSpace& exec) {
    StartTable table{
        Nodes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::start_table"),
              kAlphas * kBetas)};
    Kokkos::parallel_for("tessera::stable::start_table",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, kAlphas * kBetas), table);
    return table;
  }

  KOKKOS_INLINE_FUNCTION StartNode at(double i, double j) const {
    const int i0 = i < kAlphas - 1 ? static_cast<int>(i) : kAlphas - 2,
              j0 = j < kBetas - 1 ? static_cast<int>(j) : kBetas - 2;
    const double u = i - i0, v = j - j0;
    const StartNode &a = nodes(i0 * kBetas + j0), &b = nodes(i0 * kBetas + j0 + 1),
                    &c = nodes((i0 + 1) * kBetas + j0), &d = nodes((i0 + 1) * kBetas + j0 + 1);
    const double wa = (1 - u) * (1 - v), wb = (1 - u) * v, wc = u * (1 - v), wd = u * v;
    return {wa * a.spread + wb * b.spread + wc * c.spread + wd * d.spread,
            wa * a.skew + wb * b.skew + wc * c.skew + wd * d.skew,
            wa * a.range + wb * b.range + wc * c.range + wd * d.range,
            wa * a.median + wb * b.median + wc * c.median + wd * d.median};
  }

  KOKKOS_INLINE_FUNCTION double distance(double i, double j, double spread, double skew) const {
    const StartNode node = at(i, j);
    const double a = node.spread - spread, b = node.skew - skew;
    return a * a + b * b;
  }

  /// The scale and location with which a distribution has the median and the interquartile range of
  /// a sample.
  KOKKOS_INLINE_FUNCTION FourParameters match_quartiles(const FiveQuantiles& five, double alpha,
                                                        double beta) const {
    const StartNode sample = five.node(),
                    node = at(invert_alpha(alpha), ::fabs(beta) * (kBetas - 1));
    const double sigma = sample.range / node.range;
    return {alpha, beta, sigma, sample.median - sigma * (beta < 0 ? -node.median : node.median)};
  }

  /// The distribution whose quantiles are closest to those of a sample: the nearest node, then a
  /// contracting cross search between the nodes. An alpha or beta that the task fixes is kept.
  KOKKOS_INLINE_FUNCTION FourParameters estimate(const FiveQuantiles& five,
                                                 const FitTask& task) const {
    const bool alpha_fixed = task.is_fixed(0), beta_fixed = task.is_fixed(1);
    const double fixed_alpha = task.fixed_value[0], fixed_beta = task.fixed_value[1];
    const StartNode sample = five.node();
    const bool negative = beta_fixed ? fixed_beta < 0 : sample.skew < 0;
    const double skew = negative ? -sample.skew : sample.skew;
    double fixed_i = 0, fixed_j = 0;
    if (alpha_fixed) fixed_i = invert_alpha(fixed_alpha);
    if (beta_fixed) fixed_j = ::fabs(fixed_beta) * (kBetas - 1);
    double i = 0, j = 0, least = INFINITY;
    for (int p = 0; p < kAlphas; ++p) {
      for (int q = 0; q < kBetas; ++q) {
        const double a = alpha_fixed ? fixed_i : p, b = beta_fixed ? fixed_j : q;
        const double d = distance(a, b, sample.spread, skew);
        if (d < least) {
          least = d;
          i = a;
          j = b;
        }
        if (beta_fixed) break;
      }
      if (alpha_fixed) break;
    }
    for (double step = 0.5; step > 1e-4; step *= 0.5) {
      for (int tries = 0; tries < 4; ++tries) {
        double best_i = i, best_j = j;
        for (int side = 0; side < 4; ++side) {
          const double a = i + (side == 0 ? step : (side == 1 ? -step : 0)),
                       b = j + (side == 2 ? step : (side == 3 ? -step : 0));
          if (a < 0 || a > kAlphas - 1 || b < 0 || b > kBetas - 1) continue;
          if ((side < 2 && alpha_fixed) || (side >= 2 && beta_fixed)) continue;
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
    FourParameters start;
    start.alpha = alpha_fixed ? fixed_alpha : alpha(i);
    start.beta = beta_fixed ? fixed_beta : sign * beta(j);
    start.sigma = sample.range / node.range;
    start.mu = sample.median - start.sigma * sign * node.median;
    return start;
  }
};

}  // namespace tessera::stable::detail
