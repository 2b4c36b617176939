// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Dynamics from equations: the catalogue, time-varying and bounded dynamics, process noise, turned
// grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tessera/gbees/propagator/rebin.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_oracle.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellList;
using gbees::EquationProgram;
using gbees::Equations;
using gbees::EquationText;
using gbees::Scheme;
using testing::HasSubstr;

/// Component i of the dynamics at a point, on the host.
template <int D>
double rate(const EquationProgram& program, int i, const gbees::Vector<D>& x, double t = 0) {
  return program.dynamics<D>(program.program.code.data())(i, x, t);
}

TEST(Equations, EqualTheCompiledDynamics) {
  const EquationProgram three = gbees::compile(gbees::lorenz63_equations(4, 1, 48));
  const EquationProgram six = gbees::compile(gbees::lorenz96_equations(6, 4));
  const gbees::Lorenz63 lorenz63;
  const gbees::Lorenz96<6> lorenz96;
  for (int n = 0; n < 200; ++n) {
    const gbees::Vector<3> x{{-11.5 + 0.11 * n, 3 - 0.07 * n, 9.5 * std::sin(n)}};
    for (int i = 0; i < 3; ++i)
      ASSERT_NEAR(rate(three, i, x), lorenz63(i, x), 1e-13 * (100 + std::fabs(lorenz63(i, x))));
    const gbees::Vector<6> y{{x[0], x[1], x[2], 4 + std::cos(n), -1.0 * n, 0.3}};
    for (int i = 0; i < 6; ++i)
      ASSERT_NEAR(rate(six, i, y), lorenz96(i, y), 1e-13 * (100 + std::fabs(lorenz96(i, y))));
  }
}

TEST(Equations, OfTheThreeBodyProblemConserveJacobisConstant) {
  for (const bool planar : {true, false}) {
    const EquationProgram program =
        gbees::compile(gbees::three_body_equations(planar, 0.0121505844691978));
    EXPECT_TRUE(program.bounded);
    EXPECT_FALSE(program.time_varying);
    EXPECT_EQ(program.dimension, planar ? 4 : 6);
    // dJ/dt along the flow, by central differences of J
    const gbees::Vector<6> spatial{{1.02134, 0.03, -0.18162, 0.02, -0.10176, 0.01}};
    const gbees::Vector<4> flat{{1.02134, 0.03, 0.02, -0.10176}};
    double change = 0, size = 0;
    const auto add = [&](const auto& x, auto dynamics) {
      for (int i = 0; i < program.dimension; ++i) {
        auto below = x, above = x;
        below[i] -= 1e-6;
        above[i] += 1e-6;
        const double term =
            (dynamics.invariant(above) - dynamics.invariant(below)) / 2e-6 * dynamics(i, x, 0);
        change += term;
        size += std::fabs(term);
      }
    };
    if (planar) {
      add(flat, program.dynamics<4>(program.program.code.data()));
    } else {
      add(spatial, program.dynamics<6>(program.program.code.data()));
    }
    EXPECT_GT(size, 0.05);
    EXPECT_NEAR(change, 0, 1e-8 * size);
  }
}

TEST(Equations, KnowWhetherTheyVaryInTime) {
  EXPECT_TRUE(gbees::compile(gbees::duffing_equations(0.35, 0.3, 1)).time_varying);
  EXPECT_FALSE(
      gbees::compile(gbees::aizawa_equations(0.95, 0.7, 0.6, 3.5, 0.25, 0.1)).time_varying);
  EXPECT_FALSE(gbees::compile(gbees::poincare_equations(19.9)).time_varying);
}

