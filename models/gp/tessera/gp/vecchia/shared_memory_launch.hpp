// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

/// Blocks with more shared memory than Kokkos lets them have. Kokkos (up to 5) takes 48 KB for the
/// most that a CUDA block's shared memory can hold; an H200 has 227 KB. A functor is launched here
/// with as much as it asks for, one block a multiprocessor.

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)

namespace tessera::gp::detail {

template <class Functor>
__global__ void __launch_bounds__(Functor::kThreads, 1)
    run_in_shared_memory(const Functor functor) {
  extern __shared__ __align__(16) char memory[];
  functor.stage(memory, static_cast<int>(threadIdx.x));
  __syncthreads();
  functor.run(memory, static_cast<int>(threadIdx.x), static_cast<int>(blockIdx.x),
              static_cast<int>(gridDim.x));
}

/// Returns whether a block may have so many bytes of shared memory.
inline bool has_shared_memory(const Kokkos::Cuda& exec, std::int64_t bytes) {
  return bytes <= static_cast<std::int64_t>(exec.cuda_device_prop().sharedMemPerBlockOptin);
}

/// Calls functor.stage(memory, thread) in all threads, then functor.run(memory, thread, block,
/// blocks). Asynchronous on exec.
template <class Functor>
void launch_in_shared_memory(const std::string& label, const Kokkos::Cuda& exec,
                             std::int64_t blocks, std::int64_t bytes, const Functor& functor) {
  const compat::ProfilingRegion region(label);
  const auto require = [&](cudaError_t status) {
    if (status != cudaSuccess)
      throw Error(ErrorKind::internal, label + ": " + cudaGetErrorString(status));
  };
  require(cudaFuncSetAttribute(run_in_shared_memory<Functor>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
  int resident = 1;
  require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, run_in_shared_memory<Functor>,
                                                        Functor::kThreads,
                                                        static_cast<std::size_t>(bytes)));
  const std::int64_t most =
      static_cast<std::int64_t>(compat::multiprocessors(exec)) * (resident > 0 ? resident : 1);
  run_in_shared_memory<Functor>
      <<<static_cast<unsigned>(blocks < most ? blocks : most), Functor::kThreads,
         static_cast<std::size_t>(bytes), exec.cuda_stream()>>>(functor);
  require(cudaGetLastError());
}

}  // namespace tessera::gp::detail

#endif
