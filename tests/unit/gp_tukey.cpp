// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tukey's g-and-h marginals: the transform, its inverse and laws against 50 digits (tests/data/gp),
// likelihoods against the definition, gradients against differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/tukey.hpp"
#include "tessera/gp/likelihood/tukey_law.hpp"
#include "tessera/gp/likelihood/tukey_solver.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_gradient;
using test::normals;
using test::random_points;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expect_relative(double found, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(found, expected, tolerance * std::fabs(expected)) << what;
}

TEST(GpTukey, Transform) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/tukey.csv");
  const auto column = [&](const char* name) { return table.column(name); };
  const std::vector<double> all_g = column("g"), all_h = column("h"), all_u = column("u"),
                            tau = column("tau"), slope = column("slope"),
                            log_slope = column("log_slope"), by_g = column("by_g"),
                            by_h = column("by_h"), log_by_u = column("log_slope_by_u"),
                            log_by_g = column("log_slope_by_g"),
                            log_by_h = column("log_slope_by_h"), inverse = column("inverse");
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const double g = all_g[i], h = all_h[i], u = all_u[i];
    const std::string what =
        "g " + std::to_string(g) + " h " + std::to_string(h) + " u " + std::to_string(u);
    // rounding of the exponents counts by their size
    const double tolerance = 1e-14 * std::max({1.0, 0.1 * h * u * u, 0.1 * std::fabs(g * u)});
    const TukeySlopes s = tukey_slopes(u, g, h);
    expect_relative(tukey_g_and_h(u, g, h), tau[i], tolerance, what);
    expect_relative(s.slope, slope[i], tolerance, what);
    EXPECT_NEAR(s.log_slope, log_slope[i], 1e-14 * std::max(1.0, std::fabs(log_slope[i]))) << what;
    expect_relative(s.by_g, by_g[i], tolerance, what);
    expect_relative(s.by_h, by_h[i], tolerance, what);
    EXPECT_NEAR(s.log_slope_by_u, log_by_u[i], 1e-14 * std::max(std::fabs(log_by_u[i]), 1.0));
    EXPECT_NEAR(s.log_slope_by_g, log_by_g[i],
                1e-14 * std::max(std::fabs(log_by_g[i]), std::fabs(u)));
    expect_relative(s.log_slope_by_h, log_by_h[i], 1e-14, what);
    expect_relative(inverse_tukey_g_and_h(tau[i], g, h), inverse[i], 1e-14, what);
  }
}

/// The inverse rises, up to the largest numbers, and ends where the values of tau do.
TEST(GpTukey, Inverse) {
  for (const double g : {-2.0, -1e-7, 0.0, 0.4, 3.0}) {
    for (const double h : {1e-300, 1e-8, 0.1, 1.0}) {
      double last = -kInfinity;
      for (const double x :
           {-1e308, -1e30, -7.0, -1.0, -1e-9, -1e-300, 0.0, 1e-300, 1e-9, 1.0, 7.0, 1e30, 1e308}) {
        const double u = inverse_tukey_g_and_h(x, g, h);
        EXPECT_TRUE(std::isfinite(u) && u > last) << g << ' ' << h << ' ' << x << ' ' << u;
        if (std::fabs(x) < 1e300)
          expect_relative(tukey_g_and_h(u, g, h), x, 1e-13 * std::max(1.0, h * u * u),
                          "there and back");
        last = u;
      }
    }
  }
  EXPECT_EQ(inverse_tukey_g_and_h(-2, 0.5, 0), -kInfinity);
  EXPECT_EQ(inverse_tukey_g_and_h(2, -0.5, 0), kInfinity);
  EXPECT_LT(inverse_tukey_g_and_h(-1.9999999, 0.5, 0), -30);
  EXPECT_TRUE(std::isnan(inverse_tukey_g_and_h(std::nan(""), 0.5, 0.1)));
}

