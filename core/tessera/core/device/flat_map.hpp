// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/directory.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// A hash table from 64-bit keys to 32-bit values that kernels fill and search, 12 bytes a slot:
/// open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4, algorithm
/// L). It is a Directory (tessera/core/device/directory.hpp), and more: insertions and look-ups may
/// run side by side (insert_prefetch, find_n), which a kernel that holds several phases needs and
/// Kokkos::UnorderedMap does not promise. Keys are not removed one by one.
///
/// Up to 2/3 full a search looks at 5 slots on average at most, which are neighbours in memory;
/// after `most_probes` it gives up.
template <class Device, std::uint32_t most_probes = 4096>
class FlatMap {
 public:
  using InsertResult = DirectoryInsertResult;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t(0);  ///< not a key
  static constexpr std::uint32_t kInvalid = InsertResult::kInvalid;
  static constexpr std::uint64_t kBytes = 12;  ///< a slot

  /// An empty table with room for `keys` keys, with `slots_per_key` slots for each (slots_for).
  template <class ExecSpace>
  FlatMap(const ExecSpace& exec, std::uint64_t keys, double slots_per_key = 0)
      : m_slots(static_cast<std::uint32_t>(slots_for(keys, slots_per_key))),
        m_room(keys),
        m_slots_per_key(slots_per_key),
        m_key(allocate<decltype(m_key)>(exec, "tessera::flat_map::keys", m_slots)),
        m_value(allocate<decltype(m_value)>(exec, "tessera::flat_map::values", m_slots)),
        m_failed(allocate<decltype(m_failed)>(exec, "tessera::flat_map::failed")) {
    clear(exec);
  }

  /// Returns the number of slots, 1 to 2^32 - 2, for so many keys. With 0 slots for each it is one
  /// with which searches are short: two thirds of the slots are full; on a GPU, where few keys mean
  /// few threads that wait for single searches, a quarter.
  static std::uint64_t slots_for(std::uint64_t keys, double slots_per_key = 0) {
    constexpr std::uint64_t kMost = kInvalid - 1;
    if (slots_per_key > 0) {
      const double slots = std::ceil(slots_per_key * static_cast<double>(keys));
      return slots < static_cast<double>(kMost)
                 ? std::max<std::uint64_t>(static_cast<std::uint64_t>(slots), 1)
                 : kMost;
    }
    constexpr bool is_gpu = compat::is_gpu_v<typename Device::execution_space>;
    const bool roomy = is_gpu && keys < (std::uint64_t(1) << 19);
    return std::min<std::uint64_t>((roomy ? 4 * keys : keys + keys / 2) + 64, kMost);
  }

  static std::uint64_t bytes(std::uint64_t keys, double slots_per_key = 0) {
    return kBytes * slots_for(keys, slots_per_key);
  }

  std::uint64_t room() const { return m_room; }
  KOKKOS_INLINE_FUNCTION std::uint32_t slots() const { return m_slots; }

  template <class ExecSpace>
  void reserve(const ExecSpace& exec, std::uint64_t keys) {
    m_key = {};  // frees its memory first
    m_value = {};
    *this = FlatMap(exec, keys, m_slots_per_key);
  }

  template <class ExecSpace>
  void clear(const ExecSpace& exec) const {
    fill(exec, m_key, kEmpty);
    fill(exec, m_value, 0u);
    fill(exec, m_failed, 0u);
  }

  /// Empties one slot, as part of emptying all of them inside a kernel.
  KOKKOS_INLINE_FUNCTION void clear_slot(std::uint32_t slot) const {
    m_key(slot) = kEmpty;
    m_value(slot) = 0;
  }

  template <class ExecSpace>
  bool failed(const ExecSpace& exec) const {
    std::uint32_t failed = 0;
    copy_to_host(exec, &failed, m_failed.data(), 1);
    return failed != 0;
  }

  KOKKOS_INLINE_FUNCTION InsertResult insert(std::uint64_t key) const {
    return insert_from(hash(key), key, false);
  }

  /// Inserts a key with its value. It is for keys that are mostly new, and spares the look at a
  /// slot before the exchange.
  KOKKOS_INLINE_FUNCTION InsertResult insert_new(std::uint64_t key, std::uint32_t value) const {
    const InsertResult result = insert_from(hash(key), key, true);
    if (result.inserted) m_value(result.index) = value;
    return result;
  }

