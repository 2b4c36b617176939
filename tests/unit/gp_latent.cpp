// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Laplace's approximation: gradients against differences, the estimated determinant against the
// exact one, threads. (Values against dense algebra: tests/regression/cli_gp_latent.py.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/gp/latent/latent_determinant.hpp"
#include "tessera/gp/latent/latent_gradient.hpp"
#include "tessera/gp/latent/latent_mode.hpp"
#include "tessera/gp/latent/latent_prediction.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_latent_cases.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;

using test::latent::Case;
using test::latent::cases;
using test::latent::matern;
using test::latent::observations;

struct Problem {
  std::unique_ptr<LatentSolver> solver;
  LatentPoint point;
};

Problem make_problem(const Response& response, std::size_t n, const LatentOptions& options) {
  const CovarianceModel model = matern();
  const Points points = test::random_points(model, n, 11);
  Problem p{std::make_unique<detail::LatentVecchiaSolver<ExecSpace>>(model, points, options),
            {{1.2, 0.15, 0.8}, response, {0.3, -0.4}}};
  std::vector<double> ones(n, 1.0), offset(n);
  for (std::size_t i = 0; i < n; ++i) offset[i] = 0.2 * std::sin(5.0 * static_cast<double>(i));
  p.solver->set_data(observations(response, points), offset, {ones, points.coordinate[0]});
  p.solver->prepare(p.point.theta);
  return p;
}

LatentOptions options(Determinant determinant) {
  LatentOptions o;
  o.vecchia.neighbours = 15;
  o.determinant = determinant;
  return o;
}

/// The numbers of a point, one after another.
std::vector<double*> parameters(LatentPoint& point) {
  std::vector<double*> list;
  for (double& value : point.theta) list.push_back(&value);
  const std::size_t own = response_parameters(point.response.family).size();
  if (own > 0) list.push_back(&point.response.a);
  if (own > 1) list.push_back(&point.response.b);
  for (double& value : point.coefficients) list.push_back(&value);
  return list;
}

std::vector<double> gradient(const LatentEvaluation& e) {
  std::vector<double> all = e.theta_gradient;
  all.insert(all.end(), e.response_gradient.begin(), e.response_gradient.end());
  all.insert(all.end(), e.coefficient_gradient.begin(), e.coefficient_gradient.end());
  return all;
}

TEST(GpLatent, GradientsOfTheExactDeterminant) {
  for (const Case& one : cases()) {
    Problem p = make_problem(one.response, 500, options(Determinant::cholesky));
    const LatentEvaluation at = p.solver->evaluate(p.point, LatentGradient::all);
    ASSERT_TRUE(at.valid) << one.name << ": " << at.problem;
    const std::vector<double> found = gradient(at);
    const std::vector<double*> list = parameters(p.point);
    ASSERT_EQ(found.size(), list.size()) << one.name;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const double value = *list[k], unit = std::fabs(value);
      const auto difference = [&](double step) {
        *list[k] = value + step * unit;
        const double up = p.solver->evaluate(p.point, LatentGradient::none).loglik;
        *list[k] = value - step * unit;
        const double down = p.solver->evaluate(p.point, LatentGradient::none).loglik;
        *list[k] = value;
        return (up - down) / (2 * step * unit);
      };
      const double expected = (4 * difference(1e-3) - difference(2e-3)) / 3;
      EXPECT_NEAR(found[k], expected, 1e-6 * std::max(std::fabs(expected), 10.0))
          << one.name << ' ' << k;
    }
  }
}

TEST(GpLatent, EstimatedDeterminant) {
  for (const Case& one : cases()) {
    Problem exact = make_problem(one.response, 1500, options(Determinant::cholesky));
    LatentOptions o = options(Determinant::stochastic);
    o.probes = 100;
    Problem estimated = make_problem(one.response, 1500, o);
    const LatentEvaluation e = exact.solver->evaluate(exact.point, LatentGradient::all),
                           s = estimated.solver->evaluate(estimated.point, LatentGradient::all);
    ASSERT_TRUE(e.valid && s.valid) << one.name << ": " << e.problem << s.problem;
    EXPECT_EQ(e.log_determinant_error, 0);
    EXPECT_GT(s.log_determinant_error, 0);
    EXPECT_LT(s.log_determinant_error, 0.1) << one.name;
    EXPECT_NEAR(s.log_determinant, e.log_determinant, 4 * s.log_determinant_error) << one.name;
    EXPECT_NEAR(s.loglik + 0.5 * s.log_determinant, e.loglik + 0.5 * e.log_determinant,
                1e-9 * std::fabs(e.loglik))
        << one.name;
    const std::vector<double> found = gradient(s), expected = gradient(e);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], expected[k], 0.003 * std::fabs(expected[k]) + 1)
          << one.name << ' ' << k;
  }
}

