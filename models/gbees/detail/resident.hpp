// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/detail/flux.hpp"
#include "models/gbees/detail/grow.hpp"
#include "models/gbees/detail/moments.hpp"
#include "models/gbees/detail/prune.hpp"

/// Steps of a small problem on a GPU in one kernel: with few cells the launches of five kernels a step take longer than their work.

namespace tessera::gbees::detail {

/// What the teams of a resident kernel share, in device memory.
struct Meeting {
  std::uint32_t arrived = 0;
  std::uint32_t round = 0;
  std::uint32_t go_on = 1;  ///< another step follows; this and what follows changes only while all teams wait, but for sums
  std::uint32_t prune = 0;  ///< a prune follows
  int kept = 0;             ///< rows left by the prune
  PruneSums sums;
};

/// Where all teams of a kernel wait for each other. There must not be more teams than the GPU runs at a time.
struct Barrier {
  Meeting* meeting;

  /// Returns when every team has come; the last to come calls `last` first. What any of them has written is seen by all afterwards.
  template <class Team, class Last>
  KOKKOS_INLINE_FUNCTION void wait(const Team& team, const Last& last) const {
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      const volatile std::uint32_t* const now = &meeting->round;
      const std::uint32_t round = *now;
      Kokkos::memory_fence();
      if (Kokkos::atomic_fetch_add(&meeting->arrived, 1u) + 1 == static_cast<std::uint32_t>(team.league_size())) {
        Kokkos::memory_fence();
        last();
        meeting->arrived = 0;
        Kokkos::memory_fence();
        Kokkos::atomic_fetch_add(&meeting->round, 1u);
      } else {
        while (*now == round) {
        }
      }
      Kokkos::memory_fence();
    });
    team.team_barrier();
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void wait(const Team& team) const {
    wait(team, []() {});
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
  SelectGrowing<State> select_growing;
  GrowSelected<State> grow;
  LinkNewCells<State> link;
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
  State s;
  StepBodies<State> bodies;
  typename State::CellArrays::Directory directory;
  PruneArrays<State> arrays;
  Barrier barrier;
  std::uint32_t steps, most_cells;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    while (barrier.meeting->go_on) {
      step(team);
      if (barrier.meeting->prune) prune(team);
    }
  }

 private:
  template <class Team>
  KOKKOS_INLINE_FUNCTION void step(const Team& team) const {
    bodies.select_growing(team);
    barrier.wait(team);
    if (s.findings().growing > 0) {
      each(team, bodies.grow);
      barrier.wait(team);
    }
    if (s.control().allocated != s.control().cells) {
      Shortest shortest;
      reduce(team, bodies.link, shortest.time);
      add(team, shortest, [&](const Shortest& all) { Kokkos::atomic_fetch_min(&s.findings().cfl_time, all.time); });
      barrier.wait(team);
    }
    if (s.time_varying()) {
      Shortest shortest;
      reduce(team, bodies.refresh_velocities, shortest.time);
      add(team, shortest, [&](const Shortest& all) { Kokkos::atomic_fetch_min(&s.findings().cfl_time, all.time); });
      barrier.wait(team);
    }
    each(team, bodies.half_step);
    barrier.wait(team);
    StepSums sums;
    if constexpr (!kReference) {
      each(team, bodies.flux.face_flux);
      barrier.wait(team);
      each(team, bodies.flux.limit_outflow);
      barrier.wait(team);
    }
    reduce(team, bodies.flux.update, sums);
    add(team, sums, [&](const StepSums& all) {
      all.mass.add_to_shared(s.findings().sums.mass);
      all.lost.add_to_shared(s.findings().sums.lost);
    });
    barrier.wait(team, [&]() {
      bodies.finish(0);
      Meeting& meeting = *barrier.meeting;
      meeting.sums = PruneSums();
      meeting.kept = 0;
      meeting.prune = s.control().stop & kStopPrune ? 1 : 0;
      meeting.go_on = meeting.prune || may_go_on() ? 1 : 0;
    });
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void prune(const Team& team) const {
    Meeting& meeting = *barrier.meeting;
    const std::uint32_t n = s.control().cells;
    for (std::uint32_t c = worker(team); c <= n; c += workers(team)) arrays.fed(c) = 0;
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
    const SelectKept<State> select{s, directory, arrays.fed, arrays.kept, arrays.remap, nullptr, removed, now.mass, now.scale};
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

    const RelinkKept<typename State::CellArrays::Links, typename State::template Array<std::uint32_t*>, D> relink{
        s.links, arrays.spare_links, arrays.kept, arrays.remap};
    for (std::uint32_t i = worker(team); i < kept; i += workers(team)) relink(i);
    barrier.wait(team);
    for (std::uint32_t c = 1 + worker(team); c <= kept; c += workers(team)) {
      s.key(c) = arrays.spare_key(c);
      s.grown(c) = arrays.spare_grown(c);
      for (int d = 0; d < 2 * D; ++d) s.links(c, d) = arrays.spare_links(c, d);
    }
    barrier.wait(team, [&]() {
      s.half_step(0) = 0;  // row 0 of the arrays that the spare ones overlay
      for (int j = 0; j < D; ++j) s.flux(0, j) = 0;
      Control& control = s.control();
      bodies.finish.history(control.batch_steps - 1).cells_active = static_cast<std::uint32_t>(s.findings().active);
      s.findings() = Findings();
      control.after_prune(State::scheme, s.time_varying(), kept, meeting.sums);
      meeting.prune = 0;
      meeting.go_on = may_go_on() ? 1 : 0;
    });
  }

  /// Whether another step may follow in this kernel.
  KOKKOS_INLINE_FUNCTION bool may_go_on() const {
    const Control& control = s.control();
    return control.stop == 0 && control.batch_steps < steps && control.cells < most_cells;
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void sum_candidates(const Team& team, const ExactSum* removed, ExactSum& total) const {
    ExactSum sum;
    reduce(team, SumCandidates<State>{s, arrays.fed, removed}, sum);
    add(team, sum, [&](const ExactSum& all) { all.add_to_shared(total); });
  }

  struct Shortest {
    double time = kNoCrossing;
    KOKKOS_INLINE_FUNCTION Shortest& operator+=(const Shortest& other) {
      time = compat::min(time, other.time);
      return *this;
    }
  };

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

  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint32_t worker(const Team& team) const {
    return static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint32_t workers(const Team& team) const {
    return static_cast<std::uint32_t>(team.league_size() * team.team_size());
  }
};

}  // namespace tessera::gbees::detail
