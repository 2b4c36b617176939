// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/boys/batch/arranged_kernel.hpp"
#include "tessera/boys/batch/block.hpp"
#include "tessera/boys/batch/strided_batch.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::boys::detail {

/// The kernel for CPUs: a block of arguments per iteration.
template <int N, class Real>
struct BlockKernel {
  Batch<Real> batch;

  void operator()(std::int64_t block) const {
    const std::int64_t begin = block * kBlock;
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, batch.count - begin));
    if (count == kBlock && batch.n_max == N && batch.x_stride == 1 && batch.argument_stride == 1) {
      block_orders<N>(batch.x + begin, batch.F + begin, batch.order_stride);
      return;
    }
    Real x[kBlock], F[(N + 1) * kBlock];
    for (int i = 0; i < kBlock; ++i)
      x[i] = batch.x[(begin + std::min(i, count - 1)) * batch.x_stride];
    block_orders<N>(x, F, kBlock);
    Real* const out = batch.F + begin * batch.argument_stride;
    if (batch.argument_stride == 1) {
      for (int n = 0; n <= batch.n_max; ++n)
        std::copy_n(F + n * kBlock, count, out + n * batch.order_stride);
    } else {
      for (int i = 0; i < count; ++i) {
        for (int n = 0; n <= batch.n_max; ++n)
          out[i * batch.argument_stride + n * batch.order_stride] = F[n * kBlock + i];
      }
    }
  }
};

/// The kernel for GPUs and one array per order: 16 bytes of arguments per thread.
template <int N, class Real, bool Aligned>
struct PackKernel {
  static constexpr int W = 16 / sizeof(Real);
  Batch<Real> batch;

  KOKKOS_FUNCTION void operator()(std::int64_t pack) const {
    const std::int64_t begin = pack * W;
    if (begin + W <= batch.count) {
      Pack<Real, W> x;
      if constexpr (Aligned) {
        x = *reinterpret_cast<const Pack<Real, W>*>(batch.x + begin);
      } else {
        for (int w = 0; w < W; ++w) x.v[w] = batch.x[(begin + w) * batch.x_stride];
      }
      boys_pack_each<N>(
          x, StorePack<Real, W, Aligned>{batch.F + begin, batch.order_stride, batch.n_max});
    } else {
      for (std::int64_t i = begin; i < batch.count; ++i) {
        boys_each<N>(batch.x[i * batch.x_stride],
                     StoreUpTo<Real>{batch.F + i, batch.order_stride, batch.n_max});
      }
    }
  }
};

/// The kernel for GPUs and the orders of an argument side by side: a team transposes its results in
/// scratch memory, so that it writes whole lines.
template <int N, class Real, class ExecSpace>
struct RowKernel {
  static constexpr int kTeam = 128;
  using Team = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  Batch<Real> batch;

  static std::size_t scratch_bytes(int n_max) {
    return sizeof(Real) * kTeam * static_cast<std::size_t>(n_max + 1);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t begin = static_cast<std::int64_t>(team.league_rank()) * kTeam;
    const int count = static_cast<int>(compat::min<std::int64_t>(kTeam, batch.count - begin));
    const int width = batch.n_max + 1;
    Real* const rows =
        static_cast<Real*>(team.team_shmem().get_shmem(scratch_bytes_on_device(width)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
      boys_each<N>(batch.x[(begin + i) * batch.x_stride],
                   StoreUpTo<Real>{rows + i * width, 1, batch.n_max});
    });
    team.team_barrier();
    Real* const out = batch.F + begin * batch.argument_stride;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count * width), [&](int k) {
      out[(k / width) * batch.argument_stride + k % width] = rows[k];
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t scratch_bytes_on_device(int width) {
    return sizeof(Real) * kTeam * static_cast<std::size_t>(width);
  }
};

/// The kernel for GPUs and any strides: one argument per thread; with `permutation`, the arguments
/// in that order.
template <int N, class Real>
struct StridedKernel {
  Batch<Real> batch;
  const std::int32_t* permutation;
  std::int64_t permutation_stride;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t i = permutation ? permutation[k * permutation_stride] : k;
    boys_each<N>(batch.x[i * batch.x_stride],
                 StoreUpTo<Real>{batch.F + i * batch.argument_stride,
                                 static_cast<std::ptrdiff_t>(batch.order_stride), batch.n_max});
  }
};

