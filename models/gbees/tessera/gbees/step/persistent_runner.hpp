// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/grid_barrier.hpp"
#include "tessera/gbees/step/moments.hpp"
#include "tessera/gbees/step/prune.hpp"
#include "tessera/gbees/step/step.hpp"
#include "tessera/gbees/step/team_growth.hpp"

/// Steps of a small problem in one GPU kernel: with few cells the launches of five kernels a step
/// take longer than their work.

namespace tessera::gbees::detail {

/// The reductions that the teams of a persistent kernel make together in a step.
struct SharedReductions {
  SharedExactSum mass, lost;
  std::uint32_t active = 0;
  double cfl_time = kNoCrossing;  ///< of the new cells
};

/// The data that the teams of a persistent kernel share, in device memory.
struct SharedState {
  GridBarrier::State barrier;
  /// Reductions of steps with even and with odd numbers, so that one can be emptied while the other
  /// is read
  SharedReductions reductions[2];
  int kept = 0;  ///< rows left by a prune
};

/// The data that each team of a persistent kernel has for itself, in its scratch memory. While it
/// makes steps, of the StepperState in device memory only `allocated`, `stop`, `bad_key` and, where
/// dynamics vary in time, `velocity_time` are kept.
struct TeamState {
  StepperState state;  ///< the same in all teams
  TeamExactSum mass, lost;
  std::uint32_t active = 0;
  bool goes_on = true;  ///< another step follows
  bool prunes = false;  ///< a prune follows
};

/// The arguments that the host gives a persistent kernel.
template <class Context, class Directory>
struct PersistentArguments {
  StepPhases<Context, Directory> step;
  PrunePhases<Context, Directory> prune;
  Directory directory;
  typename Context::CellArrays::Links spare_links;
  SharedState* shared;
  std::uint32_t steps, most_cells;  ///< that the kernel makes and takes at most
};

/// Makes steps and prunes with the teams of one kernel, one team a multiprocessor. All threads of
/// all teams come to every barrier.
template <class Context, class Directory, class Team>
class PersistentRunner {
 public:
  static constexpr bool kLinksInFluxes = true;
  static constexpr int D = Context::D;
  static constexpr bool kReference = Context::scheme == Scheme::reference;
  using ExecSpace = typename Context::ExecSpace;
  using View = typename Context::View;
  using Arguments = PersistentArguments<Context, Directory>;

  KOKKOS_FORCEINLINE_FUNCTION PersistentRunner(const Arguments& arguments, const Team& team,
                                               TeamState& own, const GrowthLists<Context>& lists)
      : m_arguments(arguments),
        m_s(arguments.step.grow.s),
        m_team(team),
        m_own(own),
        m_lists(lists) {}

