// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A density whose cells several ranks share against one of a rank alone: bit for bit the same.
// Started alone this is one rank; CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/gbees_densities.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::CellList;
using gbees::Density;
using gbees::Scheme;

template <int D>
void expect_alike(Density<D>& alone, Density<D>& shared) {
  expect_equal(alone.take_history(), shared.take_history());
  expect_the_same_answers(alone, shared);
  const double cut = alone.summarize().max_p / 10;
  const CellList a = alone.raw_cells(), b = shared.raw_cells(), c = shared.cells(cut);
  if (!ranks().is_root()) {
    EXPECT_TRUE(b.key.empty() && c.key.empty());
    return;
  }
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.probability, b.probability);
  EXPECT_EQ(alone.cells(cut).probability, c.probability);
}

/// Carries both densities over three intervals and compares them.
template <class Real = double, class Problem>
void check(Problem problem, double interval) {
  auto alone = problem.template start<ExecSpace, Real>();
  problem.options.ranks = ranks();
  auto shared = problem.template start<ExecSpace, Real>();
  expect_alike(alone, shared);
  for (int i = 0; i < 3 && !testing::Test::HasFailure(); ++i) {
    alone.propagate(interval);
    shared.propagate(interval);
    expect_alike(alone, shared);
  }
}

template <class Dynamics>
auto with(GbeesProblem<Dynamics> problem, void (*change)(gbees::PropagatorOptions& options)) {
  change(problem.options);
  return problem;
}

TEST(GbeesRanks, CompiledDynamics) { check(lorenz63(Scheme::conservative), 0.2); }

TEST(GbeesRanks, TheReferenceScheme) { check(lorenz63(Scheme::reference), 0.2); }

TEST(GbeesRanks, TheReferenceSchemeInSixDimensions) {
  check(lorenz96_coarse(Scheme::reference), 0.1);
}

TEST(GbeesRanks, TheReferenceSchemeInSingleStorage) {
  check<float>(lorenz63(Scheme::reference), 0.1);
}

/// These dynamics store velocities.
TEST(GbeesRanks, EquationsWithTheReferenceScheme) {
  check(from_equations(lorenz63(Scheme::reference), gbees::lorenz63_equations(4, 1, 48)), 0.1);
}

TEST(GbeesRanks, SingleStorage) { check<float>(lorenz63(Scheme::conservative), 0.1); }

TEST(GbeesRanks, ProcessNoise) {
  check(with(lorenz63(Scheme::conservative),
             [](gbees::PropagatorOptions& options) {
               options.noise = {1, 0, 2};
             }),
        0.05);
}

TEST(GbeesRanks, SixDimensions) { check(lorenz96_coarse(Scheme::conservative), 0.1); }

/// These dynamics store velocities.
TEST(GbeesRanks, Equations) {
  check(from_equations(lorenz63(Scheme::conservative), gbees::lorenz63_equations(4, 1, 48)), 0.1);
}

TEST(GbeesRanks, DynamicsThatVaryInTime) {
  auto problem = equations_problem<2>(gbees::duffing_equations(0.35, 0.3, 1));
  problem.mean = {0, 1};
  problem.sigma = {0.1, 0.1};
  problem.spacing = {0.04, 0.04};
  problem.options = options_with(Scheme::conservative, 1e-7);
  check(problem, 0.5);
}

/// There are at first fewer cells than ranks, then few for each.
TEST(GbeesRanks, FewCells) {
  auto problem = equations_problem<1>(gbees::linear_equations({{0.0}}, {1.0}));
  problem.sigma[0] = 1;
  problem.spacing[0] = 4;
  problem.options = options_with(Scheme::conservative, 1e-3);
  check(problem, 10);
  problem.options.noise = {8};
  check(problem, 4);
}

