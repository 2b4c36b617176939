// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Intervals in stacks whose layers tell more or less of each other, and where whole layers are
// missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/instances.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using mpr::Grid;

/// Layers of the Gaussian field of mpr::gaussian_field, each correlated with the one before.
struct Stack {
  static constexpr int kEdge = 72, kLayers = 16;
  static constexpr std::size_t kLayer = kEdge * kEdge;
  std::vector<double> truth;
  std::vector<float> values;
  std::vector<std::uint8_t> status;

  Stack(double correlation, std::uint64_t seed) {
    mpr::SyntheticParameters p;
    p.size = {kEdge, kEdge};
    p.mean = 0;
    p.deviation = 1;
    for (int z = 0; z < kLayers; ++z) {
      const std::vector<double> own = mpr::gaussian_field(p, seed, static_cast<std::uint64_t>(z));
      for (std::size_t i = 0; i < kLayer; ++i)
        truth.push_back(z == 0 ? own[i]
                               : correlation * truth[truth.size() - kLayer] +
                                     std::sqrt(1 - correlation * correlation) * own[i]);
    }
    values.assign(truth.begin(), truth.end());
    status.assign(truth.size(), mpr::kSample);
  }

  void hide(int z, int x0, int y0, int width, int height) {
    for (int y = y0; y < std::min(y0 + height, kEdge); ++y) {
      for (int x = x0; x < std::min(x0 + width, kEdge); ++x) {
        const std::size_t i =
            static_cast<std::size_t>(z) * kLayer + static_cast<std::size_t>(y * kEdge + x);
        status[i] = mpr::kMissing;
        values[i] = std::numeric_limits<float>::quiet_NaN();
      }
    }
  }

  /// Blocks of 12 to 31 sites at different places of each layer.
  void hide_blocks(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    for (int z = 0; z < kLayers; ++z) {
      for (int k = 0; k < 2; ++k)
        hide(z, below(kEdge - 12), below(kEdge - 12), 12 + below(20), 12 + below(20));
    }
  }

  void hide_layers() {
    for (const int z : {4, 5, 11}) hide(z, 0, 0, kEdge, kEdge);
  }
};

/// The share of the missing values that 95 % intervals hold.
double coverage(const Stack& stack, std::uint64_t seed) {
  const ExecSpace exec;
  mpr::FillOptions options;
  options.seed = seed;
  mpr::GapFill<ExecSpace, float> fill(exec, Grid{Stack::kEdge, Stack::kEdge, Stack::kLayers}, 1,
                                      options);
  fill.prepare(upload(exec, "mpr test", stack.values), upload(exec, "mpr test", stack.status));
  while (fill.advance()) {
  }
  const Kokkos::View<float*, ExecSpace> mean("mpr test", stack.values.size()),
      deviation("mpr test", stack.values.size());
  fill.moments(mean, deviation);
  const auto centre = download(exec, mean), spread = download(exec, deviation);
  double held = 0, hidden = 0;
  for (std::size_t i = 0; i < stack.truth.size(); ++i) {
    if (stack.status[i] != mpr::kMissing) continue;
    held += std::fabs(stack.truth[i] - static_cast<double>(centre[i])) <=
                    1.959964 * static_cast<double>(spread[i])
                ? 1
                : 0;
    hidden += 1;
  }
  return held / hidden;
}

TEST(Stacks, IntervalsHoldHoweverMuchLayersTellOfEachOther) {
  for (const double correlation : {0.0, 0.5, 0.9, 0.99}) {
    double mean = 0;
    for (const std::uint32_t seed : {1, 2}) {
      Stack stack(correlation, seed);
      stack.hide_blocks(seed);
      mean += coverage(stack, seed) / 2;
    }
    std::printf("correlation %g: coverage %.3f\n", correlation, mean);
    EXPECT_NEAR(mean, 0.95, 0.025) << correlation;
  }
}

TEST(Stacks, IntervalsHoldInLayersThatAreMissing) {
  for (const bool blocks : {false, true}) {
    double mean = 0;
    for (const std::uint32_t seed : {3, 4}) {
      Stack stack(0.95, seed);
      stack.hide_layers();
      if (blocks) stack.hide_blocks(seed);
      mean += coverage(stack, seed) / 2;
    }
    std::printf("whole layers%s: coverage %.3f\n", blocks ? " and blocks" : "", mean);
    EXPECT_NEAR(mean, 0.95, 0.025) << blocks;
  }
}

}  // namespace
}  // namespace tessera::test
