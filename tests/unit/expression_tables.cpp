// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Functions that tables give, parts that are found once for each time, and dimensions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tessera/core/expression/loaded_program.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using expression::Graph;
using expression::Interpolation;
using expression::NodeId;
using expression::Symbols;
using expression::TableSet;
using testing::HasSubstr;

using Function = std::function<double(double)>;

/// Rows that are not evenly spaced unless `skew` is 0.
std::vector<double> rows(std::size_t count, double end, double skew = 0) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(count - 1);
    times.push_back(end * (s + skew * s * (1 - s)));
  }
  return times;
}

std::vector<double> sampled(const std::vector<double>& times, const Function& f) {
  std::vector<double> values;
  for (const double t : times) values.push_back(f(t));
  return values;
}

/// The largest error of function `number` over the rows.
double largest_error(const TableSet& set, int number, double end, const Function& f) {
  double largest = 0;
  for (int k = 0; k <= 3000; ++k) {
    const double t = end * k / 3000;
    largest = std::max(largest, std::fabs(set.tables()(number, t) - f(t)));
  }
  return largest;
}

TEST(Tables, GiveThePolynomialsThatTheyKnowExactly) {
  for (const double skew : {0.0, 0.4}) {
    const std::vector<double> times = rows(23, 2, skew);
    const auto error = [&](Interpolation how, const Function& f, const Function& slope = {}) {
      TableSet set;
      set.add(times, sampled(times, f), how, slope ? sampled(times, slope) : std::vector<double>());
      return largest_error(set, 0, 2, f);
    };
    const Function cubic = [](double t) { return 1 + t * (2 - t * (3 - t)); };
    EXPECT_LT(error(Interpolation::linear, [](double t) { return 3 - 2 * t; }), 1e-14);
    EXPECT_LT(error(Interpolation::hermite, cubic), 1e-13);
    EXPECT_LT(error(Interpolation::hermite, cubic, [](double t) { return 2 - t * (6 - 3 * t); }),
              1e-14);
    EXPECT_LT(error(Interpolation::chebyshev, [](double t) { return std::pow(t - 1, 7) + t; }),
              1e-13);
  }
}

TEST(Tables, HaveTheErrorsThatTheyState) {
  const Function f = [](double t) { return std::sin(t); };
  const auto error = [&](std::size_t count, Interpolation how, bool with_slopes = false) {
    const std::vector<double> times = rows(count, 6);
    TableSet set;
    set.add(
        times, sampled(times, f), how,
        with_slopes ? sampled(times, [](double t) { return std::cos(t); }) : std::vector<double>());
    return largest_error(set, 0, 6, f);
  };
  const double h = 0.1;
  EXPECT_LT(error(61, Interpolation::linear), h * h / 8 * 1.01);
  EXPECT_LT(error(61, Interpolation::hermite, true), std::pow(h, 4) / 384 * 1.01);
  EXPECT_LT(error(61, Interpolation::hermite), std::pow(h, 4) / 100);
  // The error is largest at the ends, where the rows lie on one side.
  EXPECT_LT(error(61, Interpolation::chebyshev), std::pow(h, 8) / 50);
  EXPECT_GT(error(61, Interpolation::hermite) / error(121, Interpolation::hermite), 15);
  EXPECT_GT(error(31, Interpolation::chebyshev) / error(61, Interpolation::chebyshev), 150);
}

TEST(Tables, GiveRatesOfChangeAndGoOnBeyondTheirEnds) {
  const std::vector<double> times = rows(61, 6, 0.3);
  TableSet set;
  for (const Interpolation how :
       {Interpolation::linear, Interpolation::hermite, Interpolation::chebyshev}) {
    const int number = set.add(times, sampled(times, [](double t) { return std::sin(t); }), how);
    const int rate = set.add_rate(number);
    const double bound = how == Interpolation::linear    ? 0.07
                         : how == Interpolation::hermite ? 1e-3
                                                         : 1e-7;
    EXPECT_LT(largest_error(set, rate, 6, [](double t) { return std::cos(t); }), bound);
    EXPECT_NEAR(set.tables()(number, 6.01), std::sin(6.01),
                how == Interpolation::linear ? 1e-3 : 1e-6);
  }
  EXPECT_THROW(set.add({0, 1, 1}, {1, 2, 3}, Interpolation::linear), Error);
  EXPECT_THROW(set.add({0}, {1}, Interpolation::linear), Error);
}

struct Evaluate {
  expression::Functions<2> functions;
  Kokkos::View<double*, ExecSpace> result;
  double t;
  KOKKOS_FUNCTION void operator()(int i) const {
    result(i) = functions(0, [&](int j) { return j == 0 ? 0.1 * i : t; });
  }
};

struct Prepare {
  expression::Prologue prologue;
  double t;
  KOKKOS_FUNCTION void operator()(int) const { prologue(t); }
};

