// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tessera/stable/law/ordered_evaluation.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/law/table_kernels.hpp"
#include "tessera/stable/law/table_lookup.hpp"
#include "tessera/stable/law/tabulated_function.hpp"

namespace tessera::stable::detail {

inline constexpr double kTableAccuracy = 4e-12;  ///< of every quantity, relative
/// ln of a probability so small that hardly a point lies beyond: panels there that do not hold the
/// functions are left out of a table.
inline constexpr double kRareLog = -30;
/// The least unit of a table; its inverse is above the scales and locations that a table holds
inline constexpr double kLeastUnit = 1e-290;

/// The panels of a table: centre, width and number.
struct PanelGrid {
  StableDistribution distribution;
  double centre, width;
  bool at_zeta;  ///< the centre is zeta
  int bits, panels;
  int inner[2];  ///< see TabulatedFunction

  /// Returns whether a row holds the probability of P(X <= x).
  KOKKOS_INLINE_FUNCTION bool is_lower(std::int64_t row) const {
    return row >= panels ? row - panels < inner[1] : row >= inner[0];
  }

  /// The point at local coordinate t of a row.
  KOKKOS_INLINE_FUNCTION void locate(std::int64_t row, double t, double& x,
                                     double& distance) const {
    const bool right = row >= panels;
    const double d =
        width * (panel_coordinate(static_cast<int>(right ? row - panels : row), bits, t) - 1);
    const double offset = right ? d : -d;
    x = centre + offset;
    distance = at_zeta ? offset : distance_from_zeta(distribution, x);
  }
};

/// Node values of log pdf and the log of the smaller tail probability, for evaluate_points.
struct NodePoints {
  PanelGrid grid;
  Interpolation in;
  double *log_pdf, *log_tail;

  KOKKOS_INLINE_FUNCTION StableDistribution distribution(std::int64_t) const {
    return grid.distribution;
  }
  KOKKOS_INLINE_FUNCTION void locate(const StableDistribution&, std::int64_t i, double& x,
                                     double& distance) const {
    grid.locate(i / kRow, in.node[i % kRow], x, distance);
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, const StableDistribution&,
                                    const Evaluation& v) const {
    log_pdf[i] = v.log_pdf;
    log_tail[i] = grid.is_lower(i / kRow) ? v.log_cdf() : v.log_sf();
  }
};

/// Relative differences of the density and of the smaller tail from the direct evaluator at one
/// point a panel, between the nodes. Panels far out in a tail that are not good become NaN.
struct CheckPoints {
  PanelGrid grid;
  double *log_pdf, *log_tail;
  double* difference;  ///< minus 1 for those

  static KOKKOS_INLINE_FUNCTION double local(std::int64_t i) { return i % 2 == 0 ? 0.487 : -0.873; }
  KOKKOS_INLINE_FUNCTION StableDistribution distribution(std::int64_t) const {
    return grid.distribution;
  }
  KOKKOS_INLINE_FUNCTION void locate(const StableDistribution&, std::int64_t i, double& x,
                                     double& distance) const {
    grid.locate(i, local(i), x, distance);
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, const StableDistribution&,
                                    const Evaluation& v) const {
    const double tail = grid.is_lower(i) ? v.log_cdf() : v.log_sf();
    const double of_pdf = ::fabs(polynomial(log_pdf + kRow * i, local(i)) - v.log_pdf);
    const double of_tail = ::fabs(polynomial(log_tail + kRow * i, local(i)) - tail);
    const bool good = of_pdf <= kTableAccuracy && of_tail <= kTableAccuracy;
    difference[i] = of_pdf >= 0 && of_tail >= 0 ? (of_pdf > of_tail ? of_pdf : of_tail) : INFINITY;
    if (good || tail > kRareLog) return;
    difference[i] = -1;
    for (int k = 0; k < kRow; ++k) log_pdf[kRow * i + k] = log_tail[kRow * i + k] = NAN;
  }
};

struct Largest {
  const double* values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& largest) const {
    if (!(values[i] <= largest)) largest = values[i];
  }
};

