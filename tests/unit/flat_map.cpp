// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests of FlatMap beyond the concept Directory (tests/unit/directory.cpp): insertions and look-ups
// side by side.
#include "tessera/core/device/flat_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/harness/exec_space.hpp"
#include "tests/unit/block_key.hpp"

namespace tessera {
namespace {

using test::BlockKey;
using Exec = test::ExecSpace;
using Table = FlatMap<Exec::device_type>;
template <class T>
using View = Kokkos::View<T, Exec>;
using Range = Kokkos::RangePolicy<Exec>;

/// Each key is inserted by several work items at the same time; whoever has inserted it numbers it.
template <class Map>
struct InsertPrefetch {
  Map map;
  BlockKey key;
  std::uint64_t keys;
  View<std::uint32_t> numbered, failed;
  KOKKOS_INLINE_FUNCTION void operator()(int item) const {
    const auto result = map.insert_prefetch(key(static_cast<std::uint64_t>(item) % keys));
    if (result.failed()) {
      Kokkos::atomic_fetch_add(&failed(), 1u);
    } else if (result.inserted) {
      map.value_at(result.index) = Kokkos::atomic_fetch_add(&numbered(), 1u) + 1;
    }
  }
};

/// Adds the values of four keys at a time that are there, and of four that are not.
struct FindTogether {
  Table table;
  BlockKey key;
  std::uint64_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(int i, std::uint64_t& sum) const {
    std::uint64_t wanted[8];
    std::uint32_t value[8];
    for (int k = 0; k < 8; ++k)
      wanted[k] = key(4 * static_cast<std::uint64_t>(i) + k % 4 + (k < 4 ? 0 : keys));
    table.find_n(wanted, 0, value);
    for (int k = 0; k < 8; ++k) sum += value[k];
  }
};

/// Inserts keys that are not there while it looks for those that are; counts the answers that are
/// not 0, their value or `missing`.
struct FindWhileInserting {
  Table table;
  BlockKey key;
  std::uint64_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(int i, int& wrong) const {
    const auto k = static_cast<std::uint64_t>(i);
    const auto result = table.insert_prefetch(key(k + keys));
    if (result.inserted) compat::store_relaxed(&table.value_at(result.index), 1u << 21);
    const std::uint32_t other = find(keys + keys - 1 - k, 1u << 20);
    if (other != 0 && other != 1u << 20 && other != 1u << 21) ++wrong;
    const std::uint32_t old = find(k, 0);
    if (old == 0 || old > keys) ++wrong;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t find(std::uint64_t i, std::uint32_t missing) const {
    const std::uint64_t wanted[1] = {key(i)};
    std::uint32_t value[1];
    table.find_n(wanted, missing, value);
    return value[0];
  }
};

std::uint32_t on_host(const View<std::uint32_t>& value) {
  std::uint32_t copy = 0;
  Kokkos::deep_copy(copy, value);
  return copy;
}

TEST(FlatMap, FindsKeysTogetherAndWhileOthersAreInserted) {
  const Exec exec;
  const BlockKey key{16};
  const std::uint64_t keys = 16 * 16 * 16;
  const Table table(exec, 2 * keys);
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(2 * keys)),
                       InsertPrefetch<Table>{table, key, keys, numbered, failed});
  exec.fence();
  ASSERT_EQ(on_host(numbered), keys);
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("tessera::test::find", Range(exec, 0, static_cast<int>(keys / 4)),
                          FindTogether{table, key, keys}, sum);
  EXPECT_EQ(sum, keys * (keys + 1) / 2);
  int wrong = 0;
  Kokkos::parallel_reduce("tessera::test::find", Range(exec, 0, static_cast<int>(keys)),
                          FindWhileInserting{table, key, keys}, wrong);
  EXPECT_EQ(wrong, 0);
}

TEST(FlatMap, FillsToTheLastSlotAndSaysSo) {
  const Exec exec;
  const BlockKey key{16};
  const Table table(exec, 500, 2.0);
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, 1500),
                       InsertPrefetch<Table>{table, key, 1500, numbered, failed});
  exec.fence();
  EXPECT_EQ(on_host(numbered), 1000u);
  EXPECT_EQ(on_host(failed), 500u);
  EXPECT_TRUE(table.failed(exec));
  table.clear(exec);
  EXPECT_FALSE(table.failed(exec));
}

TEST(FlatMap, HasTheSlotsThatAreAskedFor) {
  const Exec exec;
  EXPECT_EQ(Table(exec, 1000, 1.1).slots(), 1100u);
  EXPECT_EQ(Table(exec, 1000, 16.0).slots(), 16000u);
  EXPECT_EQ(Table(exec, 0, 2.0).slots(), 1u);
  EXPECT_EQ(Table(exec, 1000).slots(), Table::slots_for(1000));
  EXPECT_EQ(Table::slots_for(std::uint64_t(1) << 31, 4.0), Table::kInvalid - 1);
  Table table(exec, 1000, 3.0);
  table.reserve(exec, 2000);
  EXPECT_EQ(table.slots(), 6000u);
}

/// In a table that is two thirds full the longest search is short, as it is for random keys.
TEST(FlatMap, NeighboursAreSpread) {
  using Strict = FlatMap<Exec::device_type, 256>;
  const Exec exec;
  const BlockKey key{64};
  const std::uint64_t keys = 64 * 64 * 64;
  const Strict table(exec, keys, 1.5);
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(keys)),
                       InsertPrefetch<Strict>{table, key, keys, numbered, failed});
  exec.fence();
  EXPECT_EQ(on_host(numbered), keys);
}

}  // namespace
}  // namespace tessera
