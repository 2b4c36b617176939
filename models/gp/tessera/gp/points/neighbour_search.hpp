// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/sort.hpp"
#include "tessera/gp/points/group_search.hpp"
#include "tessera/gp/points/neighbour_kernels.hpp"
#include "tessera/gp/points/neighbours.hpp"

/// The grid of cells behind neighbours.hpp and its search. Included where it is instantiated.

namespace tessera::gp::detail {

/// Smallest and largest of each coordinate.
struct Bounds {
  double lower[4], upper[4];
  KOKKOS_INLINE_FUNCTION Bounds() {
    for (int k = 0; k < 4; ++k) {
      lower[k] = 1e300;
      upper[k] = -1e300;
    }
  }
  KOKKOS_INLINE_FUNCTION Bounds& operator+=(const Bounds& other) {
    for (int k = 0; k < 4; ++k) {
      lower[k] = compat::min(lower[k], other.lower[k]);
      upper[k] = compat::max(upper[k], other.upper[k]);
    }
    return *this;
  }
};

template <class ExecSpace>
struct FindBounds {
  CoordinateView<ExecSpace> points;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Bounds& bounds) const {
    for (std::size_t k = 0; k < points.extent(1); ++k) {
      bounds.lower[k] = compat::min(bounds.lower[k], points(i, k));
      bounds.upper[k] = compat::max(bounds.upper[k], points(i, k));
    }
  }
};

template <class ExecSpace>
Bounds find_bounds(const ExecSpace& exec, const CoordinateView<ExecSpace>& points) {
  const auto result = allocate<Kokkos::View<Bounds, ExecSpace>>(exec, "tessera::gp::bounds");
  Kokkos::parallel_reduce(
      "tessera::gp::bounds",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
      FindBounds<ExecSpace>{points}, compat::Sum<Bounds, ExecSpace>(result));
  return download_scalar(exec, result);
}

/// The smallest and the largest number of a coordinate.
struct Extent {
  double lower, upper;
};

/// Returns the extent of each of any number of coordinates.
template <class ExecSpace>
std::vector<Extent> find_extents(const ExecSpace& exec, const CoordinateView<ExecSpace>& points) {
  const auto axes = static_cast<int>(points.extent(1));
  std::vector<Extent> extents;
  for (int first = 0; first < axes; first += 4) {
    const int last = std::min(first + 4, axes);
    const Bounds bounds = find_bounds<ExecSpace>(
        exec, Kokkos::subview(points, Kokkos::ALL, std::make_pair(first, last)));
    for (int k = 0; k < last - first; ++k) extents.push_back({bounds.lower[k], bounds.upper[k]});
  }
  return extents;
}

/// Cells of equal size over the first three coordinates.
struct CellGrid {
  double lower[3] = {0, 0, 0}, per_unit[3] = {0, 0, 0};
  std::int32_t side[3] = {1, 1, 1};

  /// Makes a grid for `count` points, about three per cell.
  CellGrid(const Bounds& bounds, int dimension, std::int64_t count) {
    constexpr double kPerCell = 3;
    const int axes = std::min(dimension, 3);
    double length[3] = {0, 0, 0}, width = 0;
    bool is_flat[3] = {true, true, true};
    for (int k = 0; k < axes; ++k) {
      length[k] = bounds.upper[k] - bounds.lower[k];
      is_flat[k] = !(length[k] > 0);
    }
    for (int again = 0; again < 3; ++again) {  // an axis shorter than a cell is flat
      double volume = kPerCell / static_cast<double>(count);
      int full = 0;
      for (int k = 0; k < axes; ++k) {
        if (is_flat[k]) continue;
        volume *= length[k];
        ++full;
      }
      width = full == 0 ? 1 : std::pow(volume, 1.0 / full);
      for (int k = 0; k < axes; ++k) is_flat[k] = is_flat[k] || length[k] < width;
    }
    for (int k = 0; k < axes; ++k) {
      lower[k] = bounds.lower[k];
      if (is_flat[k] || !(width > 0)) continue;
      side[k] = static_cast<std::int32_t>(std::min(length[k] / width, 1e8));
      per_unit[k] = side[k] / length[k];
    }
  }

  std::int64_t cells() const { return static_cast<std::int64_t>(side[0]) * side[1] * side[2]; }

  KOKKOS_INLINE_FUNCTION std::int32_t cell(double x, int axis) const {
    const double scaled = (x - lower[axis]) * per_unit[axis];
    return scaled < 0             ? 0
           : scaled >= side[axis] ? side[axis] - 1
                                  : static_cast<std::int32_t>(scaled);
  }

