// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests of dynamics that vary in time: when they jump, and how long steps may be between jumps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/grid/stepper_state.hpp"

namespace {

using namespace tessera;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

gbees::EquationProgram program(const std::string& equation,
                               std::shared_ptr<const expression::TableSet> tables = {}) {
  gbees::EquationText text{{"x"}, {}, {}, {equation}, {}};
  text.tables = tables;
  if (tables) text.table_names = {{"u", 0}};
  return gbees::compile(text);
}

std::vector<double> breaks(const std::string& equation, double end) {
  const gbees::EquationProgram compiled = program(equation);
  return compiled.switches ? compiled.switches->between(0, end) : std::vector<double>();
}

TEST(TimeSwitches, NoneWithoutTheTime) {
  EXPECT_FALSE(program("-x*(x > 1)").switches);
  EXPECT_THAT(breaks("sin(t)*x", 10), IsEmpty());
  EXPECT_THAT(breaks("x*(x > t)", 10), IsEmpty());  // where it is depends on the state
}

TEST(TimeSwitches, Comparisons) {
  EXPECT_THAT(breaks("(t > 2.5 and t < 2.50001) - x", 10),
              ElementsAre(DoubleNear(2.5, 1e-12), DoubleNear(2.50001, 1e-12)));
  EXPECT_THAT(breaks("x*(1 - (3*t <= 7))", 1000), ElementsAre(DoubleNear(7.0 / 3, 1e-12)));
  EXPECT_THAT(breaks("sin(t) > 0.5", 3),
              ElementsAre(DoubleNear(std::asin(0.5), 1e-12),
                          DoubleNear(3.14159265358979 - std::asin(0.5), 1e-12)));
}

TEST(TimeSwitches, NarrowPairs) {
  EXPECT_THAT(breaks("abs(t - 777.777) < 1e-5", 1000),
              ElementsAre(DoubleNear(777.77699, 1e-9), DoubleNear(777.777, 1e-9),
                          DoubleNear(777.77701, 1e-9)));
  EXPECT_THAT(breaks("(t - 333.3)^2 < 1e-10", 1000),
              ElementsAre(DoubleNear(333.29999, 1e-9), DoubleNear(333.30001, 1e-9)));
  EXPECT_THAT(breaks("max(0, 1 - abs(t - 5)/1e-4)", 10),
              ElementsAre(DoubleNear(4.9999, 1e-9), DoubleNear(5, 1e-9), DoubleNear(5.0001, 1e-9)));
}

TEST(TimeSwitches, StepsOfFloorAndSign) {
  EXPECT_THAT(breaks("floor(t/2)", 7),
              ElementsAre(DoubleNear(2, 1e-12), DoubleNear(4, 1e-12), DoubleNear(6, 1e-12)));
  EXPECT_THAT(breaks("t - 2*floor(t/2) < 0.001", 5),
              ElementsAre(DoubleNear(0.001, 1e-9), DoubleNear(2, 1e-9), DoubleNear(2.001, 1e-9),
                          DoubleNear(4, 1e-9), DoubleNear(4.001, 1e-9)));
  EXPECT_THAT(breaks("sign(t - 1.5)*x", 2), ElementsAre(DoubleNear(1.5, 1e-12)));
}

TEST(TimeSwitches, RowsOfLines) {
  const auto set = std::make_shared<expression::TableSet>();
  set->add({0, 2.5, 2.501, 10}, {0, 0, 1, 1}, expression::Interpolation::linear);
  EXPECT_THAT(program("u - x", set).switches->between(0, 10),
              ElementsAre(DoubleNear(2.5, 1e-12), DoubleNear(2.501, 1e-12)));
}

TEST(TimeSwitches, TopsOfBells) {
  const gbees::EquationProgram bell = program("exp(-((t - 2.7)/0.0001)^2)");
  EXPECT_THAT(bell.switches->landmarks(0, 10), ElementsAre(DoubleNear(2.7, 1e-6)));
}

TEST(DivideTime, WholeWithoutBreaks) {
  const auto parts = gbees::divide_time(1, 2, 0.3);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].begin, 1);
  EXPECT_EQ(parts[0].steps, 4u);
  EXPECT_EQ(parts[0].dt, 0.25);
}

TEST(DivideTime, KeepsClearOfBreaks) {
  const auto parts = gbees::divide_time(0, 10, 1, {0, 2.5, 2.6, 10, 11});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].steps, 3u);
  EXPECT_EQ(parts[1].steps, 1u);
  for (const auto& [begin, end] : {std::pair(2.5, 2.6), std::pair(2.6, 10.0)}) {
    const auto& part = parts[begin == 2.5 ? 1 : 2];
    EXPECT_GT(part.begin, begin);
    EXPECT_LT(part.begin + part.dt * static_cast<double>(part.steps), end);
    EXPECT_NEAR(part.begin, begin, 1e-11);
    EXPECT_NEAR(part.begin + part.dt * static_cast<double>(part.steps), end, 1e-11);
  }
}

TEST(DivideTime, BreaksAtTheEndsButForRounding) {
  const double rounded = 0.2 + 0.2 / 2;  // 0.30000000000000004
  EXPECT_TRUE(gbees::divide_time(0.3, rounded, 0.1, {0.3}).empty());
  for (const auto& [from, to] : {std::pair(0.2, rounded), std::pair(0.3, 0.4)}) {
    const auto parts = gbees::divide_time(from, to, 0.05, {0.3});
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].steps, 2u);
    EXPECT_NEAR(parts[0].dt, 0.05, 1e-12);
  }
}

/// Returns the most that a step may move by the change within it, in cells of `spacing`, with a
/// step of that length everywhere.
double most_moved(const std::string& equation, const std::vector<gbees::BoundedPiece>& pieces,
                  double spacing) {
  const gbees::EquationProgram compiled = program(equation);
  double most = 0, begin = 0;
  for (const gbees::BoundedPiece& piece : pieces) {
    const double h = std::min(piece.longest_step, piece.end - begin);
    for (int i = 0; i <= 200; ++i) {
      const double t = begin + (piece.end - begin - h) * i / 200;
      const double change =
          compiled.program.evaluate(0, {0.3, t + h}) - compiled.program.evaluate(0, {0.3, t});
      most = std::max(most, std::fabs(change) * h / (2 * spacing));
    }
    begin = piece.end;
  }
  return most;
}

TEST(StepBounds, BoundTheChangeWithinAStep) {
  for (const char* const equation :
       {"sin(t)", "x*cos(30*t)", "exp(-((t - 2.7)/0.0001)^2)", "t^3 - x"}) {
    const gbees::EquationProgram compiled = program(equation);
    const gbees::StepBounds bounds(compiled, {0.05}, 1);
    const auto pieces = bounds.pieces(0, 3, 1, {0.3}, {0.1}, compiled.switches->landmarks(0, 3));
    EXPECT_EQ(pieces.back().end, 3) << equation;
    EXPECT_LT(most_moved(equation, pieces, 0.05), 0.08) << equation;
  }
}

TEST(StepBounds, NoneWhereNothingVaries) {
  const gbees::EquationProgram compiled = program("-x");
  const auto pieces = gbees::StepBounds(compiled, {0.05}, 1).pieces(0, 3, 1, {0.3}, {0.1}, {});
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].longest_step, gbees::StepperState::kUnlimited);
}

}  // namespace
