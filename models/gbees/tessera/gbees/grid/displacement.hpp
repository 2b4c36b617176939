// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/grid/grid.hpp"

namespace tessera::gbees {

/// What a sudden change does to the coordinates of a grid, on the host.
template <int D>
struct Displacement {
  /// Where a point goes. `normal`: D standard normal numbers, which give the error of the change;
  /// null: it has none. A point that goes nowhere becomes no number.
  std::function<Vector<D>(const Vector<D>& point, const double* normal)> move;
  /// The covariance, as rows, that the error brings about a point behind the change.
  std::function<linalg::Matrix(const Vector<D>& after)> covariance;
};

}  // namespace tessera::gbees
