// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"

/// Copies between vectors on the host and arrays on the device. They use the given execution space instance, wait for it, and
/// leave other instances alone.
namespace tessera {

/// Copies the values of a vector to the beginning of a device array that is long enough.
template <class ExecSpace, class T, class View>
void upload_to(const ExecSpace& exec, const std::vector<T>& values, const View& device) {
  static_assert(View::rank == 1, "one-dimensional arrays are copied");
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(), values.size());
  Kokkos::deep_copy(exec, Kokkos::subview(device, std::pair<std::size_t, std::size_t>(0, values.size())), host);
  exec.fence();
}

/// A new device array with the values of a vector.
template <class ExecSpace, class T>
Kokkos::View<T*, ExecSpace> upload(const ExecSpace& exec, const std::string& label, const std::vector<T>& values) {
  const Kokkos::View<T*, ExecSpace> device(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
  upload_to(exec, values, device);
  return device;
}

/// The elements of a one-dimensional array without gaps.
template <class ExecSpace, class View>
std::vector<typename View::non_const_value_type> download(const ExecSpace& exec, const View& device) {
  static_assert(View::rank == 1, "one-dimensional arrays are copied");
  using T = typename View::non_const_value_type;
  std::vector<T> values(device.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(values.data(), values.size()),
                    device);
  exec.fence();
  return values;
}

/// The value of an array without dimensions, such as the result of a reduction.
template <class ExecSpace, class View>
typename View::non_const_value_type download_scalar(const ExecSpace& exec, const View& device) {
  static_assert(View::rank == 0, "a scalar is copied");
  using T = typename View::non_const_value_type;
  T value{};
  Kokkos::deep_copy(exec, Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value), device);
  exec.fence();
  return value;
}

}  // namespace tessera
