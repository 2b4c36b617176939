// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "tessera/boys/function/extended.hpp"
#include "tests/harness/hexadecimal.hpp"

namespace tessera::test {

/// F_0(x), ..., F_40(x) in extended precision.
inline std::vector<long double> boys_reference(long double x) {
  return boys::detail::boys_extended(40, x);
}

/// The largest errors of a set of results.
struct WorstError {
  double relative = 0, absolute = 0;
  double x_relative = 0;

  /// Values that `Real` cannot hold with full precision count only absolutely. NaN counts as
  /// infinitely wrong.
  template <class Real>
  void add(double x, Real value, long double reference) {
    double error = static_cast<double>(std::abs(static_cast<long double>(value) - reference));
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error > absolute) absolute = error;
    if (reference < 2 * static_cast<long double>(std::numeric_limits<Real>::min())) return;
    const double ratio = static_cast<double>(error / reference);
    if (ratio > relative) {
      relative = ratio;
      x_relative = x;
    }
  }
};

/// x, moved by `steps` floating-point numbers.
template <class Real>
Real neighbour(Real x, int steps) {
  const Real towards =
      steps < 0 ? -std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::infinity();
  for (int k = 0; k < std::abs(steps); ++k) x = std::nextafter(x, towards);
  return x;
}

}  // namespace tessera::test
