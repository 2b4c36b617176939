// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Ranges along turned axes: quarter turns exchange ranges, turning the points instead is the same,
// neighbours are the nearest in the turned and scaled coordinates. (Gradients and information of
// rotated covariances: gp_exact.cpp and gp_vecchia.cpp.)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/gp/covariance/range_proportions.hpp"
#include "tessera/gp/covariance/rotation.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_close;
using test::normals;
using test::random_points;

constexpr double kQuarter = 1.5707963267948966;

CovarianceModel model(int dimension, bool rotated) {
  CovarianceModel m;
  m.dimension = dimension;
  m.anisotropic = m.has_nugget = true;
  m.rotated = rotated;
  return m;
}

std::unique_ptr<Solver> make(const std::string& method, const CovarianceModel& m,
                             const Points& points, int neighbours) {
  if (method == "exact") return std::make_unique<ExactSolver<ExecSpace>>(ExecSpace(), m, points);
  return std::make_unique<VecchiaSolver<ExecSpace>>(ExecSpace(), m, points,
                                                    test::vecchia_options(neighbours));
}

/// Likelihood, predictions and cross-validation of both are the same.
void expect_same(const CovarianceModel& a, const Points& a_points, const Points& a_targets,
                 const Theta& a_theta, const CovarianceModel& b, const Points& b_points,
                 const Points& b_targets, const Theta& b_theta, int neighbours,
                 const std::string& what) {
  const std::size_t n = a_points.size();
  const std::vector<double> z = normals(n, 61);
  std::vector<int> fold;
  for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % 5));
  for (const std::string method : {"exact", "vecchia"}) {
    const auto p = make(method, a, a_points, neighbours), q = make(method, b, b_points, neighbours);
    p->set_data(z, trend(Mean::constant, a_points, a_points));
    q->set_data(z, trend(Mean::constant, b_points, b_points));
    p->prepare(a_theta);
    q->prepare(b_theta);
    EXPECT_NEAR(p->evaluate(a_theta, false).loglik, q->evaluate(b_theta, false).loglik,
                1e-10 * static_cast<double>(n))
        << what << method;
    const Prediction x = p->predict(a_theta, a_targets, trend(Mean::constant, a_targets, a_points),
                                    {}),
                     y = q->predict(b_theta, b_targets, trend(Mean::constant, b_targets, b_points),
                                    {});
    expect_close(x.mean, y.mean, 1e-10, what + method + " mean");
    expect_close(x.variance, y.variance, 1e-10, what + method + " variance");
    const Prediction v = p->cross_validate(a_theta, fold), w = q->cross_validate(b_theta, fold);
    expect_close(v.mean, w.mean, 1e-10, what + method + " mean of a fold");
    expect_close(v.variance, w.variance, 1e-10, what + method + " variance of a fold");
  }
}

/// All points are neighbours, since the order of the points depends on which coordinate is the
/// first.
TEST(GpRotation, QuarterTurnsExchangeRanges) {
  {
    const CovarianceModel turned = model(2, true), straight = model(2, false);
    const Points points = random_points(turned, 150, 62), targets = random_points(turned, 30, 63);
    expect_same(turned, points, targets, {1.3, 0.4, 0.1, kQuarter, 0.8, 0.05}, straight, points,
                targets, {1.3, 0.1, 0.4, 0.8, 0.05}, 150, "plane ");
  }
  const CovarianceModel turned = model(3, true), straight = model(3, false);
  const Points points = random_points(turned, 150, 64), targets = random_points(turned, 30, 65);
  const std::array<std::array<double, 3>, 3> angles{
      {{kQuarter, 0, 0}, {0, kQuarter, 0}, {0, 0, kQuarter}}},
      ranges{{{0.3, 0.8, 0.5}, {0.5, 0.3, 0.8}, {0.8, 0.5, 0.3}}};
  for (int k = 0; k < 3; ++k) {
    const auto& [a, b, c] = angles[k];
    const auto& [x, y, z] = ranges[k];
    expect_same(turned, points, targets, {1.3, 0.8, 0.3, 0.5, a, b, c, 0.8, 0.05}, straight, points,
                targets, {1.3, x, y, z, 0.8, 0.05}, 150, "angle " + std::to_string(k + 1) + " ");
  }
}

/// R_z(yaw) R_y(pitch) R_x(roll), element by element.
Axes tait_bryan(double yaw, double pitch, double roll) {
  const double c1 = std::cos(yaw), s1 = std::sin(yaw), c2 = std::cos(pitch), s2 = std::sin(pitch),
               c3 = std::cos(roll), s3 = std::sin(roll);
  return {{{c1 * c2, c1 * s2 * s3 - c3 * s1, s1 * s3 + c1 * c3 * s2},
           {c2 * s1, c1 * c3 + s1 * s2 * s3, c3 * s1 * s2 - c1 * s3},
           {-s2, c2 * s3, c2 * c3}}};
}

/// Points turned forward have the covariance turned by the same angles, far from the origin too.
TEST(GpRotation, TurnedPoints) {
  for (const int dimension : {2, 3}) {
    const CovarianceModel turned = model(dimension, true), straight = model(dimension, false);
    const Axes rotation = dimension == 2 ? tait_bryan(0.6, 0, 0) : tait_bryan(0.6, -0.9, 2.1);
    const auto turn = [&](const Points& points) {
      Points result = points;
      for (int k = 0; k < dimension; ++k) {
        for (std::size_t i = 0; i < points.size(); ++i) {
          double sum = 4096;
          for (int j = 0; j < dimension; ++j) sum += rotation[k][j] * points.coordinate[j][i];
          result.coordinate[k][i] = sum;
        }
      }
      return result;
    };
    const Points points = random_points(straight, 150, 66),
                 targets = random_points(straight, 30, 67);
    const Theta plain =
        dimension == 2 ? Theta{1.3, 0.4, 0.1, 0.8, 0.05} : Theta{1.3, 0.8, 0.3, 0.5, 0.8, 0.05};
    Theta theta = plain;
    const std::vector<double> angles =
        dimension == 2 ? std::vector<double>{0.6} : std::vector<double>{0.6, -0.9, 2.1};
    theta.insert(theta.begin() + turned.angle(), angles.begin(), angles.end());
    expect_same(turned, turn(points), turn(targets), theta, straight, points, targets, plain, 15,
                std::to_string(dimension) + " dimensions ");
  }
}

