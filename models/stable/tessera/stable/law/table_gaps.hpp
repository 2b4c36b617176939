// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/stable/law/view_points.hpp"

/// Points that a table does not hold, far out in light tails and next to the end of a support, are
/// evaluated directly.

namespace tessera::stable::detail {

template <class ExecSpace>
struct GapKernel {
  ViewPoints<ExecSpace> points;
  const double* found;  ///< by the table; NaN in a gap

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    if (found[i] == found[i]) return;
    double x, distance;
    points.locate(points.one, i, x, distance);
    points.store(i, points.one, evaluate_at<Quantities::sf>(points.one, x, distance));
  }
};

/// The schedule of kernels that have much to do at some points and nothing at most points.
template <class ExecSpace>
using UnevenSchedule = Kokkos::Schedule<
    std::conditional_t<compat::is_gpu_v<ExecSpace>, Kokkos::Static, Kokkos::Dynamic>>;

/// Evaluates the points whose result is NaN; asynchronous. `found` is the View that the points are
/// stored in.
template <class ExecSpace>
void fill_gaps(const ExecSpace& exec, const ViewPoints<ExecSpace>& points,
               const Kokkos::View<double*, ExecSpace>& found) {
  using Policy =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>, UnevenSchedule<ExecSpace>>;
  Kokkos::parallel_for("tessera::stable::table::gaps",
                       Policy(exec, 0, static_cast<std::int64_t>(points.x.extent(0))),
                       GapKernel<ExecSpace>{points, found.data()});
}

}  // namespace tessera::stable::detail
