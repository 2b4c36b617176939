// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/mpr/detail/missing.hpp"

namespace tessera::mpr::detail {

template <class ExecSpace, class To, class From>
Array<ExecSpace, To> to_device(const ExecSpace& exec, const std::vector<From>& values) {
  const Array<ExecSpace, To> device(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::mpr::field"), values.size());
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<To>(values[i]);
  Kokkos::deep_copy(exec, device, host);
  exec.fence();
  return device;
}

template <class View>
std::vector<double> to_doubles(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

}  // namespace tessera::mpr::detail
