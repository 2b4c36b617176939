// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/expression/loaded_program.hpp"
#include "tessera/core/expression/margin.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using expression::Graph;
using expression::NodeId;
using expression::ParseError;
using expression::Program;
using expression::Symbols;
using testing::HasSubstr;

constexpr double kX = 1.25, kY = -0.75;

struct Expression {
  Graph graph;
  NodeId node = 0;
};

Expression read(const std::string& text) {
  Expression expression;
  const Symbols symbols{{"x", expression.graph.input(0)},
                        {"y", expression.graph.input(1)},
                        {"sigma", expression.graph.constant(10)}};
  expression.node = expression::parse(text, symbols, expression.graph);
  return expression;
}

Program compiled(const std::string& text) {
  const Expression expression = read(text);
  return expression::compile(expression.graph, {expression.node}, 2);
}

/// Returns the value at x = kX, y = kY, on the host.
double value(const std::string& text) {
  const Program program = compiled(text);
  return program.functions<2>(program.code.data())(0, [](int i) { return i == 0 ? kX : kY; });
}

TEST(Expression, FollowsTheRulesOfPrecedence) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("(-2)^2"), 4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2**-1"), 0.5);
  EXPECT_EQ(value("2*-x"), -2 * kX);
  EXPECT_EQ(value("- - x"), kX);
  EXPECT_EQ(value("x*y^2 - y/x"), kX * (kY * kY) - kY / kX);
  EXPECT_EQ(value("\t1.5e-3 * 2 "), 3e-3);
}

TEST(Expression, KnowsTheFunctions) {
  EXPECT_DOUBLE_EQ(value("sin(x) + cos(y)"), std::sin(kX) + std::cos(kY));
  EXPECT_DOUBLE_EQ(value("tan(x)*asin(y)*acos(y)*atan(x)"),
                   std::tan(kX) * std::asin(kY) * std::acos(kY) * std::atan(kX));
  EXPECT_DOUBLE_EQ(value("sinh(x) - cosh(y)/tanh(x)"),
                   std::sinh(kX) - std::cosh(kY) / std::tanh(kX));
  EXPECT_DOUBLE_EQ(value("exp(y)*log(x)*sqrt(x)"), std::exp(kY) * std::log(kX) * std::sqrt(kX));
  EXPECT_EQ(value("abs(y) + sign(y) + floor(y)"), 0.75 - 1 - 1);
  EXPECT_EQ(value("min(x, y, -3)"), -3);
  EXPECT_EQ(value("max(x, y)"), kX);
  EXPECT_DOUBLE_EQ(value("atan2(y, x)"), std::atan2(kY, kX));
  EXPECT_DOUBLE_EQ(value("hypot(x, y)"), std::hypot(kX, kY));
  EXPECT_DOUBLE_EQ(value("pow(x, 2.5)"), std::pow(kX, 2.5));
  EXPECT_DOUBLE_EQ(value("x^-3"), 1 / (kX * kX * kX));
  EXPECT_EQ(value("pi"), M_PI);
}

TEST(Expression, Compares) {
  EXPECT_EQ(value("x < 1.25"), 0);
  EXPECT_EQ(value("x <= 1.25"), 1);
  EXPECT_EQ(value("x > y"), 1);
  EXPECT_EQ(value("y >= x"), 0);
  EXPECT_EQ(value("0.9*(x + y > 0.25) + 1"), 1.9);
  EXPECT_EQ(value("min(x < 1, 2)"), 0);
  EXPECT_EQ(value("2 < 3"), 1);
  EXPECT_EQ(value("sqrt(y) < 1"), 0);  // no number
  EXPECT_EQ(value("sqrt(y) >= 1"), 0);
}

TEST(Expression, JoinsConditions) {
  EXPECT_EQ(value("x < 0 or y < 0"), 1);
  EXPECT_EQ(value("x < 0 and y < 0 or y < x"), 1);
  EXPECT_EQ(value("x < 0 and (y < 0 or y < x)"), 0);
  EXPECT_EQ(value("not x < 0 and not(y > 0)"), 1);
  EXPECT_EQ(value("not not x > 0"), 1);
  EXPECT_EQ(value("1 and x > 0"), 1);
  EXPECT_EQ(value("-1 + 3*(x > 0 and y < 0)"), 2);
}

