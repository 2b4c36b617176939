// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// More than three coordinates: likelihoods against a matrix that is filled and factored here,
// gradients against differences, neighbours and orders against all pairs. gp_vecchia.cpp compares
// the two solvers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/points/ordering.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::normals;
using test::random_points;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

CovarianceModel many_ranges(int dimension, Family family = Family::matern52) {
  CovarianceModel model;
  model.family = family;
  model.dimension = dimension;
  model.anisotropic = model.has_nugget = true;
  return model;
}

/// Ranges that differ: 0.5, 0.7, 0.9, ...
Theta some_theta(const CovarianceModel& model) {
  Theta theta{1.7};
  for (int k = 0; k < model.dimension; ++k) theta.push_back(0.5 + 0.2 * k);
  if (model.has_shape()) theta.push_back(1.3);
  theta.push_back(0.02);
  return theta;
}

/// The matrix of the correlation functions as their definitions have them.
std::vector<std::vector<long double>> dense_covariance(const CovarianceModel& model,
                                                       const Points& points, const Theta& theta) {
  const std::size_t n = points.size();
  std::vector<std::vector<long double>> matrix(n, std::vector<long double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      long double square = 0;
      for (int k = 0; k < model.dimension; ++k) {
        const std::vector<double>& x = points.coordinate[static_cast<std::size_t>(k)];
        const long double difference =
            (static_cast<long double>(x[i]) - x[j]) / theta[static_cast<std::size_t>(1 + k)];
        square += difference * difference;
      }
      const long double u = std::sqrt(square);
      const long double correlation = model.family == Family::matern52
                                          ? (1 + u + square / 3) * std::exp(-u)
                                          : std::exp(-square);
      matrix[i][j] = theta[0] * correlation + (i == j ? theta.back() : 0);
    }
  }
  return matrix;
}

/// The log-likelihood of data with mean zero, by elimination.
long double dense_loglik(std::vector<std::vector<long double>> a, const std::vector<double>& z) {
  const std::size_t n = z.size();
  std::vector<long double> y(z.begin(), z.end());
  long double sum = static_cast<long double>(n) * std::log(6.283185307179586476925286766559L);
  for (std::size_t k = 0; k < n; ++k) {
    sum += std::log(a[k][k]) + y[k] * y[k] / a[k][k];
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      y[i] -= factor * y[k];
    }
  }
  return -0.5L * sum;
}

TEST(GpHighDimensional, LikelihoodIsThatOfADenseMatrix) {
  for (const int dimension : {4, 10, 32}) {
    for (const Family family : {Family::matern52, Family::squared_exponential}) {
      const CovarianceModel model = many_ranges(dimension, family);
      const Points points = random_points(model, 120, 3);
      const std::vector<double> z = normals(120, 4);
      const Theta theta = some_theta(model);
      Exact solver(ExecSpace(), model, points);
      solver.set_data(z, {});
      const auto expected =
          static_cast<double>(dense_loglik(dense_covariance(model, points, theta), z));
      EXPECT_NEAR(solver.evaluate(theta, false).loglik / expected, 1, 1e-12) << dimension;
    }
  }
}

/// A fourth coordinate that does not vary changes nothing.
TEST(GpHighDimensional, AContinuesThreeCoordinates) {
  CovarianceModel space = many_ranges(3, Family::matern), more = many_ranges(4, Family::matern);
  const Points points = random_points(space, 200, 5);
  Points lifted = points;
  lifted.coordinate.emplace_back(200, 7.0);
  const std::vector<double> z = normals(200, 6);
  Exact exact(ExecSpace(), space, points), high(ExecSpace(), more, lifted);
  exact.set_data(z, {});
  high.set_data(z, {});
  const Evaluation expected = exact.evaluate({1.3, 0.5, 0.3, 0.8, 1.2, 0.1}, true),
                   found = high.evaluate({1.3, 0.5, 0.3, 0.8, 9.0, 1.2, 0.1}, true);
  EXPECT_NEAR(found.loglik / expected.loglik, 1, 1e-13);
  EXPECT_EQ(found.gradient[4], 0);
  for (const std::size_t k : {0, 1, 2, 3})
    EXPECT_NEAR(found.gradient[k] / expected.gradient[k], 1, 1e-9) << k;
}

