// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/linear/chebyshev.hpp"
#include "tessera/mpr/linear/multigrid_kernels.hpp"

/// The coarse end of a V-cycle in one kernel: on a GPU the kernels of small levels would take
/// longer to launch than to run.

namespace tessera::mpr::detail {

/// A V-cycle over the last levels of a multigrid, from the right side of the first of them to one
/// of its z. Frames know nothing of each other: each has a team. The same steps as those of
/// Multigrid::cycle.
template <class ExecSpace, class Real, int W, int D, bool plain>
struct SmallLevels {
  /// levels: with them the arguments of the kernel fit into 4 KiB
  static constexpr int kMost = 6;
  static constexpr int kTeam = 512;  ///< threads of a team on a GPU
  /// The most numbers of a level of one frame for which one multiprocessor is enough
  static constexpr int kMostNumbers = 8192;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<kTeam, 1>>;
  using Member = typename Policy::member_type;
  using Numbers = Array<ExecSpace, Columns<Real, W>>;
  using Operator = PrecisionOperator<ExecSpace, Real, W, D>;

  struct Stage {
    Operator op;
    Chebyshev<Real> smoother;
    Numbers b, z[2], d;
  };
  Stage stages[kMost];  ///< finest first
  int count = 0;
  int degree, degree_of_coarsest;  ///< steps of the smoother

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    for (int k = 0; k + 1 < count; ++k) {
      const Stage &fine = stages[k], &coarse = stages[k + 1];
      const int now = smooth(team, fine, degree, kFromZero);
      each_cell(team, fine,
                Residual<ExecSpace, Real, W, D, plain>{fine.op, fine.b, fine.z[now], fine.d});
      each_site(team, coarse, Restrict<ExecSpace, Real, W>{transfer(k), fine.d, coarse.b});
    }
    int now = smooth(team, stages[count - 1], degree_of_coarsest, kFromZero);
    for (int k = count - 2; k >= 0; --k) {
      const Stage &fine = stages[k], &coarse = stages[k + 1];
      const int before = in_use_after(degree, kFromZero);
      each_site(team, fine,
                Prolong<ExecSpace, Real, W>{transfer(k), coarse.z[now], fine.z[before]});
      now = smooth(team, fine, degree, before);
    }
  }

  /// Returns which z of the first level the result is in.
  int result() const {
    return count == 1 ? in_use_after(degree_of_coarsest, kFromZero)
                      : in_use_after(degree, in_use_after(degree, kFromZero));
  }

 private:
  static constexpr int kFromZero = -1;

  /// Returns which z is in use after some steps of the smoother from z[now]; the first step from
  /// zero goes to z[0].
  KOKKOS_INLINE_FUNCTION static int in_use_after(int steps, int now) {
    return now == kFromZero ? (steps - 1) % 2 : (now + steps) % 2;
  }

  KOKKOS_INLINE_FUNCTION Transfer<ExecSpace> transfer(int k) const {
    return {stages[k].op.level, stages[k + 1].op.level};
  }

  /// Calls f(cell) for the cells of this frame, border included.
  template <class F>
  KOKKOS_INLINE_FUNCTION void each_cell(const Member& team, const Stage& stage, const F& f) const {
    each(team, stage.op.level.frame, f);
  }
  /// Calls f(site) for its sites.
  template <class F>
  KOKKOS_INLINE_FUNCTION void each_site(const Member& team, const Stage& stage, const F& f) const {
    each(team, stage.op.level.grid.sites(), f);
  }
  template <class F>
  KOKKOS_INLINE_FUNCTION void each(const Member& team, std::int64_t of_frame, const F& f) const {
    const std::int64_t first = team.league_rank() * of_frame;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(of_frame)),
                         [&](int i) { f(first + i); });
    team.team_barrier();
  }

  /// Returns which z is in use.
  KOKKOS_INLINE_FUNCTION int smooth(const Member& team, const Stage& stage, int steps,
                                    int now) const {
    for (int step = 0; step < steps; ++step) {
      if (now == kFromZero) {
        now = 0;
        each_cell(team, stage,
                  BeginSmoothing<ExecSpace, Real, W, D, plain>{stage.op, stage.b, stage.z[0],
                                                               stage.d, stage.smoother.factor[0]});
        continue;
      }
      each_cell(team, stage,
                Smooth<ExecSpace, Real, W, D, plain>{stage.op, stage.b, stage.z[now], stage.d,
                                                     stage.z[1 - now], stage.smoother.keep[step],
                                                     stage.smoother.factor[step]});
      now = 1 - now;
    }
    return now;
  }
};

}  // namespace tessera::mpr::detail
