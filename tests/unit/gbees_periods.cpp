// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Variables on circles: cells go round, closed forms, the same as on lines where there is no end,
// and the same bits on any number of ranks. CTest starts it by mpirun too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/propagator/rebin.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/gbees_densities.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gbees_restart.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellList;
using gbees::Circle;
using gbees::Gaussian;
using gbees::Grid;
using gbees::Observation;
using gbees::Scheme;
using gbees::Vector;
using testing::HasSubstr;

constexpr double kPi = 3.14159265358979323846;
const Circle kAngle{-kPi, 2 * kPi};

/// A Gaussian, with variables on circles.
template <int D>
struct Problem {
  gbees::EquationProgram program;
  std::array<double, D> mean{}, sigma{}, spacing{};
  std::array<Circle, D> circle{};
  gbees::PropagatorOptions options = options_with(Scheme::conservative, 1e-9);

  Grid<D> grid() const {
    Grid<D> grid{};
    for (std::size_t i = 0; i < D; ++i) {
      const int axis = static_cast<int>(i);
      grid.origin[axis] = mean[i];
      grid.spacing[axis] = spacing[i];
      if (!circle[i].is_line()) grid.make_circle(axis, circle[i], mean[i]);
    }
    return grid;
  }

  /// A propagator that holds the initial density, stored as Real.
  template <class Real = double>
  gbees::Propagator<ExecSpace, gbees::Equations<D>, Real> start() const {
    const gbees::LoadedEquations<ExecSpace, D> loaded(program);
    gbees::Propagator<ExecSpace, gbees::Equations<D>, Real> density(ExecSpace(), loaded.dynamics,
                                                                    grid(), options, loaded.owner);
    Vector<D> at;
    linalg::Matrix covariance(D, std::vector<double>(D));
    for (std::size_t i = 0; i < D; ++i) {
      at[static_cast<int>(i)] = mean[i];
      covariance[i][i] = sigma[i] * sigma[i];
    }
    density.initialize(Gaussian<D>(at, covariance));
    return density;
  }
};

Problem<1> on_circle(const std::string& equation, double mean, double sigma, double spacing) {
  Problem<1> problem;
  problem.program = gbees::compile({{"angle"}, {}, {}, {equation}, {}});
  problem.mean = {mean};
  problem.sigma = {sigma};
  problem.spacing = {spacing};
  problem.circle = {kAngle};
  return problem;
}

/// A pendulum that turns over.
Problem<2> pendulum() {
  Problem<2> problem;
  problem.program = gbees::compile({{"angle", "rate"}, {}, {}, {"rate", "-sin(angle)"}, {}});
  problem.mean = {2, 2};
  problem.sigma = {0.3, 0.2};
  problem.spacing = {0.1, 0.1};
  problem.circle[0] = kAngle;
  return problem;
}

/// The Gaussian on a circle, summed over the turns, at a distance from its middle.
double wrapped_normal(double distance, double variance) {
  double sum = 0;
  for (int turn = -12; turn <= 12; ++turn) {
    const double d = distance + 2 * kPi * turn;
    sum += std::exp(-0.5 * d * d / variance);
  }
  return sum / std::sqrt(2 * kPi * variance);
}

/// The same by its Fourier series, a theta function.
double theta(double distance, double variance) {
  double sum = 1;
  for (int n = 1; n < 60; ++n)
    sum += 2 * std::exp(-0.5 * n * n * variance) * std::cos(n * distance);
  return sum / (2 * kPi);
}

/// The largest difference of a density from a function of the angle, beside its largest value.
template <class Density, class Function>
double difference_from(const Density& density, const Function& function) {
  double largest = 0, difference = 0;
  const CellList cells = density.cells(0);
  for (std::size_t c = 0; c < cells.key.size(); ++c) {
    const double exact = function(density.grid().centre(cells.key[c])[0]);
    largest = std::max(largest, exact);
    difference =
        std::max(difference, std::fabs(cells.probability[c] / density.grid().spacing[0] - exact));
  }
  return difference / largest;
}

