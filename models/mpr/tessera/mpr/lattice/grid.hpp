// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::mpr {

/// Numbers on the device, in the memory of an execution space.
template <class ExecSpace, class T>
using Array = Kokkos::View<T*, ExecSpace>;

/// The kind of a site of the grid.
enum Site : std::uint8_t {
  kInactive = 0,  ///< not part of the field, as land in an image of the sea
  kSample = 1,    ///< known, and held fixed
  kMissing = 2,   ///< to be predicted
  kNoisy = 3,     ///< known but for an error, and predicted too: both bits
};

/// Stands for the distance of a site that has no sample within reach.
inline constexpr std::uint16_t kOutOfReach = 0xffff;

/// Returns whether something is known of a site, be it with an error.
KOKKOS_INLINE_FUNCTION bool has_value(std::uint8_t status) { return (status & kSample) != 0; }
/// Returns whether a site is to be predicted.
KOKKOS_INLINE_FUNCTION bool is_unknown(std::uint8_t status) { return (status & kMissing) != 0; }

/// The position of a site in its grid.
struct Position {
  int x, y;
  std::int64_t z;
};

/// One frame: nx columns, ny rows, nz layers (depth or time; 1 for an image), x fastest.
struct Grid {
  int nx = 1, ny = 1, nz = 1;

  KOKKOS_INLINE_FUNCTION std::int64_t sites() const {
    return static_cast<std::int64_t>(nx) * ny * nz;
  }
  KOKKOS_INLINE_FUNCTION int dimension() const { return nz > 1 ? 3 : 2; }

  /// Number of a site in its frame.
  KOKKOS_INLINE_FUNCTION std::int64_t site(int x, int y, int z) const {
    return (static_cast<std::int64_t>(z) * ny + y) * nx + x;
  }

  /// Column, row and layer of a site. Where sites are numbered through all frames, the layers are
  /// too.
  KOKKOS_INLINE_FUNCTION Position position(std::int64_t site) const {
    const std::int64_t row = site / nx;
    return {static_cast<int>(site % nx), static_cast<int>(row % ny), row / ny};
  }
};

}  // namespace tessera::mpr
