// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Covariances of space and time that interact: entries and derivatives against 50 digits, limits,
// positive definiteness, parameters that are not valid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/covariance/range_proportions.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/points/points.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using Exact = ExactSolver<ExecSpace>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

CovarianceModel gneiting(int dimension, bool has_delta = false) {
  CovarianceModel model;
  model.dimension = dimension;
  model.has_time = true;
  model.time_model = TimeModel::gneiting;
  model.has_delta = has_delta;
  return model;
}

/// Two points that are h apart in space and t in time.
Points two_points(int dimension, double h, double t) {
  const std::vector<std::vector<double>> direction{{1}, {0.6, -0.8}, {2.0 / 3, -2.0 / 3, 1.0 / 3}};
  Points points;
  for (const double x : direction[static_cast<std::size_t>(dimension - 1)])
    points.coordinate.push_back({0, x * h});
  points.time = {0, -t};
  return points;
}

/// What two points have in the covariance matrix, then in its derivatives.
std::vector<double> entries(const CovarianceModel& model, const Points& points,
                            const Theta& theta) {
  const ExecSpace exec;
  detail::CovarianceDispatch<ExecSpace> dispatch(exec, model);
  const std::vector<double> packed = pack(model, points);
  const Matrix device("tessera::test::points", 2, packed.size() / 2);
  copy_from_host(exec, device.data(), packed.data(), packed.size());
  const Matrix matrix("tessera::test::matrix", 2, 2);
  std::vector<double> found, host(4);
  const auto keep = [&] {
    copy_to_host(exec, host.data(), matrix.data(), host.size());
    found.push_back(host[1]);
  };
  dispatch.visit(theta, [&](const auto& covariance) {
    using Function = std::decay_t<decltype(covariance)>;
    if constexpr (Function::kInteracts) {
      fill_lower(exec, covariance, PointView<ExecSpace>(device), matrix.data(), 2);
      keep();
      for (const AllDerivativeSums& factor : dispatch.derivative_factors(theta)) {
        typename Function::Sums own;
        std::copy_n(factor.value, Function::Sums::kCount, own.value);
        fill_derivative(exec, covariance, PointView<ExecSpace>(device), own, matrix.data(), 2);
        keep();
      }
    }
  });
  return found;
}

TEST(GpTime, EntriesAndDerivatives) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/gneiting.csv");
  const std::vector<std::string> names{"sigma2", "beta",        "shape", "beta_time",
                                       "alpha",  "interaction", "delta"};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const std::string& name) { return table.column(name)[i]; };
    CovarianceModel model = gneiting(static_cast<int>(at("d")), at("delta") >= 0);
    if (at("family") == 1) model.family = Family::powered_exponential;
    Theta theta;
    for (const std::string& name : names) theta.push_back(at(name));
    if (!model.has_delta) theta.pop_back();
    const std::vector<double> found =
        entries(model, two_points(model.dimension, at("h"), at("t")), theta);
    ASSERT_EQ(found.size(), theta.size() + 1);
    const std::string what = "row " + std::to_string(i + 2);
    EXPECT_NEAR(found[0], at("value"), 2e-15 * at("sigma2")) << what;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      const double scale = at("sigma2") / (theta[k] > 0 ? theta[k] : 1);
      EXPECT_NEAR(found[k + 1], at("d_" + names[k]), 1e-13 * scale) << what << ' ' << names[k];
    }
  }
}

/// Without interaction space and time have a factor each.
TEST(GpTime, WithoutInteractionItIsAProduct) {
  const CovarianceModel both = gneiting(2);
  for (const double t : {0.0, 0.3, 7.0}) {
    for (const double h : {0.0, 0.05, 0.4}) {
      const double found = entries(both, two_points(2, h, t), {1.3, 0.2, 0.8, 2, 0.7, 0})[0],
                   space = entries(both, two_points(2, h, 0), {1.3, 0.2, 0.8, 2, 0.7, 0})[0],
                   time = 1 / (1 + std::pow(t / 2, 1.4));
      EXPECT_NEAR(found, space * time, 3e-15) << h << ' ' << t;
    }
  }
}

/// (1 + |t| / (delta r))^-delta tends to exp(-|t| / r), the separable covariance.
TEST(GpTime, LargeDeltaIsSeparable) {
  const std::size_t n = 80;
  CovarianceModel separable;
  separable.has_time = separable.has_nugget = true;
  const Points points = test::random_points(separable, n, 1);
  const std::vector<double> z = test::normals(n, 2);
  Exact expected(ExecSpace(), separable, points);
  expected.set_data(z, {});
  CovarianceModel model = gneiting(2, true);
  model.has_nugget = true;
  Exact solver(ExecSpace(), model, points);
  solver.set_data(z, {});
  const double loglik = expected.evaluate({1.3, 0.2, 0.8, 2, 0.1}, false).loglik, delta = 1e7;
  EXPECT_NEAR(solver.evaluate({1.3, 0.2, 0.8, 2 * delta, 0.5, 0, delta, 0.1}, false).loglik, loglik,
              1e-6 * std::fabs(loglik));
}

