// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/step_context.hpp"

namespace tessera::gbees::detail {

/// The least and the greatest index of some cells along each axis.
template <int D>
struct IndexRange {
  int low[D], high[D];

  KOKKOS_INLINE_FUNCTION IndexRange() {
    for (int i = 0; i < D; ++i) {
      low[i] = 2147483647;
      high[i] = -2147483647;
    }
  }

  template <class Word>
  KOKKOS_INLINE_FUNCTION void add(Word key) {
    for (int i = 0; i < D; ++i) {
      const int k = CellKey<D, Word>::index(key, i);
      low[i] = compat::min(low[i], k);
      high[i] = compat::max(high[i], k);
    }
  }

  /// Returns whether a window of keys of that kind about the middle has room on either side for a
  /// step's growth.
  template <class Word>
  bool leaves_room(int i) const {
    return std::int64_t(high[i]) - low[i] <= 2 * CellKey<D, Word>::limit - 2;
  }
  std::int64_t middle(int i) const { return low[i] + (std::int64_t(high[i]) - low[i]) / 2; }

  KOKKOS_INLINE_FUNCTION IndexRange& operator+=(const IndexRange& other) {
    for (int i = 0; i < D; ++i) {
      low[i] = compat::min(low[i], other.low[i]);
      high[i] = compat::max(high[i], other.high[i]);
    }
    return *this;
  }
};

/// The first row, by key, at which a velocity is not finite, or by mass its mass after the step.
template <class Context>
struct FirstBad {
  static constexpr const char* label = "tessera::gbees::first_bad";
  using View = typename Context::View;
  using Loop = LoopOver<Range::allocated, kStopAny>;
  Context s;
  bool by_mass;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         typename Context::KeyWord& first) const {
    const auto key = s.key(c);
    const bool is_bad = by_mass ? !compat::is_finite(view.next[c])
                                : !(s.crossing_time(s.velocity.grid.cell(key), c) > 0);
    if (is_bad) first = compat::min(first, key);
  }
};

/// Adds a number to the keys of the cells in the first rows.
template <class Keys>
struct MoveKeys {
  Keys key;
  typename Keys::non_const_value_type distance;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const { key(i + 1) += distance; }
};

/// The range of all cells.
template <class Context>
struct FindIndexRange {
  static constexpr const char* label = "tessera::gbees::index_range";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View&, std::uint32_t c,
                                         IndexRange<Context::D>& range) const {
    range.add(s.key(c));
  }
};

}  // namespace tessera::gbees::detail
