// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_UnorderedMap.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/core/device/directory.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// Kokkos::UnorderedMap as a Directory (tessera/core/device/directory.hpp). The map grows by
/// failed_insert() and rehash().
///
/// A hasher that gives neighbouring keys neighbouring numbers makes a GPU's threads share cache
/// lines: heads of lists, keys, values and links of neighbours then lie together, for the map puts
/// an entry near the place that its hash stands for. Runs of more than some eight such numbers fill
/// the map unevenly, and insertions fail early.
///
/// Memory: 20.1 bytes (28.1 where keys have 128 bits) a slot of the map.
template <class Device, class Hasher, class Key = std::uint64_t>
class UnorderedMap {
 public:
  using Map = Kokkos::UnorderedMap<Key, std::uint32_t, Device, Hasher>;

  /// Entries asked for, a key, of which the map takes kSlotsPerEntry times as many slots: it is at
  /// most 69 % full, where chains are short and hardly an insertion fails.
  static constexpr double kRoomFactor = 1.25;
  static constexpr double kSlotsPerEntry = 7.0 / 6.0;

  static std::uint64_t bytes(std::uint64_t keys, double slots_per_key = 0) {
    // key, value, link, head of a list, bit
    constexpr double kSlot = sizeof(Key) + 3 * sizeof(std::uint32_t) + 0.125;
    return static_cast<std::uint64_t>(kSlot * kSlotsPerEntry * entries_for(keys, slots_per_key)) +
           4096;
  }

  std::uint64_t room() const { return m_room; }

  /// An empty map with room for `keys` keys, with `slots_per_key` slots for each; 0: by itself.
  template <class ExecSpace>
  UnorderedMap(const ExecSpace& exec, std::uint64_t keys, double slots_per_key = 0)
      : m_map(capacity_for(keys, slots_per_key)), m_room(keys), m_slots_per_key(slots_per_key) {
    static_assert(std::is_same_v<ExecSpace, typename Device::execution_space>);
    exec.fence();
  }

  template <class ExecSpace>
  void reserve(const ExecSpace& exec, std::uint64_t keys) {
    clear(exec);
    m_map.rehash(capacity_for(keys, m_slots_per_key));
    m_room = keys;
  }

  template <class ExecSpace>
  void clear(const ExecSpace& exec) {
    exec.fence();  // the map works on the default instance
    m_map.clear();
    Kokkos::fence();
  }

  template <class ExecSpace>
  bool failed(const ExecSpace& exec) const {
    exec.fence();
    return m_map.failed_insert();
  }

  KOKKOS_INLINE_FUNCTION DirectoryInsertResult insert(Key key) const { return insert_new(key, 0); }

  KOKKOS_INLINE_FUNCTION DirectoryInsertResult insert_new(Key key, std::uint32_t value) const {
    const auto result = m_map.insert(key, value);
    return {result.failed() ? DirectoryInsertResult::kInvalid : result.index(), result.success()};
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t& value_at(std::uint32_t index) const {
    return m_map.value_at(index);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t find(Key key, std::uint32_t missing) const {
    const std::uint32_t index = m_map.find(key);
    return index < m_map.capacity() ? m_map.value_at(index) : missing;
  }

 private:
  static double entries_for(std::uint64_t keys, double slots_per_key) {
    constexpr double kMost = 3.5e9;  // with slots for each of them below 2^32
    const double of_key = slots_per_key > 0 ? slots_per_key / kSlotsPerEntry : kRoomFactor;
    return std::min(of_key * static_cast<double>(keys), kMost);
  }

  static std::uint32_t capacity_for(std::uint64_t keys, double slots_per_key) {
    return static_cast<std::uint32_t>(entries_for(keys, slots_per_key));
  }

  Map m_map;
  std::uint64_t m_room;
  double m_slots_per_key;  // 0: by itself
};

}  // namespace tessera