TEST(GbeesRanks, Measurements) {
  auto problem = lorenz63(Scheme::conservative);
  auto alone = problem.start<ExecSpace>();
  problem.options.ranks = ranks();
  auto shared = problem.start<ExecSpace>();
  alone.propagate(0.3);
  shared.propagate(0.3);
  const auto program =
      gbees::compile_functions(gbees::lorenz63_equations(4, 1, 48), {"0.9*(x > y)"});
  const std::vector<gbees::Observation> observations{{2, -8.0, 4.0},
                                                     gbees::Observation::missed(program)};
  const auto a = alone.observe(observations), b = shared.observe(observations);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].log_evidence, b[k].log_evidence);
    EXPECT_EQ(std::isnan(a[k].deviation), std::isnan(b[k].deviation));
    EXPECT_TRUE(std::isnan(a[k].deviation) || a[k].deviation == b[k].deviation);
  }
  expect_alike(alone, shared);
  alone.propagate(0.3);
  shared.propagate(0.3);
  expect_alike(alone, shared);
}

/// A run that goes on from what one rank has, or several.
TEST(GbeesRanks, GoesOnWithOtherRanks) {
  auto problem = lorenz63(Scheme::conservative);
  auto alone = problem.start<ExecSpace>();
  alone.begin_interval(0.4);
  for (int batch = 0; batch < 3; ++batch) alone.advance();
  problem.options.ranks = ranks();
  auto shared = problem.start<ExecSpace>();
  shared.restore(alone.raw_cells(), alone.state());
  while (alone.advance()) {
  }
  while (shared.advance()) {
  }
  alone.take_history();
  shared.take_history();
  expect_alike(alone, shared);
}

/// A window of indices that travels, by 253 cells at most.
TEST(GbeesRanks, ADensityThatGoesFar) {
  linalg::Matrix spreading(8, std::vector<double>(8, 0.0));
  spreading[1][2] = 0.01;
  auto problem =
      equations_problem<8>(gbees::linear_equations(spreading, {1, -1, 0, 0, 0, 0, 0, 0}));
  problem.sigma.fill(0.4);
  problem.spacing.fill(1);
  problem.options = options_with(Scheme::conservative, 3e-4);
  problem.options.recentre = true;
  check(problem, 100);
  problem.options.scheme = Scheme::reference;
  check(problem, 70);
}

/// Half of the density grows, and rests upon the other half's rank when a prune divides it again:
/// one of two ranks has no memory for that.
struct Lopsided {
  GbeesProblem<gbees::Equations<2>> problem;  // that all ranks share
  GbeesProblem<gbees::Equations<2>> limited;  // the same with a limit on the memory
  // The number of steps until the half that grows almost fills the rows that it gets when it has
  // filled its first ones
  int steps = 0;
  double time = 0;  // of the last of them
};

Lopsided lopsided() {
  gbees::EquationText text;
  text.variables = {"x", "y"};
  text.equations = {"max(x, 0)", "0"};
  auto problem = equations_problem<2>(text);
  problem.sigma = {1, 1};
  problem.spacing = {0.025, 0.025};
  problem.options = options_with(Scheme::conservative, 1e-7);
  problem.options.prune_every = 10000;
  auto growing = problem.start<ExecSpace>();
  const double half = 0.5 * growing.state().cells, first_rows = 1.5 * half + 4096,
               more_rows = 1.5 * first_rows;
  growing.propagate(1.6);
  Lopsided result;
  for (const gbees::StepRecord& step : growing.take_history()) {
    if (static_cast<double>(step.cells_existing) - half >= 0.985 * more_rows) break;
    ++result.steps;
    result.time = step.time;
  }
  problem.options.ranks = ranks();
  result.problem = result.limited = problem;
  result.limited.options.memory_limit =
      static_cast<std::uint64_t>(1.5 * static_cast<double>(problem.start<ExecSpace>().memory()));
  return result;
}

