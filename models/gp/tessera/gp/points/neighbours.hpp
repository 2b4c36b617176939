// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

/// Exact nearest neighbours in 1 to 33 coordinates, on the device. Of equal distances the smaller
/// index comes first, so that the result does not depend on threads. Distances are
/// squared_distance() in double precision.
///
/// Up to four coordinates a grid of cells over the first three of them holds the points; a query
/// scans the cells around its own until no other can hold a nearer point. For points that come in
/// an order, those with indices of [2^k, 2^(k+1)) search the points before 2^(k+1) and drop later
/// ones, so that at most half of what they meet is dropped. Cost N (m + log N) for points of even
/// density; it rises where most points lie in a small part of their bounding box. In more
/// coordinates the points stand in about sqrt(N) groups, of which a query passes over those that
/// are too far away (group_search.hpp). Cost between N^(3/2) and N^2 distances, the more the more
/// coordinates have the same extent.
///
/// Calls wait for the device. Coordinates must be finite; at most 2^31 - 1 points.
///
/// The m nearest predecessors of `rows` points from number `first` on; to_device copies their
/// coordinates to the device: Example (tests/unit/gp_neighbours.cpp):
///
///     const NeighbourView<ExecSpace> neighbours("tessera::test::neighbours", rows, m);
///     find_predecessors<ExecSpace>(exec, to_device(points), first, neighbours);

namespace tessera::gp {

/// Coordinates, a column each.
template <class ExecSpace>
using CoordinateView = Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace>;

/// A row of neighbours for each point, the nearest first; -1 where there are fewer.
template <class ExecSpace>
using NeighbourView = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, ExecSpace>;

/// The square of the distance of two points of D coordinates.
template <int D>
KOKKOS_INLINE_FUNCTION double squared_distance(const double* a, const double* b) {
  double sum = 0;
  for (int k = 0; k < D; ++k) {
    const double difference = a[k] - b[k];
    sum = compat::multiply_add(difference, difference, sum);
  }
  return sum;
}

/// Finds for each point i >= first its nearest neighbours among the points before it, in row i -
/// first, as far as there are rows.
template <class ExecSpace>
void find_predecessors(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
                       std::int64_t first, const NeighbourView<ExecSpace>& neighbours);

/// Finds for each target its nearest neighbours among all points. With folds (a number for each
/// point and each target) only points of other folds count; without, the two arrays are empty.
template <class ExecSpace>
void find_nearest(const ExecSpace& exec, const CoordinateView<ExecSpace>& points,
                  const CoordinateView<ExecSpace>& targets,
                  const Kokkos::View<const int*, ExecSpace>& point_fold,
                  const Kokkos::View<const int*, ExecSpace>& target_fold,
                  const NeighbourView<ExecSpace>& neighbours);

}  // namespace tessera::gp
