// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/gbees/grid.hpp"

/// How the cells are divided among ranks, as kernels see it. Each rank owns the cells in one range of positions along a space-filling
/// curve, that which prunes sort rows along; all ranges together cover the whole of it, cells that do not exist yet included.

namespace tessera::gbees::detail {

/// Bits 32 n to 32 n + 31, n = `number`, of the Morton order of a cell: the bits of its indices interleaved.
template <int D, class Word>
KOKKOS_INLINE_FUNCTION std::uint32_t morton_word(Word key, int number) {
  std::uint32_t word = 0;
  for (int p = 0; p < 32; ++p) {
    const int position = 32 * number + p;
    if (position >= CellKey<D, Word>::bits * D) break;
    word |= static_cast<std::uint32_t>(key >> (CellKey<D, Word>::shift(D - 1 - position % D) + position / D) & 1) << p;
  }
  return word;
}

/// The position of a cell along the curve: in Morton order on a GPU, in the order of the keys on a CPU (SpaceFillingCurve).
template <int D, bool is_gpu>
KOKKOS_INLINE_FUNCTION std::uint64_t curve_position(std::uint64_t key) {
  return is_gpu ? morton_word<D>(key, 0) | static_cast<std::uint64_t>(morton_word<D>(key, 1)) << 32 : key;
}

/// A cell that concerns another rank: a key that belongs there, or a row whose neighbour in some direction would.
struct Posted {
  std::uint64_t key;
  double mass;
  std::uint32_t row, direction;
};

/// What a kernel has found for other ranks, in any order. `count` goes on when there is no room, so that it tells how much is needed.
struct Outbox {
  Posted* item = nullptr;
  std::uint32_t* count = nullptr;
  std::uint32_t room = 0;

  KOKKOS_INLINE_FUNCTION void post(const Posted& posted) const {
    const std::uint32_t at = Kokkos::atomic_fetch_add(count, 1u);
    if (at < room) item[at] = posted;
  }
};

/// The part of one rank, and what it has for the others.
template <int D, bool is_gpu>
struct Division {
  std::uint64_t first = 0, length = 0;  ///< of its range of positions
  Outbox outbox;

  KOKKOS_INLINE_FUNCTION bool is_own(std::uint64_t key) const { return curve_position<D, is_gpu>(key) - first < length; }
};

}  // namespace tessera::gbees::detail
