// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/device/kokkos_compat.hpp"
#include "models/bessel/detail/matern_block.hpp"
#include "models/bessel/detail/matern_function.hpp"

namespace tessera::bessel::detail {

/// What the polynomials in s do not cover, kept out of line: kernels that rarely need it stay small.
#if defined(__CUDACC__) || defined(__GNUC__)
#define TESSERA_BESSEL_OUT_OF_LINE __attribute__((noinline))
#else
#define TESSERA_BESSEL_OUT_OF_LINE
#endif
KOKKOS_FUNCTION TESSERA_BESSEL_OUT_OF_LINE inline double matern_outside(const MaternFunction* function, double s) {
  return function->outside(s);
}
KOKKOS_FUNCTION TESSERA_BESSEL_OUT_OF_LINE inline double matern_of_distance(const MaternFunction* function, double h) {
  return function->at_distance(h);
}
#undef TESSERA_BESSEL_OUT_OF_LINE

/// On a GPU: the polynomials in s in the memory that a team shares, in arrays of a fixed length, so that their addresses are constants.
class StagedMatern {
 public:
  static constexpr std::uint32_t kParts = kMostNearParts;
  static constexpr int kBytes = kParts * kDoublesPerPart * static_cast<int>(sizeof(double));

  /// Copies the polynomials; the team's threads must meet before they are used.
  template <class Member>
  KOKKOS_INLINE_FUNCTION StagedMatern(const Member& member, const MaternFunction& function, const MaternFunction* on_device,
                                      double* scratch)
      : m_scratch(scratch), m_parts(function.shape.near_parts), m_function(on_device) {
    const std::uint32_t stride = function.value_polynomials.stride;
    auto* to = reinterpret_cast<DoublePair*>(scratch);
    const auto* from = reinterpret_cast<const DoublePair*>(function.value_polynomials.data);
    for (std::uint32_t k = 0; k < kDoublesPerPart / 2; ++k) {
      for (std::uint32_t i = member.team_rank(); i < m_parts; i += member.team_size()) to[k * kParts + i] = from[k * stride + i];
    }
  }

  /// m[k] = M(sqrt(s[k])): all by the polynomials, side by side, then the few that those do not cover.
  template <int K>
  KOKKOS_INLINE_FUNCTION void at_squares(const double (&s)[K], double (&m)[K]) const {
    if (!all_near(s, m)) {
      TESSERA_UNROLL
      for (int k = 0; k < K; ++k) {
        if (Near::part(s[k]) >= m_parts) m[k] = matern_outside(m_function, s[k]);
      }
    }
  }

  /// m[k] = M(h[k]).
  template <int K>
  KOKKOS_INLINE_FUNCTION void at_distances(const double (&h)[K], double (&m)[K]) const {
    double s[K];
    TESSERA_UNROLL
    for (int k = 0; k < K; ++k) s[k] = h[k] < 0 ? -1 : h[k] * h[k];
    if (!all_near(s, m)) {
      TESSERA_UNROLL
      for (int k = 0; k < K; ++k) {
        if (Near::part(s[k]) >= m_parts) m[k] = matern_of_distance(m_function, h[k]);
      }
    }
  }

 private:
  template <int K>
  KOKKOS_INLINE_FUNCTION bool all_near(const double (&s)[K], double (&m)[K]) const {
    const MaternPolynomials near{m_scratch, kParts};
    bool all = true;
    TESSERA_UNROLL
    for (int k = 0; k < K; ++k) {
      const std::uint32_t part = Near::part(s[k]);
      all = all && part < m_parts;
      m[k] = near.value(part < m_parts ? part : 0, Near::place(s[k]));
    }
    return all;
  }

  double* m_scratch;
  std::uint32_t m_parts;
  const MaternFunction* m_function;
};

/// On a CPU: a block of distances per iteration.
template <class HView, class MView>
struct MaternBlocks {
  MaternFunction function;
  HView h;
  MView m;

  void operator()(std::int64_t block) const {
    const std::int64_t begin = block * kMaternBlock;
    const int count = static_cast<int>(std::min<std::int64_t>(kMaternBlock, static_cast<std::int64_t>(h.extent(0)) - begin));
    double distances[kMaternBlock], s[kMaternBlock], values[kMaternBlock];
    for (int i = 0; i < count; ++i) distances[i] = h(begin + i);
    for (int i = 0; i < count; ++i) s[i] = distances[i] < 0 ? -1 : distances[i] * distances[i];
    matern_block(function, s, values, count, [this, &distances](int i) { return function.at_distance(distances[i]); });
    for (int i = 0; i < count; ++i) m(begin + i) = values[i];
  }
};

/// On a GPU: teams that stage the table and then go through the distances in strides.
template <class ExecSpace, class HView, class MView>
struct MaternTeams {
  static constexpr int kTeam = 256, kPerThread = 4, kBytes = StagedMatern::kBytes + 16;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 4>>;
  using Member = typename Policy::member_type;

  MaternFunction function;
  const MaternFunction* on_device;
  HView h;
  MView m;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const StagedMatern staged(member, function, on_device,
                              static_cast<double*>(member.team_shmem().get_shmem_aligned(int{StagedMatern::kBytes}, 16)));
    member.team_barrier();
    const auto count = static_cast<std::int64_t>(h.extent(0));
    const std::int64_t step = static_cast<std::int64_t>(member.league_size()) * kTeam * kPerThread;
    for (std::int64_t base = static_cast<std::int64_t>(member.league_rank()) * kTeam * kPerThread + member.team_rank(); base < count;
         base += step) {
      double distances[kPerThread], values[kPerThread];
      TESSERA_UNROLL
      for (int k = 0; k < kPerThread; ++k) distances[k] = base + k * kTeam < count ? h(base + k * kTeam) : 1;
      staged.at_distances(distances, values);
      TESSERA_UNROLL
      for (int k = 0; k < kPerThread; ++k) {
        if (base + k * kTeam < count) m(base + k * kTeam) = values[k];
      }
    }
  }
};

/// Number of teams for `work` pieces on a GPU: some `pieces` each, so that staging the table costs little, and many more teams than run at
/// a time, so that none is waited for long; one piece each where there are few.
template <class ExecSpace>
int staged_teams(const ExecSpace& exec, int team, std::int64_t work, int pieces) {
  const std::int64_t resident = std::max(1, exec.concurrency() / team);
  return static_cast<int>(std::min(work, std::max(resident, work / pieces)));
}

template <class ExecSpace, class HView, class MView>
void launch_matern(const ExecSpace& exec, const MaternFunction& function, [[maybe_unused]] const MaternFunction* on_device, const HView& h,
                   const MView& m) {
  const auto count = static_cast<std::int64_t>(h.extent(0));
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Kernel = MaternTeams<ExecSpace, HView, MView>;
    constexpr int per_team = Kernel::kTeam * Kernel::kPerThread;
    const int teams = staged_teams(exec, Kernel::kTeam, (count + per_team - 1) / per_team, 48);
    Kokkos::parallel_for("tessera::bessel::matern",
                         typename Kernel::Policy(exec, teams, Kernel::kTeam).set_scratch_size(0, Kokkos::PerTeam(Kernel::kBytes)),
                         Kernel{function, on_device, h, m});
  } else {
    Kokkos::parallel_for(
        "tessera::bessel::matern",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, (count + kMaternBlock - 1) / kMaternBlock),
        MaternBlocks<HView, MView>{function, h, m});
  }
}

}  // namespace tessera::bessel::detail
