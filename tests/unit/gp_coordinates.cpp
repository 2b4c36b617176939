// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Longitudes across the date line, and points that almost coincide: pairs against all distances,
// what rounding leaves of a covariance, and errors where nothing is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"
#include "tests/unit/io_scratch.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::normals;
using test::random_points;
using testing::ElementsAre;
using testing::HasSubstr;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

CovarianceModel on_sphere() {
  CovarianceModel model;
  model.metric = Metric::chordal;
  return model;
}

TEST(GpCoordinates, SpanTheArcOfTheLongitudes) {
  const auto ends = [](const std::vector<double>& longitude) {
    const auto [middle, half] =
        extent({{std::vector<double>(longitude.size(), 0.0), longitude}, {}}, Metric::chordal);
    return std::vector<double>{middle[1] - half[1], middle[1] + half[1]};
  };
  EXPECT_THAT(ends({179, -179}), ElementsAre(179, 181));
  EXPECT_THAT(ends({-179, 179.5, 178}), ElementsAre(178, 181));
  EXPECT_THAT(ends({350, 10, 0}), ElementsAre(-10, 10));
  EXPECT_THAT(ends({100, 180, -100, 140, -140}), ElementsAre(100, 260));
  EXPECT_THAT(ends({-10, 10, 3}), ElementsAre(-10, 10));
  EXPECT_THAT(ends({-180, -90, 0, 90, 180}), ElementsAre(-180, 180));
  std::vector<double> globe;
  for (int k = -36; k <= 36; ++k) globe.push_back(5 * k);
  EXPECT_THAT(ends(globe), ElementsAre(-180, 180));
  const auto plane = extent({{{0, 0}, {179, -179}}, {}});
  EXPECT_EQ(plane.first[1], 0);
  EXPECT_EQ(plane.second[1], 179);
}

/// A field that is linear across the date line is what its mean says, whatever turn the longitudes
/// are written in.
TEST(GpCoordinates, HaveALinearTrendAcrossTheDateLine) {
  Points points{{{}, {}}, {}};
  std::vector<double> plain, z;
  for (int i = 0; i < 40; ++i) {
    const double east = 170 + 0.5 * i;
    points.coordinate[0].push_back(10 + 5 * std::sin(1.3 * i));
    points.coordinate[1].push_back(std::remainder(east, 360.0));
    plain.push_back(east);
    z.push_back(3 + 0.2 * east);
  }
  const auto columns = trend(Mean::linear, points, points, Metric::chordal);
  Points turned = points;
  turned.coordinate[1] = plain;
  const auto expected = trend(Mean::linear, turned, turned);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(columns[2][i], expected[2][i], 1e-13);
  Exact solver(ExecSpace(), on_sphere(), points);
  solver.set_data(z, columns);
  const Points target{{{12}, {-179.25}}, {}};
  const Prediction found = solver.predict({1, 500, 0.5}, target,
                                          trend(Mean::linear, target, points, Metric::chordal), {});
  EXPECT_NEAR(found.mean[0], 3 + 0.2 * 180.75, 1e-9);
}

/// Property: whole turns of any longitude change nothing.
TEST(GpCoordinates, OfWholeTurnsAreTheSame) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const CovarianceModel model = on_sphere();
    Points points = random_points(model, 60, seed);
    for (double& longitude : points.coordinate[1]) longitude += 150;
    const std::vector<double> z = normals(60, seed + 10), turn = normals(60, seed + 20);
    Points turned = points;
    for (std::size_t i = 0; i < turn.size(); ++i) turned.coordinate[1][i] += turn[i] > 0 ? -360 : 0;
    const auto loglik = [&](const Points& p) {
      Exact solver(ExecSpace(), model, p);
      solver.set_data(z, trend(Mean::linear, p, p, model.metric));
      return solver.evaluate({1, 900, 0.8}, false).loglik;
    };
    const double expected = loglik(points);
    EXPECT_NEAR(loglik(turned), expected, 1e-9 * std::fabs(expected)) << seed;
  }
}

/// Property: the pairs are those of all distances.
TEST(GpCoordinates, ThatAlmostCoincideAreFound) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    CovarianceModel model;
    if (seed % 3 == 0) model = on_sphere();
    model.dimension = seed % 3 == 1 ? 3 : 2;
    Points points = random_points(model, 200, seed);
    const std::vector<double> shift = normals(200, seed + 30);
    for (auto& column : points.coordinate) {
      for (int i = 0; i < 20; ++i)
        column[static_cast<std::size_t>(180 + i)] =
            column[static_cast<std::size_t>(7 * i)] + 1e-8 * shift[static_cast<std::size_t>(i)];
      for (int i = 20; i < 30; ++i)
        column[static_cast<std::size_t>(180 - i)] = column[static_cast<std::size_t>(3 * i)] + 1e-4;
      column[170] = column[171];  // at one place
    }
    std::vector<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = i + 1; j < 200; ++j) {
        const double unit = model.metric == Metric::euclidean ? 1 : model.radius;
        if (const double d = distance(model, points, i, j) / unit; d > 1e-12 && d < 9e-8)
          expected.emplace_back(i, j);
      }
    }
    EXPECT_GE(expected.size(), 20u) << seed;
    EXPECT_EQ(find_close_pairs(model, points), expected) << seed;
  }
  CovarianceModel rough;
  rough.family = Family::matern12;
  EXPECT_TRUE(find_close_pairs(rough, {{{0, 1, 2, 1 + 1e-8}}, {}}).empty());
  EXPECT_THAT(find_close_pairs(CovarianceModel(), {{{0, 1, 2, 1 + 1e-8}}, {}}),
              ElementsAre(std::pair<std::size_t, std::size_t>{1, 3}));
  EXPECT_TRUE(find_close_pairs(CovarianceModel(), {{{0, 1, 2, 1 + 1e-8}}, {0, 0, 0, 1}}).empty());
}

