// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/parallel/communicator.hpp"

namespace tessera::parallel {

/// Broadcasts of arrays of doubles in device memory, in the order of an execution space: `start`
/// comes behind what `exec` was given so far, and what `exec` is given after `wait` finds the
/// values. In between `exec` goes on with other work, meanwhile the array is left alone. One at a
/// time; every rank makes the same calls. By NCCL where it was found, else by GPU-aware MPI or
/// through the host, where all of it happens in `wait`.
template <class ExecSpace>
class DeviceBroadcast {
 public:
  /// Throws Error (resource) when NCCL cannot connect the devices.
  DeviceBroadcast(const ExecSpace& exec, const Communicator& ranks);
  ~DeviceBroadcast();
  DeviceBroadcast(const DeviceBroadcast&) = delete;
  DeviceBroadcast& operator=(const DeviceBroadcast&) = delete;

  void start(double* values, std::size_t count, int from);
  void wait();

  /// How values travel: "NCCL 2.27", "GPU-aware MPI", "the host".
  std::string path() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace tessera::parallel