/// Orders in which the incomplete factor leaves out more than it keeps.
TEST(GpLatent, AnyOrder) {
  for (const Ordering ordering : {Ordering::random, Ordering::coordinate, Ordering::given}) {
    for (const int neighbours : {4, 12}) {
      LatentOptions o = options(Determinant::cholesky);
      o.vecchia.ordering = ordering;
      o.vecchia.neighbours = neighbours;
      Problem exact = make_problem(cases()[2].response, 1000, o);
      o.determinant = Determinant::stochastic;
      Problem estimated = make_problem(cases()[2].response, 1000, o);
      for (Problem* p : {&exact, &estimated}) p->point.theta = {1.2, 0.1, 1.5};
      const LatentEvaluation e = exact.solver->evaluate(exact.point, LatentGradient::none),
                             s = estimated.solver->evaluate(estimated.point, LatentGradient::none);
      ASSERT_TRUE(e.valid && s.valid) << neighbours << ": " << e.problem << s.problem;
      EXPECT_LT(e.cg_iterations, 40 * e.newton_steps) << neighbours;
      EXPECT_NEAR(s.log_determinant, e.log_determinant, 4 * s.log_determinant_error + 1e-9)
          << neighbours;
      EXPECT_NEAR(s.loglik + 0.5 * s.log_determinant, e.loglik + 0.5 * e.log_determinant,
                  1e-9 * std::fabs(e.loglik))
          << neighbours;
    }
  }
}

/// Newton's method may begin anywhere.
TEST(GpLatent, StartOfNewton) {
  for (const Case& one : cases()) {
    Problem p = make_problem(one.response, 400, options(Determinant::cholesky));
    const double fresh = p.solver->evaluate(p.point, LatentGradient::none).loglik;
    LatentPoint other = p.point;
    other.theta[0] = 5;
    other.coefficients[0] = -2;
    ASSERT_TRUE(p.solver->evaluate(other, LatentGradient::none).valid) << one.name;
    EXPECT_NEAR(p.solver->evaluate(p.point, LatentGradient::none).loglik, fresh,
                1e-9 * std::fabs(fresh))
        << one.name;
  }
}

/// The variances of predictions at the data are those of the posterior, and samples estimate them.
TEST(GpLatent, Predictions) {
  const Case one = cases()[2];
  Problem exact = make_problem(one.response, 800, options(Determinant::cholesky));
  LatentOptions o = options(Determinant::stochastic);
  o.samples = 400;
  Problem estimated = make_problem(one.response, 800, o);
  const Points targets = test::random_points(matern(), 60, 23);
  const LatentPrediction e = exact.solver->predict(exact.point, targets),
                         s = estimated.solver->predict(estimated.point, targets);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    EXPECT_NEAR(s.mean[t], e.mean[t], 1e-7) << t;
    EXPECT_NEAR(s.variance[t], e.variance[t], 5 * std::sqrt(2.0 / 400) * e.variance[t]) << t;
  }
}

