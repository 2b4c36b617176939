// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/grid.hpp"

/// Copies between the host and the device. All of them wait for the execution-space instance, and for nothing else.

namespace tessera::mpr::detail {

/// A View of the same contents in the host's memory: itself where it lies there.
template <class ExecSpace, class View>
auto copy_to_host(const ExecSpace& exec, const View& view) {
  const auto host = Kokkos::create_mirror_view(view);
  Kokkos::deep_copy(exec, host, view);
  exec.fence();
  return host;
}

/// The value of a View of rank 0.
template <class ExecSpace, class View>
auto read_value(const ExecSpace& exec, const View& view) {
  typename View::non_const_value_type value;
  Kokkos::deep_copy(exec, Kokkos::View<typename View::non_const_value_type, Kokkos::HostSpace>(&value), view);
  exec.fence();
  return value;
}

/// Numbers T on the device, converted.
template <class ExecSpace, class T, class From>
Array<ExecSpace, T> to_device(const ExecSpace& exec, const std::vector<From>& values) {
  const Array<ExecSpace, T> device(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::mpr::field"), values.size());
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<T>(values[i]);
  Kokkos::deep_copy(exec, device, host);
  exec.fence();
  return device;
}

template <class ExecSpace, class View>
std::vector<double> to_doubles(const ExecSpace& exec, const View& view) {
  const auto host = copy_to_host(exec, view);
  return {host.data(), host.data() + host.extent(0)};
}

/// A View of numbers T, or of structures that consist of them, as numbers.
template <class T, class ExecSpace, class View>
std::vector<T> to_numbers(const ExecSpace& exec, const View& view) {
  const auto host = copy_to_host(exec, view);
  const T* data = reinterpret_cast<const T*>(host.data());
  return {data, data + host.extent(0) * (sizeof(*host.data()) / sizeof(T))};
}

/// The way back of to_numbers. Throws Error (input) when there are not as many numbers as the View holds.
template <class T, class ExecSpace, class View>
void from_numbers(const ExecSpace& exec, const std::vector<T>& values, const View& view) {
  if (values.size() * sizeof(T) != view.extent(0) * sizeof(*view.data())) {
    throw Error(ErrorKind::input, "the restart file does not fit this grid", "continue with the input and the data of the interrupted run");
  }
  const auto host = Kokkos::create_mirror_view(view);
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(host.data()));
  Kokkos::deep_copy(exec, view, host);
  exec.fence();
}

}  // namespace tessera::mpr::detail
