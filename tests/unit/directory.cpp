// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The concept Directory, by both of its containers.
#include "tessera/core/device/directory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "tessera/core/device/flat_map.hpp"
#include "tessera/core/device/unordered_map.hpp"
#include "tessera/gbees/grid/cell_hash.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/block_key.hpp"

namespace tessera {
namespace {

using test::BlockKey;
using Exec = test::ExecSpace;
using Range = Kokkos::RangePolicy<Exec>;
template <class T>
using View = Kokkos::View<T, Exec>;

/// Each key is inserted by several work items at the same time; whoever has inserted it numbers it.
template <class Map>
struct Insert {
  Map map;
  BlockKey key;
  std::uint64_t keys;
  View<std::uint32_t> numbered, failed;
  KOKKOS_INLINE_FUNCTION void operator()(int item) const {
    const auto result = map.insert(key(static_cast<std::uint64_t>(item) % keys));
    if (result.failed()) {
      Kokkos::atomic_fetch_add(&failed(), 1u);
    } else if (result.inserted) {
      map.value_at(result.index) = Kokkos::atomic_fetch_add(&numbered(), 1u) + 1;
    }
  }
};

/// Inserts each key once, with its number; every third is there already.
template <class Map>
struct InsertNew {
  Map map;
  BlockKey key;
  KOKKOS_INLINE_FUNCTION void operator()(int item, std::uint32_t& inserted) const {
    inserted +=
        map.insert_new(key(static_cast<std::uint64_t>(item)), static_cast<std::uint32_t>(item) + 1)
                .inserted
            ? 1
            : 0;
  }
};

/// Adds the values of keys that are there and of as many that are not.
template <class Map>
struct Search {
  Map map;
  BlockKey key;
  std::uint64_t keys;
  KOKKOS_INLINE_FUNCTION void operator()(int i, std::uint64_t& sum) const {
    sum += map.find(key(static_cast<std::uint64_t>(i)), 1u << 20);
    sum += map.find(key(static_cast<std::uint64_t>(i) + keys), 0);
  }
};

template <class T>
T on_host(const View<T>& value) {
  T copy;
  Kokkos::deep_copy(copy, value);
  return copy;
}

template <class Map>
class DirectoryTest : public ::testing::Test {
 protected:
  static std::uint64_t sum_found(const Map& map, const BlockKey& key, std::uint64_t keys) {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("tessera::test::search", Range(Exec(), 0, static_cast<int>(keys)),
                            Search<Map>{map, key, keys}, sum);
    return sum;
  }
};

using Device = Exec::device_type;
using Containers = ::testing::Types<
    FlatMap<Device>, UnorderedMap<Device, Kokkos::pod_hash<std::uint64_t>>,
    UnorderedMap<Device, gbees::detail::CellHash<3>>,
    UnorderedMap<Device, gbees::detail::CellHash<6, 3, gbees::WideKey>, gbees::WideKey>>;
TYPED_TEST_SUITE(DirectoryTest, Containers);

TYPED_TEST(DirectoryTest, FindsEveryKeyAndCountsItOnce) {
  static_assert(Directory<TypeParam, Exec>);
  const Exec exec;
  const BlockKey key{32};
  const std::uint64_t keys = 32 * 32 * 32;
  TypeParam map(exec, keys);
  EXPECT_GE(map.room(), keys);
  for (int round = 0; round < 2; ++round) {
    const View<std::uint32_t> numbered("numbered"), failed("failed");
    Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(3 * keys)),
                         Insert<TypeParam>{map, key, keys, numbered, failed});
    exec.fence();
    EXPECT_EQ(on_host(failed), 0u);
    EXPECT_FALSE(map.failed(exec));
    EXPECT_EQ(on_host(numbered), keys);
    EXPECT_EQ(this->sum_found(map, key, keys), keys * (keys + 1) / 2);
    map.clear(exec);
    EXPECT_EQ(this->sum_found(map, key, keys), keys << 20);
  }
}