struct CountLeftOut {
  const double* values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    count += values[i] < 0 ? 1 : 0;
  }
};

template <class ExecSpace>
struct BuiltTable {
  using View = Kokkos::View<double*, ExecSpace>;
  StableDistribution distribution;
  double centre = 0, width = 1;
  double left = 0.5, right = 0.5;  ///< probabilities on both sides of the centre
  bool at_zeta = false;
  int bits = 6, panels = 0, inner[2] = {0, 0};
  double median = 0, error = 0;
  bool complete = false;  ///< no panel is left out, and the power laws hold beyond the last ones
  View log_pdf, log_tail;
  double last[2][2] = {};  ///< values in the last panel: [function][side]
  double last_distance = 0;

  PanelGrid grid() const {
    return {distribution, centre, width, at_zeta, bits, panels, {inner[0], inner[1]}};
  }

  /// Finds the inner panels: on the side of the centre where the median lies, the panels up to the
  /// median hold the probability between them and the end of that side.
  void find_inner_panels() {
    double t;
    const auto panel = find_panel(1 + std::fabs(median - centre) / width, bits, t);
    inner[0] = inner[1] = 0;
    inner[median > centre ? 1 : 0] = static_cast<int>(std::min<std::int64_t>(panel, panels));
  }

  /// Returns whether distances from the centre stay in the range of doubles as long as x does.
  bool holds(double sigma, double shift) const {
    return sigma * width > kLeastUnit && sigma < 1 / kLeastUnit &&
           std::fabs(shift) < 1 / kLeastUnit;
  }

  /// Returns a function of x in units of sigma about `shift`, which is where the centre comes to
  /// lie. Beyond the last panel it is the power law of that exponent. It is NaN everywhere where
  /// the table does not hold that scale and location.
  TabulatedFunction lookup(const View& rows, double sigma, double shift, double exponent) const {
    TabulatedFunction table;
    table.rows = rows.data();
    table.centre = shift;
    table.inverse_width = holds(sigma, shift) ? 1 / (sigma * width) : NAN;
    table.bits = bits;
    table.panels = panels;
    table.inner[0] = inner[0];
    table.inner[1] = inner[1];
    const double power_centre = distribution.far ? distribution.zeta : centre;
    table.power_centre = shift + sigma * (power_centre - centre);
    const int which = rows.data() == log_pdf.data() ? 0 : 1;
    for (int side = 0; side < 2; ++side) {
      const double offset = (side == 1 ? last_distance : -last_distance) + (centre - power_centre);
      table.end_exponent[side] = exponent;
      table.end_value[side] =
          holds(sigma, shift)
              ? last[which][side] - exponent * (std::log(sigma) + std::log(std::fabs(offset)))
              : NAN;
    }
    return table;
  }
};

