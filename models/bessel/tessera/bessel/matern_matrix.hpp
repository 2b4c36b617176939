// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>

#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/matern/matrix_kernels.hpp"
#include "tessera/core/error.hpp"

namespace tessera::bessel {

/// The entries of a symmetric matrix that are written.
enum class Triangle { lower, both };

/// C(i, j) = sigma2 M_nu(|p_i - p_j| / beta), the covariance matrix of a Gaussian field at N
/// points: points(i, d) with d < 1, 2 or 3 cartesian coordinates, C an N x N View, of which the
/// lower triangle (with the diagonal) or the whole is written. Each pair of points is evaluated
/// once. The rows of C must lie side by side (LayoutLeft, or any View with stride 1 in i).
///
/// Asynchronous on `exec`, allocates nothing. Entries are good to 2e-16 sigma2 and one rounding of
/// the product. Throws Error (input) when the extents do not fit, or beta or sigma2 is not
/// positive.
///
/// Example (tests/install/examples/bessel.cpp):
///
///     const bessel::MaternTable<ExecSpace> table(exec, 1.5);  // of one nu, for every variance and range
///     const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> covariance("covariance", n, n);
///     bessel::matern_matrix(exec, table, 2.0, 0.3, points, covariance);  // sigma2, beta
template <class ExecSpace, class PointsView, class CView>
void matern_matrix(const ExecSpace& exec, const MaternTable<ExecSpace>& table, double sigma2,
                   double beta, const PointsView& points, const CView& C,
                   Triangle triangle = Triangle::both) {
  static_assert(PointsView::rank == 2 && CView::rank == 2,
                "matern_matrix: points(i, d) and C(i, j) are expected");
  static_assert(std::is_same_v<typename CView::value_type, double>,
                "matern_matrix: C must be writable, in double");
  if (!(sigma2 > 0 && beta > 0)) {
    throw Error(
        ErrorKind::input,
        "matern_matrix: sigma2 = " + std::to_string(sigma2) + " and beta = " + std::to_string(beta),
        "give positive numbers");
  }
  if (points.extent(1) < 1 || points.extent(1) > 3) {
    throw Error(ErrorKind::input,
                "matern_matrix: points of " + std::to_string(points.extent(1)) + " coordinates",
                "give 1, 2 or 3 per point");
  }
  if (C.extent(0) != points.extent(0) || C.extent(1) != points.extent(0)) {
    throw Error(ErrorKind::input,
                "matern_matrix: a matrix of " + std::to_string(C.extent(0)) + " x " +
                    std::to_string(C.extent(1)) + " for " + std::to_string(points.extent(0)) +
                    " points",
                "give one row and one column per point");
  }
  if (points.extent(0) == 0) return;
  if (C.stride(0) != 1)
    throw Error(ErrorKind::input, "matern_matrix: the rows of C do not lie side by side",
                "use LayoutLeft");
  const detail::MatrixProblem<PointsView, CView> problem{
      table.function(), sigma2, 1 / (beta * beta), points, C, triangle == Triangle::both};
  switch (points.extent(1)) {
    case 1:
      return detail::launch_matrix<1>(exec, problem);
    case 2:
      return detail::launch_matrix<2>(exec, problem);
    default:
      return detail::launch_matrix<3>(exec, problem);
  }
}

}  // namespace tessera::bessel