TEST(Equations, SayWhichIsWrong) {
  const auto catch_error = [](const EquationText& text) {
    try {
      gbees::compile(text);
    } catch (const gbees::EquationError& error) {
      return std::make_tuple(error.part(), error.index(), error.offset(),
                             std::string(error.what()));
    }
    return std::make_tuple(gbees::EquationError::Part::variables, std::size_t(99), std::size_t(0),
                           std::string("nothing"));
  };
  using Part = gbees::EquationError::Part;
  const auto [part, index, offset, what] =
      catch_error({{"x", "speed"}, {}, {}, {"speed", "-sped"}, {}});
  EXPECT_EQ(part, Part::equations);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(offset, 1u);
  EXPECT_THAT(what, HasSubstr("did you mean 'speed'?"));
  EXPECT_EQ(std::get<0>(catch_error({{"x", "x"}, {}, {}, {"1", "1"}, {}})), Part::variables);
  EXPECT_EQ(std::get<0>(catch_error({{"x"}, {{"t", 1}}, {}, {"1"}, {}})), Part::parameters);
  EXPECT_EQ(std::get<0>(catch_error({{"x"}, {}, {{"a", "b"}}, {"1"}, {}})), Part::definitions);
  EXPECT_EQ(std::get<0>(catch_error({{"x"}, {}, {}, {"1", "2"}, {}})), Part::equations);
  EXPECT_EQ(std::get<0>(catch_error({{"x"}, {}, {}, {"1"}, "x*t"})), Part::invariant);
}

void expect_same_density(const CellList& a, const CellList& b, double tolerance) {
  ASSERT_EQ(a.key, b.key);
  for (std::size_t i = 0; i < a.key.size(); ++i)
    ASSERT_NEAR(a.probability[i], b.probability[i], tolerance * b.probability[i]);
}

TEST(Equations, CarryTheDensityLikeCompiledDynamics) {
  for (const Scheme scheme : {Scheme::conservative, Scheme::reference}) {
    const auto compiled = lorenz63(scheme);
    const auto written = from_equations(compiled, gbees::lorenz63_equations(4, 1, 48));
    auto a = compiled.start<ExecSpace>();
    auto b = written.start<ExecSpace>();
    a.propagate(0.3);
    b.propagate(0.3);
    EXPECT_EQ(a.state().steps, b.state().steps);
    EXPECT_EQ(a.state().cell_steps, b.state().cell_steps);
    expect_same_density(a.cells(5e-6), b.cells(5e-6), 1e-11);
  }
}

// ------------------------------------------------------------------------------------------
// against the published form of the algorithm

template <int D>
CellList list_cells(const Oracle<D>& oracle, double cut) {
  std::vector<std::pair<std::uint64_t, double>> entries;
  for (const auto& [k, cell] : oracle.cells) {
    std::uint64_t key = 0;
    for (int i = 0; i < D; ++i) key |= CellKey<D>::field(k[i], i);
    if (cell.p >= cut) entries.emplace_back(key, cell.p);
  }
  std::sort(entries.begin(), entries.end());
  CellList list;
  for (const auto& [key, p] : entries) {
    list.key.push_back(key);
    list.probability.push_back(p);
  }
  return list;
}

template <int D>
struct Pair {
  Oracle<D> oracle;
  GbeesProblem<Equations<D>> problem;
};

template <int D>
Pair<D> start_pair(const EquationText& text, const std::array<double, D>& mean,
                   const std::array<double, D>& sigma, double factor, double threshold) {
  Pair<D> pair;
  pair.problem = equations_problem<D>(text);
  pair.problem.mean = mean;
  pair.problem.sigma = sigma;
  for (int i = 0; i < D; ++i) pair.problem.spacing[i] = sigma[i] / (2 * factor);
  pair.problem.options = options_with(Scheme::reference, threshold);
  pair.problem.options.velocities_of_start = true;
  const EquationProgram program = pair.problem.program;
  const auto to_vector = [](const std::array<double, D>& x) {
    gbees::Vector<D> v;
    for (int i = 0; i < D; ++i) v[i] = x[i];
    return v;
  };
  pair.oracle.dynamics = [program, to_vector](int i, const std::array<double, D>& x, double t) {
    return program.dynamics<D>(program.program.code.data())(i, to_vector(x), t);
  };
  if (program.bounded) {
    pair.oracle.invariant = [program, to_vector](const std::array<double, D>& x) {
      return program.dynamics<D>(program.program.code.data()).invariant(to_vector(x));
    };
  }
  pair.oracle.origin = mean;
  pair.oracle.spacing = pair.problem.spacing;
  pair.oracle.threshold = threshold;
  pair.oracle.time_varying = program.time_varying;
  pair.oracle.initialize(sigma, static_cast<int>(std::lround(6 * factor)));
  return pair;
}

