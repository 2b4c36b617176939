// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// What lies within cells: regions and likelihoods that are narrower than the cells, in one and two
// dimensions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/instances.hpp"
#include "tessera/gbees/regions/absorption_time.hpp"
#include "tessera/gbees/regions/regions.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using gbees::ConditionProgram;
using gbees::Density;
using gbees::Equations;
using gbees::EquationText;
using gbees::Gaussian;
using gbees::Grid;
using gbees::MeasurementUpdate;
using gbees::Observation;
using gbees::PropagatorOptions;
using gbees::RegionProgram;
using gbees::RegionResolution;
using gbees::Vector;
using gbees::detail::AbsorptionTime;
using gbees::detail::CellMotion;
using gbees::detail::CellPart;
using gbees::detail::CellPartFinder;
using gbees::detail::HalfSpaceShare;
using gbees::detail::LocalDensity;
using gbees::detail::RegionFunction;
using gbees::detail::SubCell;

constexpr double kPi = 3.14159265358979323846;

double cumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }

template <int D>
EquationText at_rest() {
  if constexpr (D == 1) return {{"x"}, {}, {}, {"0*x"}, {}};
  return {{"x", "y"}, {}, {}, {"0*x", "0*y"}, {}};
}

/// A Gaussian of the standard deviation 1 about zero that stays, on cells of half of it.
template <int D>
std::unique_ptr<Density<D>> gaussian(double threshold = 1e-12) {
  const gbees::LoadedEquations<ExecSpace, D> loaded(gbees::compile(at_rest<D>()));
  PropagatorOptions options;
  options.threshold = threshold;
  Grid<D> grid;
  linalg::Matrix covariance(D, std::vector<double>(D, 0.0));
  for (int i = 0; i < D; ++i) {
    grid.origin[i] = 0.07;
    grid.spacing[i] = 0.5;
    covariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)] = 1;
  }
  auto density = std::make_unique<gbees::Propagator<ExecSpace, Equations<D>>>(
      ExecSpace(), loaded.dynamics, grid, options, loaded.owner);
  density->initialize(Gaussian<D>(Vector<D>{}, covariance));
  return density;
}

/// What a density holds within a region, and what has been found of that.
struct Look {
  double probability;
  RegionResolution resolution;
};

template <int D>
Look look(Density<D>& density, const std::string& condition) {
  const auto regions = gbees::make_regions<ExecSpace, D>(
      {{gbees::compile_condition(at_rest<D>(), condition), false, {}, {}}});
  const double probability = regions->probability(density.cells_with_neighbours())[0];
  return {probability, regions->resolution()[0]};
}

TEST(GbeesLocalDensity, IsAGaussianWhereTheMassesAreThoseOfOne) {
  const auto gauss = [](double x) { return std::exp(-0.5 * x * x / 2.25); };  // 1.5 cells
  for (const double centre : {0.0, 0.4, -2.3, 5.0, 9.0}) {
    LocalDensity<1> density;
    density.add_axis(gauss(centre), gauss(centre - 1), gauss(centre + 1));
    const double low = -0.5, width = 0.7;
    const double exact =
        1.5 * std::sqrt(2 * kPi) / gauss(centre) *
        (cumulative((centre + low + width) / 1.5) - cumulative((centre + low) / 1.5));
    EXPECT_NEAR(density.integral(&low, &width) / exact, 1, 2e-5) << centre;
    for (const double u : {-0.5, 0.1, 0.5})
      EXPECT_NEAR(density.at(&u) / (gauss(centre + u) / gauss(centre)), 1, 1e-12);
  }
}

TEST(GbeesLocalDensity, IsExponentialOrConstantBesideWhatIsMissing) {
  const double zero = 0, half = 0.5;
  LocalDensity<1> one_sided, alone, edge, peak;
  one_sided.add_axis(1, 0, std::exp(0.8));
  EXPECT_NEAR(one_sided.at(&half), std::exp(0.4), 1e-14);
  alone.add_axis(1, 0, 0);
  EXPECT_EQ(alone.whole(), 1);
  edge.add_axis(1, std::exp(-9.0), std::exp(0.3));
  EXPECT_NEAR(edge.at(&half), std::exp(0.15), 1e-14);
  peak.add_axis(1, 1e-9, 1e-9);
  EXPECT_EQ(peak.whole(), 1);
  EXPECT_EQ(peak.at(&zero), 1);
  LocalDensity<2> foot;  // of a cliff: what it holds stays next to nothing
  foot.add_axis(1e-20, 0, 1);
  foot.add_axis(1e-20, 0, 1);
  EXPECT_LT(foot.whole(), 12);
}

