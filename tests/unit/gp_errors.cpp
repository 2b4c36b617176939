// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Observations with errors of known variances: a dense reference in long double, equal variances
// that are a nugget, gradients against differences, and what coincident points may have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_close;
using test::expect_information;
using test::normals;
using test::random_points;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;

/// Variances from 0 to 1, some of them 0.
std::vector<double> error_variances(std::size_t n) {
  std::vector<double> variance;
  for (std::size_t i = 0; i < n; ++i)
    variance.push_back(i % 7 == 0 ? 0 : std::pow(std::sin(1.7 * static_cast<double>(i)), 2));
  return variance;
}

std::unique_ptr<Solver> make(const std::string& method, const CovarianceModel& model,
                             const Points& points, int neighbours) {
  if (method == "exact") return std::make_unique<Exact>(ExecSpace(), model, points);
  return std::make_unique<Vecchia>(ExecSpace(), model, points, test::vecchia_options(neighbours));
}

using Real = long double;
using Square = std::vector<std::vector<Real>>;

/// The lower Cholesky factor.
Square factor(Square a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(a[i][i]) : a[i][j] / a[j][j];
    }
  }
  return a;
}

std::vector<Real> substitute(const Square& l, std::vector<Real> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}

Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// An exponential covariance and mean zero, by their definitions.
TEST(GpErrors, DenseReference) {
  const std::size_t n = 60, m = 9;
  CovarianceModel model;
  model.family = Family::matern12;
  model.has_nugget = true;
  const Theta theta{1.4, 0.25, 0.1};
  Points points = random_points(model, n, 41);
  points.error_variance = error_variances(n);
  const Points targets = random_points(model, m, 42);
  const std::vector<double> z = normals(n, 43);
  const auto covariance = [&](const Points& a, std::size_t i, const Points& b, std::size_t j) {
    const Real x = static_cast<Real>(a.coordinate[0][i]) - b.coordinate[0][j],
               y = static_cast<Real>(a.coordinate[1][i]) - b.coordinate[1][j];
    return theta[0] * std::exp(-std::sqrt(x * x + y * y) / static_cast<Real>(theta[1]));
  };
  Square sigma(n, std::vector<Real>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) sigma[i][j] = covariance(points, i, points, j);
    sigma[i][i] += static_cast<Real>(theta[2]) + points.error_variance[i];
  }
  const Square l = factor(sigma);
  const std::vector<Real> white = substitute(l, std::vector<Real>(z.begin(), z.end()));
  Real loglik = static_cast<Real>(n) * std::log(2 * 3.14159265358979323846264338327950288L) +
                dot(white, white);
  for (std::size_t i = 0; i < n; ++i) loglik += 2 * std::log(l[i][i]);
  loglik *= -0.5L;
  std::vector<double> mean, variance;
  for (std::size_t t = 0; t < m; ++t) {
    std::vector<Real> k;
    for (std::size_t i = 0; i < n; ++i) k.push_back(covariance(points, i, targets, t));
    k = substitute(l, k);
    mean.push_back(static_cast<double>(dot(k, white)));
    variance.push_back(static_cast<double>(theta[0] - dot(k, k)));
  }
  for (const std::string method : {"exact", "vecchia"}) {
    const auto solver = make(method, model, points, n);
    solver->set_data(z, {});
    EXPECT_NEAR(solver->evaluate(theta, false).loglik, static_cast<double>(loglik), 1e-11 * n)
        << method;
    const Prediction found = solver->predict(theta, targets, {}, {});
    expect_close(found.mean, mean, 1e-11, method + " mean");
    expect_close(found.variance, variance, 1e-11, method + " variance");
  }
}

std::vector<CovarianceModel> models() {
  CovarianceModel matern;
  CovarianceModel with_nugget = matern;
  with_nugget.has_nugget = true;
  CovarianceModel space = with_nugget;
  space.dimension = 3;
  space.anisotropic = true;
  return {matern, with_nugget, space};
}

