// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/app/signals.hpp"
#include "tessera/mpr/linear/precision_operator.hpp"

/// The linear equations of images with narrow gaps. There an error dies away within a few cells, so
/// that a tile of the image can be solved almost by itself: in fast memory, where a sweep costs
/// little.

namespace tessera::mpr::detail {

/// Gauss-Seidel sweeps for Q x = b over the missing cells of the tiles of one colour, a team for
/// each tile, with the cells around a tile fixed. Tiles of a colour do not touch, and cells that
/// are updated at the same time have no common equation: bits do not depend on threads. Each step
/// lowers the energy of the error. For images without a diagonal whose operator is plain.
template <class ExecSpace, class Real>
struct RelaxTiles {
  static constexpr int kWidth = 64, kHeight = 32, kHalo = 2, kTileColours = 4;
  static constexpr int kPitch = kWidth + 2 * kHalo, kCells = kPitch * (kHeight + 2 * kHalo);
  static constexpr int kMostColours = 5, kMostEntries = kMostColours * ((kWidth + 4) / 5) * kHeight;
  static constexpr int kTeam = 256;  ///< threads of a team on a GPU
  static constexpr int kScratchLevel = compat::is_gpu_v<ExecSpace> ? 0 : 1;
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Column = Columns<Real, 1>;
  using Operator = PrecisionOperator<ExecSpace, Real, 1, 2>;

  Operator op;
  Array<ExecSpace, const Column> b;
  Array<ExecSpace, Column> x;
  int sweeps;
  /// The marks of the frames that are to be relaxed; none: all are
  Array<ExecSpace, const std::uint8_t> wanted = {};
  bool shifted = false;  ///< tiles begin half a tile before the image
  int tile_colour = 0;

