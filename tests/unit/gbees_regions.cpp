// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Regions, credible sets and likelihoods on every backend. Closed forms of more cases:
// tests/regression/cli_regions.py, cli_observations.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gbees/regions/credible_set.hpp"
#include "tessera/gbees/regions/regions.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::CredibleSet;
using gbees::Density;
using gbees::Equations;
using gbees::EquationText;
using gbees::Gaussian;
using gbees::Grid;
using gbees::Observation;
using gbees::PropagatorOptions;
using gbees::RegionProgram;
using testing::HasSubstr;

/// x drifts to the right with noise, y rests.
EquationText drifting() { return {{"x", "y"}, {}, {}, {"0.6 + 0*x", "0*y"}, {}}; }

std::unique_ptr<Density<2>> make_density(double spacing) {
  const gbees::LoadedEquations<ExecSpace, 2> loaded(gbees::compile(drifting()));
  PropagatorOptions options;
  options.threshold = 1e-11;
  options.noise = {0.5, 0};
  auto density = std::make_unique<gbees::Propagator<ExecSpace, Equations<2>>>(
      ExecSpace(), loaded.dynamics, Grid<2>{{{0, 0}}, {{spacing, 0.2}}}, options, loaded.owner);
  density->initialize(Gaussian<2>({{0, 0}}, {{0.09, 0}, {0, 0.09}}));
  return density;
}

void advance_to(Density<2>& density, double length) {
  density.begin_interval(length);
  while (density.advance()) {
  }
}

double cumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }

/// Returns the probability that Brownian motion with drift 0.6 and noise 0.5 has gone so far, from
/// a Gaussian start.
double first_passage(double distance, double time) {
  double sum = 0, weights = 0;
  for (int k = -400; k <= 400; ++k) {
    const double start = 0.3 * 4 * k / 400, d = distance - start, spread = std::sqrt(0.5 * time);
    const double weight = std::exp(-0.5 * start * start / 0.09);
    weights += weight;
    sum += weight * (cumulative((0.6 * time - d) / spread) +
                     std::exp(2 * 0.6 * d / 0.5) * cumulative((-d - 0.6 * time) / spread));
  }
  return sum / weights;
}

struct Passage {
  double absorbed = 0, imbalance = 0, within = 0;
  std::vector<double> histogram;
};

/// Returns what a wall at x = 1.5 has absorbed by t = 1, and what is then within |y| < 0.3.
Passage passage(double spacing, bool follows = true) {
  const auto density = make_density(spacing);
  RegionProgram wall{gbees::compile_condition(drifting(), "x > 1.5"), true, {}};
  wall.histograms.push_back({gbees::compile_functions(drifting(), {"t"}), 0, 1, 4});
  const RegionProgram strip{gbees::compile_condition(drifting(), "abs(y) < 0.3"), false, {}};
  const auto regions = gbees::make_regions<ExecSpace, 2>({wall, strip}, {});
  density->after_each_step([&] { regions->absorb(density->device_cells()); });
  if (follows) density->after_each_prune([&] { regions->follow(density->device_cells()); });
  advance_to(*density, 1);
  const auto summary = density->summarize();
  const std::vector<double> probability = regions->probability(density->device_cells());
  regions->take_history(0);  // the histograms are of the steps before
  return {probability[0], std::fabs(probability[0] + summary.mass + summary.lost_mass - 1),
          probability[1] / summary.mass, regions->histograms(0)[0]};
}

TEST(GbeesRegions, AbsorbWhatPassesFirst) {
  const double expected = first_passage(1.5, 1);
  const Passage coarse = passage(0.1), fine = passage(0.05);
  EXPECT_LT(std::fabs(coarse.absorbed - expected), 0.009);
  EXPECT_LT(std::fabs(fine.absorbed - expected), 0.7 * std::fabs(coarse.absorbed - expected));
  for (const Passage& run : {coarse, fine}) {
    EXPECT_LT(run.imbalance, 1e-12);
    double sum = 0;
    for (const double bin : run.histogram) sum += bin;
    EXPECT_NEAR(sum, run.absorbed, 1e-12);
  }
}

TEST(GbeesRegions, HaveTheSameBitsEachTimeAndWhereSharesAreFoundAgain) {
  const Passage first = passage(0.1), second = passage(0.1), third = passage(0.1, false);
  EXPECT_EQ(first.absorbed, third.absorbed);
  EXPECT_EQ(first.histogram, third.histogram);
  EXPECT_EQ(first.absorbed, second.absorbed);
  EXPECT_EQ(first.within, second.within);
  EXPECT_EQ(first.histogram, second.histogram);
}

