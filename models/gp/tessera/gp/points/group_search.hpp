// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/sort.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/points/neighbour_kernels.hpp"
#include "tessera/gp/points/neighbours.hpp"

/// Exact nearest neighbours in more than four coordinates, where a grid of cells has too many of
/// them. About sqrt(N) of the points are centres; every point belongs to the group of its nearest
/// centre. No point of a group with centre h and radius R is nearer to a query x than
///
///     |x - h| - R     and     |g - h| - R - |x - g|,     g the centre nearest to x,
///
/// so that a query scans the groups in the order of |g - h| - R, which is sorted once for each g,
/// passes over those that its farthest neighbour so far does not reach, and ends where none after
/// it can be reached. Bounds allow for rounding, so that the neighbours are exact.
///
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// Columns of coordinates; those of one point lie `stride` apart.
template <class ExecSpace>
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

/// The number of coordinates, the time included, of a place that a thread holds.
inline constexpr int kMostAxes = kMostCoordinates + 1;

/// A place of a query.
struct Here {
  double x[kMostAxes];
};

/// The squared distance of row p from x; the same sum as squared_distance().
template <class View>
KOKKOS_FORCEINLINE_FUNCTION double square_from(const Here& here, const View& rows, std::int64_t p) {
  double sum = 0;
  const int axes = static_cast<int>(rows.extent(1));
  for (int k = 0; k < axes; ++k) {
    const double difference = here.x[k] - rows(p, k);
    sum = compat::multiply_add(difference, difference, sum);
  }
  return sum;
}

/// Computes the squared distances of Block rows from `first` on, side by side in SIMD lanes; the
/// view has as many.
template <int Block, class View>
KOKKOS_FORCEINLINE_FUNCTION void squares_from(const Here& here, const View& rows,
                                              std::int64_t first, double (&squares)[Block]) {
  const int axes = static_cast<int>(rows.extent(1));
  double sum[Block] = {};
  for (int k = 0; k < axes; ++k) {
    const double* const column = &rows(first, k);
    const double x = here.x[k];
    TESSERA_VECTORIZE
    for (int l = 0; l < Block; ++l) {
      const double difference = x - column[l];
      sum[l] = compat::multiply_add(difference, difference, sum[l]);
    }
  }
  for (int l = 0; l < Block; ++l) squares[l] = sum[l];
}

/// The groups of points.
template <class ExecSpace>
struct PointGroups {
  static constexpr int kBlock = compat::is_gpu_v<ExecSpace> ? 1 : 16;
  std::int64_t count = 0;  // of groups
  // a row each, and more rows, so that blocks fit; then the same with the coordinates of a row side
  // by side
  Columns<ExecSpace> centre;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> centre_row;
  Kokkos::View<double*, ExecSpace> radius;           // of each
  Kokkos::View<std::uint32_t*, ExecSpace> start;     // of each among the positions, and the end
  Kokkos::View<std::uint32_t*, ExecSpace> by_bound;  // for each centre all groups, by their bound
  Kokkos::View<double*, ExecSpace> bound;            // |g - h| - R, rounded down, in that order
  Columns<ExecSpace> position;                       // the points, group after group, and more rows
  Kokkos::View<std::uint32_t*, ExecSpace> rank;      // their indices, rising in each group
  Kokkos::View<std::uint32_t*, ExecSpace> group;     // of each point, by its index
  Kokkos::View<double*, ExecSpace> distance;         // from its centre, likewise

  /// The nearest centre of a place, and its squared distance.
  struct Nearest {
    std::int64_t group;
    double square;
  };
  KOKKOS_INLINE_FUNCTION Nearest nearest(const Here& here) const {
    Nearest best{0, kInfinite};
    for (std::int64_t first = 0; first < count; first += kBlock) {
      double squares[kBlock];
      squares_from(here, centre, first, squares);
      for (int l = 0; l < kBlock && first + l < count; ++l) {
        if (squares[l] < best.square) best = {first + l, squares[l]};
      }
    }
    return best;
  }

  /// Returns a bound of a difference of two distances that rounding does not put too high.
  KOKKOS_INLINE_FUNCTION static double below(double from, double less) {
    return from - less - 1e-12 * (from + less);
  }
};

template <class ExecSpace>
KOKKOS_INLINE_FUNCTION Here here_at(const CoordinateView<ExecSpace>& points, std::int64_t i) {
  Here here;
  for (std::size_t k = 0; k < points.extent(1); ++k) here.x[k] = points(i, k);
  return here;
}