  /// Relaxes all tiles, several times. Every second time tiles are shifted, so that what was at
  /// their edges comes to their middle.
  static void run(const ExecSpace& exec, RelaxTiles relax, int passes) {
    for (int pass = 0; pass < passes; ++pass) {
      relax.shifted = pass % 2 == 1;
      relax.run_colours(exec);
      stop_at_signal();
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const auto& level = op.level;
    const int of_frame = across() * down(), tile_number = team.league_rank() % of_frame;
    if (wanted.extent(0) > 0 && wanted(team.league_rank() / of_frame) == 0) return;
    const int x0 = kWidth * (2 * (tile_number % across()) + (tile_colour & 1)) -
                   (shifted ? kWidth / 2 : 0),
              y0 = kHeight * (2 * (tile_number / across()) + tile_colour / 2) -
                   (shifted ? kHeight / 2 : 0);
    if (x0 >= level.grid.nx || y0 >= level.grid.ny) return;
    const std::int64_t origin = level.index(team.league_rank() / of_frame, x0, y0, 0);
    Tile& tile =
        *static_cast<Tile*>(team.team_scratch(+kScratchLevel).get_shmem_aligned(sizeof(Tile), 16));
    const Place place{x0, y0, origin, level.pitch};
    load(team, place, tile);
    list_missing(team, place, tile);

    Operator here = op;  // with the cells of the tile
    here.level.pitch = kPitch;
    here.level.status = Array<ExecSpace, std::uint8_t>(tile.status, kCells);
    const typename Operator::Numbers values(tile.x, kCells);
    for (int s = 0; s < sweeps; ++s) {
      for (int colour = 0; colour < colours(); ++colour) {
        for (int n = team.team_rank(); n < tile.count[colour]; n += team.team_size()) {
          const int entry = colour * per_colour() + n, i = tile.cell[entry];
          const Column rest = tile.b[entry] - here.template apply<true>(values, i);
          tile.x[i].add(Real(1) / here.template diagonal<true>(i), rest);
        }
        team.team_barrier();
      }
    }
    store(team, place, tile);
  }

 private:
  struct Tile {
    Column x[kCells], b[kMostEntries];
    std::uint16_t cell[kMostEntries];  ///< missing, colour by colour
    std::uint8_t status[kCells];
    int count[kMostColours];
  };

  struct Place {
    int x, y;             ///< of the first cell of the tile
    std::int64_t origin;  ///< its index
    int pitch;
    KOKKOS_INLINE_FUNCTION std::int64_t index(int cell) const {
      return origin + static_cast<std::int64_t>(cell / kPitch - kHalo) * pitch +
             (cell % kPitch - kHalo);
    }
  };

  void run_colours(const ExecSpace& exec) {
    for (tile_colour = 0; tile_colour < kTileColours; ++tile_colour) {
      Policy policy(exec, across() * down() * op.level.frames,
                    compat::is_gpu_v<ExecSpace> ? kTeam : 1);
      policy.set_scratch_size(kScratchLevel, Kokkos::PerTeam(static_cast<int>(sizeof(Tile)) + 64));
      Kokkos::parallel_for("tessera::mpr::relax_tiles", policy, *this);
    }
  }

  /// Tiles of a colour in a row and in a column, some of which may be beyond the image.
  KOKKOS_INLINE_FUNCTION int across() const { return tiles(op.level.grid.nx, kWidth); }
  KOKKOS_INLINE_FUNCTION int down() const { return tiles(op.level.grid.ny, kHeight); }
  KOKKOS_INLINE_FUNCTION int tiles(int cells, int of_tile) const {
    return (cells + (shifted ? of_tile / 2 : 0) + 2 * of_tile - 1) / (2 * of_tile);
  }

  /// Cells of a colour are three steps apart with curvature, two without.
  KOKKOS_INLINE_FUNCTION int colours() const {
    return op.couplings.beta == Real(0) ? 2 : kMostColours;
  }
  KOKKOS_INLINE_FUNCTION int colour(int column, int row) const {
    return op.couplings.beta == Real(0) ? (column + row) % 2 : (column + 2 * row) % kMostColours;
  }
  KOKKOS_INLINE_FUNCTION int per_colour() const { return kMostEntries / colours(); }

  KOKKOS_INLINE_FUNCTION static bool is_between(int i, int end) { return i >= 0 && i < end; }

  KOKKOS_INLINE_FUNCTION void load(const Member& team, const Place& place, Tile& tile) const {
    for (int i = team.team_rank(); i < kCells; i += team.team_size()) {
      const bool exists = is_between(place.x + i % kPitch, op.level.grid.nx + 2 * kHalo) &&
                          is_between(place.y + i / kPitch, op.level.grid.ny + 2 * kHalo);
      const std::int64_t j = place.index(i);
      tile.status[i] = exists ? op.level.status(j) : std::uint8_t{kInactive};
      tile.x[i] = exists ? x(j) : Column();
    }
    if (team.team_rank() == 0) {
      for (int c = 0; c < kMostColours; ++c) tile.count[c] = 0;
    }
    team.team_barrier();
  }

  /// Lists the missing cells in any order, on which nothing depends.
  KOKKOS_INLINE_FUNCTION void list_missing(const Member& team, const Place& place,
                                           Tile& tile) const {
    for (int k = team.team_rank(); k < kWidth * kHeight; k += team.team_size()) {
      const int column = k % kWidth, row = k / kWidth, i = (row + kHalo) * kPitch + column + kHalo;
      if (!is_unknown(tile.status[i])) continue;  // border cells are not
      const int own = colour(column, row),
                entry = own * per_colour() + Kokkos::atomic_fetch_add(&tile.count[own], 1);
      tile.cell[entry] = static_cast<std::uint16_t>(i);
      tile.b[entry] = b(place.index(i));
    }
    team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION void store(const Member& team, const Place& place,
                                    const Tile& tile) const {
    for (int colour = 0; colour < colours(); ++colour) {
      for (int n = team.team_rank(); n < tile.count[colour]; n += team.team_size()) {
        const int i = tile.cell[colour * per_colour() + n];
        x(place.index(i)) = tile.x[i];
      }
    }
  }
};

}  // namespace tessera::mpr::detail