TEST(Expression, ComputesConstantsOnceAndEqualPartsOnce) {
  EXPECT_EQ(compiled("sigma*2 + 3").code.size(), 1u);
  EXPECT_EQ(compiled("x").code.size(), 1u);
  EXPECT_EQ(compiled("x + 0").code.size(), 1u);
  EXPECT_EQ(compiled("(x + y)*(y + x)").code.size(), 2u);
  EXPECT_EQ(compiled("x^4").code.size(), 2u);
  EXPECT_EQ(compiled("(x - y)^2 + sqrt((x - y)^2)").code.size(), 4u);
}

TEST(Expression, KeepsResultsThatAreWantedLaterOnly) {
  const auto kept = [](const std::string& text) {
    std::size_t count = 0;
    for (const auto& instruction : compiled(text).code)
      count += instruction.result != expression::Instruction::kPrevious ? 1 : 0;
    return count;
  };
  EXPECT_EQ(kept("x"), 0u);
  EXPECT_EQ(kept("((x - y)*x - y)/3"), 0u);
  EXPECT_EQ(kept("(x - y)*(x - y)"), 0u);
  EXPECT_EQ(kept("x*y + x/y"), 1u);
  EXPECT_EQ(kept("(x - y)*sin(x - y)"), 1u);
  EXPECT_EQ(kept("x*y + x/y - (x + y)*(x - y)"), 3u);
}

TEST(Expression, TellsWhatItDependsOn) {
  Expression expression = read("x*sigma");
  EXPECT_TRUE(expression.graph.depends_on(expression.node, 0));
  EXPECT_FALSE(expression.graph.depends_on(expression.node, 1));
}

void expect_error(const std::string& text, std::size_t offset, const std::string& message) {
  try {
    read(text);
    ADD_FAILURE() << text << " was accepted";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.offset(), offset) << text;
    EXPECT_THAT(error.what(), HasSubstr(message)) << text;
  }
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  expect_error("", 0, "empty");
  expect_error("x +", 3, "ends too early");
  expect_error("x * sigmas", 4, "unknown name 'sigmas' (did you mean 'sigma'?)");
  expect_error("x + snh(y)", 4, "unknown function 'snh' (did you mean 'sin");
  expect_error("2x", 1, "a product is written with '*'");
  expect_error("x(y)", 0, "'x' is no function");
  expect_error("(x + y", 6, "expected ')'");
  expect_error("x + y)", 5, "has no '('");
  expect_error("sin x", 0, "needs its arguments in parentheses");
  expect_error("atan2(x)", 0, "'atan2' takes 2 arguments, not 1");
  expect_error("sin(x, y)", 0, "'sin' takes 1 argument, not 2");
  expect_error("min(x)", 0, "takes 2 or more");
  expect_error("x & y", 2, "unexpected '&'");
  expect_error("x\u00b72", 1, "unexpected '\u00b7'");  // whole characters of UTF-8
  expect_error("\u2212x", 0, "found '\u2212'");
  expect_error("x + 2\U0001d465", 5, "unexpected '\U0001d465'");
  expect_error("1e999", 0, "not a number that double precision holds");
}

TEST(Expression, StatesHowDeepItMayBeNested) {
  constexpr auto kLimit = static_cast<std::size_t>(expression::kMaxNesting);
  EXPECT_EQ(value(std::string(kLimit - 1, '(') + "x" + std::string(kLimit - 1, ')')), kX);
  const std::string signs(100000, '-'), parentheses(100000, '('),
      message = "nested more than 200 deep";
  expect_error(parentheses, kLimit, message);
  expect_error(signs + "x", kLimit, message);
  std::string powers = "x", calls;
  for (int i = 0; i < 50000; ++i) {
    powers += "^x";
    calls += "sin(";
  }
  expect_error(powers, 2 * kLimit, message);
  expect_error(calls, 4 * kLimit, message);
}

/// "x+x+...+x"
std::string chain(const std::string& term, const std::string& op, int terms) {
  std::string text = term;
  for (int i = 1; i < terms; ++i) text += op + term;
  return text;
}

TEST(Expression, MayBeAsLongAsItLikes) {
  constexpr int kTerms = 200000;  // as deep a graph, which must not be walked by recursion
  EXPECT_EQ(value(chain("x", "+", kTerms)), kTerms * kX);
  EXPECT_EQ(value(chain("y", " - ", kTerms)), (2 - kTerms) * kY);
  EXPECT_EQ(compiled(chain("x*y", "+", kTerms)).code.size(), static_cast<std::size_t>(kTerms));
  EXPECT_EQ(compiled("1/(1 + " + chain("(x + y)", "*", kTerms) + ")").code.size(), kTerms + 2u);
  EXPECT_EQ(value("min(" + chain("x", ",", kTerms) + ", y)"), kY);
}

