// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Vecchia's approximation: with all predecessors it is the exact solver, with fewer it comes near;
// gradients against differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/fisher_scoring.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_cases.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::Case;
using test::cases;
using test::ExecSpace;
using test::expect_close;
using test::expect_information;
using test::normals;
using test::random_points;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

TEST(GpVecchia, WithAllPredecessorsItIsExact) {
  const std::size_t n = 150;
  for (const Case& c : cases()) {
    const Points points = random_points(c.model, n, 1);
    const std::vector<double> z = normals(2 * n, 2);
    for (const Mean mean : {Mean::zero, Mean::linear}) {
      const auto columns = trend(mean, points, points);
      Exact exact(ExecSpace(), c.model, points);
      exact.set_data(z, columns);
      Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n) - 1));
      vecchia.set_data(z, columns);
      const Evaluation expected = exact.evaluate(c.theta, true),
                       found = vecchia.evaluate(c.theta, true, true);
      ASSERT_TRUE(found.valid) << c.name << ": " << found.problem;
      EXPECT_NEAR(found.loglik / expected.loglik, 1, 1e-10) << c.name;
      EXPECT_NEAR(vecchia.evaluate(c.theta, false).loglik / expected.loglik, 1, 1e-10) << c.name;
      expect_close(found.gradient, expected.gradient, 1e-10, c.name + " gradient");
      expect_information(found.information, exact.fisher_information(c.theta), 1e-10,
                         c.name + " information");
      std::vector<double> a, b, a_error, b_error;
      exact.trend_coefficients(c.theta, a, a_error);
      vecchia.trend_coefficients(c.theta, b, b_error);
      if (mean != Mean::zero) expect_close(b, a, 1e-9, c.name + " trend");
      if (mean != Mean::zero) expect_close(b_error, a_error, 1e-9, c.name + " error of the trend");
    }
  }
}

/// Numbers of neighbours for which a GPU has kernels of their own, with every number of columns.
TEST(GpVecchia, SmallNumbersOfNeighbours) {
  for (const std::size_t n : {8, 11, 12, 15, 21, 22, 25, 31, 32, 50, 61}) {
    for (const Case& c : {cases()[0], cases()[1], cases()[2], cases()[4], cases()[5], cases()[7]}) {
      const Points points = random_points(c.model, n, 31);
      for (const Mean mean : {Mean::zero, Mean::constant, Mean::linear}) {
        const auto columns = trend(mean, points, points);
        for (const std::size_t replicates : {1, 3}) {
          const std::vector<double> z = normals(replicates * n, 32);
          Exact exact(ExecSpace(), c.model, points);
          exact.set_data(z, columns);
          Vecchia vecchia(ExecSpace(), c.model, points,
                          test::vecchia_options(static_cast<int>(n) - 1));
          vecchia.set_data(z, columns);
          const std::string name = c.name + ", " + std::to_string(n) + " points";
          const Evaluation expected = exact.evaluate(c.theta, true),
                           found = vecchia.evaluate(c.theta, true, true);
          ASSERT_TRUE(found.valid) << name << ": " << found.problem;
          const double scale = std::fabs(expected.loglik) + static_cast<double>(n);
          EXPECT_NEAR(found.loglik, expected.loglik, 1e-11 * scale) << name;
          EXPECT_NEAR(vecchia.evaluate(c.theta, false).loglik, expected.loglik, 1e-11 * scale)
              << name;
          expect_close(found.gradient, expected.gradient, 1e-10, name + " gradient");
          expect_close(vecchia.evaluate(c.theta, true).gradient, expected.gradient, 1e-10,
                       name + " gradient alone");
          expect_information(found.information, exact.fisher_information(c.theta), 1e-10,
                             name + " information");
        }
      }
    }
  }
}

TEST(GpVecchia, PredictionFromAllDataIsExact) {
  const std::size_t n = 120;
  for (const Case& c : cases()) {
    const Points points = random_points(c.model, n, 3), targets = random_points(c.model, 40, 4);
    const std::vector<double> z = normals(2 * n, 5);
    const auto columns = trend(Mean::linear, points, points),
               target_columns = trend(Mean::linear, targets, points);
    Exact exact(ExecSpace(), c.model, points);
    exact.set_data(z, columns);
    Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n)));
    vecchia.set_data(z, columns);
    const Prediction expected = exact.predict(c.theta, targets, target_columns, {}),
                     found = vecchia.predict(c.theta, targets, target_columns, {});
    expect_close(found.mean, expected.mean, 1e-9, c.name + " mean");
    expect_close(found.variance, expected.variance, 1e-9, c.name + " variance");
  }
}

