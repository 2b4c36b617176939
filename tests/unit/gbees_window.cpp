// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The window of indices that travels with a density: the same bits wherever it lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/propagator/rebin.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/gbees_densities.hpp"
#include "tests/unit/gbees_restart.hpp"
#include "tests/unit/gbees_windows.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellList;
using gbees::Scheme;
using gbees::Vector;
using testing::HasSubstr;

/// A narrow density in eight dimensions, where 253 cells can be indexed along an axis. It moves by
/// a cell a step along the first.
GbeesProblem<gbees::Equations<8>> drift(Scheme scheme) {
  linalg::Matrix at_rest(8, std::vector<double>(8, 0.0));
  auto problem = equations_problem<8>(gbees::linear_equations(at_rest, {1, 0, 0, 0, 0, 0, 0, 0}));
  problem.mean.fill(3);
  problem.sigma.fill(0.3);
  problem.spacing.fill(1);
  problem.options = options_with(scheme, 1e-3);
  problem.options.recentre = true;
  return problem;
}

TEST(GbeesWindow, FollowsADensityOverManyTimesItsLength) {
  auto density = drift(Scheme::conservative).start<ExecSpace>();
  const auto start = density.summarize();
  density.propagate(3000);  // at a Courant number of one: all cells move by one
  const auto end = density.summarize();
  EXPECT_NEAR(end.mean[0], 3003, 1e-9);
  EXPECT_NEAR(end.mode[0], 3003, 1e-9);
  EXPECT_EQ(end.low[0], start.low[0] + 3000);
  EXPECT_EQ(end.high[0], start.high[0] + 3000);
  EXPECT_NEAR(end.covariance[0][0], start.covariance[0][0], 1e-12);
  EXPECT_NEAR(end.mass + end.lost_mass, 1, 1e-12);
  for (int i = 1; i < 8; ++i) EXPECT_NEAR(end.mean[i], 3, 1e-12);
  EXPECT_GT(density.grid().offset[0], 2800);
  EXPECT_EQ(density.grid().offset[1], 0);
  EXPECT_EQ(density.marginals(end)[0].size(),
            static_cast<std::size_t>(end.high[0] - end.low[0] + 1));
}

/// The second variable goes round a circle of 40 cells.
TEST(GbeesWindow, DoesNotMoveRoundCircles) {
  auto problem = drift(Scheme::conservative);
  linalg::Matrix at_rest(8, std::vector<double>(8, 0.0));
  problem.program = gbees::compile(gbees::linear_equations(at_rest, {1, 0.5, 0, 0, 0, 0, 0, 0}));
  problem.options.threshold = 1e-4;
  gbees::Grid<8> grid = problem.grid();
  grid.make_circle(1, {0, 40}, 3);
  const gbees::LoadedEquations<ExecSpace, 8> loaded(problem.program);
  gbees::Propagator<ExecSpace, gbees::Equations<8>> density(ExecSpace(), loaded.dynamics, grid,
                                                            problem.options, loaded.owner);
  linalg::Matrix covariance(8, std::vector<double>(8, 0.0));
  for (std::size_t i = 0; i < 8; ++i) covariance[i][i] = problem.sigma[i] * problem.sigma[i];
  Vector<8> mean{};
  for (int i = 0; i < 8; ++i) mean[i] = 3;
  density.initialize(gbees::Gaussian<8>(mean, covariance));
  density.propagate(150);
  const auto end = density.summarize();
  EXPECT_NEAR(end.mass + end.lost_mass, 1, 1e-12);
  EXPECT_GT(density.grid().offset[0], 100);
  EXPECT_EQ(density.grid().offset[1], 0);
  EXPECT_GE(end.low[1], grid.first[1]);
  EXPECT_LT(end.high[1], grid.first[1] + 40);
}

TEST(GbeesWindow, ThatStaysIsAnErrorWhichNamesTheRemedy) {
  auto problem = drift(Scheme::conservative);
  problem.options.recentre = false;
  auto density = problem.start<ExecSpace>();
  try {
    density.propagate(3000);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the density has spread beyond the 253 cells that can be "
                                        "indexed along each axis in 8 dimensions"));
    EXPECT_THAT(error.what(), HasSubstr("grid.recentre: true"));
  }
}

TEST(GbeesWindow, CannotHoldADensityThatIsWider) {
  auto problem = spreading(1e-5);
  problem.options.recentre = true;
  auto density = problem.start<ExecSpace>();
  try {
    density.propagate(4);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the density has spread beyond the 253 cells"));
    EXPECT_THAT(
        error.what(),
        HasSubstr("set grid.keys: 128, or use a larger grid.spacing or a higher grid.threshold"));
  }
  EXPECT_GT(density.state().steps, 50u);
}

/// A density at the ends of a window, with the same cells as `other`.
template <class Real, class Problem>
auto begin_at_the_end(Problem problem, const gbees::Density<Problem::D>& other) {
  const CellList cells = other.raw_cells();
  const Vector<Problem::D> offset = window_that_ends_at<Problem::D>(cells);
  problem.options.recentre = true;
  auto density = problem.template start<ExecSpace, Real>();
  density.restore(gbees::in_window(cells, {}, offset), other.state(), offset);
  return density;
}