TEST(Expression, RefusesWhatItHasNoRegistersFor) {
  std::string sum = "x", product = "x";  // both want all sines
  for (int i = 0; i < 80; ++i) {
    const std::string sine = "sin(x + " + std::to_string(i) + ")";
    sum += " + " + sine;
    product += "*" + sine;
  }
  EXPECT_THROW(compiled("(" + sum + ")*(" + product + ")"), Error);
  EXPECT_NO_THROW(compiled("(" + sum + ")*x"));
}

TEST(Expression, OfTheHostHasMoreRegisters) {
  // all sines are wanted again when their sum is known
  Expression all;
  const NodeId x = all.graph.input(0);
  std::vector<NodeId> sine;
  NodeId sum = all.graph.constant(0), weighted = sum;
  for (int i = 0; i < 90; ++i) {
    const NodeId shifted = all.graph.binary(expression::Op::add, x, all.graph.constant(i));
    sine.push_back(all.graph.unary(expression::Op::sine, shifted));
    sum = all.graph.binary(expression::Op::add, sum, sine.back());
  }
  for (const NodeId one : sine) {
    const NodeId share = all.graph.binary(expression::Op::divide, one, sum);
    weighted = all.graph.binary(expression::Op::add, weighted, share);
  }
  EXPECT_THROW(expression::compile(all.graph, {weighted}, 2), Error);
  const Program program = expression::compile(all.graph, {weighted}, 2, expression::kHostRegisters);
  EXPECT_GT(program.registers, expression::kRegisters);
  EXPECT_NEAR(program.evaluate(0, {kX, kY}), 1, 1e-12);
  EXPECT_THROW(program.functions<2>(program.code.data()), Error);
}

/// Three functions of which most is the same, and two that have little in common.
struct Shared {
  Graph graph;
  std::vector<NodeId> alike, others;
};

Shared read_shared() {
  Shared shared;
  const Symbols symbols{{"x", shared.graph.input(0)}, {"y", shared.graph.input(1)}};
  const auto parse = [&](const std::string& text) {
    return expression::parse(text, symbols, shared.graph);
  };
  std::string part = "x";
  for (int i = 1; i < 12; ++i) part = "sin(y*" + part + ")/" + std::to_string(i) + " - abs(x)";
  shared.alike = {parse("2*(" + part + ") + x"), parse(part), parse("sqrt((" + part + ")^2) - y")};
  shared.others = {parse("y"), parse(part)};
  return shared;
}

TEST(Expression, FunctionsShareWhatTheyHaveInCommon) {
  const Shared shared = read_shared();
  const Program together = expression::compile(shared.graph, shared.alike, 2);
  EXPECT_GT(together.begin[0], 30u);
  EXPECT_LT(together.code.size(), together.begin[0] + 10u);
  EXPECT_EQ(expression::compile(shared.graph, shared.others, 2).begin[0], 0u);
  const auto functions = together.functions<2>(together.code.data());
  EXPECT_TRUE(functions.has_common());
  const double place[3][2] = {{kX, kY}, {0.3, 1.7}, {-2, 0.4}};
  double at_places[3];
  functions.at_places<3>([&](int f, int i) { return place[f][i]; }, at_places);
  for (int n = 0; n < 3; ++n) {
    const auto x = [&](int i) { return place[n][i]; };
    const auto all = functions.all<3>(x);
    for (std::size_t f = 0; f < 3; ++f) {
      const Program alone = expression::compile(shared.graph, {shared.alike[f]}, 2);
      const double value = alone.functions<2>(alone.code.data())(0, x);
      const int number = static_cast<int>(f);
      EXPECT_EQ(functions(number, x), value);
      EXPECT_EQ(all.value[f], value);
      EXPECT_EQ(together.evaluate(f, {place[n][0], place[n][1]}), value);
      if (number == n) EXPECT_EQ(at_places[n], value);
      const expression::Interval range = functions.range(number, [&](int i) {
        return expression::Interval{place[n][i] - 0.01, place[n][i]};
      });
      EXPECT_LE(range.low, value);
      EXPECT_GE(range.high, value);
    }
  }
}

struct Evaluate {
  expression::Functions<2> functions;
  Kokkos::View<double*, ExecSpace::memory_space> result;
  KOKKOS_INLINE_FUNCTION void operator()(int n) const {
    result(n) = functions(0, [&](int i) { return i == 0 ? 0.01 * n : kY; });
  }
};

