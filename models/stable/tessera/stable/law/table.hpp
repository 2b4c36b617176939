// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/law/build_table.hpp"
#include "tessera/stable/law/table_gaps.hpp"
#include "tessera/stable/law/table_kernels.hpp"
#include "tessera/stable/law/tabulated_function.hpp"

/// Tables of one stable distribution, for thousands of points or probabilities.
///
/// Table holds log pdf and the logarithm of the smaller tail probability (P(X <= x) left of the
/// median, P(X > x) right of it) as piecewise polynomials of degree 5 in z = 1 + |x - c|/w, with c
/// = zeta for alpha < 1, else 0. It is built on the device (about a millisecond on a GPU, 30 to 50
/// ms on one CPU core) and compared there with the direct evaluation between its nodes, in both
/// functions; error() is the largest relative difference found. Panels that do not hold the
/// functions to 4e-12 and beyond which a probability of less than e^-30 lies (light tails, the end
/// of a support) are left out of the table, and so are those next to zeta that are too steep for
/// the rounding of x - c: points there are evaluated directly, by a kernel that follows the lookup.
/// QuantileTable holds |x - median| by the odds of the larger of p and 1 - p; where it is not exact
/// between its nodes, Newton's method with the direct evaluation follows.
///
/// Domain: 0.1 <= alpha <= 2, -1 <= beta <= 1, any scale and location in S0, S1 or S2; every x.
/// Beyond its last panel a table follows the power law where there is one. With scales and
/// locations at the ends of the numbers (about 1e-280, 1e290) every point is evaluated directly.
/// Quantiles: 1e-12 <= p <= 1 - 1e-12, NaN outside.
///
/// Accuracy: relative error of the density and of the smaller tail probability, and error of their
/// logarithms: the larger of 4e-12 and error(), or that of evaluate.hpp where points are evaluated
/// directly. Quantiles: 2e-12 of |x - c| + w and 1e-11 of |x| + 0.001 in the standard distribution,
/// the smaller of the two, with c and w of quantile_function.hpp, for alpha >= kLeastQuantileAlpha;
/// below, P(X <= x) may be off by 4e-4 of p for some x next to zeta, where `quantile` serves. As 1
/// - p has few digits when p is close to 1, so has that quantile: take it from the mirrored
/// distribution.
///
/// Errors: Error (input) for parameters out of range and results whose size is not that of x. x and
/// the result must not overlap. Calls are asynchronous on `exec` and allocate nothing.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const stable::Table<ExecSpace> table(exec, 1.5, 0.5);
///     table.log_pdf(exec, x, log_pdf);
///     table.cdf(exec, x, p);
///     const stable::QuantileTable<ExecSpace> quantiles(exec, table);
///     quantiles(exec, p, quantile);
namespace tessera::stable {

/// Density and tail probabilities from a table of one distribution. x and results have the same
/// size.
template <class ExecSpace>
class Table {
 public:
  using Input = Kokkos::View<const double*, ExecSpace>;
  using Output = Kokkos::View<double*, ExecSpace>;

  /// Throws Error (input) for parameters out of range.
  Table(const ExecSpace& exec, double alpha, double beta, const LocationScale& where = {})
      : m_built((require_parameters(alpha, beta, where.sigma),
                 detail::build_table(exec, StableDistribution(alpha, beta)))),
        m_where(resolve_mode(m_built.distribution, where)) {
    const double sigma = m_where.sigma,
                 shift = m_where.from_standard(m_built.distribution, m_built.centre);
    // x - mu is the distance from zeta
    const bool exact = m_where.parameterization == Parameterization::S1;
    if (m_built.at_zeta && !exact) {
      detail::leave_out_steep(
          exec, 1.2e-16 * (2 * std::fabs(m_built.centre) + std::fabs(shift) / sigma), m_built);
    }
    m_built.complete = m_built.complete && m_built.holds(sigma, shift);
    m_log_pdf = m_built.lookup(m_built.log_pdf, sigma, shift, -(m_built.distribution.alpha + 1));
    m_log_tail = m_built.lookup(m_built.log_tail, sigma, shift, -m_built.distribution.alpha);
  }

