// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees::detail {

/// Hasher of cell keys for Kokkos::UnorderedMap. Cells of one small block of the grid get
/// consecutive numbers, in the order of the space-filling curve that rows are sorted by, and blocks
/// are spread by two multiplications with the odd number next to 2^64 divided by the golden ratio.
/// So threads that work on neighbouring rows touch the same cache lines of the map.
template <int D, int local_bits = 3, class Word = std::uint64_t>
struct CellHash {
  KOKKOS_INLINE_FUNCTION std::uint32_t operator()(Word key) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    constexpr Word kBlockMask = ~local_mask();
    std::uint32_t local = 0;
    TESSERA_UNROLL
    for (int p = 0; p < local_bits; ++p)
      local |= static_cast<std::uint32_t>(key >> position(p) & 1) << p;
    const Word block = key & kBlockMask;
    std::uint64_t hash = static_cast<std::uint64_t>(block) * kGolden;
    if constexpr (sizeof(Word) > 8)
      hash = (hash ^ (hash >> 32) ^ static_cast<std::uint64_t>(block >> 64)) * kGolden;
    hash = (hash ^ (hash >> 32)) * kGolden;
    return static_cast<std::uint32_t>(hash >> 32) << local_bits | local;
  }

 private:
  /// Returns the position in a key of bit p of the curve: the lowest bits of all axes come first,
  /// the last axis before the others.
  KOKKOS_INLINE_FUNCTION static constexpr int position(int p) {
    return CellKey<D, Word>::shift(D - 1 - p % D) + p / D;
  }

  KOKKOS_INLINE_FUNCTION static constexpr Word local_mask() {
    Word mask = 0;
    for (int p = 0; p < local_bits; ++p) mask |= Word(1) << position(p);
    return mask;
  }
};

}  // namespace tessera::gbees::detail
