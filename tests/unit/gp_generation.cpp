// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/exact/panel_generation.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"
#include "tests/unit/gp_points.hpp"

namespace tessera::test {
namespace {

using Panels = gp::detail::PanelGeneration<ExecSpace>;

/// The panel that a rank generates last holds the covariance, which for nu = 0.5 is an exponential.
TEST(Generation, PanelsHoldTheCovariance) {
  const parallel::Communicator& together = ranks();
  const std::int64_t n = 2 * Panels::width() + 100;
  gp::CovarianceModel model;
  model.family = gp::Family::matern;
  const gp::Points points = random_points(model, static_cast<std::size_t>(n), 3);
  Panels generation(ExecSpace(), model, points, together);
  EXPECT_EQ(generation.entries(), n * (n + 1) / 2);
  const double sigma2 = 2.5, beta = 0.3;
  EXPECT_GT(generation.run({sigma2, beta, 0.5}), 0);
  if (together.rank() > 2) return;
  std::int64_t first = together.rank() * Panels::width();
  while (first + together.size() * Panels::width() < n) first += together.size() * Panels::width();
  const std::vector<double> panel = download(ExecSpace(), generation.panel());
  for (std::int64_t j = 0; j < 3; ++j) {
    for (std::int64_t i = j; i < n - first; ++i) {
      const auto a = static_cast<std::size_t>(first + i), b = static_cast<std::size_t>(first + j);
      const double r = std::hypot(points.coordinate[0][a] - points.coordinate[0][b],
                                  points.coordinate[1][a] - points.coordinate[1][b]);
      EXPECT_NEAR(panel[static_cast<std::size_t>(i + j * (n - first))],
                  sigma2 * std::exp(-r / beta), 4e-15);
    }
  }
}

TEST(Generation, SaysWhatAPanelTakes) {
  gp::CovarianceModel model;
  const gp::Points points = random_points(model, 5000, 3);
  EXPECT_THROW(gp::detail::make_generation_on<ExecSpace>(model, points, 1000, {}), Error);
}

}  // namespace
}  // namespace tessera::test
