// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// A hash table from 64-bit keys to 32-bit values that kernels fill and search, 12 bytes a slot: open addressing with linear probing
/// (Knuth, The Art of Computer Programming 3, 6.4, algorithm L). Keys are not removed one by one; clear() empties the table.
///
/// Insertions may run at the same time, also of the same key: exactly one of them finds the key new. A value is 0 until whoever has
/// inserted the key writes it, and read by later kernels. Which slot a key gets depends on the order of the insertions, so slots must not
/// reach results.
///
/// Up to 2/3 full a search looks at 5 slots on average at most, which are neighbours in memory; after `most_probes` it gives up.
template <class Device, std::uint32_t most_probes = 4096>
class FlatMap {
 public:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t(0);  ///< not a key
  static constexpr std::uint32_t kInvalid = ~std::uint32_t(0);   ///< not a slot
  static constexpr std::uint64_t kBytes = 12;                 ///< a slot

  /// Where a key is, and whether this insertion has put it there.
  struct InsertResult {
    std::uint32_t slot;
    bool inserted;
  };

  FlatMap() = default;

  /// An empty table; 1 to 2^32 - 2 slots.
  template <class ExecSpace>
  FlatMap(const ExecSpace& exec, std::uint32_t slots)
      : m_slots(slots),
        m_key(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::flat_map"), slots),
        m_value(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::flat_map"), slots) {
    clear(exec);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t slots() const { return m_slots; }

  template <class ExecSpace>
  void clear(const ExecSpace& exec) const {
    Kokkos::deep_copy(exec, m_key, kEmpty);
    Kokkos::deep_copy(exec, m_value, 0u);
  }

  /// The memory of the keys, one number a slot, for other uses of a table whose contents are not needed any more; clear() makes it a table
  /// again.
  const Kokkos::View<std::uint64_t*, Device>& keys() const { return m_key; }

  /// Empties one slot, as part of clearing all of them.
  KOKKOS_INLINE_FUNCTION void clear_slot(std::uint32_t slot) const {
    m_key(slot) = kEmpty;
    m_value(slot) = 0;
  }

  /// Slot kInvalid: no place among those that may hold the key. For keys that are mostly new, `likely_new` spares the look before each
  /// exchange.
  template <bool likely_new = false>
  KOKKOS_INLINE_FUNCTION InsertResult insert(std::uint64_t key) const {
    std::uint32_t slot = hash(key);
    for (std::uint32_t probe = 0; probe < most_probes; ++probe) {
      std::uint64_t present = likely_new ? kEmpty : m_key(slot);
      if (present == kEmpty) present = Kokkos::atomic_compare_exchange(&m_key(slot), kEmpty, key);
      if (present == kEmpty) return {slot, true};
      if (present == key) return {slot, false};
      slot = next(slot);
    }
    return {kInvalid, false};
  }

  /// The same for few threads, which wait longer than memory, and keys that are mostly new: no look before the first exchange, and the
  /// slots behind are read while it is under way.
  KOKKOS_INLINE_FUNCTION InsertResult insert_prefetch(std::uint64_t key) const {
    constexpr int kTogether = 3;
    std::uint32_t slot = hash(key);
    std::uint64_t present = kEmpty;  // what the slot is taken to hold
    for (std::uint32_t probes = 0; probes < most_probes; probes += kTogether) {
      std::uint32_t place[kTogether];
      std::uint64_t behind[kTogether];
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        place[i] = next(i == 0 ? slot : place[i - 1]);
        behind[i] = m_key(place[i]);
      }
      if (present == kEmpty) present = Kokkos::atomic_compare_exchange(&m_key(slot), kEmpty, key);
      if (present == kEmpty) return {slot, true};
      if (present == key) return {slot, false};
      // on to the first of the slots behind that was empty or holds the key
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (i > 0 && (present == kEmpty || present == key)) continue;
        slot = place[i];
        present = behind[i];
      }
    }
    return {kInvalid, false};
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t& value(std::uint32_t slot) const { return m_value(slot); }

  /// The value of a key, or `missing`.
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

  /// The values of n keys, for few threads, which wait longer than memory: what one of them may want is read together. Insertions may run
  /// meanwhile: of a key that one of them adds, `missing`, 0 or its value.
  template <int n>
  KOKKOS_INLINE_FUNCTION void find_n(const std::uint64_t (&key)[n], std::uint32_t missing, std::uint32_t (&value)[n]) const {
    Entry first[n];
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) first[i] = read(hash(key[i]));
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) value[i] = first[i].key == key[i] ? first[i].value : missing;
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) {
      if (first[i].key != key[i] && first[i].key != kEmpty) value[i] = find_behind(hash(key[i]), key[i], missing);
    }
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t value;
  };

  /// Volatile, for they may change meanwhile.
  KOKKOS_INLINE_FUNCTION Entry read(std::uint32_t slot) const {
    return {*const_cast<const volatile std::uint64_t*>(&m_key(slot)), *const_cast<const volatile std::uint32_t*>(&m_value(slot))};
  }

  /// The search behind a key's first slot, several slots at a time.
  KOKKOS_INLINE_FUNCTION std::uint32_t find_behind(std::uint32_t slot, std::uint64_t key, std::uint32_t missing) const {
    constexpr int kTogether = 3;
    for (std::uint32_t probes = 1; probes < most_probes; probes += kTogether) {
      Entry behind[kTogether];
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        slot = next(slot);
        behind[i] = read(slot);
      }
      TESSERA_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (behind[i].key == key) return behind[i].value;
        if (behind[i].key == kEmpty) return missing;
      }
    }
    return missing;
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t next(std::uint32_t slot) const { return slot + 1 < m_slots ? slot + 1 : 0; }

  /// The first slot to look at. Keys that differ in few bits, as those of neighbouring cells do, are spread by two multiplications with the
  /// odd number next to 2^64 divided by the golden ratio.
  KOKKOS_INLINE_FUNCTION std::uint32_t hash(std::uint64_t key) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = key * kGolden;
    hash = (hash ^ (hash >> 32)) * kGolden;
    return static_cast<std::uint32_t>((hash >> 32) * m_slots >> 32);
  }

  std::uint32_t m_slots = 0;
  Kokkos::View<std::uint64_t*, Device> m_key;
  Kokkos::View<std::uint32_t*, Device> m_value;
};

}  // namespace tessera