TYPED_TEST(DirectoryTest, InsertsNewKeysWithTheirValues) {
  const Exec exec;
  const BlockKey key{16};
  const int keys = 16 * 16 * 16;
  TypeParam map(exec, keys);
  std::uint32_t inserted = 0;
  Kokkos::parallel_reduce("tessera::test::insert_new", Range(exec, 0, keys),
                          InsertNew<TypeParam>{map, key}, inserted);
  EXPECT_EQ(inserted, static_cast<std::uint32_t>(keys));
  Kokkos::parallel_reduce("tessera::test::insert_new", Range(exec, 0, keys),
                          InsertNew<TypeParam>{map, key}, inserted);
  EXPECT_EQ(inserted, 0u);
  EXPECT_EQ(this->sum_found(map, key, keys), std::uint64_t(keys) * (keys + 1) / 2);
}

TYPED_TEST(DirectoryTest, SaysThatItIsFullAndGrows) {
  const Exec exec;
  const BlockKey key{32};
  const std::uint64_t keys = 20000;
  TypeParam map(exec, 1000);
  View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(keys)),
                       Insert<TypeParam>{map, key, keys, numbered, failed});
  exec.fence();
  EXPECT_TRUE(map.failed(exec));
  EXPECT_GE(on_host(numbered), 1000u);
  EXPECT_LT(on_host(numbered), keys);
  map.reserve(exec, keys);
  EXPECT_FALSE(map.failed(exec));
  numbered = View<std::uint32_t>("numbered");
  failed = View<std::uint32_t>("failed");
  Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(keys)),
                       Insert<TypeParam>{map, key, keys, numbered, failed});
  exec.fence();
  EXPECT_EQ(on_host(failed), 0u);
  EXPECT_EQ(on_host(numbered), keys);
}

/// No insertion fails in a directory that is as full as it may be, with keys of neighbouring cells.
TYPED_TEST(DirectoryTest, HasRoomForWhatWasAskedFor) {
  const Exec exec;
  const BlockKey key{64};
  const std::uint64_t keys = 64 * 64 * 64;
  TypeParam map(exec, keys);
  const View<std::uint32_t> numbered("numbered"), failed("failed");
  Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(keys)),
                       Insert<TypeParam>{map, key, keys, numbered, failed});
  exec.fence();
  EXPECT_EQ(on_host(numbered), keys);
  EXPECT_FALSE(map.failed(exec));
}

/// Whatever the number of slots, every key is there in the end: what fails makes room.
TYPED_TEST(DirectoryTest, HasTheSameKeysWithFewSlotsAndWithMany) {
  const Exec exec;
  const BlockKey key{32};
  const std::uint64_t keys = 32 * 32 * 32;
  for (const double slots : {1.1, 1.5, 2.0, 16.0}) {
    TypeParam map(exec, keys, slots);
    const auto fill = [&] {
      const View<std::uint32_t> numbered("numbered"), failed("failed");
      Kokkos::parallel_for("tessera::test::insert", Range(exec, 0, static_cast<int>(keys)),
                           Insert<TypeParam>{map, key, keys, numbered, failed});
      exec.fence();
    };
    fill();
    while (map.failed(exec)) {
      ASSERT_LT(map.room(), 4 * keys) << slots;
      map.reserve(exec, map.room() + map.room() / 2);
      fill();
    }
    EXPECT_EQ(this->sum_found(map, key, keys), keys * (keys + 1) / 2) << slots;
  }
}

/// The memory grows with the slots, and is that of the default where none are asked for.
TYPED_TEST(DirectoryTest, TakesMemoryBySlots) {
  const std::uint64_t keys = 1000000;
  EXPECT_EQ(TypeParam::bytes(keys), TypeParam::bytes(keys, 0));
  const auto bytes = [&](double slots) {
    return static_cast<double>(TypeParam::bytes(keys, slots));
  };
  EXPECT_NEAR(bytes(4) / bytes(2), 2, 1e-3);
  EXPECT_NEAR(bytes(1.2) / bytes(2), 0.6, 1e-3);
}

TYPED_TEST(DirectoryTest, EmptyDirectoryFindsNothing) {
  TypeParam map(Exec(), 100);
  EXPECT_EQ(this->sum_found(map, BlockKey{4}, 64), 64u << 20);
}

}  // namespace
}  // namespace tessera