template <class ExecSpace>
void fill_table(const ExecSpace& exec, BuiltTable<ExecSpace>& table,
                EvaluationScratch<ExecSpace>& scratch) {
  using View = typename BuiltTable<ExecSpace>::View;
  const std::int64_t rows = 2 * table.panels, nodes = rows * kRow;
  table.log_pdf = View(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::log_pdf"), nodes);
  table.log_tail = View(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::log_tail"), nodes);
  const Interpolation in = make_interpolation();
  evaluate_points<Quantities::sf>(
      exec, nodes, NodePoints{table.grid(), in, table.log_pdf.data(), table.log_tail.data()},
      scratch);
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("tessera::stable::fit_rows", Policy(exec, 0, rows),
                       FitRows{in, table.log_pdf.data()});
  Kokkos::parallel_for("tessera::stable::fit_rows", Policy(exec, 0, rows),
                       FitRows{in, table.log_tail.data()});
  const View difference(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::difference"), rows);
  evaluate_points<Quantities::sf>(
      exec, rows,
      CheckPoints{table.grid(), table.log_pdf.data(), table.log_tail.data(), difference.data()},
      scratch);
  Kokkos::parallel_reduce("tessera::stable::largest", Policy(exec, 0, rows),
                          Largest{difference.data()}, Kokkos::Max<double>(table.error));
  std::int64_t left_out = 0;
  Kokkos::parallel_reduce("tessera::stable::count_left_out", Policy(exec, 0, rows),
                          CountLeftOut{difference.data()}, left_out);
  exec.fence();
  table.complete = left_out == 0;
}

template <class ExecSpace>
void resize_and_fill(const ExecSpace& exec, double width, int bits, BuiltTable<ExecSpace>& table,
                     EvaluationScratch<ExecSpace>& scratch) {
  table.width = width;
  table.bits = bits;
  table.panels = (static_cast<int>(42 / table.distribution.alpha - std::log2(width)) + 4) << bits;
  table.find_inner_panels();
  fill_table(exec, table, scratch);
}

/// A table about a centre. While its error is too large and it helps: narrower tables about zeta,
/// then two and four times the panels. Small alphas need the former, because their densities have
/// structure far inside a width, most of all at the end of the support of |beta| = 1.
template <class ExecSpace>
BuiltTable<ExecSpace> build_about(const ExecSpace& exec, const StableDistribution& distribution,
                                  bool at_zeta, double median,
                                  EvaluationScratch<ExecSpace>& scratch) {
  BuiltTable<ExecSpace> table;
  table.distribution = distribution;
  table.median = median;
  table.at_zeta = at_zeta;
  table.centre = at_zeta ? distribution.zeta : 0;
  const Evaluation middle = at_zeta ? evaluate_at<Quantities::sf>(distribution, table.centre, 0)
                                    : evaluate<Quantities::sf>(distribution, table.centre);
  table.left = middle.cdf;
  table.right = middle.sf;
  const double width = at_zeta ? characteristic_width(distribution) : 1;
  resize_and_fill(exec, width, 6, table, scratch);
  BuiltTable<ExecSpace> best = table;
  for (const double narrower : {0.1, 1e-3, 1e-6}) {
    if (best.error <= kTableAccuracy || !at_zeta) break;
    resize_and_fill(exec, width * narrower, 6, table, scratch);
    if (table.error < 0.5 * best.error) best = table;
  }
  for (int bits = 7; bits <= 8; ++bits) {
    if (best.error <= kTableAccuracy || bits > best.bits + 1) break;
    resize_and_fill(exec, best.width, bits, table, scratch);
    if (table.error < 0.5 * best.error) best = table;
  }
  return best;
}

/// Leaves out panels in which the functions change by more than `accuracy` within the rounding of a
/// distance from the centre.
struct LeaveOutSteep {
  PanelGrid grid;
  double rounding, accuracy;
  double *log_pdf, *log_tail;

  KOKKOS_INLINE_FUNCTION static double steepness(const double* row) {
    double sum = 0;
    for (int k = 1; k < kRow; ++k) sum += k * ::fabs(row[k]);
    return sum;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    double *const f = log_pdf + kRow * row, *const g = log_tail + kRow * row;
    if (f[0] != f[0]) return;
    const int panel = static_cast<int>(row >= grid.panels ? row - grid.panels : row);
    const double half =
        0.5 * grid.width *
        (panel_coordinate(panel, grid.bits, 1.0) - panel_coordinate(panel, grid.bits, -1.0));
    if ((steepness(f) + steepness(g)) * rounding <= accuracy * half) return;
    ++count;
    for (int k = 0; k < kRow; ++k) f[k] = g[k] = NAN;
  }
};

/// Leaves out panels that are too steep. `rounding`: the rounding of distances from the centre, in
/// the standard distribution.
template <class ExecSpace>
void leave_out_steep(const ExecSpace& exec, double rounding, BuiltTable<ExecSpace>& table) {
  // This is the accuracy of the direct evaluation, which keeps the digits of these distances.
  constexpr double kAccuracy = 2e-11;
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      "tessera::stable::leave_out_steep",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, 2 * table.panels),
      LeaveOutSteep{table.grid(), rounding, kAccuracy, table.log_pdf.data(), table.log_tail.data()},
      count);
  exec.fence();
  table.complete = table.complete && count == 0;
}

/// Finds the end of the last panel of a side, and whether the functions follow their power laws
/// from there on; where they do not, they are NaN there.
template <class ExecSpace>
void find_end(BuiltTable<ExecSpace>& table, int side) {
  const double sign = side == 1 ? 1 : -1, alpha = table.distribution.alpha;
  const double power_centre = table.distribution.far ? table.distribution.zeta : table.centre;
  const auto at = [&](double distance, double* values) {
    const double x = table.centre + sign * distance;
    const Evaluation v = evaluate<Quantities::sf>(table.distribution, x);
    values[0] = v.log_pdf;
    values[1] = side == 1 ? v.log_sf() : v.log_cdf();
    return std::log(std::fabs(x - power_centre));
  };
  double last[2], beyond[2], far_out[2];
  const double log_last = at(table.last_distance, last),
               log_beyond = at(16 * table.last_distance, beyond);
  const double log_far = at(1e60 * table.last_distance, far_out);
  bool follows = true;
  for (int which = 0; which < 2; ++which) {
    const double exponent = -(alpha + (which == 0 ? 1 : 0));
    const double error =
        std::max(std::fabs(last[which] + exponent * (log_beyond - log_last) - beyond[which]),
                 std::fabs(last[which] + exponent * (log_far - log_last) - far_out[which]));
    follows = follows && error <= 1e-11;  // rounding of logarithms of some hundreds included
  }
  for (int which = 0; which < 2; ++which) table.last[which][side] = follows ? last[which] : NAN;
  table.complete = table.complete && follows;
}

/// Builds a table about zeta for alpha < 1, where the density changes within a small distance of
/// it; about 0 when zeta lies outside the bulk of the distribution.
template <class ExecSpace>
BuiltTable<ExecSpace> build_table(const ExecSpace& exec, const StableDistribution& distribution) {
  const double distance = distribution.alpha < 1 ? std::fabs(distribution.zeta) : INFINITY,
               median = quantile(distribution, 0.5);
  EvaluationScratch<ExecSpace> scratch;
  BuiltTable<ExecSpace> best = build_about(exec, distribution, distance < 3, median, scratch);
  if (best.error > kTableAccuracy && distance >= 3 && distance < 20) {
    const BuiltTable<ExecSpace> other = build_about(exec, distribution, true, median, scratch);
    if (other.error < best.error) best = other;
  }
  best.last_distance = best.width * (panel_coordinate(best.panels - 1, best.bits, 0.0) - 1);
  for (int side = 0; side < 2; ++side) find_end(best, side);
  return best;
}

/// Distances |x - median| by z, the odds that x is not exceeded, seen from the median.
template <class ExecSpace>
struct BuiltQuantiles {
  StableDistribution distribution;
  double median, centre;  ///< the centre is that of the table
  int bits, panels;
  /// The table needs a step of Newton's method in itself, because the density changes quickly
  /// somewhere inside
  bool polish;
  bool complete;  ///< no panel asks for steps with the direct evaluation
  Kokkos::View<double*, ExecSpace> rows;
  Kokkos::View<bool*, ExecSpace> is_rough;  ///< panels that ask for them

  TabulatedFunction lookup() const {
    TabulatedFunction table;
    table.rows = rows.data();
    table.bits = bits;
    table.panels = panels;
    return table;
  }
};

/// The equation ln P(beyond x) = wanted for the distance of x from the centre of a table.
struct TailEquation {
  const PanelGrid& grid;
  bool upper;
  double wanted;

  /// Returns a step of Newton's method from this distance.
  KOKKOS_INLINE_FUNCTION double step(double d) const {
    const double x = grid.centre + d;
    const Evaluation v = evaluate_at<Quantities::sf>(
        grid.distribution, x, grid.at_zeta ? d : distance_from_zeta(grid.distribution, x));
    // The probability that is asked for keeps its digits where it is small.
    const double tail = upper ? v.sf : v.cdf;
    return (upper ? 1 : -1) * (::log(tail) - wanted) * tail / v.pdf;
  }
};

/// Node values: a start from the tabulated probabilities, then Newton's method on the logarithm of
/// the probability.
struct QuantileNodes {
  PanelGrid grid;
  TabulatedFunction log_tail;  ///< of the standard distribution
  Interpolation in;
  double median, log_left, log_right;  ///< of the table's centre
  int bits, panels;
  double* out;

  /// ln of the probability beyond x as seen from the centre, from the table; panels that are left
  /// out are far out, or next to the centre where nearly all of the probability lies beyond.
  KOKKOS_INLINE_FUNCTION double log_outer(double x, bool right) const {
    bool lower;
    const double value = log_tail.at(x, lower);
    const bool inner = lower == right;
    if (value != value) return inner ? 0 : -INFINITY;
    return inner ? ::log1p(-math::exponential(value)) : value;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i / kRow;
    const bool upper = row >= panels;
    const double z =
        panel_coordinate(static_cast<int>(upper ? row - panels : row), bits, in.node[i % kRow]);
    const double wanted = -::log1p(z), w = grid.width;  // ln of the tail probability
    // The quantile lies on the side of its tail, unless the other side holds more than its half.
    const double own = upper ? log_right : log_left;
    const bool crosses = wanted > own;
    const bool right = upper != crosses;
    const double side = right ? 1 : -1;
    // ln of the probability beyond x on that side
    const double outer = crosses ? -::log1p(1 / z) : wanted;
    double low = 0, high = 0.6931471805599453 * (log_tail.panels >> log_tail.bits);  // ln(1 + d/w)
    for (int k = 0; k < 44; ++k) {
      const double middle = 0.5 * (low + high);
      (log_outer(grid.centre + side * w * (::exp(middle) - 1), right) > outer ? low : high) =
          middle;
    }
    const TailEquation equation{grid, upper, wanted};
    double d = w * ::expm1(0.5 * (low + high));
    for (int k = 0; k < 3; ++k) {
      const double step = side * equation.step(side * d);
      if (!(::fabs(step) < 1e300)) break;
      const double relative = step / d;
      d = d > 0.5 * w ? d * ::exp(relative > 3 ? 3 : (relative < -3 ? -3 : relative)) : d + step;
      if (d < 0) d = 0;
    }
    const double x = grid.centre + side * d;
    out[i] = upper ? x - median : median - x;
  }
};

/// The comparison of a table of quantiles with the direct evaluation, at two points a panel.
struct CheckQuantiles {
  PanelGrid grid;
  ByProbability by;
  bool polish;
  PolishedDistance polished;
  /// The centre from which the accuracy of quantiles is measured, seen from the table's centre, and
  /// its width
  double to_centre, width;
  bool* is_rough;

  /// The error that quantiles may have, in the standard distribution: a third of what table.hpp
  /// promises, for it is greater elsewhere.
  KOKKOS_INLINE_FUNCTION double tolerance(double d) const {
    const double of_width = 7e-13 * (::fabs(d - to_centre) + width),
                 of_size = 3e-12 * (::fabs(grid.centre + d) + 1e-3);
    return of_width < of_size ? of_width : of_size;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    const TabulatedFunction& table = by.table;
    const int panel = static_cast<int>(row >= table.panels ? row - table.panels : row);
    bool rough = false;
    for (int k = 0; k < 2; ++k) {
      const double local = k == 0 ? 0.487 : -0.873;
      const double tail = 1 / (1 + panel_coordinate(panel, table.bits, local)),
                   p = row >= table.panels ? 1 - tail : tail;
      double t = 0;
      bool upper;
      const std::int64_t at = by.row(p, t, upper);  // 1 - p is rounded, as it is of every p
      if (!(at < table.panels)) continue;
      const double value = polynomial(table.rows + kRow * (at + (upper ? table.panels : 0)), t);
      const double d = polish ? polished.polish(p, value) : polished.from_centre(p, value, false);
      const double step = TailEquation{grid, upper, ::log(upper ? 1 - p : p)}.step(d);
      rough = rough || !(::fabs(step) <= tolerance(d));
    }
    is_rough[row] = rough;
    count += rough ? 1 : 0;
  }
};

/// Quantiles in rough panels, from their tabulated values by Newton's method with the direct
/// evaluation.
struct RefineQuantiles {
  PanelGrid grid;
  ByProbability by;
  Distance from_centre;  ///< of the standard distribution
  double centre, scale;
  const bool* is_rough;
  const double* p;
  double* x;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    double t = 0;
    bool upper;
    const std::int64_t panel = by.row(p[i], t, upper);
    if (!(panel < by.table.panels)) return;
    const std::int64_t row = panel + (upper ? by.table.panels : 0);
    if (!is_rough[row]) return;
    const double tail = upper ? 1 - p[i] : p[i];
    const TailEquation equation{grid, upper, ::log(tail)};
    double d = from_centre(p[i], polynomial(by.table.rows + kRow * row, t), false), step = INFINITY;
    for (int k = 0; k < 4 && ::fabs(step) > 1e-13 * (::fabs(d) + grid.width); ++k) {
      step = equation.step(d);
      if (!(::fabs(step) < 0.5 * (::fabs(d) + grid.width))) break;
      d += step;
    }
    if (!(::fabs(step) < 1e-3 * (::fabs(d) + grid.width)))
      d = solve_quantile(grid.distribution, tail, upper) - grid.centre;
    x[i] = centre + scale * d;
  }
};

