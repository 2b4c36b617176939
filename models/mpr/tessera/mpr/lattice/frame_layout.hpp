// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/lattice/grid.hpp"

namespace tessera::mpr::detail {

/// Sites, or whatever else a kernel goes through, counted in 64 bits.
template <class ExecSpace>
using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

/// The columns where the tiles of an image begin: every 64 columns. Where columns go round, tiles
/// are of equal width and even in number, so that neighbours also across the seam have different
/// colours.
struct TileColumns {
  int nx = 0, tiles = 1;
  bool equal = false;

  TileColumns() = default;
  TileColumns(int columns, int width, bool periodic)
      : nx(columns),
        tiles(periodic ? 2 * ((columns + 2 * width - 1) / (2 * width))
                       : (columns + width - 1) / width),
        equal(periodic) {}
  KOKKOS_INLINE_FUNCTION int first(int tile) const;
  KOKKOS_INLINE_FUNCTION int width(int tile) const { return first(tile + 1) - first(tile); }
};

/// The layout of a frame in memory: with two empty elements on every side, so that neighbours need
/// no test; where columns go round, those beside the first and the last column repeat the last and
/// the first ones. Images are padded to whole tiles.
struct Layout {
  static constexpr int kHalo = 2;
  static constexpr int kTile = 64;  ///< columns and at most rows of a tile

  Grid grid;
  int pitch = 0;           ///< elements from row to row
  int plane = 0;           ///< elements from layer to layer
  std::int64_t frame = 0;  ///< elements of a frame

  Layout() = default;
  explicit Layout(const Grid& frame_grid) : grid(frame_grid) {
    const bool flat = grid.nz == 1;
    const auto whole_tiles = [](int n) { return (n + kTile - 1) / kTile * kTile; };
    pitch = (flat ? whole_tiles(grid.nx) : grid.nx) + 2 * kHalo;
    const std::int64_t rows = (flat ? whole_tiles(grid.ny) : grid.ny) + 2 * kHalo;
    const std::int64_t layer = pitch * rows;
    plane = static_cast<int>(layer);
    frame = flat ? layer : layer * (grid.nz + 2 * kHalo);
  }

  KOKKOS_INLINE_FUNCTION int index(int x, int y, int z) const {
    return (grid.nz > 1 ? (z + kHalo) * plane : 0) + (y + kHalo) * pitch + x + kHalo;
  }
};

KOKKOS_INLINE_FUNCTION int TileColumns::first(int tile) const {
  if (equal) return static_cast<int>(static_cast<std::int64_t>(tile) * nx / tiles);
  return tile < tiles ? tile * Layout::kTile : nx;
}

}  // namespace tessera::mpr::detail