template <int D>
void expect_equal_runs(Pair<D> pair, double length, int intervals) {
  auto density = pair.problem.template start<ExecSpace>();
  for (int i = 0; i < intervals; ++i) {
    density.propagate(length);
    pair.oracle.propagate(length);
    ASSERT_EQ(density.state().steps, pair.oracle.steps);
    ASSERT_EQ(density.state().cell_steps, pair.oracle.cell_steps);
    ASSERT_EQ(density.state().cells, pair.oracle.cells.size());
    // Cells at the edge of the grid, of 1e-15 and less, are differences of rounding.
    const double cut = pair.problem.options.threshold * 1e-3;
    expect_same_density(density.cells(cut), list_cells(pair.oracle, cut), 1e-9);
    expect_same_density(density.cells(pair.problem.options.threshold),
                        list_cells(pair.oracle, pair.problem.options.threshold), 1e-11);
  }
}

TEST(ReferenceScheme, OfTimeVaryingDynamicsIsThePublishedAlgorithm) {
  expect_equal_runs(
      start_pair<2>(gbees::duffing_equations(0.35, 0.3, 1), {0, 1}, {0.1, 0.1}, 2, 1e-7), 0.25, 3);
}

TEST(ReferenceScheme, OfBoundedDynamicsIsThePublishedAlgorithm) {
  const double place = std::sqrt(7.0303608437767e-9), speed = std::sqrt(2.51477110445507e-8);
  auto pair =
      start_pair<4>(gbees::three_body_equations(true, 1.901109735892602e-7),
                    {1.001471995170839, -1.7518099335e-5, 7.1987832396e-5, 0.013633926328993},
                    {place, place, speed, speed}, 0.5, 1e-5);
  EXPECT_TRUE(pair.oracle.invariant);
  expect_equal_runs(std::move(pair), 0.05, 2);
}

TEST(ReferenceScheme, OfOtherDynamicsIsThePublishedAlgorithm) {
  expect_equal_runs(start_pair<3>(gbees::aizawa_equations(0.95, 0.7, 0.6, 3.5, 0.25, 0.1),
                                  {0.1, 0, 0}, {0.05, 0.05, 0.05}, 1, 1e-5),
                    0.2, 2);
  expect_equal_runs(start_pair<2>(gbees::poincare_equations(19.910350621818949), {4.6679, 0},
                                  {std::sqrt(4.4723e-5), std::sqrt(3.0461e-8)}, 1, 1e-7),
                    0.01, 2);
}

TEST(Gbees, BoundedDynamicsCreateNoCellOutsideTheirRange) {
  auto problem = equations_problem<2>({{"x", "v"}, {}, {}, {"v", "-x"}, "x^2 + v^2"});
  problem.mean = {1, 0};
  problem.sigma = {0.1, 0.1};
  problem.spacing = {0.05, 0.05};
  problem.options = options_with(Scheme::conservative, 1e-8);
  auto density = problem.start<ExecSpace>();
  density.propagate(6.283185307179586);
  const auto& state = density.state();
  EXPECT_LT(state.invariant_low, 0.6);
  EXPECT_GT(state.invariant_high, 1.5);
  for (const std::uint64_t key : density.cells(0).key) {
    const auto x = density.grid().centre(key);
    const double energy = x[0] * x[0] + x[1] * x[1];
    ASSERT_GE(energy, state.invariant_low - 1e-12);
    ASSERT_LE(energy, state.invariant_high + 1e-12);
  }
  const auto summary = density.summarize();
  EXPECT_NEAR(summary.mass + summary.lost_mass, 1, 1e-13);
  EXPECT_NEAR(summary.mean[0], 1, 0.05);

  auto continued = problem.start<ExecSpace>();
  continued.restore(density.raw_cells(), state);
  density.propagate(0.5);
  continued.propagate(0.5);
  EXPECT_EQ(density.cells(0).key, continued.cells(0).key);
  EXPECT_EQ(density.cells(0).probability, continued.cells(0).probability);
}