  /// Inserts a key. It is for keys that are mostly new and for few threads, which latency limits
  /// more than memory bandwidth: it does not look before the first exchange, and reads the slots
  /// behind while that is under way.
  KOKKOS_INLINE_FUNCTION InsertResult insert_prefetch(std::uint64_t key) const {
    constexpr int kTogether = 3;
    std::uint32_t slot = hash(key);
    std::uint64_t present = kEmpty;  // what the slot is taken to hold
    for (std::uint32_t probes = 0; probes < most_probes; probes += kTogether) {
      std::uint32_t next_slot[kTogether];
      std::uint64_t behind[kTogether];
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        next_slot[i] = next(i == 0 ? slot : next_slot[i - 1]);
        behind[i] = compat::load_cached(&m_key(next_slot[i]));
      }
      if (present == kEmpty) present = Kokkos::atomic_compare_exchange(&m_key(slot), kEmpty, key);
      if (present == kEmpty) return {slot, true};
      if (present == key) return {slot, false};
      // on to the first of the slots behind that was empty or holds the key
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (i > 0 && (present == kEmpty || present == key)) continue;
        slot = next_slot[i];
        present = behind[i];
      }
    }
    return fail();
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t& value_at(std::uint32_t slot) const { return m_value(slot); }

  KOKKOS_INLINE_FUNCTION std::uint32_t find(std::uint64_t key, std::uint32_t missing) const {
    std::uint32_t slot = hash(key);
    for (std::uint32_t probe = 0; probe < most_probes; ++probe) {
      const std::uint64_t present = m_key(slot);
      if (present == key) return m_value(slot);
      if (present == kEmpty) break;
      slot = next(slot);
    }
    return missing;
  }

  /// The values of n keys, for few threads, which wait longer than memory: what one of them may
  /// want is read together. Insertions may run meanwhile: of a key that one of them adds,
  /// `missing`, 0 or its value.
  template <int n>
  KOKKOS_INLINE_FUNCTION void find_n(const std::uint64_t (&key)[n], std::uint32_t missing,
                                     std::uint32_t (&value)[n]) const {
    Entry first[n];
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) first[i] = load(hash(key[i]));
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) value[i] = first[i].key == key[i] ? first[i].value : missing;
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) {
      if (first[i].key != key[i] && first[i].key != kEmpty)
        value[i] = find_behind(hash(key[i]), key[i], missing);
    }
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t value;
  };

  KOKKOS_INLINE_FUNCTION Entry load(std::uint32_t slot) const {
    return {compat::load_relaxed(&m_key(slot)), compat::load_relaxed(&m_value(slot))};
  }

  KOKKOS_INLINE_FUNCTION InsertResult insert_from(std::uint32_t slot, std::uint64_t key,
                                                  bool likely_new) const {
    for (std::uint32_t probe = 0; probe < most_probes; ++probe) {
      std::uint64_t present = likely_new ? kEmpty : compat::load_cached(&m_key(slot));
      if (present == kEmpty) present = Kokkos::atomic_compare_exchange(&m_key(slot), kEmpty, key);
      if (present == kEmpty) return {slot, true};
      if (present == key) return {slot, false};
      slot = next(slot);
    }
    return fail();
  }

  KOKKOS_INLINE_FUNCTION InsertResult fail() const {
    compat::store_relaxed(m_failed.data(), 1u);  // every writer writes the same
    return {kInvalid, false};
  }

  /// The search behind a key's first slot, several slots at a time.
  KOKKOS_INLINE_FUNCTION std::uint32_t find_behind(std::uint32_t slot, std::uint64_t key,
                                                   std::uint32_t missing) const {
    constexpr int kTogether = 3;
    for (std::uint32_t probes = 1; probes < most_probes; probes += kTogether) {
      Entry behind[kTogether];
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        slot = next(slot);
        behind[i] = load(slot);
      }
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (behind[i].key == key) return behind[i].value;
        if (behind[i].key == kEmpty) return missing;
      }
    }
    return missing;
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t next(std::uint32_t slot) const {
    return slot + 1 < m_slots ? slot + 1 : 0;
  }

  /// The first slot to look at. Keys that differ in few bits, as those of neighbouring cells do,
  /// are spread by two multiplications with the odd number next to 2^64 divided by the golden
  /// ratio.
  KOKKOS_INLINE_FUNCTION std::uint32_t hash(std::uint64_t key) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = key * kGolden;
    hash = (hash ^ (hash >> 32)) * kGolden;
    return static_cast<std::uint32_t>((hash >> 32) * m_slots >> 32);
  }

  std::uint32_t m_slots;
  std::uint64_t m_room;
  double m_slots_per_key;  // 0: by itself
  Kokkos::View<std::uint64_t*, Device> m_key;
  Kokkos::View<std::uint32_t*, Device> m_value;
  Kokkos::View<std::uint32_t, Device> m_failed;
};

}  // namespace tessera
