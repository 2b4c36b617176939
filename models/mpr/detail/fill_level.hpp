// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/detail/missing.hpp"
#include "tessera/mpr/rotator.hpp"

/// The grids of the linear fill, from fine to coarse, and the transfers between them.

namespace tessera::mpr::detail {

/// One level: frames of nx * ny * nz cells with a border of one inactive cell.
template <class ExecSpace, class Real>
struct FillLevel {
  Grid grid;
  int frames = 1, pitch = 0, plane = 0;
  std::int64_t frame = 0;
  std::int64_t missing = 0;
  Array<ExecSpace, std::uint8_t> status;
  Array<ExecSpace, Real> u;

  void set(const Grid& g, int frame_count) {
    grid = g;
    frames = frame_count;
    pitch = g.nx + 2;
    plane = pitch * (g.ny + 2);
    frame = static_cast<std::int64_t>(plane) * (g.nz > 1 ? g.nz + 2 : 1);
  }
  std::int64_t size() const { return frame * frames; }
  KOKKOS_INLINE_FUNCTION std::int64_t index(std::int64_t f, int x, int y, int z) const {
    return f * frame + (grid.nz > 1 ? static_cast<std::int64_t>(z + 1) * plane : 0) + static_cast<std::int64_t>(y + 1) * pitch + x + 1;
  }
  /// Index of a site that is numbered through all frames without border.
  KOKKOS_INLINE_FUNCTION std::int64_t site_index(std::int64_t site) const {
    const Position at = grid.position(site);
    return index(at.z / grid.nz, at.x, at.y, static_cast<int>(at.z % grid.nz));
  }
};

/// Copies the status of the sites to the finest level.
template <class ExecSpace, class Real>
struct EnterLevel {
  FillLevel<ExecSpace, Real> level;
  Array<ExecSpace, const std::uint8_t> status;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const { level.status(level.site_index(site)) = status(site); }
};
template <class ExecSpace, class Real>
struct EnterValues {
  FillLevel<ExecSpace, Real> level;
  Array<ExecSpace, const Real> values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    level.u(i) = level.status(i) == kSample ? values(site) : Real(0.5 * kPi);
  }
};
template <class ExecSpace, class Real>
struct LeaveValues {
  FillLevel<ExecSpace, Real> level;
  Array<ExecSpace, Real> values;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = level.site_index(site);
    if (level.status(i) == kMissing) values(site) = level.u(i);
  }
};
template <class ExecSpace, class Real>
struct CountMissing {
  FillLevel<ExecSpace, Real> level;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const { count += level.status(i) == kMissing ? 1 : 0; }
};

/// Status, or value, of a coarse cell from its fine ones, at most eight. A functor over coarse cells.
template <class ExecSpace, class Real, bool Values>
struct Coarsen {
  FillLevel<ExecSpace, Real> fine, coarse;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const Position at = coarse.grid.position(site);
    const int x = at.x, y = at.y, z = static_cast<int>(at.z % coarse.grid.nz);
    const std::int64_t f = at.z / coarse.grid.nz;
    int samples = 0, missing = 0;
    Real sum = 0;
    for (int dz = 0; dz < (fine.grid.nz > 1 ? 2 : 1); ++dz) {
      for (int dy = 0; dy < 2; ++dy) {
        for (int dx = 0; dx < 2; ++dx) {
          const int fx = 2 * x + dx, fy = 2 * y + dy, fz = fine.grid.nz > 1 ? 2 * z + dz : 0;
          if (fx >= fine.grid.nx || fy >= fine.grid.ny || fz >= fine.grid.nz) continue;
          const std::int64_t i = fine.index(f, fx, fy, fz);
          if (fine.status(i) == kSample) {
            ++samples;
            if constexpr (Values) sum += fine.u(i);
          } else if (fine.status(i) == kMissing) {
            ++missing;
          }
        }
      }
    }
    const std::int64_t i = coarse.index(f, x, y, z);
    if constexpr (Values) {
      coarse.u(i) = samples > 0 ? sum / static_cast<Real>(samples) : Real(0.5 * kPi);
    } else {
      coarse.status(i) = samples > 0 ? kSample : missing > 0 ? kMissing : kInactive;
    }
  }
};

/// Interpolates missing fine cells between the nearest coarse ones, with weights 3/4 and 1/4 along each axis.
template <class ExecSpace, class Real>
struct Interpolate {
  FillLevel<ExecSpace, Real> fine, coarse;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t i = fine.site_index(site);
    if (fine.status(i) != kMissing) return;
    const Position at = fine.grid.position(site);
    const int x = at.x, y = at.y, z = static_cast<int>(at.z % fine.grid.nz);
    const bool deep = fine.grid.nz > 1;
    const std::int64_t parent = coarse.index(at.z / fine.grid.nz, x / 2, y / 2, deep ? z / 2 : 0);
    const bool shrunk = coarse.grid.nz > 1;  // else the coarse level has one layer and no border in z
    const std::int64_t sx = x % 2 ? 1 : -1, sy = y % 2 ? coarse.pitch : -coarse.pitch, sz = z % 2 ? coarse.plane : -coarse.plane;
    Real sum = 0, weights = 0;
    for (int corner = 0; corner < (deep && shrunk ? 8 : 4); ++corner) {
      const std::int64_t j = parent + (corner & 1 ? sx : 0) + (corner & 2 ? sy : 0) + (corner & 4 ? sz : 0);
      if (coarse.status(j) == kInactive) continue;
      const Real weight =
          (corner & 1 ? Real(0.25) : Real(0.75)) * (corner & 2 ? Real(0.25) : Real(0.75)) * (corner & 4 ? Real(0.25) : Real(0.75));
      sum += weight * coarse.u(j);
      weights += weight;
    }
    fine.u(i) = sum / weights;
  }
};

}  // namespace tessera::mpr::detail
