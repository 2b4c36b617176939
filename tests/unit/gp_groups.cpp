// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Random effects of groupings beside the field: likelihoods, effects, predictions, draws and
// cross-validations against dense algebra with the covariance of the observations, gradients
// against differences. Started alone this is one rank; CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/group_solver.hpp"
#include "tessera/gp/likelihood/repeated_places.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_close;
using test::expect_gradient;
using test::normals;

using Columns = std::vector<std::vector<double>>;

struct Example {
  CovarianceModel model;
  Points points;
  std::vector<double> values;
  Theta theta;
};

int level_of(double u, int levels) { return static_cast<int>(u * levels); }

/// A field of exponential covariance with a nugget, a mean, and two groupings that cross.
Example example(std::size_t n, int sites = 12, int observers = 5, std::size_t replicates = 1) {
  Example e;
  e.model.family = Family::matern12;
  e.model.has_nugget = true;
  e.model.groups = {"site", "observer"};
  e.points = test::random_points(e.model, n, 3);
  e.points.level.resize(2);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = e.points.coordinate[0][i], u = 1e3 * e.points.coordinate[1][i];
    e.points.level[0].push_back(level_of(x, sites));
    e.points.level[1].push_back(level_of(u - std::floor(u), observers));
  }
  e.theta = {1.3, 0.2, 0.15, 0.6, 0.25};
  const std::vector<double> effect = normals(40 * replicates, 8);
  const std::vector<double> noise = normals(n * replicates, 9);
  for (std::size_t r = 0; r < replicates; ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      const double x = e.points.coordinate[0][i];
      e.values.push_back(
          7 + 2 * x + std::sin(9 * x) + 0.4 * noise[i + r * n] +
          0.7 * effect[static_cast<std::size_t>(e.points.level[0][i] % 20) + 40 * r] +
          0.5 * effect[static_cast<std::size_t>(20 + e.points.level[1][i]) + 40 * r]);
    }
  }
  return e;
}

/// Makes solvers of the field; neighbours 0: exact ones.
GroupSolver::Make maker(const CovarianceModel& model, int neighbours) {
  return [=](const Points& points) -> std::unique_ptr<GaussianSolver> {
    const CovarianceModel field = model.gaussian();
    if (neighbours == 0)
      return std::make_unique<ExactSolver<ExecSpace>>(ExecSpace(), field, points, test::ranks());
    const auto vecchia = [=](const Points& some) -> std::unique_ptr<GaussianSolver> {
      return std::make_unique<VecchiaSolver<ExecSpace>>(
          ExecSpace(), field, some, test::vecchia_options(neighbours), test::ranks());
    };
    if (const std::optional<Places> places = find_places(field, points))
      return std::make_unique<RepeatedPlaces>(field, points, *places, vecchia);
    return vecchia(points);
  };
}

GroupSolver make(const Example& e, int neighbours) {
  return GroupSolver(e.model, e.points, maker(e.model, neighbours));
}

