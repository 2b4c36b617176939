// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tessera/core/optimize/maximizer.hpp"

namespace {

using namespace tessera::optimize;

/// Rosenbrock's function upside down: the maximum 0 lies at (1, 1).
double value(const std::vector<double>& x) { return -(100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2)); }

std::vector<double> gradient(const std::vector<double>& x) {
  return {400 * x[0] * (x[1] - x[0] * x[0]) + 2 * (1 - x[0]), -200 * (x[1] - x[0] * x[0])};
}

Problem problem(Method method) {
  Problem p;
  p.method = method;
  p.start = {-1, 1.2};
  p.lower = {-3, -3};
  p.upper = {3, 3};
  p.step = {0.3, 0.3};
  p.value_tolerance = 1e-14;
  return p;
}

/// The points that are asked for.
std::vector<std::vector<double>> run(Maximizer& search, std::size_t most = 100000) {
  std::vector<std::vector<double>> asked;
  std::vector<double> x;
  while (asked.size() < most && search.ask(x)) {
    asked.push_back(x);
    search.tell(value(x), gradient(x));
  }
  return asked;
}

class Methods : public testing::TestWithParam<Method> {
 protected:
  void SetUp() override {
    if (!Maximizer::available()) GTEST_SKIP() << "no NLopt";
  }
};

TEST_P(Methods, FindTheMaximum) {
  Maximizer search(problem(GetParam()));
  const auto asked = run(search);
  const Outcome end = search.outcome();
  EXPECT_TRUE(end.converged) << end.reason;
  EXPECT_EQ(end.evaluations, static_cast<int>(asked.size()));
  EXPECT_NEAR(end.best[0], 1, 1e-4);
  EXPECT_NEAR(end.best[1], 1, 2e-4);
  EXPECT_THAT(end.at_bound, testing::ElementsAre(0, 0));
}

TEST_P(Methods, AskForTheSamePointsAgain) {
  Maximizer first(problem(GetParam())), second(problem(GetParam()));
  EXPECT_EQ(run(first), run(second));
}

TEST_P(Methods, StayWithinBoundsAndSaySo) {
  Problem p = problem(GetParam());
  p.upper = {0.5, 3};
  Maximizer search(p);
  for (const auto& x : run(search)) ASSERT_LE(x[0], 0.5);
  EXPECT_NEAR(search.outcome().best[1], 0.25, 1e-3);
  EXPECT_THAT(search.outcome().at_bound, testing::ElementsAre(1, 0));
}

TEST_P(Methods, SurvivePointsWithoutAValue) {
  Maximizer search(problem(GetParam()));
  std::vector<double> x;
  int invalid = 0;
  while (search.ask(x)) {
    if (x[1] > 1.6) {
      ++invalid;
      search.tell_invalid();
    } else {
      search.tell(value(x), gradient(x));
    }
  }
  EXPECT_TRUE(std::isfinite(search.outcome().value));
  EXPECT_GT(search.outcome().value, value({-1, 1.2}));
}

TEST_P(Methods, StopAfterSoManyEvaluations) {
  Problem p = problem(GetParam());
  p.max_evaluations = 7;
  Maximizer search(p);
  EXPECT_EQ(run(search).size(), 7u);
  EXPECT_FALSE(search.outcome().converged);
  EXPECT_THAT(search.outcome().reason, testing::HasSubstr("largest number of evaluations"));
}

TEST_P(Methods, MayBeAbandoned) {
  Maximizer search(problem(GetParam()));
  EXPECT_EQ(run(search, 4).size(), 4u);  // the destructor ends the search
}

INSTANTIATE_TEST_SUITE_P(Maximizer, Methods, testing::Values(Method::bobyqa, Method::lbfgs),
                         [](const auto& info) { return info.param == Method::bobyqa ? "bobyqa" : "lbfgs"; });

}  // namespace