TEST(GpTukey, Laws) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/tukey_laws.csv");
  const auto column = [&](const char* name) { return table.column(name); };
  const std::vector<double> mean = column("mean"), variance = column("variance"),
                            location = column("location"), scale = column("scale"), g = column("g"),
                            h = column("h"), z = column("z"), expectation = column("expectation"),
                            spread = column("spread"), quantile = column("quantile_0.9"),
                            density = column("log_density"), crps = column("crps");
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const TukeyLaw law{mean[i], variance[i], location[i], scale[i], g[i], h[i]};
    const std::string what = "row " + std::to_string(i + 2);
    EXPECT_NEAR(law.expectation(), expectation[i], 1e-12 * std::fabs(expectation[i])) << what;
    expect_relative(law.spread(), spread[i], 1e-9, what);
    expect_relative(law.quantile(0.9), quantile[i], 1e-12, what);
    // a narrow law tells the last digits of z
    const double narrow = std::max(1.0, 1e-3 / variance[i]);
    EXPECT_NEAR(law.log_density(z[i]), density[i], 1e-12 * narrow * std::fabs(density[i])) << what;
    expect_relative(law.crps(z[i]), crps[i], 1e-8, what);
  }
}

/// What lies beyond all values has no density, and as a score its distance besides; tails may be so
/// heavy that there is no variance.
TEST(GpTukey, LawsAtTheirEnds) {
  const TukeyLaw bounded{0, 1, 0, 1, 0.5, 0};
  EXPECT_EQ(bounded.log_density(-2.1), -kInfinity);
  EXPECT_NEAR(bounded.crps(-7) - bounded.crps(-2 - 1e-9), 5, 1e-8);
  EXPECT_NEAR(bounded.crps(1e6), 1e6 - bounded.expectation(), 2);
  EXPECT_EQ((TukeyLaw{0, 1, 0, 1, 0.1, 0.5}.spread()), kInfinity);
  EXPECT_TRUE(std::isfinite(TukeyLaw{0, 1, 0, 1, 0.1, 0.49}.spread()));
  EXPECT_TRUE(std::isnan(TukeyLaw{0, 1, 0, 1, 0.1, 1}.expectation()));
}

// --- the solver

struct Example {
  CovarianceModel model;
  Points points;
  std::vector<double> values;
  Theta theta;
};

/// A field with a nugget, mean 3 and marginals that are skewed and heavy.
Example example(std::size_t n, double g = 0.4, double h = 0.15) {
  Example e;
  e.model.has_nugget = e.model.has_tukey = true;
  e.points = random_points(e.model, n, 3);
  e.theta = {1.7, 0.15, 0.8, 0.2, g, h};
  ExactSolver<ExecSpace> gaussian(ExecSpace(), e.model.gaussian(), e.points);
  const std::vector<double> y =
      gaussian.simulate({1.7, 0.15, 0.8, 0.2}, normals(n, 4), normals(n, 5));
  const double scale = std::sqrt(1.7);
  for (const double one : y) e.values.push_back(3 + scale * tukey_g_and_h(one / scale, g, h));
  return e;
}

std::unique_ptr<Solver> make(const Example& e, int neighbours) {
  std::unique_ptr<Solver> gaussian;
  if (neighbours == 0)
    gaussian = std::make_unique<ExactSolver<ExecSpace>>(ExecSpace(), e.model.gaussian(), e.points);
  else
    gaussian = std::make_unique<VecchiaSolver<ExecSpace>>(ExecSpace(), e.model.gaussian(), e.points,
                                                          test::vecchia_options(neighbours));
  return std::make_unique<TukeySolver>(e.model, e.points, std::move(gaussian));
}

/// The likelihood by its definition, with the mean given.
double likelihood(const Example& e, const Theta& theta, double mean) {
  ExactSolver<ExecSpace> gaussian(ExecSpace(), e.model.gaussian(), e.points);
  const double scale = std::sqrt(theta[0]), g = theta[4], h = theta[5];
  std::vector<double> y;
  double logs = 0;
  for (const double z : e.values) {
    const double u = inverse_tukey_g_and_h((z - mean) / scale, g, h);
    y.push_back(scale * u);
    logs += tukey_slopes(u, g, h).log_slope;
  }
  gaussian.set_data(y, {});
  return gaussian.evaluate({theta.begin(), theta.begin() + 4}, false).loglik - logs;
}

