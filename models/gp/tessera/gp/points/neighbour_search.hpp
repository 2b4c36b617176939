// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/sort.hpp"
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

KOKKOS_INLINE_FUNCTION bool comes_before(double d, std::int32_t i, double e, std::int32_t j) {
  return d < e || (d == e && i < j);
}

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr std::int32_t kNoIndex = std::numeric_limits<std::int32_t>::max();

/// A search: its queries, and which points count for each.
template <class ExecSpace, int D>
struct Queries {
  SortedPoints<ExecSpace, D> points;
  CoordinateView<ExecSpace> targets;  // none: the points themselves, each among its predecessors
  Kokkos::View<const int*, ExecSpace> point_fold, target_fold;
  NeighbourView<ExecSpace> neighbours;
  std::int64_t count, first;  // queries; index of the first row of `neighbours`, of predecessors
  std::int32_t from;          // predecessors: points before it are no queries
  int window;                 // cells about the own one that are scanned first

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

/// The search on a CPU: a thread per query, the best so far sorted in scratch memory.
template <class ExecSpace, int D>
struct SearchOneByOne {
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>::member_type;
  static constexpr std::int64_t kQueries = 64;  // of a team
  Queries<ExecSpace, D> queries;
  int wanted;

  static std::size_t scratch_bytes(int wanted) {
    return static_cast<std::size_t>(wanted) * (sizeof(double) + sizeof(std::int32_t)) + 16;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    auto* const distance = static_cast<double*>(
        team.team_scratch(1).get_shmem(static_cast<std::ptrdiff_t>(scratch_bytes_on_device())));
    auto* const index = reinterpret_cast<std::int32_t*>(distance + wanted);
    const std::int64_t begin = team.league_rank() * kQueries,
                       end = compat::min(queries.count, begin + kQueries);
    for (std::int64_t q = begin; q < end; ++q) find(queries.query(q), distance, index);
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t scratch_bytes_on_device() const {
    return static_cast<std::size_t>(wanted) * (sizeof(double) + sizeof(std::int32_t)) + 16;
  }

  KOKKOS_INLINE_FUNCTION void find(const typename Queries<ExecSpace, D>::Query& query,
                                   double* distance, std::int32_t* index) const {
    if (query.row < 0) return;
    int found = 0;
    const auto restart = [&] { found = 0; };
    const auto farthest = [&] { return found < wanted ? kInfinite : distance[wanted - 1]; };
    const auto scan = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t p = begin; p < end; ++p) {
        const double d = squared_distance<D>(query.x, &queries.points.position(p, 0));
        if (found == wanted && d > distance[wanted - 1]) continue;
        const auto i = static_cast<std::int32_t>(queries.points.rank(p));
        if (!queries.counts(query, i)) continue;
        if (found == wanted && !comes_before(d, i, distance[wanted - 1], index[wanted - 1]))
          continue;
        int at = found < wanted ? found++ : wanted - 1;
        for (; at > 0 && comes_before(d, i, distance[at - 1], index[at - 1]); --at) {
          distance[at] = distance[at - 1];
          index[at] = index[at - 1];
        }
        distance[at] = d;
        index[at] = i;
      }
    };
    queries.search(query, restart, scan, farthest);
    for (int k = 0; k < wanted; ++k) queries.neighbours(query.row, k) = k < found ? index[k] : -1;
  }
};

/// The search on a GPU: a warp per query, whose 32 best stand sorted over the lanes. Those after
/// the first 32 are found in further launches.
template <class ExecSpace, int D>
struct SearchByWarps {
  using Member =
      typename Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>::member_type;
  static constexpr int kWarps = 8, kLanes = 32, kBuffer = 64;
  Queries<ExecSpace, D> queries;
  int skip, wanted;  // neighbours known already, and wanted now

