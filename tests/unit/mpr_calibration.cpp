// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Standard deviations where gaps are wide: exact draws, factors by distance, and whether intervals
// hold.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/data/validation.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/lattice/host_copy.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using mpr::Calibrate;
using mpr::Calibration;
using mpr::Grid;
using mpr::HeldOutSample;

/// Samples whose ratios have the standard deviation `spread` at a distance.
void add_samples(std::vector<HeldOutSample>& samples, int distance, double spread, int count,
                 std::mt19937& random) {
  std::normal_distribution<double> normal;
  for (int k = 0; k < count; ++k) samples.push_back({spread * normal(random), 0, distance});
}

TEST(Calibration, FindsTheFactorOfEachDistance) {
  std::mt19937 random(3);
  std::vector<HeldOutSample> samples;
  add_samples(samples, 1, 0.8, 40000, random);
  add_samples(samples, 4, 1.0, 40000, random);
  add_samples(samples, 30, 1.5, 40000, random);
  const Calibration c(samples, Calibrate::by_distance, 0, 0);
  ASSERT_EQ(c.classes().size(), 3u);
  EXPECT_NEAR(c.factor(1), 0.8, 0.02);
  EXPECT_NEAR(c.factor(std::sqrt(12.0)), 1.0, 0.02);
  EXPECT_NEAR(c.factor(200), 1.5, 0.15) << "the class leans on the one before";
  EXPECT_GT(c.factor(2), c.factor(1));
  EXPECT_LT(c.factor(2), c.factor(3));
  const Calibration one(samples, Calibrate::one, 0, 0);
  EXPECT_EQ(one.factor(1), one.factor(200));
  EXPECT_NEAR(one.factor(1), 1.17, 0.03);
  const Calibration none(samples, Calibrate::none, 0, 0);
  EXPECT_EQ(none.factor(7), 1);
}

TEST(Calibration, FindsTheFactorsOfEachFrame) {
  std::mt19937 random(11);
  std::vector<HeldOutSample> samples;
  const double spreads[] = {0.7, 1.6};
  for (int frame = 0; frame < 2; ++frame) {
    const std::size_t first = samples.size();
    add_samples(samples, 1, spreads[frame], 40000, random);
    add_samples(samples, 6, 1.2 * spreads[frame], frame == 0 ? 40000 : 30, random);
    for (std::size_t i = first; i < samples.size(); ++i) samples[i].frame = frame;
  }
  const Calibration c(samples, Calibrate::by_distance, 0, 0, 3);
  EXPECT_TRUE(c.has_parts());
  for (int frame = 0; frame < 2; ++frame) EXPECT_NEAR(c.factor(1, frame), spreads[frame], 0.03);
  EXPECT_NEAR(c.factor(6, 0), 0.84, 0.03);
  EXPECT_GE(c.factor(6, 1), c.factor(6))
      << "too few samples: that of all frames, but not less than nearer";
  for (const double distance : {1., 3., 200.})
    EXPECT_EQ(c.factor(distance, 2), c.factor(distance)) << "nothing was held out";
  std::size_t inside = 0;
  for (const HeldOutSample& s : samples)
    inside += std::fabs(s.ratio) <= 1.959964 * c.factor(s.distance, s.frame) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(inside) / static_cast<double>(samples.size()), 0.95, 0.005);
  EXPECT_NEAR(c.quantile(0.975, true), 1.96, 0.03)
      << "of errors in units of their frame's deviations";
  const Calibration one(samples, Calibrate::one, 0, 0, 2);
  EXPECT_LT(one.factor(1, 0), 0.9);
  EXPECT_NEAR(one.factor(1, 1), 1.6, 0.03);
}

