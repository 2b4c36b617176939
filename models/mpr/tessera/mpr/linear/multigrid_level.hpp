// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/linear/site_columns.hpp"

/// The grids of the multigrid solver, from fine to coarse.

namespace tessera::mpr::detail {

/// One level: frames of nx * ny * nz cells with a border of two inactive cells, so that neighbours
/// need no test.
template <class ExecSpace>
struct MultigridLevel {
  static constexpr int kBorder = 2;
  static constexpr std::uint8_t kKind = 3;  ///< the bits of a status that hold a Site
  /// Every cell within two steps in the directions of the couplings is active
  static constexpr std::uint8_t kRegular = 4;
  /// Every cell around, also across corners, is active
  static constexpr std::uint8_t kInner = 8;

  Grid grid;
  int frames = 1, tilt = 0, pitch = 0, plane = 0;
  bool periodic = false;  ///< the first column is next to the last
  std::int64_t frame = 0;
  int shrink[3] = {1, 1, 1};  ///< cells of the finer level along x, y, z in one of this
  std::int64_t missing = 0;   ///< of the frames of all ranks
  Array<ExecSpace, std::uint8_t> status;

  MultigridLevel() = default;
  /// tilt_of_third: of the third direction of images (AxisCouplings). goes_round: along x.
  MultigridLevel(const Grid& cells, int frame_count, int tilt_of_third, bool goes_round)
      : grid(cells),
        frames(frame_count),
        tilt(tilt_of_third),
        pitch(cells.nx + 2 * kBorder),
        plane(pitch * (cells.ny + 2 * kBorder)),
        periodic(goes_round),
        frame(static_cast<std::int64_t>(plane) * (cells.nz > 1 ? cells.nz + 2 * kBorder : 1)) {}

  /// Along which neighbours are coupled.
  int directions() const { return grid.nz > 1 || tilt != 0 ? 3 : 2; }
  std::int64_t size() const { return frame * frames; }
  std::int64_t sites() const { return grid.sites() * frames; }

  KOKKOS_INLINE_FUNCTION std::int64_t index(std::int64_t f, int x, int y, int z) const {
    return f * frame + (grid.nz > 1 ? static_cast<std::int64_t>(z + kBorder) * plane : 0) +
           static_cast<std::int64_t>(y + kBorder) * pitch + x + kBorder;
  }
  /// Returns the index of a site that is numbered through all frames without border.
  KOKKOS_INLINE_FUNCTION std::int64_t site_index(std::int64_t site) const {
    const Position at = grid.position(site);
    return index(at.z / grid.nz, at.x, at.y, static_cast<int>(at.z % grid.nz));
  }
  /// Returns the step to the next cell in a direction.
  KOKKOS_INLINE_FUNCTION std::int64_t step(int direction) const {
    return direction == 0 ? 1 : direction == 1 ? pitch : tilt != 0 ? pitch + tilt : plane;
  }
  /// The neighbour of a cell in a direction (sign 1) or against it (sign -1), which may be a border
  /// cell. plain: columns do not go round.
  template <bool plain = false>
  KOKKOS_INLINE_FUNCTION std::int64_t neighbour(std::int64_t i, int direction, int sign) const {
    const std::int64_t j = i + sign * step(direction);
    if constexpr (plain) return j;
    const int right = direction == 0 ? sign : direction == 2 ? sign * tilt : 0;
    return periodic ? j + seam(static_cast<int>(i % pitch) - kBorder + right) : j;
  }
  /// Returns what must be added to an index whose column is `x`, -1 ... nx, where columns go round.
  KOKKOS_INLINE_FUNCTION int seam(int x) const {
    return x < 0 ? grid.nx : x >= grid.nx ? -grid.nx : 0;
  }
  /// Belongs to the equations: noisy samples too.
  KOKKOS_INLINE_FUNCTION bool is_missing(std::int64_t i) const { return is_unknown(status(i)); }
  KOKKOS_INLINE_FUNCTION bool is_sample(std::int64_t i) const { return has_value(status(i)); }
  KOKKOS_INLINE_FUNCTION bool is_noisy(std::int64_t i) const {
    return (status(i) & kKind) == kNoisy;
  }
  KOKKOS_INLINE_FUNCTION bool is_active(std::int64_t i) const {
    return (status(i) & kKind) != kInactive;
  }
  KOKKOS_INLINE_FUNCTION bool is_regular(std::int64_t i) const {
    return (status(i) & kRegular) != 0;
  }
  KOKKOS_INLINE_FUNCTION bool is_inner(std::int64_t i) const { return (status(i) & kInner) != 0; }
};

/// Copies the status of the sites to the finest level.
template <class ExecSpace>
struct EnterStatus {
  MultigridLevel<ExecSpace> level;
  Array<ExecSpace, const std::uint8_t> status;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    level.status(level.site_index(site)) = status(site);
  }
};

