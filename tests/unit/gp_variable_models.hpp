// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/points/points.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

/// Models and points of several variables, and entries of their covariances, for the tests of gp.

namespace tessera::test {

inline gp::CovarianceModel several(int variables, int dimension = 2, bool has_nugget = true) {
  gp::CovarianceModel model;
  model.variables = variables;
  model.dimension = dimension;
  model.has_nugget = has_nugget;
  return model;
}

/// Places at which all variables are observed but one: which one, changes from place to place.
inline gp::Points unequal_places(const gp::CovarianceModel& model, std::size_t places,
                                 unsigned seed) {
  const gp::Points all =
      gp::repeat_for_variables(random_points(model, places, seed), model.variables);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i % places % 5) != all.variable[i]) rows.push_back(i);
  }
  return all.subset(rows);
}

/// What the two variables have in the covariance matrix, then in its derivatives.
inline std::vector<double> entries(const gp::CovarianceModel& model, double h,
                                   const gp::Theta& theta) {
  const ExecSpace exec;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  gp::Points points;
  const std::vector<std::vector<double>> direction{{1}, {0.6, -0.8}, {2.0 / 3, -2.0 / 3, 1.0 / 3}};
  for (const double x : direction[static_cast<std::size_t>(model.dimension - 1)])
    points.coordinate.push_back({0, x * h});
  points.variable = {0, 1};
  gp::detail::CovarianceDispatch<ExecSpace> dispatch(exec, model);
  const std::vector<double> packed = gp::pack(model, points);
  const Matrix device("tessera::test::points", 2, packed.size() / 2);
  copy_from_host(exec, device.data(), packed.data(), packed.size());
  const Matrix matrix("tessera::test::matrix", 2, 2);
  std::vector<double> found, host(4);
  const auto keep = [&] {
    copy_to_host(exec, host.data(), matrix.data(), host.size());
    found.push_back(host[1]);
  };
  const gp::MultivariateMatern covariance = dispatch.multivariate(theta);
  gp::fill_lower(exec, covariance, gp::PointView<ExecSpace>(device), matrix.data(), 2);
  keep();
  for (const gp::AllDerivativeSums& factor : dispatch.derivative_factors(theta)) {
    gp::MultivariateMatern::Sums own;
    std::copy_n(factor.value, own.kCount, own.value);
    gp::fill_derivative(exec, covariance, gp::PointView<ExecSpace>(device), own, matrix.data(), 2);
    keep();
  }
  return found;
}

}  // namespace tessera::test
