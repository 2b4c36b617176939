// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/mpr/lattice/missing.hpp"

/// A temperature that varies over the field, from the sample pairs in square windows.

namespace tessera::mpr::detail {

/// Sums of 1 - cos(theta_i - theta_j) over the pairs of neighbouring samples of each window. A
/// functor over windows.
template <class ExecSpace, class Real>
struct WindowPairs {
  Grid grid;
  int window, columns, rows;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  Array<ExecSpace, double> sum, count;  // [frame, layer][row][column]
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t w) const {
    const int column = static_cast<int>(w % columns), row = static_cast<int>(w / columns % rows);
    const std::int64_t first = w / columns / rows * grid.nx * grid.ny;
    double total = 0, pairs = 0;
    for (int y = row * window; y < compat::min((row + 1) * window, grid.ny); ++y) {
      for (int x = column * window; x < compat::min((column + 1) * window, grid.nx); ++x) {
        const std::int64_t i = first + static_cast<std::int64_t>(y) * grid.nx + x;
        if (status(i) != kSample) continue;
        for (int axis = 0; axis < 2; ++axis) {
          if (axis == 0 ? x + 1 >= grid.nx : y + 1 >= grid.ny) continue;
          const std::int64_t j = i + (axis == 0 ? 1 : grid.nx);
          if (status(j) != kSample) continue;
          const double half = compat::math::sin(
              0.5 * (static_cast<double>(angles(i)) - static_cast<double>(angles(j))));
          total += 2 * half * half;
          pairs += 1;
        }
      }
    }
    sum(w) = total;
    count(w) = pairs;
  }
};

/// b = sqrt(T / T_local). T_local is proportional to the mean of a window, to which eight pairs of
/// the frame's mean are added, and is interpolated in its logarithm. A functor over sites.
template <class ExecSpace, class Real>
struct LocalLengths {
  Grid grid;
  int window, columns, rows;
  double mean;  // of 1 - cos over the frame
  Array<ExecSpace, const double> sum, count;
  Array<ExecSpace, Real> lengths;
  std::int64_t first;

  KOKKOS_INLINE_FUNCTION double logarithm(std::int64_t w) const {
    return compat::math::log((sum(w) + 8 * mean) / ((count(w) + 8) * mean));
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site) const {
    const int x = static_cast<int>(site % grid.nx), y = static_cast<int>(site / grid.nx % grid.ny);
    const std::int64_t layer = (first + site) / (static_cast<std::int64_t>(grid.nx) * grid.ny);
    const double u = (x + 0.5) / window - 0.5, v = (y + 0.5) / window - 0.5;
    const int c0 = compat::max(0, static_cast<int>(u)), r0 = compat::max(0, static_cast<int>(v));
    const int c1 = compat::min(c0 + 1, columns - 1), r1 = compat::min(r0 + 1, rows - 1);
    const double a = compat::min(1.0, compat::max(0.0, u - c0)),
                 b = compat::min(1.0, compat::max(0.0, v - r0));
    const std::int64_t base = layer * columns * rows;
    const double value = (1 - b) * ((1 - a) * logarithm(base + r0 * columns + c0) +
                                    a * logarithm(base + r0 * columns + c1)) +
                         b * ((1 - a) * logarithm(base + r1 * columns + c0) +
                              a * logarithm(base + r1 * columns + c1));
    lengths(first + site) = static_cast<Real>(compat::math::exp(-0.5 * value));
  }
};

}  // namespace tessera::mpr::detail
