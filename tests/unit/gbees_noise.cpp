// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// White noise that depends on the state or the time: closed forms of densities and moments, the
// same bits by other kernels, from a restart and on any number of ranks. mpirun starts it too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/dynamics/equations.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/gbees_densities.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::CellList;
using gbees::Equations;
using gbees::EquationText;
using gbees::Scheme;
using gbees::Vector;
using testing::HasSubstr;

constexpr double kPi = 3.14159265358979323846;

gbees::PropagatorOptions options_of(double threshold) {
  gbees::PropagatorOptions options;
  options.threshold = threshold;
  return options;
}

EquationText text_of(std::vector<std::string> variables, std::vector<std::string> equations,
                     std::vector<std::string> noise) {
  EquationText text;
  text.variables = std::move(variables);
  text.equations = std::move(equations);
  text.noise = std::move(noise);
  return text;
}

/// A Gaussian of one variable.
GbeesProblem<Equations<1>> of_one(const std::string& equation, const std::string& noise,
                                  double mean, double sigma, double spacing) {
  return {{},
          {mean},
          {sigma},
          {spacing},
          options_of(1e-12),
          gbees::compile(text_of({"x"}, {equation}, {noise}))};
}

/// The largest difference of the cells from a density, beside the largest of them.
template <class Density, class Function>
double difference_from(const Density& density, const Function& exact) {
  const CellList cells = density.cells(0);
  double largest = 0, difference = 0;
  for (std::size_t c = 0; c < cells.key.size(); ++c) {
    const double value = exact(density.grid().centre(cells.key[c])[0]);
    largest = std::max(largest, value);
    difference =
        std::max(difference, std::fabs(cells.probability[c] / density.grid().spacing[0] - value));
  }
  return difference / largest;
}

TEST(GbeesNoise, NoiseAloneMovesNoMeanAndAddsItsExpectation) {
  // dx = x dW: the mean rests, and the mean of x^2 grows as exp(t)
  auto problem = of_one("0", "x^2", 2, 0.05, 0.02);
  problem.options.threshold = 1e-16;
  auto density = problem.start<ExecSpace>();
  const double square = 4 + 0.05 * 0.05;
  density.propagate(0.1);
  const auto summary = density.summarize();
  EXPECT_NEAR(summary.mean[0], 2, 1e-8);
  EXPECT_NEAR(summary.covariance[0][0] + summary.mean[0] * summary.mean[0], square * std::exp(0.1),
              2e-4);
  EXPECT_LT(summary.lost_mass, 1e-8);
}

TEST(GbeesNoise, GeometricBrownianMotionIsLogNormal) {
  // of ln x: a Gaussian whose mean grows by (mu - s^2 / 2) t and whose variance by s^2 t
  const double mu = 0.3, s = 0.4, t = 1;
  double difference[2];
  for (const int fine : {0, 1}) {
    const double spacing = fine == 0 ? 0.02 : 0.01;
    auto density = of_one("0.3*x", "0.16*x^2", 1, 0.08, spacing).start<ExecSpace>();
    density.propagate(t);
    // the product of the start, 1 + 0.08 z, and a lognormal number, summed over z
    const auto exact = [&](double x) {
      double sum = 0;
      if (!(x > 0)) return 0.0;
      for (int k = -50; k <= 50; ++k) {
        const double z = 0.1 * k, begin = 1 + 0.08 * z;
        const double y = (std::log(x / begin) - (mu - 0.5 * s * s) * t) / (s * std::sqrt(t));
        sum += 0.1 * std::exp(-0.5 * (z * z + y * y)) / (2 * kPi * x * s * std::sqrt(t));
      }
      return sum;
    };
    difference[fine] = difference_from(density, exact);
    const auto summary = density.summarize();
    EXPECT_NEAR(summary.mean[0], std::exp(mu), 1e-3);
  }
  EXPECT_LT(difference[0], 2e-3);
  EXPECT_LT(difference[1], 0.5 * difference[0]);
}

TEST(GbeesNoise, SquareRootProcessSettlesToAGammaDensity) {
  // dx = k (m - x) dt + (s x^(1/2)) dW: of shape 2 k m / s^2 and rate 2 k / s^2 (Cox, Ingersoll and
  // Ross 1985, section 3)
  const double k = 2, m = 0.5, s = 0.5, shape = 2 * k * m / (s * s), rate = 2 * k / (s * s);
  auto density = of_one("2*(0.5 - x)", "0.25*max(x, 0)", 0.5, 0.1, 0.01).start<ExecSpace>();
  density.propagate(6);
  const auto gamma = [&](double x) {
    if (!(x > 0)) return 0.0;
    return std::exp(shape * std::log(rate) + (shape - 1) * std::log(x) - rate * x -
                    std::lgamma(shape));
  };
  EXPECT_LT(difference_from(density, gamma), 3e-3);
  const auto summary = density.summarize();
  EXPECT_NEAR(summary.mean[0], m, 1e-3);
  EXPECT_NEAR(summary.covariance[0][0], shape / (rate * rate), 3e-4);
}

