// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/rotation.hpp"
#include "tessera/gp/points/points.hpp"

/// Points in the axes of the ranges of a rotated covariance, so that kernels need to know of ranges
/// only.

namespace tessera::gp::detail {

/// A (x - centre). The centre of the data keeps coordinates small, so that differences of turned
/// ones lose no digits.
struct Turn {
  double axis[3][3], centre[3];

  Turn(const CovarianceModel& model, const Theta& theta, const std::vector<double>& middle)
      : centre{0, 0, 0} {
    const Axes axes = range_axes(model, theta);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) axis[i][j] = axes[i][j];
    }
    for (std::size_t k = 0; k < middle.size(); ++k) centre[k] = middle[k];
  }

  KOKKOS_INLINE_FUNCTION void operator()(const double (&x)[3], double (&turned)[3]) const {
    for (int k = 0; k < 3; ++k)
      turned[k] = axis[k][0] * (x[0] - centre[0]) + axis[k][1] * (x[1] - centre[1]) +
                  axis[k][2] * (x[2] - centre[2]);
  }
};

/// The coordinates of `from` turned, the other columns as they are.
template <class ExecSpace>
struct TurnPoints {
  PointView<ExecSpace> from;
  Turn turn;
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> to;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double x[3] = {from(i, 0), from(i, 1), from(i, 2)};
    double turned[3];
    turn(x, turned);
    for (int k = 0; k < 3; ++k) to(i, k) = turned[k];
    for (std::size_t k = 3; k < from.extent(1); ++k) to(i, k) = from(i, k);
  }
};

template <class ExecSpace>
PointView<ExecSpace> turn_points(const ExecSpace& exec, const PointView<ExecSpace>& points,
                                 const Turn& turn) {
  const auto turned = allocate<Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>>(
      exec, "tessera::gp::turned_points", points.extent(0), points.extent(1));
  Kokkos::parallel_for(
      "tessera::gp::turn_points",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
      TurnPoints<ExecSpace>{points, turn, turned});
  return turned;
}

/// The first coordinates of records turned, from points in another order.
template <class ExecSpace>
struct TurnRecords {
  PointView<ExecSpace> from;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;
  Turn turn;
  int dimension;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> records;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = order(k);
    const double x[3] = {from(i, 0), from(i, 1), from(i, 2)};
    double turned[3];
    turn(x, turned);
    for (int a = 0; a < dimension; ++a) records(k, a) = turned[a];
  }
};

}  // namespace tessera::gp::detail
