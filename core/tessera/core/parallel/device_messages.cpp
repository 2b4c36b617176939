// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The choice of a path for device messages, and the paths by MPI; device_messages_nccl.cpp has the
// path by NCCL.
#include "tessera/core/parallel/device_messages.hpp"

#include <algorithm>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::parallel {

namespace {

#ifdef TESSERA_HAVE_NCCL
constexpr bool kHaveNccl = true;
#else
constexpr bool kHaveNccl = false;
#endif

/// A broadcast that has been started and not finished.
struct Broadcast {
  double* values = nullptr;
  std::size_t count = 0;
  int from = 0;
};

/// MPI takes arrays where they are: in the memory of the host, or of a GPU where it is GPU-aware.
template <class ExecSpace>
class PathInPlace final : public DevicePath {
 public:
  PathInPlace(const ExecSpace& exec, const Communicator& ranks) : m_exec(exec), m_ranks(ranks) {}

  std::string name() const override {
    return compat::is_gpu_v<ExecSpace> ? "GPU-aware MPI" : "the host";
  }

  void exchange(const void* sent, const std::vector<std::size_t>& going, void* received,
                const std::vector<std::size_t>& coming) override {
    const auto own = static_cast<std::size_t>(m_ranks.rank());
    const auto* const out = static_cast<const char*>(sent);
    auto* const in = static_cast<char*>(received);
    tessera::copy(m_exec, in + begin_of(coming, own), out + begin_of(going, own), going[own]);
    m_exec.fence();
    m_ranks.exchange_with_others(out, going, in, coming);
  }

  void start_broadcast(double* values, std::size_t count, int from) override {
    m_started = {values, count, from};
  }

  void finish_broadcast() override {
    m_exec.fence();
    m_ranks.broadcast(m_started.values, m_started.count, m_started.from);
  }

 private:
  ExecSpace m_exec;
  Communicator m_ranks;
  Broadcast m_started;
};

/// Pinned memory that grows as it is needed.
template <class ExecSpace>
class PinnedBuffer {
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
  Kokkos::View<char*, compat::PinnedSpace<ExecSpace>> m_bytes;
};

/// A GPU copies arrays to the host, MPI sends them from there.
template <class ExecSpace>
class PathThroughHost final : public DevicePath {
 public:
  PathThroughHost(const ExecSpace& exec, const Communicator& ranks)
      : m_exec(exec), m_ranks(ranks) {}

  std::string name() const override { return "the host"; }

  void exchange(const void* sent, const std::vector<std::size_t>& going, void* received,
                const std::vector<std::size_t>& coming) override {
    char* const out = m_sent.take(sum_of(going));
    char* const in = m_received.take(sum_of(coming));
    copy_to_host(m_exec, out, static_cast<const char*>(sent), sum_of(going));
    m_ranks.exchange(out, going, in, coming);
    copy_from_host(m_exec, static_cast<char*>(received), in, sum_of(coming));
  }

  void start_broadcast(double* values, std::size_t count, int from) override {
    m_started = {values, count, from};
  }

  /// Sends piece by piece, so that the host needs little memory.
  void finish_broadcast() override {
    constexpr std::size_t kPiece = std::size_t{1} << 23;
    const auto [values, count, from] = m_started;
    std::vector<double> piece(std::min(kPiece, count));
    for (std::size_t begin = 0; begin < count; begin += kPiece) {
      const std::size_t size = std::min(kPiece, count - begin);
      if (m_ranks.rank() == from) copy_to_host(m_exec, piece.data(), values + begin, size);
      m_ranks.broadcast(piece.data(), size, from);
      if (m_ranks.rank() != from) copy_from_host(m_exec, values + begin, piece.data(), size);
    }
  }

 private:
  ExecSpace m_exec;
  Communicator m_ranks;
  Broadcast m_started;
  PinnedBuffer<ExecSpace> m_sent, m_received;
};

template <class ExecSpace>
std::shared_ptr<DevicePath> choose_path(const ExecSpace& exec, const Communicator& ranks) {
  if constexpr (!compat::is_gpu_v<ExecSpace>) {
    return std::make_shared<PathInPlace<ExecSpace>>(exec, ranks);
  } else if constexpr (kHaveNccl) {
    return connect_by_nccl(exec, ranks);
  } else {
    if (ranks.takes_device_memory()) return std::make_shared<PathInPlace<ExecSpace>>(exec, ranks);
    return std::make_shared<PathThroughHost<ExecSpace>>(exec, ranks);
  }
}

}  // namespace

template <class ExecSpace>
DeviceMessages::DeviceMessages(const ExecSpace& exec, const Communicator& ranks)
    : m_path(choose_path(exec, ranks)) {}

#ifdef TESSERA_HAVE_SERIAL
template DeviceMessages::DeviceMessages(const Kokkos::Serial&, const Communicator&);
#endif
#ifdef TESSERA_HAVE_OPENMP
template DeviceMessages::DeviceMessages(const Kokkos::OpenMP&, const Communicator&);
#endif
#ifdef TESSERA_HAVE_CUDA
template DeviceMessages::DeviceMessages(const Kokkos::Cuda&, const Communicator&);
#endif

}  // namespace tessera::parallel
