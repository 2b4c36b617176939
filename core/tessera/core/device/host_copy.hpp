// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"

/// Copies between vectors on the host and arrays on the device. They use the given execution space
/// instance, wait for it, and leave other instances alone.
namespace tessera {

/// Copies the values of a vector to the beginning of a device array that is long enough.
template <class ExecSpace, class T, class View>
void upload_to(const ExecSpace& exec, const std::vector<T>& values, const View& device) {
  static_assert(View::rank == 1, "one-dimensional arrays are copied");
  copy_from_host(exec, device.data(), values.data(), values.size());
}

/// A new device array with the values of a vector.
template <class ExecSpace, class T>
Kokkos::View<T*, ExecSpace> upload(const ExecSpace& exec, const std::string& label,
                                   const std::vector<T>& values) {
  const auto device = allocate<Kokkos::View<T*, ExecSpace>>(exec, label, values.size());
  upload_to(exec, values, device);
  return device;
}

/// The elements of a one-dimensional array without gaps.
template <class ExecSpace, class View>
std::vector<typename View::non_const_value_type> download(const ExecSpace& exec,
                                                          const View& device) {
  static_assert(View::rank == 1, "one-dimensional arrays are copied");
  using T = typename View::non_const_value_type;
  std::vector<T> values(device.extent(0));
  copy_to_host(exec, values.data(), device.data(), values.size());
  return values;
}

/// The value of an array without dimensions, such as the result of a reduction.
template <class ExecSpace, class View>
typename View::non_const_value_type download_scalar(const ExecSpace& exec, const View& device) {
  static_assert(View::rank == 0, "a scalar is copied");
  using T = typename View::non_const_value_type;
  T value{};
  copy_to_host(exec, &value, device.data(), 1);
  return value;
}

}  // namespace tessera
