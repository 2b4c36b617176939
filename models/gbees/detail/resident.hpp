// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/detail/flux.hpp"
#include "models/gbees/detail/grow.hpp"
#include "models/gbees/detail/moments.hpp"
#include "models/gbees/detail/prune.hpp"
#include "models/gbees/detail/team_growth.hpp"

/// Steps of a small problem on a GPU in one kernel: with few cells the launches of five kernels a step take longer than their work.

namespace tessera::gbees::detail {

/// What all teams sum up in a step.
struct SharedSums {
  SharedExactSum mass, lost;
  std::uint32_t active = 0;
};

/// What the teams of a resident kernel share, in device memory.
struct Meeting {
  std::uint32_t arrived = 0;  ///< teams at simple barriers, since the kernel began
  std::uint32_t closing = 0;  ///< teams at barriers with a last action
  std::uint32_t closed = 0;   ///< last actions done
  std::uint32_t go_on = 1;    ///< another step follows; this and what follows changes only while all teams wait, but for sums
  std::uint32_t prune = 0;    ///< a prune follows
  int kept = 0;               ///< rows left by the prune
  SharedSums step_sums;
  PruneSums sums;
};

/// Where all teams of a kernel wait for each other. There must not be more teams than the GPU runs at a time.
struct Barrier {
  Meeting* meeting;

  /// Returns when every team has come. What any of them has written is seen by all afterwards.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void wait(const Team& team) const {
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      const auto teams = static_cast<std::uint32_t>(team.league_size());
      const std::uint32_t before = compat::fetch_add_release(&meeting->arrived, 1);
      const std::uint32_t wanted = before - before % teams + teams;
      while (compat::load_acquire(&meeting->arrived) < wanted) {
      }
    });
    team.team_barrier();
  }

  /// The same; the last to come calls `last` before any returns.
  template <class Team, class Last>
  KOKKOS_INLINE_FUNCTION void wait(const Team& team, const Last& last) const {
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      const auto teams = static_cast<std::uint32_t>(team.league_size());
      const std::uint32_t before = compat::fetch_add_release(&meeting->closing, 1);
      if ((before + 1) % teams == 0) {
        last();
        compat::fetch_add_release(&meeting->closed, 1);
      } else {
        while (compat::load_acquire(&meeting->closed) == before / teams) {
        }
      }
    });
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

/// What a team sums up in a step.
template <Scheme scheme>
struct TeamSums {
  ExactSum mass, lost;
  std::uint32_t active = 0;

  KOKKOS_INLINE_FUNCTION void take(const StepSums& sums) {
    mass = sums.mass;
    lost = sums.lost;
  }
  KOKKOS_INLINE_FUNCTION TeamSums& operator+=(const TeamSums& other) {
    mass += other.mass;
    lost += other.lost;
    active += other.active;
    return *this;
  }
  KOKKOS_INLINE_FUNCTION void add_to(SharedSums& all) const {
    Kokkos::atomic_add(&all.active, active);
    all.mass.add(mass);
    all.lost.add(lost);
  }
};
template <>
struct TeamSums<Scheme::reference> {
  ExactSum mass;  // what is lost follows from it
  std::uint32_t active = 0;

