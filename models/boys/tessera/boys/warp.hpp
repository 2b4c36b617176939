// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/boys/boys.hpp"

/// Exchanges the arguments of a warp between its threads, for kernels that arithmetic limits, so
/// that those of one range lie together. A warp whose arguments lie in both ranges computes both.
/// Of the K passes over the T K arguments of a warp, at most one still does. A warp of a CUDA GPU
/// has T = 32 threads; elsewhere it has T = 1, and a thread arranges its own arguments.
///
///     constexpr int T = tessera::compat::kThreadsOfWarp<ExecSpace>;
///     Real* x = ...;                // T K numbers for each warp, in scratch memory of the team
///     std::uint16_t* source = ...;  // as many
///     boys_arrange_in_warp<N, K>(mine, x, source);  // mine[K]: the arguments of this thread
///     for (int k = 0; k < K; ++k) {
///       const int from = source[T * k + lane];      // mine[from / T] of thread from % T
///       boys_each<N>(x[T * k + lane], Sink{from});
///     }
///
/// The order is the same in every run. Pays on GPUs, for orders of which the two ranges make up a
/// good part of the work, N <= 16.
namespace tessera::boys {

/// Finds where each argument of a thread belongs, 0 .. T K - 1, when a warp puts those below the
/// split of order N first and the others last. The whole warp must call it.
template <int N, int K, class Real>
TESSERA_FUNCTION void boys_slots_in_warp(const Real (&mine)[K], int (&slot)[K]) {
  constexpr int threads = compat::threads_of_warp();
  const compat::WarpLane lane = compat::this_warp_lane();
  int below = 0;
  TESSERA_UNROLL_ON_GPU
  for (int k = 0; k < K; ++k) {
    const bool is_low = detail::is_below(mine[k], detail::Coefficients<Real, N>::split);
    const std::uint32_t low = compat::warp_ballot(is_low);
    const int low_before = below + compat::popcount(low & lane.earlier);
    // the others fill from the end
    slot[k] =
        low_before + (is_low ? 0 : threads * K - 1 - threads * k - static_cast<int>(lane.index));
    below += compat::popcount(low);
  }
}

/// Writes the arguments of a warp to x[0 .. T K), those below the split of order N first, and where
/// each came from to source[0 .. T K): T k plus the number of the thread in its warp, for mine[k].
/// The whole warp must call it; what was in x and source before is lost.
template <int N, int K, class Real>
TESSERA_FUNCTION void boys_arrange_in_warp(const Real (&mine)[K], Real* x, std::uint16_t* source) {
  static_assert(0 < K && K <= 64, "indices are 16-bit numbers");
  const int lane = static_cast<int>(compat::this_warp_lane().index);
  int to[K];
  boys_slots_in_warp<N>(mine, to);
  compat::warp_sync();  // nobody reads what was there before any more
  TESSERA_UNROLL_ON_GPU
  for (int k = 0; k < K; ++k) {
    x[to[k]] = mine[k];
    source[to[k]] = static_cast<std::uint16_t>(compat::threads_of_warp() * k + lane);
  }
  compat::warp_sync();
}

}  // namespace tessera::boys