TEST(Calibration, FindsTheFactorsOfEachLayer) {
  std::mt19937 random(12);
  std::vector<HeldOutSample> samples;
  for (int part = 0; part < 6; ++part) {
    const std::size_t first = samples.size();
    add_samples(samples, 1, 0.5 + 0.3 * part, part == 5 ? 20 : 20000, random);
    for (std::size_t i = first; i < samples.size(); ++i) {
      samples[i].frame = part / 3;
      samples[i].layer = part % 3;
    }
  }
  const Calibration c(samples, Calibrate::by_distance, 0, 0, 2, 3);
  for (int part = 0; part < 5; ++part)
    EXPECT_NEAR(c.factor(1, part / 3, part % 3), 0.5 + 0.3 * part, 0.04) << part;
  EXPECT_GT(c.factor(1, 1, 2), c.factor(1, 1, 0)) << "too few: that of its frame";
  EXPECT_LT(c.factor(1, 1, 2), c.factor(1, 1, 1));
}

TEST(Calibration, RisesOrFallsThroughout) {
  std::mt19937 random(4);
  std::vector<HeldOutSample> samples;
  const double spreads[] = {0.9, 1.0, 0.95, 1.1, 1.05, 1.3};
  const int distances[] = {1, 2, 3, 5, 10, 20};
  for (int k = 0; k < 6; ++k) add_samples(samples, distances[k], spreads[k], 20000, random);
  const Calibration rising(samples, Calibrate::by_distance, 0, 0);
  for (std::size_t k = 1; k < rising.classes().size(); ++k)
    EXPECT_GE(rising.classes()[k].factor, rising.classes()[k - 1].factor);
  samples.clear();
  for (int k = 0; k < 6; ++k) add_samples(samples, distances[k], 1 / spreads[k], 20000, random);
  const Calibration falling(samples, Calibrate::by_distance, 0, 0);
  for (std::size_t k = 1; k < falling.classes().size(); ++k)
    EXPECT_LE(falling.classes()[k].factor, falling.classes()[k - 1].factor);
}

TEST(Calibration, FewSamplesAndSmallClasses) {
  std::mt19937 random(5);
  std::vector<HeldOutSample> few;
  add_samples(few, 1, 3, 49, random);
  EXPECT_EQ(Calibration(few, Calibrate::by_distance, 0, 0).factor(1), 1) << "too few to tell";
  std::vector<HeldOutSample> samples;
  add_samples(samples, 1, 0.5, 1000, random);
  add_samples(samples, 100, 9, 20, random);
  const Calibration c(samples, Calibrate::by_distance, 0, 0);
  EXPECT_EQ(c.factor(100), c.factor(1))
      << "a class without a factor of its own has that of the nearest";
}

TEST(Calibration, TailsOfFewDrawsAreTakenOut) {
  EXPECT_NEAR(mpr::student_to_normal(8) * 1.959964, 2.306, 1e-3);
  EXPECT_NEAR(mpr::student_to_normal(5) * 1.959964, 2.5706, 3e-3);
  EXPECT_NEAR(mpr::student_to_normal(64) * 1.959964, 1.9977, 1e-4);
  // Deviations estimated from 8 draws: ratios follow Student's law. With deviations known from many
  // draws the factor must be 1.
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  std::vector<HeldOutSample> samples;
  for (int k = 0; k < 100000; ++k) {
    double squares = 0;
    for (int d = 0; d < 8; ++d) squares += std::pow(normal(random), 2);
    samples.push_back({normal(random) / std::sqrt(squares / 8), 1, 1});
  }
  EXPECT_NEAR(Calibration(samples, Calibrate::by_distance, 8, 1 << 20).factor(1), 1, 0.01);
  EXPECT_NEAR(Calibration(samples, Calibrate::one, 8, 64).factor(1), mpr::student_to_normal(64),
              0.01);
}

/// Errors of 3.6 standard deviations of the predictions leave little of 1600 samples to tell a
/// factor of 0.7 by: 8 independent ones. None of them makes intervals vanish.
TEST(Calibration, LeansOnOneBesideLargeErrors) {
  constexpr double kNoise = 3.6, kFactor = 0.7;
  double sum = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, std::hypot(kFactor, kNoise));
    std::vector<mpr::HeldOutSample> samples;
    for (int i = 0; i < 1600; ++i) samples.push_back({normal(random), 0, 1, 0, kNoise});
    for (const mpr::Calibrate kind : {mpr::Calibrate::one, mpr::Calibrate::by_distance}) {
      const mpr::Calibration calibration(samples, kind, 0, 0);
      EXPECT_FALSE(calibration.is_contradicted());
      EXPECT_GT(calibration.factor(1), 0.55) << seed;
      EXPECT_LT(calibration.factor(1), 1.6) << seed;
      sum += calibration.factor(1) / 100;
    }
  }
  EXPECT_NEAR(sum, 0.8, 0.15);
}