/// The covariance of two observations, `same`: they are one.
double covariance(const Example& e, const Points& a, std::size_t i, const Points& b, std::size_t j,
                  bool same) {
  const double r =
      std::hypot(a.coordinate[0][i] - b.coordinate[0][j], a.coordinate[1][i] - b.coordinate[1][j]);
  double sum = e.theta[0] * std::exp(-r / e.theta[1]);
  if (same) sum += e.theta[2] + (a.error_variance.empty() ? 0 : a.error_variance[i]);
  for (std::size_t g = 0; g < b.level.size() && g < a.level.size(); ++g) {
    if (a.level[g][i] >= 0 && a.level[g][i] == b.level[g][j]) sum += e.theta[3 + g];
  }
  return sum;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<double> multiply(const linalg::Matrix& matrix, const std::vector<double>& vector) {
  std::vector<double> product;
  for (const std::vector<double>& row : matrix) product.push_back(dot(row, vector));
  return product;
}

/// Dense algebra with the covariance of the observations; of one replicate.
struct Dense {
  linalg::Matrix inverse, trend_covariance;
  Columns weighted;  // K^-1 X
  std::vector<double> coefficients, weights;
  double loglik = 0;

  Dense(const Example& e, const Columns& trend, const std::vector<double>& z) {
    const std::size_t n = z.size();
    linalg::Matrix matrix(n, std::vector<double>(n)), normal;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        matrix[i][j] = covariance(e, e.points, i, e.points, j, i == j);
    }
    double log_determinant = 0;
    inverse = linalg::inverse_positive_definite(matrix, &log_determinant);
    for (const std::vector<double>& column : trend) weighted.push_back(multiply(inverse, column));
    std::vector<double> products, rest = z;
    for (const std::vector<double>& one : weighted) {
      std::vector<double>& row = normal.emplace_back();
      for (const std::vector<double>& column : trend) row.push_back(dot(one, column));
      products.push_back(dot(one, z));
    }
    if (!trend.empty()) trend_covariance = linalg::inverse_positive_definite(normal);
    coefficients = multiply(trend_covariance, products);
    for (std::size_t k = 0; k < trend.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) rest[i] -= coefficients[k] * trend[k][i];
    }
    weights = multiply(inverse, rest);
    loglik =
        -0.5 * (static_cast<double>(n) * std::log(2 * M_PI) + log_determinant + dot(rest, weights));
  }

  /// The joint law of targets: mean and covariance of what `cross` and `own` are covariances of.
  double mean(const std::vector<double>& cross, const std::vector<double>& trend) const {
    return dot(cross, weights) + dot(trend, coefficients);
  }
  double covariance_given_data(const std::vector<double>& a, const std::vector<double>& b,
                               const std::vector<double>& trend_a,
                               const std::vector<double>& trend_b, double own) const {
    std::vector<double> rest_a = trend_a, rest_b = trend_b;
    for (std::size_t k = 0; k < weighted.size(); ++k) {
      rest_a[k] -= dot(weighted[k], a);
      rest_b[k] -= dot(weighted[k], b);
    }
    return own - dot(a, multiply(inverse, b)) + dot(rest_a, multiply(trend_covariance, rest_b));
  }
};

Columns trend_of(const Example& e) { return trend(Mean::linear, e.points, e.points); }

std::vector<double> row_of(const Columns& columns, std::size_t i) {
  std::vector<double> row;
  for (const std::vector<double>& column : columns) row.push_back(column[i]);
  return row;
}

std::vector<double> cross_of(const Example& e, const Points& targets, std::size_t t) {
  std::vector<double> cross;
  for (std::size_t i = 0; i < e.points.size(); ++i)
    cross.push_back(covariance(e, e.points, i, targets, t, false));
  return cross;
}

TEST(GpGroups, Likelihood) {
  for (const bool errors : {false, true}) {
    Example e = example(150);
    if (errors) {
      for (std::size_t i = 0; i < 150; ++i) e.points.error_variance.push_back(0.01 * (1 + i % 7));
    }
    const Dense dense(e, trend_of(e), e.values);
    for (const int neighbours : {0, 149}) {
      const std::string name = std::to_string(neighbours) + " neighbours";
      GroupSolver solver = make(e, neighbours);
      solver.set_data(e.values, trend_of(e));
      solver.prepare(e.theta);
      const Evaluation found = solver.evaluate(e.theta, false);
      ASSERT_TRUE(found.valid) << found.problem;
      expect_close({found.loglik}, {dense.loglik}, 1e-12, name);
      std::vector<double> coefficients, standard_errors;
      solver.trend_coefficients(e.theta, coefficients, standard_errors);
      expect_close(coefficients, dense.coefficients, 1e-11, name + ": coefficients");
      for (std::size_t k = 0; k < standard_errors.size(); ++k)
        EXPECT_NEAR(standard_errors[k], std::sqrt(dense.trend_covariance[k][k]), 1e-11);
    }
  }
}

TEST(GpGroups, Gradient) {
  for (const int neighbours : {0, 12}) {
    for (const int sites : {12, 2000}) {  // more levels than a call of the solver within takes
      Example e = example(sites == 12 ? 160 : 340, sites, 5, sites == 12 ? 2 : 1);
      e.model.family = Family::matern;
      e.theta.insert(e.theta.begin() + 2, 0.8);
      GroupSolver solver = make(e, neighbours);
      solver.set_data(e.values, trend_of(e));
      expect_gradient(solver, e.model, e.theta, 2e-7,
                      std::to_string(neighbours) + " neighbours, " + std::to_string(sites));
    }
  }
}

/// Known and unknown levels, and none of one grouping.
Points targets_of(const Example& e) {
  Points targets = test::random_points(e.model, 6, 21);
  targets.level = {{3, 0, 70, 70, 2, -1}, {1, 6, 6, 2, 4, 0}};
  return targets;
}

