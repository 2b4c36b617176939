// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/detail/flux.hpp"
#include "tessera/gbees/detail/grow.hpp"
#include "tessera/gbees/detail/moments.hpp"
#include "tessera/gbees/detail/prune.hpp"
#include "tessera/gbees/detail/team_growth.hpp"

/// Steps of a small problem on a GPU in one kernel: with few cells the launches of five kernels a step take longer than their work.

namespace tessera::gbees::detail {

/// What the teams of a resident kernel find together in a step.
struct StepFindings {
  SharedExactSum mass, lost;
  std::uint32_t active = 0;
  double cfl_time = kNoCrossing;  ///< of the new cells
};

/// What the teams of a resident kernel share, in device memory.
struct Meeting {
  std::uint32_t arrived = 0;  ///< teams at barriers, since the kernel began
  StepFindings findings[2];   ///< of steps with even and with odd numbers, so that one can be emptied while the other is read
  int kept = 0;               ///< rows left by a prune
  PruneSums sums;
};

/// Where all teams of a kernel wait for each other. There must not be more teams than the GPU runs at a time.
struct Barrier {
  Meeting* meeting;

  /// Returns when every team has come. What any of them has written is seen by all afterwards.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void wait(const Team& team) const {
    wait(team, [] {});
  }

  /// The same; when its threads have come, one thread of each team calls `publish` before the team counts as there.
  template <class Team, class Publish>
  KOKKOS_INLINE_FUNCTION void wait(const Team& team, const Publish& publish) const {
    team.team_barrier();
    if (team.team_rank() == 0) {
      publish();
      const auto teams = static_cast<std::uint32_t>(team.league_size());
      const std::uint32_t before = compat::fetch_add_release(&meeting->arrived, 1);
      const std::uint32_t wanted = before - before % teams + teams;
      while (compat::load_acquire(&meeting->arrived) < wanted) {
      }
    }
    team.team_barrier();
  }
};

/// The arrays that a prune in place needs besides those of the state.
template <class State>
struct PruneArrays {
  typename State::template Array<std::uint8_t*> fed, spare_grown;
  typename State::template Array<std::uint32_t*> kept, remap;
  typename State::template Array<std::uint64_t*> spare_key;
  typename State::CellArrays::Links spare_links;
};

/// What each team of a resident kernel has for itself, in its scratch memory. While it makes steps, of the Control in device memory only
/// `allocated`, `stop`, `bad_key` and, where dynamics vary in time, `velocity_time` are kept.
struct TeamState {
  Control control;  ///< the same in all teams
  TeamExactSum mass, lost;
  std::uint32_t active = 0;
  bool go_on = true;   ///< another step follows
  bool prune = false;  ///< a prune follows
};

/// The fluxes and the balance of a step.
template <class State, Scheme scheme = State::scheme>
struct FluxBodies {
  FaceFlux<State> face_flux;
  LimitOutflow<State> limit_outflow;
  Update<State> update;
};
template <class State>
struct FluxBodies<State, Scheme::reference> {
  FusedUpdate<State> update;
};

/// The bodies of a step, made on the host: in the constant memory of the kernel they cost a thread nothing, made on the device they were
/// copied to its local memory.
template <class State>
struct StepBodies {
  TeamGrowth<State> grow;
  RefreshVelocities<State> refresh_velocities;
  HalfStep<State> half_step;
  FluxBodies<State> flux;
  FinishStep<State> finish;
};

/// Up to `steps` steps and the prunes between them: the bodies of the stepping's kernels, one after the other, with a barrier between them.
template <class State>
struct ResidentSteps {
  static constexpr int D = State::D;
  static constexpr bool kReference = State::scheme == Scheme::reference;
  static constexpr int kWarp = compat::is_gpu_v<typename State::ExecSpace> ? 32 : 1;
  using Now = typename State::Now;
  State s;
  StepBodies<State> bodies;
  typename State::CellArrays::Directory directory;
  PruneArrays<State> arrays;
  Barrier barrier;
  std::uint32_t steps, most_cells;