TEST(Calibration, QuantilesOfTheResiduals) {
  std::mt19937 random(7);
  std::exponential_distribution<double> skewed(1);
  std::vector<HeldOutSample> samples;
  for (int k = 0; k < 100000; ++k) samples.push_back({skewed(random) - 1, 0, 1});
  const Calibration c(samples, Calibrate::by_distance, 0, 0);
  const double factor = c.factor(1);
  for (const double p : {0.05, 0.5, 0.95})
    EXPECT_NEAR(c.quantile(p, true) * factor, -std::log(1 - p) - 1, 0.03) << p;
  EXPECT_NEAR(c.quantile(0.95, false), 1.6448536, 1e-6);
  EXPECT_NEAR(c.quantile(1e-6, true), mpr::normal_quantile(1e-6), 1e-12)
      << "too few samples lie so far out";
}

TEST(Scores, OfPerfectPredictions) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  constexpr std::size_t kSites = 200000;
  std::vector<double> truth, mean(kSites, 0), deviation;
  std::vector<std::uint16_t> distance;
  std::vector<std::size_t> sites;
  for (std::size_t i = 0; i < kSites; ++i) {
    deviation.push_back(1 + static_cast<double>(i % 2));
    truth.push_back(deviation.back() * normal(random));
    distance.push_back(static_cast<std::uint16_t>(1 + i % 30));
    sites.push_back(i);
  }
  const mpr::Scores s = mpr::score(truth, mean, deviation, sites);
  EXPECT_NEAR(s.crps, 1.5 / std::sqrt(mpr::kPi), 0.01);
  EXPECT_NEAR(s.interval_score, 1.5 * 4.676, 0.05)
      << "3.92 and 40 times the mean excess of |z| over 1.96";
  const mpr::Reliability r = mpr::reliability(
      truth, mpr::PredictedLaws(mpr::Transform(), mean, deviation), distance, sites);
  ASSERT_EQ(r.pit.size(), 20u);
  for (const double share : r.pit) EXPECT_NEAR(share, 0.05, 0.003);
  ASSERT_EQ(r.classes.size(), 6u) << "1, 2, 3-4, 5-9, 10-19, 20-39";
  double scored = 0, crps = 0;
  for (const mpr::DistanceScores& c : r.classes) {
    EXPECT_NEAR(c.coverage, 0.95, 0.01);
    EXPECT_NEAR(c.error / c.spread, 1, 0.02);
    scored += c.sites;
    crps += c.sites * c.crps;
  }
  EXPECT_EQ(scored, static_cast<double>(kSites));
  EXPECT_NEAR(crps / scored, s.crps, 1e-9);
  ASSERT_EQ(r.class_error.size(), 20u);
  EXPECT_NEAR(r.class_error.front(), 1, 0.03);
  EXPECT_NEAR(r.class_error.back(), 2, 0.06);
  EXPECT_EQ(r.class_spread.back(), 2);
}