/// Input 0 is x, input 1 the time; m is a table.
TEST(TimedPrograms, GiveTheBitsOfTheWholeProgram) {
  const auto set = std::make_shared<TableSet>();
  const std::vector<double> times = rows(11, 3);
  set->add(times, sampled(times, [](double t) { return 1 + t * t; }), Interpolation::hermite);
  for (const std::string text : {"x*sin(t) + m/(1 + m^2)", "cos(m)", "t", "x + t", "m*m - x/(m*m)",
                                 "x*x", "exp(-t) + 2*t*m*x - m*m"}) {
    Graph graph;
    const NodeId time = graph.input(1);
    const Symbols symbols{{"x", graph.input(0)}, {"t", time}, {"m", graph.table(time, 0)}};
    const NodeId node = expression::parse(text, symbols, graph);
    expression::Program whole = expression::compile(graph, {node}, 2);
    expression::TimedProgram timed = expression::compile_timed(graph, {node}, 2, 1);
    whole.refer_to(set);
    timed.refer_to(set);
    EXPECT_LE(timed.program.code.size(), whole.code.size());
    for (const auto& instruction : timed.program.code)
      EXPECT_NE(instruction.op, expression::Op::table) << text;
    const ExecSpace exec;
    const expression::LoadedProgram<ExecSpace> loaded(exec, "tessera::test::code", whole);
    const expression::LoadedTimedProgram<ExecSpace> loaded_timed(exec, "tessera::test::code",
                                                                 timed);
    const Kokkos::View<double*, ExecSpace> found("tessera::test::found", 20),
        expected("tessera::test::expected", 20);
    for (const double t : {0.0, 0.7, 2.9}) {
      Kokkos::parallel_for("prepare", Kokkos::RangePolicy<ExecSpace>(0, 1),
                           Prepare{loaded_timed.prologue(), t});
      Kokkos::parallel_for("timed", Kokkos::RangePolicy<ExecSpace>(0, 20),
                           Evaluate{loaded_timed.functions<2>(timed), found, t});
      Kokkos::parallel_for("whole", Kokkos::RangePolicy<ExecSpace>(0, 20),
                           Evaluate{loaded.functions<2>(whole), expected, t});
      EXPECT_EQ(download(exec, found), download(exec, expected)) << text << " at " << t;
    }
  }
}

std::string dimension_of(const std::string& text) {
  Graph graph;
  Symbols symbols;
  for (const char* name : {"x", "y", "v", "t", "mu", "q"}) symbols[name] = graph.input(0);
  const Dimension length{1, 0, 0}, time{0, 1, 0};
  const expression::Dimensions known{
      {"x", length}, {"y", length}, {"t", time}, {"v", length / time}, {"mu", {3, -2, 0}}};
  expression::parse(text, symbols, graph);
  try {
    const auto dimension = expression::find_dimension(text, symbols, known);
    return dimension ? describe(*dimension) : "unknown";
  } catch (const expression::ParseError& error) {
    return std::to_string(error.offset()) + ": " + error.what();
  }
}

TEST(Dimensions, OfExpressions) {
  EXPECT_EQ(dimension_of("-mu*x/sqrt(x^2 + y^2)^3"), "length/time^2");
  EXPECT_EQ(dimension_of("x + 2"), "length");
  EXPECT_EQ(dimension_of("v*t - 0.5*hypot(x, y)"), "length");
  EXPECT_EQ(dimension_of("q*x"), "unknown");
  EXPECT_EQ(dimension_of("q + x"), "length");
  EXPECT_EQ(dimension_of("(x < y)*exp(-x/y)"), "a number");
  EXPECT_EQ(dimension_of("sqrt(mu/x)"), "length/time");
  EXPECT_EQ(dimension_of("x + y*t"), "2: this joins length and length*time");
  EXPECT_EQ(dimension_of("1 + sin(t)"),
            "4: this function takes a number, and its argument is time");
  EXPECT_EQ(dimension_of("2^x"), "1: a power takes a number, and this is length");
  EXPECT_EQ(dimension_of("q < 1 and x < t"), "12: this joins length and time");
  EXPECT_EQ(dimension_of("max(x, v)"), "0: this joins length and length/time");
}

TEST(Units, AreParsed) {
  const Unit gravity = parse_unit("km^3/s^2");
  EXPECT_DOUBLE_EQ(gravity.size, 1e9);
  EXPECT_EQ(describe(gravity.dimension), "length^3/time^2");
  EXPECT_DOUBLE_EQ(parse_unit("km3 s-2").size, 1e9);
  EXPECT_DOUBLE_EQ(parse_unit("km/d").size, 1000.0 / 86400);
  EXPECT_DOUBLE_EQ(parse_unit("deg").size, M_PI / 180);
  EXPECT_TRUE(parse_unit("deg").dimension.is_number());
  EXPECT_EQ(describe(parse_unit("N/m^2").dimension), describe(parse_unit("Pa").dimension));
  EXPECT_EQ(describe(parse_unit("1/h").dimension), "1/time");
  const auto problem = [](const std::string& text) {
    try {
      parse_unit(text);
      return std::string("none");
    } catch (const UnitError& error) {
      return std::to_string(error.offset()) + ": " + error.what();
    }
  };
  EXPECT_THAT(problem("km/sec"), HasSubstr("3: unknown unit 'sec'"));
  EXPECT_THAT(problem("kn^2"), HasSubstr("0: unknown unit 'kn' (did you mean"));
  EXPECT_THAT(problem("km^"), HasSubstr("3: expected a whole power"));
  EXPECT_THAT(problem("km^1.5"), HasSubstr("expected a whole power"));
  EXPECT_THAT(problem("km/"), HasSubstr("3: the unit ends too early"));
  EXPECT_THAT(problem(" "), HasSubstr("the unit is empty"));
  EXPECT_THAT(problem("km)"), HasSubstr("2: expected the name of a unit, found ')'"));
}

}  // namespace
}  // namespace tessera::test
