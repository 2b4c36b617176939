// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/lattice/metric.hpp"

/// The local field of a site where rows have weights of their own (metric.hpp): the functions of
/// couplings.hpp for such cells, and what sweeps take from either.

namespace tessera::mpr::detail {

/// The weights of a site's row and of those around it.
template <class Real>
struct RowsAround {
  const RowWeights<Real>* here;
  int layer;  ///< rows from layer to layer
  Real beta;

  /// Returns the step from the row of a site to that of its neighbour along an axis.
  KOKKOS_FORCEINLINE_FUNCTION int step(int axis) const {
    return axis == 0 ? 0 : axis == 1 ? 1 : layer;
  }
  KOKKOS_FORCEINLINE_FUNCTION const RowWeights<Real>& below(int axis, int steps = 1) const {
    return here[-steps * step(axis)];
  }
  /// A of a site with its neighbour against an axis (sign -1) or along it (sign 1).
  KOKKOS_FORCEINLINE_FUNCTION Real coupling(int axis, int sign) const {
    return (sign < 0 ? below(axis) : *here).axis[axis];
  }
  KOKKOS_FORCEINLINE_FUNCTION RowsAround moved(int axis, int sign) const {
    return {here + sign * step(axis), layer, beta};
  }
};

/// Adds the field of the neighbours along an axis.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void add_pair(Rotor<Real>& h, const Couplings<Real>& c, int axis,
                                          const Rotor<Real>& low, const Rotor<Real>& high) {
  add(h, c.axis[axis], low + high);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void add_pair(Rotor<Real>& h, const RowsAround<Real>& c, int axis,
                                          const Rotor<Real>& low, const Rotor<Real>& high) {
  add(h, c.coupling(axis, -1), low);
  add(h, c.coupling(axis, 1), high);
}

template <int D, class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> nearest_field(const Rotor<Real>* v, int i, Steps step,
                                                      const RowsAround<Real>& c) {
  Rotor<Real> h{0, 0};
  for (int a = 0; a < D; ++a) add_pair(h, c, a, v[i - step[a]], v[i + step[a]]);
  return h;
}

template <int D, class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotor<Real> curvature_field(const Rotor<Real>* v, int i, Steps step,
                                                        const RowsAround<Real>& c) {
  Rotor<Real> h{0, 0};
  const int p = step.pitch, q = step.plane;
  const RowWeights<Real>& here = *c.here;
  const RowWeights<Real>& below = c.below(1);
  add(h, here.next[0], v[i - 1] + v[i + 1]);
  add(h, here.second[0], v[i - 2] + v[i + 2]);
  add(h, here.next[1], v[i + p]);
  add(h, below.next[1], v[i - p]);
  add(h, here.second[1], v[i + 2 * p]);
  add(h, c.below(1, 2).second[1], v[i - 2 * p]);
  add(h, here.corner[0], v[i + p - 1] + v[i + p + 1]);
  add(h, below.corner[0], v[i - p - 1] + v[i - p + 1]);
  if constexpr (D == 3) {
    const RowWeights<Real>& before = c.below(2);
    add(h, here.next[2], v[i + q]);
    add(h, before.next[2], v[i - q]);
    add(h, here.second[2], v[i + 2 * q]);
    add(h, c.below(2, 2).second[2], v[i - 2 * q]);
    add(h, here.corner[1], v[i + q - 1] + v[i + q + 1]);
    add(h, before.corner[1], v[i - q - 1] + v[i - q + 1]);
    add(h, here.corner[2], v[i + q + p]);
    add(h, c.moved(2, -1).below(1).corner[2], v[i - q - p]);
    add(h, here.corner[3], v[i + q - p]);
    add(h, c.moved(2, -1).moved(1, 1).here->corner[3], v[i - q + p]);
  }
  return h;
}

template <int D, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real degree(const Rotor<Real>* v, int i, Steps step,
                                        const RowsAround<Real>& c) {
  Real sum = 0;
  for (int a = 0; a < D; ++a) {
    if (is_active(v[i - step[a]])) sum += c.coupling(a, -1);
    if (is_active(v[i + step[a]])) sum += c.coupling(a, 1);
  }
  return sum;
}

template <int D, class Real>
KOKKOS_INLINE_FUNCTION Rotor<Real> curvature_field_at_edge(const Rotor<Real>* v, int i, Steps step,
                                                           const RowsAround<Real>& c) {
  Rotor<Real> h{0, 0};
  const Real own = degree<D>(v, i, step, c) * c.here->inverse_area;
  for (int a = 0; a < 2 * D; ++a) {
    const int axis = a / 2, sign = a % 2 == 0 ? -1 : 1, j = i + sign * step[axis];
    if (!is_active(v[j])) continue;
    const RowsAround<Real> there = c.moved(axis, sign);
    const Real strength = c.coupling(axis, sign), over_area = there.here->inverse_area;
    add(h, strength * (Real(1) + c.beta * (own + degree<D>(v, j, step, there) * over_area)), v[j]);
    for (int b = 0; b < 2 * D; ++b) {
      const int side = b % 2 == 0 ? -1 : 1, k = j + side * step[b / 2];
      if (k != i) add(h, -c.beta * strength * there.coupling(b / 2, side) * over_area, v[k]);
    }
  }
  return h;
}

/// The diagonal of Q at an active site.
template <int D, class Real>
KOKKOS_INLINE_FUNCTION double diagonal_of(const Rotor<Real>* v, int i, Steps step,
                                          const Couplings<Real>& c) {
  const double own = degree<D>(v, i, step, c);
  double squares = own * own;
  for (int a = 0; a < D; ++a) {
    const double strength = c.axis[a];
    squares += strength * strength * (is_active(v[i - step[a]]) + is_active(v[i + step[a]]));
  }
  return own + c.beta * squares;
}
template <int D, class Real>
KOKKOS_INLINE_FUNCTION double diagonal_of(const Rotor<Real>* v, int i, Steps step,
                                          const RowsAround<Real>& c) {
  const double own = degree<D>(v, i, step, c);
  double squares = own * own * c.here->inverse_area;
  for (int a = 0; a < 2 * D; ++a) {
    const int axis = a / 2, sign = a % 2 == 0 ? -1 : 1;
    const double strength = c.coupling(axis, sign);
    if (is_active(v[i + sign * step[axis]]))
      squares += strength * strength * c.moved(axis, sign).here->inverse_area;
  }
  return own + c.beta * squares;
}

/// Couplings of cells that are all the same.
template <class Real>
struct SameWeights {
  static constexpr bool kSame = true;  ///< then columns do not go round either
  Couplings<Real> couplings;
  KOKKOS_FORCEINLINE_FUNCTION const Couplings<Real>& at(int) const { return couplings; }
};

/// The weights of each row: of a frame with a border of two rows and, in stacks, of two layers,
/// frame after frame.
template <class ExecSpace, class Real>
struct WeightsByRow {
  static constexpr bool kSame = false;
  Array<ExecSpace, const RowWeights<Real>> rows;
  int layer = 1;
  Real beta = 0;
  KOKKOS_FORCEINLINE_FUNCTION RowsAround<Real> at(int row) const {
    return {rows.data() + row, layer, beta};
  }
};

/// Uploads the weights of all frames. metrics: one for all frames, or one for each.
template <class ExecSpace, class Real>
WeightsByRow<ExecSpace, Real> weights_by_row(const ExecSpace& exec, const Grid& grid, int frames,
                                             const Metrics& metrics, const AxisCouplings& axis,
                                             double beta) {
  std::vector<LevelFactors> factors;
  for (const Metric& metric : metrics) factors.emplace_back(metric, grid);
  const auto rows = weigh_frames<Real>(factors, axis, beta, grid.nz > 1, frames);
  return {upload(exec, "tessera::mpr::row_weights", rows), grid.ny + 4, static_cast<Real>(beta)};
}

}  // namespace tessera::mpr::detail