Theta theta_of(const CovarianceModel& model) {
  if (model.anisotropic) return {1.3, 0.3, 0.6, 0.4, 0.8, 0.1};
  if (model.has_nugget) return {1.3, 0.2, 0.8, 0.1};
  return {1.3, 0.2, 0.8};
}

/// With all predecessors Vecchia's approximation is exact, also with errors of all sizes.
TEST(GpErrors, WithAllPredecessorsVecchiaIsExact) {
  for (const std::size_t n : {12, 31, 120}) {
    for (const CovarianceModel& model : models()) {
      Points points = random_points(model, n, 44);
      points.error_variance = error_variances(n);
      const Points targets = random_points(model, 20, 45);
      const Theta theta = theta_of(model);
      for (const Mean mean : {Mean::zero, Mean::linear}) {
        const auto columns = trend(mean, points, points),
                   target_columns = trend(mean, targets, points);
        const std::vector<double> z = normals(2 * n, 46);
        Exact exact(ExecSpace(), model, points);
        exact.set_data(z, columns);
        Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(static_cast<int>(n)));
        vecchia.set_data(z, columns);
        const Evaluation expected = exact.evaluate(theta, true),
                         found = vecchia.evaluate(theta, true, true);
        ASSERT_TRUE(found.valid) << found.problem;
        EXPECT_NEAR(found.loglik, expected.loglik,
                    1e-11 * (std::fabs(expected.loglik) + static_cast<double>(n)));
        EXPECT_NEAR(vecchia.evaluate(theta, false).loglik, expected.loglik,
                    1e-11 * (std::fabs(expected.loglik) + static_cast<double>(n)));
        expect_close(found.gradient, expected.gradient, 1e-10, "gradient");
        expect_information(found.information, exact.fisher_information(theta), 1e-10,
                           "information");
        const Prediction a = exact.predict(theta, targets, target_columns, {}),
                         b = vecchia.predict(theta, targets, target_columns, {});
        expect_close(b.mean, a.mean, 1e-9, "mean");
        expect_close(b.variance, a.variance, 1e-9, "variance");
        if (mean != Mean::zero) continue;  // Vecchia's cross-validation keeps the trend of all data
        std::vector<int> fold;
        for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % 5));
        const Prediction c = exact.cross_validate(theta, fold),
                         d = vecchia.cross_validate(theta, fold);
        expect_close(d.mean, c.mean, 1e-9, "mean of a fold");
        expect_close(d.variance, c.variance, 1e-9, "variance of a fold");
      }
    }
  }
}

/// Equal variances are a nugget: the same likelihood, gradient, predictions, draws and
/// cross-validation.
TEST(GpErrors, EqualVariancesAreANugget) {
  const std::size_t n = 200, m = 25;
  const double variance = 0.15;
  CovarianceModel plain, with_nugget;
  with_nugget.has_nugget = true;
  const Points points = random_points(plain, n, 47), targets = random_points(plain, m, 48);
  Points known = points;
  known.error_variance.assign(n, variance);
  const Theta theta{1.3, 0.2, 0.8}, nugget{1.3, 0.2, 0.8, variance};
  const auto columns = trend(Mean::constant, points, points),
             target_columns = trend(Mean::constant, targets, points);
  const std::vector<double> z = normals(n, 49);
  DrawOptions draws;
  draws.count = 3;
  draws.normals = normals(3 * m, 50);
  draws.trend_normals = normals(3, 51);
  std::vector<int> fold;
  for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % 7));
  for (const std::string method : {"exact", "vecchia"}) {
    const auto a = make(method, with_nugget, points, 20), b = make(method, plain, known, 20);
    a->set_data(z, columns);
    b->set_data(z, columns);
    Evaluation expected = a->evaluate(nugget, true);
    const Evaluation found = b->evaluate(theta, true);
    EXPECT_NEAR(found.loglik, expected.loglik, 1e-13 * n) << method;
    expected.gradient.pop_back();
    expect_close(found.gradient, expected.gradient, 1e-11, method + " gradient");
    const std::vector<double> information = b->fisher_information(theta),
                              all = a->fisher_information(nugget);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(information[3 * i + j], all[4 * i + j],
                    1e-10 * std::sqrt(all[5 * i] * all[5 * j]))
            << method;
    }
    const Prediction p = a->predict(nugget, targets, target_columns, draws),
                     q = b->predict(theta, targets, target_columns, draws);
    expect_close(q.mean, p.mean, 1e-12, method + " mean");
    expect_close(q.variance, p.variance, 1e-12, method + " variance");
    expect_close(q.draws, p.draws, 1e-10, method + " draws");
    const Prediction r = a->cross_validate(nugget, fold), s = b->cross_validate(theta, fold);
    expect_close(s.mean, r.mean, 1e-11, method + " mean of a fold");
    expect_close(s.variance, r.variance, 1e-11, method + " variance of a fold");
    const std::vector<double> numbers = normals(n, 52), noise = normals(n, 53);
    if (method == "exact")
      expect_close(b->simulate(theta, numbers, noise), a->simulate(nugget, numbers, noise), 1e-11,
                   "simulation");
  }
}

