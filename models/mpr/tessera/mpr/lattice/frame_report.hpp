// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace tessera::mpr {

/// The results of a fill for one frame.
struct FrameReport {
  /// Values that are mapped to the angles 0 and pi
  double low = 0, high = 0;
  std::int64_t samples = 0, missing = 0, inactive = 0;  ///< numbers of sites
  /// Specific energy of the samples: minus the mean of cos(theta_i - theta_j)
  double sample_energy = 0;
  double sample_pairs = 0;  ///< of neighbours
  double temperature = 0;
  bool constant = false;  ///< all samples are equal, and so is the prediction
  /// Neighbouring samples are not correlated: no temperature is high enough
  bool uncorrelated = false;
};

/// The distances of the missing sites from the samples, in steps along the axes through active or
/// missing sites of their layer.
struct GapShape {
  double mean_distance = 0;
  /// Edge of a typical gap, at least 2 where a whole layer of a stack is missing; 1: single sites
  /// at random
  int block = 1;
};

}  // namespace tessera::mpr
