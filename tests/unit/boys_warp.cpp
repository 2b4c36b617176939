// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include "tessera/boys/warp.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;

#if defined(KOKKOS_ENABLE_CUDA)

/// Each team of 64 threads arranges 64 K arguments and returns them with the indices they came
/// from.
template <int N, int K>
struct Arrange {
  static constexpr int kThreads = 64;
  using Team = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;
  Kokkos::View<double*, Kokkos::Cuda> x, arranged;
  Kokkos::View<int*, Kokkos::Cuda> source;

  __device__ void operator()(const Team& team) const {
    double* const all_x =
        static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * kThreads * K));
    auto* const all_sources = static_cast<std::uint16_t*>(
        team.team_shmem().get_shmem(sizeof(std::uint16_t) * kThreads * K));
    const int warp = team.team_rank() / 32, lane = team.team_rank() % 32,
              first = (team.league_rank() * 2 + warp) * 32 * K;
    double mine[K];
    for (int k = 0; k < K; ++k) mine[k] = x(first + 32 * k + lane);
    boys_arrange_in_warp<N, K>(mine, all_x + warp * 32 * K, all_sources + warp * 32 * K);
    for (int k = 0; k < K; ++k) {
      arranged(first + 32 * k + lane) = all_x[warp * 32 * K + 32 * k + lane];
      source(first + 32 * k + lane) = all_sources[warp * 32 * K + 32 * k + lane];
    }
  }
};

TEST(BoysWarp, BringsTheArgumentsOfARangeTogether) {
  if constexpr (compat::is_gpu_v<Exec>) {
    constexpr int N = 4, K = 8, kTeams = 5, kCount = kTeams * 64 * K;
    const Kokkos::View<double*, Kokkos::Cuda> x("x", kCount), arranged("arranged", kCount);
    const Kokkos::View<int*, Kokkos::Cuda> source("source", kCount);
    const auto h_x = Kokkos::create_mirror_view(x);
    for (int i = 0; i < kCount; ++i)
      // two warps that lie in one range, others in both
      h_x(i) = i < 64 * K ? 1.0 : (i * 7919 % 1000) * 0.01;
    Kokkos::deep_copy(x, h_x);
    const int scratch = 64 * K * static_cast<int>(sizeof(double) + sizeof(std::uint16_t)) + 64;
    Kokkos::parallel_for(
        "boys test",
        Kokkos::TeamPolicy<Kokkos::Cuda>(kTeams, 64).set_scratch_size(0, Kokkos::PerTeam(scratch)),
        Arrange<N, K>{x, arranged, source});
    const auto h_arranged = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), arranged);
    const auto h_source = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), source);
    const double split = detail::Coefficients<double, N>::split;
    for (int first = 0; first < kCount; first += 32 * K) {
      std::vector<bool> seen(32 * K, false);
      for (int i = 0; i < 32 * K; ++i) {
        const int from = h_source(first + i);
        ASSERT_TRUE(0 <= from && from < 32 * K && !seen[from]);
        seen[from] = true;
        EXPECT_EQ(h_arranged(first + i), h_x(first + from));
        if (i > 0) {
          EXPECT_FALSE(h_arranged(first + i) < split && h_arranged(first + i - 1) >= split)
              << "not in order at " << first + i;
        }
      }
    }
  }
}

#else

TEST(BoysWarp, IsForCudaOnly) { SUCCEED(); }

#endif

}  // namespace tessera::boys
