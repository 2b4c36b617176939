// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/gp/points/points.hpp"

namespace tessera::bench {

/// N = side^2 points on a perturbed grid in the unit square, row by row; the last rows are left out
/// where N is no square.
inline gp::Points grid_points(std::int64_t n) {
  const std::int64_t side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  gp::Points points;
  points.coordinate.assign(2, {});
  for (std::int64_t i = 0; i < n; ++i) {
    const double wobble = 0.4 * std::sin(12.9898 * static_cast<double>(i));
    points.coordinate[0].push_back((static_cast<double>(i % side) + 0.5 + wobble) /
                                   static_cast<double>(side));
    points.coordinate[1].push_back((static_cast<double>(i / side) + 0.5 - wobble) /
                                   static_cast<double>(side));
  }
  return points;
}

}  // namespace tessera::bench