/// Two points of an exponential covariance: of the second's variance the first leaves 1 - exp(-2
/// d).
TEST(GpCoordinates, ThatAlmostCoincideAmplifyRounding) {
  CovarianceModel model;
  model.family = Family::matern12;
  model.dimension = 1;
  for (const double d : {0.5, 1e-3, 1e-8}) {
    const Points points{{{0, d}}, {}};
    Exact exact(ExecSpace(), model, points);
    Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(1));
    for (Solver* solver : {static_cast<Solver*>(&exact), static_cast<Solver*>(&vecchia)}) {
      solver->set_data({1, 2}, {});
      ASSERT_TRUE(solver->evaluate({2, 1}, false).valid);
      EXPECT_NEAR(solver->amplification() * -std::expm1(-2 * d), 1, 1e-15 / d + 1e-14) << d;
    }
  }
}

/// Almost equal points of a smooth field differ by rounding alone: there is no likelihood, though
/// the last digit would give a factor.
TEST(GpCoordinates, ThatRoundingCannotTellApartHaveNoLikelihood) {
  CovarianceModel model;
  model.family = Family::matern32;
  Points points = random_points(model, 85, 41);
  for (std::size_t i = 0; i < 5; ++i) {
    points.coordinate[0].push_back(points.coordinate[0][10 * i]);
    points.coordinate[1].push_back(points.coordinate[1][10 * i] + 2e-8);
  }
  Exact exact(ExecSpace(), model, points);
  Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(20));
  for (Solver* solver : {static_cast<Solver*>(&exact), static_cast<Solver*>(&vecchia)}) {
    solver->set_data(normals(90, 42), {});
    const Evaluation none = solver->evaluate({1, 1}, true);
    EXPECT_FALSE(none.valid);
    EXPECT_THAT(none.problem, HasSubstr("almost duplicates for this range"));
    EXPECT_TRUE(solver->evaluate({1, 1e-3}, true).valid);
    EXPECT_GT(solver->amplification(), 1e9);
    EXPECT_ERROR_WITH(solver->predict({1, 1}, random_points(model, 3, 43), {}, {}),
                      ErrorKind::numerical, "is not positive definite");
  }
}

/// Few neighbours give a likelihood, more of them have no factor: what is predicted from them is an
/// error in every task.
TEST(GpCoordinates, ThatAreTooCloseForASmoothFieldAreNamed) {
  CovarianceModel model;
  model.family = Family::squared_exponential;
  const Theta theta{1, 1};
  const Points points = random_points(model, 300, 44), targets = random_points(model, 50, 45);
  VecchiaOptions options = test::vecchia_options(4);
  options.prediction_neighbours = 100;
  for (const int block : {1, 4}) {
    options.block = block;
    options.neighbours = block == 1 ? 4 : 1;
    Vecchia solver(ExecSpace(), model, points, options);
    solver.set_data(normals(300, 46), {});
    solver.prepare(theta);
    ASSERT_TRUE(solver.evaluate(theta, true).valid) << block;
    DrawOptions draws;
    draws.count = 1;
    draws.jitter = 0;
    draws.normals = normals(50, 47);
    const auto is_refused = [&](const auto& task, const std::string& what) {
      try {
        task();
        ADD_FAILURE() << what << ": no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::numerical) << what;
        EXPECT_THAT(error.what(),
                    testing::AllOf(HasSubstr("not positive definite"), HasSubstr("at ("),
                                   HasSubstr("prediction_neighbours"),
                                   HasSubstr("give the covariance a nugget"),
                                   HasSubstr("a rougher family")))
            << what;
      }
    };
    is_refused([&] { solver.predict(theta, targets, {}, {}); }, "prediction");
    is_refused([&] { solver.predict(theta, targets, {}, draws); }, "draws");
    std::vector<int> fold;
    for (int i = 0; i < 300; ++i) fold.push_back(i % 10);
    is_refused([&] { solver.cross_validate(theta, fold); }, "cross-validation");
    is_refused([&] { solver.misspecified_variance(theta, theta, targets); },
               "misspecified variance");
  }
}

}  // namespace
