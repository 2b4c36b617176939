// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests of the start of a density, of what is left out of it, and of what measurements say of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::CellKey;
using gbees::CellList;
using gbees::Equations;
using gbees::Gaussian;
using gbees::Grid;
using gbees::MeasurementUpdate;
using gbees::Scheme;
using gbees::Summary;
using testing::HasSubstr;

/// A density that stands still, of D variables.
template <int D>
gbees::Propagator<ExecSpace, Equations<D>> resting(const Grid<D>& grid, double threshold,
                                                   Scheme scheme = Scheme::conservative) {
  const auto text =
      gbees::ornstein_uhlenbeck_equations(std::vector<double>(D, 0.5), std::vector<double>(D, 0.0));
  const gbees::LoadedEquations<ExecSpace, D> loaded(gbees::compile(text));
  return {ExecSpace(), loaded.dynamics, grid, options_with(scheme, threshold), loaded.owner};
}

template <int D>
Grid<D> grid_of(double spacing) {
  Grid<D> grid{};
  for (int i = 0; i < D; ++i) grid.spacing[i] = spacing * (1 + 0.3 * i);
  return grid;
}

/// Variances of 1, 1.5, 2 ... and a correlation of 0.6^|i - j|.
template <int D>
linalg::Matrix correlated() {
  linalg::Matrix covariance(D, std::vector<double>(D));
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j)
      covariance[i][j] = std::sqrt((1 + 0.5 * i) * (1 + 0.5 * j)) * std::pow(0.6, std::abs(i - j));
  }
  return covariance;
}

/// The cells whose probability is at least the threshold, by a look at every cell of a box.
template <int D>
CellList search_box(const Gaussian<D>& density, const Grid<D>& grid, double threshold) {
  double volume = 1;
  std::int64_t first[D], last[D], k[D];
  for (int i = 0; i < D; ++i) {
    volume *= grid.spacing[i];
    first[i] = k[i] = static_cast<std::int64_t>(std::floor(
        (density.mean[i] - grid.origin[i] - 7 * density.deviation[i]) / grid.spacing[i]));
    last[i] = static_cast<std::int64_t>(
        std::ceil((density.mean[i] - grid.origin[i] + 7 * density.deviation[i]) / grid.spacing[i]));
  }
  CellList cells;
  while (k[0] <= last[0]) {
    std::uint64_t key = 0;
    for (int i = 0; i < D; ++i) key |= CellKey<D>::field(k[i], i);
    const double probability = density(grid.centre(key)) * density.peak * volume;
    if (probability >= threshold) {
      cells.key.push_back(key);
      cells.probability.push_back(probability);
    }
    int i = D - 1;
    while (++k[i] > last[i] && i > 0) k[i] = first[i], --i;
  }
  return cells;
}

template <int D>
void compare_with_search(double spacing, double threshold) {
  const Grid<D> grid = grid_of<D>(spacing);
  gbees::Vector<D> mean{};
  for (int i = 0; i < D; ++i) mean[i] = 0.37 - 0.21 * i;
  const Gaussian<D> density(mean, correlated<D>());
  auto started = resting<D>(grid, threshold);
  started.initialize(density);
  const CellList found = started.cells(0), wanted = search_box(density, grid, threshold);
  ASSERT_EQ(found.key, wanted.key) << D << " dimensions";
  ASSERT_GT(found.key.size(), 20u) << D << " dimensions";
  double kept = 0;
  for (std::size_t c = 0; c < found.key.size(); ++c) {
    ASSERT_NEAR(found.probability[c], wanted.probability[c], 1e-13 * wanted.probability[c])
        << D << " dimensions";
    kept += wanted.probability[c];
  }
  EXPECT_NEAR(started.state().mass, kept, 1e-12) << D << " dimensions";
  EXPECT_NEAR(started.state().mass + started.state().lost_mass, 1, 1e-15) << D << " dimensions";
}

TEST(GbeesStart, HasTheCellsThatASearchOfABoxFinds) {
  compare_with_search<1>(0.01, 1e-9);
  compare_with_search<2>(0.1, 1e-8);
  compare_with_search<3>(0.4, 1e-7);
  compare_with_search<4>(0.9, 1e-6);
}

TEST(GbeesStart, CountsWhatItLeavesOutAsLost) {
  // In two dimensions the share outside the ellipse of density `threshold` is the threshold as a
  // share of the peak.
  for (const double share : {0.3, 0.03, 0.003}) {
    const Grid<2> grid{{{0, 0}}, {{0.02, 0.02}}};
    const Gaussian<2> density({{0, 0}}, {{1, 0.5}, {0.5, 1}});
    auto started = resting<2>(grid, share * density.peak * 4e-4);
    started.initialize(density);
    EXPECT_NEAR(started.state().lost_mass, share, 1e-3) << share;
    const Summary<2> summary = started.summarize();
    EXPECT_NEAR(summary.mass, 1 - share, 1e-3) << share;
    EXPECT_EQ(summary.lost_mass, started.state().lost_mass);
  }
}

TEST(GbeesStart, CountsGivenCellsThatItLeavesOut) {
  const Grid<1> grid{{{0}}, {{1}}};
  CellList cells;
  for (int k = 0; k < 4; ++k) {
    cells.key.push_back(CellKey<1>::field(k, 0));
    cells.probability.push_back(k == 3 ? 0.25 : 1.25);  // of four in all: one part in sixteen
  }
  auto started = resting<1>(grid, 0.1);
  started.initialize(cells);
  EXPECT_EQ(started.state().cells, 3u);
  EXPECT_NEAR(started.state().mass, 15.0 / 16, 1e-15);
  EXPECT_NEAR(started.state().lost_mass, 1.0 / 16, 1e-15);
}

