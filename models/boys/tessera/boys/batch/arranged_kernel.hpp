// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/boys/batch/strided_batch.hpp"
#include "tessera/boys/pack.hpp"
#include "tessera/boys/warp.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace tessera::boys::detail {

/// Stores the orders of one argument `distance` numbers apart in shared memory.
template <class Real>
struct StoreInScratch {
  Real* F;
  int distance;

  __device__ __forceinline__ void operator()(int n, const Pack<Real, 1>& value) const {
    F[n * distance] = value.v[0];
  }
  __device__ __forceinline__ void operator()(int n, int, Real value) const {
    F[n * distance] = value;
  }
};

/// The kernel for CUDA GPUs and one array per order, for the low orders that arithmetic and memory
/// both limit. Each warp arranges its arguments by range in shared memory, so that only one of its
/// passes computes both ranges, and the results replace the arguments there. x, F and the columns
/// of F are aligned to 16 bytes.
template <int N, class Real, int K = 8, int Resident = 8>
struct ArrangedKernel {
  static constexpr int W = 16 / sizeof(Real), kTeam = 128, kPerTeam = K * kTeam, kPerWarp = 32 * K;
  static constexpr int kScratch = kPerTeam * (N + 1) * static_cast<int>(sizeof(Real));
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<kTeam, Resident>>;
  using Team = typename Policy::member_type;
  Batch<Real> batch;

  static Policy policy(const Kokkos::Cuda& exec, std::int64_t count) {
    Policy policy(exec, static_cast<int>((count + kPerTeam - 1) / kPerTeam), kTeam);
    return policy.set_scratch_size(0, Kokkos::PerTeam(kScratch + 16));
  }

  /// Returns whether this GPU has the fast memory for `Resident` teams a multiprocessor, without
  /// which Kokkos refuses to launch them.
  static bool fits(const Policy& policy, const ArrangedKernel& kernel) {
    return policy.team_size_max(kernel, Kokkos::ParallelForTag()) >= kTeam;
  }

  __device__ void operator()(const Team& team) const {
    const int warp = team.team_rank() / 32, lane = team.team_rank() % 32, scratch = kScratch;
    Real* const values = static_cast<Real*>(team.team_shmem().get_shmem_aligned(scratch, 16)) +
                         warp * kPerWarp * (N + 1);
    const std::int64_t begin =
        static_cast<std::int64_t>(team.league_rank()) * kPerTeam + warp * kPerWarp + lane * W;
    Real mine[K];
    int slot[K];
#pragma unroll
    for (int k = 0; k < K; k += W) load(begin + 32 * k, mine + k);
    boys_slots_in_warp<N>(mine, slot);
#pragma unroll
    for (int k = 0; k < K; ++k) values[slot[k]] = mine[k];
    compat::warp_sync();
#pragma unroll 1
    for (int k = 0; k < K; ++k) {
      const Pack<Real, 1> x{{values[32 * k + lane]}};
      boys_pack_each<N>(x, StoreInScratch<Real>{values + 32 * k + lane, kPerWarp});
    }
    compat::warp_sync();
#pragma unroll
    for (int n = 0; n <= N; ++n) {
#pragma unroll
      for (int k = 0; k < K; k += W) store(begin + 32 * k, n, values + n * kPerWarp, slot + k);
    }
  }

 private:
  __device__ __forceinline__ void load(std::int64_t i, Real* mine) const {
    if (i + W <= batch.count) {
      const auto x = *reinterpret_cast<const Pack<Real, W>*>(batch.x + i);
      for (int w = 0; w < W; ++w) mine[w] = x.v[w];
    } else {
      for (int w = 0; w < W; ++w) mine[w] = i + w < batch.count ? batch.x[i + w] : Real(0);
    }
  }

  __device__ __forceinline__ void store(std::int64_t i, int n, const Real* results,
                                        const int* slot) const {
    Pack<Real, W> value;
    for (int w = 0; w < W; ++w) value.v[w] = results[slot[w]];
    if (i + W <= batch.count) {
      StorePack<Real, W, true>{batch.F + i, batch.order_stride, N}(n, value);
    } else {
      for (int w = 0; w < W && i + w < batch.count; ++w)
        batch.F[i + w + n * batch.order_stride] = value.v[w];
    }
  }
};

}  // namespace tessera::boys::detail

#endif
