// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/sort.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/points/neighbour_search.hpp"
#include "tessera/gp/points/ordering.hpp"

/// The orders of ordering.hpp. Included where they are instantiated.

namespace tessera::gp::detail {

template <class ExecSpace>
using Keys32 = Kokkos::View<std::uint32_t*, ExecSpace>;
template <class ExecSpace>
using Keys64 = Kokkos::View<std::uint64_t*, ExecSpace>;

inline constexpr std::uint32_t kOrderStream = 0x6f72;

template <class ExecSpace>
struct CountUp {
  Keys32<ExecSpace> number;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    number(i) = static_cast<std::uint32_t>(i);
  }
};

template <class ExecSpace>
struct RandomKeys {
  Philox random;
  Keys32<ExecSpace> key, order;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    key(i) = random.bits(static_cast<std::uint64_t>(i), 0).word[0];
    order(i) = static_cast<std::uint32_t>(i);
  }
};

/// Keys that are ordered as the coordinates are.
template <class ExecSpace>
struct CoordinateKeys {
  CoordinateView<ExecSpace> points;
  int axis;
  Keys64<ExecSpace> key;
  Keys32<ExecSpace> order;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto bits = compat::bit_cast<std::uint64_t>(points(order(k), axis) + 0.0);
    key(k) = (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ull;
  }
};

/// The cell hierarchy: halving the cube that holds the points.
struct CellHierarchy {
  double lower[kMostCoordinates + 1] = {}, per_unit = 0;
  int axes = 2, bits = 31;  // of each axis

  explicit CellHierarchy(const std::vector<Extent>& extents)
      : axes(static_cast<int>(extents.size())), bits(std::min(31, 63 / axes)) {
    double width = 0;
    for (int k = 0; k < axes; ++k) {
      lower[k] = extents[k].lower;
      width = std::max(width, extents[k].upper - extents[k].lower);
    }
    per_unit = width > 0 ? std::ldexp(1.0, bits) / width : 0;
  }

  /// Coordinate in units of the smallest cells.
  KOKKOS_INLINE_FUNCTION double scaled(double x, int axis) const {
    const double most = static_cast<double>((std::int64_t(1) << bits) - 1),
                 value = (x - lower[axis]) * per_unit;
    return value < 0 ? 0 : value > most ? most : value;
  }
};

/// Bits of the cell numbers of all axes, interleaved: the points of a cell of any level lie next to
/// each other.
template <class ExecSpace>
struct HierarchyKeys {
  CoordinateView<ExecSpace> points;
  CellHierarchy cells;
  Keys64<ExecSpace> key;
  Keys32<ExecSpace> order;
  bool ordered;  // whether the points are in order; a sort leaves no keys behind
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p) const {
    if (!ordered) order(p) = static_cast<std::uint32_t>(p);
    std::uint64_t sum = 0;
    for (int k = 0; k < cells.axes; ++k) {
      auto rest = static_cast<std::uint64_t>(cells.scaled(points(order(p), k), k));
      for (int b = 0; rest != 0; ++b, rest >>= 1) sum |= (rest & 1) << (b * cells.axes + k);
    }
    key(p) = sum;
  }
};

/// Numbers the cells of a level that hold points.
template <class ExecSpace>
struct NumberCells {
  Keys64<ExecSpace> key;
  int shift;
  Keys32<ExecSpace> cell;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p, std::uint32_t& count, bool final) const {
    if (p > 0 && (shift >= 64 ? 0 : (key(p) ^ key(p - 1)) >> shift) != 0) ++count;
    if (final) cell(p) = count;
  }
};

/// A cell's best bid wins; one that holds a point of an earlier level has none to give.
template <class ExecSpace>
struct ChoosePoints {
  static constexpr std::uint32_t kNone = 31;  // level of points that are not chosen yet
  CoordinateView<ExecSpace> points;
  CellHierarchy cells;
  int level;
  Keys32<ExecSpace> order, cell, level_of;
  Keys64<ExecSpace> best;
  bool bidding;

