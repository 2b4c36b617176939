// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Covariances of several variables: entries, derivatives and bounds against 50 digits, limits,
// gradients, positive definiteness, the search space of cross-correlations, invalid parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/io/csv.hpp"
#include "tessera/gp/covariance/cross_correlations.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/points/points.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_points.hpp"
#include "tests/unit/gp_variable_models.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;
using test::several;
using test::unequal_places;

TEST(GpVariables, EntriesDerivativesAndBounds) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/multivariate.csv");
  const std::vector<std::string> names = several(2, 2, false).names();
  ASSERT_EQ(names,
            (std::vector<std::string>{"sigma2_1", "sigma2_2", "beta", "nu_1", "nu_2", "rho_12"}));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const std::string& name) { return table.column(name)[i]; };
    Theta theta;
    std::vector<std::string> columns = names;
    columns.back() = "rho";
    for (const std::string& name : columns) theta.push_back(at(name));
    const CovarianceModel model = several(2, static_cast<int>(at("d")), false);
    const std::vector<double> found = test::entries(model, at("h"), theta);
    const std::string what = "row " + std::to_string(i + 2);
    const double size = std::sqrt(theta[0] * theta[1]);
    EXPECT_NEAR(found[0], at("value"), 2e-15 * size) << what;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      const double scale = size / std::fabs(theta[k]);
      EXPECT_NEAR(found[k + 1], at("d_" + columns[k]), 1e-13 * scale) << what << ' ' << names[k];
    }
    const double bound = largest_cross_correlation(theta[3], theta[4], model.dimension);
    EXPECT_NEAR(bound, at("bound"), 5e-15) << what;
    const CrossCorrelations all = cross_correlations(model, theta, {1}, {false});
    EXPECT_DOUBLE_EQ(all.rho[0], bound) << what;
    EXPECT_NEAR(all.by_theta[0][3], at("d_bound"), 1e-13 / theta[3]) << what;
  }
}

/// Without cross-correlation the variables are independent.
TEST(GpVariables, WithoutCorrelationTheyAreIndependent) {
  const CovarianceModel model = several(2);
  const Points points = unequal_places(model, 150, 1);
  const std::vector<double> z = test::normals(points.size(), 2);
  Exact both(ExecSpace(), model, points);
  both.set_data(z, trend(Mean::constant, points, points));
  const double found = both.evaluate({1.3, 0.4, 0.2, 0.8, 1.7, 0, 0.1, 0.02}, false).loglik;
  double expected = 0;
  for (const int v : {0, 1}) {
    std::vector<std::size_t> rows;
    std::vector<double> own;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points.variable[i] != v) continue;
      rows.push_back(i);
      own.push_back(z[i]);
    }
    Points alone = points.subset(rows);
    alone.variable.clear();
    CovarianceModel one;
    one.has_nugget = true;
    Exact solver(ExecSpace(), one, alone);
    solver.set_data(own, trend(Mean::constant, alone, alone));
    const Theta theta = v == 0 ? Theta{1.3, 0.2, 0.8, 0.1} : Theta{0.4, 0.2, 1.7, 0.02};
    expected += solver.evaluate(theta, false).loglik;
  }
  EXPECT_NEAR(found, expected, 1e-11 * std::fabs(expected));
}

TEST(GpVariables, Gradient) {
  const std::vector<Theta> thetas{
      {1.3, 0.4, 0.2, 0.8, 1.7, -0.5, 0.1, 0.05},
      {1.3, 0.4, 2.0, 0.2, 0.8, 1.2, 0.5, 0.3, -0.2, 0.1, 0.1, 0.2, 0.1},
      {1.3, 0.4, 2.0, 1.0, 0.2, 0.8, 1.2, 0.5, 0.4, 0.3, -0.2, 0.1, 0.1, 0.5, -0.3, 0.1, 0.2, 0.1,
       0.3}};
  for (int variables = 2; variables <= 4; ++variables) {
    const CovarianceModel model = several(variables, variables - 1);
    const Points points = unequal_places(model, 70, 3);
    Exact solver(ExecSpace(), model, points);
    solver.set_data(test::normals(points.size(), 4), trend(Mean::constant, points, points));
    const Theta& theta = thetas[static_cast<std::size_t>(variables - 2)];
    ASSERT_EQ(check(model, theta), "");
    test::expect_gradient(solver, model, theta, 1e-7, std::to_string(variables));
  }
}

/// The average information is Fisher's in expectation, and both are the curvature.
TEST(GpVariables, Information) {
  const CovarianceModel model = several(2);
  const Points points = unequal_places(model, 400, 5);
  const Theta theta{1.3, 0.4, 0.15, 0.8, 1.2, 0.6, 0.1, 0.05};
  Exact solver(ExecSpace(), model, points);
  const std::size_t n = points.size(), replicates = 40;
  const std::vector<double> z = solver.simulate(theta, test::normals(n * replicates, 6), {});
  solver.set_data(z, {});
  const Evaluation at = solver.evaluate(theta, true, true);
  ASSERT_TRUE(at.valid) << at.problem;
  solver.set_data(z, {});
  test::expect_information(at.information, solver.fisher_information(theta), 0.1, "average");
}

