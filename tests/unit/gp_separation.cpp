// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Observations that a mean separates, so that its coefficients have no largest likelihood.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "tessera/gp/latent/separation.hpp"

namespace {

using namespace tessera::gp;

const Response kLogit{ResponseFamily::bernoulli_logit, 1, 1},
    kProbit{ResponseFamily::bernoulli_probit, 1, 1}, kPoisson{ResponseFamily::poisson, 1, 1},
    kNegativeBinomial{ResponseFamily::negative_binomial, 2, 1};

struct Data {
  std::vector<double> y, ones, x, z;
};

/// Numbers without a pattern.
Data make(std::size_t n) {
  Data d;
  for (std::size_t i = 0; i < n; ++i) {
    d.ones.push_back(1);
    d.x.push_back(std::fmod(0.5 + 0.618034 * static_cast<double>(i), 1.0));
    d.z.push_back(1e4 * std::sin(17.0 * static_cast<double>(i)));
  }
  return d;
}

TEST(GpSeparation, OfZeroAndOne) {
  Data d = make(300);
  for (std::size_t i = 0; i < 300; ++i) d.y.push_back(d.x[i] > 0.4 ? 1 : 0);
  for (const Response& response : {kLogit, kProbit}) {
    const std::vector<double> direction = find_separation(response, d.y, {}, {d.ones, d.x, d.z});
    ASSERT_EQ(direction.size(), 3U);
    EXPECT_GT(direction[1], 0);
    for (std::size_t i = 0; i < 300; ++i) {
      const double change = direction[0] + direction[1] * d.x[i] + direction[2] * d.z[i];
      EXPECT_GE(d.y[i] > 0.5 ? change : -change, -1e-4) << i;
    }
    EXPECT_TRUE(find_separation(response, d.y, {}, {d.ones, d.z}).empty());
    // one observation on the other side
    std::vector<double> mixed = d.y;
    for (std::size_t i = 0; i < 300; ++i) {
      if (d.x[i] > 0.9) {
        mixed[i] = 0;
        break;
      }
    }
    EXPECT_TRUE(find_separation(response, mixed, {}, {d.ones, d.x, d.z}).empty());
  }
}

/// A level whose observations are all 1, with the others mixed: the plane has points in it.
TEST(GpSeparation, OfALevel) {
  Data d = make(200);
  std::vector<double> level;
  for (std::size_t i = 0; i < 200; ++i) {
    level.push_back(i % 7 == 0 ? 1 : 0);
    d.y.push_back(i % 7 == 0 || d.z[i] > 0 ? 1 : 0);
  }
  const std::vector<double> direction = find_separation(kLogit, d.y, {}, {d.ones, d.x, level});
  ASSERT_EQ(direction.size(), 3U);
  EXPECT_GT(direction[2], 0);
  EXPECT_NEAR(direction[1] / direction[2], 0, 1e-5);
  EXPECT_TRUE(find_separation(kLogit, d.y, {}, {d.ones, d.x}).empty());
}

TEST(GpSeparation, OfCounts) {
  Data d = make(200);
  std::vector<double> level, offset;
  for (std::size_t i = 0; i < 200; ++i) {
    level.push_back(i % 5 == 0 ? 1 : 0);
    offset.push_back(std::sin(3.0 * static_cast<double>(i)));
    d.y.push_back(i % 5 == 0 ? 0 : std::floor(4 * d.x[i] * d.x[i]));
  }
  for (const Response& response : {kPoisson, kNegativeBinomial}) {
    const std::vector<double> direction =
        find_separation(response, d.y, offset, {d.ones, d.x, level});
    ASSERT_EQ(direction.size(), 3U);
    EXPECT_LT(direction[2], 0);
    EXPECT_NEAR(direction[0] / direction[2], 0, 1e-5);
    EXPECT_TRUE(find_separation(response, d.y, offset, {d.ones, d.x}).empty());
    std::vector<double> other = d.y;
    other[45] = 1;
    EXPECT_TRUE(find_separation(response, other, offset, {d.ones, d.x, level}).empty());
  }
  // large counts, and all of them zero
  for (double& y : d.y) y = 1e6 * (y + 1);
  EXPECT_TRUE(find_separation(kPoisson, d.y, offset, {d.ones, d.x, level}).empty());
  EXPECT_FALSE(find_separation(kPoisson, std::vector<double>(200, 0.0), {}, {d.ones}).empty());
}

TEST(GpSeparation, OtherFamilies) {
  const Data d = make(20);
  EXPECT_TRUE(find_separation({ResponseFamily::gamma, 1, 1}, d.ones, {}, {d.ones, d.x}).empty());
  EXPECT_TRUE(find_separation({ResponseFamily::student_t, 1, 4}, d.z, {}, {d.ones, d.x}).empty());
  EXPECT_TRUE(find_separation(kLogit, d.ones, {}, {}).empty());
}

}  // namespace