TEST(GbeesSubCell, GoesThroughAllHalvesAndBack) {
  SubCell<2> box(2);
  double volume = 0;
  int boxes = 0;
  for (bool goes_on = true; goes_on;) {
    if (box.depth < 7) {
      box.enter(box.longest(), box.depth % 2, true);
      continue;
    }
    volume += box.volume();
    ++boxes;
    goes_on = box.leave();
  }
  EXPECT_EQ(boxes, 128);
  EXPECT_EQ(volume, 1);
  EXPECT_EQ(box.depth, 0);
  EXPECT_EQ(box.low[0], -0.5);
  EXPECT_EQ(box.width[1], 1);
}

TEST(GbeesHalfSpace, ShareOfABox) {
  const double change[4] = {1, 0.3, 0.7, 0.2};
  for (int axes = 1; axes <= 4; ++axes) {
    for (const double middle : {-1.4, -0.6, 0.0, 0.35, 1.1, 3.0}) {
      constexpr int kPoints = 24;
      int points = 1, inside = 0;
      for (int a = 0; a < axes; ++a) points *= kPoints;
      for (int p = 0; p < points; ++p) {
        double value = middle;
        for (int a = 0, rest = p; a < axes; ++a, rest /= kPoints)
          value += change[a] * (2 * (rest % kPoints + 0.5) / kPoints - 1);
        inside += value > 0 ? 1 : 0;
      }
      const double sampled = static_cast<double>(inside) / points;
      EXPECT_NEAR(HalfSpaceShare<4>(middle, change, axes).value(), sampled,
                  axes == 1 ? 0.03 : 0.01);
    }
  }
  const double flat[2] = {0, 0};
  EXPECT_EQ(HalfSpaceShare<2>(0.1, flat, 2).value(), 1);
  EXPECT_EQ(HalfSpaceShare<2>(-0.1, flat, 2).value(), 0);
}

/// A condition, and the region that it describes for kernels of the host.
struct Region {
  ConditionProgram program;
  RegionFunction<2> function;
  explicit Region(const std::string& condition)
      : program(gbees::compile_condition(at_rest<2>(), condition)),
        function(gbees::detail::make_region_function<2>(
            program, program.program.functions<3>(program.program.code.data()))) {}
};

/// The part of the cell of size 1 about zero.
CellPart part_of(const std::string& condition) {
  const Region region(condition);
  LocalDensity<2> flat;
  flat.axes = region.function.axes;
  return CellPartFinder<2>(region.function, {{{0, 0}}, {{1, 1}}}, {{0, 0}}, 0, flat).find();
}

TEST(GbeesCellParts, AreFoundHoweverSmallTheyAre) {
  EXPECT_NEAR(part_of("abs(x - 0.3) < 1e-9").inside / 2e-9, 1, 1e-5);
  EXPECT_NEAR(part_of("hypot(x - 0.21, y + 0.13) < 0.003").inside / (kPi * 9e-6), 1, 2e-3);
  EXPECT_NEAR(part_of("hypot(x - 0.1, 40*(y + 0.2)) < 0.2").inside / (kPi * 0.001), 1, 2e-3);
  EXPECT_NEAR(part_of("abs(x - 1.7*y) < 0.004").inside / (8e-3 / 1.7), 1, 2e-3);
  EXPECT_NEAR(part_of("x + y > 0.2 and not (x < 0.1 or y < 0)").inside, 0.5 * 0.4 - 0.005, 4e-4);
  EXPECT_EQ(part_of("x > 0.6").inside, 0);
  EXPECT_EQ(part_of("sqrt(y - 2) < 5").inside, 0);
  for (const char* condition : {"abs(x - 0.3) < 1e-9", "hypot(x - 0.21, y + 0.13) < 0.003"})
    EXPECT_TRUE(part_of(condition).is_settled) << condition;
  // a slab between the axes, for which there would be too many boxes
  const CellPart slab = part_of("abs(x - 1.7*y) < 4e-6");
  EXPECT_FALSE(slab.is_settled);
  EXPECT_GT(slab.doubtful(), slab.inside);
}

