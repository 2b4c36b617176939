// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <nccl.h>

#include <Kokkos_Core.hpp>

#include "tessera/core/error.hpp"
#include "tessera/core/parallel/device_broadcast.hpp"

namespace tessera::parallel {

namespace {

void check(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  throw Error(ErrorKind::resource, std::string("NCCL: ") + what + " failed (" + ncclGetErrorString(status) + ")",
              "NCCL_DEBUG=INFO says why; a build without NCCL sends through the host");
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(ErrorKind::resource, std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(status) + ")");
}

}  // namespace

/// A stream of its own, so that values travel while kernels run.
template <>
struct DeviceBroadcast<Kokkos::Cuda>::State {
  Kokkos::Cuda exec;
  cudaStream_t stream = nullptr;
  cudaEvent_t before = nullptr, after = nullptr;
  ncclComm_t devices = nullptr;

  State(const Kokkos::Cuda& space, const Communicator& ranks) : exec(space) {
    ncclUniqueId id;
    if (ranks.is_root()) check(ncclGetUniqueId(&id), "start");
    ranks.broadcast(&id, 1);
    check(ncclCommInitRank(&devices, ranks.size(), id, ranks.rank()), "connecting the devices");
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities");
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), "making a stream");
    check(cudaEventCreateWithFlags(&before, cudaEventDisableTiming), "making an event");
    check(cudaEventCreateWithFlags(&after, cudaEventDisableTiming), "making an event");
  }
  ~State() {
    cudaStreamSynchronize(stream);
    ncclCommDestroy(devices);
    cudaEventDestroy(after);
    cudaEventDestroy(before);
    cudaStreamDestroy(stream);
  }
};

template <>
DeviceBroadcast<Kokkos::Cuda>::DeviceBroadcast(const Kokkos::Cuda& exec, const Communicator& ranks)
    : m_state(std::make_unique<State>(exec, ranks)) {}

template <>
DeviceBroadcast<Kokkos::Cuda>::~DeviceBroadcast() = default;

template <>
void DeviceBroadcast<Kokkos::Cuda>::start(double* values, std::size_t count, int from) {
  State& s = *m_state;
  check(cudaEventRecord(s.before, s.exec.cuda_stream()), "recording an event");
  check(cudaStreamWaitEvent(s.stream, s.before, 0), "waiting for an event");
  check(ncclBroadcast(values, values, count, ncclDouble, from, s.devices, s.stream), "a broadcast");
  check(cudaEventRecord(s.after, s.stream), "recording an event");
}

template <>
void DeviceBroadcast<Kokkos::Cuda>::wait() {
  check(cudaStreamWaitEvent(m_state->exec.cuda_stream(), m_state->after, 0), "waiting for an event");
}

template <>
std::string DeviceBroadcast<Kokkos::Cuda>::path() const {
  int version = 0;
  ncclGetVersion(&version);
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

template class DeviceBroadcast<Kokkos::Cuda>;

}  // namespace tessera::parallel