/// Takes points at equal steps of their order as centres.
template <class ExecSpace>
struct ChooseCentres {
  CoordinateView<ExecSpace> points;
  PointGroups<ExecSpace> groups;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t g) const {
    const std::int64_t i = g * static_cast<std::int64_t>(points.extent(0)) / groups.count;
    for (std::size_t k = 0; k < points.extent(1); ++k)
      groups.centre(g, k) = groups.centre_row(g, k) = points(i, k);
  }
};

/// Finds the group of each point.
template <class ExecSpace>
struct AssignGroups {
  CoordinateView<ExecSpace> points;
  PointGroups<ExecSpace> groups;
  Kokkos::View<std::uint32_t*, ExecSpace> key;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const auto nearest = groups.nearest(here_at<ExecSpace>(points, i));
    groups.group(i) = key(i) = static_cast<std::uint32_t>(nearest.group);
    groups.distance(i) = compat::math::sqrt(nearest.square);
    groups.rank(i) = static_cast<std::uint32_t>(i);
  }
};

/// Copies the points group by group, and finds where groups begin.
template <class ExecSpace>
struct GatherGroups {
  CoordinateView<ExecSpace> points;
  PointGroups<ExecSpace> groups;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p) const {
    const std::int64_t before = p == 0
                                    ? -1
                                    : static_cast<std::int64_t>(groups.group(groups.rank(p - 1))),
                       here = groups.group(groups.rank(p));
    for (std::int64_t g = before + 1; g <= here; ++g)
      groups.start(g) = static_cast<std::uint32_t>(p);
    if (p + 1 == static_cast<std::int64_t>(groups.rank.extent(0))) {
      for (std::int64_t g = here + 1; g <= groups.count; ++g)
        groups.start(g) = static_cast<std::uint32_t>(p + 1);
      for (std::size_t k = 0; k < points.extent(1); ++k) {  // nearer than none
        for (int l = 1; l <= groups.kBlock; ++l) groups.position(p + l, k) = 1e150;
      }
    }
    for (std::size_t k = 0; k < points.extent(1); ++k)
      groups.position(p, k) = points(groups.rank(p), k);
  }
};

template <class ExecSpace>
struct FindRadii {
  PointGroups<ExecSpace> groups;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t g) const {
    double radius = 0;
    for (std::uint32_t p = groups.start(g); p < groups.start(g + 1); ++p)
      radius = compat::max(radius, groups.distance(groups.rank(p)));
    groups.radius(g) = radius;
  }
};

/// The bounds of all groups for one centre: first as keys that sort them, then in their order.
template <class ExecSpace>
struct BoundGroups {
  PointGroups<ExecSpace> groups;
  Kokkos::View<std::uint64_t*, ExecSpace> key;
  bool sorted;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t at) const {
    const std::int64_t g = at / groups.count,
                       h = sorted ? static_cast<std::int64_t>(groups.by_bound(at))
                                  : at % groups.count;
    const float bound = find(g, h);
    if (sorted) {
      groups.bound(at) = static_cast<double>(bound);
      return;
    }
    const auto bits = compat::bit_cast<std::uint32_t>(bound);
    const std::uint32_t rising = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
    key(at) = static_cast<std::uint64_t>(g) << 32 | rising;
    groups.by_bound(at) = static_cast<std::uint32_t>(h);
  }

 private:
  KOKKOS_INLINE_FUNCTION float find(std::int64_t g, std::int64_t h) const {
    const double apart = compat::math::sqrt(
                     square_from(here_at<ExecSpace>(groups.centre, g), groups.centre, h)),
                 bound = PointGroups<ExecSpace>::below(apart, groups.radius(h));
    return static_cast<float>(bound - 1e-6 * compat::math::fabs(bound));  // rounded down
  }
};

/// A search in groups: its queries, and which points count for each.
template <class ExecSpace>
struct GroupQueries {
  static constexpr std::uint32_t kBlock = PointGroups<ExecSpace>::kBlock,
                                 kStretch = 64;  // points after which a group may end
  static constexpr int kBatch = 32;              // queries that are searched together on a CPU
  PointGroups<ExecSpace> groups;
  CoordinateView<ExecSpace> points;
  CoordinateView<ExecSpace> targets;  // none: the points themselves, each among its predecessors
  Kokkos::View<const int*, ExecSpace> point_fold, target_fold;
  NeighbourView<ExecSpace> neighbours;
  std::int64_t count, first;  // queries; index of the first row of `neighbours`, of predecessors

  struct Query {
    Here here;
    std::int64_t row, group;
    double to_centre;
    std::int32_t end;
    int fold;
  };