/// Returns whether `work` ends for lack of memory. With two ranks on a CPU it does.
template <class Work>
bool lacks_memory(const Work& work) {
  bool has_failed = false;
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource) << error.what();
    has_failed = true;
  }
  EXPECT_TRUE(has_failed || ranks().size() != 2 || compat::is_gpu_v<ExecSpace>);
  return has_failed;
}

/// A density that all ranks share, from what is left of another one.
template <class Problem, class Shared>
auto continue_from(const Problem& problem, const Shared& left) {
  const CellList kept = left.raw_cells();
  double mass = 0;
  for (const double m : kept.probability) mass += m * left.state().scale;
  if (ranks().is_root()) {
    EXPECT_NEAR(mass, left.state().mass, 1e-12);
  }
  auto continued = problem.template start<ExecSpace>();
  continued.restore({ranks().all_gather(kept.key), ranks().all_gather(kept.probability)},
                    left.state());
  return continued;
}

TEST(GbeesRanks, CellsThatHaveNoRoomAtAPruneAreNotLost) {
  auto [problem, limited_problem, steps, time] = lopsided();
  const double end = 1.02 * time;
  problem.options.prune_every = limited_problem.options.prune_every = steps;
  auto alone_problem = problem;
  alone_problem.options.ranks = {};
  auto alone = alone_problem.start<ExecSpace>();
  alone.propagate(end);

  auto limited = limited_problem.start<ExecSpace>();
  if (lacks_memory([&] { limited.propagate(end); }) && ranks().size() == 2) {
    EXPECT_EQ(limited.state().steps, static_cast<std::uint64_t>(steps));
  }
  auto continued = continue_from(problem, limited);
  while (continued.advance()) {
  }
  alone.take_history();
  continued.take_history();
  expect_alike(alone, continued);
}

/// The density has taken the measurement where the prune that ends an update lacks memory, and what
/// the measurement says is known.
TEST(GbeesRanks, AnUpdateWithoutRoomForItsCellsIsNotLost) {
  auto [problem, limited_problem, steps, time] = lopsided();
  // With a limit, other numbers of ranks and GPUs would not get so far.
  if (ranks().size() != 2 || compat::is_gpu_v<ExecSpace>) limited_problem.options.memory_limit = 0;
  auto alone_problem = problem;
  alone_problem.options.ranks = {};
  const std::vector<gbees::Observation> observations{{0, 0.5, 1e4}, {1, 0.0, 1e3}};
  auto alone = alone_problem.start<ExecSpace>();
  alone.propagate(time);
  const auto told = alone.observe(observations);

  auto limited = limited_problem.start<ExecSpace>();
  limited.propagate(time);
  std::vector<gbees::MeasurementUpdate> updates;
  lacks_memory([&] { limited.observe(observations, updates); });
  ASSERT_EQ(updates.size(), told.size());
  for (std::size_t k = 0; k < told.size(); ++k) {
    EXPECT_EQ(updates[k].log_evidence, told[k].log_evidence);
    EXPECT_EQ(updates[k].deviation, told[k].deviation);
  }
  auto continued = continue_from(problem, limited);
  alone.take_history();
  continued.take_history();
  expect_alike(alone, continued);
  alone.propagate(0.02);
  continued.propagate(0.02);
  expect_alike(alone, continued);
}

TEST(GbeesRanks, AnErrorOfOneIsEverybodys) {
  auto problem = lorenz63(Scheme::conservative);
  problem.options.threshold = 2e-7;  // the cells become 25 times as many
  problem.options.memory_limit = problem.start<ExecSpace>().memory();
  problem.options.ranks = ranks();
  auto shared = problem.start<ExecSpace>();
  EXPECT_THROW(shared.propagate(1), Error);
  const CellList all = shared.raw_cells();
  if (ranks().is_root()) {
    EXPECT_EQ(all.key.size(), shared.state().cells + shared.state().elsewhere);
  }
}

}  // namespace
}  // namespace tessera::test