template <int D>
void expect_the_same_density(const gbees::Density<D>& a, const gbees::Density<D>& b) {
  expect_equal(a.raw_cells(), gbees::in_window(b.raw_cells(), b.grid().offset, a.grid().offset));
  expect_the_same_answers(a, b);
}

/// Compares a density with one that comes to no end of its window, with a measurement on the way.
template <class Real = double, class Problem>
void check_the_same_bits(const Problem& problem, double interval) {
  auto still = problem.template start<ExecSpace, Real>();
  still.begin_interval(interval);
  auto moved = begin_at_the_end<Real>(problem, still);
  const Vector<Problem::D> begin = moved.grid().offset;
  expect_the_same_density(still, moved);
  while (still.advance()) {
  }
  while (moved.advance()) {
  }
  expect_the_same_density(still, moved);
  EXPECT_FALSE(std::equal(begin.v, begin.v + Problem::D, moved.grid().offset.v));
  const double z = still.summarize().mean[1], variance = still.summarize().covariance[1][1];
  EXPECT_EQ(still.observe({{1, z, variance}}).at(0).log_evidence,
            moved.observe({{1, z, variance}}).at(0).log_evidence);
  still.propagate(interval);
  moved.propagate(interval);
  expect_the_same_density(still, moved);
}

TEST(GbeesWindow, GivesTheSameBitsWhereverItLies) {
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    check_the_same_bits(lorenz63(scheme), 0.2);
    check_the_same_bits<float>(lorenz63(scheme), 0.1);
    check_the_same_bits(lorenz96_coarse(scheme), 0.05);
    auto in_kernels = lorenz63(scheme);
    in_kernels.options.persistent_cells = 0;
    in_kernels.options.directory = gbees::DirectoryKind::unordered_map;
    check_the_same_bits(in_kernels, 0.1);
  }
}

TEST(GbeesWindow, GivesTheSameBitsWithStoredVelocitiesThatVaryInTime) {
  auto problem = equations_problem<2>(gbees::duffing_equations(0.35, 0.3, 1));
  problem.mean = {0, 1};
  problem.sigma = {0.1, 0.1};
  problem.spacing = {0.04, 0.04};
  problem.options = options_with(Scheme::conservative, 1e-7);
  check_the_same_bits(problem, 0.3);
  problem.options.noise = {0, 0.01};
  check_the_same_bits(problem, 0.1);
}

TEST(GbeesWindow, MayHaveMovedBeforeARestart) {
  struct Snapshot {
    CellList cells;
    gbees::StepperState state;
    Vector<8> offset;
  };
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    const auto problem = drift(scheme);
    auto whole = problem.start<ExecSpace>();
    whole.begin_interval(700);
    std::vector<Snapshot> snapshots;  // at the start, and where the window has moved
    do {
      if (snapshots.empty() || whole.grid().offset[0] != snapshots.back().offset[0]) {
        snapshots.push_back({whole.raw_cells(), whole.state(), whole.grid().offset});
      }
    } while (whole.advance());
    // a GPU makes many steps at a time
    EXPECT_GT(snapshots.size(), compat::is_gpu_v<ExecSpace> ? 1u : 4u);
    for (const Snapshot& snapshot : snapshots) {
      auto continued = problem.start<ExecSpace>();
      continued.restore(snapshot.cells, snapshot.state, snapshot.offset);
      while (continued.advance()) {
      }
      expect_the_same_density<8>(whole, continued);
      EXPECT_EQ(whole.grid().offset[0], continued.grid().offset[0]);
    }
  }
}

TEST(Windows, OfALargerCellsLieWhereThoseOfTheCellsDo) {
  const auto key = [](std::int64_t k, std::int64_t l) {
    return CellKey<2>::field(k, 0) | CellKey<2>::field(l, 1);
  };
  const CellList cells{{key(-7, 0), key(-6, 1), key(-1, 2), key(0, 2), key(3, 2), key(5, -4)},
                       {1, 2, 4, 8, 16, 32}};
  const CellList sorted = CellList::sorted(cells.key, cells.probability);
  const CellList coarse = gbees::coarsen<2>(sorted, 3);
  for (const double along : {-4.0, 1.0, 100.0, 1e9}) {
    const Vector<2> offset{{along, -along}}, none{};
    const CellList moved = gbees::coarsen<2>(gbees::in_window(sorted, none, offset), 3, offset);
    EXPECT_EQ(moved.probability, coarse.probability);
    EXPECT_EQ(moved.key.front() - coarse.key.front(), moved.key.back() - coarse.key.back());
  }
}

TEST(Windows, AreCentred) {
  const auto key = [](std::int64_t k, std::int64_t l) {
    return CellKey<2>::field(k, 0) | CellKey<2>::field(l, 1);
  };
  const CellList cells{{key(10, -3), key(20, -7)}, {0.5, 0.5}};
  const Vector<2> offset = gbees::window_about<2>(cells, {{100, 200}});
  EXPECT_EQ(offset[0], 115);
  EXPECT_EQ(offset[1], 195);
  EXPECT_EQ(gbees::in_window<2>(cells, {{100, 200}}, offset).key,
            (std::vector<std::uint64_t>{key(-5, 2), key(5, -2)}));
  EXPECT_THROW(gbees::in_window<2>(cells, {{100, 200}}, {{1e10, 200}}), Error);
}

}  // namespace
}  // namespace tessera::test
