// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees {

/// Why the device stopped stepping; bits of StepperState::stop.
enum StopReason : std::uint32_t {
  kStopInterval = 1,  ///< the end of the interval has been reached
  kStopPrune = 2,     ///< a prune is due
  /// A new cell found no row, or the directory no room for it: the step has not been made
  kStopNoRoom = 4,
  kStopRange = 8,       ///< a new cell lies beyond the range of indices: the step has not been made
  kStopVelocity = 16,   ///< a velocity is not finite: the step has not been made
  kStopNonFinite = 32,  ///< a mass is not finite after the step, which does not count
  kStopEmpty = 64,      ///< no mass is left
  kStopBarrier = 128,   ///< the blocks of a persistent kernel did not all run at the same time
  kStopAny = 255,
};

/// The clock, counters and sums of a run. It lives on the device, so that the host need not look at
/// every step. Times are in the time unit of the dynamics; `mass` and `lost_mass` are
/// probabilities.
struct StepperState {
  static constexpr double kUnlimited = 1e308;

  double time = 0;  ///< since the start of the run
  /// Time at which velocities that vary in time are taken: the middle of the step, as far as that
  /// is known when it begins. For a prune it is that of the step before.
  double velocity_time = 0;
  double velocity_share = 0.5;       ///< where in the step that is; 0: at its start
  double interval_time = 0;          ///< since the start of the present interval
  double interval = 0;               ///< its length
  double longest_step = kUnlimited;  ///< that it may have
  /// Length that the flow would have allowed the last step, with no interval to end
  double planned_step = kUnlimited;
  double dt = 0;  ///< of the last step
  /// Smallest time in which flow crosses an existing cell; the step is cfl times it
  double cfl_time = 0;
  double scale = 1;      ///< probability = scale * stored mass
  double mass = 1;       ///< sum of the probabilities after the last step
  double lost_mass = 0;  ///< left the grid since the last measurement
  /// Range of the dynamics' invariant on the initial cells
  double invariant_low = -1e308, invariant_high = 1e308;

  std::uint64_t steps = 0;
  std::uint64_t cell_steps = 0;  ///< sum over the steps of the cells that exist
  std::uint64_t max_cells = 0;
  /// Cells of other ranks; everything else that counts cells but the rows here counts them too
  std::uint64_t elsewhere = 0;
  /// Since the last measurement: prunes are due at its multiples of prune_every
  std::uint32_t segment_steps = 0;
  std::uint32_t batch_steps = 0;  ///< since the host last looked
  std::uint32_t cells = 0;        ///< linked rows here
  /// Rows in use, including those inserted in the present step
  std::uint32_t allocated = 0;
  /// Rows that were there after the last prune, which are in order
  std::uint32_t packed = 0;
  /// Cells at or above the threshold when the host last looked
  std::uint64_t active = 0;
  std::uint32_t parity = 0;  ///< mass[parity] holds the present mass
  std::uint32_t stop = 0;    ///< reasons to stop
  /// The first cell, by key, at which a velocity or mass is not finite
  std::uint64_t bad_key = ~std::uint64_t(0);

  /// Returns the middle of a step as long as the last one, or as the end of the interval and the
  /// longest step allow.
  KOKKOS_INLINE_FUNCTION double middle_of_next_step() const {
    const double step =
        compat::min(compat::min(planned_step, longest_step), interval - interval_time);
    return step > 0 ? compat::fma(velocity_share, step, time) : time;
  }
};

/// One entry of the history: a step.
struct StepRecord {
  double time = 0;  ///< at its end
  double dt = 0;
  double mass = 0;
  double lost_mass = 0;
  std::uint64_t cells_existing = 0;
  std::uint64_t cells_active = 0;
};

}  // namespace tessera::gbees