TEST(GbeesCircle, BringsPlacesIntoTheBaseInterval) {
  EXPECT_EQ(kAngle.bring_in(1.5), 1.5);
  EXPECT_EQ(kAngle.bring_in(-kPi), -kPi);
  EXPECT_EQ(kAngle.bring_in(kPi), -kPi);
  EXPECT_NEAR(kAngle.bring_in(1.5 + 6 * kPi), 1.5, 1e-14);
  for (const double just : {std::nextafter(-kPi, -4), std::nextafter(kPi, 4), 2e16, -1e-300}) {
    EXPECT_GE(kAngle.bring_in(just), -kPi);
    EXPECT_LT(kAngle.bring_in(just), kPi);
  }
  EXPECT_TRUE(std::isnan(kAngle.bring_in(std::numeric_limits<double>::infinity())));
  EXPECT_NEAR(kAngle.shortest(6), 6 - 2 * kPi, 1e-15);
  EXPECT_NEAR(kAngle.shortest(-3), -3, 0);
  EXPECT_EQ(Circle().bring_in(1e9), 1e9);
}

TEST(GbeesCircle, CellsGoRound) {
  Grid<2> grid{{{3, 5}}, {{0.1, 0.1}}};
  grid.make_circle(0, kAngle, 3);
  ASSERT_EQ(grid.turn[0], 63);
  EXPECT_NEAR(grid.coordinate(0, grid.first[0]) - 0.5 * grid.spacing[0], -kPi, 1e-14);
  EXPECT_NEAR(grid.coordinate(0, 0), 3, 0.5 * grid.spacing[0]);
  const int last = grid.first[0] + grid.turn[0] - 1;
  const auto key = [](int k, int l) { return CellKey<2>::field(k, 0) | CellKey<2>::field(l, 1); };
  EXPECT_EQ(grid.neighbour(key(last, 7), 1), key(grid.first[0], 7));
  EXPECT_EQ(grid.neighbour(key(grid.first[0], 7), 0), key(last, 7));
  EXPECT_EQ(grid.neighbour(key(-4, 7), 0), key(-5, 7));
  EXPECT_EQ(grid.neighbour(key(-4, -7), 3), key(-4, -6));
  EXPECT_EQ(grid.bring_in(0, last + 1 + 2 * 63), grid.first[0]);
  EXPECT_EQ(grid.bring_in(0, grid.first[0] - 1), last);
  EXPECT_EQ(grid.bring_in(1, 1000), 1000);
}

TEST(GbeesPeriods, AStartIsTheSumOverAllTurns) {
  for (const double sigma : {0.2, 1.0, 3.0}) {
    auto problem = on_circle("0", 3, sigma, 0.05);
    problem.options.threshold = 1e-30;
    auto density = problem.start();
    EXPECT_LT(
        difference_from(density, [&](double x) { return wrapped_normal(x - 3, sigma * sigma); }),
        2e-15);
    const auto summary = density.summarize();
    EXPECT_EQ(summary.cells, sigma < 0.5 ? summary.cells : 126);
    EXPECT_NEAR(summary.mass, 1, 1e-14);
    EXPECT_NEAR(summary.mean[0], 3, 1e-12);
    EXPECT_NEAR(summary.resultant[0], std::exp(-0.5 * sigma * sigma), 1e-14);
  }
}

TEST(GbeesPeriods, AWholeTurnGivesTheDensityBack) {
  auto density = on_circle("1", 3, 0.3, 0.05).start();
  const CellList before = density.cells(0);
  const auto start = density.summarize();
  density.propagate(2 * kPi);  // at a Courant number of one
  const CellList after = density.cells(0);
  const auto end = density.summarize();
  EXPECT_NEAR(end.mass + end.lost_mass, 1, 1e-15);
  EXPECT_NEAR(end.lost_mass, start.lost_mass, 1e-8);  // what prunes remove of the tails
  EXPECT_NEAR(end.mean[0], start.mean[0], 1e-8);
  EXPECT_NEAR(end.covariance[0][0], start.covariance[0][0], 1e-6);
  const double distance = gbees::compare(before, after).l1;
  EXPECT_LT(distance, 2e-5);
}

