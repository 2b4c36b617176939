// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/core/parallel/communicator.hpp"

struct ncclComm;  // of nccl.h, which is needed where this is used alone

namespace tessera::parallel {

/// The devices of all ranks, which NCCL connects.
class NcclDevices {
 public:
  /// All ranks call this in the same order. Connecting takes a second: what the same ranks have
  /// connected stays so until Kokkos ends. Throws Error (resource) when NCCL cannot connect them.
  static std::shared_ptr<const NcclDevices> of(const Communicator& ranks);

  explicit NcclDevices(const Communicator& ranks);
  ~NcclDevices();
  NcclDevices(const NcclDevices&) = delete;
  NcclDevices& operator=(const NcclDevices&) = delete;

  ncclComm* handle() const { return m_handle; }

  /// Throws Error (resource) unless a call of NCCL has succeeded, by its ncclResult_t.
  static void check(int status, const char* what);

  /// "NCCL 2.27"
  static std::string version();

 private:
  ncclComm* m_handle = nullptr;
};

}  // namespace tessera::parallel
