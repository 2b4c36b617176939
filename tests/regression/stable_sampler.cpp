// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/stable/law/sample.hpp"
#include "tessera/stable/law/table.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/stable_data.hpp"

namespace tessera::stable {
namespace {

using Exec = test::ExecSpace;
using View = Kokkos::View<double*, Exec>;

/// The largest distance between the empirical distribution of uniform numbers and the uniform one,
/// at the edges of 2^16 bins.
double kolmogorov(const std::vector<double>& u) {
  const std::size_t bins = 65536;
  std::vector<std::uint32_t> count(bins, 0);
  for (const double value : u)
    ++count[std::min(bins - 1, static_cast<std::size_t>(value * static_cast<double>(bins)))];
  double sum = 0, largest = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    sum += count[b];
    largest = std::max(largest, std::abs(sum / static_cast<double>(u.size()) -
                                         static_cast<double>(b + 1) / static_cast<double>(bins)));
  }
  return largest;
}

/// A million numbers of each of 50 distributions follow the exact distribution function: sqrt(n)
/// times the Kolmogorov-Smirnov distance stays below 2.0, which one in 1500 exceeds by chance.
TEST(StableSampler, FollowsTheDistributionFunction) {
  const int n = 1000000;
  const Exec exec;
  const View x("x", n), u("u", n);
  double largest = 0;
  for (int k = 0; k < 50; ++k) {
    double alpha = 0.4 + 1.6 * k / 49.0, beta = -1 + 2 * ((k * 7) % 11) / 10.0;
    if (k % 10 == 3) alpha = 1;
    if (k % 10 == 6) alpha = 1 + (k > 25 ? 1e-7 : -1e-9);
    sample_batch<Exec>(exec, alpha, beta, {}, Philox(2026, static_cast<std::uint32_t>(k)), 0, 0, x);
    Table<Exec>(exec, alpha, beta).cdf(exec, x, u);
    const double statistic = std::sqrt(static_cast<double>(n)) * kolmogorov(test::to_host(u));
    EXPECT_LT(statistic, 2.0) << "alpha " << alpha << " beta " << beta;
    largest = std::max(largest, statistic);
  }
  std::printf("  largest sqrt(n) D of 50: %.2f\n", largest);
}

}  // namespace
}  // namespace tessera::stable