// -------------------------------------------------------------------------------------------------
// process noise

struct OrnsteinUhlenbeck {
  double mean_error, variance_error;  ///< relative to the start and to the exact variance
};

/// One variable that returns to 0 at rate 1 from 2 +- 0.5, with noise of density 0.5, at time 1.
OrnsteinUhlenbeck ornstein_uhlenbeck(double spacing) {
  auto problem = equations_problem<1>(gbees::ornstein_uhlenbeck_equations({1.0}, {0.0}));
  problem.mean = {2};
  problem.sigma = {0.5};
  problem.spacing = {spacing};
  problem.options = options_with(Scheme::conservative, 1e-10);
  problem.options.noise = {0.5};
  auto density = problem.start<ExecSpace>();
  density.propagate(1.0);
  for (const auto& step : density.take_history()) {
    EXPECT_NEAR(step.mass + step.lost_mass, 1, 1e-13) << "t = " << step.time;
    EXPECT_GE(step.lost_mass, 0) << "t = " << step.time;
  }
  const auto summary = density.summarize();
  EXPECT_LT(summary.lost_mass, 1e-6);
  const double variance = 0.25 * std::exp(-2.0) + 0.25 * (1 - std::exp(-2.0));
  return {std::fabs(summary.mean[0] - 2 * std::exp(-1.0)) / 2,
          std::fabs(summary.covariance[0][0] / variance - 1)};
}

TEST(ProcessNoise, ReproducesTheOrnsteinUhlenbeckProcess) {
  const auto coarse = ornstein_uhlenbeck(0.1), medium = ornstein_uhlenbeck(0.05),
             fine = ornstein_uhlenbeck(0.025);
  EXPECT_LT(medium.mean_error, 0.01);
  EXPECT_LT(medium.variance_error, 0.01);
  EXPECT_LT(fine.mean_error, 0.002);
  EXPECT_LT(fine.variance_error, 0.002);
  EXPECT_LT(fine.variance_error, 0.5 * coarse.variance_error);
}

TEST(ProcessNoise, SpreadsInEachDirectionByItself) {
  auto problem =
      equations_problem<3>(gbees::linear_equations({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}));
  problem.sigma = {0.3, 0.3, 0.3};
  problem.spacing = {0.1, 0.1, 0.1};
  problem.options = options_with(Scheme::conservative, 1e-8);
  problem.options.noise = {0.2, 0, 0.05};
  auto density = problem.start<ExecSpace>();
  density.propagate(1.0);
  const auto summary = density.summarize();
  EXPECT_NEAR(summary.covariance[0][0], 0.09 + 0.2, 0.0029);
  EXPECT_NEAR(summary.covariance[1][1], 0.09, 0.0009);
  EXPECT_NEAR(summary.covariance[2][2], 0.09 + 0.05, 0.0014);
  EXPECT_NEAR(summary.covariance[0][2], 0, 1e-12);
  EXPECT_NEAR(summary.mass + summary.lost_mass, 1, 1e-13);
}

TEST(ProcessNoise, IsRefusedByTheReferenceScheme) {
  auto problem = lorenz63(Scheme::reference);
  problem.options.noise = {1, 1, 1};
  EXPECT_THROW(problem.start<ExecSpace>(), Error);
}

// -------------------------------------------------------------------------------------------------
// measurements

