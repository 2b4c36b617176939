// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/grid.hpp"

namespace tessera::gbees {

/// The dynamics dx/dt = f(x) that carry the density are function objects:
///
///     struct MyDynamics {
///       static constexpr int dimension = 2;
///       KOKKOS_FUNCTION double operator()(int i, const Vector<2>& x) const;   // component f_i at x
///     };
///
/// One component at a time, because the finite-volume method needs just the component normal to each face. The dynamics below fuse
/// their products explicitly, so that every backend computes the same bits (see Grid::face_coordinate).

/// Lorenz '63 with the third variable shifted by r, so that the attractor is centred (Hanson et al. 2025, Eq. 17):
/// x' = sigma (y - x), y' = -y - x z, z' = -b z + x y - b r. Time and state are dimensionless.
struct Lorenz63 {
  static constexpr int dimension = 3;
  double sigma = 4, b = 1, r = 48;

  KOKKOS_INLINE_FUNCTION double operator()(int i, const Vector<3>& x) const {
    if (i == 0) return sigma * (x[1] - x[0]);
    if (i == 1) return compat::fma(-x[0], x[2], -x[1]);
    return compat::fma(-b, r, compat::fma(x[0], x[1], -(b * x[2])));
  }
};

/// Lorenz '96 on a ring of N sites (Lorenz 1996): x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F.
template <int N>
struct Lorenz96 {
  static constexpr int dimension = N;
  double forcing = 4;

  KOKKOS_INLINE_FUNCTION double operator()(int i, const Vector<N>& x) const {
    return compat::fma(x[(i + 1) % N] - x[(i + 2 * N - 2) % N], x[(i + N - 1) % N], -x[i]) + forcing;
  }
};

/// Linear dynamics x' = A x + b: rotation, shear, decay, and constant drift (A = 0).
template <int N>
struct Linear {
  static constexpr int dimension = N;
  double matrix[N][N] = {};
  double offset[N] = {};

  KOKKOS_INLINE_FUNCTION double operator()(int i, const Vector<N>& x) const {
    double rate = offset[i];
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j) rate = compat::fma(matrix[i][j], x[j], rate);
    return rate;
  }
};

}  // namespace tessera::gbees
