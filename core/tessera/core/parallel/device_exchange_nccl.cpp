// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <nccl.h>

#include <Kokkos_Core.hpp>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/parallel/device_exchange.hpp"
#include "tessera/core/parallel/nccl_devices.hpp"

namespace tessera::parallel {

template <>
struct DeviceExchange<Kokkos::Cuda>::State {
  Kokkos::Cuda exec;
  int rank;
  std::shared_ptr<const NcclDevices> devices;
  State(const Kokkos::Cuda& space, const Communicator& ranks)
      : exec(space), rank(ranks.rank()), devices(NcclDevices::of(ranks)) {}
  ~State() { exec.fence(); }
};

template <>
DeviceExchange<Kokkos::Cuda>::DeviceExchange(const Kokkos::Cuda& exec, const Communicator& ranks)
    : m_state(std::make_shared<State>(exec, ranks)) {}

template <>
void DeviceExchange<Kokkos::Cuda>::send_bytes(const void* sent,
                                              const std::vector<std::size_t>& going, void* received,
                                              const std::vector<std::size_t>& coming) const {
  const State& s = *m_state;
  const auto* out = static_cast<const char*>(sent);
  auto* in = static_cast<char*>(received);
  NcclDevices::check(ncclGroupStart(), "an exchange");
  for (std::size_t r = 0; r < going.size(); ++r) {
    const auto rank = static_cast<int>(r);
    if (rank == s.rank) {
      array_bytes::Bytes<Kokkos::Cuda>::copy(s.exec, in, out, going[r]);
    } else if (going[r] > 0) {
      NcclDevices::check(
          ncclSend(out, going[r], ncclChar, rank, s.devices->handle(), s.exec.cuda_stream()),
          "sending");
    }
    if (coming[r] > 0 && rank != s.rank) {
      NcclDevices::check(
          ncclRecv(in, coming[r], ncclChar, rank, s.devices->handle(), s.exec.cuda_stream()),
          "receiving");
    }
    out += going[r];
    in += coming[r];
  }
  NcclDevices::check(ncclGroupEnd(), "an exchange");
}

template <>
std::string DeviceExchange<Kokkos::Cuda>::path() const {
  return NcclDevices::version();
}

template class DeviceExchange<Kokkos::Cuda>;

}  // namespace tessera::parallel
