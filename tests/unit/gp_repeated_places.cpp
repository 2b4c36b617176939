// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Several observations at one place by Vecchia's approximation: with all neighbours the numbers of
// the exact solver, with few of them those of the places' means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/repeated_places.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_cases.hpp"
#include "tests/unit/gp_points.hpp"
#include "tests/unit/io_scratch.hpp"

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

/// `places` random places, of which place k has 1 + k % most observations, in turn.
Points repeated_points(const CovarianceModel& model, std::size_t places, std::size_t most,
                       unsigned seed) {
  std::vector<std::size_t> rows;
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (std::size_t k = 0; k < places; ++k) {
      if (turn <= k % most) rows.push_back(k);
    }
  }
  return random_points(model, places, seed).subset(rows);
}

std::unique_ptr<RepeatedPlaces> make(const CovarianceModel& model, const Points& points,
                                     int neighbours) {
  const auto make = [=](const Points& some) {
    return std::make_unique<Vecchia>(ExecSpace(), model, some, test::vecchia_options(neighbours));
  };
  return std::make_unique<RepeatedPlaces>(model, points, find_places(model, points).value(), make);
}

TEST(GpRepeatedPlaces, AreFound) {
  const CovarianceModel model;
  const Points points{{{1, 2, 1, 3, 2, 1}, {0, 0, 0, 0, 0, 0}}, {}};
  const Places places = find_places(model, points).value();
  EXPECT_EQ(places.first, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(places.of, (std::vector<std::size_t>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(places.count, (std::vector<std::size_t>{3, 2, 1}));
  EXPECT_EQ(places.largest(), 3u);
  EXPECT_FALSE(find_places(model, points.subset({0, 1, 3})));
}

TEST(GpRepeatedPlaces, AreExactWithAllNeighbours) {
  for (const Case& c : cases()) {
    if (!c.model.has_nugget) continue;
    const Points points = repeated_points(c.model, 40, 4, 71),
                 targets = random_points(c.model, 15, 72);
    const std::size_t n = points.size();
    const std::vector<double> z = normals(2 * n, 73);
    for (const Mean mean : {Mean::zero, Mean::linear}) {
      const auto columns = trend(mean, points, points),
                 target_columns = trend(mean, targets, points);
      Exact exact(ExecSpace(), c.model, points);
      const auto merged = make(c.model, points, static_cast<int>(n));
      exact.set_data(z, columns);
      merged->set_data(z, columns);
      merged->prepare(c.theta);
      const Evaluation expected = exact.evaluate(c.theta, true),
                       found = merged->evaluate(c.theta, true, true);
      ASSERT_TRUE(found.valid) << c.name << ": " << found.problem;
      EXPECT_NEAR(found.loglik, expected.loglik, 1e-9 * std::fabs(expected.loglik)) << c.name;
      expect_close(found.gradient, expected.gradient, 1e-7, c.name + ": gradient");
      expect_information(found.information, exact.fisher_information(c.theta), 1e-7,
                         c.name + ": information");
      expect_information(merged->fisher_information(c.theta), found.information, 1e-12,
                         c.name + ": information again");
      std::vector<double> b, b_errors, a, a_errors;
      exact.trend_coefficients(c.theta, a, a_errors);
      merged->trend_coefficients(c.theta, b, b_errors);
      if (mean != Mean::zero) expect_close(b, a, 1e-7, c.name + ": trend");
      if (mean != Mean::zero) expect_close(b_errors, a_errors, 1e-7, c.name + ": its errors");
      const Prediction q = merged->predict(c.theta, targets, target_columns, {}),
                       p = exact.predict(c.theta, targets, target_columns, {});
      expect_close(q.mean, p.mean, 1e-7, c.name + ": mean");
      expect_close(q.variance, p.variance, 1e-7, c.name + ": variance");
    }
  }
}

TEST(GpRepeatedPlaces, AreExactlyCrossValidated) {
  const Case c = cases()[0];
  const Points points = repeated_points(c.model, 40, 4, 74);
  const std::size_t n = points.size();
  Exact exact(ExecSpace(), c.model, points);
  const auto merged = make(c.model, points, static_cast<int>(n));
  const std::vector<double> z = normals(n, 75);
  exact.set_data(z, {});
  merged->set_data(z, {});
  merged->prepare(c.theta);
  for (const std::size_t folds : {std::size_t(3), std::size_t(10), n}) {
    std::vector<int> fold;
    for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % folds));
    const Prediction found = merged->cross_validate(c.theta, fold),
                     expected = exact.cross_validate(c.theta, fold);
    expect_close(found.mean, expected.mean, 1e-7, std::to_string(folds) + " folds: mean");
    expect_close(found.variance, expected.variance, 1e-7,
                 std::to_string(folds) + " folds: variance");
  }
}

/// Each place has 40 observations: ten neighbours of a point are ten places.
TEST(GpRepeatedPlaces, AreOneNeighbourEach) {
  CovarianceModel model;
  model.family = Family::matern12;
  model.has_nugget = true;
  const Theta theta{1, 0.3, 1};
  const Points places = random_points(model, 60, 76), targets = random_points(model, 100, 77);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 60 * 40; ++i) rows.push_back(i % 60);
  const Points points = places.subset(rows);
  const std::vector<double> z = normals(points.size(), 78);
  const auto merged = make(model, points, 20);
  merged->set_data(z, {});
  merged->prepare(theta);
  const Prediction found = merged->predict(theta, targets, {}, {});

  CovarianceModel of_means = model;
  of_means.has_nugget = false;
  Points with_errors = places;
  with_errors.error_variance.assign(60, 1.0 / 40);
  std::vector<double> means(60, 0.0);
  for (std::size_t i = 0; i < z.size(); ++i) means[i % 60] += z[i] / 40;
  Vecchia vecchia(ExecSpace(), of_means, with_errors, test::vecchia_options(20));
  vecchia.set_data(means, {});
  vecchia.prepare({1, 0.3});
  const Prediction expected = vecchia.predict({1, 0.3}, targets, {}, {});
  expect_close(found.mean, expected.mean, 1e-12, "mean");
  expect_close(found.variance, expected.variance, 1e-12, "variance");
  Exact exact(ExecSpace(), of_means, with_errors);
  exact.set_data(means, {});
  const Prediction all = exact.predict({1, 0.3}, targets, {}, {});
  for (std::size_t i = 0; i < all.mean.size(); ++i) {
    EXPECT_NEAR(found.mean[i], all.mean[i], 0.05);
    EXPECT_NEAR(found.variance[i] / all.variance[i], 1, 0.02);
  }
  const std::vector<double> fields =
      merged->simulate(theta, normals(2 * z.size(), 79), normals(2 * z.size(), 80));
  double squares = 0;  // of two observations at one place, whose errors differ
  for (std::size_t i = 0; i < z.size() / 2; ++i)
    squares += std::pow(fields[i] - fields[i + z.size() / 2], 2) / static_cast<double>(z.size());
  EXPECT_NEAR(squares, 1, 0.15);
}