/// Left out is what is not there: as with fewer points, where all of them are neighbours.
TEST(GpLatent, LeaveOut) {
  const CovarianceModel model = matern();
  const std::size_t n = 60;
  const Points points = test::random_points(model, n, 31);
  std::vector<std::size_t> kept, left_out;
  for (std::size_t i = 0; i < n; ++i) (i % 5 == 2 ? left_out : kept).push_back(i);
  LatentOptions o = options(Determinant::cholesky);
  o.vecchia.neighbours = static_cast<int>(n) - 1;
  o.vecchia.prediction_neighbours = static_cast<int>(n) - 1;
  for (const Case& one : cases()) {
    const std::vector<double> y = observations(one.response, points);
    const LatentPoint point{{1.2, 0.15, 0.8}, one.response, {0.3}};
    const auto make = [&](const std::vector<std::size_t>& rows) {
      auto solver =
          std::make_unique<detail::LatentVecchiaSolver<ExecSpace>>(model, points.subset(rows), o);
      std::vector<double> values;
      for (const std::size_t i : rows) values.push_back(y[i]);
      solver->set_data(values, {}, {std::vector<double>(rows.size(), 1.0)});
      solver->prepare(point.theta);
      return solver;
    };
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    const auto whole = make(all), part = make(kept);
    const double before = whole->evaluate(point, LatentGradient::none).loglik;
    const std::vector<double> mode = whole->mode();
    const LatentPrediction found = whole->leave_out(point, left_out),
                           expected = part->predict(point, points.subset(left_out));
    for (std::size_t k = 0; k < left_out.size(); ++k) {
      EXPECT_NEAR(found.mean[k], expected.mean[k], 1e-6) << one.name << ' ' << k;
      EXPECT_NEAR(found.variance[k], expected.variance[k], 1e-7) << one.name << ' ' << k;
    }
    EXPECT_EQ(whole->mode(), mode) << one.name;
    EXPECT_NEAR(whole->evaluate(point, LatentGradient::none).loglik, before,
                1e-10 * std::fabs(before))
        << one.name;
  }
}

/// Mean and covariance of draws are those of the predictions, with both determinants.
TEST(GpLatent, Draws) {
  const Points targets = test::random_points(matern(), 40, 23);
  for (const Determinant determinant : {Determinant::cholesky, Determinant::stochastic}) {
    LatentOptions o = options(determinant);
    o.samples = 4000;
    o.vecchia.prediction_neighbours = 60;
    Problem p = make_problem(cases()[2].response, 500, o);
    DrawOptions draws;
    draws.count = 4000;
    draws.normals = test::normals(targets.size() * 4000, 3);
    const LatentPrediction expected = p.solver->predict(p.point, targets);
    const std::vector<double> found = p.solver->draw(p.point, targets, draws);
    ASSERT_EQ(found.size(), targets.size() * 4000);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      double mean = 0, squares = 0;
      for (std::size_t d = 0; d < 4000; ++d) mean += found[t * 4000 + d] / 4000;
      for (std::size_t d = 0; d < 4000; ++d)
        squares += std::pow(found[t * 4000 + d] - mean, 2) / 4000;
      EXPECT_NEAR(mean, expected.mean[t], 4.5 * std::sqrt(expected.variance[t] / 4000)) << t;
      EXPECT_NEAR(squares, expected.variance[t], 5 * std::sqrt(4.0 / 4000) * expected.variance[t])
          << t;
    }
    Problem again = make_problem(cases()[2].response, 500, o);
    again.solver->predict(again.point, targets);
    EXPECT_EQ(again.solver->draw(again.point, targets, draws), found);
  }
}

/// Draws at a place and close to it hang together.
TEST(GpLatent, DrawsAreJoint) {
  LatentOptions o = options(Determinant::cholesky);
  o.vecchia.prediction_neighbours = 60;
  Problem p = make_problem(cases()[2].response, 300, o);
  Points targets = test::random_points(matern(), 2, 23);
  targets.coordinate[0][1] = targets.coordinate[0][0] + 1e-4;
  targets.coordinate[1][1] = targets.coordinate[1][0];
  DrawOptions draws;
  draws.count = 500;
  draws.normals = test::normals(1000, 3);
  const std::vector<double> found = p.solver->draw(p.point, targets, draws);
  for (std::size_t d = 0; d < 500; ++d) EXPECT_NEAR(found[d], found[500 + d], 0.1);
}

/// A solver that is given the mode goes on with the bits of one that found it.
TEST(GpLatent, ModeOfAnother) {
  Problem first = make_problem(cases()[3].response, 400, options(Determinant::cholesky)),
          second = make_problem(cases()[3].response, 400, options(Determinant::cholesky));
  first.solver->evaluate(first.point, LatentGradient::none);
  second.solver->set_mode(first.solver->mode());
  first.point.theta[0] = second.point.theta[0] = 1.5;
  const LatentEvaluation a = first.solver->evaluate(first.point, LatentGradient::all),
                         b = second.solver->evaluate(second.point, LatentGradient::all);
  EXPECT_EQ(a.loglik, b.loglik);
  EXPECT_EQ(gradient(a), gradient(b));
  EXPECT_EQ(first.solver->mode(), second.solver->mode());
}

}  // namespace