TEST(GbeesPeriods, DiffusionIsTheWrappedNormal) {
  double first[2];  // the difference after one unit of time
  for (int finer = 0; finer < 2; ++finer) {
    auto problem = on_circle("0", 3, 0.3, finer == 0 ? 0.05 : 0.025);
    problem.options.threshold = 1e-14;
    problem.options.noise = {0.4};
    auto density = problem.start();
    for (int part = 1; part <= 4; ++part) {
      density.propagate(part < 4 ? 1 : 20);
      const double variance = 0.09 + 0.4 * density.state().time;
      const double difference =
          difference_from(density, [&](double x) { return theta(x - 3, variance); });
      if (part == 1) first[finer] = difference;
      EXPECT_LT(difference, 1.1e-3);
      const auto summary = density.summarize();
      EXPECT_NEAR(summary.mean[0], 3, 1e-8);
      EXPECT_NEAR(summary.resultant[0], std::exp(-0.5 * variance), 2e-4);
      EXPECT_NEAR(summary.mass, 1, 1e-12);
      EXPECT_NEAR(summary.mass + summary.lost_mass, 1, 2e-14);
    }
  }
  EXPECT_NEAR(first[0] / first[1], 4, 0.1);
}

TEST(GbeesPeriods, AnEvenDensityStaysEven) {
  auto problem = on_circle("0.7", 0, 6, 0.1);
  problem.options.noise = {0.1};
  auto density = problem.start();
  density.propagate(3);
  const auto summary = density.summarize();
  EXPECT_EQ(summary.cells, 63u);
  EXPECT_NEAR(summary.mass, 1, 1e-15);
  EXPECT_EQ(summary.lost_mass, 1 - summary.mass);
  EXPECT_NEAR(summary.covariance[0][0], kPi * kPi / 3, 1e-2);
  EXPECT_NEAR(summary.entropy, std::log(2 * kPi), 1e-9);
  EXPECT_LT(summary.resultant[0], 1e-7);
}

/// Noise and motion together: the first wave goes too far, by a share of 2 pi^2 Q dt / P^2.
TEST(GbeesPeriods, TheMeanDirectionMoves) {
  double fault[2], step[2];
  for (int finer = 0; finer < 2; ++finer) {
    auto problem = on_circle("0.5", 3, 0.3, 0.05);
    problem.options.threshold = 1e-14;
    problem.options.noise = {0.4};
    problem.options.cfl = finer == 0 ? 1 : 0.5;
    auto density = problem.start();
    density.propagate(4);
    const double expected = 3 + 0.5 * 4 - 2 * kPi;
    fault[finer] = density.summarize().mean[0] - expected;
    step[finer] = 4.0 / static_cast<double>(density.state().steps);
    EXPECT_LT(std::fabs(fault[finer]), 3e-3);
  }
  EXPECT_NEAR((fault[0] - fault[1]) / (0.5 * 4 * 0.4 / 2 * (step[0] - step[1])), 1, 0.05);
}

