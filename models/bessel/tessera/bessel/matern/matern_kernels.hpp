// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/bessel/matern/matern_block.hpp"
#include "tessera/bessel/matern/matern_function.hpp"
#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::bessel::detail {

/// The function on a GPU: the polynomials in s are in the memory that a team shares, the rest stays
/// where it was.
class StagedMatern {
 public:
  KOKKOS_INLINE_FUNCTION static int bytes(const MaternFunction& function) {
    return function.shape.near_intervals * kDoublesPerInterval * static_cast<int>(sizeof(double)) +
           16;
  }

  /// Copies the polynomials; the team's threads must meet before they are used.
  template <class Member>
  KOKKOS_INLINE_FUNCTION StagedMatern(const Member& member, const MaternFunction& function,
                                      double* scratch)
      : m_function(function) {
    const std::uint32_t intervals = function.shape.near_intervals,
                        stride = function.value_polynomials.stride;
    auto* to = reinterpret_cast<DoublePair*>(scratch);
    const auto* from = reinterpret_cast<const DoublePair*>(function.value_polynomials.data);
    for (std::uint32_t k = 0; k < kDoublesPerInterval / 2; ++k) {
      for (std::uint32_t i = member.team_rank(); i < intervals; i += member.team_size())
        to[k * intervals + i] = from[k * stride + i];
    }
    m_near = {scratch, intervals};
  }

  KOKKOS_INLINE_FUNCTION double at_square(double s) const {
    const std::uint32_t interval = Near::interval(s);
    return interval < m_near.stride ? m_near.value(interval, Near::local(s))
                                    : m_function.outside(s);
  }

  KOKKOS_INLINE_FUNCTION double at_distance(double h) const {
    const double s = h * h;
    const std::uint32_t interval = Near::interval(s);
    return interval < m_near.stride && h > 0 ? m_near.value(interval, Near::local(s))
                                             : m_function.at_distance(h);
  }

 private:
  const MaternFunction& m_function;
  MaternPolynomials m_near;
};

/// The kernel for a CPU: a block of distances per iteration.
template <class HView, class MView>
struct MaternBlocks {
  MaternFunction function;
  HView h;
  MView m;

  void operator()(std::int64_t block) const {
    const std::int64_t begin = block * kMaternBlock;
    const int count = static_cast<int>(
        std::min<std::int64_t>(kMaternBlock, static_cast<std::int64_t>(h.extent(0)) - begin));
    double distances[kMaternBlock], s[kMaternBlock], values[kMaternBlock];
    for (int i = 0; i < count; ++i) distances[i] = h(begin + i);
    for (int i = 0; i < count; ++i) s[i] = distances[i] < 0 ? -1 : distances[i] * distances[i];
    matern_block(function, s, values, count,
                 [this, &distances](int i) { return function.at_distance(distances[i]); });
    for (int i = 0; i < count; ++i) m(begin + i) = values[i];
  }
};

/// The kernel for a GPU: teams that stage the table and then go through the distances in strides.
template <class ExecSpace, class HView, class MView>
struct MaternTeams {
  static constexpr int kTeam = 256, kPerThread = 4;
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  MaternFunction function;
  HView h;
  MView m;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const StagedMatern staged(member, function,
                              static_cast<double*>(member.team_shmem().get_shmem_aligned(
                                  StagedMatern::bytes(function) - 16, 16)));
    member.team_barrier();
    const auto count = static_cast<std::int64_t>(h.extent(0));
    const std::int64_t step = static_cast<std::int64_t>(member.league_size()) * kTeam * kPerThread;
    for (std::int64_t base = static_cast<std::int64_t>(member.league_rank()) * kTeam * kPerThread +
                             member.team_rank();
         base < count; base += step) {
      double values[kPerThread];
      for (int k = 0; k < kPerThread; ++k)
        values[k] = base + k * kTeam < count ? h(base + k * kTeam) : 1;
      for (int k = 0; k < kPerThread; ++k) values[k] = staged.at_distance(values[k]);
      for (int k = 0; k < kPerThread; ++k) {
        if (base + k * kTeam < count) m(base + k * kTeam) = values[k];
      }
    }
  }
};

/// Number of teams for `work` pieces on a GPU: some 48 pieces each, so that staging the table costs
/// little, and enough teams that none is waited for long; one piece each where there are few.
template <class ExecSpace>
int staged_teams(const ExecSpace& exec, int team, std::int64_t work) {
  const std::int64_t resident = std::max(1, exec.concurrency() / team);
  return static_cast<int>(std::min(work, std::max(resident, work / 48)));
}

template <class ExecSpace, class HView, class MView>
void launch_matern(const ExecSpace& exec, const MaternFunction& function, const HView& h,
                   const MView& m) {
  const auto count = static_cast<std::int64_t>(h.extent(0));
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    using Kernel = MaternTeams<ExecSpace, HView, MView>;
    constexpr int per_team = Kernel::kTeam * Kernel::kPerThread;
    const int teams = staged_teams(exec, Kernel::kTeam, (count + per_team - 1) / per_team);
    Kokkos::parallel_for("tessera::bessel::matern",
                         Kokkos::TeamPolicy<ExecSpace>(exec, teams, Kernel::kTeam)
                             .set_scratch_size(0, Kokkos::PerTeam(StagedMatern::bytes(function))),
                         Kernel{function, h, m});
  } else {
    Kokkos::parallel_for("tessera::bessel::matern",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, (count + kMaternBlock - 1) / kMaternBlock),
                         MaternBlocks<HView, MView>{function, h, m});
  }
}

}  // namespace tessera::bessel::detail