/// With all predecessors nothing is approximated: likelihoods, gradients, predictions with draws,
/// cross-validations and simulations of both solvers agree.
TEST(GpVariables, VecchiaWithAllPredecessorsIsExact) {
  for (const int variables : {2, 4}) {
    const std::string what = std::to_string(variables) + " variables";
    const CovarianceModel model = several(variables, variables == 2 ? 2 : 3);
    const Theta theta = variables == 2 ? Theta{1.3, 40, 0.2, 0.8, 1.7, -0.5, 0.1, 2}
                                       : Theta{1.3,  0.4, 2.0, 1.0, 0.2,  0.8, 1.2, 0.5, 0.4, 0.3,
                                               -0.2, 0.1, 0.1, 0.5, -0.3, 0.1, 0.2, 0.1, 0.3};
    const Points points = unequal_places(model, 45, 9);
    const std::size_t n = points.size();
    Exact exact(ExecSpace(), model, points);
    Vecchia vecchia(ExecSpace(), model, points, test::vecchia_options(static_cast<int>(n)));
    const std::vector<double> z = test::normals(n, 10);
    for (Solver* solver : {static_cast<Solver*>(&exact), static_cast<Solver*>(&vecchia)}) {
      solver->set_data(z, trend(Mean::constant, points, points));
      solver->prepare(theta);
    }
    const Evaluation expected = exact.evaluate(theta, true), found = vecchia.evaluate(theta, true),
                     value = vecchia.evaluate(theta, false),
                     informed = vecchia.evaluate(theta, true, true);
    ASSERT_TRUE(found.valid) << found.problem;
    EXPECT_NEAR(found.loglik, expected.loglik, 1e-10 * std::fabs(expected.loglik)) << what;
    EXPECT_EQ(found.loglik, value.loglik);
    std::vector<double> unit = theta, a, b, c;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      unit[k] = model.is_signed(static_cast<int>(k)) ? 1 : theta[k];
      a.push_back(found.gradient[k] * unit[k]);
      b.push_back(expected.gradient[k] * unit[k]);
      c.push_back(informed.gradient[k] * unit[k]);
    }
    test::expect_close(a, b, 1e-9, what);
    test::expect_close(c, b, 1e-9, what);
    test::expect_information(informed.information, exact.fisher_information(theta), 1e-8, what);
    const Points targets = repeat_for_variables(test::random_points(model, 7, 11), variables);
    const auto columns = trend(Mean::constant, targets, points);
    const Prediction p = exact.predict(theta, targets, columns, {}),
                     q = vecchia.predict(theta, targets, columns, {});
    test::expect_close(q.mean, p.mean, 1e-9, what);
    test::expect_close(q.variance, p.variance, 1e-9, what);
    test::expect_close(vecchia.misspecified_variance(theta, theta, targets),
                       exact.misspecified_variance(theta, theta, targets), 1e-9, what);
    // the trend of all data; without one both are the same
    exact.set_data(z, {});
    vecchia.set_data(z, {});
    std::vector<int> fold;
    for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i * 7 % 5));
    const Prediction u = exact.cross_validate(theta, fold), v = vecchia.cross_validate(theta, fold);
    test::expect_close(v.mean, u.mean, 1e-9, what);
    test::expect_close(v.variance, u.variance, 1e-9, what);
  }
}

/// With few neighbours the gradient is that of the approximation.
TEST(GpVariables, VecchiaGradient) {
  const CovarianceModel model = several(3);
  const Points points = unequal_places(model, 120, 12);
  Vecchia solver(ExecSpace(), model, points, test::vecchia_options(12));
  solver.set_data(test::normals(points.size(), 13), trend(Mean::constant, points, points));
  test::expect_gradient(solver, model,
                        {1.3, 0.4, 2.0, 0.2, 0.8, 1.2, 0.5, 0.3, -0.2, 0.1, 0.1, 0.2, 0.1}, 1e-7,
                        "three variables");
}

/// Variables may lie at one place without a nugget, repeated observations of one of them may not.
TEST(GpVariables, VecchiaOfObservationsAtOnePlace) {
  const CovarianceModel model = several(2, 2, false);
  Points points = repeat_for_variables(test::random_points(model, 60, 14), 2);
  const Theta theta{1, 2, 0.2, 0.5, 0.5, 0.6};
  const auto evaluate = [&] {
    Vecchia solver(ExecSpace(), model, points, test::vecchia_options(20));
    solver.set_data(test::normals(points.size(), 15), {});
    return solver.evaluate(theta, true);
  };
  EXPECT_TRUE(evaluate().valid);
  for (std::vector<double>& column : points.coordinate) column.push_back(column[3]);
  points.variable.push_back(points.variable[3]);
  const Evaluation repeated = evaluate();
  EXPECT_FALSE(repeated.valid);
  EXPECT_THAT(repeated.problem, testing::HasSubstr("not positive definite"));
}

