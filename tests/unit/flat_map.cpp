// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/flat_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/harness/exec_space.hpp"

namespace tessera {
namespace {

using Exec = test::ExecSpace;
using Table = FlatMap<Exec::device_type>;
template <class T>
using View = Kokkos::View<T, Exec>;
using Range = Kokkos::RangePolicy<Exec>;

/// The keys of a block of `side`^3 cells: neighbours differ in few bits.
struct BlockKey {
  std::uint64_t side;
  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return (i % side) << 42 | (i / side % side) << 21 | i / (side * side);
  }
};

/// Ways of inserting.
enum class Way { look_first, exchange_first, prefetch };

/// Each key is inserted by several work items at the same time; whoever finds it new numbers it.
template <class Table, Way way = Way::look_first>
struct Insert {
  Table table;
  BlockKey key;
  std::uint64_t keys;
  View<std::uint32_t> numbered, failed;
  KOKKOS_INLINE_FUNCTION void operator()(int item) const {
    const auto place = insert(key(static_cast<std::uint64_t>(item) % keys));
    if (place.slot == Table::kInvalid) {
      Kokkos::atomic_fetch_add(&failed(), 1u);
    } else if (place.inserted) {
      table.value(place.slot) = Kokkos::atomic_fetch_add(&numbered(), 1u) + 1;
    }
  }
  KOKKOS_INLINE_FUNCTION auto insert(std::uint64_t wanted) const {
    if constexpr (way == Way::prefetch) {
      return table.insert_prefetch(wanted);
    } else {
      return table.template insert<way == Way::exchange_first>(wanted);
    }
  }
};

/// Adds the values of keys that are there and of as many that are not.
struct Search {
  Table table;
  BlockKey key;
  std::uint64_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(int i, std::uint64_t& sum) const {
    sum += table.find(key(static_cast<std::uint64_t>(i)), 1u << 20);
    sum += table.find(key(static_cast<std::uint64_t>(i) + keys), 0);
  }
};

/// The same by find_n: four keys at a time that are there, and four that are not.
struct SearchEach {
  Table table;
  BlockKey key;
  std::uint64_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(int i, std::uint64_t& sum) const {
    std::uint64_t wanted[8];
    std::uint32_t value[8];
    for (int k = 0; k < 8; ++k) wanted[k] = key(4 * static_cast<std::uint64_t>(i) + k % 4 + (k < 4 ? 0 : keys));
    table.find_n(wanted, 0, value);
    for (int k = 0; k < 8; ++k) sum += value[k];
  }
};

/// Inserts keys that are not there while it looks for those that are; counts the answers that are not 0, their value or `missing`.
struct SearchMeanwhile {
  Table table;
  BlockKey key;
  std::uint64_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(int i, int& wrong) const {
    const auto k = static_cast<std::uint64_t>(i);
    const auto place = table.insert_prefetch(key(k + keys));
    if (place.inserted) table.value(place.slot) = 1u << 21;
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

std::uint64_t sum_found(const Table& table, const BlockKey& key, std::uint64_t keys) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("search", Range(Exec(), 0, static_cast<int>(keys)), Search{table, key, keys}, sum);
  return sum;
}

template <Way way>
void finds_every_key_once() {
  const Exec exec;
  const BlockKey key{32};
  const std::uint64_t keys = 32 * 32 * 32;
  const Table table(exec, static_cast<std::uint32_t>(keys * 3 / 2));
  for (int round = 0; round < 2; ++round) {
    const View<std::uint32_t> numbered("numbered"), failed("failed");
    Kokkos::parallel_for("insert", Range(exec, 0, static_cast<int>(3 * keys)), Insert<Table, way>{table, key, keys, numbered, failed});
    exec.fence();
    EXPECT_EQ(on_host(failed), 0u);
    EXPECT_EQ(on_host(numbered), keys);
    EXPECT_EQ(sum_found(table, key, keys), keys * (keys + 1) / 2);
    if (round == 0) Kokkos::deep_copy(table.keys(), 7);  // other contents do no harm
    table.clear(exec);
    EXPECT_EQ(sum_found(table, key, keys), keys << 20);
  }
}

TEST(FlatMap, FindsEveryKeyOnce) { finds_every_key_once<Way::look_first>(); }
TEST(FlatMap, FindsEveryKeyOnceWithoutALookBefore) { finds_every_key_once<Way::exchange_first>(); }
TEST(FlatMap, FindsEveryKeyOnceByFewThreads) { finds_every_key_once<Way::prefetch>(); }

TEST(FlatMap, FindsSeveralKeysTogetherAndWhileOthersAreInserted) {
  const Exec exec;
  const BlockKey key{16};
  const std::uint64_t keys = 16 * 16 * 16;
  const Table table(exec, static_cast<std::uint32_t>(3 * keys));
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("insert", Range(exec, 0, static_cast<int>(2 * keys)),
                       Insert<Table, Way::prefetch>{table, key, keys, numbered, failed});
  exec.fence();
  ASSERT_EQ(on_host(numbered), keys);
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("search_each", Range(exec, 0, static_cast<int>(keys / 4)), SearchEach{table, key, keys}, sum);
  EXPECT_EQ(sum, keys * (keys + 1) / 2);
  int wrong = 0;
  Kokkos::parallel_reduce("search_meanwhile", Range(exec, 0, static_cast<int>(keys)), SearchMeanwhile{table, key, keys}, wrong);
  EXPECT_EQ(wrong, 0);
}

template <Way way>
void says_when_it_is_full() {
  const Exec exec;
  const BlockKey key{16};
  const Table table(exec, 1000);
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("insert", Range(exec, 0, 1500), Insert<Table, way>{table, key, 1500, numbered, failed});
  exec.fence();
  EXPECT_EQ(on_host(numbered), 1000u);
  EXPECT_EQ(on_host(failed), 500u);
}

TEST(FlatMap, SaysWhenItIsFull) {
  says_when_it_is_full<Way::look_first>();
  says_when_it_is_full<Way::exchange_first>();
  says_when_it_is_full<Way::prefetch>();
}

/// In a table that is two thirds full the longest search is short, as it is for random keys.
TEST(FlatMap, NeighboursAreSpread) {
  using Strict = FlatMap<Exec::device_type, 256>;
  const Exec exec;
  const BlockKey key{64};
  const std::uint64_t keys = 64 * 64 * 64;
  const Strict table(exec, static_cast<std::uint32_t>(keys * 3 / 2));
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("insert", Range(exec, 0, static_cast<int>(keys)), Insert<Strict>{table, key, keys, numbered, failed});
  exec.fence();
  EXPECT_EQ(on_host(numbered), keys);
}

}  // namespace
}  // namespace tessera