TEST(GbeesNoise, NoiseThatVariesInTimeIsTakenAtTheMiddleOfSteps) {
  // the variance grows by the integral of 0.1 (1 + cos t), to second order in the step
  double error[2];
  for (const int half : {0, 1}) {
    auto problem = of_one("0", "0.1*(1 + cos(t))", 0, 0.3, 0.1);
    problem.options.cfl = half == 0 ? 0.5 : 0.25;
    auto density = problem.start<ExecSpace>();
    density.propagate(2);
    error[half] = density.summarize().covariance[0][0] - (0.09 + 0.1 * (2 + std::sin(2.0)));
  }
  EXPECT_LT(std::fabs(error[0]), 2e-4);
  EXPECT_NEAR(error[1] / error[0], 0.25, 0.05);
}

TEST(GbeesNoise, ExpressionsThatAreNumbersAreTheNumbers) {
  const auto equations = std::vector<std::string>{"y", "-x - 0.2*y"};
  GbeesProblem<Equations<2>> of_numbers{
      {},         {1, 0},           {0.2, 0.2},
      {0.1, 0.1}, options_of(1e-9), gbees::compile(text_of({"x", "y"}, equations, {}))};
  auto of_text = of_numbers;
  of_numbers.options.noise = {0.05, 0.2};
  of_text.program = gbees::compile(text_of({"x", "y"}, equations, {"0.05", "0.2 + 0*x"}));
  auto a = of_numbers.start<ExecSpace>(), b = of_text.start<ExecSpace>();
  a.propagate(1.5);
  b.propagate(1.5);
  const auto left = a.summarize(), right = b.summarize();
  EXPECT_NEAR(left.mass, right.mass, 1e-10);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(left.mean[i], right.mean[i], 1e-8);
    EXPECT_NEAR(left.covariance[i][i], right.covariance[i][i], 1e-8);
  }
}

/// A van der Pol oscillator whose velocity is shaken in proportion to it, with an invariant so that
/// noise stands behind it in the code; in some time without, and never along x.
GbeesProblem<Equations<2>> oscillator(double threshold) {
  EquationText text =
      text_of({"x", "v"}, {"v", "(1 - x^2)*v - x"}, {"0", "0.1*(1 + v^2)*(1 + 0.5*sin(3*t))"});
  return {{}, {1, 0.5}, {0.2, 0.2}, {0.1, 0.1}, options_of(threshold), gbees::compile(text)};
}

TEST(GbeesNoise, KernelsAndRestartsHaveTheSameBits) {
  auto problem = oscillator(1e-8);
  auto whole = problem.start<ExecSpace>();
  problem.options.kernels = Kernels::plain;
  auto plain = problem.start<ExecSpace>(), continued = problem.start<ExecSpace>();
  whole.begin_interval(1);
  plain.begin_interval(1);
  for (int batch = 0; batch < 3; ++batch) plain.advance();
  continued.restore(plain.raw_cells(), plain.state());
  while (whole.advance()) {
  }
  while (plain.advance()) {
  }
  while (continued.advance()) {
  }
  expect_equal(plain.summarize(), continued.summarize());
  const CellList a = plain.cells(0), b = continued.cells(0);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.probability, b.probability);
  if constexpr (!compat::is_gpu_v<ExecSpace>) expect_equal(whole.summarize(), plain.summarize());
}

template <class Real>
void check_ranks() {
  auto problem = oscillator(1e-8);
  auto alone = problem.start<ExecSpace, Real>();
  problem.options.ranks = ranks();
  auto shared = problem.start<ExecSpace, Real>();
  for (int part = 0; part < 2; ++part) {
    alone.propagate(0.5);
    shared.propagate(0.5);
    expect_the_same_answers(alone, shared);
  }
}

TEST(GbeesNoise, AnyNumberOfRanks) {
  check_ranks<double>();
  check_ranks<float>();
}

TEST(GbeesNoise, NegativeDensitiesStopTheRun) {
  auto below = of_one("0", "x", 0.1, 0.1, 0.03);
  auto root = of_one("-1", "x^0.5", 1, 0.1, 0.05);
  for (auto* problem : {&below, &root}) {
    try {
      auto density = problem->start<ExecSpace>();
      density.propagate(2);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numerical);
      EXPECT_THAT(error.what(), HasSubstr("the spectral density of the noise is no number or "
                                          "negative"));
    }
  }
}

TEST(GbeesNoise, MistakesAreSaidWhereTheyAre) {
  const auto fails = [](const EquationText& text, std::size_t index, const std::string& what,
                        const gbees::Frame& frame = {}) {
    try {
      gbees::compile(text, frame);
      ADD_FAILURE() << what;
    } catch (const gbees::EquationError& error) {
      EXPECT_EQ(error.part(), gbees::EquationError::Part::noise);
      EXPECT_EQ(error.index(), index);
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  };
  const std::vector<std::string> variables{"x", "y"}, rest{"0", "0"};
  fails(text_of(variables, rest, {"x", "z"}), 1, "'z'");
  fails(text_of(variables, rest, {"x"}), 0, "1 densities of noise for 2 variables");
  const gbees::Frame turned{{0, 0}, {{0.6, -0.8}, {0.8, 0.6}}};
  fails(text_of(variables, rest, {"x", "1"}), 0, "set grid.rotate: false", turned);
  EquationText with_units = text_of(variables, rest, {"x^2/t", "x^2"});
  with_units.dimensions = {{"x", {1, 0, 0}}, {"y", {1, 0, 0}}, {"t", {0, 1, 0}}};
  fails(with_units, 1, "the spectral density of the noise of 'y' must be");
}

}  // namespace
}  // namespace tessera::test
