// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/mpr/detail/fill_level.hpp"

/// The mean of the model where it is nearly harmonic: missing sites solve (L + beta L^2) u = 0 with u given at the samples (couplings.hpp
/// for L).
///
/// From coarse to fine: each level halves the grid (a coarse cell is a sample where any of its sites is one, and holds their mean), is
/// solved by conjugate gradients from the interpolated solution of the next coarser one, and hands its own on. Coarse levels settle what is
/// wide, so that the finest needs few steps. beta falls by four from level to level, since L^2 scales with the fourth power of the spacing
/// and L with the second.
///
/// Sums are exact, so results do not depend on threads. Frames are solved together. Memory: `memory`.

namespace tessera::mpr {

struct LinearSolve {
  int iterations = 0;   ///< on the finest level
  double residual = 0;  ///< root mean square of (Q u)_i / Q_ii over the missing sites: how far a site is from its neighbours' verdict
};

template <class ExecSpace, class Real>
class LinearFill {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// `status`: a Site for each site, frame after frame.
  LinearFill(const ExecSpace& exec, const Grid& grid, int frames, const Array<const std::uint8_t>& status);

  /// Bytes on the device.
  static double memory(const Grid& grid, int frames) {
    const double size = (grid.nx + 2.0) * (grid.ny + 2.0) * (grid.nz > 1 ? grid.nz + 2.0 : 1.0) * frames;
    return size * (1 + sizeof(Real)) * 1.4 + size * 4 * sizeof(Real);
  }

  /// Replaces the angles of the missing sites ([frame][site]). `tolerance`: of LinearSolve::residual.
  LinearSolve solve(const Array<Real>& angles, const double (&axis)[3], double beta, double tolerance, int most_iterations);

 private:
  using Range = detail::Range<ExecSpace>;
  using Level = detail::FillLevel<ExecSpace, Real>;
  Range range(std::int64_t n) const { return Range(m_exec, 0, n); }
  /// Nothing is read before it is written, nor at inactive cells.
  Array<Real> unset(const char* label, std::int64_t n) const {
    return Array<Real>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, std::string(label)), static_cast<std::size_t>(n));
  }

  template <int D>
  LinearSolve gradients(const Level& level, const double (&axis)[3], double beta, double tolerance, int most);

  ExecSpace m_exec;
  std::vector<Level> m_levels;  // finest first
  Array<Real> m_r, m_p, m_q, m_w;
  Kokkos::View<ExactSum, ExecSpace> m_rr[2], m_pq;
};

}  // namespace tessera::mpr

#include "tessera/mpr/detail/linear_fill_impl.hpp"
