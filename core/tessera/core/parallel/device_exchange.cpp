// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Device lists by GPU-aware MPI or through the host; device_exchange_nccl.cpp has those by NCCL.
#include "tessera/core/parallel/device_exchange.hpp"

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/parallel/mpi_path.hpp"

namespace tessera::parallel {

namespace {

#ifdef TESSERA_HAVE_CUDA
using PinnedSpace = Kokkos::CudaHostPinnedSpace;
#else
using PinnedSpace = Kokkos::HostSpace;
#endif

/// Memory of the host that a device copies from and to at full speed. It grows as it is needed.
class Pinned {
 public:
  char* take(std::size_t bytes) {
    if (bytes > m_bytes.extent(0)) {
      m_bytes = {};
      m_bytes = decltype(m_bytes)(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::parallel::pinned"),
          bytes + bytes / 2);
    }
    return m_bytes.data();
  }

 private:
  Kokkos::View<char*, PinnedSpace> m_bytes;
};

}  // namespace

template <class ExecSpace>
struct DeviceExchange<ExecSpace>::State {
  ExecSpace exec;
  Communicator ranks;
  Pinned sent, received;
};

template <class ExecSpace>
DeviceExchange<ExecSpace>::DeviceExchange(const ExecSpace& exec, const Communicator& ranks)
    : m_state(std::make_shared<State>(State{exec, ranks, {}, {}})) {}

template <class ExecSpace>
void DeviceExchange<ExecSpace>::send_bytes(const void* sent, const std::vector<std::size_t>& going,
                                           void* received,
                                           const std::vector<std::size_t>& coming) const {
  State& s = *m_state;
  if (sends_in_place<ExecSpace>(s.ranks)) {
    const auto own = static_cast<std::size_t>(s.ranks.rank());
    const auto* const out = static_cast<const char*>(sent);
    auto* const in = static_cast<char*>(received);
    array_bytes::Bytes<ExecSpace>::copy(s.exec, in + begin_of(coming, own),
                                        out + begin_of(going, own), going[own]);
    s.exec.fence();
    s.ranks.exchange_with_others(out, going, in, coming);
  } else if constexpr (compat::is_gpu_v<ExecSpace>) {
    char* const out = s.sent.take(sum_of(going));
    char* const in = s.received.take(sum_of(coming));
    copy_to_host(s.exec, out, static_cast<const char*>(sent), sum_of(going));
    s.ranks.exchange(out, going, in, coming);
    copy_from_host(s.exec, static_cast<char*>(received), in, sum_of(coming));
  }
}

template <class ExecSpace>
std::string DeviceExchange<ExecSpace>::path() const {
  return mpi_path<ExecSpace>(m_state->ranks);
}

#ifdef TESSERA_HAVE_SERIAL
template class DeviceExchange<Kokkos::Serial>;
#endif
#ifdef TESSERA_HAVE_OPENMP
template class DeviceExchange<Kokkos::OpenMP>;
#endif
#if defined(TESSERA_HAVE_CUDA) && !defined(TESSERA_HAVE_NCCL)
template class DeviceExchange<Kokkos::Cuda>;
#endif

}  // namespace tessera::parallel
