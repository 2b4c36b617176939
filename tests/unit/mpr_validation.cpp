// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/data/validation.hpp"
#include "tessera/mpr/data/validation_cases.hpp"
#include "tessera/mpr/instances.hpp"
#include "tests/harness/exec_space.hpp"

using tessera::test::ExecSpace;
namespace mpr = tessera::mpr;

namespace {

mpr::SyntheticParameters synthetic(int rows, int columns, double nu) {
  mpr::SyntheticParameters p;
  p.given = true;
  p.size = {rows, columns};
  p.smoothness = nu;
  p.inverse_length = 0.5;
  return p;
}

mpr::Parameters cases_of(std::vector<double> fractions, int fields, int samplings) {
  mpr::Parameters p;
  p.task = "validate";
  p.input.synthetic = synthetic(20, 24, 0.5);
  p.validate.fraction = std::move(fractions);
  p.validate.fields = fields;
  p.validate.samplings = samplings;
  return p;
}

}  // namespace

/// Sums that the threads share are those of a plain loop in extended precision.
TEST(Validation, ScoresAreThoseOfOneLoop) {
  constexpr std::size_t kSites = 30001;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> truth, mean, deviation;
  for (std::size_t i = 0; i < kSites; ++i) {
    mean.push_back(50 + 10 * normal(random));
    deviation.push_back(1 + std::fabs(normal(random)));
    truth.push_back(i % 7 == 0 ? 0 : mean.back() + deviation.back() * normal(random));
  }
  std::vector<std::size_t> sites;
  for (std::size_t i = 0; i < kSites; ++i) {
    if (i % 3 != 1) sites.push_back(i);
  }
  long double absolute = 0, square = 0, relative = 0, nonzero = 0, within = 0, width = 0;
  for (const std::size_t i : sites) {
    const long double error = truth[i] - mean[i];
    absolute += std::fabs(error);
    square += error * error;
    if (truth[i] != 0) {
      relative += error / truth[i];
      nonzero += 1;
    }
    within += std::fabs(truth[i] - mean[i]) <= 1.959963984540054 * deviation[i] ? 1 : 0;
    width += deviation[i];
  }
  const mpr::Scores found = mpr::score(truth, mean, deviation, sites);
  const long double n = sites.size();
  EXPECT_NEAR(found.maae, absolute / n, 1e-12);
  EXPECT_NEAR(found.mrase, std::sqrt(square / n), 1e-12);
  EXPECT_NEAR(found.mare, relative / nonzero, 1e-12);
  EXPECT_NEAR(found.coverage95, within / n, 1e-14);
  EXPECT_NEAR(found.spread, width / n, 1e-12);
}

/// Fields have the covariance that they are asked for, at each lag within four standard errors of a
/// mean over 40 fields.
TEST(Validation, FieldsHaveTheirCovariance) {
  for (const double nu : {0.5, 1.5}) {
    const mpr::GaussianFields fields(synthetic(48, 64, nu));
    constexpr int kFields = 40;
    for (const int lag : {0, 1, 3}) {
      std::vector<double> products;
      for (int f = 0; f < kFields; ++f) {
        const std::vector<double> z = fields.make(5, static_cast<std::uint64_t>(f));
        double sum = 0;
        for (int y = 0; y < 48; ++y) {
          for (int x = 0; x + lag < 64; ++x)
            sum += (z[y * 64 + x] - 50) * (z[y * 64 + x + lag] - 50);
        }
        products.push_back(sum / (48 * (64 - lag)));
      }
      const double mean = std::accumulate(products.begin(), products.end(), 0.0) / kFields;
      double variance = 0;
      for (const double p : products) variance += (p - mean) * (p - mean) / (kFields - 1);
      const double r = 0.5 * lag, wanted = 100 * std::exp(-r) * (nu == 0.5 ? 1 : 1 + r);
      EXPECT_NEAR(mean, wanted, 4 * std::sqrt(variance / kFields)) << nu << " " << lag;
    }
    EXPECT_EQ(fields.make(5, 3), mpr::gaussian_field(synthetic(48, 64, nu), 5, 3));
  }
}

TEST(Validation, SubsetsAreSortedAndOfTheirSize) {
  const std::vector<std::size_t> subset = mpr::random_subset(1000, 330, 1, 2);
  EXPECT_EQ(subset.size(), 330u);
  EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
  EXPECT_EQ(std::adjacent_find(subset.begin(), subset.end()), subset.end());
  EXPECT_EQ(subset, mpr::random_subset(1000, 330, 1, 2));
  EXPECT_NE(subset, mpr::random_subset(1000, 330, 1, 3));
}

/// All samplings and fractions of a field come in a row, and have that field below their gaps.
TEST(Validation, CasesShareTheirField) {
  const mpr::Parameters parameters = cases_of({0.2, 0.6}, 3, 4);
  mpr::ValidationCases cases(parameters, 1);
  ASSERT_EQ(cases.count(), 24u);
  std::vector<std::size_t> numbers;
  std::vector<std::shared_ptr<const std::vector<double>>> truths;
  for (std::size_t turn = 0; turn < cases.count(); ++turn) {
    numbers.push_back(cases.in_order(turn));
    const auto next = cases.make(numbers.back());
    const double fraction = numbers.back() / 12 == 0 ? 0.2 : 0.6;
    EXPECT_EQ(next->sites.size(), static_cast<std::size_t>(fraction * 480 + 0.5));
    truths.push_back(next->truth);
    if (turn % 8 != 0) {
      EXPECT_EQ(truths[turn].get(), truths[turn - 1].get());
    } else if (turn > 0) {
      EXPECT_NE(*truths[turn], *truths[turn - 1]);
    }
  }
  EXPECT_EQ(numbers.back(), 23u);
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], k);
}

/// Tiles of any size sample the same law: errors agree within what chains of other random numbers
/// differ by.
TEST(Validation, TilesOfAnySizeFillAlike) {
  const mpr::Parameters parameters = [] {
    mpr::Parameters p = cases_of({0.5}, 1, 1);
    p.input.synthetic = synthetic(128, 192, 0.5);
    return p;
  }();
  mpr::ValidationCases cases(parameters, 3);
  const auto next = cases.make(0);
  const ExecSpace exec;
  std::vector<float> numbers;
  for (std::size_t i = 0; i < next->field.values.size(); ++i)
    numbers.push_back(static_cast<float>(next->field.values[i] - 50));
  const auto values = tessera::upload(exec, "tessera::test::values", numbers);
  const auto status = tessera::upload(exec, "tessera::test::status", next->field.status);
  std::vector<double> errors;
  for (const int rows : {0, 4, 8, 16, 32, 64}) {
    mpr::FillOptions options = mpr::FillOptions::published();
    if (rows > 0) options.tile_rows = rows;
    options.seed = 7;
    mpr::GapFill<ExecSpace, float> fill(exec, next->field.grid, 1, options);
    fill.prepare(values, status);
    while (fill.advance()) {
    }
    const mpr::Array<ExecSpace, float> mean("tessera::test::mean", numbers.size()),
        deviation("tessera::test::deviation", numbers.size());
    fill.moments(mean, deviation);
    const std::vector<float> found = tessera::download(exec, mean);
    std::vector<double> predicted;
    for (const float value : found) predicted.push_back(50.0 + static_cast<double>(value));
    errors.push_back(mpr::score(*next->truth, predicted, {}, next->sites).mrase);
  }
  for (const double error : errors) EXPECT_NEAR(error, errors.front(), 0.01 * errors.front());
}
