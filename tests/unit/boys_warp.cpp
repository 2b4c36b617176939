// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "tessera/boys/warp.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::boys {

using Exec = test::ExecSpace;

constexpr int kThreads = compat::kThreadsOfWarp<Exec>, kWarps = compat::is_gpu_v<Exec> ? 2 : 1;

/// Arranges the arguments of each warp of a team, and returns them with the indices they came from.
template <int N, int K>
struct Arrange {
  using Team = Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int kArguments = kWarps * kThreads * K;
  Kokkos::View<double*, Exec> x, arranged;
  Kokkos::View<int*, Exec> source;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const all_x = static_cast<double*>(
        team.team_scratch(0).get_shmem(static_cast<int>(sizeof(double)) * kArguments));
    auto* const all_sources = static_cast<std::uint16_t*>(
        team.team_scratch(0).get_shmem(static_cast<int>(sizeof(std::uint16_t)) * kArguments));
    const int warp = team.team_rank() / kThreads, lane = team.team_rank() % kThreads,
              offset = warp * kThreads * K,
              first = (team.league_rank() * kWarps + warp) * kThreads * K;
    double mine[K];
    for (int k = 0; k < K; ++k) mine[k] = x(first + kThreads * k + lane);
    boys_arrange_in_warp<N, K>(mine, all_x + offset, all_sources + offset);
    for (int k = 0; k < K; ++k) {
      arranged(first + kThreads * k + lane) = all_x[offset + kThreads * k + lane];
      source(first + kThreads * k + lane) = all_sources[offset + kThreads * k + lane];
    }
  }
};

TEST(BoysWarp, BringsTheArgumentsOfARangeTogether) {
  constexpr int N = 4, K = 8, kOfWarp = kThreads * K, kTeams = 50,
                kCount = kTeams * kWarps * kOfWarp;
  const Kokkos::View<double*, Exec> x("x", kCount), arranged("arranged", kCount);
  const Kokkos::View<int*, Exec> source("source", kCount);
  const auto h_x = Kokkos::create_mirror_view(x);
  for (int i = 0; i < kCount; ++i)
    // two warps that lie in one range, others in both
    h_x(i) = i < 2 * kOfWarp ? 1.0 : (i * 7919 % 1000) * 0.01;
  Kokkos::deep_copy(x, h_x);
  const int scratch =
      Arrange<N, K>::kArguments * static_cast<int>(sizeof(double) + sizeof(std::uint16_t)) + 64;
  Kokkos::parallel_for("boys test",
                       Kokkos::TeamPolicy<Exec>(kTeams, kWarps * kThreads)
                           .set_scratch_size(0, Kokkos::PerTeam(scratch)),
                       Arrange<N, K>{x, arranged, source});
  const auto h_arranged = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), arranged);
  const auto h_source = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), source);
  const double split = detail::Coefficients<double, N>::split;
  int mixed = 0;
  for (int first = 0; first < kCount; first += kOfWarp) {
    std::vector<bool> seen(kOfWarp, false);
    for (int i = 0; i < kOfWarp; ++i) {
      const int from = h_source(first + i);
      ASSERT_TRUE(0 <= from && from < kOfWarp && !seen[from]);
      seen[from] = true;
      EXPECT_EQ(h_arranged(first + i), h_x(first + from));
      if (i == 0) continue;
      const bool is_low = h_arranged(first + i) < split,
                 was_low = h_arranged(first + i - 1) < split;
      EXPECT_FALSE(is_low && !was_low) << "not in order at " << first + i;
      mixed += was_low && !is_low ? 1 : 0;
    }
  }
  EXPECT_GT(mixed, kTeams / 2);  // warps with arguments in both ranges
}

}  // namespace tessera::boys