TEST(GbeesAbsorptionTimes, AreThoseOfTheShareThatIsBlocked) {
  const Grid<2> grid{{{0, 0}}, {{0.5, 0.5}}};
  const auto time = [&](const std::string& condition, const Vector<2>& velocity,
                        const Vector<2>& noise = {}) {
    const Region region(condition);
    const CellMotion<2> motion{velocity, noise};
    return AbsorptionTime<2>(region.function, grid, {{0, 0}}, 0, motion).find();
  };
  // a disc before which 0.8 of the cell's width lies: (1 - 0.8) / (0.8 * 2 / 0.5)
  EXPECT_NEAR(time("hypot(x, y) < 0.2", {{2, 0}}), 0.0625, 0.002);
  EXPECT_NEAR(time("hypot(x, y) < 0.2", {{0, -2}}), 0.0625, 0.002);
  // walls, which belong to the cell in whose half before the middle, or behind it, they begin
  EXPECT_EQ(time("x > 0.1", {{1, 0}}), std::numeric_limits<float>::infinity());
  EXPECT_EQ(time("x > -0.1", {{1, 0}}), 0);
  EXPECT_EQ(time("x > -0.3", {{1, 0}}), 0);
  EXPECT_EQ(time("x > 0", {{1, 0}}), 0);
  EXPECT_EQ(time("abs(x + 0.1) < 1e-4", {{1, 0}}), 0);
  EXPECT_EQ(time("abs(x - 0.1) < 1e-3", {}, {{1, 0}}), 0);
  // noise along x alone, of a disc behind which the rest passes
  EXPECT_NEAR(time("hypot(x, y) < 0.2", {}, {{1, 0}}), 0.25 / 4, 0.004);
  EXPECT_EQ(time("hypot(x, y) < 0.2", {}), std::numeric_limits<float>::infinity());
}

TEST(GbeesRegionsWithinCells, AreIntegralsOfTheDensity) {
  const auto density = gaussian<1>();
  for (const auto& [low, high] : {std::pair{0.29, 0.31},
                                  {-0.77, -0.74},
                                  {1.2, 1.26},
                                  {0.3 - 1e-9, 0.3 + 1e-9},
                                  {-1.2, 1.6},
                                  {2.2, 9.0},
                                  {4.4, 9.0}}) {
    const auto [probability, resolution] =
        look<1>(*density, "x > " + std::to_string(low) + " and x < " + std::to_string(high));
    if (high - low < 1e-6) continue;  // more digits than the text has
    EXPECT_NEAR(probability / (cumulative(high) - cumulative(low)), 1, 3e-5) << low;
    EXPECT_EQ(resolution.doubt, 0);
    EXPECT_TRUE(resolution.is_met);
  }
  const double tiny = look<1>(*density, "abs(x - 0.3) < 1.0e-9").probability;
  EXPECT_NEAR(tiny / (2e-9 * std::exp(-0.045) / std::sqrt(2 * kPi)), 1, 1e-4);
  EXPECT_NEAR(look<1>(*density, "x > -50").probability, density->summarize().mass, 1e-14);
  EXPECT_FALSE(look<1>(*density, "x > 50").resolution.is_met);
}

TEST(GbeesRegionsWithinCells, OfTwoVariables) {
  const auto density = gaussian<2>();
  const auto disc = [](double radius) { return 1 - std::exp(-0.5 * radius * radius); };
  for (const double radius : {0.01, 0.1, 0.4, 1.3, 3.5}) {
    const double found = look<2>(*density, "hypot(x, y) < " + std::to_string(radius)).probability;
    EXPECT_NEAR(found / disc(radius), 1, 2e-3) << radius;
  }
  const double beyond = look<2>(*density, "hypot(x, y) > 3.5").probability;
  EXPECT_NEAR(beyond / (1 - disc(3.5)), 1, 5e-3);
  const double both =
      look<2>(*density, "x > 0.13").probability + look<2>(*density, "not (x > 0.13)").probability;
  EXPECT_NEAR(both, density->summarize().mass, 1e-6);
}

/// The evidence of a measurement of x with an error of a hundredth is known although the cells are
/// 50 times as large, and so are the moments after it.
TEST(GbeesLikelihoodsWithinCells, AreIntegratedOverThem) {
  for (const auto& [value, variance] : {std::pair{0.25, 1e-4}, {0.3, 1e-6}, {-2.1, 1e-2}}) {
    const auto density = gaussian<1>();
    const MeasurementUpdate update = density->observe({Observation(0, value, variance)})[0];
    const double total = 1 + variance;
    EXPECT_NEAR(update.log_evidence, -0.5 * (value * value / total + std::log(2 * kPi * total)),
                4e-4);
    EXPECT_NEAR(update.within_cells, 1, 1e-12);
    EXPECT_EQ(update.doubt, 0);
    const double deviation = std::sqrt(variance / total);
    EXPECT_NEAR(update.mean[0], value / total, 0.01 * deviation);
    EXPECT_NEAR(std::sqrt(update.covariance[0][0]), deviation, 0.01 * deviation);
    EXPECT_NEAR(density->summarize().mass, 1, 1e-12);
  }
}

