// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Covariances that are not stationary: entries and derivatives against 40 digits, the stationary
// covariance as a limit, both solvers against each other, positive definiteness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/repeated_places.hpp"
#include "tessera/gp/points/local_points.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/backend.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_cases.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::Case;
using test::ExecSpace;
using test::expect_close;
using test::expect_information;
using test::normals;
using Exact = ExactSolver<ExecSpace>;
using Vecchia = VecchiaSolver<ExecSpace>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

/// The covariance matrix of points, then its derivative in each parameter.
std::vector<std::vector<double>> matrices(const CovarianceModel& model, const Points& points,
                                          const Theta& theta) {
  const ExecSpace exec;
  const auto n = static_cast<std::int64_t>(points.size());
  detail::CovarianceDispatch<ExecSpace> dispatch(exec, model);
  const PointView<ExecSpace> placed =
      detail::place_points(exec, model, theta, extent(points).first,
                           PointView<ExecSpace>(detail::device_points(exec, model, points)));
  const Matrix matrix("tessera::test::matrix", n, n);
  std::vector<std::vector<double>> all;
  const auto keep = [&] {
    all.emplace_back(static_cast<std::size_t>(n * n));
    copy_to_host(exec, all.back().data(), matrix.data(), all.back().size());
  };
  dispatch.visit_tabulated(theta, [&](const auto& covariance) {
    using Function = std::decay_t<decltype(covariance)>;
    if constexpr (!Function::kSeveral && !Function::kInteracts) {
      fill_lower(exec, covariance, placed, matrix.data(), n);
      keep();
      for (const AllDerivativeSums& factor : dispatch.derivative_factors(theta)) {
        typename Function::Sums own;
        std::copy_n(factor.value, Function::Sums::kCount, own.value);
        fill_derivative(exec, covariance, placed, own, matrix.data(), n);
        keep();
      }
    }
  });
  return all;
}

/// Adds two covariates to points.
Points with_covariates(Points points, unsigned seed) {
  const std::size_t n = points.size();
  const std::vector<double> u = normals(2 * n, seed);
  points.local = {{u.begin(), u.begin() + n}, {u.begin() + n, u.end()}};
  return points;
}

CovarianceModel local_model(int dimension) {
  CovarianceModel model;
  model.dimension = dimension;
  model.has_nugget = true;
  model.local.covariates = {"u", "v"};
  model.local.centre = {0.1, -0.2};
  model.local.sigma2 = {0, 1};
  model.local.beta = {1};
  model.local.nugget = {0};
  return model;
}

void add_warp(CovarianceModel& model, int knots, double first, double last) {
  model.local.knots = knots;
  model.local.first.fill(first);
  model.local.last.fill(last);
  for (int k = 0; k < model.dimension; ++k)
    model.local.coordinates.push_back(std::string(1, static_cast<char>('x' + k)));
}

std::vector<Case> local_cases() {
  std::vector<Case> list;
  const CovarianceModel plane = local_model(2);
  list.push_back({"plane", plane, {1.3, 0.2, 0.8, 0.05, 0.7, -0.4, 0.3, 0.9}});
  CovarianceModel variance = plane;
  variance.local.beta = variance.local.nugget = {};
  list.push_back({"variance", variance, {1.3, 0.2, 0.8, 0.05, 0.7, -0.4}});
  CovarianceModel line = local_model(1);
  line.family = Family::matern32;
  add_warp(line, 5, 0, 1);
  list.push_back(
      {"warped line", line, {1.3, 0.2, 0.05, 0.7, -0.4, 0.3, 0.9, 1.0, -0.5, 0.3, -0.8}});
  CovarianceModel warped = plane;
  warped.anisotropic = true;
  warped.convention = RangeConvention::scaled;
  add_warp(warped, 3, 0.1, 0.8);
  list.push_back({"warped plane",
                  warped,
                  {1.3, 0.2, 0.4, 0.8, 0.05, 0.7, -0.4, 0.3, 0.9, 0.6, -0.5, -0.7, 0.3}});
  CovarianceModel turned = plane;
  turned.anisotropic = turned.rotated = true;
  list.push_back({"rotated plane", turned, {1.3, 0.2, 0.5, 0.4, 0.8, 0.05, 0.7, -0.4, 0.3, 0.9}});
  CovarianceModel space = local_model(3);
  space.family = Family::powered_exponential;
  list.push_back({"space", space, {1.3, 0.4, 1.1, 0.05, 0.7, -0.4, 0.3, 0.9}});
  CovarianceModel sphere = plane;
  sphere.metric = Metric::chordal;
  list.push_back({"sphere", sphere, {1.3, 900, 1.4, 0.05, 0.7, -0.4, 0.3, 0.9}});
  return list;
}