TEST(GpRepeatedPlaces, WithErrorsOfKnownVariance) {
  const CovarianceModel model;
  const Theta theta{1.3, 0.2, 0.8};
  Points points = repeated_points(model, 40, 3, 81);
  for (std::size_t i = 0; i < points.size(); ++i)
    points.error_variance.push_back(0.02 +
                                    0.1 * std::pow(std::sin(1.7 * static_cast<double>(i)), 2));
  const Points targets = random_points(model, 20, 82);
  const std::vector<double> z = normals(points.size(), 83);
  Exact exact(ExecSpace(), model, points);
  const auto merged = make(model, points, static_cast<int>(points.size()));
  exact.set_data(z, {});
  merged->set_data(z, {});
  merged->prepare(theta);
  const Evaluation expected = exact.evaluate(theta, true),
                   found = merged->evaluate(theta, true, true);
  EXPECT_NEAR(found.loglik, expected.loglik, 1e-9 * std::fabs(expected.loglik));
  expect_close(found.gradient, expected.gradient, 1e-7, "gradient");
  expect_close(merged->predict(theta, targets, {}, {}).mean,
               exact.predict(theta, targets, {}, {}).mean, 1e-8, "mean");
}

/// Where covariates tell observations of one place apart they stay apart.
TEST(GpRepeatedPlaces, WithOtherCovariates) {
  const Case c = cases()[0];
  const Points points = repeated_points(c.model, 40, 3, 84),
               targets = random_points(c.model, 20, 85);
  const std::vector<double> z = normals(points.size(), 86);
  const std::vector<std::vector<double>> columns{normals(points.size(), 87)},
      at_targets{normals(20, 88)};
  Exact exact(ExecSpace(), c.model, points);
  const auto apart = make(c.model, points, static_cast<int>(points.size()));
  exact.set_data(z, columns);
  apart->set_data(z, columns);
  apart->prepare(c.theta);
  const Evaluation expected = exact.evaluate(c.theta, true), found = apart->evaluate(c.theta, true);
  EXPECT_NEAR(found.loglik, expected.loglik, 1e-9 * std::fabs(expected.loglik));
  expect_close(apart->predict(c.theta, targets, at_targets, {}).mean,
               exact.predict(c.theta, targets, at_targets, {}).mean, 1e-8, "mean");
}

TEST(GpRepeatedPlaces, NeedErrors) {
  const Case c = cases()[0];
  const Points points = repeated_points(c.model, 40, 3, 89);
  const auto merged = make(c.model, points, 10);
  merged->set_data(normals(points.size(), 90), {});
  Theta theta = c.theta;
  theta.back() = 0;
  const Evaluation none = merged->evaluate(theta, true, true);
  EXPECT_FALSE(none.valid);
  EXPECT_THAT(none.problem, testing::HasSubstr("need a nugget above 0"));
  EXPECT_ERROR_WITH(merged->predict(theta, random_points(c.model, 3, 91), {}, {}),
                    ErrorKind::numerical, "need a nugget above 0");
}

}  // namespace
