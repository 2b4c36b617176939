// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees {

/// y = matrix * z + offset.
template <int D>
struct AffineMap {
  double matrix[D][D] = {};
  Vector<D> offset{};

  KOKKOS_INLINE_FUNCTION Vector<D> operator()(const Vector<D>& z) const {
    Vector<D> y = offset;
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) y[i] += matrix[i][j] * z[j];
    }
    return y;
  }
};

/// A grid on which samples of the state are compared with a density. The grid may lie in other
/// coordinates than the samples do.
template <int D>
struct ComparisonGrid {
  Grid<D> grid;
  bool is_elsewhere = false;
  AffineMap<D> to_grid{};  ///< from the coordinates of the samples, where the grid is elsewhere

  ComparisonGrid(const Grid<D>& grid_) : grid(grid_) {}
  ComparisonGrid(const Grid<D>& grid_, const AffineMap<D>& map)
      : grid(grid_), is_elsewhere(true), to_grid(map) {}
};

}  // namespace tessera::gbees
