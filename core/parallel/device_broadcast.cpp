// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Device broadcasts through the host; device_broadcast_nccl.cpp has those by NCCL.
#include "tessera/core/parallel/device_broadcast.hpp"

#include <algorithm>
#include <vector>

#include "tessera/core/device/arrays.hpp"

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

/// Piece by piece, so that the host needs little room.
template <class ExecSpace>
void DeviceBroadcast<ExecSpace>::wait() {
  State& s = *m_state;
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    constexpr std::size_t kPiece = std::size_t{1} << 23;
    std::vector<double> piece(std::min(kPiece, s.count));
    for (std::size_t begin = 0; begin < s.count; begin += kPiece) {
      const std::size_t size = std::min(kPiece, s.count - begin);
      if (s.ranks.rank() == s.from) copy_to_host(s.exec, piece.data(), s.values + begin, size);
      s.ranks.broadcast(piece.data(), size, s.from);
      if (s.ranks.rank() != s.from) copy_from_host(s.exec, s.values + begin, piece.data(), size);
    }
  } else {
    s.exec.fence();
    s.ranks.broadcast(s.values, s.count, s.from);
  }
}

template <class ExecSpace>
std::string DeviceBroadcast<ExecSpace>::path() const {
  return "the host";
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
