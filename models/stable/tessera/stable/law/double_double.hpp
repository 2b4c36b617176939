// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/double_double.hpp"

namespace tessera::stable::detail {

using compat::add;
using compat::divide;
using compat::DoubleDouble;
using compat::multiply;

/// Sine and cosine of pi a / 2 for 0 <= a <= 2: Taylor's series at a sixteenth of the angle, then
/// four doublings.
KOKKOS_INLINE_FUNCTION void sine_cosine_half_pi(double a, DoubleDouble& sine,
                                                DoubleDouble& cosine) {
  const DoubleDouble angle = multiply({0x1.921fb54442d18p-4, 0x1.1a62633145c07p-58}, {a, 0});
  DoubleDouble minus_square = multiply(angle, angle);
  minus_square = {-minus_square.high, -minus_square.low};
  DoubleDouble s, c_less_one;
  for (int k = 11; k >= 1; --k) {
    s = divide(multiply(add(s, {1, 0}), minus_square), (2 * k) * (2 * k + 1.0));
    c_less_one = divide(multiply(add(c_less_one, {1, 0}), minus_square), (2 * k) * (2 * k - 1.0));
  }
  s = multiply(add(s, {1, 0}), angle);
  for (int k = 0; k < 4; ++k) {
    const DoubleDouble s2 = multiply(s, s);
    s = multiply({2 * s.high, 2 * s.low}, add(c_less_one, {1, 0}));
    c_less_one = {-2 * s2.high, -2 * s2.low};
  }
  sine = s;
  cosine = add(c_less_one, {1, 0});
}

}  // namespace tessera::stable::detail
