// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Predictions in blocks of space: from all data they are exact, from a part of them they come near,
// and they are the same for any number of ranks. Started alone this is one rank; CTest starts it by
// mpirun too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/points/point_blocks.hpp"
#include "tessera/gp/vecchia/block_prediction.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_cases.hpp"
#include "tests/unit/gp_points.hpp"
#include "tests/unit/gp_variable_models.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::Case;
using test::ExecSpace;
using test::expect_close;
using test::normals;
using test::random_points;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

VecchiaOptions in_blocks(int block) {
  VecchiaOptions options = test::vecchia_options(10);
  options.prediction_block = block;
  return options;
}

std::vector<int> sizes_of(const PointBlocks& blocks, const PointBlocks::Coordinates& points) {
  std::vector<int> sizes(static_cast<std::size_t>(blocks.count()), 0);
  for (std::size_t i = 0; i < points[0].size(); ++i)
    ++sizes[static_cast<std::size_t>(blocks.find(points, i))];
  return sizes;
}

TEST(PointBlocks, HaveAboutAsManyPointsEach) {
  const PointBlocks::Coordinates points = random_points({}, 1000, 1).coordinate;
  for (const std::size_t most : {1, 7, 40, 1000}) {
    const PointBlocks blocks(points, most);
    for (const int size : sizes_of(blocks, points)) {
      EXPECT_GT(size, 0) << most;
      EXPECT_LE(size, most) << most;
      EXPECT_GE(4 * size, std::min<int>(static_cast<int>(most), 4)) << most;
    }
  }
}

TEST(PointBlocks, CentresAreThoseOfBoundingBoxes) {
  const PointBlocks::Coordinates points{{0, 1, 10, 12}, {5, 5, 1, 2}};
  const PointBlocks blocks(points, 2);
  ASSERT_EQ(blocks.count(), 2);
  const auto low = static_cast<std::size_t>(blocks.find(points, 0)),
             high = static_cast<std::size_t>(blocks.find(points, 3));
  EXPECT_NE(low, high);
  EXPECT_EQ(blocks.centre()[0][low], 0.5);
  EXPECT_EQ(blocks.centre()[1][low], 5);
  EXPECT_EQ(blocks.centre()[0][high], 11);
  EXPECT_EQ(blocks.centre()[1][high], 1.5);
  EXPECT_EQ(blocks.find({{-1e9}, {7}}, 0), static_cast<std::int32_t>(low));
  EXPECT_EQ(blocks.find({{1e9}, {-7}}, 0), static_cast<std::int32_t>(high));
}

/// Points with equal coordinates cannot be told apart; others are cut between values.
TEST(PointBlocks, RepeatedCoordinates) {
  PointBlocks::Coordinates points{std::vector<double>(50, 3.0), std::vector<double>(50, 4.0)};
  EXPECT_EQ(PointBlocks(points, 5).count(), 1);
  for (std::size_t i = 40; i < 50; ++i) points[0][i] = 3.5;  // the median is the least of all
  EXPECT_THAT(sizes_of(PointBlocks(points, 5), points), testing::UnorderedElementsAre(40, 10));
}

TEST(TargetGroups, HoldEveryTargetOfABlockOnce) {
  std::vector<std::int32_t> block;
  for (std::int32_t i = 0; i < 1000; ++i) block.push_back(i % 7 == 6 ? -1 : 2 * (i % 7));
  const detail::TargetGroups groups = detail::group_targets(block);
  EXPECT_EQ(groups.target.size(), 858u);
  EXPECT_THAT(groups.block, testing::ElementsAre(0, 2, 4, 6, 8, 10));
  std::int64_t next = 0;
  for (const detail::TargetGroup& group : groups.group) {
    EXPECT_EQ(group.first, next);
    EXPECT_LE(group.count, detail::TargetGroups::kMost);
    for (std::int64_t k = 0; k < group.count; ++k, ++next)
      EXPECT_EQ(block[groups.target[static_cast<std::size_t>(next)]],
                groups.block[static_cast<std::size_t>(group.block)]);
  }
  EXPECT_EQ(next, 858);
}

