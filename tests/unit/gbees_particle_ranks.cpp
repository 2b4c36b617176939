// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Particles and filters that several ranks share against those of a rank alone: bit for bit the
// same. Started alone this is one rank; CTest starts it by mpirun too.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/gbees/particles/ensemble_filter.hpp"
#include "tessera/gbees/propagator/rebin.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gbees_particles.hpp"

namespace tessera::test {
namespace {

using gbees::CellList;
using gbees::GatheredParticles;
using gbees::Observation;

const linalg::Matrix kNoise{{0.02, 0}, {0, 0.05}};

/// Returns observations of x, and of an angle that jumps.
std::vector<Observation> observations() {
  return {Observation(0, 1.3, 0.02),
          Observation(gbees::compile_functions(oscillator(), {"atan2(v, x)", "x"}), {3.1, 1.2},
                      {{0.05, 0.01}, {0.01, 0.06}}, {2 * 3.14159265358979323846, 0})};
}

/// Checks that the first rank has the particles of a rank that runs alone.
void expect_equal(const GatheredParticles& alone, const GatheredParticles& shared) {
  if (!ranks().is_root()) {
    EXPECT_TRUE(shared.points.empty() && shared.log_weight.empty() && shared.done.empty());
    return;
  }
  EXPECT_EQ(alone.points, shared.points);
  EXPECT_EQ(alone.log_weight, shared.log_weight);
  EXPECT_EQ(alone.done, shared.done);
}

void expect_equal(const gbees::MonteCarloRecord& a, const gbees::MonteCarloRecord& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.covariance, b.covariance);
  EXPECT_EQ(a.effective_samples, b.effective_samples);
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(a.bhattacharyya, b.bhattacharyya);
  EXPECT_EQ(a.l1, b.l1);
}

/// The initial density on cells that ranks have a part of each, or one alone all.
CellList cells(const gbees::Grid<2>& grid, const parallel::Communicator& of) {
  CellList all;
  const gbees::Gaussian<2> gaussian(kMean, kCovariance);
  for (int i = -20; i <= 20; ++i) {
    for (int j = -20; j <= 20; ++j) {
      const std::uint64_t key = gbees::CellKey<2>::field(i, 0) | gbees::CellKey<2>::field(j, 1);
      if ((i + 20) * of.size() / 41 != of.rank()) continue;
      all.key.push_back(key);
      all.probability.push_back(gaussian.peak * gaussian(grid.centre(key)) * 0.0025);
    }
  }
  return all;
}

class ParticleRanks : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ParticleRanks, MoveAndWeighThem) {
  const auto alone = particles(GetParam(), kNoise, 3),
             shared = particles(GetParam(), kNoise, 3, ranks());
  const gbees::Grid<2> grid{kMean, {{0.05, 0.05}}};
  expect_equal(alone->gather(), shared->gather());
  expect_equal(alone->compare_with(cells(grid, {}), grid, 0, 0),
               shared->compare_with(cells(grid, ranks()), grid, 0, 0));
  while (alone->propagate(0, 1)) {
  }
  while (shared->propagate(0, 1)) {
  }
  expect_equal(alone->gather(), shared->gather());
  while (alone->observe(observations(), 1)) {
  }
  while (shared->observe(observations(), 1)) {
  }
  expect_equal(alone->gather(), shared->gather());
  expect_equal(alone->compare_with(cells(grid, {}), grid, 0, 1),
               shared->compare_with(cells(grid, ranks()), grid, 0, 1));
  alone->resample_below(1);
  shared->resample_below(1);
  expect_equal(alone->gather(), shared->gather());
}

TEST_P(ParticleRanks, FilterThem) {
  const auto alone = particles(GetParam(), {}, 5), shared = particles(GetParam(), {}, 5, ranks());
  EXPECT_EQ(alone->assimilate(observations(), 0), shared->assimilate(observations(), 0));
  expect_equal(alone->gather(), shared->gather());
  EXPECT_EQ(alone->weigh(observations(), 0), shared->weigh(observations(), 0));
  expect_equal(alone->gather(), shared->gather());
}

INSTANTIATE_TEST_SUITE_P(Numbers, ParticleRanks, testing::Values(100, 1024, 2500, 10000));

/// Particles are resampled also where all weight lies at one rank, so that all others get their
/// particles from there.
TEST(ParticleRanks, ResampleThem) {
  for (const std::uint64_t count : {900u, 5000u}) {
    for (const double heavy : {-1.0, 0.1, 0.5, 0.999}) {
      std::vector<double> weights;
      for (std::uint64_t n = 0; n < count; ++n) {
        const double at = static_cast<double>(n) / static_cast<double>(count);
        weights.push_back(heavy < 0 ? 1.5 + std::sin(0.01 * static_cast<double>(n))
                          : std::fabs(at - heavy) < 0.0005 ? 1
                                                           : 1e-30);
      }
      auto alone = numbered(weights), shared = numbered(weights, ranks());
      EXPECT_EQ(gbees::detail::effective_number(alone), gbees::detail::effective_number(shared));
      gbees::detail::resample(alone, 0.3);
      gbees::detail::resample(shared, 0.3);
      EXPECT_EQ(first_coordinates(alone), ranks().all_gather(first_coordinates(shared)));
    }
  }
}

TEST(CellRanks, AreComparedAsOfOne) {
  const gbees::Grid<2> grid{kMean, {{0.05, 0.05}}};
  const CellList all = cells(grid, {}), own = cells(grid, ranks());
  const linalg::Matrix wider{{0.05, 0}, {0, 0.1}};
  EXPECT_EQ(gbees::bhattacharyya<2>(all, grid, kMean, wider),
            gbees::bhattacharyya<2>(own, grid, kMean, wider, ranks()));
  const CellList coarse = gbees::coarsen<2>(all, 3),
                 of_own = gbees::coarsen<2>(own, 3, {}, ranks());
  const CellList gathered =
      CellList::sorted(ranks().all_gather(of_own.key), ranks().all_gather(of_own.probability));
  EXPECT_EQ(coarse.key, gathered.key);
  EXPECT_EQ(coarse.probability, gathered.probability);
  CellList flat = coarse, flat_own = of_own;
  for (double& p : flat.probability) p = 0.01;
  for (double& p : flat_own.probability) p = 0.01;
  const auto a = gbees::compare(coarse, flat), b = gbees::compare(of_own, flat_own, ranks());
  EXPECT_EQ(a.bhattacharyya, b.bhattacharyya);
  EXPECT_EQ(a.l1, b.l1);
}

}  // namespace
}  // namespace tessera::test
