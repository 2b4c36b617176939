// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

namespace tessera::bench {

/// The exponential covariance of points on a line, ten of which lie within its range, with a nugget
/// of a tenth.
KOKKOS_INLINE_FUNCTION double test_covariance(std::int64_t row, std::int64_t column) {
  return row == column
             ? 1.1
             : std::exp(-0.1 * static_cast<double>(row > column ? row - column : column - row));
}

}  // namespace tessera::bench