  KOKKOS_INLINE_FUNCTION Query query(std::int64_t q) const {
    Query result;
    result.fold = -1;
    if (targets.extent(0) > 0) {
      result.here = here_at<ExecSpace>(targets, q);
      const auto nearest = groups.nearest(result.here);
      result.group = nearest.group;
      result.to_centre = compat::math::sqrt(nearest.square);
      result.row = q;
      result.end = kNoIndex;
      if (target_fold.extent(0) > 0) result.fold = target_fold(q);
    } else {
      const auto index = static_cast<std::int64_t>(groups.rank(q));
      const bool wanted =
          index >= first && index - first < static_cast<std::int64_t>(neighbours.extent(0));
      result.row = wanted ? index - first : -1;
      result.here = here_at<ExecSpace>(points, index);
      result.group = groups.group(index);
      result.to_centre = groups.distance(index);
      result.end = static_cast<std::int32_t>(index);
    }
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t index(std::int64_t p) const { return groups.rank(p); }
  KOKKOS_INLINE_FUNCTION bool counts(const Query& query, std::int32_t i) const {
    return i < query.end && (query.fold < 0 || point_fold(i) != query.fold);
  }
  KOKKOS_FORCEINLINE_FUNCTION double square(const Query& query, std::int64_t p) const {
    return square_from(query.here, groups.position, p);
  }
  KOKKOS_INLINE_FUNCTION double square_to(const Query& query, std::int32_t i) const {
    return square_from(query.here, points, i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void find_squares(const Query& query, std::int64_t p,
                                                double (&squares)[kBlock]) const {
    squares_from(query.here, groups.position, p, squares);
  }

  template <class Restart, class Scan, class Farthest>
  KOKKOS_INLINE_FUNCTION void search(const Query& query, const Restart& restart, const Scan& scan,
                                     const Farthest& farthest) const {
    restart();
    double far = kInfinite;
    const std::int64_t row = query.group * groups.count;
    for (std::int64_t k = 0; k < groups.count; ++k) {
      const Reach reach = visit(query, query.to_centre, row + k, far, scan);
      if (reach == Reach::none) break;
      if (reach == Reach::scanned) far = farthest();
    }
    farthest();
  }

  /// Visits groups in the order of the first query's centre.
  template <class Scan, class Farthest>
  KOKKOS_INLINE_FUNCTION void search_together(const Query* query, int count, const Scan& scan,
                                              const Farthest& farthest) const {
    const std::int64_t own = query[0].group;
    double to_centre[kBatch];
    bool active[kBatch];
    int left = 0;
    for (int b = 0; b < count; ++b) {
      to_centre[b] = compat::math::sqrt(square_from(query[b].here, groups.centre_row, own));
      active[b] = query[b].row >= 0;
      left += active[b] ? 1 : 0;
    }
    for (std::int64_t k = 0; k < groups.count && left > 0; ++k) {
      for (int b = 0; b < count; ++b) {
        if (!active[b]) continue;
        const auto scan_own = [&](std::uint32_t begin, std::uint32_t end) { scan(b, begin, end); };
        const std::int64_t at = own * groups.count + k;
        if (visit(query[b], to_centre[b], at, farthest(b), scan_own) != Reach::none) continue;
        active[b] = false;
        --left;
      }
    }
  }

 private:
  enum class Reach { none, passed, scanned };

  /// Scans the group at a place of the order by bounds, where it may hold one of the nearest.
  /// `to_centre`: the distance of the query from the centre of that order; `far`: the square of
  /// that from its farthest neighbour so far. Reach::none: no later group holds any.
  template <class Scan>
  KOKKOS_FORCEINLINE_FUNCTION Reach visit(const Query& query, double to_centre, std::int64_t at,
                                          double far, const Scan& scan) const {
    const double reached =
        PointGroups<ExecSpace>::below(compat::max(groups.bound(at), 0.0), to_centre);
    if (reached > 0 && reached * reached > far) return Reach::none;
    const std::int64_t g = groups.by_bound(at);
    const double bound = PointGroups<ExecSpace>::below(
        compat::math::sqrt(square_from(query.here, groups.centre_row, g)), groups.radius(g));
    if (bound > 0 && bound * bound > far) return Reach::passed;
    const std::uint32_t end = groups.start(g + 1);
    Reach reach = Reach::passed;
    for (std::uint32_t p = groups.start(g);
         p < end && static_cast<std::int32_t>(groups.rank(p)) < query.end; p += kStretch) {
      scan(p, compat::min(p + kStretch, end));
      reach = Reach::scanned;
    }
    return reach;
  }
};

/// The search with its arrays.
template <class ExecSpace>
class GroupSearch {
 public:
  GroupSearch(const ExecSpace& exec, const CoordinateView<ExecSpace>& points)
      : m_exec(exec), m_points(points), m_n(static_cast<std::int64_t>(points.extent(0))) {
    allocate_groups();
    run("tessera::gp::choose_centres", m_groups.count, ChooseCentres<ExecSpace>{points, m_groups});
    const auto key = make<Numbers>("group_key", m_n), scratch = make<Numbers>("group_scratch", m_n),
               more = make<Numbers>("rank_scratch", m_n);
    run("tessera::gp::assign_groups", m_n, AssignGroups<ExecSpace>{points, m_groups, key});
    sort_by_key(exec, key.data(), m_groups.rank.data(), static_cast<std::size_t>(m_n), bits(),
                SortScratch<ExecSpace, std::uint32_t>{scratch.data(), more.data(), m_sort_scratch});
    run("tessera::gp::gather_groups", m_n, GatherGroups<ExecSpace>{points, m_groups});
    run("tessera::gp::find_radii", m_groups.count, FindRadii<ExecSpace>{m_groups});
    order_groups();
    m_exec.fence();
  }

  void find_predecessors(std::int64_t first, const NeighbourView<ExecSpace>& neighbours) {
    run_search(m_exec,
               GroupQueries<ExecSpace>{m_groups, m_points, {}, {}, {}, neighbours, m_n, first});
    m_exec.fence();
  }

  void find_nearest(const CoordinateView<ExecSpace>& targets,
                    const Kokkos::View<const int*, ExecSpace>& point_fold,
                    const Kokkos::View<const int*, ExecSpace>& target_fold,
                    const NeighbourView<ExecSpace>& neighbours) {
    run_search(m_exec, GroupQueries<ExecSpace>{m_groups, m_points, targets, point_fold, target_fold,
                                               neighbours,
                                               static_cast<std::int64_t>(targets.extent(0)), 0});
    m_exec.fence();
  }

 private:
  using Numbers = Kokkos::View<std::uint32_t*, ExecSpace>;

  template <class View>
  View make(const char* label, std::int64_t size) const {
    return allocate<View>(m_exec, std::string("tessera::gp::") + label, size);
  }
  template <class Functor>
  void run(const char* label, std::int64_t count, const Functor& functor) const {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
        functor);
  }
  int bits() const {
    int bits = 1;
    while ((std::int64_t(1) << bits) < m_groups.count) ++bits;
    return bits;
  }

  void allocate_groups() {
    using Doubles = Kokkos::View<double*, ExecSpace>;
    const auto axes = static_cast<std::int64_t>(m_points.extent(1));
    const auto root = std::llround(std::sqrt(static_cast<double>(m_n)));
    m_groups.count = std::clamp<std::int64_t>(root, 1, 4096);
    const std::int64_t pairs = m_groups.count * m_groups.count;
    m_groups.centre = allocate<Columns<ExecSpace>>(m_exec, "tessera::gp::centres",
                                                   m_groups.count + m_groups.kBlock, axes);
    m_groups.centre_row = allocate<decltype(m_groups.centre_row)>(
        m_exec, "tessera::gp::centre_rows", m_groups.count, axes);
    m_groups.position =
        allocate<Columns<ExecSpace>>(m_exec, "tessera::gp::grouped", m_n + m_groups.kBlock, axes);
    m_groups.radius = make<Doubles>("radius", m_groups.count);
    m_groups.start = make<Numbers>("group_start", m_groups.count + 1);
    m_groups.by_bound = make<Numbers>("groups_by_bound", pairs);
    m_groups.bound = make<Doubles>("group_bound", pairs);
    m_groups.rank = make<Numbers>("rank", m_n);
    m_groups.group = make<Numbers>("group", m_n);
    m_groups.distance = make<Doubles>("to_centre", m_n);
  }

  void order_groups() {
    using Keys = Kokkos::View<std::uint64_t*, ExecSpace>;
    const std::int64_t pairs = m_groups.count * m_groups.count;
    const auto key = make<Keys>("bound_key", pairs), keys = make<Keys>("bound_keys", pairs);
    const auto values = make<Numbers>("bound_values", pairs);
    run("tessera::gp::bound_groups", pairs, BoundGroups<ExecSpace>{m_groups, key, false});
    sort_by_key(m_exec, key.data(), m_groups.by_bound.data(), static_cast<std::size_t>(pairs),
                32 + bits(),
                SortScratch<ExecSpace, std::uint64_t>{keys.data(), values.data(), m_sort_scratch});
    run("tessera::gp::bound_groups", pairs, BoundGroups<ExecSpace>{m_groups, key, true});
  }

  ExecSpace m_exec;
  CoordinateView<ExecSpace> m_points;
  std::int64_t m_n;
  PointGroups<ExecSpace> m_groups;
  Kokkos::View<char*, typename ExecSpace::memory_space> m_sort_scratch;
};

}  // namespace tessera::gp::detail
