// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/step/step_context.hpp"

namespace tessera::gbees::detail {

/// Phase 4 ends: time, scale, counters, history and the reasons to stop.
template <class Context>
struct FinishStep {
  Context s;
  typename Context::template Array<StepRecord*> history;
  std::uint32_t prune_every;

  KOKKOS_INLINE_FUNCTION void operator()() const {
    StepperState state = s.state();
    close(state, s.reductions(), true);
    s.state() = state;
    if (s.time_varying()) s.take_time(state.velocity_time);
    s.reductions() = StepReductions();
  }

  /// Closes the step on copies of the state, whose members are then read and written together; the
  /// history is written only if it `records`.
  KOKKOS_INLINE_FUNCTION void close(StepperState& state, const StepReductions& found,
                                    bool records) const {
    if (state.stop) return;
    const double dt = s.step_size(state, found.cfl_time);
    state.planned_step = s.flow_step(state, found.cfl_time);
    // else the prune has counted
    if (records && state.batch_steps > 0 && state.segment_steps % prune_every != 0) {
      history(state.batch_steps - 1).cells_active = found.active;
    }

    const double left = state.interval - state.interval_time;
    const bool clipped = dt >= left;
    state.dt = dt;
    state.cfl_time = s.time_varying() ? kNoCrossing : compat::min(state.cfl_time, found.cfl_time);
    state.time += dt;
    // The published code adds and compares; landing on the end exactly spares a last step of
    // rounding size.
    state.interval_time = clipped && Context::scheme == Scheme::conservative
                              ? state.interval
                              : state.interval_time + dt;
    state.cells = state.allocated;
    const std::uint64_t cells = state.cells + state.elsewhere;
    state.max_cells = compat::max(state.max_cells, cells);
    state.cell_steps += cells;
    state.parity ^= 1;
    ++state.steps;
    ++state.segment_steps;

    const double total = found.sums.mass.value();
    if constexpr (Context::scheme == Scheme::reference) {
      state.lost_mass += 1 - total * state.scale;
      state.scale = 1 / total;
      state.mass = 1;
    } else {
      state.lost_mass += found.sums.lost.value() * state.scale;
      state.mass = total * state.scale;
    }
    if (records)
      history(state.batch_steps) =
          StepRecord{state.time, dt, state.mass, state.lost_mass, cells, 0};
    ++state.batch_steps;

    if (!(state.interval_time < state.interval)) state.stop |= kStopInterval;
    if (state.segment_steps % prune_every == 0) state.stop |= kStopPrune;
    if (!(state.stop & kStopPrune)) state.velocity_time = state.middle_of_next_step();
    if (!(total > 0)) state.stop |= kStopEmpty;
  }
};

}  // namespace tessera::gbees::detail
