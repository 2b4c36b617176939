// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Observations that are not Gaussian among several ranks against one device: the bits do not depend
// on the number of ranks. Started alone this is one rank; CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/gp/latent/latent.hpp"
#include "tests/harness/backend.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_latent_cases.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::latent::Case;
using test::latent::cases;
using test::latent::observations;

/// Ranges along the axes, so that other ranges have other neighbours.
CovarianceModel stretched() {
  CovarianceModel model;
  model.anisotropic = true;
  return model;
}

LatentOptions options(Determinant determinant) {
  LatentOptions o;
  o.vecchia = test::vecchia_options(12);
  o.determinant = determinant;
  o.probes = 27;  // some batches with a rest, on a CPU
  o.samples = 43;
  return o;
}

/// A solver of one device and one of all ranks.
struct Pair {
  std::unique_ptr<LatentSolver> alone, shared;
};

Pair make_pair_of_solvers(const Case& one, std::size_t n, const LatentOptions& options) {
  const Points points = test::random_points(stretched(), n, 11);
  std::vector<double> offset(n);
  for (std::size_t i = 0; i < n; ++i) offset[i] = 0.2 * std::sin(5.0 * static_cast<double>(i));
  const auto make = [&](const parallel::Communicator& ranks) {
    auto solver = make_latent_solver(test::backend(), stretched(), points, options, ranks);
    solver->set_data(observations(one.response, points), offset,
                     {std::vector<double>(n, 1.0), points.coordinate[0]});
    return solver;
  };
  return {make({}), make(test::ranks())};
}

LatentPoint point_of(const Case& one) {
  return {{1.2, 0.15, 0.12, 0.8}, one.response, {0.3, -0.4}};
}

void expect_same(const LatentEvaluation& shared, const LatentEvaluation& alone,
                 const std::string& what) {
  ASSERT_TRUE(alone.valid && shared.valid) << what << ": " << alone.problem << shared.problem;
  EXPECT_EQ(shared.loglik, alone.loglik) << what;
  EXPECT_EQ(shared.log_determinant, alone.log_determinant) << what;
  EXPECT_EQ(shared.log_determinant_error, alone.log_determinant_error) << what;
  EXPECT_EQ(shared.theta_gradient, alone.theta_gradient) << what;
  EXPECT_EQ(shared.response_gradient, alone.response_gradient) << what;
  EXPECT_EQ(shared.coefficient_gradient, alone.coefficient_gradient) << what;
  EXPECT_EQ(shared.newton_steps, alone.newton_steps) << what;
  EXPECT_EQ(shared.cg_iterations, alone.cg_iterations) << what;
}

void expect_same(const LatentPrediction& shared, const LatentPrediction& alone,
                 const std::string& what) {
  EXPECT_EQ(shared.mean, alone.mean) << what;
  EXPECT_EQ(shared.variance, alone.variance) << what;
}

TEST(GpLatentRanks, LikelihoodsGradientsAndModes) {
  for (const Case& one : cases()) {
    for (const Determinant determinant : {Determinant::cholesky, Determinant::stochastic}) {
      const std::string what =
          one.name + (determinant == Determinant::cholesky ? ", exact" : ", estimated");
      const Pair pair = make_pair_of_solvers(one, 1500, options(determinant));
      LatentPoint point = point_of(one);
      for (const LatentGradient gradient :
           {LatentGradient::all, LatentGradient::response, LatentGradient::none}) {
        EXPECT_EQ(pair.shared->prepare(point.theta), pair.alone->prepare(point.theta)) << what;
        const LatentEvaluation alone = pair.alone->evaluate(point, gradient);
        expect_same(pair.shared->evaluate(point, gradient), alone, what);
        EXPECT_EQ(pair.shared->mode(), pair.alone->mode()) << what;
        point.theta = {0.9, 0.11, 0.16, 1.3};
        point.coefficients[0] = 0.1;
      }
    }
  }
}

