// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/matern_matrix.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::bessel {
namespace {

using Exec = test::ExecSpace;
using Points = Kokkos::View<double**, Exec>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

Points random_points(int count, int dimension) {
  const Points points("points", count, dimension);
  const auto host = Kokkos::create_mirror_view(points);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < dimension; ++d) host(i, d) = uniform(random);
  }
  if (count > 3) {
    // two points that nearly coincide
    for (int d = 0; d < dimension; ++d) host(3, d) = host(1, d) + (d == 0 ? 1e-9 : 0);
  }
  Kokkos::deep_copy(points, host);
  return points;
}

/// C by another way: the logarithm of K.
double covariance(double sigma2, double nu, double h) {
  if (h == 0) return sigma2;
  return sigma2 * std::exp(log_bessel_k(nu, h) + nu * std::log(h) - (nu - 1) * std::log(2.0) -
                           std::lgamma(nu));
}

class MaternMatrix : public testing::TestWithParam<int> {};

TEST_P(MaternMatrix, HoldsTheCovarianceOfEveryPair) {
  const int dimension = GetParam();
  for (const int count : {1, 31, 65, 130, 257}) {
    // Distances are short for the first beta; for the second most of them are beyond the
    // polynomials in the squared distance.
    for (const double beta : {0.2, 1e-3}) {
      const Points points = random_points(count, dimension);
      const Matrix C("C", count, count);
      Kokkos::deep_copy(C, -1);
      matern_matrix(Exec(), MaternTable<Exec>(0.8), 2.5, beta, points, C);
      const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points);
      const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
          double square = 0;
          for (int d = 0; d < dimension; ++d) square += (p(i, d) - p(j, d)) * (p(i, d) - p(j, d));
          ASSERT_NEAR(c(i, j), covariance(2.5, 0.8, std::sqrt(square) / beta), 5e-15)
              << i << ", " << j;
          ASSERT_EQ(c(i, j), c(j, i));
        }
      }
    }
  }
}

TEST_P(MaternMatrix, LeavesTheUpperTriangleAloneWhenAsked) {
  const int count = 150;
  const Points points = random_points(count, GetParam());
  const Matrix C("C", count, count), whole("whole", count, count);
  Kokkos::deep_copy(C, -1);
  matern_matrix(Exec(), MaternTable<Exec>(1.5), 1, 0.1, points, C, Triangle::lower);
  matern_matrix(Exec(), MaternTable<Exec>(1.5), 1, 0.1, points, whole);
  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
  const auto w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) ASSERT_EQ(c(i, j), i >= j ? w(i, j) : -1) << i << ", " << j;
  }
}

// MatrixTeams, which GPUs run, gives the same matrix on any backend.
TEST_P(MaternMatrix, IsTheSameByTeams) {
  using Problem = detail::MatrixProblem<Points, Matrix>;
  const MaternTable<Exec> table(0.8);
  for (const int count : {1, 31, 65, 150, 257}) {
    const Points points = random_points(count, GetParam());
    for (const double beta : {0.2, 1e-3}) {
      for (const bool both : {true, false}) {
        const Matrix C("C", count, count), wanted("wanted", count, count);
        const Problem problem{table.function(), 2.5, 1 / (beta * beta), points, C, both};
        const auto run = [&]<int D>() {
          using Kernel = detail::MatrixTeams<D, Exec, Points, Matrix>;
          const int tiles = (count + Kernel::kTile - 1) / Kernel::kTile;
          Kokkos::parallel_for("MatrixTeams", Kernel::policy(Exec(), tiles),
                               Kernel{problem, tiles});
        };
        GetParam() == 1   ? run.template operator()<1>()
        : GetParam() == 2 ? run.template operator()<2>()
                          : run.template operator()<3>();
        matern_matrix(Exec(), table, 2.5, beta, points, wanted,
                      both ? Triangle::both : Triangle::lower);
        const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
        const auto w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wanted);
        for (int i = 0; i < count; ++i) {
          for (int j = 0; j < count; ++j) ASSERT_NEAR(c(i, j), w(i, j), 1e-15) << i << ", " << j;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, MaternMatrix, testing::Values(1, 2, 3));

TEST(MaternMatrixErrors, NameWhatIsWrong) {
  const MaternTable<Exec> table(0.5);
  const Points points = random_points(4, 2);
  EXPECT_THROW(matern_matrix(Exec(), table, 1, 1, points, Matrix("C", 4, 5)), Error);
  EXPECT_THROW(matern_matrix(Exec(), table, 1, 0, points, Matrix("C", 4, 4)), Error);
  EXPECT_THROW(matern_matrix(Exec(), table, -1, 1, points, Matrix("C", 4, 4)), Error);
  EXPECT_THROW(matern_matrix(Exec(), table, 1, 1, Points("p", 4, 4), Matrix("C", 4, 4)), Error);
}

}  // namespace
}  // namespace tessera::bessel
