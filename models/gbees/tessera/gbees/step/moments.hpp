// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/index_range.hpp"

/// Sums over the cells for a record. All of them are order independent: exact sums, maxima, integer
/// atomics.

namespace tessera::gbees::detail {

/// Sum of p and of p ln p.
struct MassAndEntropy {
  ExactSum mass, p_log_p;
  KOKKOS_INLINE_FUNCTION void add(double p) {
    mass.add(p);
    p_log_p.add(p * compat::math::log(p));
  }
  KOKKOS_INLINE_FUNCTION MassAndEntropy& operator+=(const MassAndEntropy& other) {
    mass += other.mass;
    p_log_p += other.p_log_p;
    return *this;
  }
};

template <class Context>
struct SumEntropy {
  static constexpr const char* label = "tessera::gbees::sum_entropy";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         MassAndEntropy& sum) const {
    const double p = view.mass[c] * view.scale;
    if (p > 0) sum.add(p);
  }
};

/// The sums of mass and entropy, the largest probability, how many cells are active, and the range
/// of indices of the cells that hold mass.
template <int D, class Word>
struct Overview : MassAndEntropy {
  std::uint64_t active = 0;
  double max_p = 0;
  /// Key of the cell with the largest probability; the smallest key among equals
  Word max_key = ~Word(0);
  IndexRange<D> range;

  KOKKOS_INLINE_FUNCTION void add(double p, bool is_active, Word key) {
    MassAndEntropy::add(p);
    active += is_active ? 1 : 0;
    take_max(p, key);
    range.add(key);
  }

  KOKKOS_INLINE_FUNCTION Overview& operator+=(const Overview& other) {
    MassAndEntropy::operator+=(other);
    active += other.active;
    take_max(other.max_p, other.max_key);
    range += other.range;
    return *this;
  }

 private:
  KOKKOS_INLINE_FUNCTION void take_max(double p, Word key) {
    if (p > max_p || (p == max_p && key < max_key)) {
      max_p = p;
      max_key = key;
    }
  }
};

template <class Context>
struct TakeOverview {
  static constexpr const char* label = "tessera::gbees::overview";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(
      const View& view, std::uint32_t c,
      Overview<Context::D, typename Context::KeyWord>& overview) const {
    const double p = view.mass[c] * view.scale;
    if (p > 0) overview.add(p, p >= s.threshold, s.key(c));
  }
};

/// Sums of p, and of p times the cosine and the sine of the direction of the cell, for an axis that
/// is a circle.
struct DirectionSums {
  ExactSum mass, cosine, sine;
  KOKKOS_INLINE_FUNCTION DirectionSums& operator+=(const DirectionSums& other) {
    mass += other.mass;
    cosine += other.cosine;
    sine += other.sine;
    return *this;
  }

  /// Adds a cell; the one of index 0 lies straight ahead.
  template <int D>
  KOKKOS_INLINE_FUNCTION void add(const Grid<D>& grid, int axis, int k, double p) {
    const double angle = 2 * 3.14159265358979323846 * k / grid.turn[axis];
    mass.add(p);
    cosine.add(p * compat::math::cos(angle));
    sine.add(p * compat::math::sin(angle));
  }
};

template <class Context>
struct SumDirections {
  static constexpr const char* label = "tessera::gbees::directions";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  int axis = 0;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         DirectionSums& sums) const {
    sums.add(s.velocity.grid, axis, Context::Key::index(s.key(c), axis), view.mass[c] * view.scale);
  }
};

/// The places that distances in cells count from: a cell, but round circles the mean direction,
/// from which distances go the shortest way round.
template <int D>
struct IndexFrame {
  int index[D];
  double middle[D];  ///< of circles, as an index that need not be whole
  int turn[D];       ///< Grid::turn

  template <class Word>
  KOKKOS_INLINE_FUNCTION double distance(Word key, int i) const {
    const int k = CellKey<D, Word>::index(key, i);
    if (turn[i] == 0) return static_cast<double>(k - index[i]);
    return Circle{0, static_cast<double>(turn[i])}.shortest(k - middle[i]);
  }
};

/// Sums of p d_i and of p d_i d_j for one axis i and all j >= i, where d is the distance in cells
/// in a frame.
template <int D>
struct IndexMoments {
  ExactSum first;
  ExactSum second[D];
  KOKKOS_INLINE_FUNCTION IndexMoments& operator+=(const IndexMoments& other) {
    first += other.first;
    for (int j = 0; j < D; ++j) second[j] += other.second[j];
    return *this;
  }
};

template <class Context>
struct SumIndexMoments {
  static constexpr const char* label = "tessera::gbees::moments";
  static constexpr int D = Context::D;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  int axis;
  IndexFrame<D> frame;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         IndexMoments<D>& sums) const {
    const auto key = s.key(c);
    const double first = view.mass[c] * view.scale * frame.distance(key, axis);
    sums.first.add(first);
    for (int j = axis; j < D; ++j) sums.second[j].add(first * frame.distance(key, j));
  }
};

/// Number of active cells.
template <class Context>
struct CountActive {
  static constexpr const char* label = "tessera::gbees::count_active";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         std::uint64_t& active) const {
    if (view.mass[c] * view.scale >= s.threshold) ++active;
  }
};

/// Adds each cell to the bins of the marginals along all axes, in units of 2^-62 so that the order
/// does not matter.
template <class Context>
struct BinMarginals {
  static constexpr const char* label = "tessera::gbees::marginals";
  static constexpr int D = Context::D;
  static constexpr double kUnits = 0x1p62;
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;
  int low[D];    ///< first index along each axis
  int start[D];  ///< its bin
  // Kokkos adds values of type unsigned long long by a loop of exchanges on a GPU
  typename Context::template Array<std::uint64_t*> bins;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const auto key = s.key(c);
    for (int i = 0; i < D; ++i) {
      Kokkos::atomic_fetch_add(&bins(start[i] + Context::Key::index(key, i) - low[i]),
                               static_cast<std::uint64_t>(p * kUnits));
    }
  }
};

}  // namespace tessera::gbees::detail
