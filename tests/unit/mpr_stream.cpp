// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Parts of images that fit into no memory: draws of blocks against those of their sites, a part
// with a trend and errors of samples against the image filled at once, and sums of the columns of a
// trend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/data/column_sums.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using mpr::Grid;

/// Draws of a pack at temperature 1, [draw][site].
std::vector<std::vector<double>> draw(const Grid& grid, const std::vector<std::uint8_t>& status,
                                      const mpr::AxisCouplings& axis, double beta,
                                      const mpr::detail::BlocksOfImage& blocks) {
  const ExecSpace exec;
  const auto on_device = upload(exec, "mpr test", status);
  const auto source =
      mpr::detail::GaussianDraws<ExecSpace, double>::make(exec, grid, 1, on_device, axis, beta, 11);
  source->set_blocks(blocks);
  source->draw_pack(2);
  const auto one = upload(exec, "mpr test", std::vector<double>{1});
  const auto nothing = upload(exec, "mpr test", std::vector<double>(status.size(), 0));
  std::vector<std::vector<double>> draws;
  for (int k = 0; k < source->size(); ++k) {
    const auto out = upload(exec, "mpr test", std::vector<double>(status.size(), 0));
    source->leave(k, one, nothing, out);
    draws.push_back(download(exec, out));
  }
  return draws;
}

/// Means over squares of edge x edge sites.
std::vector<double> square_means(const Grid& grid, int edge, const std::vector<double>& values) {
  const int columns = grid.nx / edge;
  std::vector<double> means(
      static_cast<std::size_t>(columns) * static_cast<std::size_t>(grid.ny / edge), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const mpr::Position at = grid.position(static_cast<std::int64_t>(i));
    if (at.x / edge < columns && at.y / edge < grid.ny / edge)
      means[static_cast<std::size_t>(at.y / edge * columns + at.x / edge)] +=
          values[i] / (edge * edge);
  }
  return means;
}

TEST(Stream, DrawsOfBlocksAreThoseOfTheirSites) {
  constexpr int kBlock = 4;
  const Grid grid{200, 160, 1}, coarse{grid.nx / kBlock, grid.ny / kBlock, 1};
  // A gap with samples on all sides.
  const auto make_status = [](const Grid& g, int margin) {
    std::vector<std::uint8_t> status(static_cast<std::size_t>(g.sites()), mpr::kSample);
    for (int y = margin; y < g.ny - margin; ++y) {
      for (int x = margin; x < g.nx - margin; ++x)
        status[static_cast<std::size_t>(g.site(x, y, 0))] = mpr::kMissing;
    }
    return status;
  };
  for (const mpr::AxisCouplings& axis :
       {mpr::AxisCouplings{{1, 1, 0}}, mpr::AxisCouplings{{1, 0.6, 0.5}, 1},
        mpr::AxisCouplings{{1, 0.6, 0.5}, -1}}) {
    const double beta = 3;
    const auto fine = draw(grid, make_status(grid, 2 * kBlock), axis, beta, {});
    const auto blocks =
        draw(coarse, make_status(coarse, 2), axis, beta / (kBlock * kBlock), {kBlock, grid});
    ASSERT_EQ(fine.size(), blocks.size());
    // Means of what both resolve well: squares of 4 x 4 blocks. A correlation of 0.965 was seen;
    // with random numbers of their own it is 0.
    constexpr int kMeans = 4;
    double product = 0, squares = 0, of_blocks = 0;
    for (std::size_t k = 0; k < fine.size(); ++k) {
      const std::vector<double> a = square_means(grid, kMeans * kBlock, fine[k]),
                                b = square_means(coarse, kMeans, blocks[k]);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        product += a[i] * b[i];
        squares += a[i] * a[i];
        of_blocks += b[i] * b[i];
      }
    }
    EXPECT_GT(product / std::sqrt(squares * of_blocks), 0.95) << "tilt " << axis.tilt;
    EXPECT_NEAR(std::sqrt(of_blocks / squares), 1, 0.07) << "tilt " << axis.tilt;
  }
}

