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
double value(const std::vector<double>& x) {
  return -(100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2));
}

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

/// The maximum 0 at (1, 1) lies well inside of where the function has values; some places on the
/// way there have none.
TEST_P(Methods, PointsWithoutAValueLeaveTheModelGood) {
  Problem p = problem(GetParam());
  p.value_tolerance = 1e-8;
  Maximizer search(p);
  std::vector<double> x;
  while (search.ask(x))
    x[0]<-1.1 || x[1]> 1.3 ? search.tell_invalid() : search.tell(value(x), gradient(x));
  const Outcome end = search.outcome();
  EXPECT_TRUE(end.converged) << end.reason;
  EXPECT_GT(end.failed, 0);
  EXPECT_GT(end.value, -1e-8);
  EXPECT_LT(end.evaluations, 200);
}

/// The largest value lies at an edge, beyond which there are no values: no maximum.
TEST_P(Methods, AnEdgeOfTheValuesIsNoMaximum) {
  Problem p = problem(GetParam());
  p.value_tolerance = 1e-8;
  Maximizer search(p);
  std::vector<double> x;
  while (search.ask(x)) x[0] > 0.7 ? search.tell_invalid() : search.tell(value(x), gradient(x));
  EXPECT_FALSE(search.outcome().converged);
  EXPECT_THAT(search.outcome().reason, testing::AnyOf(testing::HasSubstr("points without a value"),
                                                      testing::HasSubstr("had no value"),
                                                      testing::HasSubstr("no better point")));
}

/// A start without a value: one method goes on from a neighbour, with a model of values alone, the
/// other ends and says so.
TEST_P(Methods, StartWithoutAValue) {
  Problem p = problem(GetParam());
  p.value_tolerance = 1e-8;
  Maximizer search(p);
  std::vector<double> x;
  while (search.ask(x)) x[0] < -0.9 ? search.tell_invalid() : search.tell(value(x), gradient(x));
  const Outcome end = search.outcome();
  EXPECT_EQ(end.converged, GetParam() == Method::bobyqa) << end.reason;
  if (end.converged) {
    EXPECT_GT(end.value, -1e-8);
    EXPECT_LT(end.evaluations, 200);
  } else {
    EXPECT_EQ(end.evaluations, 1);
    EXPECT_EQ(end.reason, "there is no value at the start");
  }
}

TEST_P(Methods, NoValueAnywhere) {
  Maximizer search(problem(GetParam()));
  std::vector<double> x;
  while (search.ask(x)) search.tell_invalid();
  EXPECT_FALSE(search.outcome().converged);
  EXPECT_EQ(search.outcome().reason, "there is no value at the start");
  EXPECT_EQ(search.outcome().evaluations, GetParam() == Method::bobyqa ? 5 : 1);
}

/// A slope that gains little a step, but 1e-2 in all, beside variables that bend the function.
TEST_P(Methods, AFlatSlopeIsFollowedToItsEnd) {
  Problem p = problem(GetParam());
  p.start = {-1, 1.2, 1};
  p.lower = {-3, -3, -18};
  p.upper = {3, 3, 3};
  p.step = {0.3, 0.3, 0.3};
  p.value_tolerance = 1e-6;
  Maximizer search(p);
  std::vector<double> x;
  while (search.ask(x)) {
    const double small = 4e-3 * std::exp(x[2]);
    std::vector<double> slope = gradient(x);
    slope.push_back(-small);
    search.tell(value(x) - small, slope);
  }
  EXPECT_TRUE(search.outcome().converged) << search.outcome().reason;
  EXPECT_GT(search.outcome().value, -1e-5);
}

/// Derivatives that do not belong to the values lead nowhere: no maximum.
TEST(MaximizerGradient, WrongDerivativesDoNotConverge) {
  if (!Maximizer::available()) GTEST_SKIP() << "no NLopt";
  Problem p = problem(Method::lbfgs);
  p.value_tolerance = 1e-8;
  Maximizer search(p);
  std::vector<double> x;
  while (search.ask(x)) {
    std::vector<double> slope = gradient(x);
    for (double& s : slope) s = -s;
    search.tell(value(x), slope);
  }
  EXPECT_FALSE(search.outcome().converged);
  EXPECT_TRUE(search.outcome().stuck);
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
                         [](const auto& info) {
                           return info.param == Method::bobyqa ? "bobyqa" : "lbfgs";
                         });

}  // namespace