/// At the sides of the parameters' domain, where it would first be lost, without a nugget.
TEST(GpTime, PositiveDefinite) {
  for (const int dimension : {1, 2, 3, 0}) {  // 0: on the sphere
    CovarianceModel model = gneiting(dimension == 0 ? 2 : dimension);
    if (dimension == 0) model.metric = Metric::chordal;
    for (const bool has_delta : {false, true}) {
      model.has_delta = has_delta;
      const std::size_t n = 300;
      Points points = test::random_points(model, n, 5);
      Exact solver(ExecSpace(), model, points);
      solver.set_data(test::normals(n, 6), {});
      for (const double alpha : {0.1, 1.0}) {
        for (const double interaction : {0.0, 1.0}) {
          for (const double nu : {0.3, 1.5}) {
            Theta theta{1, dimension == 0 ? 1000. : 0.2, nu, 1.5, alpha, interaction};
            if (has_delta) theta.push_back(interaction > 0 ? 0 : 0.2);
            const Evaluation found = solver.evaluate(theta, false);
            EXPECT_TRUE(found.valid) << dimension << ": " << found.problem;
          }
        }
      }
    }
  }
}

TEST(GpTime, Gradient) {
  for (const int dimension : {1, 2, 3}) {
    CovarianceModel model = gneiting(dimension, dimension == 3);
    model.has_nugget = true;
    const Points points = test::random_points(model, 200, 8);
    Exact solver(ExecSpace(), model, points);
    solver.set_data(test::normals(200, 9), trend(Mean::constant, points, points));
    Theta theta{1.3, 0.2, 0.8, 1.2, 0.7, 0.6};
    if (model.has_delta) theta.push_back(0.4);
    theta.push_back(0.1);
    test::expect_gradient(solver, model, theta, 1e-7, std::to_string(dimension));
  }
}

/// At u = 1 a lag does what a distance does.
TEST(GpTime, Scale) {
  for (const RangeConvention convention : {RangeConvention::plain, RangeConvention::scaled}) {
    CovarianceModel model = gneiting(3, true);
    model.convention = convention;
    for (const Theta& theta :
         {Theta{1, 1, 1, 2, 0.7, 0.6, 0.4}, Theta{1, 1, 2.5, 30, 0.5, 0, 20}}) {
      const double ranges =
          1 / (convention == RangeConvention::scaled ? std::sqrt(2 * theta[2]) : 1);
      const double lag = time_scale(model, theta) * ranges;
      EXPECT_NEAR(entries(model, two_points(3, 0, lag), theta)[0],
                  entries(model, two_points(3, theta[1] * ranges, 0), theta)[0], 1e-14);
      EXPECT_DOUBLE_EQ(range_proportions(model, theta).back(), theta[1] / time_scale(model, theta));
    }
    // one that never decays has a scale all the same
    EXPECT_TRUE(std::isfinite(time_scale(model, {1, 1, 1, 2, 0.7, 0, 0})));
  }
}

TEST(GpTime, ParametersThatAreNotValid) {
  const CovarianceModel model = gneiting(2, true);
  EXPECT_EQ(model.names(), (std::vector<std::string>{"sigma2", "beta", "nu", "beta_time", "alpha",
                                                     "interaction", "delta"}));
  EXPECT_EQ(check(model, {1, 0.1, 0.5, 2, 1, 1, 0}), "");
  EXPECT_EQ(check(model, {1, 0.1, 0.5, 2, 1, 0, 3}), "");
  EXPECT_THAT(check(model, {1, 0.1, 0.5, 2, 1.1, 0.5, 0}), testing::HasSubstr("at most 1"));
  EXPECT_THAT(check(model, {1, 0.1, 0.5, 2, 0, 0.5, 0}), testing::HasSubstr("greater than 0"));
  EXPECT_THAT(check(model, {1, 0.1, 0.5, 2, 1, 1.1, 0}),
              testing::HasSubstr("between 0 (space and time do not interact) and 1"));
  EXPECT_THAT(check(model, {1, 0.1, 0.5, 2, 1, -0.1, 0}), testing::HasSubstr("at least 0"));
  EXPECT_THAT(check(model, {1, 0.1, 0.5, 2, 1, 1, -1}), testing::HasSubstr("at least 0"));
}

}  // namespace