/// Blocks of 20 of 120 points share 160, which are all. The points have errors of known variance.
TEST(GpBlockPrediction, FromAllDataIsExact) {
  const std::size_t n = 120;
  for (const Case& c : test::cases()) {
    Points points = random_points(c.model, n, 3);
    for (std::size_t i = 0; i < n; ++i)
      points.error_variance.push_back(0.02 * static_cast<double>(i % 4));
    const Points targets = random_points(c.model, 200, 4);
    const std::vector<double> z = normals(2 * n, 5);
    const auto columns = trend(Mean::linear, points, points),
               at_targets = trend(Mean::linear, targets, points);
    Exact exact(ExecSpace(), c.model, points);
    exact.set_data(z, columns);
    VecchiaOptions options = in_blocks(20);
    options.neighbours = static_cast<int>(n);  // for the trend
    Vecchia blocks(ExecSpace(), c.model, points, options, test::ranks());
    blocks.set_data(z, columns);
    const Prediction expected = exact.predict(c.theta, targets, at_targets, {}),
                     found = blocks.predict(c.theta, targets, at_targets, {});
    expect_close(found.mean, expected.mean, 1e-9, c.name + " mean");
    expect_close(found.variance, expected.variance, 1e-9, c.name + " variance");
  }
}

/// Blocks of 12 of 96 observations share them all, whichever variable they are of; so do they where
/// the covariance differs from place to place.
TEST(GpBlockPrediction, OfSeveralVariablesAndWhereNotStationary) {
  CovarianceModel local;
  local.has_nugget = true;
  local.local.covariates = {"u"};
  local.local.centre = {0.1};
  local.local.sigma2 = local.local.beta = local.local.nugget = {0};
  const auto compare = [](const CovarianceModel& model, const Theta& theta, const Points& points,
                          const Points& targets) {
    const std::vector<double> z = normals(points.size(), 20);
    Exact exact(ExecSpace(), model, points);
    Vecchia blocks(ExecSpace(), model, points, in_blocks(12), test::ranks());
    exact.set_data(z, {});
    blocks.set_data(z, {});
    const Prediction expected = exact.predict(theta, targets, {}, {}),
                     found = blocks.predict(theta, targets, {}, {});
    expect_close(found.mean, expected.mean, 1e-9, "mean");
    expect_close(found.variance, expected.variance, 1e-9, "variance");
  };
  const CovarianceModel two = test::several(2);
  compare(two, {1.3, 40, 0.2, 0.8, 1.7, -0.5, 0.1, 2}, test::unequal_places(two, 60, 18),
          repeat_for_variables(random_points(two, 50, 19), 2));
  Points points = random_points(local, 96, 21), targets = random_points(local, 50, 22);
  points.local = {normals(96, 23)};
  targets.local = {normals(50, 24)};
  compare(local, {1.3, 0.1, 0.8, 0.05, 0.6, -0.3, 0.5}, points, targets);
}

