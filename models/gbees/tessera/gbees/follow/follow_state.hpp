// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/grid/stepper_state.hpp"

namespace tessera::gbees {

/// The place of a following grid in time, for restart files.
struct FollowState {
  /// What comes next.
  enum class Phase : int {
    begin_leg,    ///< a leg begins: the part of the interval that one flow covers
    bound_steps,  ///< bounds on the steps of the leg are found
    move,         ///< steps are made
    fit,          ///< the frame is laid again if it does not fit after some steps
    end_leg,      ///< the leg, and perhaps the flow, ends
  };
  Phase phase = Phase::begin_leg;
  Frame frame;                  ///< in which the flow has begun,
  double begin = 0, stop = 0;   ///< when, and to where it leads
  double end = 0, leg_end = 0;  ///< of the interval, and of what the flow covers of it
  double longest_step = StepperState::kUnlimited;
  std::vector<BoundedPiece> pieces;  ///< pieces of the leg that are left
  bool stays = false;                ///< the grid has stopped following, and stays in the frame
  double misfit = -1;                ///< the first time at which no frame fitted; < 0: none
  std::uint64_t transfers = 0;       ///< from frame to frame so far
  /// By how much transfers have changed the density since the start or the last measurement: the
  /// sum of shares of its mass (before that is mended), or of deviations of its moments
  double change = 0;
};

}  // namespace tessera::gbees