/// The points have errors of known variance too.
TEST(GpVecchia, VarianceOfAPredictorThatIsWrongIsExact) {
  const std::size_t n = 120;
  for (const Case& c : cases()) {
    Points points = random_points(c.model, n, 1);
    for (std::size_t i = 0; i < n; ++i)
      points.error_variance.push_back(0.01 * static_cast<double>(i % 5));
    const Points targets = random_points(c.model, 20, 3);
    Theta truth = c.theta;
    for (std::size_t k = 0; k < 2; ++k) truth[k] *= 1.3;
    Exact exact(ExecSpace(), c.model, points);
    exact.set_data(normals(n, 2), {});
    Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n)));
    vecchia.set_data(normals(n, 2), {});
    vecchia.prepare(c.theta);
    expect_close(vecchia.misspecified_variance(truth, c.theta, targets),
                 exact.misspecified_variance(truth, c.theta, targets), 1e-9, c.name);
    expect_close(vecchia.misspecified_variance(truth, truth, targets),
                 exact.predict(truth, targets, {}, {}).variance, 1e-9, c.name);
  }
}

TEST(GpVecchia, CrossValidationWithoutATrendIsExact) {
  const std::size_t n = 120;
  const Case c = cases()[0];
  const Points points = random_points(c.model, n, 3);
  const std::vector<double> z = normals(n, 5);
  Exact exact(ExecSpace(), c.model, points);
  exact.set_data(z, {});
  Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n)));
  vecchia.set_data(z, {});
  std::vector<int> fold;
  for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % 7));
  const Prediction expected = exact.cross_validate(c.theta, fold),
                   found = vecchia.cross_validate(c.theta, fold);
  expect_close(found.mean, expected.mean, 1e-9, "mean");
  expect_close(found.variance, expected.variance, 1e-9, "variance");
}

/// The gradient with few neighbours against differences of the likelihood with the same.
TEST(GpVecchia, GradientOfTheApproximation) {
  const std::size_t n = 600;
  for (const Case& c : cases()) {
    const Points points = random_points(c.model, n, 6);
    Vecchia solver(ExecSpace(), c.model, points, test::vecchia_options(12));
    solver.set_data(normals(n, 7), trend(Mean::constant, points, points));
    test::expect_gradient(solver, c.model, c.theta, 1e-7, c.name);
  }
}

/// A gradient without information is the same, with every number of columns.
TEST(GpVecchia, GradientWithoutInformation) {
  const std::size_t n = 300;
  for (const Case& c : cases()) {
    const Points points = random_points(c.model, n, 23);
    for (const Mean mean : {Mean::zero, Mean::constant, Mean::quadratic}) {
      Vecchia solver(ExecSpace(), c.model, points, test::vecchia_options(12));
      solver.set_data(normals(2 * n, 24), trend(mean, points, points));
      const Evaluation both = solver.evaluate(c.theta, true, true),
                       alone = solver.evaluate(c.theta, true);
      ASSERT_TRUE(both.valid && alone.valid) << c.name;
      EXPECT_EQ(both.information.size(), c.theta.size() * c.theta.size()) << c.name;
      EXPECT_TRUE(alone.information.empty()) << c.name;
      EXPECT_NEAR(alone.loglik, both.loglik, 1e-12 * std::fabs(both.loglik)) << c.name;
      expect_close(alone.gradient, both.gradient, 1e-10, c.name);
    }
  }
}

/// The divergence of Kullback and Leibler from the exact density is the difference of the
/// log-likelihoods of a field of zeros, since E r_i^2 / d_i = 1.
TEST(GpVecchia, DivergenceFallsWithTheNeighbours) {
  const std::size_t n = 2500;
  const CovarianceModel model;
  const Points points = random_points(model, n, 8);
  const Theta theta{1, 0.3, 0.5};
  Exact exact(ExecSpace(), model, points);
  exact.set_data(std::vector<double>(n, 0.0), {});
  const double truth = exact.evaluate(theta, false).loglik;
  const auto divergence = [&](int m, Ordering ordering) {
    Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(m, ordering));
    vecchia.set_data(std::vector<double>(n, 0.0), {});
    return (truth - vecchia.evaluate(theta, false).loglik) / n;
  };
  double before = 1e300;
  for (const int m : {2, 5, 10, 20, 30, 60}) {
    const double now = divergence(m, Ordering::maxmin);
    EXPECT_LT(now, before) << m;
    before = now;
  }
  EXPECT_LT(10 * divergence(30, Ordering::maxmin), divergence(30, Ordering::coordinate));
  EXPECT_LT(divergence(30, Ordering::maxmin), divergence(30, Ordering::random));
}