  /// The number of the cell of point i.
  template <int D, class View>
  KOKKOS_INLINE_FUNCTION std::uint32_t number(const View& points, std::int64_t i) const {
    std::uint32_t result = 0;
    for (int k = (D < 3 ? D : 3) - 1; k >= 0; --k)
      result = result * side[k] + cell(points(i, k), k);
    return result;
  }
};

/// Points sorted by cell; of one cell, by index.
template <class ExecSpace, int D>
struct SortedPoints {
  using Positions = Kokkos::View<double* [D], Kokkos::LayoutRight, ExecSpace>;
  CellGrid grid;
  Kokkos::View<std::uint32_t*, ExecSpace> rank;   // index of each
  Kokkos::View<std::uint32_t*, ExecSpace> start;  // of each cell, and the end
  Positions position;
};

template <class ExecSpace, int D>
struct FindCells {
  CoordinateView<ExecSpace> points;
  CellGrid grid;
  Kokkos::View<std::uint32_t*, ExecSpace> cell, rank;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    cell(i) = grid.template number<D>(points, i);
    rank(i) = static_cast<std::uint32_t>(i);
  }
};

template <class ExecSpace, int D>
struct GatherCells {
  CoordinateView<ExecSpace> points;
  SortedPoints<ExecSpace, D> sorted;
  std::int64_t count, cells;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p) const {
    const std::int64_t before =
        p == 0
            ? -1
            : static_cast<std::int64_t>(sorted.grid.template number<D>(points, sorted.rank(p - 1)));
    const std::int64_t here = sorted.grid.template number<D>(points, sorted.rank(p));
    for (std::int64_t c = before + 1; c <= here; ++c)
      sorted.start(c) = static_cast<std::uint32_t>(p);
    if (p == count - 1) {
      for (std::int64_t c = here + 1; c <= cells; ++c)
        sorted.start(c) = static_cast<std::uint32_t>(count);
    }
    for (int k = 0; k < D; ++k) sorted.position(p, k) = points(sorted.rank(p), k);
  }
};

/// A search: its queries, and which points count for each.
template <class ExecSpace, int D>
struct Queries {
  SortedPoints<ExecSpace, D> points;
  CoordinateView<ExecSpace> targets;  // none: the points themselves, each among its predecessors
  Kokkos::View<const int*, ExecSpace> point_fold, target_fold;
  NeighbourView<ExecSpace> neighbours;
  std::int64_t count, first;  // queries; index of the first row of `neighbours`, of predecessors
  std::int32_t from;          // predecessors: points before it are no queries
  CoordinateView<ExecSpace> unsorted;
  int window = 1;  // cells about the own one that are scanned first

  static constexpr std::uint32_t kBlock = 1;
  static constexpr int kBatch = 1;
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t index(std::int64_t p) const { return points.rank(p); }

  /// Query q: its place, the row of its neighbours, the end of the indices that count, and its
  /// fold.
  struct Query {
    double x[D];
    std::int64_t row;
    std::int32_t end;
    int fold;
  };

  KOKKOS_INLINE_FUNCTION Query query(std::int64_t q) const {
    Query result;
    if (targets.extent(0) > 0) {
      for (int k = 0; k < D; ++k) result.x[k] = targets(q, k);
      result.row = q;
      result.end = kNoIndex;
      result.fold = target_fold.extent(0) > 0 ? target_fold(q) : -1;
    } else {
      for (int k = 0; k < D; ++k) result.x[k] = points.position(q, k);
      const auto index = static_cast<std::int32_t>(points.rank(q));
      result.row = index < from || index - first >= static_cast<std::int64_t>(neighbours.extent(0))
                       ? -1
                       : index - first;
      result.end = index;
      result.fold = -1;
    }
    return result;
  }

  KOKKOS_INLINE_FUNCTION bool counts(const Query& query, std::int32_t i) const {
    return i < query.end && (query.fold < 0 || point_fold(i) != query.fold);
  }