  /// The square of the distance from the middle of the cell, and the index.
  KOKKOS_INLINE_FUNCTION std::uint64_t bid(std::int64_t p) const {
    const double side = static_cast<double>(std::int64_t(1) << (cells.bits - level));
    double sum = 0;
    for (int k = 0; k < cells.axes; ++k) {
      const double x = cells.scaled(points(order(p), k), k) / side,
                   offset = x - static_cast<double>(static_cast<std::int64_t>(x)) - 0.5;
      sum += offset * offset;
    }
    return static_cast<std::uint64_t>(
               compat::bit_cast<std::uint32_t>(static_cast<float>(sum + 1e-30)))
               << 32 |
           order(p);
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p) const {
    if (bidding) {
      Kokkos::atomic_fetch_min(&best(cell(p)), level_of(p) == kNone ? bid(p) : std::uint64_t(0));
    } else if (level_of(p) == kNone && best(cell(p)) == bid(p)) {
      level_of(p) = static_cast<std::uint32_t>(level);
    }
  }
};

/// Keys that sort points by level, and at random within a level.
template <class ExecSpace>
struct LevelKeys {
  Philox random;
  Keys32<ExecSpace> level, order, key;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p) const {
    key(p) = level(p) << 27 | random.bits(order(p), 0).word[0] >> 5;
  }
};

/// Numbers the places that hold points.
template <class ExecSpace>
struct NumberPlaces {
  CoordinateView<ExecSpace> points;
  Keys32<ExecSpace> order, place;

  KOKKOS_INLINE_FUNCTION bool is_at_place_of(std::int64_t p, std::int64_t other) const {
    for (std::size_t k = 0; k < points.extent(1); ++k)
      if (points(order(p), k) != points(order(other), k)) return false;
    return true;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p, std::uint32_t& count, bool final) const {
    if (p > 0 && !is_at_place_of(p, p - 1)) ++count;
    if (final) place(p) = count;
  }
};

/// Gives the points of a place the least of their keys.
template <class ExecSpace>
struct JoinPlaces {
  Keys32<ExecSpace> place, least, key;
  bool bidding;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t p) const {
    if (bidding) {
      Kokkos::atomic_fetch_min(&least(place(p)), key(p));
    } else {
      key(p) = least(place(p));
    }
  }
};

template <class ExecSpace>
class OrderFinder {
 public:
  OrderFinder(const ExecSpace& exec, const CoordinateView<ExecSpace>& points, std::uint64_t seed,
              const Keys32<ExecSpace>& order)
      : m_exec(exec),
        m_points(points),
        m_n(static_cast<std::int64_t>(points.extent(0))),
        m_random(seeded_philox(seed, kOrderStream)),
        m_order(order) {}

  void random() {
    const auto key = make<Keys32<ExecSpace>>("random_key");
    run("tessera::gp::random_keys", RandomKeys<ExecSpace>{m_random, key, m_order});
    sort(key, 32);
  }

  void coordinate() {
    run("tessera::gp::count_up", CountUp<ExecSpace>{m_order});
    const auto key = make<Keys64<ExecSpace>>("coordinate_key");
    for (int axis = static_cast<int>(m_points.extent(1)) - 1; axis >= 0; --axis) {
      run("tessera::gp::coordinate_keys", CoordinateKeys<ExecSpace>{m_points, axis, key, m_order});
      sort(key, 64);
    }
  }

  void given() { run("tessera::gp::count_up", CountUp<ExecSpace>{m_order}); }

  /// Cell by cell of every level of the hierarchy.
  void curve() {
    const CellHierarchy cells = hierarchy();
    along_curve(cells, make<Keys64<ExecSpace>>("hierarchy_key"));
  }

