// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/data/geography.hpp"
#include "tessera/mpr/lattice/frame_layout.hpp"

/// Finds the sites that are further than a length from every sample of their image: along great
/// circles, or in the plane.

namespace tessera::mpr::detail {

/// The number of columns from each site to the nearest sample of its row. A functor over the rows
/// of all images.
template <class ExecSpace>
struct NearestColumn {
  static constexpr int kNone = 1 << 30;
  int columns;
  bool periodic;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, int> nearest;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t first = row * columns;
    for (int sign = 1; sign >= -1; sign -= 2) {
      int since = kNone;
      // A row whose columns go round is walked twice.
      for (int k = periodic ? -columns : 0; k < columns; ++k) {
        const int along = k < 0 ? k + columns : k;
        const std::int64_t i = first + (sign > 0 ? along : columns - 1 - along);
        since = status(i) == kSample ? 0 : since < kNone ? since + 1 : kNone;
        if (k >= 0) nearest(i) = sign > 0 || since < nearest(i) ? since : nearest(i);
      }
    }
  }
};

/// Sets `distance` to 0 where a sample is within reach, else to kOutOfReach. Squares of half chords
/// of the unit sphere, or of lengths, are compared. A functor over the sites.
template <class ExecSpace>
struct WithinReach {
  Grid grid;
  bool sphere;
  double step, reach, square;  ///< of columns; angle or length; and what it is compared as
  Array<ExecSpace, const double> row, cosine;
  Array<ExecSpace, const int> nearest;
  Array<ExecSpace, std::uint16_t> distance;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const std::int64_t image = site / grid.nx / grid.ny;
    const int x = static_cast<int>(site % grid.nx), y = static_cast<int>(site / grid.nx % grid.ny);
    distance(site) = look(image, x, y, 1) || look(image, x, y, -1) ? 0 : kOutOfReach;
  }

 private:
  KOKKOS_INLINE_FUNCTION bool look(std::int64_t image, int x, int y, int sign) const {
    for (int r = y; r >= 0 && r < grid.ny; r += sign) {
      const double apart = compat::math::fabs(row(r) - row(y));
      if (apart > reach) return false;
      const int columns = nearest((image * grid.ny + r) * grid.nx + x);
      if (columns == NearestColumn<ExecSpace>::kNone) continue;
      const double along = columns * step;
      if (!sphere && along * along + apart * apart <= square) return true;
      if (!sphere) continue;
      const double down = compat::math::sin(0.5 * apart), across = compat::math::sin(0.5 * along);
      if (down * down + cosine(y) * cosine(r) * across * across <= square) return true;
    }
    return false;
  }
};

/// reach: in metres. Distances are those within an image: of another layer or frame no sample
/// counts.
template <class ExecSpace>
void mark_far_sites(const ExecSpace& exec, const Grid& grid, int frames,
                    const Array<ExecSpace, const std::uint8_t>& status, const Positions& at,
                    bool periodic, double reach, const Array<ExecSpace, std::uint16_t>& distance) {
  const std::int64_t images = static_cast<std::int64_t>(grid.nz) * frames;
  const auto nearest =
      allocate<Array<ExecSpace, int>>(exec, "tessera::mpr::nearest_columns", status.extent(0));
  std::vector<double> cosines;
  for (const double row : at.rows) cosines.push_back(at.sphere ? std::cos(row) : 1);
  // Rounded coordinates should not take away what lies at the limit.
  const double most = (at.sphere ? reach / kEarthRadius : reach) * (1 + 1e-9);
  const double half = at.sphere ? std::sin(std::min(0.5 * most, std::acos(0.0))) : most;
  Kokkos::parallel_for("tessera::mpr::nearest_columns", Range<ExecSpace>(exec, 0, images * grid.ny),
                       NearestColumn<ExecSpace>{grid.nx, periodic, status, nearest});
  Kokkos::parallel_for(
      "tessera::mpr::within_reach", Range<ExecSpace>(exec, 0, grid.sites() * frames),
      WithinReach<ExecSpace>{grid, at.sphere, at.step, most, half * half,
                             upload(exec, "tessera::mpr::rows", at.rows),
                             upload(exec, "tessera::mpr::cosines", cosines), nearest, distance});
}

}  // namespace tessera::mpr::detail