TEST(GpRotation, NeighboursAreNearestInTurnedCoordinates) {
  const CovarianceModel turned = model(2, true);
  const std::size_t n = 400;
  const int m = 12;
  const Points points = random_points(turned, n, 68);
  const Theta theta{1.3, 0.5, 0.1, 0.7, 0.8, 0.05};
  VecchiaSolver<ExecSpace> solver(ExecSpace(), turned, points, test::vecchia_options(m));
  solver.set_data(normals(n, 69), {});
  EXPECT_TRUE(solver.prepare(theta));
  EXPECT_FALSE(solver.prepare({2.0, 0.5, 0.1, 0.7, 1.1, 0.01})) << "ranges and angle are as before";
  EXPECT_TRUE(solver.prepare({1.3, 0.5, 0.1, -0.4, 0.8, 0.05}));
  EXPECT_TRUE(solver.prepare(theta));
  const auto order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), solver.order());
  const auto neighbours =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), solver.neighbours());
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto square = [&](std::size_t a, std::size_t b) {
    const double x = points.coordinate[0][a] - points.coordinate[0][b],
                 y = points.coordinate[1][a] - points.coordinate[1][b];
    return std::pow((c * x + s * y) / 0.5, 2) + std::pow((c * y - s * x) / 0.1, 2);
  };
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> all, found;
    for (std::size_t j = 0; j < i; ++j) all.push_back(square(order(i), order(j)));
    std::sort(all.begin(), all.end());
    for (int k = 0; k < m && neighbours(i, k) >= 0; ++k)
      found.push_back(square(order(i), order(neighbours(i, k))));
    ASSERT_EQ(found.size(), std::min<std::size_t>(i, m));
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], all[k], 1e-10) << i << ' ' << k;
  }
}

/// The field is the same after half a turn, and after a quarter turn with the ranges exchanged;
/// with equal ranges no angle counts.
TEST(GpRotation, EquivalentAngles) {
  const CovarianceModel turned = model(2, true);
  const Points points = random_points(turned, 100, 70);
  ExactSolver<ExecSpace> solver(ExecSpace(), turned, points);
  solver.set_data(normals(100, 71), {});
  const double at = solver.evaluate({1.3, 0.4, 0.1, 0.3, 0.8, 0.05}, false).loglik;
  EXPECT_NEAR(solver.evaluate({1.3, 0.4, 0.1, 0.3 + 2 * kQuarter, 0.8, 0.05}, false).loglik, at,
              1e-10);
  EXPECT_NEAR(solver.evaluate({1.3, 0.1, 0.4, 0.3 + kQuarter, 0.8, 0.05}, false).loglik, at, 1e-10);
  EXPECT_NEAR(solver.evaluate({1.3, 0.1, 0.4, 0.3 - kQuarter, 0.8, 0.05}, false).loglik, at, 1e-10);
  EXPECT_NEAR(solver.evaluate({1.3, 0.2, 0.2, 0.3, 0.8, 0.05}, true).gradient[3], 0, 1e-9);
}

/// Distances change against each other by as much as those in the directions where they change
/// most and least.
TEST(GpRotation, NearnessChange) {
  const CovarianceModel turned = model(2, true), plain = model(2, false);
  const Theta from{1, 0.5, 0.1, 0.7, 0.8, 0.1}, to{2, 0.3, 0.2, 1.1, 0.6, 0.2};
  const auto distance = [](const Theta& theta, double direction) {
    const double angle = direction - theta[3];
    return std::hypot(std::cos(angle) / theta[1], std::sin(angle) / theta[2]);
  };
  double least = 1e300, most = 0;
  for (int k = 0; k < 20000; ++k) {
    const double ratio = distance(to, k * kQuarter / 10000) / distance(from, k * kQuarter / 10000);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  EXPECT_NEAR(nearness_change(turned, from, to) * least / most, 1, 1e-6);
  EXPECT_NEAR(nearness_change(turned, from, {2, 0.1, 0.5, 0.7 + kQuarter, 0.8, 0.1}), 1, 1e-12);
  EXPECT_NEAR(nearness_change(turned, from, {2, 0.1, 0.5, 0.7, 0.8, 0.1}), 25, 1e-10);
  EXPECT_NEAR(nearness_change(plain, {1, 0.5, 0.1, 0.8, 0}, {3, 1.0, 0.6, 0.5, 1}), 3, 1e-12);
  EXPECT_TRUE(have_same_nearness(plain, {1, 0.5, 0.25, 0.8, 0}, {3, 1.0, 0.5, 0.5, 1}));
  EXPECT_FALSE(have_same_nearness(plain, {1, 0.5, 0.25, 0.8, 0}, {3, 1.0, 0.25, 0.5, 1}));
  EXPECT_FALSE(have_same_nearness(turned, from, {1, 0.5, 0.1, 0.8, 0.8, 0.1}));
  CovarianceModel earth;
  earth.metric = Metric::great_circle;
  earth.has_time = true;
  EXPECT_NEAR(nearness_change(earth, {1, 500, 0.5, 3}, {1, 250, 0.5, 6}), 4, 1e-12);
}

}  // namespace