  KOKKOS_FORCEINLINE_FUNCTION void barrier() {
    wait([] {});
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier(Written) { barrier(); }

  /// The first thread of the first team.
  KOKKOS_FORCEINLINE_FUNCTION bool is_leader() const {
    return m_team.league_rank() == 0 && m_team.team_rank() == 0;
  }

  // --- step

  KOKKOS_FORCEINLINE_FUNCTION void grow(const Growth<Context, Directory>& grow) {
    const StepperState& state = m_own.state;
    const TeamGrowth<Context, Directory> growth{grow};
    growth(m_team, m_s.make_view(state, kNoCrossing, state.cells), state.cfl_time, m_lists,
           scattered_thread(), threads(), reductions().cfl_time);
  }

  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void minimum(const Phase& phase) {
    double shortest = kNoCrossing;
    const View view =
        m_s.make_view(m_own.state, kNoCrossing, m_s.state().stop != 0 ? 0 : m_s.state().allocated);
    reduce_share<ExecSpace>(phase, view, thread(), threads(), shortest);
    if (shortest < kNoCrossing) compat::atomic_min_positive(&reductions().cfl_time, shortest);
  }

  /// Calls `phase` for each linked row. It also links the new cells to their neighbours, notes that
  /// the active cells have grown, and counts those of this thread.
  template <class Phases, class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_linked(const Phases& phases, const Phase& phase) {
    if (is_leader())
      m_arguments.shared->reductions[(m_own.state.steps + 1) % 2] = SharedReductions();
    m_allocated = m_s.state().allocated;
    m_cfl_time = reductions().cfl_time;
    m_view = m_s.make_view(m_own.state, m_cfl_time, m_s.state().stop != 0 ? 0 : m_allocated);
    m_active = 0;
    const std::uint32_t old_end = m_view.size == 0 ? 0 : m_view.cells + 1,
                        end = static_cast<std::uint32_t>(m_view.first + m_view.size);
    for (std::uint32_t c = m_view.first + thread(); c < old_end; c += threads()) {
      phase(m_view, c);
      if (m_view.mass[c] * m_view.scale >= m_s.threshold) {
        ++m_active;
        m_s.grown(c) = 1;
      }
    }
    const TeamGrowth<Context, Directory> growth{phases.grow};
    for (std::uint32_t c = m_view.cells + 1 + threads() - 1 - scattered_thread(); c < end;
         c += threads()) {
      const std::uint64_t key = m_s.key(c);
      phase(m_view, c, key, 0.0, growth.link_new(c, key));
    }
  }

  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const Phase& phase) const {
    for_share<ExecSpace>(phase, m_view, thread(), threads());
  }

  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void update(const Phase& phase) const {
    StepSums sums;
    reduce_share<ExecSpace>(phase, m_view, thread(), threads(), sums);
    compat::warp_add(&m_own.active, m_active);
    m_own.mass.add(sums.mass);
    if constexpr (!kReference) m_own.lost.add(sums.lost);
  }

  /// Every team ends the step for itself, from the same numbers.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const FinishStep<Context>& finish) {
    SharedReductions& shared = reductions();
    wait([&]() { publish(shared); });
    if (m_team.team_rank() == 0) {
      StepReductions found;
      found.active = shared.active;
      found.cfl_time = m_cfl_time;
      found.sums.mass = shared.mass.total();
      found.sums.lost = shared.lost.total();
      StepperState state = m_own.state;
      state.allocated = m_allocated;
      state.stop |= m_s.state().stop;
      finish.close(state, found, is_leader());
      take(state);
      // a prune without room for the links is left to the host
      m_own.prunes =
          (state.stop & kStopPrune) != 0 && state.cells < m_arguments.spare_links.extent(0);
      m_own.goes_on = m_own.goes_on && (m_own.prunes || may_go_on(state));
    }
    m_team.team_barrier();
  }

  // --- prune

