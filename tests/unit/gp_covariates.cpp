// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Covariates, known error variances and a rotated covariance together, against dense algebra with
// 50 digits (tests/data/gp, models/gp/generate/covariates_reference.py).
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/io/csv.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;

io::Table table(const std::string& name) {
  return io::read_csv(std::string(test::kDataDirectory) + "/gp/" + name);
}

/// Points with the covariates elevation and log(distance).
Points points_of(const io::Table& data) {
  Points points{{data.column("x"), data.column("y")}, {}};
  const std::vector<double> elevation = data.column("elevation"),
                            distance = data.column("distance");
  points.covariate =
      Covariates({"elevation", "log(distance)"}, {"x", "y", "elevation", "distance"})
          .evaluate({&points.coordinate[0], &points.coordinate[1], &elevation, &distance}, "row",
                    points.size());
  return points;
}

enum Quantity { kLikelihood, kGradient, kCoefficients, kErrors, kMean, kVariance };

std::vector<double> reference(int model, Quantity quantity) {
  const io::Table all = table("covariates_reference.csv");
  std::vector<double> values;
  for (std::size_t row = 0; row < all.rows(); ++row) {
    if (all.column("model")[row] == model &&
        all.column("quantity")[row] == static_cast<double>(quantity))
      values.push_back(all.column("value")[row]);
  }
  return values;
}

struct Case {
  CovarianceModel model;
  Theta theta;
  bool errors;
};

std::vector<Case> cases() {
  CovarianceModel plain;
  plain.has_nugget = true;
  CovarianceModel rotated = plain;
  rotated.anisotropic = rotated.rotated = true;
  return {{plain, {0.9, 0.25, 0.8, 0.1}, false},
          {plain, {0.9, 0.25, 0.8, 0.1}, true},
          {rotated, {0.9, 0.5, 0.15, 0.7, 0.8, 0.1}, true}};
}

TEST(GpCovariates, DenseReferenceOfFiftyDigits) {
  const io::Table data = table("covariates_data.csv");
  const Points targets = points_of(table("covariates_targets.csv"));
  for (int k = 0; k < 3; ++k) {
    const Case c = cases()[static_cast<std::size_t>(k)];
    Points points = points_of(data);
    if (c.errors) points.error_variance = data.column("error");
    for (const std::string method : {"exact", "vecchia"}) {
      std::unique_ptr<Solver> solver;
      if (method == "exact") {
        solver = std::make_unique<ExactSolver<ExecSpace>>(ExecSpace(), c.model, points);
      } else {
        solver = std::make_unique<VecchiaSolver<ExecSpace>>(
            ExecSpace(), c.model, points, test::vecchia_options(static_cast<int>(points.size())));
      }
      const std::string name = method + ", model " + std::to_string(k) + ": ";
      solver->set_data(data.column("z"), trend(Mean::constant, points, points));
      const Evaluation found = solver->evaluate(c.theta, true);
      ASSERT_TRUE(found.valid) << name << found.problem;
      test::expect_close({found.loglik}, reference(k, kLikelihood), 1e-12, name + "likelihood");
      test::expect_close(found.gradient, reference(k, kGradient), 1e-11, name + "gradient");
      std::vector<double> coefficients, errors;
      solver->trend_coefficients(c.theta, coefficients, errors);
      test::expect_close(coefficients, reference(k, kCoefficients), 1e-11, name + "coefficients");
      test::expect_close(errors, reference(k, kErrors), 1e-11, name + "standard errors");
      const Prediction prediction =
          solver->predict(c.theta, targets, trend(Mean::constant, targets, points), {});
      test::expect_close(prediction.mean, reference(k, kMean), 1e-12, name + "mean");
      test::expect_close(prediction.variance, reference(k, kVariance), 1e-11, name + "variance");
    }
  }
}

}  // namespace