TEST(GbeesLikelihoodsWithinCells, OfTwoVariables) {
  // a ring whose thickness is a 20th of a cell: x^2 + y^2 = 1 to 0.05
  const auto density = gaussian<2>();
  const auto ring = gbees::compile_functions(at_rest<2>(), {"x^2 + y^2"});
  const MeasurementUpdate update = density->observe({Observation(ring, {1.0}, {{0.0025}})})[0];
  double evidence = 0;  // x^2 + y^2 has an exponential distribution
  for (int k = 0; k < 20000; ++k) {
    const double square = 1e-4 * (k + 0.5), r = (square - 1) / 0.05;
    evidence +=
        1e-4 * 0.5 * std::exp(-0.5 * square) * std::exp(-0.5 * r * r) / (0.05 * std::sqrt(2 * kPi));
  }
  EXPECT_NEAR(update.log_evidence, std::log(evidence), 2e-3);
  EXPECT_GT(update.within_cells, 0.99);
  EXPECT_EQ(update.doubt, 0);
  EXPECT_NEAR(update.covariance[0][0], 0.5, 0.01);
  EXPECT_NEAR(update.covariance[0][1], 0, 1e-3);

  // a line between the axes
  const auto other = gaussian<2>();
  const auto sum = gbees::compile_functions(at_rest<2>(), {"x + 0.7*y"});
  const MeasurementUpdate line = other->observe({Observation(sum, {0.3}, {{1e-4}})})[0];
  const double total = 1.49 + 1e-4;
  EXPECT_EQ(line.doubt, 0);
  EXPECT_NEAR(line.log_evidence, -0.5 * (0.09 / total + std::log(2 * kPi * total)), 2e-3);
  EXPECT_NEAR(line.mean[0], 0.3 / 1.49, 2e-3);
  EXPECT_NEAR(line.covariance[0][0], 1 - 1 / 1.49, 2e-3);
  EXPECT_NEAR(line.covariance[0][1], -0.7 / 1.49, 2e-3);
}

TEST(GbeesLikelihoodsWithinCells, OfAnyForm) {
  const auto evidence = [](const std::string& likelihood) {
    return std::exp(gaussian<1>()
                        ->observe({Observation::likelihood(
                            gbees::compile_functions(at_rest<1>(), {likelihood}))})[0]
                        .log_evidence);
  };
  const double bell = std::sqrt(2 * kPi) * 0.01 * std::exp(-0.5 * 0.09) / std::sqrt(2 * kPi);
  // a peak within a cell on a plain, which no point of the cell's edge or middle tells
  EXPECT_NEAR(evidence("0.01 + exp(-0.5*((x - 0.3)/0.01)^2)"), 0.01 + bell, 3e-4);
  EXPECT_NEAR(evidence("0.1 + 0.9*(x > 0.4)"), 0.1 + 0.9 * cumulative(-0.4), 2.5e-3);
}

TEST(GbeesLikelihoodsWithinCells, AreThoseOfTheCentresWhereTheyChangeLittle) {
  // standard deviations of three quarters of a cell and more
  for (const double deviation : {0.375, 0.5, 2.0}) {
    const auto density = gaussian<1>(), other = gaussian<1>();
    const MeasurementUpdate update =
        density->observe({Observation(0, 0.2, deviation * deviation)})[0];
    EXPECT_EQ(update.within_cells, 0);
    EXPECT_TRUE(update.covariance.empty());
    const auto after = density->cells(0), before = other->cells(0);
    const Grid<1>& grid = other->grid();
    double sum = 0;
    for (std::size_t c = 0; c < before.key.size(); ++c) {
      const double r = (grid.centre(before.key[c])[0] - 0.2) / deviation;
      sum += before.probability[c] * std::exp(-0.5 * r * r);
    }
    const double total = 1 + deviation * deviation;
    EXPECT_NEAR(
        update.log_evidence,
        std::log(sum / (deviation * std::sqrt(2 * kPi))) - std::log(other->summarize().mass),
        1e-12);
    EXPECT_NEAR(update.log_evidence, -0.5 * (0.04 / total + std::log(2 * kPi * total)),
                deviation < 0.5 ? 0.02 : 1e-6);
  }
}

}  // namespace
}  // namespace tessera::test