TEST(GpLatentRanks, PredictionsAndDraws) {
  const Case one = cases()[2];
  const Points targets = test::random_points(stretched(), 307, 23);
  DrawOptions draws;
  draws.count = 21;
  draws.normals = test::normals(targets.size() * 21, 3);
  std::vector<std::size_t> left_out;
  for (std::size_t i = 3; i < 1200; i += 5) left_out.push_back(i);
  for (const Determinant determinant : {Determinant::cholesky, Determinant::stochastic}) {
    const std::string what = determinant == Determinant::cholesky ? "exact" : "estimated";
    const Pair pair = make_pair_of_solvers(one, 1200, options(determinant));
    const LatentPoint point = point_of(one);
    expect_same(pair.shared->predict(point, targets), pair.alone->predict(point, targets), what);
    EXPECT_EQ(pair.shared->draw(point, targets, draws), pair.alone->draw(point, targets, draws))
        << what;
    expect_same(pair.shared->leave_out(point, left_out), pair.alone->leave_out(point, left_out),
                what);
    EXPECT_EQ(pair.shared->mode(), pair.alone->mode()) << what;
    // the factor of the likelihood after that of the predictions
    const LatentEvaluation alone = pair.alone->evaluate(point, LatentGradient::all);
    expect_same(pair.shared->evaluate(point, LatentGradient::all), alone, what);
  }
}

/// Fewer points than a block of the order, and than a subtree; fewer targets and draws than ranks.
TEST(GpLatentRanks, RanksWithNothingToDo) {
  const Case one = cases()[2];
  const Points targets = test::random_points(stretched(), 1, 23);
  DrawOptions draws;
  draws.count = 1;
  draws.normals = {0.3};
  for (const std::size_t n : {1, 2, 70, 300}) {
    for (const Determinant determinant : {Determinant::cholesky, Determinant::stochastic}) {
      const std::string what = std::to_string(n);
      LatentOptions o = options(determinant);
      o.probes = 2;
      o.samples = 10;
      const Pair pair = make_pair_of_solvers(one, n, o);
      const LatentPoint point = point_of(one);
      const LatentEvaluation alone = pair.alone->evaluate(point, LatentGradient::all);
      expect_same(pair.shared->evaluate(point, LatentGradient::all), alone, what);
      expect_same(pair.shared->predict(point, targets), pair.alone->predict(point, targets), what);
      EXPECT_EQ(pair.shared->draw(point, targets, draws), pair.alone->draw(point, targets, draws))
          << what;
    }
  }
}

/// A system that no rank, or one alone, can solve is the same problem on all of them.
TEST(GpLatentRanks, Failures) {
  const Case one = cases()[2];
  LatentOptions o = options(Determinant::stochastic);
  for (const int iterations : {1, 4}) {
    o.cg_iterations = iterations;
    const Pair pair = make_pair_of_solvers(one, 1200, o);
    const LatentPoint point = point_of(one);
    const LatentEvaluation alone = pair.alone->evaluate(point, LatentGradient::all),
                           shared = pair.shared->evaluate(point, LatentGradient::all);
    EXPECT_EQ(shared.valid, alone.valid) << iterations;
    EXPECT_EQ(shared.problem, alone.problem) << iterations;
    EXPECT_EQ(shared.cg_iterations, alone.cg_iterations) << iterations;
    EXPECT_FALSE(alone.valid) << iterations;
  }
  const Pair pair = make_pair_of_solvers(one, 1200, options(Determinant::cholesky));
  LatentPoint point = point_of(one);
  point.theta[1] = point.theta[2] = 1e12;  // the covariance is not positive definite
  EXPECT_FALSE(pair.alone->evaluate(point, LatentGradient::all).valid);
  const LatentEvaluation shared = pair.shared->evaluate(point, LatentGradient::all);
  EXPECT_FALSE(shared.valid);
  EXPECT_NE(shared.problem, "");
}

}  // namespace