Points points_of(const CovarianceModel& model, std::size_t n, unsigned seed) {
  return with_covariates(test::random_points(model, n, seed), seed + 50);
}

TEST(GpLocal, EntriesAndDerivatives) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/local.csv");
  ASSERT_EQ(table.rows(), 18U);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const std::string& name) { return table.column(name)[i]; };
    CovarianceModel model = local_model(static_cast<int>(at("d")));
    model.has_nugget = false;
    model.local.nugget = {};
    model.local.centre = {at("cu"), at("cv")};
    if (at("family") == 1) model.family = Family::powered_exponential;
    std::vector<std::string> names{"sigma2", "beta", "shape", "s1", "s2", "r1"};
    if (at("knots") > 0) {
      add_warp(model, static_cast<int>(at("knots")), 0, 1);
      for (int k = 1; k <= 3 * model.dimension; ++k) names.push_back("w" + std::to_string(k));
    }
    Theta theta;
    for (const std::string& name : names) theta.push_back(at(name));
    Points points;
    for (int k = 0; k < model.dimension; ++k) {
      const std::string c(1, "xyz"[k]);
      points.coordinate.push_back({at("a" + c), at("b" + c)});
    }
    points.local = {{at("ua"), at("ub")}, {at("va"), at("vb")}};
    const auto found = matrices(model, points, theta);
    ASSERT_EQ(found.size(), theta.size() + 1);
    const double scale = std::sqrt(found[0][0] * found[0][3]);
    const std::string what = "row " + std::to_string(i + 2);
    EXPECT_NEAR(found[0][1], at("value"), 3e-15 * scale) << what;
    EXPECT_NEAR(field_variance(model, theta, points, 1), found[0][3], 1e-15 * found[0][3]) << what;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double unit = k < 3 ? theta[k] : 1;
      EXPECT_NEAR(found[k + 1][1] * unit, at("d_" + names[k]) * unit, 1e-13 * scale)
          << what << ' ' << names[k];
    }
  }
}

/// With coefficients 0 the bits are those of the stationary covariance; a warp rounds coordinates.
TEST(GpLocal, WithoutCoefficientsItIsStationary) {
  for (const int dimension : {1, 2, 3}) {
    CovarianceModel model = local_model(dimension), stationary = model;
    stationary.local = {};
    const Points points = points_of(model, 60, 3);
    const Theta plain{1.3, 0.3, 0.8, 0.05};
    Theta theta = plain;
    theta.resize(8, 0.0);
    const auto expected = matrices(stationary, points, plain),
               found = matrices(model, points, theta);
    EXPECT_EQ(found[0], expected[0]);
    for (std::size_t k = 1; k < expected.size(); ++k)
      expect_close(found[k], expected[k], 1e-15, std::to_string(k));
    add_warp(model, 5, 0.2, 0.9);
    theta.resize(8 + 4 * static_cast<std::size_t>(dimension), 0.0);
    expect_close(matrices(model, points, theta)[0], expected[0], 1e-14, "warped");
  }
}

TEST(GpLocal, WithAllPredecessorsVecchiaIsExact) {
  const std::size_t n = 130;
  for (const Case& c : local_cases()) {
    for (const bool with_errors : {false, true}) {
      Points points = points_of(c.model, n, 1);
      for (std::size_t i = 0; i < n && with_errors; ++i)
        points.error_variance.push_back(0.01 * static_cast<double>(i % 5));
      const std::vector<double> z = normals(2 * n, 2);
      const auto columns = trend(Mean::linear, points, points);
      Exact exact(ExecSpace(), c.model, points);
      exact.set_data(z, columns);
      Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n) - 1));
      vecchia.set_data(z, columns);
      const Evaluation expected = exact.evaluate(c.theta, true),
                       found = vecchia.evaluate(c.theta, true, true);
      ASSERT_TRUE(found.valid) << c.name << ": " << found.problem;
      EXPECT_NEAR(found.loglik / expected.loglik, 1, 1e-10) << c.name;
      expect_close(found.gradient, expected.gradient, 1e-10, c.name + " gradient");
      expect_close(vecchia.evaluate(c.theta, true).gradient, expected.gradient, 1e-10,
                   c.name + " gradient alone");
      expect_information(found.information, exact.fisher_information(c.theta), 1e-10,
                         c.name + " information");
      // the places in records are those of the last theta
      Theta other = c.theta;
      for (double& x : other) x *= 0.9;
      EXPECT_NEAR(vecchia.evaluate(other, false).loglik / exact.evaluate(other, false).loglik, 1,
                  1e-10)
          << c.name;
    }
  }
}

