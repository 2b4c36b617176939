// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/grid/affine_map.hpp"

namespace tessera::gbees {

/// From the coordinates of a frame to the state: x = A y + m.
template <int D>
AffineMap<D> to_state(const Frame& frame) {
  AffineMap<D> map;
  for (int i = 0; i < D; ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (frame.is_turned()) map.offset[i] = frame.centre[row];
    for (int j = 0; j < D; ++j) {
      const auto column = static_cast<std::size_t>(j);
      map.matrix[i][j] = frame.is_turned() ? frame.axes[row][column] : i == j ? 1 : 0;
    }
  }
  return map;
}

/// From the state to the coordinates of a frame with axes.
template <int D>
AffineMap<D> to_coordinates(const Frame& frame) {
  AffineMap<D> map;
  for (int a = 0; a < D; ++a) {
    for (int i = 0; i < D; ++i) {
      const auto column = static_cast<std::size_t>(i);
      map.matrix[a][i] = frame.inverse_at(static_cast<std::size_t>(a), column);
      map.offset[a] -= map.matrix[a][i] * frame.centre[column];
    }
  }
  return map;
}

/// From the coordinates of one frame to those of another, both with axes.
template <int D>
AffineMap<D> between(const Frame& from, const Frame& to) {
  AffineMap<D> map;
  for (int a = 0; a < D; ++a) {
    for (int i = 0; i < D; ++i) {
      const auto row = static_cast<std::size_t>(a), k = static_cast<std::size_t>(i);
      const double share = to.inverse_at(row, k);
      map.offset[a] += share * (from.centre[k] - to.centre[k]);
      for (int j = 0; j < D; ++j)
        map.matrix[a][j] += share * from.axes[k][static_cast<std::size_t>(j)];
    }
  }
  return map;
}

/// The standard deviations of the state where those of a frame's coordinates are 1.
inline std::vector<double> unit_deviations(const Frame& frame) {
  std::vector<double> deviations;
  for (const std::vector<double>& row : frame.axes) {
    double square = 0;
    for (const double entry : row) square += entry * entry;
    deviations.push_back(std::sqrt(square));
  }
  return deviations;
}

/// ln |det| of a map.
template <int D>
double log_determinant(const AffineMap<D>& map) {
  linalg::Matrix matrix;
  for (const auto& row : map.matrix) matrix.emplace_back(row, row + D);
  double logarithm = 0;
  linalg::inverse(matrix, &logarithm);
  return logarithm;
}

}  // namespace tessera::gbees
