// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The Matern correlation on the sphere by a series of Legendre polynomials: against 40 digits, its
// truncation, positive definiteness for every smoothness, both solvers against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/csv.hpp"
#include "tessera/gp/covariance/legendre_matern.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;
using test::expect_close;
using test::normals;

struct Evaluate {
  LegendreMatern function;
  Kokkos::View<const double*, ExecSpace> square;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> result;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    function.derivatives(square(i), result(i, 0), result(i, 1), result(i, 2));
  }
};

/// The value, kappa dpsi/dkappa and dpsi/dnu at each angle.
std::vector<double> evaluate(int terms, double nu, double kappa,
                             const std::vector<double>& angles) {
  const ExecSpace exec;
  const LegendreTable<ExecSpace> table(exec, terms, nu, kappa);
  std::vector<double> squares;
  for (const double angle : angles) squares.push_back(angle * kappa * angle * kappa);
  const Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> result("tessera::test::result",
                                                                      angles.size(), 3);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, angles.size()),
      Evaluate{table.function(), upload(exec, "tessera::test::squares", squares), result});
  std::vector<double> found(result.span());
  copy_to_host(exec, found.data(), result.data(), found.size());
  return found;
}

CovarianceModel sphere(int terms) {
  CovarianceModel model;
  model.metric = Metric::great_circle;
  model.legendre_terms = terms;
  return model;
}

/// Points all over the sphere.
Points scattered(std::size_t n, unsigned seed) {
  const std::vector<double> x = normals(n, seed), y = normals(n, seed + 1),
                            z = normals(n, seed + 2);
  Points points{{{}, {}}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    points.coordinate[0].push_back(std::atan2(z[i], std::hypot(x[i], y[i])) * 57.29577951308232);
    points.coordinate[1].push_back(std::atan2(y[i], x[i]) * 57.29577951308232);
  }
  return points;
}

TEST(GpLegendre, ValuesAndDerivatives) {
  const io::Table table = io::read_csv(std::string(test::kDataDirectory) + "/gp/legendre.csv");
  ASSERT_EQ(table.rows(), 54U);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto at = [&](const std::string& name) { return table.column(name)[i]; };
    const std::vector<double> found =
        evaluate(static_cast<int>(at("terms")), at("nu"), at("kappa"), {at("angle")});
    const std::string what = "row " + std::to_string(i + 2);
    EXPECT_NEAR(found[0], at("value"), 1e-14) << what;
    EXPECT_NEAR(found[1], at("by_kappa"), 1e-13) << what;
    EXPECT_NEAR(found[2], at("by_nu"), 1e-13) << what;
  }
}

/// What the terms beyond L change is at most twice their share, and the bound of this share holds.
TEST(GpLegendre, Truncation) {
  std::vector<double> angles;
  for (int k = 1; k <= 300; ++k) angles.push_back(1e-4 * std::exp(0.0345 * k));
  for (const double nu : {0.3, 0.5, 1.5}) {
    for (const double kappa : {2.0, 30.0}) {
      const std::vector<double> few = evaluate(200, nu, kappa, angles),
                                many = evaluate(8000, nu, kappa, angles);
      const double bound = legendre_tail(nu, kappa, 200);
      const double share = 1 - legendre_sum(nu, kappa, 0, 200) / legendre_sum(nu, kappa, 0, 8000);
      EXPECT_LT(share, bound);
      double largest = 0;
      for (std::size_t k = 0; k < angles.size(); ++k)
        largest = std::max(largest, std::fabs(few[3 * k] - many[3 * k]));
      EXPECT_LT(largest, 2 * bound) << nu << ' ' << kappa;
      EXPECT_GT(largest, 0.1 * share) << nu << ' ' << kappa;
    }
  }
}

/// Where Matern covariances of great-circle distances are not: all over the sphere, with nu > 1/2.
TEST(GpLegendre, PositiveDefinite) {
  const Points points = scattered(400, 3);
  for (const double nu : {0.3, 1.5, 2.5}) {
    const CovarianceModel model = sphere(300);
    ExactSolver<ExecSpace> exact(ExecSpace(), model, points);
    exact.set_data(normals(400, 6), {});
    const Evaluation found = exact.evaluate({1, 4000, nu}, false);
    EXPECT_TRUE(found.valid) << nu << ": " << found.problem;
  }
  const CovarianceModel plain = sphere(0);
  ExactSolver<ExecSpace> exact(ExecSpace(), plain, points);
  exact.set_data(normals(400, 6), {});
  EXPECT_FALSE(exact.evaluate({1, 4000, 2.5}, false).valid);
}

TEST(GpLegendre, BothSolversAgree) {
  const std::size_t n = 130;
  for (const bool has_time : {false, true}) {
    CovarianceModel model = sphere(400);
    model.has_nugget = true;
    model.has_time = has_time;
    Theta theta{1.3, 900, 1.2, 0.05};
    if (has_time) theta.insert(theta.begin() + 3, 2.0);
    const Points points = test::random_points(model, n, 1),
                 targets = test::random_points(model, 30, 2);
    const std::vector<double> z = normals(n, 2);
    const auto columns = trend(Mean::constant, points, points),
               at_targets = trend(Mean::constant, targets, points);
    ExactSolver<ExecSpace> exact(ExecSpace(), model, points);
    exact.set_data(z, columns);
    VecchiaSolver<ExecSpace> vecchia(ExecSpace(), model, points,
                                     test::vecchia_options(static_cast<int>(n)));
    vecchia.set_data(z, columns);
    const Evaluation expected = exact.evaluate(theta, true),
                     found = vecchia.evaluate(theta, true, true);
    ASSERT_TRUE(found.valid) << found.problem;
    EXPECT_NEAR(found.loglik / expected.loglik, 1, 1e-10);
    expect_close(found.gradient, expected.gradient, 1e-9, "gradient");
    const Prediction a = exact.predict(theta, targets, at_targets, {}),
                     b = vecchia.predict(theta, targets, at_targets, {});
    expect_close(b.mean, a.mean, 1e-9, "mean");
    expect_close(b.variance, a.variance, 1e-9, "variance");
    test::expect_gradient(exact, model, theta, 1e-7, "exact");
    test::expect_gradient(vecchia, model, theta, 1e-7, "by neighbours");
  }
}

}  // namespace
