// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/grid.hpp"

namespace tessera::gbees {

/// A Gaussian density given by its mean and the inverse of its covariance matrix.
template <int D>
struct Gaussian {
  Vector<D> mean;
  double precision[D][D];

  /// exp(-d^T P d / 2) with d = x - mean: the density up to its normalisation.
  KOKKOS_INLINE_FUNCTION double operator()(const Vector<D>& x) const {
    double form = 0;
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) form += (x[i] - mean[i]) * precision[i][j] * (x[j] - mean[j]);
    }
    return compat::math::exp(-0.5 * form);
  }
};

}  // namespace tessera::gbees