/// Half a turn on, the same density lies across the ends of the base interval.
TEST(GbeesPeriods, TheEndsAreAPlaceLikeOthers) {
  const auto run = [](double mean, double measured, double variance) {
    auto problem = on_circle("0.5 + 0.3*cos(2*angle)", mean, 0.3, 2 * kPi / 128);
    problem.options.noise = {0.01};
    auto density = problem.start();
    density.propagate(0.5);
    Observation angle(0, measured, variance);
    angle.period = {2 * kPi};
    const auto update = density.observe({angle})[0];
    density.propagate(0.5);
    return std::make_pair(update, density.summarize());
  };
  for (const double variance : {0.04, 1e-4}) {  // and one that is sharp within a cell
    const auto [inside, here] = run(0.1, 0.6, variance);
    const auto [across, there] = run(0.1 + kPi, 0.6 - kPi, variance);
    EXPECT_NEAR(inside.log_evidence, across.log_evidence, 1e-9);
    EXPECT_NEAR(inside.deviation, across.deviation, 1e-9);
    EXPECT_NEAR(inside.within_cells, across.within_cells, 1e-9);
    if (variance < 0.01) {
      EXPECT_GT(inside.within_cells, 0.5);
      EXPECT_NEAR(inside.covariance[0][0] / across.covariance[0][0], 1, 1e-7);
      EXPECT_NEAR(kAngle.shortest(inside.mean[0] + kPi - across.mean[0]), 0, 1e-9);
    }
    EXPECT_NEAR(kAngle.shortest(here.mean[0] + kPi - there.mean[0]), 0, 1e-10);
    EXPECT_NEAR(here.covariance[0][0], there.covariance[0][0], 1e-10);
    EXPECT_NEAR(here.entropy, there.entropy, 1e-9);
    EXPECT_NEAR(here.resultant[0], there.resultant[0], 1e-10);
    EXPECT_EQ(here.cells, there.cells);
  }
}

/// A density that does not meet its own tail is that of a line.
TEST(GbeesPeriods, ANarrowDensityIsThatOfALine) {
  auto circle = pendulum(), line = pendulum();
  line.circle = {};
  line.mean[0] = circle.grid().origin[0];
  circle.mean = line.mean;
  line.spacing[0] = circle.grid().spacing[0];
  auto round = circle.start(), straight = line.start();
  const auto check = [&] {
    const auto a = round.summarize(), b = straight.summarize();
    EXPECT_EQ(a.cells, b.cells);
    EXPECT_NEAR(kAngle.shortest(a.mean[0] - b.mean[0]), 0, 1e-2);  // direction and mean
    EXPECT_NEAR(a.mean[1], b.mean[1], 1e-10);
    EXPECT_NEAR(a.covariance[1][1], b.covariance[1][1], 1e-10);
    const double apart = kAngle.shortest(a.mean[0] - b.mean[0]);
    EXPECT_NEAR(a.covariance[0][0], b.covariance[0][0] + apart * apart, 1e-7);
    EXPECT_NEAR(a.covariance[0][1], b.covariance[0][1], 1e-7);
    EXPECT_NEAR(a.entropy, b.entropy, 1e-9);
    EXPECT_NEAR(a.lost_mass, b.lost_mass, 1e-12);
  };
  check();
  for (int part = 0; part < 3; ++part) {
    round.propagate(0.3);
    straight.propagate(0.3);
    check();
  }
  EXPECT_GT(straight.summarize().mean[0], kPi);
  Observation angle(0, straight.summarize().mean[0] + 0.1, 0.04);
  const auto of_line = straight.observe({angle})[0];
  angle.period = {2 * kPi};
  const auto of_circle = round.observe({angle})[0];
  EXPECT_NEAR(of_circle.log_evidence, of_line.log_evidence, 1e-10);
  EXPECT_NEAR(of_circle.deviation, of_line.deviation, 1e-10);
  check();
}

TEST(GbeesPeriods, APendulumThatTurnsOverStaysInOnePlace) {
  auto problem = pendulum();
  problem.mean = {0, 2.5};
  problem.options.threshold = 1e-12;
  auto round = problem.start();
  problem.circle = {};
  problem.spacing[0] = round.grid().spacing[0];
  auto straight = problem.start();
  round.propagate(6);
  straight.propagate(6);
  const auto a = round.summarize(), b = straight.summarize();
  EXPECT_EQ(a.high[0] - a.low[0] + 1, 63);
  EXPECT_GT(b.high[0] - b.low[0] + 1, 126);
  EXPECT_NEAR(a.mass + a.lost_mass, 1, 1e-14);
  // the same rate, which does not depend on the turn
  EXPECT_NEAR(a.mean[1], b.mean[1], 5e-4);
  EXPECT_NEAR(a.covariance[1][1], b.covariance[1][1], 5e-4);
}

