// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Device broadcasts by GPU-aware MPI or through the host; device_broadcast_nccl.cpp has those by
// NCCL.
#include "tessera/core/parallel/device_broadcast.hpp"

#include <algorithm>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/parallel/mpi_path.hpp"

namespace tessera::parallel {

/// A broadcast that has been started and not waited for.
template <class ExecSpace>
struct DeviceBroadcast<ExecSpace>::State {
  ExecSpace exec;
  Communicator ranks;
  double* values = nullptr;
  std::size_t count = 0;
  int from = 0;
};

template <class ExecSpace>
DeviceBroadcast<ExecSpace>::DeviceBroadcast(const ExecSpace& exec, const Communicator& ranks)
    : m_state(std::make_unique<State>(State{exec, ranks})) {}

template <class ExecSpace>
DeviceBroadcast<ExecSpace>::~DeviceBroadcast() = default;

template <class ExecSpace>
void DeviceBroadcast<ExecSpace>::start(double* values, std::size_t count, int from) {
  m_state->values = values;
  m_state->count = count;
  m_state->from = from;
}

/// Through the host piece by piece, so that it needs little room.
template <class ExecSpace>
void DeviceBroadcast<ExecSpace>::wait() {
  State& s = *m_state;
  if (sends_in_place<ExecSpace>(s.ranks)) {
    s.exec.fence();
    s.ranks.broadcast(s.values, s.count, s.from);
  } else if constexpr (compat::is_gpu_v<ExecSpace>) {
    constexpr std::size_t kPiece = std::size_t{1} << 23;
    std::vector<double> piece(std::min(kPiece, s.count));
    for (std::size_t begin = 0; begin < s.count; begin += kPiece) {
      const std::size_t size = std::min(kPiece, s.count - begin);
      if (s.ranks.rank() == s.from) copy_to_host(s.exec, piece.data(), s.values + begin, size);
      s.ranks.broadcast(piece.data(), size, s.from);
      if (s.ranks.rank() != s.from) copy_from_host(s.exec, s.values + begin, piece.data(), size);
    }
  }
}

template <class ExecSpace>
std::string DeviceBroadcast<ExecSpace>::path() const {
  return mpi_path<ExecSpace>(m_state->ranks);
}

#ifdef TESSERA_HAVE_SERIAL
template class DeviceBroadcast<Kokkos::Serial>;
#endif
#ifdef TESSERA_HAVE_OPENMP
template class DeviceBroadcast<Kokkos::OpenMP>;
#endif
#if defined(TESSERA_HAVE_CUDA) && !defined(TESSERA_HAVE_NCCL)
template class DeviceBroadcast<Kokkos::Cuda>;
#endif

}  // namespace tessera::parallel
