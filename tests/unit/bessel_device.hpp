// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "tests/harness/exec_space.hpp"

/// Numbers of tests of bessel on the device and back.

namespace tessera::bessel {

template <class Real>
using Values = Kokkos::View<Real*, test::ExecSpace>;

template <class Real>
Values<Real> to_device(const std::vector<Real>& values) {
  const Values<Real> device("values", values.size());
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(device, host);
  return device;
}

template <class Real>
std::vector<Real> to_host(const Values<Real>& device) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  return {host.data(), host.data() + host.extent(0)};
}

}  // namespace tessera::bessel