double rms(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// The nugget is large, so that weights spread over many observations.
TEST(GpBlockPrediction, ComesNearerThanTheNearestOfEachTarget) {
  CovarianceModel model;
  model.has_nugget = true;
  const Theta theta{1, 0.05, 1.5, 0.5};
  const std::size_t n = 2000;
  const Points points = random_points(model, n, 6), targets = random_points(model, 1000, 7);
  Exact exact(ExecSpace(), model, points);
  const std::vector<double> z = exact.simulate(theta, normals(n, 8), {});
  exact.set_data(z, {});
  const Prediction expected = exact.predict(theta, targets, {}, {});
  const auto error = [&](const VecchiaOptions& options) {
    Vecchia solver(ExecSpace(), model, points, options);
    solver.set_data(z, {});
    return rms(solver.predict(theta, targets, {}, {}).mean, expected.mean);
  };
  VecchiaOptions nearest = test::vecchia_options(10);
  nearest.prediction_neighbours = 160;
  const double of_nearest = error(nearest), of_small = error(in_blocks(20)),
               of_large = error(in_blocks(40));
  EXPECT_LT(of_small, 0.03);
  EXPECT_LT(of_large, 0.006);
  EXPECT_LT(of_large, of_nearest);
}

/// Beside clusters the data nearest to a target need not be those nearest to its block's centre.
TEST(GpBlockPrediction, TargetsBesideClustersTakeTheirOwnNeighbours) {
  CovarianceModel model;
  model.has_nugget = true;
  const Theta theta{1, 0.02, 1.5, 0.1};
  Points points = random_points(model, 1200, 15);
  for (std::size_t i = 0; i < 1200; ++i) {  // three in four stand in one of four clusters
    if (i % 4 == 0) continue;
    for (std::size_t k = 0; k < 2; ++k)
      points.coordinate[k][i] =
          0.03 * points.coordinate[k][i] + 0.3 * static_cast<double>(i % 4 + k);
  }
  const Points targets = random_points(model, 2000, 16);
  Exact exact(ExecSpace(), model, points);
  exact.set_data(normals(1200, 17), {});
  const Prediction expected = exact.predict(theta, targets, {}, {});
  const auto worst = [&](int block) {
    VecchiaOptions options = in_blocks(block);
    options.prediction_neighbours = 60;
    Vecchia solver(ExecSpace(), model, points, options, test::ranks());
    solver.set_data(normals(1200, 17), {});
    const Prediction found = solver.predict(theta, targets, {}, {});
    double largest = 0;
    for (std::size_t i = 0; i < 2000; ++i)
      largest = std::max(largest, std::fabs(found.variance[i] - expected.variance[i]));
    return largest;
  };
  EXPECT_LT(worst(15), 1.1 * worst(1));
  EXPECT_LT(worst(40), worst(1));
}

/// What is predicted at a place does not depend on the other targets, nor on how many ranks share
/// the work; the latter to the bit.
TEST(GpBlockPrediction, DependsOnTheDataAlone) {
  const Case c = test::cases()[0];
  const std::size_t n = 1500;
  const Points points = random_points(c.model, n, 9), targets = random_points(c.model, 700, 10);
  const std::vector<double> z = normals(n, 11);
  const auto columns = trend(Mean::constant, points, points),
             at_targets = trend(Mean::constant, targets, points);
  Vecchia alone(ExecSpace(), c.model, points, in_blocks(12)),
      shared(ExecSpace(), c.model, points, in_blocks(12), test::ranks());
  alone.set_data(z, columns);
  shared.set_data(z, columns);
  const Prediction all = alone.predict(c.theta, targets, at_targets, {}),
                   on_ranks = shared.predict(c.theta, targets, at_targets, {});
  EXPECT_EQ(on_ranks.mean, all.mean);
  EXPECT_EQ(on_ranks.variance, all.variance);
  const Points few = targets.subset({3, 500, 42});
  const Prediction found = alone.predict(c.theta, few, trend(Mean::constant, few, points), {});
  expect_close(found.mean, {all.mean[3], all.mean[500], all.mean[42]}, 1e-12, "mean");
  expect_close(found.variance, {all.variance[3], all.variance[500], all.variance[42]}, 1e-12,
               "variance");
  EXPECT_TRUE(alone.predict(c.theta, targets.subset({}), {{}}, {}).mean.empty());
}

/// A smooth field without a nugget: rounding leaves no factor of so many points.
TEST(GpBlockPrediction, NamesWhatHasNoFactor) {
  CovarianceModel model;
  model.family = Family::squared_exponential;
  const std::size_t n = 400;
  const Points points = random_points(model, n, 12);
  Vecchia solver(ExecSpace(), model, points, in_blocks(40), test::ranks());
  solver.set_data(normals(n, 13), {});
  try {
    solver.predict({1, 0.5}, random_points(model, 20, 14), {}, {});
    FAIL() << "predictions without a factor";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_THAT(error.what(), testing::HasSubstr("320 of 400 points that point 1 at"));
    EXPECT_THAT(error.what(), testing::HasSubstr("a smaller method.vecchia.prediction_block"));
  }
}

}  // namespace
