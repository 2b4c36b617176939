// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::mpr {

/// What a place of the grid is.
enum Site : std::uint8_t {
  kInactive = 0,  ///< not part of the field (land in an image of the sea): in no sum, and left as it is
  kSample = 1,    ///< known: held fixed
  kMissing = 2,   ///< to be predicted
};

/// One frame: nx columns, ny rows, nz layers (depth or time; 1 for an image), x fastest.
struct Grid {
  int nx = 1, ny = 1, nz = 1;

  KOKKOS_INLINE_FUNCTION std::int64_t sites() const { return static_cast<std::int64_t>(nx) * ny * nz; }
  KOKKOS_INLINE_FUNCTION int dimension() const { return nz > 1 ? 3 : 2; }
};

/// How a frame lies in memory: with two empty places on every side, so that neighbours need no test. Images are padded to whole tiles.
struct Layout {
  static constexpr int kHalo = 2;
  static constexpr int kTile = 64;  ///< columns and at most rows of a tile

  Grid grid;
  int pitch = 0;           ///< places from row to row
  int plane = 0;           ///< places from layer to layer
  std::int64_t frame = 0;  ///< places of a frame

  static Layout of(const Grid& grid) {
    Layout layout;
    layout.grid = grid;
    const bool flat = grid.nz == 1;
    const auto whole_tiles = [](int n) { return (n + kTile - 1) / kTile * kTile; };
    layout.pitch = (flat ? whole_tiles(grid.nx) : grid.nx) + 2 * kHalo;
    const std::int64_t rows = (flat ? whole_tiles(grid.ny) : grid.ny) + 2 * kHalo;
    const std::int64_t plane = layout.pitch * rows;
    layout.plane = static_cast<int>(plane);
    layout.frame = flat ? plane : plane * (grid.nz + 2 * kHalo);
    return layout;
  }

  KOKKOS_INLINE_FUNCTION int index(int x, int y, int z) const {
    return (grid.nz > 1 ? (z + kHalo) * plane : 0) + (y + kHalo) * pitch + x + kHalo;
  }
};

}  // namespace tessera::mpr