TEST(Measurement, OfSeveralQuantitiesIsTheKalmanUpdateOfAGaussian) {
  const EquationText still = gbees::linear_equations({{0, 0}, {0, 0}}, {0, 0});
  auto problem = equations_problem<2>(still);
  problem.mean = {1, -1};
  problem.sigma = {0.5, 0.4};
  problem.spacing = {0.02, 0.02};
  problem.options = options_with(Scheme::conservative, 1e-10);
  auto density = problem.start<ExecSpace>();
  gbees::Observation sums;
  sums.h = gbees::compile_functions(still, {"x1 + x2", "x1 - 2*x2"});
  sums.values = {0.3, 2.5};
  sums.covariance = {{0.09, 0.03}, {0.03, 0.16}};
  density.observe({sums});
  // K = P H^T (H P H^T + R)^-1
  const linalg::Matrix h{{1, 1}, {1, -2}}, p{{0.25, 0}, {0, 0.16}};
  linalg::Matrix innovation = sums.covariance;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      for (int i = 0; i < 2; ++i) innovation[a][b] += h[a][i] * p[i][i] * h[b][i];
    }
  }
  const linalg::Matrix inverse = linalg::inverse_positive_definite(innovation);
  const double residual[2] = {0.3 - 0, 2.5 - 3};
  const auto summary = density.summarize();
  for (int i = 0; i < 2; ++i) {
    double mean = problem.mean[i];
    for (int j = 0; j < 2; ++j) {
      double covariance = p[i][j];
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b)
          covariance -= p[i][i] * h[a][i] * inverse[a][b] * h[b][j] * p[j][j];
      }
      EXPECT_NEAR(summary.covariance[i][j], covariance, 1e-5);
    }
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) mean += p[i][i] * h[a][i] * inverse[a][b] * residual[b];
    }
    EXPECT_NEAR(summary.mean[i], mean, 1e-6);
  }
}

TEST(Measurement, OfAnAngleIsTheSameAfterATurn) {
  const EquationText still = gbees::linear_equations({{0, 0}, {0, 0}}, {0, 0});
  auto problem = equations_problem<2>(still);
  problem.mean = {-1, 0};  // where atan2 jumps
  problem.sigma = {0.2, 0.2};
  problem.spacing = {0.05, 0.05};
  problem.options = options_with(Scheme::conservative, 1e-8);
  const auto mean_after = [&](double angle) {
    auto density = problem.start<ExecSpace>();
    gbees::Observation direction;
    direction.h = gbees::compile_functions(still, {"atan2(x2, x1)"});
    direction.values = {angle};
    direction.covariance = {{0.01}};
    direction.period = {2 * M_PI};
    density.observe({direction});
    return density.summarize().mean[1];
  };
  EXPECT_NEAR(mean_after(M_PI - 0.1), mean_after(-M_PI - 0.1), 1e-12);
  EXPECT_NEAR(mean_after(M_PI - 0.1), -mean_after(M_PI + 0.1), 1e-12);
  EXPECT_GT(mean_after(M_PI - 0.1), 0.05);
}

// -------------------------------------------------------------------------------------------------
// other grids

TEST(Rebin, SharesMassesOutByVolume) {
  const gbees::Grid<2> grid{{{0, 0}}, {{1, 1}}};
  const CellList list = gbees::deposit<2>({0.5, 0.0, 3.0, 0.0}, {1.0, 0.5}, {1.0, 0.5}, grid);
  ASSERT_EQ(list.key.size(), 3u);
  EXPECT_NEAR(list.probability[0], 0.5, 1e-15);
  EXPECT_NEAR(list.probability[1], 0.5, 1e-15);
  EXPECT_NEAR(list.probability[2], 0.5, 1e-15);
  const CellList large = gbees::deposit<2>({0.25, -0.5}, {1.0}, {2.0, 3.0}, grid);
  double total = 0;
  for (const double p : large.probability) total += p;
  EXPECT_NEAR(total, 1, 1e-14);
  EXPECT_EQ(large.key.size(), 12u);
}

TEST(Rebin, CountsPointsInTheirCells) {
  const gbees::Grid<2> grid{{{0, 0}}, {{1, 1}}};
  const CellList list = gbees::histogram<2>({0.4, 0.4, -0.4, 0.2, 0.6, 0.0}, {1, 2, 4}, grid);
  EXPECT_EQ(list.probability, (std::vector<double>{3, 4}));
  EXPECT_THROW(gbees::histogram<2>({1e12, 0}, {1}, grid), Error);
}

