// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/harness/exec_space.hpp"

namespace tessera {
namespace {

using Exec = test::ExecSpace;
using Keys = Kokkos::View<std::uint64_t*, Exec>;
using Values = Kokkos::View<std::uint32_t*, Exec>;

/// The places of the keys in ascending order.
std::vector<std::uint32_t> sorted_order(const std::vector<std::uint64_t>& keys, int bits) {
  const std::size_t n = keys.size();
  const Keys key("key", n), spare_key("spare", n);
  const Values value("value", n), spare_value("spare", n);
  const auto host_key = Kokkos::create_mirror_view(key);
  const auto host_value = Kokkos::create_mirror_view(value);
  for (std::size_t i = 0; i < n; ++i) {
    host_key(i) = keys[i];
    host_value(i) = static_cast<std::uint32_t>(i);
  }
  Kokkos::deep_copy(key, host_key);
  Kokkos::deep_copy(value, host_value);
  Kokkos::View<char*, Exec::memory_space> more;
  const Exec exec;
  sort_by_key(exec, key.data(), value.data(), n, bits,
              SortScratch<Exec, std::uint64_t>{spare_key.data(), spare_value.data(), more});
  exec.fence();
  Kokkos::deep_copy(host_value, value);
  return {host_value.data(), host_value.data() + n};
}

std::vector<std::uint32_t> expected(const std::vector<std::uint64_t>& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

/// Numbers without order: the multiples of an odd number, cut to `bits`.
std::vector<std::uint64_t> scattered(std::size_t n, int bits) {
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = (i + 1) * 0x9e3779b97f4a7c15u >> (64 - bits);
  return keys;
}

TEST(SortByKey, OrdersAnyNumberOfKeys) {
  for (const std::size_t n : {1u, 2u, 1000u, 70001u}) {
    for (const int bits : {5, 24, 63, 64}) {
      const auto keys = scattered(n, bits);
      EXPECT_EQ(sorted_order(keys, bits), expected(keys)) << n << " keys of " << bits << " bits";
    }
  }
}

TEST(SortByKey, KeepsTheOrderOfEqualKeysAndOfSortedOnes) {
  EXPECT_EQ(sorted_order({7, 3, 7, 3, 3}, 8), (std::vector<std::uint32_t>{1, 3, 4, 0, 2}));
  std::vector<std::uint64_t> sorted(20000);
  std::iota(sorted.begin(), sorted.end(), std::uint64_t(1) << 40);
  EXPECT_EQ(sorted_order(sorted, 48), expected(sorted));
}

}  // namespace
}  // namespace tessera