/// At the bound the covariance is positive definite, without a nugget.
TEST(GpVariables, PositiveDefiniteUpToTheBound) {
  for (const int dimension : {1, 2, 3}) {
    const CovarianceModel model = several(2, dimension, false);
    const Points points = unequal_places(model, 200, 7);
    Exact solver(ExecSpace(), model, points);
    solver.set_data(test::normals(points.size(), 8), {});
    for (const double nu : {0.3, 0.9, 1.4}) {
      const double bound = largest_cross_correlation(0.4, nu, dimension);
      for (const double sign : {-1.0, 1.0}) {
        const Evaluation found =
            solver.evaluate({1, 2, 0.1, 0.4, nu, sign * (1 - 1e-9) * bound}, false);
        EXPECT_TRUE(found.valid) << dimension << ' ' << nu << ": " << found.problem;
      }
    }
  }
}

/// Every set of partial correlations gives valid cross-correlations, which give them back; the
/// derivatives are those of differences, also where some cross-correlations are fixed.
TEST(GpVariables, PartialCorrelations) {
  const CovarianceModel model = several(4, 3, false);
  Theta theta{1, 1, 1, 1, 0.2, 0.8, 1.2, 0.5, 2.4, 0, 0, 0.1, 0, 0, 0};
  const std::vector<double> partial{0.7, -0.9, 0.3, 0.95, -0.2, 0.6};
  for (const bool some_fixed : {false, true}) {
    std::vector<bool> fixed(6, false);
    fixed[2] = some_fixed;
    const CrossCorrelations found = cross_correlations(model, theta, partial, fixed);
    Theta valid = theta;
    std::copy(found.rho.begin(), found.rho.end(), valid.begin() + model.time());
    EXPECT_EQ(check(model, valid), "");
    const std::vector<double> back = partial_correlations(model, valid);
    for (std::size_t k = 0; k < 6; ++k) {
      if (!fixed[k]) {
        EXPECT_NEAR(back[k], partial[k], 1e-13) << k;
      }
    }
    if (some_fixed) {
      EXPECT_EQ(found.rho[2], 0.1);
    }
    const double step = 1e-5;
    for (std::size_t j = 0; j < 6; ++j) {
      std::vector<double> up = partial, down = partial;
      up[j] += step;
      down[j] -= step;
      const auto a = cross_correlations(model, theta, up, fixed).rho,
                 b = cross_correlations(model, theta, down, fixed).rho;
      for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(found.by_partial[i][j], (a[i] - b[i]) / (2 * step), 1e-7) << i << ' ' << j;
    }
    for (std::size_t v = 0; v < 4; ++v) {
      const std::size_t parameter = static_cast<std::size_t>(model.shape()) + v;
      Theta up = theta, down = theta;
      up[parameter] += step;
      down[parameter] -= step;
      const auto a = cross_correlations(model, up, partial, fixed).rho,
                 b = cross_correlations(model, down, partial, fixed).rho;
      for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(found.by_theta[i][parameter], (a[i] - b[i]) / (2 * step), 1e-7)
            << i << ' ' << v;
    }
  }
}

TEST(GpVariables, ParametersThatAreNotValid) {
  const CovarianceModel two = several(2), three = several(3, 2, false);
  EXPECT_EQ(check(two, {1, 2, 0.1, 0.5, 0.5, 1, 0, 0}), "");
  EXPECT_EQ(check(two, {1, 2, 0.1, 0.5, 0.5, -1, 0.1, 0}), "");
  EXPECT_THAT(check(two, {1, 2, 0.1, 0.5, 0.5, 1.1, 0, 0}),
              testing::HasSubstr("must be from -1 to 1"));
  // sqrt(0.5 * 2.5) / 1.5
  EXPECT_THAT(check(two, {1, 2, 0.1, 0.5, 2.5, 0.8, 0, 0}),
              testing::HasSubstr("rho_12 is 0.8, but with nu_1 = 0.5 and nu_2 = 2.5 in 2 "
                                 "coordinates it must be from -0.745356 to 0.745356"));
  EXPECT_THAT(check(two, {1, -2, 0.1, 0.5, 2.5, 0.1, 0, 0}), testing::HasSubstr("sigma2_2 is -2"));
  EXPECT_THAT(check(two, {1, 2, 0.1, 0.5, 120, 0.1, 0, 0}), testing::HasSubstr("nu_2 is 120"));
  EXPECT_THAT(check(two, {1, 2, 0.1, 0.5, 2.5, 0.1, 0, -1}), testing::HasSubstr("nugget_2 is -1"));
  // 0.8 * 0.8 - 0.6 * 0.6 and 1
  EXPECT_THAT(check(three, {1, 1, 1, 0.1, 0.5, 0.5, 0.5, 0.8, 0.8, -0.2}),
              testing::HasSubstr("rho_23 is -0.2"));
  EXPECT_THAT(check(three, {1, 1, 1, 0.1, 0.5, 0.5, 0.5, 0.8, 0.8, -0.2}),
              testing::HasSubstr("from 0.28 to 1"));
  EXPECT_EQ(check(three, {1, 1, 1, 0.1, 0.5, 0.5, 0.5, 0.8, 0.8, 0.3}), "");
}

}  // namespace
