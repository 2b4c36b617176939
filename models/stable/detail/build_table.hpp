// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tessera/stable/detail/ordered_evaluation.hpp"
#include "tessera/stable/detail/table_lookup.hpp"
#include "tessera/stable/quantile.hpp"
#include "tessera/stable/tabulated_function.hpp"

namespace tessera::stable::detail {

inline constexpr double kLowestLog = -1e4;  ///< what is smaller is tabulated as this

KOKKOS_FORCEINLINE_FUNCTION double tabulated_log(double value) { return value > kLowestLog ? value : kLowestLog; }

/// The panels of a table: centre, width and number.
struct PanelGrid {
  StableDistribution distribution;
  double centre, width;
  bool at_zeta;  ///< the centre is zeta
  int bits, panels;

  /// The point at local coordinate t of a row.
  KOKKOS_INLINE_FUNCTION void locate(std::int64_t row, double t, double& x, double& distance) const {
    const bool right = row >= panels;
    const double d = width * (panel_coordinate(static_cast<int>(right ? row - panels : row), bits, t) - 1);
    const double offset = right ? d : -d;
    x = centre + offset;
    distance = at_zeta ? offset : distance_from_zeta(distribution, x);
  }
};

/// Node values of log pdf and log of the outer probability, for evaluate_points.
struct NodePoints {
  PanelGrid grid;
  Interpolation in;
  double *log_pdf, *log_tail;

  KOKKOS_INLINE_FUNCTION StableDistribution distribution(std::int64_t) const { return grid.distribution; }
  KOKKOS_INLINE_FUNCTION void locate(const StableDistribution&, std::int64_t i, double& x, double& distance) const {
    grid.locate(i / kRow, in.node[i % kRow], x, distance);
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, const StableDistribution&, const Evaluation& v) const {
    log_pdf[i] = tabulated_log(v.log_pdf);
    const double tail = i / kRow >= grid.panels ? v.sf : v.cdf;
    log_tail[i] = tail > 0 ? ::log(tail) : kLowestLog;
  }
};

/// Relative differences from the direct evaluator at one point a panel, between the nodes.
struct CheckPoints {
  PanelGrid grid;
  const double* rows;
  double* difference;

  static KOKKOS_INLINE_FUNCTION double local(std::int64_t i) { return i % 2 == 0 ? 0.487 : -0.873; }
  KOKKOS_INLINE_FUNCTION StableDistribution distribution(std::int64_t) const { return grid.distribution; }
  KOKKOS_INLINE_FUNCTION void locate(const StableDistribution&, std::int64_t i, double& x, double& distance) const {
    grid.locate(i, local(i), x, distance);
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, const StableDistribution&, const Evaluation& v) const {
    difference[i] = v.log_pdf > -660 ? ::fabs(polynomial(rows + kRow * i, local(i)) - v.log_pdf) : 0;
  }
};

struct Largest {
  const double* values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& largest) const {
    if (!(values[i] <= largest)) largest = values[i];
  }
};

template <class ExecSpace>
struct BuiltTable {
  using View = Kokkos::View<double*, ExecSpace>;
  StableDistribution distribution;
  double centre = 0, width = 1;
  double left = 0.5, right = 0.5;  ///< probabilities on both sides of the centre
  bool at_zeta = false;
  int bits = 6, panels = 0;
  double error = 0;
  View log_pdf, log_tail;
  double last[2][2] = {};  ///< values in the last panel: [function][side]
  double last_distance = 0;

  PanelGrid grid() const { return {distribution, centre, width, at_zeta, bits, panels}; }

  /// For x in units of sigma about `shift`, which is where the centre comes to lie. Beyond the last panel: the power law of that exponent.
  TabulatedFunction lookup(const View& rows, double sigma, double shift, double exponent) const {
    TabulatedFunction table;
    table.rows = rows.data();
    table.centre = shift;
    table.inverse_width = 1 / (sigma * width);
    table.bits = bits;
    table.panels = panels;
    const double power_centre = distribution.far ? distribution.zeta : centre;
    table.power_centre = shift + sigma * (power_centre - centre);
    const int which = rows.data() == log_pdf.data() ? 0 : 1;
    for (int side = 0; side < 2; ++side) {
      const double offset = (side == 1 ? last_distance : -last_distance) + (centre - power_centre);
      const bool light = last[which][side] < -600;
      table.end_exponent[side] = light ? 0 : exponent;
      table.end_value[side] = light ? kLowestLog : last[which][side] - exponent * std::log(sigma * std::fabs(offset));
    }
    return table;
  }
};

