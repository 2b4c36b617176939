// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gbees/grid/grid_options.hpp"
#include "tessera/gbees/grid/stepper_state.hpp"

/// The reductions of the kernels of a step and of a prune. All of them are independent of the
/// order: exact sums, minima, counts.

namespace tessera::gbees::detail {

/// Longer than any crossing time: the time of no cell.
inline constexpr double kNoCrossing = 1.7976931348623157e308;

/// The sums of the update of all cells, in units of stored mass.
struct StepSums {
  ExactSum mass;
  ExactSum lost;  ///< through the edge of the grid
  KOKKOS_INLINE_FUNCTION StepSums& operator+=(const StepSums& other) {
    mass += other.mass;
    lost += other.lost;
    return *this;
  }
};

/// The reductions of a step; read by the later phases of the step.
struct StepReductions {
  std::uint32_t active = 0;       ///< cells at or above the threshold
  int growing = 0;                ///< of those, cells that insert neighbours in this step
  double cfl_time = kNoCrossing;  ///< of the new cells
  StepSums sums;
};

/// The results of a step in device memory, to be copied together.
struct StepMemory {
  StepperState state;
  StepReductions reductions;
};

/// The mass and the shortest crossing time of the cells that a prune keeps.
struct KeptSums {
  ExactSum mass;
  double crossing_time = kNoCrossing;  ///< the shortest of theirs

  KOKKOS_INLINE_FUNCTION KeptSums& operator+=(const KeptSums& other) {
    mass += other.mass;
    crossing_time = compat::min(crossing_time, other.crossing_time);
    return *this;
  }
};

/// The reductions of a prune.
struct PruneReductions {
  /// Probability of the cells below the threshold that receive no flux from an active cell
  ExactSum candidates;
  /// Reference scheme: probability of those that are removed whatever their order (certain_cut)
  ExactSum removable;
  KeptSums kept;
};

/// The state after a prune that has left `kept` rows, whose masses are in the other array.
KOKKOS_INLINE_FUNCTION void finish_prune(StepperState& state, Scheme scheme, bool time_varying,
                                         std::uint32_t kept, const PruneReductions& reductions) {
  state.cells = state.allocated = state.packed = kept;
  state.parity ^= 1;
  state.stop &= ~std::uint32_t(kStopPrune);
  state.cfl_time = time_varying ? kNoCrossing : reductions.kept.crossing_time;
  state.velocity_time = state.middle_of_next_step();
  const double left = reductions.kept.mass.value();
  if (scheme == Scheme::reference) {
    state.lost_mass += 1 - left;
    state.scale = 1 / left;
  } else {
    state.lost_mass += reductions.candidates.value();
    state.mass = left;
    state.scale = 1;
  }
}

}  // namespace tessera::gbees::detail