TEST(GpHighDimensional, GradientIsThatOfDifferences) {
  for (const Family family : {Family::matern, Family::powered_exponential}) {
    const CovarianceModel model = many_ranges(10, family);
    const Points points = random_points(model, 200, 7);
    const std::vector<double> z = normals(200, 8);
    const auto columns = trend(Mean::linear, points, points);
    Exact exact(ExecSpace(), model, points);
    exact.set_data(z, columns);
    test::expect_gradient(exact, model, some_theta(model), 1e-7, "exact");
    Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(20));
    vecchia.set_data(z, columns);
    test::expect_gradient(vecchia, model, some_theta(model), 1e-7, "vecchia");
  }
}

/// Coordinates between which neighbours are looked for, and a search of all pairs.
struct Cloud {
  std::vector<std::vector<double>> column;

  CoordinateView<ExecSpace> on_device() const {
    const ExecSpace exec;
    const Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace> device(
        "tessera::test::points", column[0].size(), column.size());
    for (std::size_t k = 0; k < column.size(); ++k)
      upload_to(exec, column[k], Kokkos::subview(device, Kokkos::ALL, k));
    return device;
  }
  double square(std::size_t i, const Cloud& other, std::size_t j) const {
    double sum = 0;
    for (std::size_t k = 0; k < column.size(); ++k) {
      const double difference = column[k][i] - other.column[k][j];
      sum = std::fma(difference, difference, sum);
    }
    return sum;
  }
  template <class Counts>
  std::vector<std::int32_t> nearest(const Cloud& targets, std::size_t i, std::size_t m,
                                    const Counts& counts) const {
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::size_t j = 0; j < column[0].size(); ++j) {
      if (counts(j)) all.emplace_back(targets.square(i, *this, j), static_cast<std::int32_t>(j));
    }
    std::sort(all.begin(), all.end());
    std::vector<std::int32_t> result(m, -1);
    for (std::size_t k = 0; k < std::min(m, all.size()); ++k) result[k] = all[k].second;
    return result;
  }
};

Cloud random_cloud(int dimension, std::size_t n, unsigned seed) {
  CovarianceModel model;
  model.dimension = dimension;
  return {random_points(model, n, seed).coordinate};
}

void check_predecessors(const Cloud& cloud, std::size_t first, std::size_t m, std::size_t step) {
  const ExecSpace exec;
  const std::size_t rows = cloud.column[0].size() - first;
  const NeighbourView<ExecSpace> neighbours("tessera::test::neighbours", rows, m);
  find_predecessors<ExecSpace>(exec, cloud.on_device(), static_cast<std::int64_t>(first),
                               neighbours);
  std::vector<std::int32_t> found(rows * m);
  copy_to_host(exec, found.data(), neighbours.data(), found.size());
  for (std::size_t i = first; i < first + rows; i += i < 100 ? 1 : step) {
    const auto row = found.begin() + static_cast<std::ptrdiff_t>((i - first) * m);
    ASSERT_EQ(std::vector<std::int32_t>(row, row + static_cast<std::ptrdiff_t>(m)),
              cloud.nearest(cloud, i, m, [&](std::size_t j) { return j < i; }))
        << i;
  }
}

TEST(GpHighDimensional, PredecessorsAreTheNearest) {
  for (const int dimension : {5, 10, 33}) {
    check_predecessors(random_cloud(dimension, 3000, 11), 0, 30, 13);
    check_predecessors(random_cloud(dimension, 3000, 12), 1700, 70, 13);
  }
  for (const std::size_t n : {1, 2, 5}) check_predecessors(random_cloud(6, n, 13), 0, 4, 1);
}