TEST(Scores, OfEnsembles) {
  // Members and truth of one normal law: its score is 1 / sqrt(pi), whatever the number of members;
  // those of another law score worse, by the closed form.
  std::mt19937 random(10);
  std::normal_distribution<double> normal;
  constexpr std::size_t kSites = 200000;
  std::vector<double> truth(kSites), mean(kSites, 0.5), deviation(kSites, 2);
  std::vector<std::size_t> sites(kSites);
  for (std::size_t i = 0; i < kSites; ++i) {
    truth[i] = normal(random);
    sites[i] = i;
  }
  for (const std::size_t members : {2u, 3u, 20u}) {
    std::vector<std::vector<double>> values(members, std::vector<double>(kSites));
    for (auto& member : values) {
      for (double& x : member) x = normal(random);
    }
    const double same = mpr::ensemble_crps(
        truth, [&](std::size_t m, std::size_t i) { return values[m][i]; }, members, sites);
    EXPECT_NEAR(same, 1 / std::sqrt(mpr::kPi), 0.01) << members;
    const double other = mpr::ensemble_crps(
        truth, [&](std::size_t m, std::size_t i) { return 0.5 + 2 * values[m][i]; }, members,
        sites);
    EXPECT_NEAR(other, mpr::score(truth, mean, deviation, sites).crps, 0.02) << members;
  }
  EXPECT_NEAR(
      mpr::ensemble_crps({1}, [](std::size_t m, std::size_t) { return m == 0 ? 2. : 5.; }, 2, {0}),
      2.5 - 1.5, 1e-15);
  EXPECT_TRUE(
      std::isnan(mpr::ensemble_crps({1}, [](std::size_t, std::size_t) { return 1.; }, 1, {0})));
  EXPECT_DOUBLE_EQ(mpr::share_below({1, 2, 3, 4}, {2, 2, 2, 9}, {0, 1, 2}), 2. / 3);
}

/// A field with a hole in the middle, scattered gaps and some land.
std::vector<std::uint8_t> holes(const Grid& grid) {
  std::vector<std::uint8_t> status(static_cast<std::size_t>(grid.sites()), mpr::kSample);
  std::mt19937 random(8);
  for (int z = 0; z < grid.nz; ++z) {
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) {
        const std::size_t i = static_cast<std::size_t>(grid.site(x, y, z));
        const bool hole = x > grid.nx / 4 && x < 3 * grid.nx / 4 && y > grid.ny / 4;
        if (hole || random() % 6 == 0) status[i] = mpr::kMissing;
        if (x < 2 && y < 4) status[i] = mpr::kInactive;
      }
    }
  }
  return status;
}

/// The diagonal of the inverse of the missing sites' block of Q.
std::vector<double> exact_variance(const Grid& grid, const std::vector<std::uint8_t>& status,
                                   const mpr::AxisCouplings& axis, double beta) {
  const std::size_t n = status.size();
  linalg::Matrix laplacian(n, std::vector<double>(n, 0));
  const auto couple = [&](std::size_t i, std::size_t j, double strength) {
    if (status[i] == mpr::kInactive || status[j] == mpr::kInactive) return;
    laplacian[i][i] += strength;
    laplacian[j][j] += strength;
    laplacian[i][j] -= strength;
    laplacian[j][i] -= strength;
  };
  for (int z = 0; z < grid.nz; ++z) {
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) {
        const auto site = [&](int a, int b, int c) {
          return static_cast<std::size_t>(grid.site(a, b, c));
        };
        if (x + 1 < grid.nx) couple(site(x, y, z), site(x + 1, y, z), axis[0]);
        if (y + 1 < grid.ny) couple(site(x, y, z), site(x, y + 1, z), axis[1]);
        if (z + 1 < grid.nz) couple(site(x, y, z), site(x, y, z + 1), axis[2]);
        const int beside = x + axis.tilt;
        if (axis.tilt != 0 && y + 1 < grid.ny && beside >= 0 && beside < grid.nx)
          couple(site(x, y, 0), site(beside, y + 1, 0), axis[2]);
      }
    }
  }
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < n; ++i) {
    if (status[i] == mpr::kMissing) missing.push_back(i);
  }
  linalg::Matrix block(missing.size(), std::vector<double>(missing.size()));
  for (std::size_t a = 0; a < missing.size(); ++a) {
    for (std::size_t b = 0; b < missing.size(); ++b) {
      double square = 0;
      for (std::size_t k = 0; k < n; ++k)
        square += laplacian[missing[a]][k] * laplacian[k][missing[b]];
      block[a][b] = laplacian[missing[a]][missing[b]] + beta * square;
    }
  }
  const linalg::Matrix inverse = linalg::inverse_positive_definite(block);
  std::vector<double> variance(n, 0);
  for (std::size_t a = 0; a < missing.size(); ++a) variance[missing[a]] = inverse[a][a];
  return variance;
}

