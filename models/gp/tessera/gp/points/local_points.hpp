// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/local_covariance.hpp"
#include "tessera/gp/covariance/warp.hpp"
#include "tessera/gp/points/local_variance.hpp"
#include "tessera/gp/points/rotated_points.hpp"

/// Points as kernels take them, at one theta: in the axes of the ranges of a rotated covariance,
/// and with what a covariance that is not stationary has at each of them.

namespace tessera::gp::detail {

/// Makes the columns of LocalColumns from the coordinates and the covariates of each point.
template <class ExecSpace>
struct PlaceLocal {
  PointView<ExecSpace> from;  // coordinates, an empty column, covariates
  LocalCoefficients coefficients;
  int warped;  // coordinates
  Warp warp[3];
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> to;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    for (int k = 0; k < LocalColumns::kDeviation; ++k) to(i, k) = from(i, k);
    double exponent[3] = {0, 0, 0};  // of the variance, the range and the nugget
    for (int k = 0; k < coefficients.count; ++k) {
      const double x =
          from(i, LocalColumns::kDeviation + coefficients.covariate[k]) - coefficients.centre[k];
      exponent[coefficients.kind[k]] += coefficients.value[k] * x;
      to(i, LocalColumns::kCoefficients + k) = x;
    }
    to(i, LocalColumns::kDeviation) = compat::math::exp(0.5 * exponent[LocalTerms::kOfVariance]);
    to(i, LocalColumns::kRange) = compat::math::exp(exponent[LocalTerms::kOfRange]);
    to(i, LocalColumns::kNugget) = compat::math::exp(exponent[LocalTerms::kOfNugget]);
    int column = LocalColumns::kCoefficients + coefficients.count;
    for (int c = 0; c < warped; ++c) {
      double by[kMostKnots];
      const double x = from(i, c);
      warp[c].derivatives(x, by);
      to(i, c) = warp[c].value(x);
      for (int k = 0; k + 1 < warp[c].knots; ++k) to(i, column++) = by[k];
    }
  }
};

template <class ExecSpace>
PointView<ExecSpace> place_local(const ExecSpace& exec, const CovarianceModel& model,
                                 const Theta& theta, const PointView<ExecSpace>& points) {
  const auto placed = allocate<Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>>(
      exec, "tessera::gp::placed_points", points.extent(0), model.place_columns());
  const LocalModel& local = model.local;
  PlaceLocal<ExecSpace> functor{points,
                                LocalCoefficients::make(model, theta),
                                static_cast<int>(local.coordinates.size()),
                                {},
                                placed};
  for (std::size_t c = 0; c < local.coordinates.size(); ++c)
    functor.warp[c] = make_warp(model, theta, static_cast<int>(c));
  Kokkos::parallel_for(
      "tessera::gp::place_points",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
      functor);
  return placed;
}

/// Returns points, given as device_points() has them, as kernels take them at theta. `centre`: of
/// the data, about which a rotated covariance turns.
template <class ExecSpace>
PointView<ExecSpace> place_points(const ExecSpace& exec, const CovarianceModel& model,
                                  const Theta& theta, const std::vector<double>& centre,
                                  const PointView<ExecSpace>& given) {
  if (!model.moves_points()) return given;
  PointView<ExecSpace> points = given;
  if (model.rotated) points = turn_points(exec, points, Turn(model, theta, centre));
  return model.is_local() ? place_local(exec, model, theta, points) : points;
}

/// The columns of records, from points in another order.
template <class ExecSpace>
struct RenewRecords {
  PointView<ExecSpace> from;
  Kokkos::View<const std::uint32_t*, ExecSpace> order;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> records;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    for (std::size_t a = 0; a < from.extent(1); ++a)
      records(k, a) = from(static_cast<std::int64_t>(order(k)), a);
  }
};

}  // namespace tessera::gp::detail
