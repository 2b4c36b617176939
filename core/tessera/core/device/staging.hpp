// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/core/device/kokkos_compat.hpp"

/// Large copies between a GPU and host memory that is not pinned go through two pinned buffers,
/// which several threads fill or empty while the bus moves the other one. The driver does the same
/// with one thread.

namespace tessera::array_bytes {

/// Copy in the order of an execution space instance and wait, where that is worth while: the copy
/// is large, and the memory is not pinned. Otherwise they return false. One thread at a time;
/// others wait for it.
template <class ExecSpace>
bool upload_staged(const ExecSpace&, void*, const void*, std::size_t) {
  return false;
}
template <class ExecSpace>
bool download_staged(const ExecSpace&, void*, const void*, std::size_t) {
  return false;
}

#ifdef KOKKOS_ENABLE_CUDA
template <>
bool upload_staged(const Kokkos::Cuda& exec, void* device, const void* host, std::size_t bytes);
template <>
bool download_staged(const Kokkos::Cuda& exec, void* host, const void* device, std::size_t bytes);
#endif

}  // namespace tessera::array_bytes
