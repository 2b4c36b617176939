// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

/// The result of an insertion: the place of the key, and whether the key was new.
struct DirectoryInsertResult {
  static constexpr std::uint32_t kInvalid = ~std::uint32_t(0);
  /// The index of the entry, for value_at(); kInvalid when the directory has no room for the key
  std::uint32_t index;
  /// Exactly one of the insertions of a key that run at the same time has inserted it
  bool inserted;
  KOKKOS_INLINE_FUNCTION bool failed() const { return index == kInvalid; }
};

/// A directory from 64-bit keys (of a map 128-bit ones too) to 32-bit values that kernels fill and
/// search: Kokkos::UnorderedMap (tessera/core/device/unordered_map.hpp) or a flat table
/// (tessera/core/device/flat_map.hpp).
///
/// On the device, from any number of threads:
///
///     insert(key)             adds a key. Its value is 0 until it is written; insertions and
///                             look-ups must not overlap
///     insert_new(key, value)  the same for keys that are mostly new, with their value
///     value_at(index)         the value of an entry, to be written by whoever has inserted it and
///                             read by later kernels
///     find(key, missing)      the value of a key, or `missing`
///
/// On the host:
///
///     T(exec, keys, slots)    an empty directory with room for so many keys, with so many slots for
///                             each of them; 0 slots, or none given: as many as suit the container
///     reserve(exec, keys)     empties the directory and gives it room for so many keys, with as
///                             many slots for each
///     clear(exec)             empties it
///     failed(exec)            whether an insertion has failed since the directory was last emptied
///     bytes(keys, slots)      memory that room for so many keys takes, with so many slots for each
///     room()                  how many keys it has room for
///
/// An insertion may fail before the directory is full, the sooner the fewer slots a key has. Then
/// the keys in it stay, and the caller reserves more and inserts again. The index of a key depends
/// on the order of the insertions, so that indices must not reach results.
template <class T, class ExecSpace>
concept Directory = std::constructible_from<T, const ExecSpace&, std::uint64_t> &&
    std::constructible_from<T, const ExecSpace&, std::uint64_t, double> &&
    requires(const T& directory, T& mutable_directory, const ExecSpace& exec, std::uint64_t key,
             std::uint32_t number, double slots) {
  { directory.insert(key) } -> std::same_as<DirectoryInsertResult>;
  { directory.insert_new(key, number) } -> std::same_as<DirectoryInsertResult>;
  { directory.value_at(number) } -> std::same_as<std::uint32_t&>;
  { directory.find(key, number) } -> std::same_as<std::uint32_t>;
  {mutable_directory.reserve(exec, key)};
  {mutable_directory.clear(exec)};
  { directory.failed(exec) } -> std::same_as<bool>;
  { T::bytes(key) } -> std::same_as<std::uint64_t>;
  { T::bytes(key, slots) } -> std::same_as<std::uint64_t>;
  { directory.room() } -> std::same_as<std::uint64_t>;
};

}  // namespace tessera
