// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

/// What a fill found out about its data.

namespace tessera::mpr {

/// What was found out about one frame.
struct FrameReport {
  double low = 0, high = 0;  ///< mapped to 0 and pi
  std::int64_t samples = 0, missing = 0, inactive = 0;
  double sample_energy = 0;  ///< e_s, of nearest neighbours
  double sample_pairs = 0;
  double temperature = 0;
  bool constant = false;      ///< all samples are equal: so is the prediction
  bool uncorrelated = false;  ///< no correlation between neighbours: the temperature is without bound
};

/// How far the missing sites are from the samples, in steps along the axes through active or missing sites.
struct GapShape {
  double mean_distance = 0;
  int block = 1;  ///< edge of a typical gap; 1: single sites at random
};

/// What hold-out says about a choice of couplings.
struct HoldOutScore {
  std::array<double, 3> axis{1, 1, 1};
  double beta = 0;
  double rms = 0;  ///< error of the angles at the sites held out
};

}  // namespace tessera::mpr