TEST(GpErrors, GradientAgainstDifferences) {
  const std::size_t n = 300;
  for (const CovarianceModel& model : models()) {
    Points points = random_points(model, n, 54);
    points.error_variance = error_variances(n);
    for (const std::string method : {"exact", "vecchia"}) {
      const auto solver = make(method, model, points, 12);
      solver->set_data(normals(n, 55), trend(Mean::constant, points, points));
      test::expect_gradient(*solver, model, theta_of(model), 1e-7, method);
    }
  }
}

/// Simulated observations have the errors: their score under the exact likelihood is normal, with
/// the information as its variance.
TEST(GpErrors, SimulatedObservationsAreOfTheModel) {
  const std::size_t n = 300, fields = 100;
  const CovarianceModel model = models()[1];
  const Theta theta = theta_of(model);
  Points points = random_points(model, n, 56);
  points.error_variance = error_variances(n);
  Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(static_cast<int>(n)));
  Exact exact(ExecSpace(), model, points);
  exact.set_data(vecchia.simulate(theta, normals(fields * n, 57), normals(fields * n, 58)), {});
  const Evaluation at = exact.evaluate(theta, true);
  const std::vector<double> information = exact.fisher_information(theta);
  for (std::size_t k = 0; k < theta.size(); ++k)
    EXPECT_LT(std::fabs(at.gradient[k]), 4 * std::sqrt(information[k * theta.size() + k])) << k;
  EXPECT_THROW(vecchia.simulate(theta, normals(n, 57), {}), Error)
      << "errors need numbers of their own";
}

/// Coincident points are allowed as far as an error tells them apart.
TEST(GpErrors, CoincidentPoints) {
  const std::size_t n = 100;
  const CovarianceModel model;
  Points points = random_points(model, n, 59);
  for (auto& column : points.coordinate) column[70] = column[50] = column[10];
  for (const std::string method : {"exact", "vecchia"}) {
    points.error_variance.assign(n, 0.0);
    points.error_variance[10] = points.error_variance[50] = 0.2;
    const auto good = make(method, model, points, 10);
    good->set_data(normals(n, 60), {});
    EXPECT_TRUE(good->evaluate({1, 0.1, 0.5}, true).valid) << method;
    points.error_variance[50] = 0;
    const auto bad = make(method, model, points, 10);
    bad->set_data(normals(n, 60), {});
    const Evaluation found = bad->evaluate({1, 0.1, 0.5}, false);
    EXPECT_FALSE(found.valid) << method;
    EXPECT_THAT(found.problem,
                testing::AllOf(testing::HasSubstr("point 71"), testing::HasSubstr("duplicates")))
        << method;
  }
}

}  // namespace