TEST(GpLocal, Gradient) {
  for (const Case& c : local_cases()) {
    const Points points = points_of(c.model, 150, 8);
    const auto columns = trend(Mean::constant, points, points);
    Exact exact(ExecSpace(), c.model, points);
    exact.set_data(normals(150, 9), columns);
    test::expect_gradient(exact, c.model, c.theta, 1e-7, c.name);
    Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(15));
    vecchia.set_data(normals(150, 9), columns);
    test::expect_gradient(vecchia, c.model, c.theta, 1e-7, c.name + " by neighbours");
  }
}

TEST(GpLocal, PredictionsFromAllDataAreExact) {
  const std::size_t n = 120;
  for (const Case& c : local_cases()) {
    const Points points = points_of(c.model, n, 3), targets = points_of(c.model, 40, 4);
    const std::vector<double> z = normals(n, 5);
    Exact exact(ExecSpace(), c.model, points);
    exact.set_data(z, {});
    Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n)));
    vecchia.set_data(z, {});
    const Prediction expected = exact.predict(c.theta, targets, {}, {}),
                     found = vecchia.predict(c.theta, targets, {}, {});
    expect_close(found.mean, expected.mean, 1e-9, c.name + " mean");
    expect_close(found.variance, expected.variance, 1e-9, c.name + " variance");
    std::vector<int> fold;
    for (std::size_t i = 0; i < n; ++i) fold.push_back(static_cast<int>(i % 7));
    const Prediction left_out = exact.cross_validate(c.theta, fold),
                     by_neighbours = vecchia.cross_validate(c.theta, fold);
    expect_close(by_neighbours.mean, left_out.mean, 1e-9, c.name + " left out");
    expect_close(by_neighbours.variance, left_out.variance, 1e-9, c.name + " variance left out");
    Theta truth = c.theta;
    truth[0] *= 1.3;
    truth.back() *= 0.7;
    expect_close(vecchia.misspecified_variance(truth, c.theta, targets),
                 exact.misspecified_variance(truth, c.theta, targets), 1e-9, c.name + " misjudged");
  }
}

/// A simulation is linear in its numbers: those of one point at a time make a root of the
/// covariance matrix, and with those of the noise another of its errors.
TEST(GpLocal, SimulationsHaveTheCovariance) {
  const std::size_t n = 60;
  for (const Case& c : local_cases()) {
    const Points points = points_of(c.model, n, 3);
    const std::vector<double> expected = matrices(c.model, points, c.theta)[0];
    std::vector<double> one(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) one[i * n + i] = 1;
    const std::vector<double> none(n * n, 0.0);
    Exact exact(ExecSpace(), c.model, points);
    Vecchia vecchia(ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(n) - 1));
    const std::vector<double> by_factor = exact.simulate(c.theta, one, {}),
                              field = vecchia.simulate(c.theta, one, none),
                              errors = vecchia.simulate(c.theta, none, one);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double of_factor = 0, of_neighbours = 0;
        for (std::size_t k = 0; k < n; ++k) {
          of_factor += by_factor[k * n + i] * by_factor[k * n + j];
          of_neighbours +=
              field[k * n + i] * field[k * n + j] + errors[k * n + i] * errors[k * n + j];
        }
        const double scale = std::sqrt(expected[i * n + i] * expected[j * n + j]);
        EXPECT_NEAR(of_factor, expected[j * n + i], 1e-12 * scale) << c.name;
        EXPECT_NEAR(of_neighbours, expected[j * n + i], 1e-7 * scale) << c.name;
      }
    }
  }
}