/// The score of many fields under the exact likelihood is normal, with the information as its
/// variance.
void expect_score_of_model(const Case& c, const Points& points, const std::vector<double>& fields) {
  Exact exact(ExecSpace(), c.model, points);
  exact.set_data(fields, {});
  const Evaluation at = exact.evaluate(c.theta, true);
  const std::vector<double> information = exact.fisher_information(c.theta);
  for (std::size_t k = 0; k < c.theta.size(); ++k)
    EXPECT_LT(std::fabs(at.gradient[k]), 4 * std::sqrt(information[k * c.theta.size() + k])) << k;
}

/// Simulated fields have the covariance asked for: their likelihood is as expected, and so is the
/// fitted variance.
TEST(GpVecchia, SimulatedFieldsAreOfTheModel) {
  const std::size_t n = 400;
  const Case c = cases()[0];
  const Points points = random_points(c.model, n, 10);
  Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n) - 1));
  expect_score_of_model(c, points,
                        vecchia.simulate(c.theta, normals(100 * n, 11), normals(100 * n, 21)));
  EXPECT_THROW(vecchia.simulate(c.theta, normals(n, 11), {}), Error)
      << "the nugget needs numbers of its own";
}

/// Simulated fields follow the model also where a point has few neighbours and much of a nugget:
/// those say little of the field unless they are without it.
TEST(GpVecchia, FewNoisyNeighboursDoNotSpoilASimulation) {
  const std::size_t n = 400;
  Case c = cases()[0];
  c.theta.back() = 0.65;
  const Points points = random_points(c.model, n, 10);
  Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(30));
  expect_score_of_model(c, points,
                        vecchia.simulate(c.theta, normals(100 * n, 11), normals(100 * n, 21)));
}

/// Means and variances of draws, and their correlation at two neighbouring targets.
TEST(GpVecchia, DrawsFollowThePrediction) {
  const std::size_t n = 200, m = 30;
  const int count = 4000;
  const Case c = cases()[0];
  const Points points = random_points(c.model, n, 12), targets = random_points(c.model, m, 13);
  const auto columns = trend(Mean::linear, points, points),
             target_columns = trend(Mean::linear, targets, points);
  const std::vector<double> z = normals(n, 14);
  DrawOptions draws;
  draws.count = count;
  draws.normals = normals(m * count, 15);
  draws.trend_normals = normals(3 * count, 16);
  Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n + m)));
  vecchia.set_data(z, columns);
  Exact exact(ExecSpace(), c.model, points);
  exact.set_data(z, columns);
  const Prediction found = vecchia.predict(c.theta, targets, target_columns, draws),
                   expected = exact.predict(c.theta, targets, target_columns, draws);
  const auto moment = [&](const Prediction& p, std::size_t i, std::size_t j) {
    double sum = 0;
    for (int d = 0; d < count; ++d)
      sum += (p.draws[i * count + d] - p.mean[i]) * (p.draws[j * count + d] - p.mean[j]) / count;
    return sum;
  };
  for (std::size_t i = 0; i < m; ++i) {
    double mean = 0;
    for (int d = 0; d < count; ++d) mean += found.draws[i * count + d] / count;
    EXPECT_NEAR(mean, expected.mean[i], 5 * std::sqrt(expected.variance[i] / count));
    EXPECT_NEAR(moment(found, i, i) / expected.variance[i], 1, 0.15);
    EXPECT_NEAR(moment(found, i, (i + 1) % m), moment(expected, i, (i + 1) % m),
                0.15 * expected.variance[i]);
  }
}

TEST(GpVecchia, CoincidentPointsAreNamed) {
  CovarianceModel model;
  Points points = random_points(model, 300, 17);
  for (auto& column : points.coordinate) column[211] = column[17];
  Vecchia solver(ExecSpace(), model, points, test::vecchia_options(10));
  solver.set_data(normals(300, 18), {});
  const Evaluation found = solver.evaluate({1, 0.1, 0.5}, false);
  EXPECT_FALSE(found.valid);
  EXPECT_THAT(found.problem,
              testing::AllOf(testing::HasSubstr("point 18"), testing::HasSubstr("point 212"),
                             testing::HasSubstr("duplicates")));
  model.has_nugget = true;
  Vecchia with_nugget(ExecSpace(), model, points, test::vecchia_options(10));
  with_nugget.set_data(normals(300, 18), {});
  EXPECT_TRUE(with_nugget.evaluate({1, 0.1, 0.5, 0.1}, true).valid);
}

