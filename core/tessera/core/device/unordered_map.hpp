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
/// Memory: 23.5 bytes a key (32.8 where keys have 128 bits) of the map's capacity, of which it
/// takes 7/6 of what is asked for.
template <class Device, class Hasher, class Key = std::uint64_t>
class UnorderedMap {
 public:
  using Map = Kokkos::UnorderedMap<Key, std::uint32_t, Device, Hasher>;

  /// Entries asked for, a key: the map is at most 69 % full, where chains are short and hardly an
  /// insertion fails.
  static constexpr double kRoomFactor = 1.25;

  static std::uint64_t bytes(std::uint64_t keys) {
    // key, value, link, head of a list, bit
    constexpr double kEntry = sizeof(Key) + 3 * sizeof(std::uint32_t) + 0.125;
    return static_cast<std::uint64_t>(kEntry * 7.0 / 6.0 * kRoomFactor *
                                      static_cast<double>(keys)) +
           4096;
  }

  std::uint64_t room() const { return m_room; }

  /// An empty map with room for `keys` keys.
  template <class ExecSpace>
  UnorderedMap(const ExecSpace& exec, std::uint64_t keys)
      : m_map(capacity_for(keys)), m_room(keys) {
    static_assert(std::is_same_v<ExecSpace, typename Device::execution_space>);
    exec.fence();
  }

  template <class ExecSpace>
  void reserve(const ExecSpace& exec, std::uint64_t keys) {
    clear(exec);
    m_map.rehash(capacity_for(keys));
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
  static std::uint32_t capacity_for(std::uint64_t keys) {
    constexpr double kMost = 3.5e9;  // 7/6 of it are below 2^32
    return static_cast<std::uint32_t>(std::min(kRoomFactor * static_cast<double>(keys), kMost));
  }

  Map m_map;
  std::uint64_t m_room;
};

}  // namespace tessera
