// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/parallel/device.hpp"
#include "tessera/core/parallel/launch.hpp"
#include "tests/harness/ranks.hpp"

namespace {

/// The exit status that CTest reads as "skipped".
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

const tessera::parallel::Launch& launch() {
  static const tessera::parallel::Launch instance;
  return instance;
}

}  // namespace

const tessera::parallel::Communicator& tessera::test::ranks() { return launch().ranks(); }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!kokkos_can_start()) {
    std::puts("skipped: this Kokkos was built with CUDA, and no CUDA device is present");
    return kSkipped;
  }
  std::vector<std::string> arguments(argv, argv + argc);
  try {
    for (const std::string& argument :
         tessera::parallel::choose_device(launch().ranks(), tessera::choose_backend("auto"), {}))
      arguments.push_back(argument);
  } catch (const tessera::Error& error) {
    std::printf("skipped: %s\n", error.what());
    return kSkipped;
  }
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  const Kokkos::ScopeGuard kokkos(count, pointers.data());
  return RUN_ALL_TESTS();
}
