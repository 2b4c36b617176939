// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::mpr {

/// The values that numbers of a precision hold with room for their differences, squares and
/// products with a step of the model: as far from 0 as `most`, and either all equal or `least`
/// apart.
struct ValueLimits {
  double least, most;

  bool hold(double low, double high) const {
    const double range = high - low;
    return std::max(std::fabs(low), std::fabs(high)) <= most && range <= most &&
           (range == 0 || range >= least);
  }
};

inline constexpr ValueLimits kLimitsOfSingle{1e-30, 1e38}, kLimitsOfDouble{1e-140, 1e140};

/// Throws Error (input) where a precision does not hold values from low to high. of: what they are,
/// for the message ("'sst.nc'", "frame 2"); remedy: for values that double precision holds.
void check_values(double low, double high, bool single, const std::string& of,
                  const std::string& remedy = "give model.precision: double");

}  // namespace tessera::mpr