TEST(Rebin, JoinsCells) {
  using Key = gbees::CellKey<2>;
  const auto key = [](int i, int j) { return Key::field(i, 0) | Key::field(j, 1); };
  const CellList fine{{key(-4, 0), key(-3, 2), key(-1, 2), key(0, 0), key(2, 2), key(3, 0)},
                      {1, 2, 4, 8, 16, 32}};
  const CellList coarse = gbees::coarsen<2>(fine, 3);
  EXPECT_EQ(coarse.key, (std::vector<std::uint64_t>{key(-2, 0), key(-1, 0), key(0, 0), key(1, 0)}));
  EXPECT_EQ(coarse.probability, (std::vector<double>{1, 6, 24, 32}));
  EXPECT_EQ(gbees::coarsen<2>(fine, 1000).key, (std::vector<std::uint64_t>{key(-1, 0), key(0, 0)}));
}

TEST(Rebin, ComparesDensities) {
  const CellList a{{1, 2}, {0.5, 0.5}}, b{{2, 3}, {1, 1}}, c{{7}, {1}};
  EXPECT_NEAR(gbees::compare(a, a).bhattacharyya, 1, 1e-15);
  EXPECT_NEAR(gbees::compare(a, a).l1, 0, 1e-15);
  EXPECT_NEAR(gbees::compare(a, b).bhattacharyya, 0.5, 1e-15);
  EXPECT_NEAR(gbees::compare(a, b).l1, 1, 1e-15);
  EXPECT_EQ(gbees::compare(a, c).bhattacharyya, 0);
  EXPECT_NEAR(gbees::compare(a, c).l1, 2, 1e-15);
  const CellList d{{1, 2}, {1, 3}};
  EXPECT_NEAR(gbees::compare(a, a).kullback_leibler, 0, 1e-15);
  EXPECT_NEAR(gbees::compare(a, d).kullback_leibler, 0.5 * std::log(4.0 / 3), 1e-15);
  EXPECT_EQ(gbees::compare(a, b).kullback_leibler, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(gbees::compare(CellList{{2}, {1}}, a).kullback_leibler, std::log(2.0), 1e-15);
}

// -------------------------------------------------------------------------------------------------
// turned grids

TEST(Frame, TurnsThereAndBack) {
  const auto eigen = linalg::eigen_decomposition({{2.0, 0.8}, {0.8, 1.0}});
  const gbees::Frame frame{{3, -1}, eigen.vectors};
  const double x[2] = {4.5, 0.25};
  const auto y = frame.coordinates(x);
  const auto back = frame.position(y.data());
  EXPECT_NEAR(back[0], x[0], 1e-14);
  EXPECT_NEAR(back[1], x[1], 1e-14);
  EXPECT_LT(eigen.values[0], eigen.values[1]);
}

TEST(Frame, EquationsInItAreThoseOfTheTurnedState) {
  const auto eigen =
      linalg::eigen_decomposition({{2.0, 0.8, 0.1}, {0.8, 1.0, -0.3}, {0.1, -0.3, 1.5}});
  const gbees::Frame frame{{-11.5, -10, 9.5}, eigen.vectors};
  const EquationText text = gbees::lorenz63_equations(4, 1, 48);
  const EquationProgram turned = gbees::compile(text, frame), plain = gbees::compile(text);
  const gbees::Vector<3> y{{0.4, -1.1, 2.0}};
  const auto position = frame.position(&y[0]);
  const gbees::Vector<3> x{{position[0], position[1], position[2]}};
  for (int a = 0; a < 3; ++a) {
    double expected = 0;
    for (int i = 0; i < 3; ++i) expected += eigen.vectors[i][a] * rate(plain, i, x);
    EXPECT_NEAR(rate(turned, a, y), expected, 1e-11);
  }
}

}  // namespace
}  // namespace tessera::test
