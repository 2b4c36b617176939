// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Transforms of skewed values: there and back, the moments and scores of their laws against
// references, and the choice of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/data/transform_choice.hpp"
#include "tessera/mpr/lattice/calibration.hpp"

namespace tessera::test {
namespace {

using mpr::Transform;
using mpr::TransformKind;

std::vector<double> skewed_samples(std::size_t count) {
  std::mt19937 random(1);
  std::exponential_distribution<double> exponential(0.01);
  std::vector<double> samples;
  // many zeros
  for (std::size_t k = 0; k < count; ++k)
    samples.push_back(std::max(0.0, exponential(random) - 20));
  return samples;
}

TEST(Transform, ThereAndBack) {
  const Transform none, log = Transform::logarithm();
  for (const double z : {1e-30, 0.1, 3.0, 1e20}) {
    EXPECT_EQ(none.back(none.forward(z)), z);
    EXPECT_NEAR(log.back(log.forward(z)) / z, 1, 1e-13);
  }
  const std::vector<double> samples = skewed_samples(20000);
  const Transform score = Transform::normal_score(samples);
  double last = -10, sum = 0, squares = 0;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  for (const double z : sorted) {
    const double x = score.forward(z);
    EXPECT_GE(x, last);
    EXPECT_NEAR(score.back(x), z, 1e-9 * (1 + z));
    last = x;
    sum += x / 20000;
    squares += x * x / 20000;
  }
  EXPECT_NEAR(sum, 0, 0.03);
  EXPECT_NEAR(squares, 1, 0.1) << "less the spread of the zeros, which have one score";
  EXPECT_EQ(score.back(-40), 0) << "nothing is beyond the samples";
  EXPECT_EQ(score.back(40), sorted.back());
  EXPECT_EQ(score.forward(2 * sorted.back()), score.forward(sorted.back()));
  EXPECT_TRUE(std::isnan(score.back(std::numeric_limits<double>::quiet_NaN())));
  const Transform one = Transform::normal_score({3.25, 3.25});
  EXPECT_EQ(one.back(one.forward(3.25)), 3.25);
}

/// Mean, standard deviation and CRPS of back(x), x of the law N(centre, spread^2), from its
/// quantiles at many probabilities.
struct Reference {
  double mean = 0, deviation = 0, crps = 0;
};

Reference from_quantiles(const Transform& transform, double truth, double centre, double spread) {
  constexpr int kQuantiles = 20000;
  static const std::vector<double> normal = [] {
    std::vector<double> quantiles;
    for (int k = 0; k < kQuantiles; ++k)
      quantiles.push_back(mpr::normal_quantile((k + 0.5) / kQuantiles));
    return quantiles;
  }();
  std::vector<double> value;
  for (const double z : normal) value.push_back(transform.back(centre + spread * z));
  Reference r;
  double squares = 0;
  for (int k = 0; k < kQuantiles; ++k) {
    r.mean += value[static_cast<std::size_t>(k)] / kQuantiles;
    squares += std::pow(value[static_cast<std::size_t>(k)], 2) / kQuantiles;
    // The mean of the quantile score over all probabilities is half the CRPS.
    const double p = (k + 0.5) / kQuantiles, gap = truth - value[static_cast<std::size_t>(k)];
    r.crps += 2 * (gap >= 0 ? p * gap : (p - 1) * gap) / kQuantiles;
  }
  r.deviation = std::sqrt(squares - r.mean * r.mean);
  return r;
}

TEST(Transform, MomentsAndScoresOfLaws) {
  const std::vector<double> samples = skewed_samples(5000);
  for (const Transform& transform :
       {Transform(), Transform::logarithm(), Transform::normal_score(samples)}) {
    for (const double centre : {-1.5, 0.0, 1.0}) {
      for (const double spread : {0.1, 0.5, 1.0}) {
        for (const double truth : {0.2, 1.0, 90.0}) {
          const Reference r = from_quantiles(transform, truth, centre, spread);
          const Transform::Moments m = transform.moments(centre, spread);
          EXPECT_NEAR(m.mean, r.mean, 0.01 * r.deviation + 1e-9);
          EXPECT_NEAR(m.deviation, r.deviation, 0.015 * r.deviation + 1e-9)
              << mpr::transform_name(transform.kind());
          const double tolerance = transform.kind() == TransformKind::normal_score ? 1e-2 : 2e-3;
          EXPECT_NEAR(transform.crps(truth, centre, spread), r.crps, tolerance * r.crps + 1e-9)
              << mpr::transform_name(transform.kind()) << " " << truth << " " << centre << " "
              << spread;
        }
      }
    }
  }
  // A straight line has no error of quadrature.
  std::vector<double> line;
  for (int k = 0; k < 2000; ++k) line.push_back(10 + 3 * mpr::normal_quantile((k + 0.5) / 2000));
  const Transform::Moments m = Transform::normal_score(line).moments(0.25, 0.4);
  EXPECT_NEAR(m.mean, 10.75, 1e-6);
  EXPECT_NEAR(m.deviation, 1.2, 1e-6);
  EXPECT_EQ(Transform::logarithm().moments(2, 0).deviation, 0);
}

TEST(Transform, ProbabilitiesAboveAValue) {
  const Transform score = Transform::normal_score({1, 2, 3, 4, 5});
  EXPECT_EQ(score.probability_above(0.5, 0, 1), 1);
  EXPECT_EQ(score.probability_above(5, 0, 1), 0) << "nothing is above the greatest sample";
  EXPECT_NEAR(score.probability_above(3, 0, 1), 0.5, 1e-12);
  EXPECT_EQ(Transform::logarithm().probability_above(-1, 0, 1), 1);
  EXPECT_NEAR(Transform::logarithm().probability_above(std::exp(1.0), 0, 1), 0.158655, 1e-6);
  EXPECT_EQ(Transform().probability_above(2, 3, 0), 1);
  EXPECT_TRUE(std::isnan(score.probability_above(0.5, NAN, 1)));
}

mpr::Field field_of(const std::vector<double>& values, int nx, int ny, bool blocks) {
  mpr::Field field;
  field.grid = {nx, ny, 1};
  field.values = values;
  field.status.assign(values.size(), mpr::kSample);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t x = i % static_cast<std::size_t>(nx), y = i / static_cast<std::size_t>(nx);
    if (blocks ? x / 12 % 3 == 1 && y / 12 % 3 == 1 : (7 * x + 3 * y) % 10 < 3)
      field.status[i] = mpr::kMissing;
  }
  return field;
}

TEST(Transform, IsChosenWhereErrorsGrowWithTheValue) {
  mpr::SyntheticParameters p;
  p.size = {160, 160};
  p.smoothness = 0.7;
  p.mean = 0;
  p.deviation = 1;
  const std::vector<double> normal = mpr::gaussian_field(p, 3, 0);
  std::vector<double> skewed, with_zeros;
  for (const double z : normal) {
    skewed.push_back(std::exp(z));
    with_zeros.push_back(std::max(0.0, std::exp(z) - 0.3));
  }
  for (const bool blocks : {false, true}) {
    mpr::Field field = field_of(normal, 160, 160, blocks);
    mpr::set_transform(field, std::nullopt);
    EXPECT_EQ(field.transform.kind(), TransformKind::none)
        << "logarithms are not tried, normal scores do not help";
    EXPECT_EQ(field.trials.size(), blocks ? 4u : 2u) << "two transforms at one or two distances";
    field = field_of(skewed, 160, 160, blocks);
    mpr::set_transform(field, std::nullopt);
    EXPECT_EQ(field.trials.size(), blocks ? 6u : 3u);
    EXPECT_LT(field.trials.back().crps, 0.9 * field.trials[blocks ? 1 : 0].crps);
    for (const mpr::TransformTrial& trial : field.trials) {
      if (trial.kind != field.transform.kind()) continue;
      const auto plain = std::find_if(field.trials.begin(), field.trials.end(),
                                      [&](const auto& t) { return t.distance == trial.distance; });
      EXPECT_LE(trial.error, plain->error) << "the error is not greater at any distance";
    }
    if (blocks) {
      EXPECT_EQ(field.transform.kind(), TransformKind::normal_score);
    }
    field = field_of(with_zeros, 160, 160, blocks);
    mpr::set_transform(field, std::nullopt);
    EXPECT_NE(field.transform.kind(), TransformKind::log);
  }
  mpr::Field few = field_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3, false);
  mpr::set_transform(few, std::nullopt);
  EXPECT_TRUE(few.transform.is_identity());
  EXPECT_TRUE(few.trials.empty());
}

TEST(Transform, LogarithmsOfWhatHasNone) {
  mpr::Field field = field_of(std::vector<double>(600, 2.5), 30, 20, false);
  field.values[5 * 30 + 7] = 0;
  field.values[6 * 30 + 8] = -3;
  field.status[5 * 30 + 7] = field.status[6 * 30 + 8] = mpr::kSample;
  EXPECT_THAT([&] { mpr::set_transform(field, TransformKind::log); },
              testing::ThrowsMessage<Error>(testing::AllOf(
                  testing::HasSubstr("holds 2 samples that have no logarithm; the first is 0"),
                  testing::HasSubstr("row 5, column 7"))));
  field.status[5 * 30 + 7] = field.status[6 * 30 + 8] = mpr::kMissing;
  mpr::set_transform(field, TransformKind::log);
  EXPECT_EQ(field.transform.kind(), TransformKind::log);
  EXPECT_NEAR(field.offset(0), std::log(2.5), 1e-15) << "offsets are transformed";
}

}  // namespace
}  // namespace tessera::test
