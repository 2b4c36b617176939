// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"

/// Allocation, copies and fills of device arrays as bytes. Kokkos::deep_copy and a View that
/// initialises its elements compile up to eight kernels for each element type, layout and index
/// type; the functions here share a few that stand compiled in the library. Elements are trivially
/// copyable, arrays have no gaps, and everything happens in the order of the given execution space
/// instance.

namespace tessera {

namespace array_bytes {

/// The operations that are compiled once for each backend in arrays.cpp.
template <class ExecSpace>
struct Bytes {
  static void copy(const ExecSpace& exec, void* to, const void* from, std::size_t bytes);
  static void upload(const ExecSpace& exec, void* device, const void* host, std::size_t bytes);
  static void download(const ExecSpace& exec, void* host, const void* device, std::size_t bytes);

  /// Writes `pattern` again and again; `to` is aligned as for a std::uint64_t.
  static void fill(const ExecSpace& exec, void* to, std::uint64_t pattern, std::size_t bytes);
};

/// A value of 1, 2, 4 or 8 bytes, repeated in 8 (the first byte is the lowest on every processor
/// that Kokkos runs on).
template <class T>
std::uint64_t repeat_bytes(const T& value) {
  static_assert(std::is_trivially_copyable_v<T> &&
                (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
  std::uint64_t pattern = 0;
  for (std::size_t byte = 0; byte < sizeof pattern; ++byte) {
    reinterpret_cast<unsigned char*>(&pattern)[byte] =
        reinterpret_cast<const unsigned char*>(&value)[byte % sizeof(T)];
  }
  return pattern;
}

template <class T>
struct StoreValue {
  T* to;
  T value;
  KOKKOS_INLINE_FUNCTION void operator()(int) const { *to = value; }
};

}  // namespace array_bytes

/// A new array whose elements have no value yet.
template <class View, class ExecSpace, class... Extents>
View allocate(const ExecSpace& exec, const std::string& label, Extents... extents) {
  return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), extents...);
}

/// Gives every element of an array the same value, of at most 8 bytes.
template <class ExecSpace, class View>
void fill(const ExecSpace& exec, const View& array, const typename View::value_type& value) {
  array_bytes::Bytes<ExecSpace>::fill(exec, array.data(), array_bytes::repeat_bytes(value),
                                      array.span() * sizeof value);
}

/// A new array of zeros: bytes that are zero.
template <class View, class ExecSpace, class... Extents>
View allocate_zeros(const ExecSpace& exec, const std::string& label, Extents... extents) {
  static_assert(std::is_trivially_copyable_v<typename View::value_type>);
  const View array = allocate<View>(exec, label, extents...);
  array_bytes::Bytes<ExecSpace>::fill(exec, array.data(), 0,
                                      array.span() * sizeof(typename View::value_type));
  return array;
}

/// `count` arrays of n zeros each in one allocation, which a GPU takes as long for as for one
/// array.
template <class View, class ExecSpace>
std::vector<View> allocate_zeros_together(const ExecSpace& exec, const std::string& label,
                                          std::size_t count, std::size_t n) {
  const View all = allocate_zeros<View>(exec, label, count * n);
  std::vector<View> arrays;
  for (std::size_t k = 0; k < count; ++k)
    arrays.push_back(Kokkos::subview(all, std::pair(k * n, (k + 1) * n)));
  return arrays;
}

/// Copies n elements within the memory of the execution space.
template <class ExecSpace, class T>
void copy(const ExecSpace& exec, T* to, const T* from, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  array_bytes::Bytes<ExecSpace>::copy(exec, to, from, n * sizeof(T));
}

/// Copies n elements from the host, and waits.
template <class ExecSpace, class T>
void copy_from_host(const ExecSpace& exec, T* device, const T* host, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  array_bytes::Bytes<ExecSpace>::upload(exec, device, host, n * sizeof(T));
}

/// Copies n elements to the host, and waits.
template <class ExecSpace, class T>
void copy_to_host(const ExecSpace& exec, T* host, const T* device, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  array_bytes::Bytes<ExecSpace>::download(exec, host, device, n * sizeof(T));
}

/// Gives one element, or an array without dimensions, a value; does not wait.
template <class ExecSpace, class T>
void store(const ExecSpace& exec, const std::string& label, T* device, const T& value) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       array_bytes::StoreValue<T>{device, value});
}

}  // namespace tessera