/// Chooses the kernel for the execution space and the strides.
template <class ExecSpace, class Real>
struct LaunchBatch {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  // seen to be fastest
  using SmallBlocks =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<128, 1>>;
  const ExecSpace& exec;
  Batch<Real> batch;

  template <int N>
  void run() const {
    if constexpr (!compat::is_gpu_v<ExecSpace>) {
      Kokkos::parallel_for("tessera::boys::batch",
                           Range(exec, 0, (batch.count + kBlock - 1) / kBlock),
                           BlockKernel<N, Real>{batch});
    } else if (batch.argument_stride == 1) {
      constexpr int W = PackKernel<N, Real, true>::W;
      const std::int64_t packs = (batch.count + W - 1) / W;
      const auto misaligned = [](const Real* p) {
        return reinterpret_cast<std::uintptr_t>(p) % (W * sizeof(Real)) != 0;
      };
      if (batch.x_stride == 1 && batch.order_stride % W == 0 && !misaligned(batch.x) &&
          !misaligned(batch.F)) {
        launch_aligned<N>(packs);
      } else {
        Kokkos::parallel_for("tessera::boys::batch", SmallBlocks(exec, 0, packs),
                             PackKernel<N, Real, false>{batch});
      }
    } else if (batch.order_stride == 1) {
      using Kernel = RowKernel<N, Real, ExecSpace>;
      const int teams = static_cast<int>((batch.count + Kernel::kTeam - 1) / Kernel::kTeam);
      Kokkos::parallel_for(
          "tessera::boys::batch_rows",
          Kokkos::TeamPolicy<ExecSpace>(exec, teams, Kernel::kTeam)
              .set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes(batch.n_max) + 16)),
          Kernel{batch});
    } else {
      Kokkos::parallel_for("tessera::boys::batch", Range(exec, 0, batch.count),
                           StridedKernel<N, Real>{batch, nullptr, 0});
    }
  }

  template <int N>
  void launch_aligned(std::int64_t packs) const {
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (N < 2 && std::is_same_v<Real, double> &&
                  std::is_same_v<ExecSpace, Kokkos::Cuda>) {
      using Kernel = ArrangedKernel<N, Real>;
      const auto policy = Kernel::policy(exec, batch.count);
      const Kernel kernel{batch};
      if (Kernel::fits(policy, kernel)) {
        Kokkos::parallel_for("tessera::boys::batch", policy, kernel);
        return;
      }
    }
#endif
    Kokkos::parallel_for("tessera::boys::batch", SmallBlocks(exec, 0, packs),
                         PackKernel<N, Real, true>{batch});
  }
};

/// Puts the arguments below the split first, in order, and the others last, in reverse order.
template <int N, class Real>
struct BinKernel {
  Batch<Real> batch;
  std::int32_t* permutation;
  std::int64_t permutation_stride;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& below, bool final) const {
    const bool below_split = batch.x[i * batch.x_stride] < Coefficients<Real, N>::split;
    if (final)
      permutation[(below_split ? below : batch.count - 1 - (i - below)) * permutation_stride] =
          static_cast<std::int32_t>(i);
    if (below_split) ++below;
  }
};

template <class ExecSpace, class Real>
struct LaunchBinned {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  const ExecSpace& exec;
  Batch<Real> batch;
  std::int32_t* permutation;
  std::size_t permutation_stride;

  template <int N>
  void run() const {
    const auto stride = static_cast<std::int64_t>(permutation_stride);
    Kokkos::parallel_scan("tessera::boys::bin", Range(exec, 0, batch.count),
                          BinKernel<N, Real>{batch, permutation, stride});
    Kokkos::parallel_for("tessera::boys::batch_binned", Range(exec, 0, batch.count),
                         StridedKernel<N, Real>{batch, permutation, stride});
  }
};

template <int N, class XView, class TopView>
struct TopOrderKernel {
  XView x;
  TopView top, exponential;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto order = boys_top_order<N>(x(i));
    top(i) = order.value;
    exponential(i) = order.exponential;
  }
};

}  // namespace tessera::boys::detail
