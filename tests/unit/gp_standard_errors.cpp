// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Fits by Vecchia's approximation of many simulated fields: the truth lies within the standard
// errors as often as it should.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/fisher_scoring.hpp"
#include "tessera/gp/program/search_space.hpp"
#include "tessera/gp/vecchia/vecchia.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gp_points.hpp"

namespace {

using namespace tessera;
using namespace tessera::gp;
using test::ExecSpace;

/// Fisher scoring in the logarithms of theta. The deviations of their estimates from the truth, in
/// standard errors.
std::vector<double> fit(Solver& solver, const Theta& truth) {
  const std::size_t count = truth.size();
  optimize::Problem problem;
  for (const double parameter : truth) {
    problem.start.push_back(std::log(parameter) + 0.3);
    problem.lower.push_back(std::log(parameter) - 7);
    problem.upper.push_back(std::log(parameter) + 3);
  }
  problem.value_tolerance = 1e-4;
  problem.max_evaluations = 60;
  FisherScoring search(problem);
  std::vector<double> x;
  linalg::Matrix information(count, std::vector<double>(count));
  const auto evaluate = [&] {
    Theta theta;
    for (const double logarithm : x) theta.push_back(std::exp(logarithm));
    Evaluation evaluation = solver.evaluate(theta, true, true);
    for (std::size_t i = 0; i < count && evaluation.valid; ++i) {
      evaluation.gradient[i] *= theta[i];
      for (std::size_t j = 0; j < count; ++j)
        information[i][j] = evaluation.information[i * count + j] * theta[i] * theta[j];
    }
    return evaluation;
  };
  while (search.ask(x)) {
    const Evaluation evaluation = evaluate();
    evaluation.valid ? search.tell(evaluation.loglik, evaluation.gradient, information)
                     : search.tell_invalid();
  }
  EXPECT_TRUE(search.outcome().converged) << search.outcome().reason;
  x = search.outcome().best;
  evaluate();
  std::vector<int> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(static_cast<int>(k));
  const std::vector<double> errors = standard_errors(count, all, information);
  std::vector<double> deviation;
  for (std::size_t k = 0; k < count; ++k)
    deviation.push_back((x[k] - std::log(truth[k])) / errors[k]);
  return deviation;
}

/// 120 fields of 900 points, 20 ranges across. The share of estimates within 1.96 standard errors
/// has itself a standard error of 0.02, the mean square of 0.13.
TEST(GpStandardErrors, TheTruthLiesWithinThem) {
  const std::size_t n = 900, fields = 120;
  CovarianceModel model;
  model.has_nugget = true;
  const Points points = test::random_points(model, n, 81);
  const Theta truth{1.0, 0.05, 0.8, 0.1};
  const auto columns = trend(Mean::constant, points, points);
  const std::vector<double> z = ExactSolver<ExecSpace>(ExecSpace(), model, points)
                                    .simulate(truth, test::normals(fields * n, 82), {});
  VecchiaSolver<ExecSpace> solver(ExecSpace(), model, points, test::vecchia_options(15));
  std::vector<double> inside(truth.size(), 0.0), square(truth.size(), 0.0), sum(truth.size(), 0.0);
  for (std::size_t f = 0; f < fields; ++f) {
    const auto begin = z.begin() + static_cast<std::ptrdiff_t>(f * n);
    solver.set_data(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n)), columns);
    const std::vector<double> deviation = fit(solver, truth);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      inside[k] += (std::fabs(deviation[k]) < 1.96 ? 1.0 : 0.0) / static_cast<double>(fields);
      square[k] += deviation[k] * deviation[k] / static_cast<double>(fields);
      sum[k] += deviation[k] / static_cast<double>(fields);
    }
  }
  for (std::size_t k = 0; k < truth.size(); ++k) {
    RecordProperty(model.names()[k] + "_inside", std::to_string(inside[k]));
    EXPECT_GE(inside[k], 0.88) << model.names()[k] << " mean " << sum[k] << " mean square "
                               << square[k];
    EXPECT_NEAR(sum[k], 0, 0.4) << model.names()[k];
    EXPECT_NEAR(square[k], 1, 0.5) << model.names()[k] << ": share inside " << inside[k];
  }
}

}  // namespace