template <class Real>
void expect_exact_draws(const Grid& grid, const mpr::AxisCouplings& axis, double beta) {
  const ExecSpace exec;
  const std::vector<std::uint8_t> status = holes(grid);
  const std::size_t n = status.size();
  const auto device_status = upload(exec, "mpr test", status);
  const auto draws = mpr::detail::GaussianDraws<ExecSpace, Real>::make(exec, grid, 1, device_status,
                                                                       axis, beta, 3);
  const Kokkos::View<Real*, ExecSpace> sum("mpr test", n), variance("mpr test", n),
      share("mpr test", n), value("mpr test", n), mean("mpr test", n);
  const auto temperature = upload(exec, "mpr test", std::vector<double>{4});
  constexpr int kPacks = 250;
  std::vector<double> squares(n, 0), first(n, 0);
  for (int pack = 0; pack < kPacks; ++pack) {
    draws->draw_pack(pack);
    draws->add_squares(sum);
    for (int column = 0; column < draws->size(); ++column) {
      draws->leave(column, temperature, mean, value);
      const std::vector<Real> host = download(exec, value);
      for (std::size_t i = 0; i < n; ++i) squares[i] += std::pow(static_cast<double>(host[i]), 2);
      if (pack == 0 && column == 1) first.assign(host.begin(), host.end());
    }
  }
  const int count = kPacks * draws->size();
  draws->variance(temperature, sum, count, variance, share);
  const std::vector<double> exact = exact_variance(grid, status, axis, beta);
  const std::vector<Real> found = download(exec, variance), part = download(exec, share);
  double noise = 0, plain_noise = 0, missing = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (status[i] != mpr::kMissing) continue;
    EXPECT_NEAR(static_cast<double>(found[i]) / (4 * exact[i]), 1, 6 * std::sqrt(2.0 / count)) << i;
    EXPECT_GE(part[i], 0);
    EXPECT_LT(part[i], 1);
    noise += std::pow(static_cast<double>(found[i]) / (4 * exact[i]) - 1, 2);
    plain_noise += std::pow(squares[i] / count / (4 * exact[i]) - 1, 2);
    missing += 1;
  }
  // The estimate from the values has a standard error of sqrt(2 / n), about alike over the hole;
  // conditional means have less.
  EXPECT_LT(std::sqrt(noise / missing), 1.6 * std::sqrt(2.0 / count));
  EXPECT_LT(std::sqrt(plain_noise / missing), 1.6 * std::sqrt(2.0 / count));
  EXPECT_GT(std::sqrt(plain_noise / missing), 0.5 * std::sqrt(2.0 / count));
  EXPECT_LT(noise, plain_noise);
  draws->draw_pack(0);
  draws->leave(1, temperature, mean, value);
  const std::vector<Real> again = download(exec, value);
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(static_cast<double>(again[i]), first[i]) << "a pack is the same whenever it is drawn";
}

TEST(GaussianDraws, HaveTheExactVariance) {
  expect_exact_draws<double>({18, 14, 1}, {}, 0);
  expect_exact_draws<float>({18, 14, 1}, {{1.2, 0.7, 0}}, 2);
  expect_exact_draws<double>({18, 14, 1}, {{0.8, 0.6, 0.9}, 1}, 0.5);
  expect_exact_draws<float>({18, 14, 1}, {{0.8, 0.6, 0.9}, -1}, 0.5);
  expect_exact_draws<double>({8, 8, 5}, {}, 0.5);
}

/// Returns whether a site lies in a gap of the shape of clouds, which cover some 30 % of the field.
bool in_cloud(int x, int y) {
  const double wave = std::sin(0.031 * x + 1.7 * std::sin(0.043 * y)) +
                      std::sin(0.052 * y + 1.3 * std::cos(0.037 * x)) +
                      0.6 * std::sin(0.11 * (x + y));
  return wave > 0.75;
}

struct Coverage {
  double all = 0, of_class[4] = {}, sites[4] = {}, members = 0;
};