  /// Team scratch memory that the kernel needs.
  static std::size_t scratch_bytes(int team_size) { return Own::shmem_size(1) + GrowthLists<State>::bytes(team_size); }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const Own own(team.team_scratch(0), 1);
    const GrowthLists<State> lists(team);
    TeamState& mine = own(0);
    if (team.team_rank() == 0) {
      mine = TeamState();
      mine.control = s.control();
    }
    team.team_barrier();
    while (mine.go_on) {
      step(team, mine, lists);
      if (mine.prune) prune(team, mine);
    }
    barrier.wait(team);  // until nobody looks at the state that the host knows
    if (is_first(team)) store(mine.control);
  }

 private:
  using Own = Kokkos::View<TeamState*, typename State::ExecSpace::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// The first thread of the first team.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static bool is_first(const Team& team) {
    return team.league_rank() == 0 && team.team_rank() == 0;
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void step(const Team& team, TeamState& mine, const GrowthLists<State>& lists) const {
    const Control& control = mine.control;
    StepFindings& found = barrier.meeting->findings[control.steps % 2];
    bodies.grow(team, s.now(control, kNoCrossing, control.cells), control.cfl_time, lists, scattered_worker(team), workers(team),
                found.cfl_time);
    barrier.wait(team);
    if (is_first(team)) barrier.meeting->findings[(control.steps + 1) % 2] = StepFindings();
    if (s.time_varying()) {
      find_shortest(team, mine, found.cfl_time);
      barrier.wait(team);
    }
    const std::uint32_t allocated = s.control().allocated, stop = s.control().stop;
    const double cfl_time = found.cfl_time;
    const Now now = s.now(control, cfl_time, stop != 0 ? 0 : allocated);

    std::uint32_t active = 0;
    half_step(team, now, active);
    barrier.wait(team);
    if constexpr (!kReference) {
      each(team, now, bodies.flux.face_flux);
      barrier.wait(team);
      each(team, now, bodies.flux.limit_outflow);
      barrier.wait(team);
    }
    StepSums sums;
    reduce(team, now, bodies.flux.update, sums);
    compat::warp_add(&mine.active, active);
    mine.mass.add(sums.mass);
    if constexpr (!kReference) mine.lost.add(sums.lost);
    barrier.wait(team, [&]() { publish(mine, found); });
    if (team.team_rank() == 0) finish(mine, found, allocated, cfl_time, is_first(team));
    team.team_barrier();
  }

  /// Adds the sums of a team to those of all, and empties them.
  KOKKOS_INLINE_FUNCTION void publish(TeamState& mine, StepFindings& found) const {
    Kokkos::atomic_add(&found.active, mine.active);
    found.mass.add(mine.mass.total());
    if constexpr (!kReference) found.lost.add(mine.lost.total());
    mine.active = 0;
    mine.mass = mine.lost = TeamExactSum();
  }

  /// The end of a step, by one thread of each team: all come to the same.
  KOKKOS_INLINE_FUNCTION void finish(TeamState& mine, const StepFindings& shared, std::uint32_t allocated, double cfl_time,
                                     bool records) const {
    Findings found;
    found.active = shared.active;
    found.cfl_time = cfl_time;
    found.sums.mass = shared.mass.total();
    found.sums.lost = shared.lost.total();
    Control control = mine.control;
    control.allocated = allocated;
    control.stop |= s.control().stop;
    bodies.finish.close(control, found, records);
    if (s.time_varying()) s.control().velocity_time = control.velocity_time;  // every team writes the same
    mine.control = control;
    // a prune without room for the links is left to the host
    mine.prune = (control.stop & kStopPrune) != 0 && control.cells < arrays.spare_links.extent(0);
    mine.go_on = mine.prune || may_go_on(control);
  }

  /// Leaves the state of the stepping where the host finds it.
  KOKKOS_INLINE_FUNCTION void store(const Control& control) const {
    const std::uint64_t bad_key = s.control().bad_key;  // found by any thread
    s.control() = control;
    s.control().bad_key = bad_key;
  }

  /// Also links the new cells to their neighbours, notes that the active cells have grown, and counts those that this thread takes.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void half_step(const Team& team, const Now& now, std::uint32_t& active) const {
    const std::uint32_t old_end = now.size == 0 ? 0 : now.cells + 1, end = static_cast<std::uint32_t>(now.first + now.size);
    for (std::uint32_t c = now.first + worker(team); c < old_end; c += workers(team)) {
      bodies.half_step(now, c);
      if (now.mass[c] * now.scale >= s.threshold) {
        ++active;
        s.grown(c) = 1;
      }
    }
    for (std::uint32_t c = now.cells + 1 + workers(team) - 1 - scattered_worker(team); c < end; c += workers(team)) {
      const std::uint64_t key = s.key(c);
      bodies.half_step(now, c, key, 0.0, bodies.grow.link_new(c, key));
    }
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void prune(const Team& team, TeamState& mine) const {
    Meeting& meeting = *barrier.meeting;
    const std::uint32_t n = mine.control.cells;
    const Now now = s.now(mine.control, kNoCrossing, n);
    if (is_first(team)) {
      s.findings() = Findings();
      meeting.sums = PruneSums();
      meeting.kept = 0;
    }
    for (std::uint32_t c = worker(team); c <= n; c += workers(team)) {
      arrays.fed(c) = 0;
      arrays.remap(c) = kNone;
    }
    for (std::uint32_t slot = worker(team); slot < directory.slots(); slot += workers(team)) directory.clear_slot(slot);
    barrier.wait(team);

    std::uint64_t active = 0;
    reduce(team, now, CountActive<State>{s}, active);
    compat::warp_add(&s.findings().active, static_cast<std::uint32_t>(active));
    each(team, now, MarkFed<State>{s, arrays.fed});
    barrier.wait(team);

    sum_candidates(team, now, nullptr, meeting.sums.candidates);
    barrier.wait(team);
    const ExactSum* removed = nullptr;
    if constexpr (kReference) {
      sum_candidates(team, now, &meeting.sums.candidates, meeting.sums.removable);
      barrier.wait(team);
      removed = &meeting.sums.removable;
    }

    const SelectKept<State> select{s, arrays.fed, arrays.kept, nullptr, {}, removed, now.mass, now.scale};
    std::uint32_t position = 0;
    for (std::uint32_t i = worker(team); i < n; i += workers(team)) select(i, position, false);
    position = static_cast<std::uint32_t>(team.team_scan(static_cast<int>(position), &meeting.kept));
    for (std::uint32_t i = worker(team); i < n; i += workers(team)) select(i, position, true);
    barrier.wait(team);

    const auto kept = static_cast<std::uint32_t>(meeting.kept);
    const PackKept<State> pack{s,        directory, arrays.kept, arrays.remap, arrays.spare_key, arrays.spare_grown,
                               now.mass, now.next,  now.scale};
    PackSums sums;
    for (std::uint32_t i = worker(team); i < kept; i += workers(team)) pack(i, sums);
    add(team, sums, [&](const PackSums& all) {
      all.mass.add_to_shared(meeting.sums.kept.mass);
      Kokkos::atomic_fetch_min(&meeting.sums.kept.crossing_time, all.crossing_time);
    });
    barrier.wait(team);

    for (std::uint32_t i = worker(team); i < kept; i += workers(team)) {
      const std::uint32_t c = arrays.kept(i);
      for (int d = 0; d < 2 * D; ++d) arrays.spare_links(i + 1, d) = arrays.remap(s.links(c, d));
    }
    barrier.wait(team);
    for (std::uint32_t c = 1 + worker(team); c <= kept; c += workers(team)) {
      s.key(c) = arrays.spare_key(c);
      s.grown(c) = arrays.spare_grown(c);
      for (int d = 0; d < 2 * D; ++d) s.links(c, d) = arrays.spare_links(c, d);
    }
    if (is_first(team)) s.control().allocated = kept;  // nobody looks at it until all are there
    barrier.wait(team);
    if (team.team_rank() == 0) {
      Control control = mine.control;
      control.stop |= s.control().stop;
      control.after_prune(State::scheme, s.time_varying(), kept, meeting.sums);
      if (s.time_varying()) s.control().velocity_time = control.velocity_time;  // every team writes the same
      mine.control = control;
      mine.prune = false;
      mine.go_on = may_go_on(control);
    }
    if (is_first(team)) bodies.finish.history(mine.control.batch_steps - 1).cells_active = s.findings().active;
    team.team_barrier();
  }

  /// Whether another step may follow in this kernel.
  KOKKOS_INLINE_FUNCTION bool may_go_on(const Control& control) const {
    return control.stop == 0 && control.batch_steps < steps && control.cells < most_cells;
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void sum_candidates(const Team& team, const Now& now, const ExactSum* removed, ExactSum& total) const {
    ExactSum sum;
    reduce(team, now, SumCandidates<State>{s, arrays.fed, removed}, sum);
    add(team, sum, [&](const ExactSum& all) { all.add_to_shared(total); });
  }

  /// Of dynamics that vary in time: the velocities at the start of the step, and the smallest crossing time.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void find_shortest(const Team& team, const TeamState& mine, double& cfl_time) const {
    double shortest = kNoCrossing;
    reduce(team, s.now(mine.control, kNoCrossing, s.control().stop != 0 ? 0 : s.control().allocated), bodies.refresh_velocities, shortest);
    if (shortest < kNoCrossing) compat::atomic_min_positive(&cfl_time, shortest);
  }

  template <class Team, class Body>
  KOKKOS_INLINE_FUNCTION void each(const Team& team, const Now& now, const Body& body) const {
    detail::each<typename State::ExecSpace>(body, now, worker(team), workers(team));
  }

  template <class Team, class Body, class Value>
  KOKKOS_INLINE_FUNCTION void reduce(const Team& team, const Now& now, const Body& body, Value& sum) const {
    detail::reduce<typename State::ExecSpace>(body, now, worker(team), workers(team), sum);
  }

  /// Joins the values of a team's threads and hands the result to `publish`, once a team.
  template <class Team, class Value, class Publish>
  KOKKOS_INLINE_FUNCTION void add(const Team& team, Value value, const Publish& publish) const {
    using Reducer = compat::Sum<Value, typename State::CellArrays::Memory>;
    team.team_reduce(Reducer(typename Reducer::result_view_type(&value)));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { publish(value); });
  }

  /// The number of a thread among all of them: neighbouring threads of a warp are neighbours, neighbouring warps are in different teams, so
  /// that few cells keep all multiprocessors busy.
  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint32_t worker(const Team& team) const {
    const int warp = team.team_rank() / kWarp, lane = team.team_rank() % kWarp;
    return static_cast<std::uint32_t>((warp * team.league_size() + team.league_rank()) * kWarp + lane);
  }

  /// The same for work that comes in few clusters and takes long: neighbours are in different teams, then in different warps.
  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint32_t scattered_worker(const Team& team) const {
    const int warps = team.team_size() / kWarp, warp = team.team_rank() / kWarp, lane = team.team_rank() % kWarp;
    return static_cast<std::uint32_t>((lane * warps + warp) * team.league_size() + team.league_rank());
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint32_t workers(const Team& team) const {
    return static_cast<std::uint32_t>(team.league_size() * team.team_size());
  }
};

}  // namespace tessera::gbees::detail
