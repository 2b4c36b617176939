// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/mpr/detail/fill_level.hpp"

/// The harmonic interpolant: missing sites solve
///
///     Q u = 0,    Q = L + beta L^2,
///
/// with u given at the samples and the Laplacian L of couplings.hpp. It is the mean of the model at low temperature. beta = 0: each missing
/// site is the mean of its neighbours; beta > 0 makes the surface smooth.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     mpr::LinearFill<ExecSpace, double> fill(exec, grid, 1, status);                  // one frame
///     const mpr::LinearSolve solve = fill.solve(values, {1, 1, 0}, 0.0, 1e-10, 1000);  // equal couplings along x and y, no curvature
///
/// Method: conjugate gradients on every level of a hierarchy of grids, from coarse to fine, each started from the interpolated solution of
/// the coarser one. A coarse cell is a sample where one of its sites is, with their mean; beta falls by four from level to level, since
/// L^2 scales with the fourth power of the spacing and L with the second.
///
/// Accuracy: LinearSolve::residual at most `tolerance`, unless the iterations were used up; with a tolerance of 1e-12 each site is the mean
/// of its neighbours to 1e-8 (tests/unit/mpr_fill.cpp). Sums are exact, so that results do not depend on the number of threads. Frames are
/// solved together. solve() waits for the device every fourth iteration.

namespace tessera::mpr {

struct LinearSolve {
  int iterations = 0;   ///< on the finest level
  double residual = 0;  ///< root mean square of (Q u)_i / Q_ii over the missing sites, in the units of u
};

/// Real: float or double, of values; sums are exact.
template <class ExecSpace, class Real>
class LinearFill {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// `status`: a Site for each site, [frame][layer][row][column].
  LinearFill(const ExecSpace& exec, const Grid& grid, int frames, const Array<const std::uint8_t>& status);

  /// Bytes on the device.
  static double memory(const Grid& grid, int frames) {
    const double size = (grid.nx + 2.0) * (grid.ny + 2.0) * (grid.nz > 1 ? grid.nz + 2.0 : 1.0) * frames;
    return size * (1 + sizeof(Real)) * 1.4 + size * 4 * sizeof(Real);
  }

  /// Replaces the values of the missing sites, [frame][site]. axis: couplings along x, y, z. tolerance: for LinearSolve::residual.
  LinearSolve solve(const Array<Real>& values, const std::array<double, 3>& axis, double beta, double tolerance, int most_iterations);

 private:
  using Range = detail::Range<ExecSpace>;
  using Level = detail::FillLevel<ExecSpace, Real>;
  Range range(std::int64_t n) const { return Range(m_exec, 0, n); }
  /// Without initial values: nothing is read before it is written.
  Array<Real> unset(const char* label, std::int64_t n) const {
    return Array<Real>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, std::string(label)), static_cast<std::size_t>(n));
  }

  template <int D>
  LinearSolve gradients(const Level& level, const std::array<double, 3>& axis, double beta, double tolerance, int most);

  ExecSpace m_exec;
  std::vector<Level> m_levels;  // finest first
  Array<Real> m_r, m_p, m_q, m_w;
  Kokkos::View<ExactSum, ExecSpace> m_rr[2], m_pq;
};

}  // namespace tessera::mpr

#include "tessera/mpr/detail/linear_fill_impl.hpp"