  void log_pdf(const ExecSpace& exec, const Input& x, const Output& out) const {
    require_same(x, out);
    detail::look_up(exec, "tessera::stable::table::log_pdf", detail::ByX{m_log_pdf},
                    detail::LogDensity{-std::log(m_where.sigma)}, x, out);
    fill_gaps(exec, x, out, &EvaluationViews<ExecSpace>::log_pdf);
  }
  void pdf(const ExecSpace& exec, const Input& x, const Output& out) const {
    require_same(x, out);
    detail::look_up(exec, "tessera::stable::table::pdf", detail::ByX{m_log_pdf},
                    detail::Density{-std::log(m_where.sigma)}, x, out);
    fill_gaps(exec, x, out, &EvaluationViews<ExecSpace>::pdf);
  }
  void cdf(const ExecSpace& exec, const Input& x, const Output& out) const {
    require_same(x, out);
    detail::look_up(exec, "tessera::stable::table::cdf", detail::ByX{m_log_tail},
                    detail::Probability{false}, x, out);
    fill_gaps(exec, x, out, &EvaluationViews<ExecSpace>::cdf);
  }
  void sf(const ExecSpace& exec, const Input& x, const Output& out) const {
    require_same(x, out);
    detail::look_up(exec, "tessera::stable::table::sf", detail::ByX{m_log_tail},
                    detail::Probability{true}, x, out);
    fill_gaps(exec, x, out, &EvaluationViews<ExecSpace>::sf);
  }
  void log_cdf(const ExecSpace& exec, const Input& x, const Output& out) const {
    require_same(x, out);
    detail::look_up(exec, "tessera::stable::table::log_cdf", detail::ByX{m_log_tail},
                    detail::LogProbability{false}, x, out);
    fill_gaps(exec, x, out, &EvaluationViews<ExecSpace>::log_cdf);
  }
  void log_sf(const ExecSpace& exec, const Input& x, const Output& out) const {
    require_same(x, out);
    detail::look_up(exec, "tessera::stable::table::log_sf", detail::ByX{m_log_tail},
                    detail::LogProbability{true}, x, out);
    fill_gaps(exec, x, out, &EvaluationViews<ExecSpace>::log_sf);
  }

  const StableDistribution& distribution() const { return m_built.distribution; }
  /// Largest relative error of the density and of the smaller tail that was found between the
  /// nodes.
  double error() const { return m_built.error; }
  /// Bytes on the device.
  std::uint64_t memory() const { return 2 * sizeof(double) * m_built.log_pdf.extent(0); }

  /// Returns whether no panel is left out and the power laws hold beyond the last panels. Points
  /// elsewhere are evaluated directly.
  bool is_complete() const { return m_built.complete; }

 private:
  template <class>
  friend class QuantileTable;

  static void require_same(const Input& x, const Output& out) {
    if (x.extent(0) != out.extent(0)) {
      throw Error(ErrorKind::input, "stable: " + std::to_string(out.extent(0)) + " results for " +
                                        std::to_string(x.extent(0)) + " points");
    }
  }

  /// Evaluates what the table does not hold.
  void fill_gaps(const ExecSpace& exec, const Input& x, const Output& out,
                 Output EvaluationViews<ExecSpace>::*quantity) const {
    if (m_built.complete) return;
    EvaluationViews<ExecSpace> views;
    views.*quantity = out;
    detail::fill_gaps(
        exec, detail::ViewPoints<ExecSpace>{x, {}, {}, m_built.distribution, m_where, views}, out);
  }

  detail::BuiltTable<ExecSpace> m_built;
  LocationScale m_where;
  TabulatedFunction m_log_pdf, m_log_tail;
};

/// The number of points from which on a table pays, and with this error at the most it takes the
/// place of direct evaluation in tessera-stable.
inline constexpr std::size_t kFewestTablePoints = 2000;
inline constexpr double kLargestTableError = 1e-9;

/// Below this alpha quantiles next to zeta change too quickly with p for a table.
inline constexpr double kLeastQuantileAlpha = 0.3;

/// Quantiles from a table of one distribution.
template <class ExecSpace>
class QuantileTable {
 public:
  using Input = typename Table<ExecSpace>::Input;
  using Output = typename Table<ExecSpace>::Output;

  explicit QuantileTable(const ExecSpace& exec, const Table<ExecSpace>& table)
      : m_table(table), m_built(detail::build_quantiles(exec, table.m_built)) {}

  /// x(i) with P(X <= x(i)) = p(i).
  void operator()(const ExecSpace& exec, const Input& p, const Output& x) const {
    Table<ExecSpace>::require_same(p, x);
    const LocationScale& where = m_table.m_where;
    const double centre = where.from_standard(m_built.distribution, m_built.centre);
    const detail::ByProbability by{m_built.lookup()};
    if (m_built.polish) {
      detail::look_up(exec, "tessera::stable::quantile", by,
                      detail::polished_distance(m_table.m_built, centre, where.sigma), p, x);
    } else {
      const detail::Distance distance{where.from_standard(m_built.distribution, m_built.median),
                                      where.sigma};
      detail::look_up(exec, "tessera::stable::quantile", by, distance, p, x);
    }
    if (m_built.complete) return;
    Kokkos::parallel_for("tessera::stable::refine_quantiles",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>,
                                             detail::UnevenSchedule<ExecSpace>>(
                             exec, 0, static_cast<std::int64_t>(p.extent(0))),
                         detail::RefineQuantiles{m_table.m_built.grid(),
                                                 by,
                                                 {m_built.median - m_built.centre, 1},
                                                 centre,
                                                 where.sigma,
                                                 m_built.is_rough.data(),
                                                 p.data(),
                                                 x.data()});
  }

 private:
  Table<ExecSpace> m_table;
  detail::BuiltQuantiles<ExecSpace> m_built;
};

}  // namespace tessera::stable