  template <class Phases>
  KOKKOS_FORCEINLINE_FUNCTION void begin_prune(const Phases& phases) {
    const std::uint32_t n = m_own.state.cells;
    m_view = m_s.make_view(m_own.state, kNoCrossing, n);
    if (is_leader()) {
      m_s.reductions() = StepReductions();
      *phases.reductions = PruneReductions();
      m_arguments.shared->kept = 0;
    }
    for (std::uint32_t c = thread(); c <= n; c += threads()) {
      phases.mark_receivers.receives_flux(c) = 0;
      phases.pack_kept.remap(c) = kNone;
    }
    for (std::uint32_t slot = thread(); slot < m_arguments.directory.slots(); slot += threads())
      m_arguments.directory.clear_slot(slot);
    std::uint32_t active = 0;
    for (std::uint32_t c = m_view.first + thread(); c <= n; c += threads())
      active += m_view.mass[c] * m_view.scale >= m_s.threshold ? 1 : 0;
    m_active = active;
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum(const SumCandidates<Context>& phase, ExactSum& total) const {
    ExactSum sum;
    reduce_share<ExecSpace>(phase, m_view, thread(), threads(), sum);
    add(sum, [&](const ExactSum& all) { all.add_to_shared(total); });
  }

  template <class Phases>
  KOKKOS_FORCEINLINE_FUNCTION void select(const Phases& phases) {
    compat::warp_add(&m_s.reductions().active, m_active);
    const std::uint32_t n = m_own.state.cells;
    std::uint32_t position = 0;
    for (std::uint32_t i = thread(); i < n; i += threads())
      phases.select_kept(m_view, i, position, false);
    position = static_cast<std::uint32_t>(
        m_team.team_scan(static_cast<int>(position), &m_arguments.shared->kept));
    for (std::uint32_t i = thread(); i < n; i += threads())
      phases.select_kept(m_view, i, position, true);
  }

  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void pack(const Pack& pack, KeptSums& total) const {
    const std::uint32_t kept = this->kept();
    KeptSums sums;
    for (std::uint32_t i = thread(); i < kept; i += threads()) pack(m_view, i, sums);
    add(sums, [&](const KeptSums& all) {
      all.mass.add_to_shared(total.mass);
      Kokkos::atomic_fetch_min(&total.crossing_time, all.crossing_time);
    });
  }

  /// Keys and flags go back to where they were: the arrays cannot change roles inside a kernel.
  template <class Phases>
  KOKKOS_FORCEINLINE_FUNCTION void renumber_links(const Phases& phases) {
    const auto& pack = phases.pack_kept;
    const auto& spare_links = m_arguments.spare_links;
    const std::uint32_t kept = this->kept();
    for (std::uint32_t i = thread(); i < kept; i += threads()) {
      const std::uint32_t c = pack.kept(i);
      for (int d = 0; d < 2 * D; ++d) spare_links(i + 1, d) = pack.remap(m_s.links(c, d));
    }
    barrier();
    for (std::uint32_t c = 1 + thread(); c <= kept; c += threads()) {
      m_s.key(c) = pack.new_key(c);
      m_s.grown(c) = pack.new_grown(c);
      for (int d = 0; d < 2 * D; ++d) m_s.links(c, d) = spare_links(c, d);
    }
    if (is_leader()) m_s.state().allocated = kept;  // nobody looks at it until all are there
    barrier();
  }

  template <class Phases>
  KOKKOS_FORCEINLINE_FUNCTION void finish_prune(const Phases& phases) {
    if (m_team.team_rank() == 0) {
      StepperState state = m_own.state;
      state.stop |= m_s.state().stop;
      detail::finish_prune(state, Context::scheme, m_s.time_varying(), kept(), *phases.reductions);
      take(state);
      m_own.prunes = false;
      m_own.goes_on = m_own.goes_on && may_go_on(state);
    }
    if (is_leader())
      m_arguments.step.finish.history(m_own.state.batch_steps - 1).cells_active =
          m_s.reductions().active;
    m_team.team_barrier();
  }

 private:
  template <class Publish>
  KOKKOS_FORCEINLINE_FUNCTION void wait(const Publish& publish) {
    const bool complete = GridBarrier(&m_arguments.shared->barrier).wait(m_team, publish);
    if (!complete) give_up();
  }

  /// Gives up because the other teams have not come. One thread of the team calls it.
  KOKKOS_INLINE_FUNCTION void give_up() const {
    m_own.goes_on = false;
    Kokkos::atomic_fetch_or(&m_s.state().stop, std::uint32_t(kStopBarrier));
  }

  KOKKOS_FORCEINLINE_FUNCTION SharedReductions& reductions() const {
    return m_arguments.shared->reductions[m_own.state.steps % 2];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t kept() const {
    return static_cast<std::uint32_t>(m_arguments.shared->kept);
  }

  /// Adds the sums of a team to those of all, and empties them.
  KOKKOS_FORCEINLINE_FUNCTION void publish(SharedReductions& shared) const {
    Kokkos::atomic_add(&shared.active, m_own.active);
    shared.mass.add(m_own.mass.total());
    if constexpr (!kReference) shared.lost.add(m_own.lost.total());
    m_own.active = 0;
    m_own.mass = m_own.lost = TeamExactSum();
  }

  KOKKOS_FORCEINLINE_FUNCTION void take(const StepperState& state) const {
    if (m_s.time_varying()) m_s.take_time(state.velocity_time);  // every team writes the same
    m_own.state = state;
  }

  /// Returns whether another step may follow in this kernel.
  KOKKOS_FORCEINLINE_FUNCTION bool may_go_on(const StepperState& state) const {
    return state.stop == 0 && state.batch_steps < m_arguments.steps &&
           state.cells < m_arguments.most_cells;
  }

  /// Joins the values of a team's threads and hands the result to `publish`, once a team.
  template <class Value, class Publish>
  KOKKOS_FORCEINLINE_FUNCTION void add(Value value, const Publish& publish) const {
    using Reducer = compat::Sum<Value, typename Context::CellArrays::Memory>;
    m_team.team_reduce(Reducer(typename Reducer::result_view_type(&value)));
    Kokkos::single(Kokkos::PerTeam(m_team), [&]() { publish(value); });
  }

  static constexpr int kWarp = compat::is_gpu_v<ExecSpace> ? 32 : 1;

  /// The number of a thread among all of them: neighbouring threads of a warp are neighbours,
  /// neighbouring warps are in different teams, so that few cells keep all multiprocessors busy.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t thread() const {
    const int warp = m_team.team_rank() / kWarp, lane = m_team.team_rank() % kWarp;
    return static_cast<std::uint32_t>((warp * m_team.league_size() + m_team.league_rank()) * kWarp +
                                      lane);
  }

  /// Returns the number of a thread for work that comes in few clusters and takes long: neighbours
  /// are in different teams, then in different warps.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t scattered_thread() const {
    const int warps = m_team.team_size() / kWarp, warp = m_team.team_rank() / kWarp,
              lane = m_team.team_rank() % kWarp;
    return static_cast<std::uint32_t>((lane * warps + warp) * m_team.league_size() +
                                      m_team.league_rank());
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t threads() const {
    return static_cast<std::uint32_t>(m_team.league_size() * m_team.team_size());
  }

  const Arguments& m_arguments;
  const Context& m_s;
  const Team& m_team;
  TeamState& m_own;
  const GrowthLists<Context>& m_lists;
  View m_view;                    // of the phases behind growth
  std::uint32_t m_allocated = 0;  // rows with those of this step's new cells
  double m_cfl_time = 0;          // of the new cells
  std::uint32_t m_active = 0;     // cells of this thread
};

/// The persistent kernel: up to `steps` steps and the prunes between them.
template <class Context, class Directory>
struct PersistentSteps {
  using Own = Kokkos::View<TeamState*, typename Context::ExecSpace::scratch_memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  PersistentArguments<Context, Directory> arguments;

  /// Team scratch memory that the kernel needs.
  static std::size_t scratch_bytes(int team_size) {
    return Own::shmem_size(1) + GrowthLists<Context>::bytes(team_size);
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const Context& s = arguments.step.grow.s;
    const Own scratch(team.team_scratch(0), 1);
    const GrowthLists<Context> lists(team);
    TeamState& own = scratch(0);
    if (team.team_rank() == 0) {
      own = TeamState();
      own.state = s.state();
    }
    PersistentRunner<Context, Directory, Team> run(arguments, team, own, lists);
    run.barrier();  // all teams are there, or none begins
    while (own.goes_on) {
      make_step(arguments.step, run);
      if (own.prunes) prune_cells(arguments.prune, run);
    }
    run.barrier();  // until nobody looks at the state that the host knows
    if (run.is_leader() && (s.state().stop & kStopBarrier) == 0) {
      const std::uint64_t bad_key = s.state().bad_key;  // found by any thread
      s.state() = own.state;
      s.state().bad_key = bad_key;
    }
  }
};

}  // namespace tessera::gbees::detail