TEST(GbeesStart, NormalisesWhereCellsAreTooCoarse) {
  auto started = resting<1>(Grid<1>{{{0}}, {{10}}}, 1e-9);
  started.initialize(Gaussian<1>({{0}}, {{1}}));  // density times volume at the mean is 4
  EXPECT_EQ(started.state().mass, 1);
  EXPECT_EQ(started.state().lost_mass, 0);
}

TEST(GbeesStart, FindsTheFewCellsOfEightDimensionsAmongMany) {
  linalg::Matrix covariance(8, std::vector<double>(8));
  for (int i = 0; i < 8; ++i) covariance[i][i] = 1;
  Grid<8> grid{};
  for (int i = 0; i < 8; ++i) grid.spacing[i] = 0.5;
  const Gaussian<8> density({}, covariance);
  // The cells lie within 2.06 standard deviations; the box about them has 9^8 cells.
  const double threshold = 3e-7;
  auto started = resting<8>(grid, threshold);
  started.initialize(density);
  EXPECT_GT(started.state().cells, 200000u);
  EXPECT_LT(started.state().cells, 500000u);
  // The mass outside the sphere of radius^2 q = 2 ln(peak / threshold) is exp(-q/2) (1 + h + h^2/2
  // + h^3/6), h = q/2.
  const double h = std::log(density.peak * std::pow(0.5, 8) / threshold);
  EXPECT_NEAR(started.state().lost_mass, std::exp(-h) * (1 + h + h * h / 2 + h * h * h / 6), 0.02);
}

TEST(GbeesStart, SaysWhenNoCellReachesTheThreshold) {
  Grid<6> grid{};
  linalg::Matrix covariance(6, std::vector<double>(6));
  for (int i = 0; i < 6; ++i) {
    grid.spacing[i] = 1e-3;
    covariance[i][i] = 1;
  }
  auto started = resting<6>(grid, 1e-9);
  try {
    started.initialize(Gaussian<6>({}, covariance));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no cell of the initial density reaches the threshold of "
                                        "1e-09: the most probable one holds"));
  }
}

TEST(GbeesStart, SaysWhenTheCellsAreTooMany) {
  Grid<6> grid{};
  linalg::Matrix covariance(6, std::vector<double>(6));
  for (int i = 0; i < 6; ++i) {
    grid.spacing[i] = 0.02;
    covariance[i][i] = 1;
  }
  auto started = resting<6>(grid, 1e-19);
  try {
    started.initialize(Gaussian<6>({}, covariance));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("cells at or above the threshold, and a grid can have 4.2e9"));
  }
}

/// ln N(z; mean, variance).
double log_normal(double z, double mean, double variance) {
  return -0.5 * ((z - mean) * (z - mean) / variance + std::log(2 * M_PI * variance));
}

TEST(GbeesMeasurement, HasTheEvidenceOfTheKalmanFilter) {
  // z = x2 + e: normal with the sum of the variances. The second one, of x1, is conditional on the
  // first.
  const Grid<2> grid{{{1, -2}}, {{0.05, 0.05}}};
  const linalg::Matrix covariance{{1, 0.6}, {0.6, 2}};
  auto density = resting<2>(grid, 1e-15);
  density.initialize(Gaussian<2>({{1, -2}}, covariance));
  const std::vector<MeasurementUpdate> updates = density.observe({{1, -0.5, 0.25}, {0, 3.0, 0.5}});
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_NEAR(updates[0].log_evidence, log_normal(-0.5, -2, 2.25), 1e-9);
  EXPECT_NEAR(updates[0].deviation, 1.5 / 1.5, 1e-9);
  const double gain = 0.6 / 2.25, mean = 1 + gain * 1.5, variance = 1 - gain * 0.6;
  EXPECT_NEAR(updates[1].log_evidence, log_normal(3, mean, variance + 0.5), 1e-9);
  EXPECT_NEAR(updates[1].deviation, (3 - mean) / std::sqrt(variance + 0.5), 1e-9);
}

TEST(GbeesMeasurement, OfADensityThatHasLostMassIsThatOfWhatIsLeft) {
  const Grid<1> grid{{{0}}, {{0.01}}};
  const Gaussian<1> start({{0}}, {{1}});
  auto density = resting<1>(grid, 0.5 * start.peak * 0.01);  // keeps |x| < sqrt(2 ln 2)
  density.initialize(start);
  ASSERT_LT(density.state().mass, 0.8);
  const auto update = density.observe({{0, 0.0, 1.0}}).at(0);
  const double edge = std::sqrt(2 * std::log(2.0));
  // These are integrals of exp(-x^2).
  const double kept = std::erf(edge / std::sqrt(2.0)), overlap = std::erf(edge) / std::sqrt(2.0);
  EXPECT_NEAR(update.log_evidence, std::log(overlap / kept / std::sqrt(2 * M_PI)), 3e-3);
  EXPECT_NEAR(update.deviation, 0, 1e-12);
}

TEST(GbeesMeasurement, MayLieFarOff) {
  // The measurement lies twelve standard deviations of the difference off, at the edge of the cells
  // there are: products of mass and likelihood are below 1e-40.
  const Grid<1> grid{{{0}}, {{0.02}}};
  auto density = resting<1>(grid, 1e-14);
  density.initialize(Gaussian<1>({{0}}, {{1}}));
  const double variance = 0.25, z = 12 * std::sqrt(1 + variance);
  const auto update = density.observe({{0, z, variance}}).at(0);
  EXPECT_NEAR(update.deviation, 12, 1e-6);
  EXPECT_LT(update.log_evidence, -70);
  EXPECT_GT(density.summarize().mean[0], 6.5);
  EXPECT_NEAR(density.summarize().mass, 1, 1e-12);
}

}  // namespace
}  // namespace tessera::test
