// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/lattice/frame_layout.hpp"
#include "tessera/mpr/linear/restricted_likelihood.hpp"

/// Sums over the modes of a rectangular grid (restricted_likelihood.hpp), row by row: on the device
/// too, which would wait for the host at each step of a search.

namespace tessera::mpr::detail {

/// The part of ModeSums that the modes of one row (l, m) give, those with wave numbers (k, l, m).
struct RowOfModes {
  double count = 0, known = 0;
  double sum[4] = {}, known_sum[4] = {};
  double product[4][4] = {};  ///< j <= i

  /// A mode with the parts `along` of L from each direction.
  KOKKOS_INLINE_FUNCTION void add(const double (&along)[3], double beta, double noise,
                                  double weight) {
    const double l = along[0] + along[1] + along[2], over = 1 / (l + beta * l * l),
                 slope = (1 + 2 * beta * l) * over;
    const double d[4] = {beta * l * l * over, along[0] * slope, along[1] * slope, along[2] * slope};
    const double share = 1 / (1 + noise * (l + beta * l * l)), of_known = weight * (share * share);
    count += weight;
    known += of_known;
    for (int i = 0; i < 4; ++i) {
      sum[i] += weight * d[i];
      known_sum[i] += of_known * d[i];
      for (int j = 0; j <= i; ++j) product[i][j] += of_known * d[i] * d[j];
    }
  }
};

/// A functor over the rows of a grid.
struct SumRowOfModes {
  Grid grid;
  double axis[3];
  bool tilted;
  double beta, noise;

  SumRowOfModes(const Grid& of_grid, const AxisCouplings& couplings, double curvature,
                double noise_of_samples)
      : grid(of_grid),
        axis{couplings[0], couplings[1], couplings[2]},
        tilted(couplings.tilt != 0),
        beta(curvature),
        noise(noise_of_samples) {}

  int rows() const { return grid.ny * grid.nz; }

  KOKKOS_INLINE_FUNCTION RowOfModes operator()(int row) const {
    const double y = compat::math::cos(kPi * (row % grid.ny) / grid.ny),
                 z = compat::math::cos(kPi * (row / grid.ny) / grid.nz);
    RowOfModes sums;
    for (int k = row == 0 ? 1 : 0; k < grid.nx; ++k) {
      const double x = compat::math::cos(kPi * k / grid.nx);
      double along[3] = {axis[0] * (2 - 2 * x), axis[1] * (2 - 2 * y), axis[2] * (2 - 2 * z)};
      if (!tilted) {
        sums.add(along, beta, noise, 1);
        continue;
      }
      // The waves (k, l) and (k, -l), which a diagonal tells apart.
      const double even = x * y, odd = compat::math::sqrt((1 - x * x) * (1 - y * y));
      for (int sign = -1; sign <= 1; sign += 2) {
        along[2] = axis[2] * (2 - 2 * (even + sign * odd));
        sums.add(along, beta, noise, 0.5);
      }
    }
    return sums;
  }
};

template <class ExecSpace>
struct StoreRowOfModes {
  SumRowOfModes sum;
  Kokkos::View<RowOfModes*, ExecSpace> rows;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t row) const {
    rows(row) = sum(static_cast<int>(row));
  }
};

/// The sum of all rows, in their order.
ModeSums add_rows(const std::vector<RowOfModes>& rows);

/// mpr::sum_modes on the device.
template <class ExecSpace>
class DeviceModes {
 public:
  DeviceModes() = default;
  DeviceModes(const ExecSpace& exec, const Grid& grid)
      : m_exec(exec),
        m_grid(grid),
        m_rows(allocate<Kokkos::View<RowOfModes*, ExecSpace>>(
            exec, "tessera::mpr::rows_of_modes",
            static_cast<std::size_t>(grid.ny) * static_cast<std::size_t>(grid.nz))) {}

  /// Waits for the device.
  ModeSums sum(const AxisCouplings& axis, double beta, double noise = 0) const {
    const SumRowOfModes sum(m_grid, axis, beta, noise);
    Kokkos::parallel_for("tessera::mpr::sum_modes", Range<ExecSpace>(m_exec, 0, sum.rows()),
                         StoreRowOfModes<ExecSpace>{sum, m_rows});
    return add_rows(download(m_exec, m_rows));
  }

 private:
  ExecSpace m_exec;
  Grid m_grid;
  Kokkos::View<RowOfModes*, ExecSpace> m_rows;
};

}  // namespace tessera::mpr::detail
