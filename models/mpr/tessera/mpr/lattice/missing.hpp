// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/mpr/lattice/frame_layout.hpp"

/// Lists of the missing sites in the order in which they are updated.
///
/// Sites of one colour are not coupled and are updated together. Next neighbours need two colours,
/// a checkerboard; second neighbours need five, x + 2 y mod 5, or in three dimensions seven, x + 2
/// y + 3 z mod 7. Within a colour regular sites (couplings.hpp) come first.

namespace tessera::mpr::detail {

/// The segments of a list: one per colour, or two with second neighbours (regular sites, sites at
/// an edge).
struct Colouring {
  int dimension = 2;
  bool second_neighbours = false;

  KOKKOS_INLINE_FUNCTION int colours() const {
    return second_neighbours ? (dimension == 2 ? 5 : 7) : 2;
  }
  KOKKOS_INLINE_FUNCTION int segments() const { return second_neighbours ? 2 * colours() : 2; }
  KOKKOS_INLINE_FUNCTION int colour(int x, int y, int z) const {
    if (!second_neighbours) return (x + y + z) & 1;
    return dimension == 2 ? (x + 2 * y) % 5 : (x + 2 * y + 3 * z) % 7;
  }
};

/// Returns whether every site within two steps of (x, y, z) is active.
template <class Status>
KOKKOS_INLINE_FUNCTION bool is_regular(const Status& status, std::int64_t frame, const Grid& grid,
                                       int x, int y, int z) {
  const int depth = grid.nz > 1 ? 2 : 0;
  for (int dz = -depth; dz <= depth; ++dz) {
    const int rest = 2 - (dz < 0 ? -dz : dz);
    for (int dy = -rest; dy <= rest; ++dy) {
      const int width = rest - (dy < 0 ? -dy : dy);
      if (y + dy < 0 || y + dy >= grid.ny || z + dz < 0 || z + dz >= grid.nz || x - width < 0 ||
          x + width >= grid.nx)
        return false;
      const std::int64_t row = frame + grid.site(x, y + dy, z + dz);
      for (int dx = -width; dx <= width; ++dx) {
        if (status(row + dx) == kInactive) return false;
      }
    }
  }
  return true;
}

/// The part of a grid that is listed: rows of an image, in whole tiles unless they are the last
/// ones, or layers of a stack. A slab is a stack too: of two layers at least, or of none.
struct Slab {
  int first = 0, count = 0;

  /// The part of a grid; with so many rows or layers.
  KOKKOS_INLINE_FUNCTION Grid of(const Grid& grid) const {
    return grid.nz == 1 ? Grid{grid.nx, count, 1} : Grid{grid.nx, grid.ny, count};
  }
};

/// Rows of an image, or layers of a stack.
KOKKOS_INLINE_FUNCTION int extent_of_slabs(const Grid& grid) {
  return grid.nz == 1 ? grid.ny : grid.nz;
}

/// Layers of a stack that are listed together: as many as couplings reach, and enough sites for the
/// teams of each colour.
inline int layers_together(const Grid& grid) {
  constexpr std::int64_t kEnough = 4096;
  const std::int64_t of_layer = static_cast<std::int64_t>(grid.nx) * grid.ny;
  return static_cast<int>(std::max<std::int64_t>(2, (kEnough + of_layer - 1) / of_layer));
}

/// The missing sites of all frames, or of a slab of one. An image is cut into tiles of at most 64
/// columns and `tile_rows` rows: the list runs over frames, tiles, segments, rows, and an entry is
/// row * 64 + column inside the tile. A few layers of a stack are a tile: the list runs over
/// frames, tiles, segments, rows, and an entry is the index in the padded frame.
template <class ExecSpace, class Entry>
struct MissingList {
  Grid grid;
  Layout layout;
  Colouring colouring;
  int frames = 1, tile_rows = 64, tiles_x = 1, tiles_y = 1;
  TileColumns columns;
  Array<ExecSpace, Entry> entries;
  /// The first of each (frame, tile, segment) in entries, and the end of the last one
  Array<ExecSpace, std::uint32_t> begin;
  /// The number of the first site of a frame, in random numbers; what the entries of a stack lack
  std::uint32_t first_number = 0;
  std::uint32_t row_numbers = 0;   ///< and from row to row
  std::uint32_t count = 0;         ///< of all missing sites
  int first = 0;                   ///< row or layer that is listed
  int first_tile = 0;              ///< that is listed
  int all_tiles = 1;               ///< of the whole image
  std::uint32_t longest_tile = 0;  ///< missing sites of the fullest tile