/// Returns the coverage of 95 % intervals of a Gaussian field below clouds, by distance 1, 2-4, 5-9
/// and more; and the standard deviation of realisations.
Coverage coverage_below_clouds(double smoothness, std::uint64_t seed) {
  mpr::SyntheticParameters p;
  p.size = {240, 240};
  p.smoothness = smoothness;
  const Grid grid{240, 240, 1};
  const std::vector<double> truth = mpr::gaussian_field(p, seed, 0);
  std::vector<std::uint8_t> status(truth.size(), mpr::kSample);
  std::vector<float> values(truth.begin(), truth.end());
  for (int y = 0; y < grid.ny; ++y) {
    for (int x = 0; x < grid.nx; ++x) {
      if (in_cloud(x, y)) status[static_cast<std::size_t>(grid.site(x, y, 0))] = mpr::kMissing;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (status[i] == mpr::kMissing) values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  const ExecSpace exec;
  mpr::FillOptions options;
  options.seed = seed;
  mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
  fill.prepare(upload(exec, "mpr test", values), upload(exec, "mpr test", status));
  EXPECT_TRUE(fill.uses_draws()) << "gaps are wide";
  const Kokkos::View<float*, ExecSpace> mean("mpr test", values.size()),
      deviation("mpr test", values.size()), member("mpr test", values.size());
  std::vector<double> squares(values.size(), 0);
  double members = 0;
  fill.moments(mean, {});
  const auto centre = download(exec, mean);
  bool more = true;
  while (more) {
    more = fill.advance();
    for (int r = 0; r < fill.realisations(); ++r) {
      fill.realisation(r, member);
      const auto host = download(exec, member);
      for (std::size_t i = 0; i < host.size(); ++i)
        squares[i] += std::pow(static_cast<double>(host[i]) - static_cast<double>(centre[i]), 2);
      members += 1;
    }
  }
  fill.moments(mean, deviation);
  const auto spread = download(exec, deviation);
  const auto distance = download(exec, fill.distance());
  Coverage c;
  double missing = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (status[i] != mpr::kMissing) continue;
    const bool holds = std::fabs(truth[i] - static_cast<double>(centre[i])) <=
                       1.959964 * static_cast<double>(spread[i]);
    const int k = distance[i] == 1 ? 0 : distance[i] < 5 ? 1 : distance[i] < 10 ? 2 : 3;
    c.of_class[k] += holds;
    c.sites[k] += 1;
    c.all += holds;
    missing += 1;
    c.members += squares[i] / members / std::pow(static_cast<double>(spread[i]), 2);
  }
  c.all /= missing;
  c.members /= missing;
  for (int k = 0; k < 4; ++k) c.of_class[k] /= c.sites[k];
  std::printf(
      "smoothness %g, %.0f of %zu missing: coverage %.3f; by class %.3f %.3f %.3f %.3f (%.0f); "
      "variance of realisations %.3f\n",
      smoothness, missing, truth.size(), c.all, c.of_class[0], c.of_class[1], c.of_class[2],
      c.of_class[3], c.sites[3], c.members);
  return c;
}

TEST(GapFill, IntervalsHoldAtEveryDistanceInWideGaps) {
  for (const double smoothness : {0.5, 1.5}) {
    Coverage sum;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Coverage c = coverage_below_clouds(smoothness, seed);
      sum.all += c.all / 3;
      for (int k = 0; k < 4; ++k) sum.of_class[k] += c.of_class[k] / 3;
      EXPECT_NEAR(c.members, 1, 0.05)
          << "realisations are as far from the mean as the standard deviation says";
    }
    EXPECT_NEAR(sum.all, 0.95, 0.015);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(sum.of_class[k], 0.95, 0.03) << "class " << k;
  }
}

