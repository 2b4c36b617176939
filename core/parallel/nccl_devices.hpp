// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nccl.h>

#include <memory>
#include <string>

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::parallel {

/// The devices of all ranks, which NCCL connects.
class NcclDevices {
 public:
  /// To be called by all ranks in the same order. Connecting takes a second: what the same ranks have connected stays so until Kokkos ends.
  /// Throws Error (resource) when NCCL cannot connect them.
  static std::shared_ptr<const NcclDevices> of(const Communicator& ranks);

  explicit NcclDevices(const Communicator& ranks);
  ~NcclDevices();
  NcclDevices(const NcclDevices&) = delete;
  NcclDevices& operator=(const NcclDevices&) = delete;

  ncclComm_t handle() const { return m_handle; }

  /// Throws Error (resource) unless a call has succeeded.
  static void check(ncclResult_t status, const char* what);

  /// "NCCL 2.27"
  static std::string version();

 private:
  ncclComm_t m_handle = nullptr;
};

}  // namespace tessera::parallel
