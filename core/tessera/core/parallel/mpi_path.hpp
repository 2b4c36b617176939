// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/parallel/communicator.hpp"

/// How MPI sends arrays in the memory of an execution space.

namespace tessera::parallel {

/// Whether messages lie there, and not in a copy on the host. What is under way in the execution
/// space has to end before one is sent.
template <class ExecSpace>
bool sends_in_place(const Communicator& ranks) {
  return !compat::is_gpu_v<ExecSpace> || ranks.takes_device_memory();
}

/// "GPU-aware MPI", "the host"
template <class ExecSpace>
std::string mpi_path(const Communicator& ranks) {
  return compat::is_gpu_v<ExecSpace> && ranks.takes_device_memory() ? "GPU-aware MPI" : "the host";
}

}  // namespace tessera::parallel
