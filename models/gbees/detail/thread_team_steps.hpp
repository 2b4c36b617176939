// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/thread_team.hpp"
#include "tessera/gbees/detail/flux.hpp"
#include "tessera/gbees/detail/grow.hpp"

namespace tessera::gbees::detail {

/// Up to `steps` steps on a CPU in one kernel: the bodies of a step, one after the other, with a meeting of the threads between them.
template <class State>
struct ThreadTeamSteps {
  using ExecSpace = typename State::ExecSpace;
  State s;
  Grow<State> grow;
  LinkNewCells<State> link;
  RefreshVelocities<State> refresh_velocities;
  HalfStep<State> half_step;
  FaceFlux<State> face_flux;
  LimitOutflow<State> limit_outflow;
  Update<State> update;
  FinishStep<State> finish;
  int steps;
  std::uint32_t* go_on;  ///< whether another step follows; changes only while all wait

  void operator()(ThreadTeam& team) const {
    for (int i = 0; i < steps && *go_on != 0; ++i) step(team);
  }

 private:
  /// Deals the loop over `now` out to the threads, in chunks.
  template <class Now, class Body>
  static void for_chunks(ThreadTeam& team, const Now& now, const Body& body) {
    team.for_dynamic([&](std::uint32_t owner) { return Chunks(now, owner, team.num_threads()); }, body);
  }

  // Functions of their own, or the compiler finds the step too long to put the bodies into their loops, which are then no vector loops.
  template <class Body>
  TESSERA_NOINLINE static void share(ThreadTeam& team, const Body& body) {
    const auto now = body.now();
    for_chunks(team, now, [&](const Chunk& chunk) { for_chunk(body, now, chunk); });
  }
  template <class Body, class Value>
  TESSERA_NOINLINE static void share(ThreadTeam& team, const Body& body, Value& sum) {
    const auto now = body.now();
    Value local = sum;
    for_chunks(team, now, [&](const Chunk& chunk) { reduce_chunk(body, now, chunk, local); });
    sum = local;
  }

  TESSERA_NOINLINE void grow_cells(ThreadTeam& team) const {
    const auto now = grow.now();
    std::uint32_t active = 0;
    typename Grow<State>::Made made;
    for_chunks(team, now, [&](const Chunk& chunk) {
      for (std::uint64_t c = chunk.begin; c < chunk.end; ++c) grow(now, static_cast<std::uint32_t>(c), active, made);
    });
    grow.give_rows(now, made);
    Kokkos::atomic_fetch_add(&s.findings().active, active);
  }

  void step(ThreadTeam& team) const {
    grow_cells(team);
    team.barrier();
    if (s.control().allocated != s.control().cells) {
      find_shortest(team, link);
      team.barrier();
    }
    if (s.time_varying()) {
      find_shortest(team, refresh_velocities);
      team.barrier();
    }
    share(team, half_step);
    team.barrier();
    share(team, face_flux);
    team.barrier();
    if constexpr (State::scheme == Scheme::conservative) {
      share(team, limit_outflow);
      team.barrier();
    }
    StepSums sums;
    share(team, update, sums);
    sums.mass.add_to_shared(s.findings().sums.mass);
    if constexpr (State::scheme == Scheme::conservative) sums.lost.add_to_shared(s.findings().sums.lost);
    team.barrier([&] {
      finish(0);
      *go_on = s.control().stop == 0 ? 1 : 0;
    });
  }

  /// The smallest crossing time that a body finds goes to the findings.
  template <class Body>
  void find_shortest(ThreadTeam& team, const Body& body) const {
    double shortest = kNoCrossing;
    share(team, body, shortest);
    if (shortest < kNoCrossing) compat::atomic_min_positive(&s.findings().cfl_time, shortest);
  }
};

}  // namespace tessera::gbees::detail
