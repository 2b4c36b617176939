// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "tessera/core/device/backend.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {

/// The backend that this executable tests.
inline Backend backend() {
#ifdef KOKKOS_ENABLE_CUDA
  if (std::is_same_v<ExecSpace, Kokkos::Cuda>) return Backend::cuda;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if (std::is_same_v<ExecSpace, Kokkos::OpenMP>) return Backend::openmp;
#endif
  return Backend::serial;
}

}  // namespace tessera::test
