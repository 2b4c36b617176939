// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::gbees {

/// The polynomial through values at times, at a time (Neville's scheme).
double lagrange(const std::vector<double>& t, std::vector<double> value, double at);

/// A value and its derivative.
struct ValueAndRate {
  double value = 0, rate = 0;
};

/// The polynomial through values and slopes at times, and its derivative, at a time (divided
/// differences).
ValueAndRate hermite(const std::vector<double>& t, const std::vector<double>& value,
                     const std::vector<double>& slope, double at);

}  // namespace tessera::gbees