  void maxmin() {
    const CellHierarchy cells = hierarchy();
    const auto key = make<Keys64<ExecSpace>>("hierarchy_key"),
               best = make<Keys64<ExecSpace>>("best_bid");
    const auto cell = make<Keys32<ExecSpace>>("hierarchy_cell"),
               level_of = make<Keys32<ExecSpace>>("level");
    along_curve(cells, key);
    run("tessera::gp::hierarchy_keys",
        HierarchyKeys<ExecSpace>{m_points, cells, key, m_order, true});
    fill(m_exec, level_of, ChoosePoints<ExecSpace>::kNone);
    const int enough =
        static_cast<int>(std::ceil(std::log2(static_cast<double>(m_n)) / cells.axes)) + 5;
    const int levels =
        std::min({enough, cells.bits, static_cast<int>(ChoosePoints<ExecSpace>::kNone) - 1});
    for (int level = 0; level <= levels; ++level) {
      Kokkos::parallel_scan("tessera::gp::number_cells", range(),
                            NumberCells<ExecSpace>{key, cells.axes * (cells.bits - level), cell});
      fill(m_exec, best, std::numeric_limits<std::uint64_t>::max());
      ChoosePoints<ExecSpace> choose{m_points, cells, level, m_order, cell, level_of, best, true};
      run("tessera::gp::bid", choose);
      choose.bidding = false;
      run("tessera::gp::choose_points", choose);
    }
    const Keys32<ExecSpace> level_key = cell;
    run("tessera::gp::level_keys", LevelKeys<ExecSpace>{m_random, level_of, m_order, level_key});
    join_places(level_key, level_of);
    sort(level_key, 32);
  }

 private:
  /// Points of one place, such as the variables observed there, follow each other. `place` is
  /// overwritten.
  void join_places(const Keys32<ExecSpace>& key, const Keys32<ExecSpace>& place) {
    Kokkos::parallel_scan("tessera::gp::number_places", range(),
                          NumberPlaces<ExecSpace>{m_points, m_order, place});
    const auto least = make<Keys32<ExecSpace>>("least_key");
    fill(m_exec, least, std::numeric_limits<std::uint32_t>::max());
    JoinPlaces<ExecSpace> join{place, least, key, true};
    run("tessera::gp::least_keys", join);
    join.bidding = false;
    run("tessera::gp::join_places", join);
  }

  CellHierarchy hierarchy() const { return CellHierarchy(find_extents(m_exec, m_points)); }
  void along_curve(const CellHierarchy& cells, const Keys64<ExecSpace>& key) {
    run("tessera::gp::hierarchy_keys",
        HierarchyKeys<ExecSpace>{m_points, cells, key, m_order, false});
    sort(key, cells.bits * cells.axes);
  }
  template <class View>
  View make(const char* label) const {
    return allocate<View>(m_exec, std::string("tessera::gp::") + label, m_n);
  }
  Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> range() const {
    return {m_exec, 0, m_n};
  }
  template <class Functor>
  void run(const char* label, const Functor& functor) const {
    Kokkos::parallel_for(label, range(), functor);
  }
  template <class Key>
  void sort(const Kokkos::View<Key*, ExecSpace>& key, int bits) {
    const auto keys = make<Kokkos::View<Key*, ExecSpace>>("sort_keys");
    const auto values = make<Keys32<ExecSpace>>("sort_values");
    sort_by_key(m_exec, key.data(), m_order.data(), static_cast<std::size_t>(m_n), bits,
                SortScratch<ExecSpace, Key>{keys.data(), values.data(), m_sort_scratch});
    m_exec.fence();
  }

  ExecSpace m_exec;
  CoordinateView<ExecSpace> m_points;
  std::int64_t m_n;
  Philox m_random;
  Keys32<ExecSpace> m_order;
  Kokkos::View<char*, typename ExecSpace::memory_space> m_sort_scratch;
};

}  // namespace tessera::gp::detail

namespace tessera::gp {

template <class ExecSpace>
void order_points(const ExecSpace& exec, const CoordinateView<ExecSpace>& points, Ordering ordering,
                  std::uint64_t seed, const Kokkos::View<std::uint32_t*, ExecSpace>& order) {
  if (points.extent(0) == 0) return;
  detail::OrderFinder<ExecSpace> finder(exec, points, seed, order);
  switch (ordering) {
    case Ordering::maxmin:
      return finder.maxmin();
    case Ordering::random:
      return finder.random();
    case Ordering::coordinate:
      return finder.coordinate();
    case Ordering::given:
      return finder.given();
  }
}

template <class ExecSpace>
void order_along_curve(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
                       const Kokkos::View<std::uint32_t*, ExecSpace>& order) {
  if (points.extent(0) > 0) detail::OrderFinder<ExecSpace>(exec, points, 0, order).curve();
}

}  // namespace tessera::gp