/// Scoring on a function with a known maximum, whose "information" is only near the curvature; and
/// against bounds.
TEST(GpScoring, FindsTheMaximumWithinBounds) {
  const auto value = [](const std::vector<double>& x) {
    return -std::cosh(x[0] - 1) - 2 * (x[1] - x[0]) * (x[1] - x[0]);
  };
  const auto gradient = [](const std::vector<double>& x) {
    return std::vector<double>{-std::sinh(x[0] - 1) + 4 * (x[1] - x[0]), -4 * (x[1] - x[0])};
  };
  for (const double upper : {10.0, 0.5}) {
    optimize::Problem problem;
    problem.start = {-5, 0.4};
    problem.lower = {-8, -8};
    problem.upper = {upper, 10};
    problem.value_tolerance = 1e-10;
    FisherScoring search(problem);
    std::vector<double> x;
    int asked = 0;
    while (search.ask(x)) {
      if (++asked == 3) {
        search.tell_invalid();
      } else {
        search.tell(value(x), gradient(x), {{5, -4}, {-4, 4}});
      }
    }
    const optimize::Outcome outcome = search.outcome();
    EXPECT_TRUE(outcome.converged) << outcome.reason;
    EXPECT_EQ(outcome.evaluations, asked);
    EXPECT_LT(asked, 60);
    EXPECT_NEAR(outcome.best[0], std::min(1.0, upper), 1e-4);
    EXPECT_NEAR(outcome.best[1], std::min(1.0, upper), 1e-4);
    EXPECT_EQ(outcome.at_bound[0], upper < 1 ? 1 : 0);
  }
}

/// A variable of which the value hardly depends, whose F^-1 g is huge, does not hold up the others.
TEST(GpScoring, AFlatVariableDoesNotHoldUpTheOthers) {
  optimize::Problem problem;
  problem.start = {-3, 2, -16};
  problem.lower = {-8, -8, -20};
  problem.upper = {8, 8, 2};
  problem.value_tolerance = 1e-10;
  FisherScoring search(problem);
  std::vector<double> x;
  int asked = 0;
  while (search.ask(x)) {
    ++asked;
    const double small = std::exp(x[2]);
    search.tell(-std::cosh(x[0] - 1) - 2 * (x[1] - x[0]) * (x[1] - x[0]) - small,
                {-std::sinh(x[0] - 1) + 4 * (x[1] - x[0]), -4 * (x[1] - x[0]), -small},
                {{5, -4, 0}, {-4, 4, 0}, {0, 0, small * small}});
  }
  EXPECT_TRUE(search.outcome().converged) << search.outcome().reason;
  EXPECT_LT(asked, 40);
  EXPECT_NEAR(search.outcome().best[0], 1, 1e-4);
  EXPECT_NEAR(search.outcome().best[1], 1, 1e-4);
}

/// Where the value has a kink, or derivatives are not its own, the step promises what no point
/// along it holds: that is no maximum.
TEST(GpScoring, AStepThatDoesNotRiseIsNoMaximum) {
  for (const double sign : {1.0, -1.0}) {
    optimize::Problem problem;
    problem.start = {0.5};
    problem.lower = {-8};
    problem.upper = {8};
    problem.value_tolerance = 1e-6;
    FisherScoring search(problem);
    std::vector<double> x;
    while (search.ask(x)) search.tell(-x[0] * x[0], {sign < 0 ? 2 * x[0] : 1.0}, {{2}});
    EXPECT_FALSE(search.outcome().converged) << search.outcome().reason;
    EXPECT_THAT(search.outcome().reason, testing::HasSubstr("no step raises the likelihood"));
  }
}

TEST(GpVecchia, FewPoints) {
  const CovarianceModel model = cases()[0].model;
  for (const std::size_t n : {2, 3, 9}) {
    const Points points = random_points(model, n, 19);
    const std::vector<double> z = normals(n, 20);
    Vecchia solver(ExecSpace(), model, points, test::vecchia_options(30));
    Exact exact(ExecSpace(), model, points);
    solver.set_data(z, {});
    exact.set_data(z, {});
    EXPECT_NEAR(solver.evaluate(cases()[0].theta, false).loglik,
                exact.evaluate(cases()[0].theta, false).loglik, 1e-12 * n);
  }
}

/// A point far outside gets the mean and the variance of the field.
TEST(GpVecchia, FarOutsideThePriorHolds) {
  const Case c = cases()[0];
  const Points points = random_points(c.model, 100, 21);
  Vecchia solver(ExecSpace(), c.model, points, test::vecchia_options(20));
  solver.set_data(normals(100, 22), {});
  const Prediction found = solver.predict(c.theta, Points{{{1e6}, {-1e6}}, {}}, {}, {});
  EXPECT_EQ(found.mean[0], 0);
  EXPECT_DOUBLE_EQ(found.variance[0], c.theta[0]);
}

}  // namespace
