// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

/// Distributions that are special cases.
enum class Hypothesis { normal, cauchy, symmetric };
inline constexpr std::array<Hypothesis, 3> kHypotheses{Hypothesis::normal, Hypothesis::cauchy,
                                                       Hypothesis::symmetric};

/// "normal", "cauchy" or "symmetric".
inline std::string name(Hypothesis hypothesis) {
  return hypothesis == Hypothesis::normal   ? "normal"
         : hypothesis == Hypothesis::cauchy ? "cauchy"
                                            : "symmetric";
}

/// Returns the number of parameters that a hypothesis fixes.
inline int count_fixed(Hypothesis hypothesis) {
  return hypothesis == Hypothesis::symmetric ? 1 : 2;
}

/// Returns the task with the parameters of a hypothesis fixed too.
inline FitTask restrict_to(Hypothesis hypothesis, FitTask task) {
  task.fixed |= hypothesis == Hypothesis::symmetric ? 2 : 3;
  if (hypothesis != Hypothesis::symmetric)
    task.fixed_value[0] = hypothesis == Hypothesis::normal ? 2 : 1;
  task.fixed_value[1] = 0;
  return task;
}

}  // namespace tessera::stable
