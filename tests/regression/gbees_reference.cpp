// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// scheme: reference against the published CPU code: every step and every cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellList;
using gbees::Scheme;

/// Probabilities agree to this, relative to each: the bound the design sets.
constexpr double kTolerance = 1e-12;

/// The bound for dynamics from equations, whose terms are rounded in another order than the terms
/// of the published code.
constexpr double kEquationsTolerance = 1e-10;

std::string data_file(const std::string& name) {
  return std::string(kDataDirectory) + "/gbees/" + name;
}

template <int D>
CellList read_cells(const std::string& name) {
  std::ifstream file(data_file(name), std::ios::binary);
  EXPECT_TRUE(file) << name;
  char magic[4];
  std::int32_t dimension = 0;
  double time = 0;
  std::uint32_t count = 0;
  file.read(magic, 4)
      .read(reinterpret_cast<char*>(&dimension), 4)
      .read(reinterpret_cast<char*>(&time), 8)
      .read(reinterpret_cast<char*>(&count), 4);
  EXPECT_EQ(std::memcmp(magic, "GBC1", 4), 0);
  EXPECT_EQ(dimension, D);
  std::vector<std::pair<std::uint64_t, double>> cells(count);
  for (auto& [key, probability] : cells) {
    std::int16_t index[D];
    file.read(reinterpret_cast<char*>(index), sizeof index)
        .read(reinterpret_cast<char*>(&probability), 8);
    key = 0;
    for (int i = 0; i < D; ++i) key |= CellKey<D>::field(index[i], i);
  }
  EXPECT_TRUE(file);
  std::sort(cells.begin(), cells.end());
  CellList list;
  for (const auto& [key, probability] : cells) {
    list.key.push_back(key);
    list.probability.push_back(probability);
  }
  return list;
}

void expect_same_cells(const CellList& ours, const CellList& reference, const std::string& name,
                       double tolerance = kTolerance) {
  ASSERT_EQ(ours.key.size(), reference.key.size()) << name;
  EXPECT_EQ(ours.key, reference.key) << name;
  double worst = 0;
  for (std::size_t i = 0; i < ours.key.size(); ++i) {
    worst = std::max(worst, std::fabs(ours.probability[i] / reference.probability[i] - 1));
  }
  EXPECT_LE(worst, tolerance) << name;
}

struct ReferenceStep {
  double time, dt;
  std::uint32_t active, existing;
};

std::vector<ReferenceStep> read_steps(const std::string& name) {
  std::ifstream file(data_file(name));
  EXPECT_TRUE(file) << name;
  std::vector<ReferenceStep> steps;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    int measurement = 0, step = 0;
    ReferenceStep entry{};
    words >> measurement >> step >> entry.time >> entry.dt >> entry.active >> entry.existing;
    steps.push_back(entry);
  }
  return steps;
}

void expect_same_steps(const std::vector<gbees::StepRecord>& ours,
                       const std::vector<ReferenceStep>& reference) {
  ASSERT_EQ(ours.size(), reference.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(ours[i].cells_existing, reference[i].existing) << "step " << i + 1;
    ASSERT_EQ(ours[i].cells_active, reference[i].active) << "step " << i + 1;
    ASSERT_NEAR(ours[i].time, reference[i].time, 1e-13) << "step " << i + 1;
    ASSERT_NEAR(ours[i].dt, reference[i].dt, 1e-12 * reference[i].dt + 1e-15) << "step " << i + 1;
  }
}

TEST(GbeesReference, Lorenz63EqualsThePublishedCode) {
  auto density = lorenz63(Scheme::reference).start<ExecSpace>();
  const double threshold = 5e-6;
  int record = 0;
  for (int segment = 0; segment < 2; ++segment) {
    if (segment == 1) density.observe({{2, -8.0, 1.0}});
    for (int interval = 0; interval <= 4; ++interval, ++record) {
      if (interval > 0) density.propagate(0.25);
      const std::string name = "peer_lorenz63_thr5e-6_rec" + std::to_string(record) + ".cells";
      expect_same_cells(density.cells(threshold), read_cells<3>(name), name);
    }
  }
  EXPECT_EQ(density.state().steps, 963u);
  EXPECT_EQ(density.state().cell_steps, 6512143u);
  EXPECT_EQ(density.state().max_cells, 19628u);
  expect_same_steps(density.take_history(), read_steps("peer_lorenz63_thr5e-6_steps.csv"));
}

TEST(GbeesReference, CoarseLorenz96EqualsThePublishedCode) {
  auto density = lorenz96_coarse(Scheme::reference).start<ExecSpace>();
  const double threshold = 2e-5;
  for (int record = 0; record <= 13; ++record) {
    if (record > 0) density.propagate(1.3 / 13);
    if (record != 0 && record != 5 && record != 10 && record != 13) continue;
    const std::string name = "peer_lorenz96_coarse_thr2e-5_rec" + std::to_string(record) + ".cells";
    expect_same_cells(density.cells(threshold), read_cells<6>(name), name);
  }
  EXPECT_EQ(density.state().steps, 321u);
  EXPECT_EQ(density.state().cell_steps, 22754828u);
  EXPECT_EQ(density.state().max_cells, 123254u);
  expect_same_steps(density.take_history(), read_steps("peer_lorenz96_coarse_thr2e-5_steps.csv"));
}

// -------------------------------------------------------------------------------------------------
// dynamics from equations