TEST(GbeesRegions, CountCutCellsByTheirShares) {
  // cells of 0.2, of which two are cut in half
  EXPECT_NEAR(passage(0.1).within, 2 * cumulative(1) - 1, 0.012);
}

TEST(GbeesRegions, CredibleSetsOfAGaussianAreEllipses) {
  const gbees::LoadedEquations<ExecSpace, 2> loaded(gbees::compile(drifting()));
  PropagatorOptions options;
  options.threshold = 1e-11;
  gbees::Propagator<ExecSpace, Equations<2>> density(
      ExecSpace(), loaded.dynamics, Grid<2>{{{0, 0}}, {{0.01, 0.01}}}, options, loaded.owner);
  density.initialize(Gaussian<2>({{0, 0}}, {{0.16, 0.05}, {0.05, 0.09}}));
  const std::vector<double> levels{0.68, 0.95};
  const auto sets = gbees::find_credible_sets<ExecSpace, 2>(density.device_cells(), levels, {});
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const double area =
        -2 * std::log(1 - levels[l]) * 3.14159265358979323846 * std::sqrt(0.16 * 0.09 - 0.0025);
    EXPECT_NEAR(sets[l].volume / area, 1, 3e-3);
    EXPECT_GE(sets[l].mass, levels[l]);
    EXPECT_NEAR(sets[l].mass, levels[l], 5e-4);
  }
}

/// The mean along x after an observation.
double observed_mean(const Observation& observation) {
  const auto density = make_density(0.05);
  density->observe({observation});
  return density->summarize().mean[0];
}

TEST(GbeesLikelihoods, OfAGaussianAreTheMeasurement) {
  const double measured = observed_mean({0, 0.4, 0.04});
  const auto likelihood =
      Observation::likelihood(gbees::compile_functions(drifting(), {"exp(-(x - 0.4)^2/0.08)"}));
  EXPECT_NEAR(observed_mean(likelihood), measured, 1e-13);
  const auto student =
      Observation::student(gbees::compile_functions(drifting(), {"x"}), {0.4}, {0.2}, 1e9);
  EXPECT_NEAR(observed_mean(student), measured, 1e-7);
}

TEST(GbeesLikelihoods, OfAMissedDetection) {
  const auto density = make_density(0.05);
  const auto update = density->observe(
      {Observation::missed(gbees::compile_functions(drifting(), {"0.8*(x > 0.325)"}))});
  EXPECT_NEAR(update[0].log_evidence, std::log(1 - 0.8 * cumulative(-0.325 / 0.3)), 1e-3);
  EXPECT_TRUE(std::isnan(update[0].deviation));
}

TEST(GbeesLikelihoods, ThatAreNoneAreRefused) {
  const auto refuse = [](const Observation& observation, const std::string& phrase) {
    try {
      make_density(0.1)->observe({observation});
      ADD_FAILURE() << phrase;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(phrase));
    }
  };
  refuse(Observation::likelihood(gbees::compile_functions(drifting(), {"x"})),
         "the likelihood (a likelihood) is -");
  refuse(Observation::likelihood(gbees::compile_functions(drifting(), {"x > 99"})),
         "vanishes on every cell");
  refuse(Observation::missed(gbees::compile_functions(drifting(), {"1 + (y > 0)"})),
         "the probability of a detection");
}

TEST(GbeesMixtures, HoldTheSumInEachCell) {
  const gbees::LoadedEquations<ExecSpace, 2> loaded(gbees::compile(drifting()));
  PropagatorOptions options;
  options.threshold = 1e-8;
  const Grid<2> grid{{{0, 0}}, {{0.05, 0.05}}};
  gbees::Propagator<ExecSpace, Equations<2>> density(ExecSpace(), loaded.dynamics, grid, options,
                                                     loaded.owner);
  const Gaussian<2> first({{0, 0}}, {{0.09, 0}, {0, 0.04}}),
      second({{0.5, 0.1}}, {{0.04, 0.01}, {0.01, 0.09}});
  density.initialize(gbees::Mixture<2>{{3, first}, {1, second}});
  const auto cells = density.cells(0);
  EXPECT_EQ(std::adjacent_find(cells.key.begin(), cells.key.end()), cells.key.end());
  for (std::size_t c = 0; c < cells.key.size(); ++c) {
    const auto x = grid.centre(cells.key[c]);
    const double held =
        0.05 * 0.05 * (0.75 * first.peak * first(x) + 0.25 * second.peak * second(x));
    EXPECT_NEAR(cells.probability[c] / held, 1, 1e-11);
  }
}

}  // namespace
}  // namespace tessera::test
