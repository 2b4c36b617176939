// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// A stretch of time in equal steps.
struct TimeSteps {
  double begin = 0, dt = 0;
  std::uint64_t steps = 0;
};

/// The time between two others in steps of at most `step`, none of which goes over one of the
/// `breaks`, which ascend: at these the dynamics jump. A stretch keeps clear of a break by a
/// 1e-13th of it, so that no method looks at the other side.
std::vector<TimeSteps> divide_time(double from, double to, double step,
                                   const std::vector<double>& breaks = {});

/// A part of an interval, and how long a step may be in it.
struct BoundedPiece {
  double end = 0;
  double longest_step = 0;
};

/// Bounds on the steps of a density by the rate at which its dynamics change in time: at fixed
/// places, the displacement by a change of the velocities within a step may not exceed a share of a
/// cell. The host evaluates them.
class StepBounds {
 public:
  /// `spacing`: of the cells; `cfl`: a smaller one shortens all steps alike.
  StepBounds(const EquationProgram& program, std::vector<double> spacing, double cfl);

  /// The pieces of an interval that no break divides, for a density with this mean and these
  /// standard deviations, in the coordinates of the program. `share`: of the interval in the run,
  /// for the number of looks. `landmarks`: times to look at, ascending.
  std::vector<BoundedPiece> pieces(double begin, double end, double share,
                                   const std::vector<double>& mean,
                                   const std::vector<double>& deviation,
                                   const std::vector<double>& landmarks) const;

 private:
  /// Returns the velocities of the components that vary, at all places.
  std::vector<double> velocities(double t, const std::vector<std::vector<double>>& places) const;

  /// Returns the largest displacement, in cells, by a change from one to the other within a step of
  /// length h.
  double moved(const std::vector<double>& from, const std::vector<double>& to, double h) const;

  void look(double begin, double end, const std::vector<double>& at_begin,
            const std::vector<double>& at_end, const std::vector<std::vector<double>>& places,
            int depth, std::vector<BoundedPiece>& found) const;

  const EquationProgram* m_program;
  std::vector<double> m_spacing;
  std::vector<int> m_varying;
  double m_cfl;
};

}  // namespace tessera::gbees