  KOKKOS_INLINE_FUNCTION void take(const StepSums& sums) { mass = sums.mass; }
  KOKKOS_INLINE_FUNCTION TeamSums& operator+=(const TeamSums& other) {
    mass += other.mass;
    active += other.active;
    return *this;
  }
  KOKKOS_INLINE_FUNCTION void add_to(SharedSums& all) const {
    Kokkos::atomic_add(&all.active, active);
    all.mass.add(mass);
  }
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

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const GrowthLists<State> lists(team);
    while (barrier.meeting->go_on) {
      step(team, lists);
      if (barrier.meeting->prune) prune(team);
    }
  }

 private:
  template <class Team>
  KOKKOS_INLINE_FUNCTION void step(const Team& team, const GrowthLists<State>& lists) const {
    bodies.grow(team, lists, scattered_worker(team), workers(team));
    barrier.wait(team);
    if (s.time_varying()) {
      find_shortest(team, bodies.refresh_velocities);
      barrier.wait(team);
    }
    TeamSums<State::scheme> sums;
    half_step(team, sums.active);
    barrier.wait(team);
    if constexpr (!kReference) {
      each(team, bodies.flux.face_flux);
      barrier.wait(team);
      each(team, bodies.flux.limit_outflow);
      barrier.wait(team);
    }
    StepSums mine;
    reduce(team, bodies.flux.update, mine);
    sums.take(mine);
    add(team, sums, [&](const TeamSums<State::scheme>& all) { all.add_to(barrier.meeting->step_sums); });
    barrier.wait(team, [&]() { finish(); });
  }

  /// The end of a step, by one thread. It works on copies, so that it reads and writes memory once.
  KOKKOS_INLINE_FUNCTION void finish() const {
    Meeting& meeting = *barrier.meeting;
    Control control = s.control();
    Findings found = s.findings();
    found.active = static_cast<int>(meeting.step_sums.active);
    found.sums.mass = meeting.step_sums.mass.total();
    found.sums.lost = meeting.step_sums.lost.total();
    bodies.finish.close(control, found);
    // a prune without room for the links is left to the host
    const bool prunes = (control.stop & kStopPrune) != 0 && control.cells < arrays.spare_links.extent(0);
    s.control() = control;
    s.findings() = Findings();
    meeting.step_sums = SharedSums();
    meeting.sums = PruneSums();
    meeting.kept = 0;
    meeting.prune = prunes ? 1 : 0;
    meeting.go_on = prunes || may_go_on(control) ? 1 : 0;
  }

  /// Also links the new cells to their neighbours, notes that the active cells have grown, and counts those that this thread takes.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void half_step(const Team& team, std::uint32_t& active) const {
    const Now now = bodies.half_step.now();
    const std::uint32_t old_end = now.size == 0 ? 0 : now.cells + 1, end = static_cast<std::uint32_t>(now.first + now.size);
    for (std::uint32_t c = now.first + worker(team); c < old_end; c += workers(team)) {
      bodies.half_step(now, c);
      if (now.mass[c] * now.scale >= s.threshold) {
        ++active;
        s.grown(c) = 1;
      }
    }
    for (std::uint32_t c = now.cells + 1 + workers(team) - 1 - scattered_worker(team); c < end; c += workers(team)) {
      bodies.grow.link_new(c);
      bodies.half_step(now, c);
    }
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void prune(const Team& team) const {
    Meeting& meeting = *barrier.meeting;
    const std::uint32_t n = s.control().cells;
    for (std::uint32_t c = worker(team); c <= n; c += workers(team)) {
      arrays.fed(c) = 0;
      arrays.remap(c) = kNone;
    }
    for (std::uint32_t slot = worker(team); slot < directory.slots(); slot += workers(team)) directory.clear_slot(slot);
    barrier.wait(team);

    std::uint64_t active = 0;
    reduce(team, CountActive<State>{s}, active);
    team.team_scan(static_cast<int>(active), &s.findings().active);
    each(team, MarkFed<State>{s, arrays.fed});
    barrier.wait(team);

    sum_candidates(team, nullptr, meeting.sums.candidates);
    barrier.wait(team);
    const ExactSum* removed = nullptr;
    if constexpr (kReference) {
      sum_candidates(team, &meeting.sums.candidates, meeting.sums.removable);
      barrier.wait(team);
      removed = &meeting.sums.removable;
    }

    const Now now = s.now(0, n);
    const SelectKept<State> select{s, arrays.fed, arrays.kept, nullptr, removed, now.mass, now.scale};
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
    barrier.wait(team, [&]() {
      Control& control = s.control();
      bodies.finish.history(control.batch_steps - 1).cells_active = static_cast<std::uint32_t>(s.findings().active);
      s.findings() = Findings();
      control.after_prune(State::scheme, s.time_varying(), kept, meeting.sums);
      meeting.prune = 0;
      meeting.go_on = may_go_on(control) ? 1 : 0;
    });
  }

  /// Whether another step may follow in this kernel.
  KOKKOS_INLINE_FUNCTION bool may_go_on(const Control& control) const {
    return control.stop == 0 && control.batch_steps < steps && control.cells < most_cells;
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void sum_candidates(const Team& team, const ExactSum* removed, ExactSum& total) const {
    ExactSum sum;
    reduce(team, SumCandidates<State>{s, arrays.fed, removed}, sum);
    add(team, sum, [&](const ExactSum& all) { all.add_to_shared(total); });
  }

  /// The smallest crossing time that a body finds goes to the findings. Few threads find any, but where dynamics vary in time.
  template <class Team, class Body>
  KOKKOS_INLINE_FUNCTION void find_shortest(const Team& team, const Body& body) const {
    double shortest = kNoCrossing;
    reduce(team, body, shortest);
    if (shortest < kNoCrossing) compat::atomic_min_positive(&s.findings().cfl_time, shortest);
  }

  template <class Team, class Body>
  KOKKOS_INLINE_FUNCTION void each(const Team& team, const Body& body) const {
    const Now now = body.now();
    for (index_of_t<Body> i = now.first + worker(team); i < now.first + now.size; i += workers(team)) body(now, i);
  }

  template <class Team, class Body, class Value>
  KOKKOS_INLINE_FUNCTION void reduce(const Team& team, const Body& body, Value& sum) const {
    const Now now = body.now();
    for (index_of_t<Body> i = now.first + worker(team); i < now.first + now.size; i += workers(team)) {
      if constexpr (is_vector_body<Body>::value) {
        body(now, i);
        body.sum(now, i, i + 1, sum);
      } else {
        body(now, i, sum);
      }
    }
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