/// A first frame without gaps or variation does not tell what the others are like.
TEST(GapFill, AFirstFrameWithoutGapsOrVariation) {
  mpr::SyntheticParameters p;
  p.size = {96, 96};
  const Grid grid{96, 96, 1};
  const std::vector<double> field = mpr::gaussian_field(p, 4, 0);
  for (const bool constant : {false, true}) {
    std::vector<float> values;
    std::vector<std::uint8_t> status;
    for (int frame = 0; frame < 2; ++frame) {
      for (std::size_t i = 0; i < field.size(); ++i) {
        const std::size_t x = i % 96, y = i / 96;
        const bool hole = x > 20 && x < 50 && y > 30 && y < 60 && (frame == 1 || constant);
        values.push_back(frame == 0 && constant ? 5.f : static_cast<float>(field[i]));
        status.push_back(hole ? mpr::kMissing : mpr::kSample);
      }
    }
    const ExecSpace exec;
    mpr::GapFill<ExecSpace, float> fill(exec, grid, 2, {});
    fill.prepare(upload(exec, "mpr test", values), upload(exec, "mpr test", status));
    while (fill.advance()) {
    }
    EXPECT_TRUE(fill.uses_draws());
    EXPECT_EQ(fill.sampling_done(), 64);
    EXPECT_FALSE(fill.evidence().steps.empty());
    EXPECT_GT(fill.calibration().samples(), 0);
    const Kokkos::View<float*, ExecSpace> mean("mpr test", values.size()),
        deviation("mpr test", values.size());
    fill.moments(mean, deviation);
    const auto centre = download(exec, mean), spread = download(exec, deviation);
    double held = 0, hidden = 0;
    for (std::size_t i = field.size(); i < values.size(); ++i) {
      if (status[i] != mpr::kMissing) continue;
      held += std::fabs(field[i - field.size()] - static_cast<double>(centre[i])) <=
                      1.959964 * static_cast<double>(spread[i])
                  ? 1
                  : 0;
      hidden += 1;
    }
    EXPECT_GT(held / hidden, 0.88);
    // The couplings are those of the second frame alone.
    mpr::GapFill<ExecSpace, float> alone(exec, grid, 1, {});
    const auto second = static_cast<std::ptrdiff_t>(field.size());
    alone.prepare(
        upload(exec, "mpr test", std::vector<float>(values.begin() + second, values.end())),
        upload(exec, "mpr test", std::vector<std::uint8_t>(status.begin() + second, status.end())));
    if (constant) {
      EXPECT_NEAR(fill.beta() / alone.beta(), 1, 1e-3);
    }
  }
}

/// Two frames of unlike smoothness, which share their couplings, and one that is complete.
TEST(GapFill, EveryFrameHasItsOwnCalibration) {
  mpr::SyntheticParameters p;
  p.size = {128, 128};
  const Grid grid{128, 128, 1};
  std::vector<float> values;
  std::vector<std::uint8_t> status;
  std::vector<double> truth;
  for (int frame = 0; frame < 3; ++frame) {
    p.smoothness = frame == 1 ? 0.25 : 1.5;
    const std::vector<double> field = mpr::gaussian_field(p, 6, static_cast<std::uint64_t>(frame));
    for (std::size_t i = 0; i < field.size(); ++i) {
      const bool hidden =
          frame < 2 && in_cloud(static_cast<int>(i % 128) * 2, static_cast<int>(i / 128) * 2);
      status.push_back(hidden ? mpr::kMissing : mpr::kSample);
      values.push_back(hidden ? std::numeric_limits<float>::quiet_NaN()
                              : static_cast<float>(field[i]));
      truth.push_back(field[i]);
    }
  }
  const ExecSpace exec;
  mpr::GapFill<ExecSpace, float> fill(exec, grid, 3, {});
  fill.prepare(upload(exec, "mpr test", values), upload(exec, "mpr test", status));
  while (fill.advance()) {
  }
  const Kokkos::View<float*, ExecSpace> mean("mpr test", values.size()),
      deviation("mpr test", values.size());
  fill.moments(mean, deviation);
  const auto centre = download(exec, mean), spread = download(exec, deviation);
  EXPECT_TRUE(fill.calibration().has_parts());
  for (int frame = 0; frame < 2; ++frame) {
    double held = 0, hidden = 0;
    for (std::size_t i = static_cast<std::size_t>(frame) * 128 * 128;
         i < static_cast<std::size_t>(frame + 1) * 128 * 128; ++i) {
      if (status[i] != mpr::kMissing) continue;
      held += std::fabs(truth[i] - static_cast<double>(centre[i])) <=
                      1.959964 * static_cast<double>(spread[i])
                  ? 1
                  : 0;
      hidden += 1;
    }
    std::printf("frame %d: %.0f missing, coverage %.3f; factors %.3f %.3f %.3f\n", frame, hidden,
                held / hidden, fill.calibration().factor(1, frame),
                fill.calibration().factor(4, frame), fill.calibration().factor(12, frame));
    EXPECT_NEAR(held / hidden, 0.95, 0.035) << frame;
  }
}