std::vector<std::vector<double>> trend_of(const Example& e, Mean mean) {
  return trend(mean, e.points, e.points);
}

TEST(GpTukeySolver, Likelihood) {
  const Example e = example(200);
  const std::unique_ptr<Solver> exact = make(e, 0), vecchia = make(e, 199);
  exact->set_data(e.values, {});
  vecchia->set_data(e.values, {});
  vecchia->prepare(e.theta);
  const double expected = likelihood(e, e.theta, 0);
  expect_relative(exact->evaluate(e.theta, false).loglik, expected, 1e-13, "exact");
  expect_relative(vecchia->evaluate(e.theta, false).loglik, expected, 1e-12, "vecchia");
  // an unknown mean is that of the largest likelihood
  exact->set_data(e.values, trend_of(e, Mean::constant));
  const double found = exact->evaluate(e.theta, false).loglik;
  std::vector<double> mean, error;
  exact->trend_coefficients(e.theta, mean, error);
  expect_relative(likelihood(e, e.theta, mean[0]), found, 1e-12, "at the mean");
  const double step = 1e-3, up = likelihood(e, e.theta, mean[0] + step),
               down = likelihood(e, e.theta, mean[0] - step);
  EXPECT_NEAR((up - down) / (2 * step), 0, 1e-4);
  EXPECT_LT(std::max(up, down), found);
  // Expected and observed information are alike.
  const double curvature = -(up - 2 * found + down) / (step * step);
  EXPECT_NEAR(error[0] * std::sqrt(curvature), 1, 0.15);
}

TEST(GpTukeySolver, GaussianWithoutGAndH) {
  Example e = example(150);
  e.theta[4] = e.theta[5] = 0;
  const std::unique_ptr<Solver> tukey = make(e, 0);
  ExactSolver<ExecSpace> gaussian(ExecSpace(), e.model.gaussian(), e.points);
  tukey->set_data(e.values, trend_of(e, Mean::linear));
  gaussian.set_data(e.values, trend_of(e, Mean::linear));
  const Theta theta(e.theta.begin(), e.theta.begin() + 4);
  expect_relative(tukey->evaluate(e.theta, false).loglik, gaussian.evaluate(theta, false).loglik,
                  1e-13, "likelihood");
  std::vector<double> mean, error, expected, expected_error;
  tukey->trend_coefficients(e.theta, mean, error);
  gaussian.trend_coefficients(theta, expected, expected_error);
  test::expect_close(mean, expected, 1e-10, "mean");
  test::expect_close(error, expected_error, 1e-10, "errors");
}

TEST(GpTukeySolver, Gradient) {
  for (const int neighbours : {0, 20}) {
    for (const Mean mean : {Mean::zero, Mean::constant, Mean::quadratic}) {
      for (const double h : {0.15, 0.05}) {
        const Example e = example(120, h > 0.1 ? 0.4 : -0.3, h);
        const std::unique_ptr<Solver> solver = make(e, neighbours);
        solver->set_data(e.values, trend_of(e, mean));
        expect_gradient(*solver, e.model, e.theta, 2e-7,
                        "neighbours " + std::to_string(neighbours) + " mean " +
                            std::to_string(static_cast<int>(mean)));
      }
    }
  }
}

TEST(GpTukeySolver, Support) {
  Example e = example(80, 0.8, 0);
  e.theta[5] = 0;
  const std::unique_ptr<Solver> solver = make(e, 0);
  solver->set_data(e.values, {});
  e.theta[4] = -0.8;  // the values end above
  const Evaluation evaluation = solver->evaluate(e.theta, true);
  EXPECT_FALSE(evaluation.valid);
  EXPECT_THAT(evaluation.problem, testing::HasSubstr("where the values of the marginals end"));
  // a constant is found that leaves all observations inside
  solver->set_data(e.values, trend_of(e, Mean::constant));
  EXPECT_TRUE(solver->evaluate(e.theta, false).valid);
  EXPECT_THROW(solver->evaluate(e.theta, true, true), Error);
}

}  // namespace
