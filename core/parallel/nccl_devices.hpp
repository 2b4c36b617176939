// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nccl.h>

#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/parallel/communicator.hpp"

namespace tessera::parallel {

/// The devices of all ranks, which NCCL connects. Calls come from all ranks in the same order.
class NcclDevices {
 public:
  /// Throws Error (resource) when NCCL cannot connect them.
  explicit NcclDevices(const Communicator& ranks) {
    ncclUniqueId id;
    if (ranks.is_root()) check(ncclGetUniqueId(&id), "start");
    ranks.broadcast(&id, 1);
    check(ncclCommInitRank(&m_handle, ranks.size(), id, ranks.rank()), "connecting the devices");
  }
  ~NcclDevices() { ncclCommDestroy(m_handle); }
  NcclDevices(const NcclDevices&) = delete;
  NcclDevices& operator=(const NcclDevices&) = delete;

  ncclComm_t handle() const { return m_handle; }

  static void check(ncclResult_t status, const char* what) {
    if (status == ncclSuccess) return;
    throw Error(ErrorKind::resource, std::string("NCCL: ") + what + " failed (" + ncclGetErrorString(status) + ")",
                "NCCL_DEBUG=INFO says why; a build without NCCL sends through the host");
  }

  /// "NCCL 2.27"
  static std::string version() {
    int version = 0;
    ncclGetVersion(&version);
    return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
  }

 private:
  ncclComm_t m_handle = nullptr;
};

}  // namespace tessera::parallel