/// A coarse cell is missing if all of its active cells are missing or noisy; it is a sample, where
/// corrections are 0, if one of them is an exact one.
template <class ExecSpace>
struct CoarsenStatus {
  MultigridLevel<ExecSpace> fine, coarse;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const Position at = coarse.grid.position(site);
    const int z = static_cast<int>(at.z % coarse.grid.nz);
    const std::int64_t f = at.z / coarse.grid.nz;
    int samples = 0, missing = 0;
    for (int dz = 0; dz < coarse.shrink[2]; ++dz) {
      for (int dy = 0; dy < coarse.shrink[1]; ++dy) {
        for (int dx = 0; dx < coarse.shrink[0]; ++dx) {
          const int fx = coarse.shrink[0] * at.x + dx, fy = coarse.shrink[1] * at.y + dy,
                    fz = coarse.shrink[2] * z + dz;
          if (fx >= fine.grid.nx || fy >= fine.grid.ny || fz >= fine.grid.nz) continue;
          const std::uint8_t kind =
              fine.status(fine.index(f, fx, fy, fz)) & MultigridLevel<ExecSpace>::kKind;
          samples += kind == kSample ? 1 : 0;
          missing += is_unknown(kind) ? 1 : 0;
        }
      }
    }
    coarse.status(coarse.index(f, at.x, at.y, z)) = samples > 0   ? kSample
                                                    : missing > 0 ? kMissing
                                                                  : kInactive;
  }
};

/// Marks regular and inner cells, and counts the missing ones. A functor over the cells of all
/// frames.
template <class ExecSpace>
struct MarkCells {
  using Level = MultigridLevel<ExecSpace>;
  Level level;
  Array<ExecSpace, std::uint8_t> marked;

  /// Returns whether all cells at a distance of at most `reach` are active: in steps along the
  /// axes, or across corners too.
  KOKKOS_INLINE_FUNCTION bool all_active(std::int64_t i, int reach, bool corners) const {
    const int depth = level.grid.nz > 1 ? reach : 0;
    for (int dz = -depth; dz <= depth; ++dz) {
      const int rest = corners ? reach : reach - (dz < 0 ? -dz : dz);
      for (int dy = -rest; dy <= rest; ++dy) {
        const int width = corners ? reach : rest - (dy < 0 ? -dy : dy);
        const std::int64_t row = i + static_cast<std::int64_t>(dz) * level.plane +
                                 static_cast<std::int64_t>(dy) * level.pitch;
        for (int dx = -width; dx <= width; ++dx) {
          if (!level.is_active(row + dx)) return false;
        }
      }
    }
    return true;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, std::int64_t& missing) const {
    const std::int64_t i = level.site_index(site);
    std::uint8_t status = level.status(i);
    if (is_unknown(status)) {
      ++missing;
      if (all_active(i, 2, level.tilt != 0)) status |= Level::kRegular;
    }
    if (status != kInactive && all_active(i, 1, true)) status |= Level::kInner;
    marked(i) = status;
  }
};

/// The way of corrections from coarse to fine cells: linear interpolation between the nearest
/// coarse centres along each axis that was shrunk (weights 3/4 and 1/4), with a cell's own parent
/// in the place of inactive neighbours. Restriction is the transpose.
template <class ExecSpace>
struct Transfer {
  MultigridLevel<ExecSpace> fine, coarse;

  KOKKOS_INLINE_FUNCTION bool is_shrunk(int axis) const {
    return coarse.shrink[axis] == 2 && (axis < 2 || coarse.grid.nz > 1);
  }

  /// Returns the step from the parent of the fine column x to the next coarse column on its side.
  KOKKOS_INLINE_FUNCTION std::int64_t sideways(int x) const {
    const int right = x % 2 == 0 ? -1 : 1;
    return coarse.periodic ? right + coarse.seam(x / 2 + right) : right;
  }

  /// The weight with which a coarse cell, `far` from the parent along some axes, enters where all
  /// cells around the parent are active.
  template <class Real>
  KOKKOS_INLINE_FUNCTION Real plain_weight(const bool (&far)[3]) const {
    Real weight = 1;
    for (int a = 0; a < 3; ++a) {
      if (is_shrunk(a)) weight *= far[a] ? Real(0.25) : Real(0.75);
    }
    return weight;
  }

  /// Calls visit(index of a coarse cell, weight) for all that the fine cell at (x, y, z) of frame f
  /// is interpolated from.
  template <class Real, class Visit>
  KOKKOS_INLINE_FUNCTION void for_each_source(std::int64_t f, int x, int y, int z,
                                              const Visit& visit) const {
    const int at[3] = {x, y, z};
    const std::int64_t parent = coarse.index(f, x / coarse.shrink[0], y / coarse.shrink[1],
                                             is_shrunk(2)            ? z / 2
                                             : coarse.shrink[2] == 2 ? 0
                                                                     : z);
    const bool inner = coarse.is_inner(parent);
    Real rest = 0;
    for (int corner = 7; corner >= 0; --corner) {
      bool far[3];
      std::int64_t j = parent;
      bool exists = true;
      for (int a = 0; a < 3; ++a) {
        far[a] = (corner >> a & 1) != 0;
        if (!far[a]) continue;
        exists = exists && is_shrunk(a);
        const std::int64_t next = a == 2 ? coarse.plane : coarse.pitch;
        j += a == 0 ? sideways(x) : at[a] % 2 == 0 ? -next : next;
      }
      if (!exists) continue;
      const Real weight = plain_weight<Real>(far);
      if (inner || coarse.is_active(j)) {
        visit(j, corner == 0 ? weight + rest : weight);
      } else {
        rest += weight;
      }
    }
  }
};

}  // namespace tessera::mpr::detail