TEST(Expression, OfAProgramIsWhatTheProgramComputes) {
  const Shared shared = read_shared();
  for (const std::vector<NodeId>& functions : {shared.alike, shared.others}) {
    const Program program = expression::compile(shared.graph, functions, 2);
    Graph graph;  // of x' and y, with x = 1 + 2 x'
    const NodeId x =
        graph.binary(expression::Op::add, graph.constant(1),
                     graph.binary(expression::Op::multiply, graph.constant(2), graph.input(0)));
    const Program composed = expression::compile(
        graph, expression::add_functions(graph, program, {x, graph.input(1)}), 2);
    ASSERT_EQ(composed.count(), program.count());
    for (std::size_t f = 0; f < program.count(); ++f)
      EXPECT_EQ(composed.evaluate(f, {0.375, kY}), program.evaluate(f, {1.75, kY}));
  }
}

TEST(Expression, GivesTheSameOnEveryBackend) {
  const Program program = compiled("sigma*(y - x)/(1 + x^2) + exp(-x)*y");
  Kokkos::View<expression::Instruction*, ExecSpace::memory_space> code("code", program.code.size());
  Kokkos::deep_copy(
      code,
      Kokkos::View<const expression::Instruction*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
          program.code.data(), program.code.size()));
  const Kokkos::View<double*, ExecSpace::memory_space> result("result", 1000);
  Kokkos::parallel_for("evaluate", Kokkos::RangePolicy<ExecSpace>(0, 1000),
                       Evaluate{program.functions<2>(code.data()), result});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  for (int n = 0; n < 1000; ++n) {
    const double x = 0.01 * n;
    const double exact = 10 * (kY - x) / (1 + x * x) + std::exp(-x) * kY;
    ASSERT_NEAR(host(n), exact, 4e-15 * (1 + std::fabs(exact)));
  }
}

struct EvaluateNine {
  expression::Functions<9> functions;
  Kokkos::View<double*, ExecSpace> result;
  KOKKOS_INLINE_FUNCTION void operator()(int f) const {
    result(f) = functions(f, [&](int i) { return 1 + 0.5 * i; });
  }
};

TEST(Expression, FindsEachOfManyInputs) {
  Graph graph;
  std::vector<NodeId> nodes;
  for (int i = 0; i < 9; ++i)
    nodes.push_back(graph.binary(expression::Op::divide, graph.input(i), graph.input((i + 4) % 9)));
  const Program program = expression::compile(graph, nodes, 9);
  const ExecSpace exec;
  const expression::LoadedProgram<ExecSpace> loaded(exec, "tessera::test::code", program);
  const Kokkos::View<double*, ExecSpace> result("tessera::test::result", 9);
  Kokkos::parallel_for("evaluate", Kokkos::RangePolicy<ExecSpace>(exec, 0, 9),
                       EvaluateNine{loaded.functions<9>(program), result});
  const std::vector<double> found = download(exec, result);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], (1 + 0.5 * i) / (1 + 0.5 * ((i + 4) % 9))) << i;
}

/// Points of a box about (x, y), spread evenly.
std::vector<std::vector<double>> points_of(double x, double y, double width) {
  std::vector<std::vector<double>> points;
  for (int i = 0; i <= 20; ++i) {
    for (int j = 0; j <= 20; ++j)
      points.push_back({x + width * (i / 20.0 - 0.5), y + width * (j / 20.0 - 0.5)});
  }
  return points;
}

expression::Interval range(const Program& program, double x, double y, double width) {
  return program.functions<2>(program.code.data()).range(0, [&](int i) {
    const double middle = i == 0 ? x : y;
    return expression::Interval{middle - 0.5 * width, middle + 0.5 * width, false};
  });
}

const char* const kSmooth[] = {"x + 2*y - 3*x*y", "x/(y + 7)",   "(x - 0.4)^2",     "x^3 - y^2",
                               "(3 + x)^y",       "2^x",         "abs(x - y)",      "floor(3*x)",
                               "sign(x)",         "sqrt(4 + x)", "exp(x*y)",        "log(5 + x)",
                               "sin(3*x + y)",    "cos(7*x)",    "tan(0.3*x)",      "asin(x/4)",
                               "acos(x/4)",       "atan(x - y)", "sinh(x)",         "cosh(x)",
                               "tanh(x)",         "hypot(x, y)", "atan2(y, x + 5)", "min(x, y, 0)",
                               "max(x, 2*y)",     "x^-2",        "atan2(y, x)",     "1/x",
                               "x*x*x",           "-x - y"};

