// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Expressions about a point: value, linear part and rest, and derivatives.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/expression/linearization.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"
#include "tessera/core/expression/taylor.hpp"

namespace tessera::expression {
namespace {

/// A function of x, y and the time, with what it is in more digits.
struct Case {
  std::string text;
  long double (*value)(long double x, long double y);
  double cancels = 1;  ///< how much of the relative accuracy at small steps plain differences cost
};

const std::vector<Case> kCases{
    {"x*y + 3*x - y/2 + 4", [](long double x, long double y) { return x * y + 3 * x - y / 2 + 4; }},
    {"x^3*y^2", [](long double x, long double y) { return x * x * x * y * y; }},
    {"x/(x^2 + y^2)^1.5",
     [](long double x, long double y) { return x / std::pow(x * x + y * y, 1.5L); }},
    {"1/hypot(x, y)", [](long double x, long double y) { return 1 / std::hypot(x, y); }},
    {"y/x^2", [](long double x, long double y) { return y / (x * x); }},
    {"sqrt(x + y)", [](long double x, long double y) { return std::sqrt(x + y); }},
    {"sin(x)*cos(y)", [](long double x, long double y) { return std::sin(x) * std::cos(y); }},
    {"tan(x - y)", [](long double x, long double y) { return std::tan(x - y); }},
    {"exp(-x*y)", [](long double x, long double y) { return std::exp(-x * y); }},
    {"sinh(x) - cosh(y)", [](long double x, long double y) { return std::sinh(x) - std::cosh(y); }},
    {"tanh(x*y)", [](long double x, long double y) { return std::tanh(x * y); }},
    {"atan(x*y)", [](long double x, long double y) { return std::atan(x * y); }},
    {"atan2(y, x)", [](long double x, long double y) { return std::atan2(y, x); }},
    {"log(x + y^2)", [](long double x, long double y) { return std::log(x + y * y); }, 1e7},
    {"asin(x*y/4)", [](long double x, long double y) { return std::asin(x * y / 4); }, 1e7},
    {"acos(x*y/4)", [](long double x, long double y) { return std::acos(x * y / 4); }, 1e7},
    {"(x + y)^0.3", [](long double x, long double y) { return std::pow(x + y, 0.3L); }, 1e7},
};

constexpr double kX = 1.25, kY = 0.75;  // the point

Graph graph_of(const std::string& text, NodeId& node) {
  Graph graph;
  const Symbols symbols{{"x", graph.input(0)}, {"y", graph.input(1)}, {"t", graph.input(2)}};
  node = parse(text, symbols, graph);
  return graph;
}

/// The rest of a function at the point and a step.
double rest_of(const std::string& text, double dx, double dy) {
  NodeId node = 0;
  Graph graph = graph_of(text, node);
  TaylorExpansion expand(graph, {graph.constant(kX), graph.constant(kY)},
                         {graph.input(0), graph.input(1)});
  const NodeId rest = expand(node).rest;
  return compile(graph, {rest}, 3).evaluate(0, {dx, dy, 0});
}

std::vector<double> derivatives(const std::string& text) {
  NodeId node = 0;
  const Graph graph = graph_of(text, node);
  const Linearization linearization(graph, {node}, 2, nullptr);
  const double x[2] = {kX, kY};
  double value = 0;
  std::vector<double> slope(2);
  linearization(x, 0, &value, slope.data());
  return slope;
}

TEST(Taylor, RestOfALargeStep) {
  for (const Case& one : kCases) {
    const long double dx = 0.25L, dy = -0.125L;
    const std::vector<double> slope = derivatives(one.text);
    const long double plain =
        one.value(kX + dx, kY + dy) - one.value(kX, kY) - slope[0] * dx - slope[1] * dy;
    EXPECT_NEAR(rest_of(one.text, 0.25, -0.125), static_cast<double>(plain),
                1e-14 * std::fabs(static_cast<double>(one.value(kX, kY))) + 1e-15)
        << one.text;
  }
}

/// The second-order part by differences of long steps, which the rest is for small ones.
TEST(Taylor, RestOfASmallStepKeepsItsDigits) {
  constexpr double kSmall = 1e-6;
  for (const Case& one : kCases) {
    const auto even = [&](long double h) {  // of the odd parts nothing is left
      return (one.value(kX + h, kY - h / 2) + one.value(kX - h, kY + h / 2) -
              2 * one.value(kX, kY)) /
             2;
    };
    const long double h = 1e-3L, second = (4 * even(h / 2) * 4 - even(h)) / 3 / (h * h);
    const double expected = static_cast<double>(second) * kSmall * kSmall;
    EXPECT_NEAR(rest_of(one.text, kSmall, -kSmall / 2) / expected, 1, 2e-5 * one.cancels)
        << one.text;
  }
}

TEST(Taylor, RestOfLinearFunctionsIsNothing) {
  for (const std::string text :
       {"3*x - y/2 + t", "sin(t)*x + exp(t)*y", "(x + y)/(1 + t^2)", "abs(t)*x + min(t, 3)"}) {
    NodeId node = 0;
    Graph graph = graph_of(text, node);
    TaylorExpansion expand(graph, {graph.constant(kX), graph.constant(kY)},
                           {graph.input(0), graph.input(1)});
    EXPECT_TRUE(graph.is_constant(expand(node).rest, 0)) << text;
  }
}

TEST(Taylor, AnglesTurnTheShorterWay) {
  NodeId node = 0;
  Graph graph = graph_of("atan2(y, x)", node);
  TaylorExpansion expand(graph, {graph.constant(-1), graph.constant(0.1)},
                         {graph.input(0), graph.input(1)});
  const TaylorParts parts = expand(node);
  const NodeId change = graph.binary(Op::add, parts.linear, parts.rest);
  EXPECT_NEAR(compile(graph, {change}, 3).evaluate(0, {0.0, -0.2, 0}), 2 * std::atan(0.1), 1e-15);
}

TEST(Taylor, SaysWhatHasNoDerivative) {
  for (const auto& [text, name] : {std::pair{"abs(x)", "abs"},
                                   {"max(x, y)", "max"},
                                   {"x*(x > 1)", "a comparison"},
                                   {"floor(y)", "floor"}}) {
    NodeId node = 0;
    Graph graph = graph_of(text, node);
    EXPECT_EQ(find_kink(graph, {node}, 2), name);
    TaylorExpansion expand(graph, {graph.constant(kX), graph.constant(kY)},
                           {graph.input(0), graph.input(1)});
    EXPECT_THROW(expand(node), NotDifferentiable) << text;
    EXPECT_THROW(Linearization(graph, {node}, 2, nullptr), NotDifferentiable) << text;
  }
  NodeId node = 0;
  const Graph graph = graph_of("abs(t)*x", node);
  EXPECT_EQ(find_kink(graph, {node}, 2), "");
}

TEST(Linearization, AgreesWithDifferences) {
  for (const Case& one : kCases) {
    const std::vector<double> slope = derivatives(one.text);
    const long double h = 1e-4L;
    const auto difference = [&](long double dx, long double dy) {
      const auto at = [&](long double s) { return one.value(kX + s * dx, kY + s * dy); };
      return static_cast<double>((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h));
    };
    EXPECT_NEAR(slope[0], difference(1, 0), 1e-12 * std::fabs(slope[0]) + 1e-13) << one.text;
    EXPECT_NEAR(slope[1], difference(0, 1), 1e-12 * std::fabs(slope[1]) + 1e-13) << one.text;
  }
}

}  // namespace
}  // namespace tessera::expression