template <class ExecSpace>
void fill_table(const ExecSpace& exec, BuiltTable<ExecSpace>& table, EvaluationScratch<ExecSpace>& scratch) {
  using View = typename BuiltTable<ExecSpace>::View;
  const std::int64_t rows = 2 * table.panels, nodes = rows * kRow;
  table.log_pdf = View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::log_pdf"), nodes);
  table.log_tail = View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::log_tail"), nodes);
  const Interpolation in = make_interpolation();
  evaluate_points<Quantities::sf>(exec, nodes, NodePoints{table.grid(), in, table.log_pdf.data(), table.log_tail.data()}, scratch);
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("tessera::stable::fit_rows", Policy(exec, 0, rows), FitRows{in, table.log_pdf.data()});
  Kokkos::parallel_for("tessera::stable::fit_rows", Policy(exec, 0, rows), FitRows{in, table.log_tail.data()});
  const View difference(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::difference"), rows);
  evaluate_points<Quantities::pdf>(exec, rows, CheckPoints{table.grid(), table.log_pdf.data(), difference.data()}, scratch);
  Kokkos::parallel_reduce("tessera::stable::largest", Policy(exec, 0, rows), Largest{difference.data()}, Kokkos::Max<double>(table.error));
  exec.fence();
}

template <class ExecSpace>
void resize_and_fill(const ExecSpace& exec, double width, int bits, BuiltTable<ExecSpace>& table, EvaluationScratch<ExecSpace>& scratch) {
  table.width = width;
  table.bits = bits;
  table.panels = (static_cast<int>(42 / table.distribution.alpha - std::log2(width)) + 4) << bits;
  fill_table(exec, table, scratch);
}

/// A table about a centre. While its error is too large and it helps: narrower tables about zeta, then two and four times the panels. Small
/// alphas need the former, because their densities have structure far inside a width, most of all at the end of the support of |beta| = 1.
template <class ExecSpace>
BuiltTable<ExecSpace> build_about(const ExecSpace& exec, const StableDistribution& distribution, bool at_zeta, double accuracy,
                                  EvaluationScratch<ExecSpace>& scratch) {
  BuiltTable<ExecSpace> table;
  table.distribution = distribution;
  table.at_zeta = at_zeta;
  table.centre = at_zeta ? distribution.zeta : 0;
  const Evaluation middle =
      at_zeta ? evaluate_at<Quantities::sf>(distribution, table.centre, 0) : evaluate<Quantities::sf>(distribution, table.centre);
  table.left = middle.cdf;
  table.right = middle.sf;
  const double width = at_zeta ? characteristic_width(distribution) : 1;
  resize_and_fill(exec, width, 6, table, scratch);
  BuiltTable<ExecSpace> best = table;
  for (const double narrower : {0.1, 1e-3, 1e-6}) {
    if (best.error <= accuracy || !at_zeta) break;
    resize_and_fill(exec, width * narrower, 6, table, scratch);
    if (table.error < 0.5 * best.error) best = table;
  }
  for (int bits = 7; bits <= 8; ++bits) {
    if (best.error <= accuracy || bits > best.bits + 1) break;
    resize_and_fill(exec, best.width, bits, table, scratch);
    if (table.error < 0.5 * best.error) best = table;
  }
  return best;
}

/// About zeta for alpha < 1, where the density changes within a small distance of it; about 0 when zeta lies outside the bulk of the
/// distribution.
template <class ExecSpace>
BuiltTable<ExecSpace> build_table(const ExecSpace& exec, const StableDistribution& distribution) {
  constexpr double kAccurate = 4e-12;
  const double distance = distribution.alpha < 1 ? std::fabs(distribution.zeta) : INFINITY;
  EvaluationScratch<ExecSpace> scratch;
  BuiltTable<ExecSpace> best = build_about(exec, distribution, distance < 3, kAccurate, scratch);
  if (best.error > kAccurate && distance >= 3 && distance < 20) {
    const BuiltTable<ExecSpace> other = build_about(exec, distribution, true, kAccurate, scratch);
    if (other.error < best.error) best = other;
  }
  best.last_distance = best.width * (panel_coordinate(best.panels - 1, best.bits, 0.0) - 1);
  for (int side = 0; side < 2; ++side) {
    const double x = best.centre + (side == 1 ? best.last_distance : -best.last_distance);
    const Evaluation v = evaluate<Quantities::sf>(distribution, x);
    best.last[0][side] = tabulated_log(v.log_pdf);
    const double tail = side == 1 ? v.sf : v.cdf;
    best.last[1][side] = tail > 0 ? std::log(tail) : kLowestLog;
  }
  return best;
}

/// Distances |x - median| by z = (1/2)/P(beyond x).
template <class ExecSpace>
struct BuiltQuantiles {
  StableDistribution distribution;
  double median;
  int bits, panels;
  bool polish;  ///< whether a step of Newton's method is due, because the density changes quickly somewhere inside
  Kokkos::View<double*, ExecSpace> rows;

  TabulatedFunction lookup() const {
    TabulatedFunction table;
    table.rows = rows.data();
    table.bits = bits;
    table.panels = panels;
    return table;
  }
};

/// Node values: a start from the tabulated probabilities, then Newton's method on the logarithm of the probability.
struct QuantileNodes {
  PanelGrid grid;
  TabulatedFunction log_tail;  ///< of the standard distribution
  Interpolation in;
  double median, log_left, log_right;  ///< of the table's centre
  int bits, panels;
  double* out;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i / kRow;
    const bool upper = row >= panels;
    const double z = panel_coordinate(static_cast<int>(upper ? row - panels : row), bits, in.node[i % kRow]);
    const double wanted = -0.6931471805599453 - ::log(z), w = grid.width;  // ln of the tail probability
    // On which side of the centre: that of the tail, unless the other one holds more than its half.
    const double own = upper ? log_right : log_left;
    const bool crosses = wanted > own;
    const bool right = upper != crosses;
    const double side = right ? 1 : -1;
    const double outer = crosses ? ::log1p(-0.5 / z) : wanted;                       // ln of the probability beyond x on that side
    double low = 0, high = 0.6931471805599453 * (log_tail.panels >> log_tail.bits);  // ln(1 + d/w)
    for (int k = 0; k < 44; ++k) {
      const double middle = 0.5 * (low + high), value = log_tail(grid.centre + side * w * (::exp(middle) - 1));
      (value > outer ? low : high) = middle;
    }
    double d = w * ::expm1(0.5 * (low + high));
    for (int k = 0; k < 3; ++k) {
      const double x = grid.centre + side * d;
      const Evaluation v =
          evaluate_at<Quantities::sf>(grid.distribution, x, grid.at_zeta ? side * d : distance_from_zeta(grid.distribution, x));
      const double tail = right ? v.sf : v.cdf;
      const double step = (::log(tail) - outer) * tail / v.pdf;
      if (!(::fabs(step) < 1e300)) break;
      const double relative = step / d;
      d = d > 0.5 * w ? d * ::exp(relative > 3 ? 3 : (relative < -3 ? -3 : relative)) : d + step;
      if (d < 0) d = 0;
    }
    const double x = grid.centre + side * d;
    out[i] = upper ? x - median : median - x;
  }
};

template <class ExecSpace>
BuiltQuantiles<ExecSpace> build_quantiles(const ExecSpace& exec, const BuiltTable<ExecSpace>& table) {
  BuiltQuantiles<ExecSpace> q;
  q.distribution = table.distribution;
  q.median = quantile(table.distribution, 0.5);
  q.polish = table.distribution.alpha < 1;
  q.bits = 6;
  q.panels = 41 << q.bits;
  const std::int64_t nodes = 2 * q.panels * kRow;
  q.rows = Kokkos::View<double*, ExecSpace>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::quantiles"), nodes);
  const Interpolation in = make_interpolation();
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("tessera::stable::quantile_nodes", Policy(exec, 0, nodes),
                       QuantileNodes{table.grid(), table.lookup(table.log_tail, 1, table.centre, -table.distribution.alpha), in, q.median,
                                     std::log(table.left), std::log(table.right), q.bits, q.panels, q.rows.data()});
  Kokkos::parallel_for("tessera::stable::fit_rows", Policy(exec, 0, 2 * q.panels), FitRows{in, q.rows.data()});
  exec.fence();
  return q;
}

}  // namespace tessera::stable::detail