/// Irrelevant coordinates, points at one place, and a lattice with many equal distances.
TEST(GpHighDimensional, PredecessorsOfUnevenPoints) {
  Cloud cloud = random_cloud(8, 3000, 14);
  for (std::size_t k = 3; k < 8; ++k) {
    for (double& x : cloud.column[k]) x *= 1e-3;
  }
  check_predecessors(cloud, 0, 30, 13);
  for (std::vector<double>& column : cloud.column) {
    for (std::size_t i = 1500; i < 3000; ++i) column[i] = column[i % 300];
  }
  check_predecessors(cloud, 0, 30, 13);
  for (std::vector<double>& column : cloud.column) {
    for (double& x : column) x = std::floor(3 * x);
  }
  check_predecessors(cloud, 0, 30, 13);
  check_predecessors({std::vector<std::vector<double>>(5, std::vector<double>(500, 1.5))}, 0, 30,
                     13);
}

TEST(GpHighDimensional, NearestOfOtherPoints) {
  const ExecSpace exec;
  const Cloud points = random_cloud(7, 2000, 15);
  Cloud targets = random_cloud(7, 300, 16);
  targets.column[0][0] = 1000;  // far outside
  const NeighbourView<ExecSpace> neighbours("tessera::test::neighbours", 300, 60);
  for (const bool folds : {false, true}) {
    std::vector<int> point_fold, target_fold;
    for (int i = 0; folds && i < 2000; ++i) point_fold.push_back(i % 10);
    for (int i = 0; folds && i < 300; ++i) target_fold.push_back(i % 10);
    find_nearest<ExecSpace>(exec, points.on_device(), targets.on_device(),
                            upload(exec, "tessera::test::fold", point_fold),
                            upload(exec, "tessera::test::fold", target_fold), neighbours);
    std::vector<std::int32_t> found(300 * 60);
    copy_to_host(exec, found.data(), neighbours.data(), found.size());
    for (std::size_t i = 0; i < 300; ++i) {
      const auto row = found.begin() + static_cast<std::ptrdiff_t>(i * 60);
      ASSERT_EQ(
          std::vector<std::int32_t>(row, row + 60),
          points.nearest(targets, i, 60, [&](std::size_t j) { return !folds || j % 10 != i % 10; }))
          << i;
    }
  }
}

TEST(GpHighDimensional, OrdersHoldEveryPointOnce) {
  const ExecSpace exec;
  for (const int dimension : {5, 12, 33}) {
    const Cloud cloud = random_cloud(dimension, 2000, 17);
    for (const Ordering ordering :
         {Ordering::maxmin, Ordering::random, Ordering::coordinate, Ordering::given}) {
      const Kokkos::View<std::uint32_t*, ExecSpace> order("tessera::test::order", 2000);
      order_points<ExecSpace>(exec, cloud.on_device(), ordering, 3, order);
      std::vector<std::uint32_t> host = download(exec, order);
      std::sort(host.begin(), host.end());
      for (std::uint32_t i = 0; i < 2000; ++i) ASSERT_EQ(host[i], i);
    }
  }
}

TEST(GpHighDimensional, PlacesThatRepeatAreFound) {
  const CovarianceModel model = many_ranges(9);
  Points points = random_points(model, 300, 18);
  for (std::size_t k = 0; k < 9; ++k) {
    points.coordinate[k][250] = points.coordinate[k][17];
    points.coordinate[k][251] = points.coordinate[k][17] + (k == 8 ? 1.0 : 0.0);  // not the ninth
    points.coordinate[k][260] = points.coordinate[k][44] + 1e-9;
  }
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(find_duplicates(model, points), (Pairs{{17, 250}}));
  EXPECT_EQ(find_close_pairs(model, points), (Pairs{{44, 260}}));
}

}  // namespace