  KOKKOS_INLINE_FUNCTION bool tiled() const { return grid.nz == 1; }
  /// The number of tiles that are listed.
  KOKKOS_INLINE_FUNCTION int tiles() const { return tiles_x * tiles_y; }
};

/// Counts the entries of each row of a tile or stack, by segments, or writes them. A functor over
/// rows.
template <class ExecSpace, class Entry, bool Fill>
struct ListRows {
  Grid grid;
  Layout layout;
  Colouring colouring;
  int tile_rows;
  TileColumns columns;
  int tiles_y, first;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, std::uint32_t> offsets;
  Array<ExecSpace, Entry> entries;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t piece) const {
    if (grid.nz == 1) {
      const int row = static_cast<int>(piece % tile_rows);
      const std::int64_t rest = piece / tile_rows;
      const int tiles = columns.tiles * tiles_y, tile = static_cast<int>(rest % tiles);
      const std::int64_t frame = rest / tiles;
      const int x0 = columns.first(tile % columns.tiles),
                y = first + tile / columns.tiles * tile_rows + row;
      const int width = columns.width(tile % columns.tiles);
      walk(frame, rest * colouring.segments() * tile_rows + row, tile_rows, x0,
           y < grid.ny ? width : 0, y, row, 0);
    } else {
      const int row = static_cast<int>(piece % tile_rows), y = row % grid.ny;
      const std::int64_t rest = piece / tile_rows;
      // The layer is counted from the first of the slab.
      const int layer = static_cast<int>(rest % tiles_y) * (tile_rows / grid.ny) + row / grid.ny;
      const int width = layer < layout.grid.nz ? grid.nx : 0;
      walk(rest / tiles_y, rest * colouring.segments() * tile_rows + row, tile_rows, 0, width, y, y,
           first + layer);
    }
  }

  /// The sites of one row. The counters of its segments are `stride` apart.
  KOKKOS_INLINE_FUNCTION void walk(std::int64_t frame, std::int64_t counter, std::int64_t stride,
                                   int x0, int width, int y, int local_y, int z) const {
    std::uint32_t next[14];
    const int segments = colouring.segments();
    for (int s = 0; s < segments; ++s) next[s] = Fill ? offsets(counter + s * stride) : 0;
    const std::int64_t of_frame = frame * grid.sites();
    const std::int64_t row = of_frame + grid.site(x0, y, z);
    for (int x = 0; x < width; ++x) {
      if (status(row + x) != kMissing) continue;
      int segment = colouring.colour(x, local_y, z);
      if (colouring.second_neighbours)
        segment = 2 * segment + (is_regular(status, of_frame, grid, x0 + x, y, z) ? 0 : 1);
      if constexpr (Fill) {
        entries(next[segment]) = static_cast<Entry>(grid.nz == 1 ? local_y * Layout::kTile + x
                                                                 : layout.index(x, y, z - first));
      }
      ++next[segment];
    }
    if constexpr (!Fill) {
      for (int s = 0; s < segments; ++s) offsets(counter + s * stride) = next[s];
    }
  }
};

/// Exclusive sum in place, from counts to offsets; the last element, which is no count, becomes the
/// total.
template <class ExecSpace>
struct ExclusiveSum {
  Array<ExecSpace, std::uint32_t> offsets;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::uint32_t& sum, bool final) const {
    const std::uint32_t count = offsets(i);
    if (final) offsets(i) = sum;
    sum += count;
  }
};

template <class ExecSpace>
struct EveryNth {
  Array<ExecSpace, std::uint32_t> from, to;
  std::int64_t n;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i * n); }
};

template <class ExecSpace>
struct LongestTile {
  Array<ExecSpace, std::uint32_t> begin;
  int segments;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t tile, std::uint32_t& longest) const {
    longest = compat::max(longest, begin((tile + 1) * segments) - begin(tile * segments));
  }
};

