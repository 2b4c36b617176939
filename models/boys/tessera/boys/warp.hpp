// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/boys/boys.hpp"

/// Exchanges, for CUDA kernels that are bound by arithmetic, the arguments of a warp between its
/// threads, so that those of one range lie together. A warp whose arguments lie in both ranges
/// computes both. Of the K passes over the 32 K arguments of a warp, at most one still does.
///
///     __shared__ double block_x[kThreads * K];                 // or team scratch memory
///     __shared__ std::uint16_t block_source[kThreads * K];
///     double* x = block_x + warp * 32 * K;
///     std::uint16_t* source = block_source + warp * 32 * K;
///     boys_arrange_in_warp<N, K>(mine, x, source);             // mine[K]: the arguments of this thread; all 32 threads call
///     for (int k = 0; k < K; ++k) {
///       const int from = source[32 * k + lane];                // argument mine[from / 32] of thread from % 32 of the warp
///       boys_each<N>(x[32 * k + lane], Sink{from});
///     }
///
/// The order is the same in every run. Pays for orders of which the two ranges make up a good part
/// of the work, N <= 16.
namespace tessera::boys {

#if defined(__CUDACC__)

/// Where each argument of a thread belongs, 0 .. 32 K - 1, when a warp puts those below the split
/// of order N first and the others last. The whole warp must call it.
template <int N, int K, class Real>
__device__ __forceinline__ void boys_slots_in_warp(const Real (&mine)[K], int (&slot)[K]) {
  constexpr unsigned everyone = 0xffffffffu;
  const compat::WarpLane lane = compat::this_warp_lane();
  int below = 0;
  TESSERA_UNROLL_ON_GPU
  for (int k = 0; k < K; ++k) {
    const bool is_low = detail::is_below(mine[k], detail::Coefficients<Real, N>::split);
    const unsigned low = __ballot_sync(everyone, is_low);
    const int low_before = below + __popc(low & lane.earlier);
    // the others fill from the end
    slot[k] = low_before + (is_low ? 0 : 32 * K - 1 - 32 * k - static_cast<int>(lane.index));
    below += __popc(low);
  }
}

/// Writes the arguments of a warp to x[0 .. 32 K), those below the split of order N first, and
/// where each came from to source[0 .. 32 K): 32 k plus the number of the thread in its warp, for
/// mine[k]. The whole warp must call it; what was in x and source before is lost.
template <int N, int K, class Real>
__device__ __forceinline__ void boys_arrange_in_warp(const Real (&mine)[K], Real* x,
                                                     std::uint16_t* source) {
  static_assert(0 < K && K <= 64, "indices are 16-bit numbers");
  const unsigned lane = compat::this_warp_lane().index;
  int to[K];
  boys_slots_in_warp<N>(mine, to);
  __syncwarp();  // nobody reads what was there before any more
  TESSERA_UNROLL_ON_GPU
  for (int k = 0; k < K; ++k) {
    x[to[k]] = mine[k];
    source[to[k]] = static_cast<std::uint16_t>(32 * k + lane);
  }
  __syncwarp();
}

#endif

}  // namespace tessera::boys
