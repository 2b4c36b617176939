// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/gbees/grid/grid.hpp"

/// The division of the cells among ranks, as kernels see it. Each rank owns the cells in one range
/// of positions along a space-filling curve, the one along which prunes sort rows. All ranges
/// together cover the whole curve, with the cells that do not exist yet.

namespace tessera::gbees::detail {

/// Bits 32 n to 32 n + 31, n = `number`, of the Morton order of a cell: the bits of its indices
/// interleaved.
template <int D, class Word>
KOKKOS_INLINE_FUNCTION std::uint32_t morton_word(Word key, int number) {
  std::uint32_t word = 0;
  for (int p = 0; p < 32; ++p) {
    const int position = 32 * number + p;
    if (position >= CellKey<D, Word>::bits * D) break;
    word |= static_cast<std::uint32_t>(
                key >> (CellKey<D, Word>::shift(D - 1 - position % D) + position / D) & 1)
            << p;
  }
  return word;
}

/// The position of a cell along the curve that ranks divide: in Morton order on a GPU, in the order
/// of the keys on a CPU (SpaceFillingCurve).
template <int D, bool is_gpu>
KOKKOS_INLINE_FUNCTION std::uint64_t curve_position(std::uint64_t key) {
  return is_gpu ? morton_word<D>(key, 0) | static_cast<std::uint64_t>(morton_word<D>(key, 1)) << 32
                : key;
}

/// The bits of a position in Morton order that belong to an axis.
template <int D>
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t morton_mask(int axis) {
  std::uint64_t mask = 0;
  for (int bit = 0; bit < CellKey<D>::bits; ++bit)
    mask |= std::uint64_t(1) << (bit * D + D - 1 - axis);
  return mask;
}

/// The position of a cell's neighbour in direction d (2i: down, 2i+1: up axis i), from the cell's
/// own: in Morton order a carry or borrow passes over the bits of the other axes.
template <int D, bool is_gpu>
KOKKOS_INLINE_FUNCTION std::uint64_t neighbour_position(std::uint64_t position, int d) {
  if constexpr (is_gpu) {
    const std::uint64_t mask = morton_mask<D>(d / 2), own = position & mask;
    const std::uint64_t moved =
        d & 1 ? (own | ~mask) + 1 : own - (std::uint64_t(1) << (D - 1 - d / 2));
    return (position & ~mask) | (moved & mask);
  } else {
    const std::uint64_t unit = CellKey<D>::unit(d / 2);
    return d & 1 ? position + unit : position - unit;
  }
}

/// A cell that concerns another rank: a key that belongs there, or the cell of a row with
/// neighbours there.
struct Posted {
  std::uint64_t key;
  double mass = 0;
  std::uint32_t row = 0;
  std::uint32_t directions = 0;  ///< in which the neighbours are: bit d
  /// Number of the first of these faces among all that are posted for that rank
  std::uint32_t face = 0;
};

/// The numbers of posted cells and faces: in one number, for one addition.
struct PostedCounts {
  std::uint64_t both = 0;
  KOKKOS_INLINE_FUNCTION std::uint32_t cells() const { return static_cast<std::uint32_t>(both); }
  KOKKOS_INLINE_FUNCTION std::uint32_t faces() const {
    return static_cast<std::uint32_t>(both >> 32);
  }
};

/// The cells that kernels have found for one other rank, in any order: those that the threads of a
/// warp post together stay together. The counts go on when there is no room, so that they tell how
/// much is needed.
struct Outbox {
  Posted* item = nullptr;
  PostedCounts* counts = nullptr;
  std::uint32_t room = 0;

  KOKKOS_INLINE_FUNCTION void post(Posted posted) const {
    const auto faces = static_cast<std::uint64_t>(compat::popcount(posted.directions));
    const PostedCounts before{compat::warp_fetch_add(&counts->both, faces << 32 | 1)};
    posted.face = before.faces();
    if (before.cells() < room) item[before.cells()] = posted;
  }
};

/// The part of one rank, and what it has for the others. Cells are told by their positions along
/// the curve.
template <int D, bool is_gpu>
struct Division {
  std::uint64_t first = 0, length = 0;   ///< of its range of positions
  const std::uint64_t* begin = nullptr;  ///< of each rank's range, ascending
  const Outbox* outbox = nullptr;        ///< for each rank
  int ranks = 0;

  KOKKOS_INLINE_FUNCTION bool is_own(std::uint64_t position) const {
    return position - first < length;
  }

  /// The rank that owns a cell: the last whose range begins at its position or before.
  KOKKOS_INLINE_FUNCTION int owner(std::uint64_t position) const {
    int low = 0, high = ranks;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (begin[middle] <= position ? low : high) = middle;
    }
    return low;
  }

  /// Posts a key to the rank that owns the cell.
  KOKKOS_INLINE_FUNCTION void post_to_owner(std::uint64_t key, std::uint64_t position) const {
    outbox[owner(position)].post({key});
  }
};

}  // namespace tessera::gbees::detail