template <class Density>
void expect_alike(Density& alone, Density& shared) {
  expect_equal(alone.take_history(), shared.take_history());
  expect_the_same_answers(alone, shared);
  EXPECT_EQ(alone.summarize().resultant[0], shared.summarize().resultant[0]);
  const CellList a = alone.raw_cells(), b = shared.raw_cells();
  if (!ranks().is_root()) return;
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.probability, b.probability);
}

template <class Real, class AnyProblem>
void check_ranks(AnyProblem problem, double interval) {
  auto alone = problem.template start<Real>();
  problem.options.ranks = ranks();
  auto shared = problem.template start<Real>();
  for (int part = 0; part < 3 && !testing::Test::HasFailure(); ++part) {
    alone.propagate(interval);
    shared.propagate(interval);
    expect_alike(alone, shared);
    Observation angle(0, 3, 0.5);
    angle.period = {2 * kPi};
    EXPECT_EQ(alone.observe({angle})[0].log_evidence, shared.observe({angle})[0].log_evidence);
    expect_alike(alone, shared);
  }
}

TEST(GbeesPeriods, AnyNumberOfRanks) {
  check_ranks<double>(pendulum(), 2);
  check_ranks<float>(pendulum(), 1);
  auto noisy = pendulum();
  noisy.options.noise = {0.05, 0.02};
  check_ranks<double>(noisy, 0.5);
  noisy.program = gbees::compile(
      {{"angle", "rate"}, {}, {}, {"rate + 0.2*sin(3*t)", "-sin(angle)*(1 + 0.3*cos(t))"}, {}});
  check_ranks<double>(noisy, 0.5);
  auto few = on_circle("1", 3, 2, 2 * kPi / 5);  // cells, fewer or little more than ranks
  check_ranks<double>(few, 3);
  few.options.noise = {0.2};
  check_ranks<double>(few, 3);
}

TEST(GbeesPeriods, KernelsAndRestartsHaveTheSameBits) {
  auto problem = pendulum();
  auto whole = problem.start();
  problem.options.kernels = Kernels::plain;
  auto plain = problem.start();
  whole.begin_interval(3);
  for (int batch = 0; batch < 3; ++batch) whole.advance();
  auto continued = pendulum().start();
  continued.restore(whole.raw_cells(), whole.state());
  while (whole.advance()) {
  }
  while (continued.advance()) {
  }
  expect_equal(whole.cells(0), continued.cells(0));
  EXPECT_EQ(whole.state().lost_mass, continued.state().lost_mass);
  plain.propagate(3);
  expect_equal(whole.cells(0), plain.cells(0));
}

TEST(GbeesPeriods, HistogramsAndBoxesGoRound) {
  Grid<1> grid{{{0}}, {{0.1}}};
  grid.make_circle(0, kAngle, 0);
  const auto points =
      gbees::histogram<1>({3.1, 3.1 + 2 * kPi, 3.1 - 4 * kPi, 0}, {1, 1, 1, 1}, grid);
  ASSERT_EQ(points.key.size(), 2u);
  EXPECT_EQ(points.probability, (std::vector<double>{1, 3}));
  const auto box = gbees::deposit<1>({kPi}, {1.0}, {2 * kPi}, grid);
  ASSERT_EQ(box.key.size(), 63u);
  for (const double p : box.probability) EXPECT_NEAR(p, 1.0 / 63, 1e-14);
}

TEST(GbeesPeriods, RefusesWhatItCannotDo) {
  const auto refuses = [](const Problem<1>& problem, const std::string& message) {
    try {
      problem.start();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  };
  auto problem = on_circle("1", 0, 0.3, 0.1);
  problem.options.scheme = Scheme::reference;
  refuses(problem, "circles need the conservative scheme");
  refuses(on_circle("1", 0, 0.3, 2), "a circle has at least 4 cells");
  refuses(on_circle("1", 0, 7, 0.1), "is longer than the circle that it is");
}

}  // namespace
}  // namespace tessera::test