  static constexpr std::size_t kScratchBytes =
      kWarps * kBuffer * (sizeof(double) + sizeof(std::int32_t)) + 16;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::size_t bytes = kScratchBytes;
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem(bytes));
    const int warp = team.team_rank(), lane = static_cast<int>(compat::this_warp_lane().index);
    const std::int64_t q = team.league_rank() * kWarps + warp;
    if (q >= queries.count) return;
    const auto query = queries.query(q);
    if (query.row < 0) return;
    State state;
    state.distance = scratch + warp * kBuffer;
    state.index = reinterpret_cast<std::int32_t*>(scratch + kWarps * kBuffer) + warp * kBuffer;
    state.lane = lane;
    state.wanted = wanted;
    double known = -1;  // the last neighbour that is known
    std::int32_t known_index = -1;
    if (skip > 0) {
      known_index = queries.neighbours(query.row, skip - 1);
      known = kInfinite;
      if (known_index >= 0) known = distance_to(query, known_index);
    }
    const auto restart = [&] { state.clear(); };
    const auto farthest = [&] {
      if (state.count > 0) state.merge(state.count);
      return state.worst;
    };
    const auto scan = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t p = begin; p < end; p += kLanes) {
        bool take = p + lane < end;
        double d = 0;
        std::int32_t i = 0;
        if (take) {
          i = static_cast<std::int32_t>(queries.points.rank(p + lane));
          d = squared_distance<D>(query.x, &queries.points.position(p + lane, 0));
          take = queries.counts(query, i) && comes_before(d, i, state.worst, state.worst_index) &&
                 comes_before(known, known_index, d, i);
        }
        state.add(take, d, i);
      }
    };
    queries.search(query, restart, scan, farthest);
    if (lane < wanted)
      queries.neighbours(query.row, skip + lane) = state.best < kInfinite ? state.best_index : -1;
  }

 private:
  struct State {
    double* distance;  // of the candidates, and their indices
    std::int32_t* index;
    int lane, wanted, count;
    double best, worst;
    std::int32_t best_index, worst_index;

    KOKKOS_INLINE_FUNCTION void clear() {
      best = worst = kInfinite;
      best_index = worst_index = kNoIndex;
      count = 0;
    }

    KOKKOS_INLINE_FUNCTION static void exchange(double& d, std::int32_t& i, int mask,
                                                bool keep_small) {
      const double e = compat::warp_shuffle_xor(d, mask);
      const std::int32_t j = compat::warp_shuffle_xor(i, mask);
      if (comes_before(e, j, d, i) == keep_small) {
        d = e;
        i = j;
      }
    }

    KOKKOS_INLINE_FUNCTION void add(bool take, double d, std::int32_t i) {
      const std::uint32_t votes = compat::warp_ballot(take);
      if (take) {
        const int at = count + compat::popcount(votes & ((1u << lane) - 1));
        distance[at] = d;
        index[at] = i;
      }
      count += compat::popcount(votes);
      if (count >= kLanes) merge(kLanes);
    }

    /// Sorts the first `number` candidates (bitonic) and merges them with the best.
    KOKKOS_INLINE_FUNCTION void merge(int number) {
      compat::warp_sync();
      double d = lane < number ? distance[lane] : kInfinite;
      std::int32_t i = lane < number ? index[lane] : kNoIndex;
      TESSERA_UNROLL
      for (int size = 2; size <= kLanes; size *= 2) {
        TESSERA_UNROLL
        for (int s = size / 2; s > 0; s /= 2)
          exchange(d, i, s, ((lane & s) == 0) == ((lane & size) == 0));
      }
      d = compat::warp_shuffle(d, kLanes - 1 - lane);
      i = compat::warp_shuffle(i, kLanes - 1 - lane);
      if (comes_before(d, i, best, best_index)) {
        best = d;
        best_index = i;
      }
      TESSERA_UNROLL
      for (int s = kLanes / 2; s > 0; s /= 2) exchange(best, best_index, s, (lane & s) == 0);
      worst = compat::warp_shuffle(best, wanted - 1);
      worst_index = compat::warp_shuffle(best_index, wanted - 1);
      const bool rest = lane + kLanes < count;
      if (rest) {
        d = distance[lane + kLanes];
        i = index[lane + kLanes];
      }
      compat::warp_sync();
      if (rest) {
        distance[lane] = d;
        index[lane] = i;
      }
      count = compat::max(count - kLanes, 0);
      compat::warp_sync();
    }
  };

  KOKKOS_INLINE_FUNCTION double distance_to(const typename Queries<ExecSpace, D>::Query& query,
                                            std::int32_t i) const {
    double x[D];
    for (int k = 0; k < D; ++k) x[k] = unsorted(i, k);
    return squared_distance<D>(query.x, x);
  }

 public:
  CoordinateView<ExecSpace> unsorted;
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
      search(
          {sort(count), {}, {}, {}, neighbours, count, first, static_cast<std::int32_t>(begin), 0});
    }
    m_exec.fence();
  }

  void find_nearest(const CoordinateView<ExecSpace>& targets,
                    const Kokkos::View<const int*, ExecSpace>& point_fold,
                    const Kokkos::View<const int*, ExecSpace>& target_fold,
                    const NeighbourView<ExecSpace>& neighbours) {
    search({sort(static_cast<std::int64_t>(m_points.extent(0))), targets, point_fold, target_fold,
            neighbours, static_cast<std::int64_t>(targets.extent(0)), 0, 0, 0});
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
    if (queries.count == 0 || wanted == 0) return;
    constexpr double kAxes = D < 3 ? D : 3;
    queries.window =
        std::max(1, static_cast<int>(std::ceil(0.5 * (std::pow(2.2 / 3 * wanted, 1 / kAxes) - 1))));
    if constexpr (compat::is_gpu_v<ExecSpace>) {
      using Search = SearchByWarps<ExecSpace, D>;
      const std::int64_t teams = (queries.count + Search::kWarps - 1) / Search::kWarps;
      for (int skip = 0; skip < wanted; skip += Search::kLanes) {
        Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> policy(
            m_exec, static_cast<int>(teams), Search::kWarps, Search::kLanes);
        policy.set_scratch_size(0, Kokkos::PerTeam(Search::kScratchBytes));
        Kokkos::parallel_for(
            "tessera::gp::find_neighbours", policy,
            Search{queries, skip, std::min(Search::kLanes, wanted - skip), m_points});
      }
    } else {
      using Search = SearchOneByOne<ExecSpace, D>;
      const std::int64_t teams = (queries.count + Search::kQueries - 1) / Search::kQueries;
      Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> policy(
          m_exec, static_cast<int>(teams), 1, 1);
      policy.set_scratch_size(1, Kokkos::PerTeam(Search::scratch_bytes(wanted)));
      Kokkos::parallel_for("tessera::gp::find_neighbours", policy, Search{queries, wanted});
    }
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
  detail::visit_dimension(points.extent(1), [&](auto dimension) {
    detail::NeighbourSearch<ExecSpace, decltype(dimension)::value>(exec, points)
        .find_nearest(targets, point_fold, target_fold, neighbours);
  });
}

}  // namespace tessera::gp