/// Quantiles by a step in the table, where the table's centre comes to lie at `centre`.
template <class ExecSpace>
PolishedDistance polished_distance(const BuiltTable<ExecSpace>& table, double centre,
                                   double scale) {
  const double alpha = table.distribution.alpha;
  return {{table.median - table.centre, 1},
          table.lookup(table.log_pdf, 1, 0, -(alpha + 1)),
          table.lookup(table.log_tail, 1, 0, -alpha),
          centre,
          scale};
}

template <class ExecSpace>
BuiltQuantiles<ExecSpace> build_quantiles(const ExecSpace& exec,
                                          const BuiltTable<ExecSpace>& table) {
  BuiltQuantiles<ExecSpace> q;
  q.distribution = table.distribution;
  q.median = table.median;
  q.centre = table.centre;
  q.polish = table.distribution.alpha < 1;
  q.bits = 6;
  q.panels = 41 << q.bits;
  const std::int64_t rows = 2 * q.panels, nodes = rows * kRow;
  q.rows = Kokkos::View<double*, ExecSpace>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::quantiles"), nodes);
  q.is_rough = Kokkos::View<bool*, ExecSpace>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::stable::is_rough"), rows);
  const Interpolation in = make_interpolation();
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "tessera::stable::quantile_nodes", Policy(exec, 0, nodes),
      QuantileNodes{table.grid(),
                    table.lookup(table.log_tail, 1, table.centre, -table.distribution.alpha), in,
                    q.median, std::log(table.left), std::log(table.right), q.bits, q.panels,
                    q.rows.data()});
  Kokkos::parallel_for("tessera::stable::fit_rows", Policy(exec, 0, rows),
                       FitRows{in, q.rows.data()});
  const double to_centre = quantile_centre(table.distribution) - table.centre,
               width = characteristic_width(table.distribution);
  std::int64_t rough = 0;
  Kokkos::parallel_reduce("tessera::stable::check_quantiles", Policy(exec, 0, rows),
                          CheckQuantiles{table.grid(),
                                         {q.lookup()},
                                         q.polish,
                                         polished_distance(table, 0, 1),
                                         to_centre,
                                         width,
                                         q.is_rough.data()},
                          rough);
  exec.fence();
  q.complete = rough == 0;
  return q;
}

}  // namespace tessera::stable::detail