TEST(Stream, APartTakesTheTrendOfItsImage) {
  const Grid grid{150, 140, 1};
  const std::size_t sites = static_cast<std::size_t>(grid.sites());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> values(sites), column(sites), noise(sites, 0);
  std::vector<std::uint8_t> status(sites, mpr::kSample);
  for (std::size_t i = 0; i < sites; ++i) {
    const mpr::Position at = grid.position(static_cast<std::int64_t>(i));
    column[i] = std::sin(0.3 * at.x) * std::cos(0.2 * at.y) + 0.1 * normal(random);
    noise[i] = at.x < 70 ? 0.1 : 0;
    values[i] = 2 * column[i] + std::sin(0.05 * at.x + 0.08 * at.y) + noise[i] * normal(random);
    const bool in_gap = std::abs(at.x % 50 - 25) < 8 && std::abs(at.y % 45 - 20) < 7;
    if (in_gap || random() % 10 == 0) status[i] = mpr::kMissing;
    if (status[i] == mpr::kMissing) noise[i] = 0;
  }
  const ExecSpace exec;
  const auto value = upload(exec, "mpr test", values), errors = upload(exec, "mpr test", noise),
             trend = upload(exec, "mpr test", column);
  const auto kind = upload(exec, "mpr test", status);
  mpr::FillOptions options;
  options.axis = mpr::AxisCouplings{{1, 1, 0}};
  options.curvature = 1;
  options.noise = true;
  options.trend = 1;
  options.draws = 16;
  const auto fill = [&](const mpr::FillOptions& with, std::vector<double>& mean,
                        std::vector<double>& deviation) {
    mpr::GapFill<ExecSpace, double> gap_fill(exec, grid, 1, with);
    gap_fill.prepare(value, kind, errors, trend);
    while (gap_fill.advance()) {
    }
    const auto m = upload(exec, "mpr test", std::vector<double>(sites)),
               d = upload(exec, "mpr test", std::vector<double>(sites));
    gap_fill.moments(m, d);
    mean = download(exec, m);
    deviation = download(exec, d);
  };
  std::vector<double> mean, deviation, of_part, deviation_of_part;
  fill(options, mean, deviation);
  mpr::FillOptions windows = options;
  windows.windows = true;
  mpr::GapFill<ExecSpace, double> estimate(exec, grid, 1, windows);
  estimate.estimate(value, kind, errors, trend);
  const auto part = std::make_shared<mpr::Part>();
  part->whole = grid;
  part->estimates = estimate.estimates();
  part->estimates.trend.mean = {0};
  fill(options.options_of_part(part, grid), of_part, deviation_of_part);
  EXPECT_NEAR(part->estimates.trend.coefficient.front(), 2, 0.1);
  for (std::size_t i = 0; i < sites; ++i) {
    ASSERT_EQ(std::isnan(mean[i]), std::isnan(of_part[i])) << i;
    if (std::isnan(mean[i])) continue;
    ASSERT_NEAR(of_part[i], mean[i], 2e-3 * deviation[i]) << i;
    ASSERT_NEAR(deviation_of_part[i] / deviation[i], 1, 5e-3) << i;
  }
}

TEST(Stream, SumsOfColumnsThatAreJoined) {
  constexpr std::size_t kColumns = 3, kRows = 1000;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> x(kColumns * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    x[i] = 1e6 + normal(random);
    x[kRows + i] = 0.5 * x[i] + normal(random);
    x[2 * kRows + i] = static_cast<double>(i);
  }
  mpr::ColumnSums all(kColumns), joined(kColumns);
  for (std::size_t i = 0; i < kRows; ++i) all.add(x.data() + i, kRows);
  joined.join(mpr::ColumnSums(kColumns));  // of nothing
  for (std::size_t first = 0; first < kRows; first += 300) {
    mpr::ColumnSums some(kColumns);
    for (std::size_t i = first; i < std::min(first + 300, kRows); ++i)
      some.add(x.data() + i, kRows);
    std::vector<double> numbers;
    some.append_to(numbers);
    ASSERT_EQ(numbers.size(), mpr::ColumnSums::size(kColumns));
    joined.join(mpr::ColumnSums::from(numbers.data(), kColumns));
  }
  EXPECT_EQ(all.count(), kRows);
  EXPECT_EQ(joined.count(), kRows);
  EXPECT_DOUBLE_EQ(all.mean(2), 0.5 * (kRows - 1));
  for (std::size_t j = 0; j < kColumns; ++j) {
    EXPECT_NEAR(joined.mean(j), all.mean(j), 1e-14 * std::fabs(all.mean(j)));
    double direct = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      direct += (x[j * kRows + i] - all.mean(j)) * (x[i] - all.mean(0));
    EXPECT_NEAR(all.product(j, 0), direct, 1e-7 * std::sqrt(all.product(j, j) * all.product(0, 0)));
    for (std::size_t k = 0; k <= j; ++k)
      EXPECT_NEAR(joined.product(j, k), all.product(j, k),
                  1e-9 * std::sqrt(all.product(j, j) * all.product(k, k)));
  }
}

}  // namespace
}  // namespace tessera::test