template <int D>
GbeesProblem<gbees::Equations<D>> make_problem(const gbees::EquationText& text,
                                               const std::array<double, D>& mean,
                                               const std::array<double, D>& variance,
                                               const std::array<double, D>& factor,
                                               double threshold) {
  auto problem = equations_problem<D>(text);
  problem.mean = mean;
  for (int i = 0; i < D; ++i) {
    problem.sigma[i] = std::sqrt(variance[i]);
    problem.spacing[i] = problem.sigma[i] / (2 * factor[i]);
  }
  problem.options = options_with(Scheme::reference, threshold);
  return problem;
}

/// Every n-th cell at or above the threshold, in the order of the keys.
CellList thinned(const CellList& cells, std::size_t n) {
  CellList some;
  for (std::size_t i = 0; i < cells.key.size(); i += n) {
    some.key.push_back(cells.key[i]);
    some.probability.push_back(cells.probability[i]);
  }
  return some;
}

/// Runs in equal intervals: every step, and every n-th cell of the last record.
template <class Problem>
void expect_published_run(const Problem& problem, double interval, int intervals,
                          const std::string& name, std::size_t n) {
  auto density = problem.template start<ExecSpace>();
  for (int i = 0; i < intervals; ++i) density.propagate(interval);
  const std::vector<ReferenceStep> steps = read_steps("peer_" + name + "_steps.csv");
  expect_same_steps(density.take_history(), steps);
  const CellList cells = density.cells(problem.options.threshold);
  EXPECT_EQ(cells.key.size(), steps.back().active);
  const std::string record = "peer_" + name + "_rec" + std::to_string(intervals) + ".cells";
  expect_same_cells(thinned(cells, n), read_cells<Problem::D>(record), record, kEquationsTolerance);
}

GbeesProblem<gbees::Equations<2>> duffing() {
  auto problem =
      make_problem<2>(gbees::duffing_equations(0.2, 0.5, 1.7), {0, 1}, {0.01, 0.01}, {3, 5}, 1e-8);
  problem.options.velocities_of_start = true;
  return problem;
}

/// Time-varying dynamics are those of the published code, if that finds the velocities before cells
/// grow by them, and the coordinates of cells by fused sums.
TEST(GbeesReference, DuffingEqualsThePublishedCodeWithVelocitiesOfTheStep) {
  expect_published_run(duffing(), 0.5, 10, "duffing_changed", 4);
}

/// The published code, unchanged, grows cells by the velocities of the step before. Few cells, and
/// little probability, depend on it.
TEST(GbeesReference, DuffingIsCloseToThePublishedCode) {
  auto density = duffing().start<ExecSpace>();
  for (int i = 0; i < 10; ++i) density.propagate(0.5);
  EXPECT_EQ(density.state().steps, 1307u);
  const CellList ours = density.cells(1e-8), published = read_cells<2>("peer_duffing_rec10.cells");
  ASSERT_EQ(ours.key, published.key);
  double distance = 0;
  for (std::size_t i = 0; i < ours.key.size(); ++i)
    distance += std::fabs(ours.probability[i] - published.probability[i]);
  EXPECT_LT(distance, 5e-5);
}

TEST(GbeesReference, Lorenz63OnATurnedGridEqualsThePublishedCode) {
  const linalg::Eigen eigen =
      linalg::eigen_decomposition({{1, 0.5, 0.2}, {0.5, 1.3, 0.3}, {0.2, 0.3, 0.7}});
  auto problem =
      make_problem<3>(gbees::lorenz63_equations(4, 1, 48), {0, 0, 0},
                      {eigen.values[0], eigen.values[1], eigen.values[2]}, {1, 1, 1}, 1e-5);
  problem.program =
      gbees::compile(gbees::lorenz63_equations(4, 1, 48), {{-11.5, -10, 9.5}, eigen.vectors});
  expect_published_run(problem, 0.5 / 3, 3, "lorenz63_turned", 1);
}

TEST(GbeesReference, VanDerPolsOscillatorEqualsThePublishedCode) {
  const gbees::EquationText text{{"x", "y"}, {}, {}, {"y", "(1 - x^2)*y - x"}, {}};
  expect_published_run(make_problem<2>(text, {1, 0}, {0.01, 0.01}, {4, 4}, 1e-8), 2.5, 1,
                       "vanderpol", 4);
}

TEST(GbeesReference, PlanarThreeBodyProblemEqualsThePublishedCode) {
  const double place = 7.0303608437767e-9, speed = 2.51477110445507e-8;
  expect_published_run(
      make_problem<4>(gbees::three_body_equations(true, 1.901109735892602e-7),
                      {1.001471995170839, -1.7518099335e-5, 7.1987832396e-5, 0.013633926328993},
                      {place, place, speed, speed}, {1, 1, 1, 1}, 2e-6),
      0.05, 2, "pcr3bp", 40);
}

TEST(GbeesReference, ThreeBodyProblemEqualsThePublishedCode) {
  const double place = 6.58464706e-10, speed = 9.65799463e-7, half = 0.5;
  expect_published_run(make_problem<6>(gbees::three_body_equations(false, 1.21505844691978e-2),
                                       {1.02134, 0, -0.18162, 0, -0.10176, 9.76561e-7},
                                       {place, place, place, speed, speed, speed},
                                       {half, half, half, half, half, half}, 1e-5),
                       0.005, 2, "cr3bp", 10);
}

}  // namespace
}  // namespace tessera::test