/// Four images, the second with five times the deviation of the others, the third rougher, with
/// gaps of the shape of clouds at different places.
struct UnlikeImages {
  static constexpr int kCount = 4, kEdge = 128;
  std::vector<double> truth;
  std::vector<float> values;
  std::vector<std::uint8_t> status;

  explicit UnlikeImages(std::uint64_t seed) {
    mpr::SyntheticParameters p;
    p.size = {kEdge, kEdge};
    p.mean = 0;
    p.deviation = 1;
    for (int image = 0; image < kCount; ++image) {
      p.smoothness = image == 2 ? 0.25 : 1.5;
      const std::vector<double> own =
          mpr::gaussian_field(p, seed, static_cast<std::uint64_t>(image));
      for (std::size_t i = 0; i < own.size(); ++i) {
        const int x = static_cast<int>(i % kEdge), y = static_cast<int>(i / kEdge);
        const double value = 20 + (image == 1 ? 5 : 1) * own[i];
        const bool hidden = in_cloud(2 * x + 100 * image, 2 * y + 60 * image);
        truth.push_back(value);
        status.push_back(hidden ? mpr::kMissing : mpr::kSample);
        values.push_back(hidden ? std::numeric_limits<float>::quiet_NaN()
                                : static_cast<float>(value));
      }
    }
  }
};

TEST(GapFill, IntervalsHoldInEveryImageOfUnlikeOnes) {
  const ExecSpace exec;
  constexpr std::size_t kSites = UnlikeImages::kEdge * UnlikeImages::kEdge;
  std::array<double, UnlikeImages::kCount> coverage{};
  constexpr int kSeeds = 4;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const UnlikeImages images(seed);
    const Grid grid{UnlikeImages::kEdge, UnlikeImages::kEdge, 1};
    mpr::FillOptions options;
    options.seed = seed;
    mpr::GapFill<ExecSpace, float> fill(exec, grid, UnlikeImages::kCount, options);
    fill.prepare(upload(exec, "mpr test", images.values), upload(exec, "mpr test", images.status));
    while (fill.advance()) {
    }
    const Kokkos::View<float*, ExecSpace> mean("mpr test", images.values.size()),
        deviation("mpr test", images.values.size());
    fill.moments(mean, deviation);
    const auto centre = download(exec, mean), spread = download(exec, deviation);
    std::array<double, UnlikeImages::kCount> held{}, hidden{};
    for (std::size_t i = 0; i < images.truth.size(); ++i) {
      if (images.status[i] != mpr::kMissing) continue;
      held[i / kSites] += std::fabs(images.truth[i] - static_cast<double>(centre[i])) <=
                                  1.959964 * static_cast<double>(spread[i])
                              ? 1
                              : 0;
      hidden[i / kSites] += 1;
    }
    std::printf("seed %d: coverage", static_cast<int>(seed));
    for (std::size_t k = 0; k < coverage.size(); ++k) {
      std::printf(" %.3f", held[k] / hidden[k]);
      coverage[k] += held[k] / hidden[k] / kSeeds;
    }
    std::printf("; beta %.3g\n", fill.beta());
  }
  for (std::size_t k = 0; k < coverage.size(); ++k)
    EXPECT_NEAR(coverage[k], 0.95, 0.02) << "image " << k;
}

}  // namespace
}  // namespace tessera::test
