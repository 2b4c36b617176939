// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Covariances that are not stationary among several ranks against one device. Started alone this is
// one rank; CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <vector>

#include "tessera/core/linalg/shared_factor.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_close;
using test::normals;

CovarianceModel local_model() {
  CovarianceModel model;
  model.has_nugget = true;
  model.local.covariates = {"u"};
  model.local.centre = {0.1};
  model.local.sigma2 = model.local.beta = model.local.nugget = {0};
  model.local.knots = 3;
  model.local.coordinates = {"x", "y"};
  model.local.last = {1, 1};
  return model;
}

Points points_of(const CovarianceModel& model, std::size_t n, unsigned seed) {
  Points points = test::random_points(model, n, seed);
  points.local = {normals(n, seed + 9)};
  return points;
}

const Theta kTheta{1.3, 0.1, 0.8, 0.05, 0.6, -0.3, 0.5, 0.7, -0.2, -0.6, 0.3};

TEST(GpLocalRanks, ExactSolver) {
  const CovarianceModel model = local_model();
  // some panels with a rest
  const auto n = static_cast<std::size_t>(4 * linalg::SharedFactor<ExecSpace>::kWidth + 77);
  const Points points = points_of(model, n, 1), targets = points_of(model, 101, 2);
  const auto columns = trend(Mean::constant, points, points),
             at_targets = trend(Mean::constant, targets, points);
  ExactSolver<ExecSpace> alone(ExecSpace(), model, points),
      shared(ExecSpace(), model, points, test::ranks());
  alone.set_data(normals(n, 2), columns);
  shared.set_data(normals(n, 2), columns);
  const Evaluation a = alone.evaluate(kTheta, true, true), b = shared.evaluate(kTheta, true, true);
  ASSERT_TRUE(a.valid && b.valid) << b.problem;
  EXPECT_NEAR(b.loglik / a.loglik, 1, 1e-12);
  expect_close(b.gradient, a.gradient, 1e-9, "gradient");
  expect_close(b.information, a.information, 1e-9, "information");
  const Prediction c = alone.predict(kTheta, targets, at_targets, {}),
                   d = shared.predict(kTheta, targets, at_targets, {});
  expect_close(d.mean, c.mean, 1e-10, "mean");
  expect_close(d.variance, c.variance, 1e-10, "variance");
}

/// The bits do not depend on the number of ranks.
TEST(GpLocalRanks, VecchiaSolver) {
  const CovarianceModel model = local_model();
  const std::size_t n = 3000;
  const Points points = points_of(model, n, 1), targets = points_of(model, 101, 2);
  const auto columns = trend(Mean::constant, points, points),
             at_targets = trend(Mean::constant, targets, points);
  VecchiaSolver<ExecSpace> alone(ExecSpace(), model, points, test::vecchia_options(20)),
      shared(ExecSpace(), model, points, test::vecchia_options(20), test::ranks());
  const std::vector<double> z = alone.simulate(kTheta, normals(n, 2), normals(n, 3));
  EXPECT_EQ(shared.simulate(kTheta, normals(n, 2), normals(n, 3)), z);
  alone.set_data(z, columns);
  shared.set_data(z, columns);
  Theta other = kTheta;
  for (double& x : other) x *= 0.9;
  for (const Theta& theta : {kTheta, other}) {
    const Evaluation a = alone.evaluate(theta, true, true), b = shared.evaluate(theta, true, true);
    ASSERT_TRUE(a.valid && b.valid) << b.problem;
    EXPECT_EQ(b.loglik, a.loglik);
    EXPECT_EQ(b.gradient, a.gradient);
    EXPECT_EQ(b.information, a.information);
  }
  const Prediction c = alone.predict(kTheta, targets, at_targets, {}),
                   d = shared.predict(kTheta, targets, at_targets, {});
  EXPECT_EQ(d.mean, c.mean);
  EXPECT_EQ(d.variance, c.variance);
}

}  // namespace
