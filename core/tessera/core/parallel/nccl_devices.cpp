// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/parallel/nccl_devices.hpp"

#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"

namespace tessera::parallel {

namespace {

struct Connected {
  Communicator ranks;
  std::shared_ptr<const NcclDevices> devices;
};

std::vector<Connected> connected;

}  // namespace

std::shared_ptr<const NcclDevices> NcclDevices::of(const Communicator& ranks) {
  for (const Connected& known : connected) {
    if (known.ranks == ranks) return known.devices;
  }
  if (connected.empty()) Kokkos::push_finalize_hook([] { connected.clear(); });
  return connected.emplace_back(Connected{ranks, std::make_shared<const NcclDevices>(ranks)})
      .devices;
}

NcclDevices::NcclDevices(const Communicator& ranks) {
  ncclUniqueId id;
  if (ranks.is_root()) check(ncclGetUniqueId(&id), "start");
  ranks.broadcast(&id, 1);
  check(ncclCommInitRank(&m_handle, ranks.size(), id, ranks.rank()), "connecting the devices");
}

NcclDevices::~NcclDevices() { ncclCommDestroy(m_handle); }

void NcclDevices::check(int status, const char* what) {
  if (status == ncclSuccess) return;
  throw Error(ErrorKind::resource,
              std::string("NCCL: ") + what + " failed (" +
                  ncclGetErrorString(static_cast<ncclResult_t>(status)) + ")",
              "NCCL_DEBUG=INFO says why; a build without NCCL sends through the host");
}

std::string NcclDevices::version() {
  int version = 0;
  ncclGetVersion(&version);
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

}  // namespace tessera::parallel
