// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

namespace {

/// What CTest reads as "skipped".
constexpr int kSkipped = 77;

/// A Kokkos built with CUDA cannot start, on any backend, on a machine without a device.
bool kokkos_can_start() {
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
#else
  return true;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!kokkos_can_start()) {
    std::puts("skipped: this Kokkos was built with CUDA, and no CUDA device is present");
    return kSkipped;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return RUN_ALL_TESTS();
}
