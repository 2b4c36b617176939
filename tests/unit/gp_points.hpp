// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/points.hpp"

/// Random points and numbers for the tests of gp's solvers.

namespace tessera::test {

/// Makes random points in the unit cube, or in a part of the sphere; each at one of five times
/// where the model has time.
inline gp::Points random_points(const gp::CovarianceModel& model, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  gp::Points points;
  const bool sphere = model.metric != gp::Metric::euclidean;
  for (int k = 0; k < model.dimension; ++k) {
    std::vector<double>& column = points.coordinate.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      column.push_back(sphere ? 60 * uniform(random) - 20 : uniform(random));
  }
  for (std::size_t i = 0; i < n && model.has_time; ++i)
    points.time.push_back(std::floor(5 * uniform(random)));
  return points;
}

inline std::vector<double> normals(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  for (double& z : values) z = normal(random);
  return values;
}

inline gp::VecchiaOptions vecchia_options(int neighbours,
                                          gp::Ordering ordering = gp::Ordering::maxmin) {
  gp::VecchiaOptions o;
  o.neighbours = o.prediction_neighbours = neighbours;
  o.ordering = ordering;
  o.seed = 5;
  return o;
}

/// Expects equal numbers, up to `tolerance` of the largest.
inline void expect_close(const std::vector<double>& found, const std::vector<double>& expected,
                         double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double scale = 0;
  for (const double x : expected) scale = std::max(scale, std::fabs(x));
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], tolerance * scale) << what << ' ' << k;
}

/// Expects equal Fisher's information F, up to `tolerance` of the root of F_ii F_jj, which makes
/// units and sizes of parameters alike.
inline void expect_information(const std::vector<double>& found,
                               const std::vector<double>& expected, double tolerance,
                               const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  const auto size =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(expected.size()))));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double scale = std::sqrt(expected[i * size + i] * expected[j * size + j]);
      EXPECT_NEAR(found[i * size + j], expected[i * size + j], tolerance * scale)
          << what << ' ' << i << ' ' << j;
    }
  }
}

/// Checks the gradient in relative changes of theta (in changes of angles and cross-correlations)
/// against differences of the likelihood.
inline void expect_gradient(gp::Solver& solver, const gp::CovarianceModel& model,
                            const gp::Theta& theta, double tolerance, const std::string& what) {
  solver.prepare(theta);
  const gp::Evaluation at = solver.evaluate(theta, true);
  ASSERT_TRUE(at.valid) << what << ": " << at.problem;
  std::vector<double> unit = theta;
  for (std::size_t k = 0; k < unit.size(); ++k) {
    if (model.is_absolute(static_cast<int>(k))) unit[k] = 1;
  }
  double scale = 0;
  for (std::size_t k = 0; k < theta.size(); ++k)
    scale = std::max(scale, std::fabs(at.gradient[k] * unit[k]));
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const auto difference = [&](double step) {
      gp::Theta up = theta, down = theta;
      up[k] += step * unit[k];
      down[k] -= step * unit[k];
      return (solver.evaluate(up, false).loglik - solver.evaluate(down, false).loglik) / (2 * step);
    };
    EXPECT_NEAR(at.gradient[k] * unit[k], (4 * difference(5e-4) - difference(1e-3)) / 3,
                tolerance * scale)
        << what << ' ' << k;
  }
}

}  // namespace tessera::test