TEST(ExpressionRange, HoldsAllValuesInABox) {
  for (const char* const text : kSmooth) {
    const Program program = compiled(text);
    for (const double width : {3.0, 0.7, 0.01}) {
      for (const auto& [x, y] : {std::pair{1.3, -0.75}, {-0.4, 0.2}, {0.0, 1.1}}) {
        const expression::Interval found = range(program, x, y, width);
        for (const std::vector<double>& point : points_of(x, y, width)) {
          const double value = program.evaluate(0, point);
          if (std::isnan(value)) {
            EXPECT_TRUE(found.may_fail) << text;
            continue;
          }
          const double rounding = std::isinf(value) ? 0 : 1e-13 * (1 + std::fabs(value));
          EXPECT_LE(found.low, value + rounding) << text << " in a box of " << width;
          EXPECT_GE(found.high, value - rounding) << text << " in a box of " << width;
        }
      }
    }
  }
}

TEST(ExpressionRange, ShrinksWithTheBox) {
  for (const char* const text : kSmooth) {
    if (std::string(text).rfind("floor", 0) == 0) continue;
    const expression::Interval found = range(compiled(text), 1.31, -0.72, 1e-7);
    EXPECT_LT(found.high - found.low, 2e-5) << text;
    EXPECT_FALSE(found.may_fail) << text;
  }
  // the square of one number, and no product of two
  EXPECT_EQ(range(compiled("(x - 1)^2"), 1, 0, 2).low, 0);
  EXPECT_EQ(range(compiled("cos(x)"), 0, 0, 1).high, 1);
}

TEST(ExpressionRange, KnowsWhereThereIsNoNumber) {
  EXPECT_TRUE(range(compiled("sqrt(x)"), 0, 0, 1).may_fail);
  EXPECT_TRUE(range(compiled("log(x - 5)"), 0, 0, 1).is_nothing());
  EXPECT_TRUE(range(compiled("asin(x)"), 1, 0, 1).may_fail);
  EXPECT_TRUE(range(compiled("x^0.5"), 0, 0, 1).may_fail);
  EXPECT_TRUE(range(compiled("x/y"), 0, 0, 1).may_fail);
  // comparisons with it do not hold
  EXPECT_EQ(range(compiled("sqrt(x - 5) < 9"), 0, 0, 1).high, 0);
  EXPECT_EQ(range(compiled("sqrt(x) < 9"), 0, 0, 1).low, 0);
  EXPECT_EQ(range(compiled("sqrt(x) < 9"), 0, 0, 1).high, 1);
}

const char* const kConditions[] = {
    "x < 0.3", "x >= y and y > -0.2", "not (x < y or hypot(x, y) <= 0.5)",
    "abs(x - 0.1) < 0.02 or y^2 > 0.3 and not x > 0", "(x < 0) + (y < 0) > 1.5"};

TEST(ExpressionRange, TellsWhereConditionsHold) {
  for (const char* const text : kConditions) {
    const Program program = compiled(text);
    int decided = 0;
    for (const std::vector<double>& middle : points_of(0.03, 0.02, 2)) {
      const expression::Interval found = range(program, middle[0], middle[1], 0.05);
      decided += found.low == found.high ? 1 : 0;
      for (const std::vector<double>& point : points_of(middle[0], middle[1], 0.05))
        EXPECT_TRUE(found.contains(program.evaluate(0, point))) << text;
    }
    EXPECT_GT(decided, 300) << text;
  }
}

TEST(ExpressionMargin, IsPositiveWhereTheConditionHolds) {
  for (const char* const text : kConditions) {
    Expression expression = read(text);
    const NodeId margin = expression::add_margin(expression.graph, expression.node);
    const Program program = expression::compile(expression.graph, {expression.node, margin}, 2);
    for (const std::vector<double>& point : points_of(0.031, 0.017, 2)) {
      const double value = program.evaluate(1, point);
      if (value == 0) continue;
      EXPECT_EQ(program.evaluate(0, point) != 0, value > 0) << text;
    }
  }
  // it is what is compared
  Expression expression = read("x < 0.3 and 2*y > x");
  const NodeId margin = expression::add_margin(expression.graph, expression.node);
  const Program program = expression::compile(expression.graph, {margin}, 2);
  EXPECT_NEAR(program.evaluate(0, {0.1, 0.5}), 0.2, 1e-15);
  EXPECT_NEAR(program.evaluate(0, {0.1, 0.1}), 0.1, 1e-15);
}

TEST(ExpressionProgram, KnowsItsInputs) {
  EXPECT_TRUE(compiled("x + 1").depends_on(0));
  EXPECT_FALSE(compiled("x + 1").depends_on(1));
  EXPECT_TRUE(compiled("y").depends_on(1));
}

}  // namespace
}  // namespace tessera::test