TEST(GpGroups, EffectsAndPredictions) {
  const Example e = example(150);
  const Points targets = targets_of(e);
  const Columns trend_there = trend(Mean::linear, targets, e.points);
  const Dense dense(e, trend_of(e), e.values);
  std::vector<double> mean, variance, of_field_mean, of_field_variance;
  for (const bool with_levels : {true, false}) {
    Points some = targets;
    if (!with_levels) some.level.clear();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const std::vector<double> cross = cross_of(e, some, t), x = row_of(trend_there, t);
      double own = e.theta[0];
      for (std::size_t g = 0; g < some.level.size(); ++g)
        own += some.level[g][t] >= 0 ? e.theta[3 + g] : 0;
      (with_levels ? mean : of_field_mean).push_back(dense.mean(cross, x));
      (with_levels ? variance : of_field_variance)
          .push_back(dense.covariance_given_data(cross, cross, x, x, own));
    }
  }
  for (const int neighbours : {0, 150}) {
    GroupSolver solver = make(e, neighbours);
    solver.set_data(e.values, trend_of(e));
    solver.prepare(e.theta);
    const Prediction found = solver.predict(e.theta, targets, trend_there, {});
    expect_close(found.mean, mean, 1e-11, "mean");
    expect_close(found.variance, variance, 1e-11, "variance");
    Points bare = targets;
    bare.level.clear();
    const Prediction of_field = solver.predict(e.theta, bare, trend_there, {});
    expect_close(of_field.mean, of_field_mean, 1e-11, "mean of the field");
    expect_close(of_field.variance, of_field_variance, 1e-11, "variance of the field");

    const std::vector<GroupEffects> effects = solver.effects(e.theta);
    ASSERT_EQ(effects.size(), 2u);
    for (std::size_t g = 0; g < 2; ++g) {
      for (std::size_t k = 0; k < effects[g].level.size(); ++k) {
        std::vector<double> cross;
        std::int64_t count = 0;
        for (const int level : e.points.level[g]) {
          cross.push_back(level == effects[g].level[k] ? e.theta[3 + g] : 0);
          count += level == effects[g].level[k];
        }
        const std::vector<double> none(trend_there.size(), 0.0);
        EXPECT_EQ(effects[g].observations[k], count);
        EXPECT_NEAR(effects[g].mean[k], dense.mean(cross, none), 1e-11);
        EXPECT_NEAR(
            effects[g].deviation[k],
            std::sqrt(dense.covariance_given_data(cross, cross, none, none, e.theta[3 + g])),
            1e-11);
      }
    }
  }
}

TEST(GpGroups, Draws) {
  const Example e = example(100);
  const Points targets = targets_of(e);
  const std::size_t m = targets.size(), draws = 40000;
  const Columns trend_there = trend(Mean::linear, targets, e.points);
  const Dense dense(e, trend_of(e), e.values);
  for (const int neighbours : {0, 110}) {
    GroupSolver solver = make(e, neighbours);
    solver.set_data(e.values, trend_of(e));
    solver.prepare(e.theta);
    DrawOptions options;
    options.count = static_cast<int>(draws);
    options.normals = normals(draws * m, 31);
    options.trend_normals = normals(draws * solver.numbers_of_draw(targets), 32);
    const Prediction found = solver.predict(e.theta, targets, trend_there, options);
    for (std::size_t s = 0; s < m; ++s) {
      for (std::size_t t = 0; t <= s; ++t) {
        double own = covariance(e, targets, s, targets, t, false), sum = 0;
        const double expected =
            dense.covariance_given_data(cross_of(e, targets, s), cross_of(e, targets, t),
                                        row_of(trend_there, s), row_of(trend_there, t), own);
        for (std::size_t d = 0; d < draws; ++d)
          sum += (found.draws[s * draws + d] - found.mean[s]) *
                 (found.draws[t * draws + d] - found.mean[t]);
        const double scale = std::sqrt(found.variance[s] * found.variance[t]);
        // four standard errors
        EXPECT_NEAR(sum / static_cast<double>(draws), expected, 0.03 * scale) << s << ' ' << t;
      }
    }
  }
}

