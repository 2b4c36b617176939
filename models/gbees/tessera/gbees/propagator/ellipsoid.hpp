// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/app/stop_flag.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/gbees/grid/gaussian.hpp"

/// The cells of an ellipsoid, found without a look at those around it: the first axis is divided
/// into its cells, each of these along the second axis, and so on. With the precision matrix P =
/// L^T L, L lower triangular, the form d^T P d is a sum of squares of which the first i know the
/// first i axes only (Fincke and Pohst, Mathematics of Computation 44 (1985) 463).

namespace tessera::gbees::detail {

/// An EllipsoidShape says where the cells with (x - mean)^T P (x - mean) <= form lie along the next
/// axis, x the centres of cells.
template <int D, class Word = std::uint64_t>
struct EllipsoidShape {
  Grid<D> grid;
  Vector<D> mean;
  double factor[D][D];  ///< L, of which row i has the entries up to i
  double form;

  EllipsoidShape(const Grid<D>& grid_, const Gaussian<D>& density, double form_)
      : grid(grid_), mean(density.mean), form(form_) {
    // With J the reversal of the axes, J P J = C C^T gives P = (J C J)(J C J)^T, and J C J is upper
    // triangular: it is L^T.
    linalg::Matrix reversed(D, std::vector<double>(D));
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) reversed[i][j] = density.precision[D - 1 - i][D - 1 - j];
    }
    const linalg::Matrix cholesky = linalg::cholesky_factor(reversed);
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) factor[i][j] = j <= i ? cholesky[D - 1 - j][D - 1 - i] : 0;
    }
  }

  /// The first `axis` indices in a key, and the sum of their squares.
  struct Prefix {
    Word key;
    double form;
  };
  /// Indices first, first + 1, ... along an axis.
  struct Interval {
    std::int64_t first;
    std::uint64_t count;
  };

  /// L_ij d_j summed over the axes before `axis`.
  KOKKOS_INLINE_FUNCTION double shift(const Prefix& prefix, int axis) const {
    double sum = 0;
    for (int j = 0; j < D - 1; ++j) {
      if (j < axis)
        sum += factor[axis][j] *
               (grid.coordinate(j, CellKey<D, Word>::index(prefix.key, j)) - mean[j]);
    }
    return sum;
  }

  /// A little too wide, by rounding: who asks has to look at each cell. Round a circle no further
  /// than its ends.
  KOKKOS_INLINE_FUNCTION Interval next(const Prefix& prefix, int axis) const {
    const double slack = 1e-9 * (1 + form);
    const double half =
        compat::math::sqrt(compat::max(form - prefix.form, 0.0) + slack) / factor[axis][axis];
    const double centre = mean[axis] - shift(prefix, axis) / factor[axis][axis] - grid.origin[axis];
    double low = compat::math::ceil((centre - half) / grid.spacing[axis]);
    double high = compat::math::floor((centre + half) / grid.spacing[axis]);
    if (grid.is_circle(axis)) {
      low = compat::max(low, static_cast<double>(grid.first[axis]));
      high = compat::min(high, static_cast<double>(grid.first[axis] + grid.turn[axis] - 1));
    }
    if (!(high >= low)) return {0, 0};
    return {static_cast<std::int64_t>(low), static_cast<std::uint64_t>(high - low) + 1};
  }

  KOKKOS_INLINE_FUNCTION Prefix extend(const Prefix& prefix, int axis, std::int64_t k) const {
    const double root =
        shift(prefix, axis) + factor[axis][axis] * (grid.coordinate(axis, k) - mean[axis]);
    return {prefix.key | CellKey<D, Word>::field(k, axis), prefix.form + root * root};
  }
};

/// Prefixes of one length, and behind how many cells of the next axis each of them comes.
template <int D, class Memory, class Word>
struct EllipsoidLevel {
  using Shape = EllipsoidShape<D, Word>;
  Shape shape;
  int axis;  ///< the next one
  Kokkos::View<typename Shape::Prefix*, Memory> prefix;
  Kokkos::View<std::uint64_t*, Memory> begin;

  /// The prefix to which cell `number` of the next axis belongs.
  KOKKOS_INLINE_FUNCTION std::uint64_t find(std::uint64_t number) const {
    std::uint64_t low = 0, high = prefix.extent(0);
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (begin(middle) <= number ? low : high) = middle;
    }
    return low;
  }

  KOKKOS_INLINE_FUNCTION typename Shape::Prefix cell(std::uint64_t number) const {
    const std::uint64_t p = find(number);
    const std::int64_t k =
        shape.next(prefix(p), axis).first + static_cast<std::int64_t>(number - begin(p));
    return shape.extend(prefix(p), axis, k);
  }
};

template <int D, class ExecSpace, class Word>
struct CountEllipsoidCells {
  EllipsoidLevel<D, typename ExecSpace::memory_space, Word> level;
  StopFlag<ExecSpace> stop;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t p, std::uint64_t& position,
                                         bool final) const {
    if (stop.raised()) return;
    if (final) level.begin(p) = position;
    position += level.shape.next(level.prefix(p), level.axis).count;
  }
};

template <int D, class ExecSpace, class Word>
struct MakeEllipsoidPrefixes {
  EllipsoidLevel<D, typename ExecSpace::memory_space, Word> level;
  Kokkos::View<typename EllipsoidShape<D, Word>::Prefix*, typename ExecSpace::memory_space> longer;
  StopFlag<ExecSpace> stop;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t number) const {
    if (!stop.raised()) longer(number) = level.cell(number);
  }
};

/// The cells of an ellipsoid, numbered in the order of their keys. Some that lie outside by
/// rounding may be among them.
template <int D, class ExecSpace, class Word = std::uint64_t>
class Ellipsoid {
 public:
  using Level = EllipsoidLevel<D, typename ExecSpace::memory_space, Word>;

  /// Finds the cells; gives up at a signal by Interrupted.
  Ellipsoid(const ExecSpace& exec, const EllipsoidShape<D, Word>& shape)
      : m_level{shape, 0, {}, {}} {
    using Prefix = typename EllipsoidShape<D, Word>::Prefix;
    using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::uint64_t>>;
    using Prefixes = Kokkos::View<Prefix*, typename ExecSpace::memory_space>;
    m_level.prefix =
        upload(exec, "tessera::gbees::ellipsoid_prefixes", std::vector<Prefix>{{0, 0.0}});
    for (;; ++m_level.axis) {
      const std::uint64_t prefixes = m_level.prefix.extent(0);
      m_level.begin =
          allocate<decltype(m_level.begin)>(exec, "tessera::gbees::ellipsoid_begin", prefixes);
      Kokkos::parallel_scan("tessera::gbees::ellipsoid_count", Range(exec, 0, prefixes),
                            CountEllipsoidCells<D, ExecSpace, Word>{m_level, {}}, m_size);
      stop_at_signal();
      if (m_level.axis + 1 == D || m_size == 0) return;
      const auto longer = allocate<Prefixes>(exec, "tessera::gbees::ellipsoid_prefixes", m_size);
      Kokkos::parallel_for("tessera::gbees::ellipsoid_extend", Range(exec, 0, m_size),
                           MakeEllipsoidPrefixes<D, ExecSpace, Word>{m_level, longer, {}});
      stop_at_signal();
      m_level.prefix = longer;
    }
  }

  std::uint64_t size() const { return m_size; }
  KOKKOS_INLINE_FUNCTION Word key(std::uint64_t number) const { return m_level.cell(number).key; }

 private:
  Level m_level;
  std::uint64_t m_size = 0;
};

}  // namespace tessera::gbees::detail
