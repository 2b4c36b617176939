// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/advance.hpp"
#include "tessera/gbees/step/finish_step.hpp"
#include "tessera/gbees/step/grow.hpp"
#include "tessera/gbees/step/outflow.hpp"

/// One step of GBEES (Hanson et al. 2025, section 2, and METHOD.md). This file holds what a step
/// is; a *runner* decides who does it:
///
/// | runner                                  | who                    | launches            | used for                         |
/// |-----------------------------------------|------------------------|---------------------|----------------------------------|
/// | LaunchRunner (launch_runner.hpp)        | a kernel for each phase| one a phase         | many cells on a GPU, or plain    |
/// | PersistentRunner (persistent_runner.hpp)| teams of one GPU kernel| one for many steps  | few cells on a GPU               |
/// | ThreadTeamRunner (thread_team_runner.hpp)| a team of CPU threads | one for many steps  | CPUs                             |
/// | RanksRunner (ranks_runner.hpp)          | a LaunchRunner a rank  | one a phase         | several ranks                    |
///
/// A runner has these members; a phase is described in grid/loop.hpp.
///
///     grow(growth)           selects the growing cells, inserts their receivers, assigns rows to
///                            the new cells (step/grow.hpp)
///     has_new_cells()        whether growth may have inserted any
///     minimum(phase)         a reduction to the smallest crossing time of the step
///     for_each(phase)        a loop
///     for_each_linked(phases, phase)  a loop that may link new cells first (kLinksInFluxes)
///     update(phase)          a reduction to the sums of the step
///     barrier(written)       what the phase before has written is visible to all. `written` says
///                            what that was: the place where ranks exchange the rows that their
///                            neighbours need
///     finish(phase)          the end of the step, once, when all have come
///     kLinksInFluxes         the runner links new cells in the loop that finds the fluxes, or half
///                            steps: this spares a barrier

namespace tessera::gbees::detail {

/// The data that a phase has written and other ranks would need.
enum class Written { velocities, cells, links, crossing_times, half_steps, fluxes, limited_fluxes };

/// The phases between growth and the end of the step.
template <class Context, bool fused = Context::fused>
struct FluxPhases {
  FluxesOut<Context> fluxes_out;
  LimitBackflow<Context> limit_backflow;
  Update<Context> update;
  explicit FluxPhases(const Context& s) : fluxes_out{s}, limit_backflow{s}, update{s} {}
};
template <class Context>
struct FluxPhases<Context, true> {
  HalfStep<Context> half_step;
  FusedUpdate<Context> update;
  explicit FluxPhases(const Context& s) : half_step{s}, update{s} {}
};

/// The phases of a step, made on the host: in the constant memory of a GPU's kernel they cost a
/// thread nothing.
template <class Context_, class Directory>
struct StepPhases {
  using Context = Context_;
  using History = typename Context::template Array<StepRecord*>;
  Growth<Context, Directory> grow;
  LinkNewCells<Context, Directory> link_new_cells;
  RefreshVelocities<Context> refresh_velocities;
  CrossingTimes<Context> crossing_times;
  FluxPhases<Context> flux;
  FinishStep<Context> finish;

  StepPhases(const Context& s, const Directory& directory, const History& history,
             std::uint32_t prune_every)
      : grow{s, directory},
        link_new_cells{s, directory},
        refresh_velocities{s},
        crossing_times{s},
        flux(s),
        finish{s, history, prune_every} {}

  KOKKOS_INLINE_FUNCTION bool time_varying() const { return grow.s.time_varying(); }
};

TESSERA_HOST_OR_DEVICE
template <class Phases, class Runner>
KOKKOS_FORCEINLINE_FUNCTION void make_step(const Phases& phases, Runner& run) {
  using Context = typename Phases::Context;

  // 1. Growth: active cells insert the neighbours that they are about to send mass to. The time
  //    step follows from all cells. Velocities
  // that vary in time are those of the step's middle.
  if constexpr (Context::stores_velocity) {
    if (phases.time_varying()) {
      run.minimum(phases.refresh_velocities);
      run.barrier(Written::velocities);
    }
  }
  run.grow(phases.grow);
  run.barrier(Written::cells);
  if constexpr (!Runner::kLinksInFluxes) {
    if (run.has_new_cells()) {
      run.minimum(phases.link_new_cells);
      run.barrier(Written::links);
    }
  }
  if (phases.time_varying()) {
    run.minimum(phases.crossing_times);
    run.barrier(Written::crossing_times);
  }

  // 2. Half step: each cell's mass advanced by half a step along all axes. 3. Fluxes through the
  //    faces; the conservative scheme limits what
  // flows out of a cell to what it holds. Where fluxes are stored, the cells that they flow out of
  // find them with a half step of their own.
  if constexpr (Context::fused) {
    run.for_each_linked(phases, phases.flux.half_step);
    run.barrier(Written::half_steps);
  } else {
    run.for_each_linked(phases, phases.flux.fluxes_out);
    run.barrier(Written::fluxes);
    if constexpr (Context::scheme == Scheme::conservative) {
      run.for_each(phases.flux.limit_backflow);
      run.barrier(Written::limited_fluxes);
    }
  }

  // 4. Update: the balance of the fluxes, and the sums of the step.
  run.update(phases.flux.update);
  run.finish(phases.finish);
}

}  // namespace tessera::gbees::detail
