// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gbees/scheme.hpp"

namespace tessera::gbees::detail {

/// Why the device stopped stepping; bits of Control::stop.
enum Stop : std::uint32_t {
  kStopInterval = 1,    ///< the end of the interval has been reached
  kStopPrune = 2,       ///< a prune is due
  kStopNoRoom = 4,      ///< a new cell found no row, or the directory failed to take it: the step has not been made
  kStopRange = 8,       ///< a new cell lies beyond the range of indices: the step has not been made
  kStopVelocity = 16,   ///< a velocity is not finite: the step has not been made
  kStopNonFinite = 32,  ///< a mass is not finite after the step, which does not count
  kStopEmpty = 64,      ///< no mass is left
  kStopAny = 127,
};

/// Longer than any crossing time: the time of no cell.
inline constexpr double kNoCrossing = 1.7976931348623157e308;

/// What a prune sums up on the device.
struct PackSums {
  ExactSum mass;                       ///< of the kept cells
  double crossing_time = kNoCrossing;  ///< the shortest of theirs

  KOKKOS_INLINE_FUNCTION PackSums& operator+=(const PackSums& other) {
    mass += other.mass;
    crossing_time = compat::min(crossing_time, other.crossing_time);
    return *this;
  }
};

struct PruneSums {
  ExactSum candidates;  ///< probability of the cells below the threshold that no active cell feeds
  ExactSum removable;   ///< reference scheme: of those that fall when candidates do
  PackSums kept;
};

/// The state of the stepping, which lives on the device so that the host need not look at every step.
struct Control {
  double time = 0;           ///< since the start of the run
  double velocity_time = 0;  ///< at which velocities that vary in time are taken: the start of the step, and for a prune after it too
  double interval_time = 0;  ///< since the start of the present interval
  double interval = 0;       ///< its length
  double dt = 0;             ///< of the step being made
  double cfl_time = 0;       ///< smallest time in which flow crosses an existing cell; the step is cfl times it
  double scale = 1;          ///< probability = scale * stored mass
  double mass = 1;           ///< sum of the probabilities after the last step
  double lost_mass = 0;      ///< left the grid since the last measurement
  double invariant_low = -1e308, invariant_high = 1e308;  ///< of the dynamics' invariant on the initial cells

  std::uint64_t steps = 0;
  std::uint64_t cell_steps = 0;
  std::uint32_t segment_steps = 0;  ///< since the last measurement: prunes are due at its multiples of prune_every
  std::uint32_t batch_steps = 0;    ///< since the host last looked
  std::uint32_t cells = 0;          ///< linked rows
  std::uint32_t allocated = 0;      ///< rows in use, including those inserted in the present step
  std::uint32_t packed = 0;         ///< rows that were there after the last prune, which are in order
  std::uint32_t max_cells = 0;
  std::uint64_t active = 0;  ///< cells at or above the threshold when the host last looked
  std::uint32_t parity = 0;  ///< mass[parity] holds the present mass
  std::uint32_t stop = 0;
  std::uint64_t bad_key = ~std::uint64_t(0);  ///< the first cell, by key, at which a velocity or mass is not finite

  /// What follows from a prune that has left `kept` rows, whose masses are in the other array.
  KOKKOS_INLINE_FUNCTION void after_prune(Scheme scheme, bool time_varying, std::uint32_t kept, const PruneSums& sums) {
    cells = allocated = packed = kept;
    parity ^= 1;
    stop &= ~std::uint32_t(kStopPrune);
    cfl_time = time_varying ? kNoCrossing : sums.kept.crossing_time;
    velocity_time = time;
    const double left = sums.kept.mass.value();
    if (scheme == Scheme::reference) {
      lost_mass += 1 - left;
      scale = 1 / left;
    } else {
      lost_mass += sums.candidates.value();
      mass = left;
      scale = 1;
    }
  }
};

/// One entry of the history, written on the device at each step.
struct StepRecord {
  double time = 0;
  double dt = 0;
  double mass = 0;
  double lost_mass = 0;
  std::uint32_t cells_existing = 0;
  std::uint32_t cells_active = 0;
};

/// What the update of all cells sums up, in units of stored mass.
struct StepSums {
  ExactSum mass;
  ExactSum lost;  ///< through the edge of the grid
  KOKKOS_INLINE_FUNCTION StepSums& operator+=(const StepSums& other) {
    mass += other.mass;
    lost += other.lost;
    return *this;
  }
};

/// Things a kernel finds while it makes a step; read by the next kernels of the step.
struct Findings {
  std::uint32_t active = 0;       ///< cells at or above the threshold
  int growing = 0;                ///< of those, cells that make neighbours in this step
  double cfl_time = kNoCrossing;  ///< of the new cells
  StepSums sums;
};

}  // namespace tessera::gbees::detail
