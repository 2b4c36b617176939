// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <nccl.h>

#include <Kokkos_Core.hpp>

#include "tessera/core/error.hpp"
#include "tessera/core/parallel/device_broadcast.hpp"
#include "tessera/core/parallel/nccl_devices.hpp"

namespace tessera::parallel {

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(ErrorKind::resource,
                std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(status) + ")");
}

}  // namespace

/// A stream of its own, so that values travel while kernels run.
template <>
struct DeviceBroadcast<Kokkos::Cuda>::State {
  Kokkos::Cuda exec;
  cudaStream_t stream = nullptr;
  cudaEvent_t before = nullptr, after = nullptr;
  std::shared_ptr<const NcclDevices> devices;

  State(const Kokkos::Cuda& space, const Communicator& ranks)
      : exec(space), devices(NcclDevices::of(ranks)) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities");
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
          "making a stream");
    check(cudaEventCreateWithFlags(&before, cudaEventDisableTiming), "making an event");
    check(cudaEventCreateWithFlags(&after, cudaEventDisableTiming), "making an event");
  }
  ~State() {
    cudaStreamSynchronize(stream);
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
  NcclDevices::check(
      ncclBroadcast(values, values, count, ncclDouble, from, s.devices->handle(), s.stream),
      "a broadcast");
  check(cudaEventRecord(s.after, s.stream), "recording an event");
}

template <>
void DeviceBroadcast<Kokkos::Cuda>::wait() {
  check(cudaStreamWaitEvent(m_state->exec.cuda_stream(), m_state->after, 0),
        "waiting for an event");
}

template <>
std::string DeviceBroadcast<Kokkos::Cuda>::path() const {
  return NcclDevices::version();
}

template class DeviceBroadcast<Kokkos::Cuda>;

}  // namespace tessera::parallel
