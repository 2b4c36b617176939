// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/step_context.hpp"

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

  KOKKOS_INLINE_FUNCTION void add(std::uint64_t key) {
    for (int i = 0; i < D; ++i) {
      const int k = CellKey<D>::index(key, i);
      low[i] = compat::min(low[i], k);
      high[i] = compat::max(high[i], k);
    }
  }

  /// Whether a window about the middle has room on either side for a step's growth.
  bool leaves_room(int i) const { return std::int64_t(high[i]) - low[i] <= 2 * CellKey<D>::limit - 2; }
  std::int64_t middle(int i) const { return low[i] + (std::int64_t(high[i]) - low[i]) / 2; }

  KOKKOS_INLINE_FUNCTION IndexRange& operator+=(const IndexRange& other) {
    for (int i = 0; i < D; ++i) {
      low[i] = compat::min(low[i], other.low[i]);
      high[i] = compat::max(high[i], other.high[i]);
    }
    return *this;
  }
};

/// Adds a number to the keys of the cells in the first rows.
template <class Keys>
struct MoveKeys {
  Keys key;
  std::uint64_t distance;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i) const { key(i + 1) += distance; }
};

/// The range of all cells.
template <class Context>
struct FindIndexRange {
  static constexpr const char* label = "tessera::gbees::index_range";
  using View = typename Context::View;
  using Loop = LoopOverCells;
  Context s;

  KOKKOS_INLINE_FUNCTION void operator()(const View&, std::uint32_t c, IndexRange<Context::D>& range) const { range.add(s.key(c)); }
};

}  // namespace tessera::gbees::detail