  KOKKOS_FORCEINLINE_FUNCTION double square(const Query& query, std::int64_t p) const {
    return squared_distance<D>(query.x, &points.position(p, 0));
  }
  KOKKOS_INLINE_FUNCTION double square_to(const Query& query, std::int32_t i) const {
    double x[D];
    for (int k = 0; k < D; ++k) x[k] = unsorted(i, k);
    return squared_distance<D>(query.x, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void find_squares(const Query& query, std::int64_t p,
                                                double (&squares)[kBlock]) const {
    squares[0] = square(query, p);
  }

  /// Calls scan(begin, end) with ranges of sorted points until nothing nearer can be left: first
  /// the cells of a window, then those that the farthest neighbour so far reaches. restart()
  /// forgets what was found, farthest() is the square of a distance or infinite.
  template <class Restart, class Scan, class Farthest>
  KOKKOS_INLINE_FUNCTION void search(const Query& query, const Restart& restart, const Scan& scan,
                                     const Farthest& farthest) const {
    constexpr int kAxes = D < 3 ? D : 3;
    const CellGrid& grid = points.grid;
    std::int32_t centre[3] = {0, 0, 0};
    for (int k = 0; k < kAxes; ++k) centre[k] = grid.cell(query.x[k], k);
    for (std::int64_t reach = window;; reach = 2 * reach + 1) {
      restart();
      std::int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
      bool all = true;
      for (int k = 0; k < kAxes; ++k) {
        low[k] = static_cast<std::int32_t>(compat::max<std::int64_t>(centre[k] - reach, 0));
        high[k] = static_cast<std::int32_t>(
            compat::min<std::int64_t>(centre[k] + reach, grid.side[k] - 1));
        all = all && low[k] == 0 && high[k] == grid.side[k] - 1;
      }
      for (std::int32_t z = low[2]; z <= high[2]; ++z) {
        for (std::int32_t y = low[1]; y <= high[1]; ++y) scan_row(scan, z, y, low[0], high[0]);
      }
      const double far = farthest();
      if (all) return;
      if (!(far < kInfinite)) continue;
      const double distance = compat::math::sqrt(far) * (1 + 1e-12);
      std::int32_t bottom[3] = {0, 0, 0}, top[3] = {0, 0, 0};
      for (int k = 0; k < kAxes; ++k) {
        bottom[k] = grid.cell(query.x[k] - distance, k);
        top[k] = grid.cell(query.x[k] + distance, k);
      }
      for (std::int32_t z = bottom[2]; z <= top[2]; ++z) {
        for (std::int32_t y = bottom[1]; y <= top[1]; ++y) {
          if (z < low[2] || z > high[2] || y < low[1] || y > high[1]) {
            scan_row(scan, z, y, bottom[0], top[0]);
          } else {
            scan_row(scan, z, y, bottom[0], compat::min(top[0], low[0] - 1));
            scan_row(scan, z, y, compat::max(bottom[0], high[0] + 1), top[0]);
          }
        }
      }
      farthest();
      return;
    }
  }

 private:
  template <class Scan>
  KOKKOS_INLINE_FUNCTION void scan_row(const Scan& scan, std::int32_t z, std::int32_t y,
                                       std::int32_t x0, std::int32_t x1) const {
    if (x0 > x1) return;
    const CellGrid& grid = points.grid;
    const std::int64_t row = (static_cast<std::int64_t>(z) * grid.side[1] + y) * grid.side[0];
    scan(points.start(row + x0), points.start(row + x1 + 1));
  }
};

/// The search with its arrays.
template <class ExecSpace, int D>
class NeighbourSearch {
 public:
  NeighbourSearch(const ExecSpace& exec, const CoordinateView<ExecSpace>& points)
      : m_exec(exec), m_points(points), m_bounds(find_bounds(exec, points)) {
    const std::size_t n = points.extent(0);
    m_cell = allocate<Numbers>(exec, "tessera::gp::cell", n);
    m_rank = allocate<Numbers>(exec, "tessera::gp::rank", n);
    m_cell_scratch = allocate<Numbers>(exec, "tessera::gp::cell_scratch", n);
    m_rank_scratch = allocate<Numbers>(exec, "tessera::gp::rank_scratch", n);
    m_start = allocate<Numbers>(exec, "tessera::gp::cell_start", n + 2);
    m_position = allocate<typename SortedPoints<ExecSpace, D>::Positions>(
        exec, "tessera::gp::sorted_points", n);
  }

  void find_predecessors(std::int64_t first, const NeighbourView<ExecSpace>& neighbours) {
    const auto n = static_cast<std::int64_t>(m_points.extent(0));
    std::int64_t begin = 0, end = 256;
    while (end <= first) {
      begin = end;
      end *= 2;
    }
    const std::int64_t last = first + static_cast<std::int64_t>(neighbours.extent(0));
    for (begin = std::max(begin, first); begin < last; begin = end, end *= 2) {
      const std::int64_t count = std::min(end, n);
      search({sort(count),
              {},
              {},
              {},
              neighbours,
              count,
              first,
              static_cast<std::int32_t>(begin),
              m_points});
    }
    m_exec.fence();
  }

  void find_nearest(const CoordinateView<ExecSpace>& targets,
                    const Kokkos::View<const int*, ExecSpace>& point_fold,
                    const Kokkos::View<const int*, ExecSpace>& target_fold,
                    const NeighbourView<ExecSpace>& neighbours) {
    search({sort(static_cast<std::int64_t>(m_points.extent(0))), targets, point_fold, target_fold,
            neighbours, static_cast<std::int64_t>(targets.extent(0)), 0, 0, m_points});
    m_exec.fence();
  }

 private:
  using Numbers = Kokkos::View<std::uint32_t*, ExecSpace>;

  Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> range(std::int64_t count) const {
    return {m_exec, 0, count};
  }

  /// Sorts the first `count` points by their cells.
  SortedPoints<ExecSpace, D> sort(std::int64_t count) {
    const CellGrid grid(m_bounds, D, count);
    const SortedPoints<ExecSpace, D> sorted{grid, m_rank, m_start, m_position};
    Kokkos::parallel_for("tessera::gp::find_cells", range(count),
                         FindCells<ExecSpace, D>{m_points, grid, m_cell, m_rank});
    int bits = 1;
    while ((std::int64_t(1) << bits) < grid.cells()) ++bits;
    sort_by_key(m_exec, m_cell.data(), m_rank.data(), static_cast<std::size_t>(count), bits,
                SortScratch<ExecSpace, std::uint32_t>{m_cell_scratch.data(), m_rank_scratch.data(),
                                                      m_sort_scratch});
    Kokkos::parallel_for("tessera::gp::gather_cells", range(count),
                         GatherCells<ExecSpace, D>{m_points, sorted, count, grid.cells()});
    return sorted;
  }

  void search(Queries<ExecSpace, D> queries) {
    const int wanted = static_cast<int>(queries.neighbours.extent(1));
    constexpr double kAxes = D < 3 ? D : 3;
    queries.window =
        std::max(1, static_cast<int>(std::ceil(0.5 * (std::pow(2.2 / 3 * wanted, 1 / kAxes) - 1))));
    run_search(m_exec, queries);
  }

  ExecSpace m_exec;
  CoordinateView<ExecSpace> m_points;
  Bounds m_bounds;
  Numbers m_cell, m_rank, m_cell_scratch, m_rank_scratch, m_start;
  typename SortedPoints<ExecSpace, D>::Positions m_position;
  Kokkos::View<char*, typename ExecSpace::memory_space> m_sort_scratch;
};

/// Calls visit(std::integral_constant<int, D>) with a number of coordinates of which a search is
/// compiled: two for one.
template <class Visit>
void visit_dimension(std::size_t columns, const Visit& visit) {
  switch (columns) {
    case 1:
      return visit(std::integral_constant<int, 1>());
    case 2:
      return visit(std::integral_constant<int, 2>());
    case 3:
      return visit(std::integral_constant<int, 3>());
    default:
      return visit(std::integral_constant<int, 4>());
  }
}

}  // namespace tessera::gp::detail

namespace tessera::gp {

template <class ExecSpace>
void find_predecessors(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
                       std::int64_t first, const NeighbourView<ExecSpace>& neighbours) {
  if (points.extent(0) == 0) return;
  if (points.extent(1) > 4) {
    detail::GroupSearch<ExecSpace>(exec, points).find_predecessors(first, neighbours);
    return;
  }
  detail::visit_dimension(points.extent(1), [&](auto dimension) {
    detail::NeighbourSearch<ExecSpace, decltype(dimension)::value>(exec, points)
        .find_predecessors(first, neighbours);
  });
}

template <class ExecSpace>
void find_nearest(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
                  const CoordinateView<ExecSpace>& targets,
                  const Kokkos::View<const int*, ExecSpace>& point_fold,
                  const Kokkos::View<const int*, ExecSpace>& target_fold,
                  const NeighbourView<ExecSpace>& neighbours) {
  if (points.extent(0) == 0 || targets.extent(0) == 0) return;
  if (points.extent(1) > 4) {
    detail::GroupSearch<ExecSpace>(exec, points)
        .find_nearest(targets, point_fold, target_fold, neighbours);
    return;
  }
  detail::visit_dimension(points.extent(1), [&](auto dimension) {
    detail::NeighbourSearch<ExecSpace, decltype(dimension)::value>(exec, points)
        .find_nearest(targets, point_fold, target_fold, neighbours);
  });
}

}  // namespace tessera::gp
