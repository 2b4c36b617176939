// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::stable::detail {

template <class ExecSpace>
Kokkos::View<double*, ExecSpace> upload(const std::vector<double>& values) {
  const Kokkos::View<double*, ExecSpace> device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::stable::values"), values.size());
  Kokkos::deep_copy(device,
                    Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(values.data(), values.size()));
  return device;
}

template <class ExecSpace>
std::vector<double> download(const Kokkos::View<double*, ExecSpace>& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<double>(host.data(), host.data() + host.extent(0));
}

}  // namespace tessera::stable::detail
