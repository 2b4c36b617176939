// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace tessera::stable {

/// The values of a sample of rounded numbers and how often each occurs (the sum of its weights).
struct CountedValues {
  std::vector<double> values, counts;
};

/// Prepares a sample that was rounded to multiples of `tick`, such as prices, for a fit with
/// FitTask::half_width = tick/2 and the counts as weights. `weights` may be empty. The likelihood
/// of a cell is found by Gauss' rule of 8 nodes: its logarithm is right to 1e-9 for ticks up to the
/// scale of the distribution (alpha >= 1). Throws Error (input) for a tick that is not positive
/// and, with its row, for a value that is no multiple of it.
CountedValues count_values(const std::vector<double>& values, const std::vector<double>& weights,
                           double tick);

}  // namespace tessera::stable
