// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Device messages by NCCL: no other source knows it.
#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/parallel/device_messages.hpp"

namespace tessera::parallel {

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(ErrorKind::resource,
                std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(status) + ")");
}

void check(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  throw Error(ErrorKind::resource,
              std::string("NCCL: ") + what + " failed (" + ncclGetErrorString(status) + ")",
              "NCCL_DEBUG=INFO says why; a build without NCCL sends through the host");
}

/// The devices of all ranks, which NCCL connects.
class Devices {
 public:
  /// All ranks call this in the same order. Connecting takes a second: what the same ranks have
  /// connected stays so until Kokkos ends.
  static std::shared_ptr<const Devices> of(const Communicator& ranks);

  explicit Devices(const Communicator& ranks) {
    ncclUniqueId id;
    if (ranks.is_root()) check(ncclGetUniqueId(&id), "start");
    ranks.broadcast(&id, 1);
    check(ncclCommInitRank(&m_handle, ranks.size(), id, ranks.rank()), "connecting the devices");
  }
  ~Devices() { ncclCommDestroy(m_handle); }
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  ncclComm_t handle() const { return m_handle; }

 private:
  ncclComm_t m_handle = nullptr;
};

struct Connected {
  Communicator ranks;
  std::shared_ptr<const Devices> devices;
};

std::vector<Connected> connected;

std::shared_ptr<const Devices> Devices::of(const Communicator& ranks) {
  for (const Connected& known : connected) {
    if (known.ranks == ranks) return known.devices;
  }
  if (connected.empty()) Kokkos::push_finalize_hook([] { connected.clear(); });
  return connected.emplace_back(Connected{ranks, std::make_shared<const Devices>(ranks)}).devices;
}

/// A stream of its own for broadcasts, so that values travel while kernels run.
class BroadcastStream {
 public:
  BroadcastStream() {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities");
    check(cudaStreamCreateWithPriority(&m_stream, cudaStreamNonBlocking, greatest),
          "making a stream");
    check(cudaEventCreateWithFlags(&m_before, cudaEventDisableTiming), "making an event");
    check(cudaEventCreateWithFlags(&m_after, cudaEventDisableTiming), "making an event");
  }
  ~BroadcastStream() {
    cudaStreamSynchronize(m_stream);
    cudaEventDestroy(m_after);
    cudaEventDestroy(m_before);
    cudaStreamDestroy(m_stream);
  }
  BroadcastStream(const BroadcastStream&) = delete;
  BroadcastStream& operator=(const BroadcastStream&) = delete;

  /// Sends the values once the other stream has done what it was given so far.
  void start(cudaStream_t behind, ncclComm_t devices, double* values, std::size_t count, int from) {
    check(cudaEventRecord(m_before, behind), "recording an event");
    check(cudaStreamWaitEvent(m_stream, m_before, 0), "waiting for an event");
    check(ncclBroadcast(values, values, count, ncclDouble, from, devices, m_stream), "a broadcast");
    check(cudaEventRecord(m_after, m_stream), "recording an event");
  }

  /// Makes the work that the other stream is given next wait for the values.
  void finish(cudaStream_t before) {
    check(cudaStreamWaitEvent(before, m_after, 0), "waiting for an event");
  }

 private:
  cudaStream_t m_stream = nullptr;
  cudaEvent_t m_before = nullptr, m_after = nullptr;
};

class PathByNccl final : public DevicePath {
 public:
  PathByNccl(const Kokkos::Cuda& exec, const Communicator& ranks)
      : m_exec(exec), m_rank(ranks.rank()), m_devices(Devices::of(ranks)) {}
  ~PathByNccl() override { m_exec.fence(); }
  PathByNccl(const PathByNccl&) = delete;
  PathByNccl& operator=(const PathByNccl&) = delete;

  std::string name() const override {
    int version = 0;
    ncclGetVersion(&version);
    return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
  }

  void exchange(const void* sent, const std::vector<std::size_t>& going, void* received,
                const std::vector<std::size_t>& coming) override {
    const ncclComm_t devices = m_devices->handle();
    const cudaStream_t stream = m_exec.cuda_stream();
    const auto* out = static_cast<const char*>(sent);
    auto* in = static_cast<char*>(received);
    check(ncclGroupStart(), "an exchange");
    for (std::size_t r = 0; r < going.size(); ++r) {
      const auto rank = static_cast<int>(r);
      if (rank == m_rank) {
        tessera::copy(m_exec, in, out, going[r]);
      } else {
        if (going[r] > 0)
          check(ncclSend(out, going[r], ncclChar, rank, devices, stream), "sending");
        if (coming[r] > 0)
          check(ncclRecv(in, coming[r], ncclChar, rank, devices, stream), "receiving");
      }
      out += going[r];
      in += coming[r];
    }
    check(ncclGroupEnd(), "an exchange");
  }

  void start_broadcast(double* values, std::size_t count, int from) override {
    if (!m_broadcasts) m_broadcasts = std::make_unique<BroadcastStream>();
    m_broadcasts->start(m_exec.cuda_stream(), m_devices->handle(), values, count, from);
  }

  void finish_broadcast() override {
    if (m_broadcasts) m_broadcasts->finish(m_exec.cuda_stream());
  }

 private:
  Kokkos::Cuda m_exec;
  int m_rank;
  std::shared_ptr<const Devices> m_devices;
  std::unique_ptr<BroadcastStream> m_broadcasts;  // none before the first
};

}  // namespace

template <class ExecSpace>
std::shared_ptr<DevicePath> connect_by_nccl(const ExecSpace& exec, const Communicator& ranks) {
  return std::make_shared<PathByNccl>(exec, ranks);
}

template std::shared_ptr<DevicePath> connect_by_nccl(const Kokkos::Cuda&, const Communicator&);

}  // namespace tessera::parallel