/// Draws at one point have the conditional variance there.
TEST(GpLocal, DrawsHaveTheConditionalVariance) {
  const std::size_t n = 80;
  for (const Case& c : local_cases()) {
    const Points points = points_of(c.model, n, 3), target = points_of(c.model, 1, 4);
    DrawOptions draws;
    draws.count = 1;
    draws.normals = {1};
    for (const bool by_neighbours : {false, true}) {
      std::unique_ptr<Solver> solver;
      if (by_neighbours)
        solver = std::make_unique<Vecchia>(ExecSpace(), c.model, points,
                                           test::vecchia_options(static_cast<int>(n)));
      else
        solver = std::make_unique<Exact>(ExecSpace(), c.model, points);
      solver->set_data(normals(n, 5), {});
      const Prediction drawn = solver->predict(c.theta, target, {}, draws);
      EXPECT_NEAR(std::pow(drawn.draws[0] - drawn.mean[0], 2) / drawn.variance[0], 1, 1e-7)
          << c.name;
    }
  }
}

/// Random coefficients, without a nugget.
TEST(GpLocal, PositiveDefinite) {
  for (const int dimension : {1, 2, 3}) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      CovarianceModel model = local_model(dimension);
      model.has_nugget = false;
      model.local.nugget = {};
      add_warp(model, 4, 0, 1);
      const std::vector<double> random =
          normals(3 + static_cast<std::size_t>(model.local.coefficients()), seed);
      Theta theta{1, 0.3, seed % 2 == 0 ? 0.4 : 1.2};
      for (int k = 0; k < model.local.coefficients(); ++k)
        theta.push_back(1.5 * random[static_cast<std::size_t>(k)]);
      const Points points = points_of(model, 250, seed);
      Exact exact(ExecSpace(), model, points);
      exact.set_data(normals(250, 6), {});
      const Evaluation found = exact.evaluate(theta, false);
      EXPECT_TRUE(found.valid) << dimension << ": " << found.problem;
    }
  }
}

/// Observations at one place are merged where their errors have one variance, and their covariates
/// are the same.
TEST(GpLocal, RepeatedPlaces) {
  CovarianceModel model = local_model(2);
  for (const bool merges : {true, false}) {
    if (merges) model.local.nugget.clear();
    Theta theta{1.3, 0.2, 0.8, 0.05, 0.7, -0.4, 0.3};
    if (!merges) {
      model.local.nugget = {0};
      theta.push_back(0.9);
    }
    const Points once = points_of(model, 60, 3);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 90; ++i) rows.push_back(i % 60);
    const Points points = once.subset(rows);
    const std::vector<double> z = normals(90, 5);
    const auto columns = trend(Mean::constant, points, points);
    const auto vecchia =
        make_vecchia_solver(test::backend(), model, points, test::vecchia_options(90), 0);
    EXPECT_EQ(dynamic_cast<const RepeatedPlaces*>(vecchia.get()) != nullptr, merges);
    vecchia->set_data(z, columns);
    Exact exact(ExecSpace(), model, points);
    exact.set_data(z, columns);
    const Evaluation expected = exact.evaluate(theta, true), found = vecchia->evaluate(theta, true);
    ASSERT_TRUE(found.valid) << found.problem;
    EXPECT_NEAR(found.loglik, expected.loglik, 1e-9 * std::fabs(expected.loglik));
    expect_close(found.gradient, expected.gradient, 1e-8, "gradient");
  }
}

TEST(GpLocal, Names) {
  CovarianceModel model = local_model(2);
  add_warp(model, 3, 0, 1);
  EXPECT_EQ(model.names(), (std::vector<std::string>{"sigma2", "beta", "nu", "nugget", "sigma2_u",
                                                     "sigma2_v", "beta_v", "nugget_u", "warp_x_1",
                                                     "warp_x_2", "warp_y_1", "warp_y_2"}));
  EXPECT_EQ(check(model, {1, 0.1, 0.5, 0, -1, 2, -3, 4, -1, 0, 0, 1}), "");
  EXPECT_THAT(check(model, {1, 0.1, 0.5, 0, NAN, 2, -3, 4, -1, 0, 0, 1}),
              testing::HasSubstr("sigma2_u is"));
}

TEST(GpLocal, WhatItDoesNotGoWith) {
  const CovarianceModel model = local_model(2);
  const Points points = points_of(model, 60, 3);
  VecchiaOptions options = test::vecchia_options(10);
  options.block = 8;
  EXPECT_THROW(make_vecchia_solver(test::backend(), model, points, options, 0), Error);
  CovarianceModel sphere = model;
  sphere.metric = Metric::great_circle;
  Exact exact(ExecSpace(), sphere, points);
  exact.set_data(normals(60, 1), {});
  EXPECT_THROW(exact.evaluate({1.3, 900, 0.4, 0.05, 0.7, -0.4, 0.3, 0.9}, false), Error);
}

}  // namespace
