// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

/// Copies between std::vector and the device. Each waits for `exec`, so that the vector may go.

namespace tessera::gp::detail {

template <class T>
using HostVector = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A copy on the device, labelled "tessera::gp::" and `label`.
template <class T, class ExecSpace>
Kokkos::View<T*, ExecSpace> device_copy(const ExecSpace& exec, const std::string& label, const std::vector<T>& values) {
  const Kokkos::View<T*, ExecSpace> device(Kokkos::view_alloc("tessera::gp::" + label, Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(exec, device, HostVector<const T>(values.data(), values.size()));
  exec.fence();
  return device;
}

/// The first `count` numbers at `data` in the memory of `exec`.
template <class ExecSpace>
std::vector<double> host_copy(const ExecSpace& exec, const double* data, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  Kokkos::deep_copy(exec, HostVector<double>(values.data(), values.size()),
                    Kokkos::View<const double*, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(data, values.size()));
  exec.fence();
  return values;
}

}  // namespace tessera::gp::detail
