// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/fill/value_range.hpp"

#include <cstdio>

#include "tessera/core/error.hpp"

namespace tessera::mpr {

void check_values(double low, double high, bool single, const std::string& of,
                  const std::string& remedy) {
  if (!(low <= high) || (single ? kLimitsOfSingle : kLimitsOfDouble).hold(low, high)) return;
  char range[80];
  std::snprintf(range, sizeof range, "%.7g to %.7g", low, high);
  const bool is_short = high - low < kLimitsOfSingle.least,
             double_holds = kLimitsOfDouble.hold(low, high);
  throw Error(
      ErrorKind::input,
      "the values of " + of + " run from " + range + ", which is too " +
          (is_short ? "short a range" : "large") + " for " + (double_holds ? "single" : "double") +
          " precision",
      (double_holds ? remedy + ", or " : std::string()) + "multiply them by a power of ten");
}

}  // namespace tessera::mpr