/// Builds the list on the device. status: a Site for each site, [frame][site]. The entries are left
/// out when a tile has more than `most`. periodic: columns of images go round. slab: what is
/// listed.
template <class ExecSpace, class Entry>
MissingList<ExecSpace, Entry> list_missing(const ExecSpace& exec, const Grid& grid, int frames,
                                           int tile_rows, bool second_neighbours,
                                           const Array<ExecSpace, const std::uint8_t>& status,
                                           std::uint32_t most, bool periodic, const Slab& slab) {
  MissingList<ExecSpace, Entry> list;
  list.grid = grid;
  list.layout = Layout(slab.of(grid));
  list.first = slab.first;
  list.colouring = {grid.dimension(), second_neighbours};
  list.row_numbers = static_cast<std::uint32_t>(grid.nx);
  list.frames = frames;
  list.tile_rows = tile_rows;
  if (list.tiled()) {
    list.columns = TileColumns(grid.nx, Layout::kTile, periodic);
    list.tiles_x = list.columns.tiles;
    list.tiles_y = (slab.count + tile_rows - 1) / tile_rows;
    list.first_tile = slab.first / tile_rows * list.tiles_x;
    list.all_tiles = (grid.ny + tile_rows - 1) / tile_rows * list.tiles_x;
  } else {
    list.tile_rows = layers_together(grid) * grid.ny;
    list.tiles_y = (slab.count + layers_together(grid) - 1) / layers_together(grid);
    list.first_number =
        static_cast<std::uint32_t>(slab.first) * static_cast<std::uint32_t>(list.layout.plane);
  }
  const int segments = list.colouring.segments();
  const std::int64_t rows = list.tile_rows;
  const std::int64_t pieces = static_cast<std::int64_t>(frames) * list.tiles() * rows,
                     counters = pieces * segments;
  const Array<ExecSpace, std::uint32_t> offsets(Kokkos::view_alloc(exec, "tessera::mpr::offsets"),
                                                static_cast<std::size_t>(counters) + 1);
  Kokkos::parallel_for("tessera::mpr::count_missing", Range<ExecSpace>(exec, 0, pieces),
                       ListRows<ExecSpace, Entry, false>{grid,
                                                         list.layout,
                                                         list.colouring,
                                                         list.tile_rows,
                                                         list.columns,
                                                         list.tiles_y,
                                                         list.first,
                                                         status,
                                                         offsets,
                                                         {}});
  Kokkos::parallel_scan("tessera::mpr::count_to_offset", Range<ExecSpace>(exec, 0, counters + 1),
                        ExclusiveSum<ExecSpace>{offsets});
  const std::uint32_t total =
      download_scalar(exec, Kokkos::subview(offsets, static_cast<std::size_t>(counters)));
  list.count = total;
  const std::int64_t groups = static_cast<std::int64_t>(frames) * list.tiles() * segments;
  list.begin = Array<ExecSpace, std::uint32_t>(Kokkos::view_alloc(exec, "tessera::mpr::begin"),
                                               static_cast<std::size_t>(groups) + 1);
  Kokkos::parallel_for("tessera::mpr::begin", Range<ExecSpace>(exec, 0, groups + 1),
                       EveryNth<ExecSpace>{offsets, list.begin, rows});
  if (list.tiled()) {
    Kokkos::parallel_reduce(
        "tessera::mpr::longest_tile",
        Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(frames) * list.tiles()),
        LongestTile<ExecSpace>{list.begin, segments},
        Kokkos::Max<std::uint32_t>(list.longest_tile));
    exec.fence();
  }
  if (list.longest_tile > most) return list;
  list.entries = Array<ExecSpace, Entry>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::mpr::entries"), total);
  Kokkos::parallel_for("tessera::mpr::list_missing", Range<ExecSpace>(exec, 0, pieces),
                       ListRows<ExecSpace, Entry, true>{grid, list.layout, list.colouring,
                                                        list.tile_rows, list.columns, list.tiles_y,
                                                        list.first, status, offsets, list.entries});
  return list;
}

}  // namespace tessera::mpr::detail