TEST(GpGroups, CrossValidation) {
  Example e = example(90);
  std::vector<int> fold;
  for (int i = 0; i < 90; ++i) fold.push_back((i * i + i) % 5 == 0 ? 0 : 1 + i % 3);
  std::vector<double> mean(90), variance(90);
  const Columns all = trend_of(e);
  for (int f = 0; f < 4; ++f) {
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < 90; ++i) {
      if (fold[i] != f) outside.push_back(i);
    }
    Example rest = e;
    rest.points = e.points.subset(outside);
    rest.values.clear();
    Columns trend_there(all.size());
    for (const std::size_t i : outside) {
      rest.values.push_back(e.values[i]);
      for (std::size_t k = 0; k < all.size(); ++k) trend_there[k].push_back(all[k][i]);
    }
    const Dense dense(rest, trend_there, rest.values);
    for (std::size_t i = 0; i < 90; ++i) {
      if (fold[i] != f) continue;
      const std::vector<double> cross = cross_of(rest, e.points, i), x = row_of(all, i);
      mean[i] = dense.mean(cross, x);
      variance[i] = dense.covariance_given_data(cross, cross, x, x,
                                                covariance(e, e.points, i, e.points, i, true));
    }
  }
  for (const int neighbours : {0, 90}) {
    GroupSolver solver = make(e, neighbours);
    solver.set_data(e.values, all);
    solver.prepare(e.theta);
    const Prediction found = solver.cross_validate(e.theta, fold);
    expect_close(found.mean, mean, 1e-11, "mean");
    expect_close(found.variance, variance, 1e-11, "variance");
  }
}

TEST(GpGroups, RepeatedPlaces) {
  for (const bool known_errors : {false, true}) {
    Example e = example(150);
    for (std::size_t i = 0; i < 60; ++i) {  // up to five at a place, with levels that differ
      for (std::size_t k = 0; k < 2; ++k)
        e.points.coordinate[k][i + 30] = e.points.coordinate[k][i % 20];
    }
    if (known_errors) {
      e.model.has_nugget = false;
      e.theta.erase(e.theta.begin() + 2);
      for (std::size_t i = 0; i < 150; ++i)
        e.points.error_variance.push_back(0.1 + 0.02 * static_cast<double>(i % 5));
    }
    GroupSolver exact = make(e, 0), vecchia = make(e, 150);
    const Points targets = targets_of(e);
    const Columns trend_there = trend(Mean::linear, targets, e.points);
    std::vector<std::vector<double>> results[6];
    for (GroupSolver* solver : {&exact, &vecchia}) {
      solver->set_data(e.values, trend_of(e));
      solver->prepare(e.theta);
      const Evaluation at = solver->evaluate(e.theta, true);
      ASSERT_TRUE(at.valid) << at.problem;
      const Prediction there = solver->predict(e.theta, targets, trend_there, {});
      results[0].push_back({at.loglik});
      results[1].push_back(at.gradient);
      results[2].push_back(there.mean);
      results[3].push_back(there.variance);
      const std::vector<GroupEffects> effects = solver->effects(e.theta);
      results[4].push_back(effects[0].mean);
      results[5].push_back(effects[1].deviation);
    }
    const double tolerance[6] = {1e-12, 1e-9, 1e-10, 1e-10, 1e-10, 1e-10};
    for (std::size_t k = 0; k < 6; ++k)
      expect_close(results[k][1], results[k][0], tolerance[k], "result " + std::to_string(k));
  }
}

TEST(GpGroups, WithoutVariancesItIsTheField) {
  Example e = example(120);
  e.theta[3] = e.theta[4] = 0;
  GroupSolver solver = make(e, 0);
  ExactSolver<ExecSpace> field(ExecSpace(), e.model.gaussian(), e.points);
  solver.set_data(e.values, trend_of(e));
  field.set_data(e.values, trend_of(e));
  const Theta theta(e.theta.begin(), e.theta.begin() + 3);
  const Evaluation found = solver.evaluate(e.theta, true), expected = field.evaluate(theta, true);
  expect_close({found.loglik}, {expected.loglik}, 1e-13, "likelihood");
  expect_close({found.gradient.begin(), found.gradient.begin() + 3}, expected.gradient, 1e-10,
               "gradient");
}

TEST(GpGroups, Errors) {
  Example e = example(60);
  GroupSolver solver = make(e, 0);
  solver.set_data(e.values, trend_of(e));
  EXPECT_THROW(solver.evaluate(e.theta, true, true), Error);
  EXPECT_THROW(solver.fisher_information(e.theta), Error);
  e.theta[4] = -1;
  const Evaluation found = solver.evaluate(e.theta, false);
  EXPECT_FALSE(found.valid);
  EXPECT_EQ(found.problem.substr(0, 17), "variance_observer");
  e.points.level[0][5] = -1;
  EXPECT_THROW(make(e, 0), Error);
}

}  // namespace
