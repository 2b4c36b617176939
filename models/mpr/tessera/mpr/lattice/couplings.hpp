// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "tessera/mpr/lattice/rotator.hpp"

/// The pairs of sites that are coupled, and the strengths of their couplings.
///
/// The couplings along the axes, A, make the Laplacian L = D - A of the active sites. The pair
/// weights are the off-diagonal part of
///
///   Q = L + beta L^2,   w_ij = A_ij (1 + beta (d_i + d_j)) - beta (A^2)_ij,   d_i = sum_j A_ij
///
/// and the energy is H = - sum over pairs of w_ij cos(theta_i - theta_j) (rotator.hpp).
///
/// beta = 0 is the paper's model; beta > 0 penalises curvature besides gradients and reaches to the
/// second neighbours. Sites that are inactive or outside are in no sum, so weights near them
/// differ; sites that have all their neighbours are called regular and have constant weights.

namespace tessera::mpr {

/// Couplings of neighbours, relative to each other. In images the third one can couple diagonal
/// neighbours instead, so that the field may be smoother along any direction. With tilt 1 its
/// tensor, the energy of a gradient (u, v) being A_x u^2 + A_y v^2 + A_d (u + v)^2, is
///
///     K = (A_x + A_d    A_d      )
///         (A_d          A_y + A_d).
struct AxisCouplings {
  std::array<double, 3> strength{1, 1, 1};  ///< along x, y and z, or the diagonal
  /// The direction of the diagonal: 1: neighbours (1, 1) are coupled, -1: (-1, 1); 0: none is
  int tilt = 0;

  double& operator[](int direction) { return strength[static_cast<std::size_t>(direction)]; }
  double operator[](int direction) const { return strength[static_cast<std::size_t>(direction)]; }
  /// K_xx, K_xy, K_yy.
  std::array<double, 3> tensor() const {
    const double diagonal = tilt != 0 ? strength[2] : 0;
    return {strength[0] + diagonal, tilt * diagonal, strength[1] + diagonal};
  }
};

template <class Real>
struct Couplings {
  Real axis[3] = {1, 1, 0};  ///< A along x, y, z, or a diagonal of the plane
  Real beta = 0;
  Real nearest[3] = {1, 1, 0};   ///< weights of a regular site: next neighbours along x, y, z,
  Real second[3] = {0, 0, 0};    ///< the ones after them,
  Real diagonal[3] = {0, 0, 0};  ///< and diagonal ones in the planes xy, xz, yz

  Couplings() = default;
  /// along: couplings in two or three directions, positive, relative to each other. curvature: beta
  /// >= 0. dimension: number of directions.
  Couplings(const std::array<double, 3>& along, double curvature, int dimension)
      : beta(static_cast<Real>(curvature)) {
    double degree = 0;
    for (int a = 0; a < dimension; ++a) degree += 2 * along[a];
    for (int a = 0; a < 3; ++a) {
      const double strength = a < dimension ? along[a] : 0;
      axis[a] = static_cast<Real>(strength);
      nearest[a] = static_cast<Real>(strength * (1 + 2 * curvature * degree));
      second[a] = static_cast<Real>(-curvature * strength * strength);
    }
    const double depth = dimension > 2 ? along[2] : 0;
    diagonal[0] = static_cast<Real>(-2 * curvature * along[0] * along[1]);
    diagonal[1] = static_cast<Real>(-2 * curvature * along[0] * depth);
    diagonal[2] = static_cast<Real>(-2 * curvature * along[1] * depth);
  }
};

namespace detail {

/// Distances to the neighbours in a row-major array.
struct Steps {
  int pitch = 0, plane = 0;
  KOKKOS_FORCEINLINE_FUNCTION int operator[](int axis) const {
    return axis == 0 ? 1 : axis == 1 ? pitch : plane;
  }
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void add(Rotor<Real>& sum, Real weight, const Rotor<Real>& v) {
  sum.x += weight * v.x;
  sum.y += weight * v.y;
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> operator+(const Rotor<Real>& a, const Rotor<Real>& b) {
  return {a.x + b.x, a.y + b.y};
}

/// The field of the next neighbours.
template <int D, class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> nearest_field(const Rotor<Real>* v, int i, Steps step,
                                                      const Couplings<Real>& c) {
  Rotor<Real> h{0, 0};
  add(h, c.axis[0], v[i - 1] + v[i + 1]);
  add(h, c.axis[1], v[i - step.pitch] + v[i + step.pitch]);
  if constexpr (D == 3) add(h, c.axis[2], v[i - step.plane] + v[i + step.plane]);
  return h;
}

/// The field of all neighbours at a regular site.
template <int D, class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> curvature_field(const Rotor<Real>* v, int i, Steps step,
                                                        const Couplings<Real>& c) {
  Rotor<Real> h{0, 0};
  const int p = step.pitch, q = step.plane;
  add(h, c.nearest[0], v[i - 1] + v[i + 1]);
  add(h, c.nearest[1], v[i - p] + v[i + p]);
  add(h, c.second[0], v[i - 2] + v[i + 2]);
  add(h, c.second[1], v[i - 2 * p] + v[i + 2 * p]);
  add(h, c.diagonal[0], (v[i - p - 1] + v[i - p + 1]) + (v[i + p - 1] + v[i + p + 1]));
  if constexpr (D == 3) {
    add(h, c.nearest[2], v[i - q] + v[i + q]);
    add(h, c.second[2], v[i - 2 * q] + v[i + 2 * q]);
    add(h, c.diagonal[1], (v[i - q - 1] + v[i - q + 1]) + (v[i + q - 1] + v[i + q + 1]));
    add(h, c.diagonal[2], (v[i - q - p] + v[i - q + p]) + (v[i + q - p] + v[i + q + p]));
  }
  return h;
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool is_active(const Rotor<Real>& v) {
  return v.x != Real(0) || v.y != Real(0);
}

/// d_i, the sum of the couplings to active neighbours.
template <int D, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real degree(const Rotor<Real>* v, int i, Steps step,
                                        const Couplings<Real>& c) {
  Real sum = 0;
  for (int a = 0; a < D; ++a)
    sum += c.axis[a] * static_cast<Real>(is_active(v[i - step[a]]) + is_active(v[i + step[a]]));
  return sum;
}

/// The field of all neighbours at any active site. Needs two elements around it.
template <int D, class Real>
KOKKOS_INLINE_FUNCTION Rotor<Real> curvature_field_at_edge(const Rotor<Real>* v, int i, Steps step,
                                                           const Couplings<Real>& c) {
  Rotor<Real> h{0, 0};
  const Real own_degree = degree<D>(v, i, step, c);
  for (int a = 0; a < 2 * D; ++a) {
    const int j = i + (a % 2 == 0 ? -step[a / 2] : step[a / 2]);
    if (!is_active(v[j])) continue;
    add(h, c.axis[a / 2] * (Real(1) + c.beta * (own_degree + degree<D>(v, j, step, c))), v[j]);
    for (int b = 0; b < 2 * D; ++b) {
      const int k = j + (b % 2 == 0 ? -step[b / 2] : step[b / 2]);
      if (k != i) add(h, -c.beta * c.axis[a / 2] * c.axis[b / 2], v[k]);
    }
  }
  return h;
}

}  // namespace detail
}  // namespace tessera::mpr
