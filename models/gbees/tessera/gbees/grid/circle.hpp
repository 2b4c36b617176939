// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::gbees {

/// A variable that lies on a circle: its base interval goes from `lower` to below `lower + period`.
/// Without a period it is no circle, but a line.
struct Circle {
  double lower = 0, period = 0;

  KOKKOS_INLINE_FUNCTION bool is_line() const { return !(period > 0); }

  /// Returns how many cells of about this size go round.
  int cells(double size) const {
    return static_cast<int>(compat::math::floor(period / size + 0.5));
  }

  /// Returns the place in the base interval; what is not finite becomes no number.
  KOKKOS_INLINE_FUNCTION double bring_in(double x) const {
    if (is_line()) return x;
    const double turns = compat::math::floor((x - lower) / period),
                 inside = turns == 0 ? x : x - turns * period;
    if (inside >= lower + period) return lower;  // by rounding
    return inside < lower ? lower : inside;
  }

  /// Returns a difference of two places the shortest way round, from -period / 2 to period / 2.
  KOKKOS_INLINE_FUNCTION double shortest(double difference) const {
    if (is_line()) return difference;
    return difference - period * compat::math::floor(difference / period + 0.5);
  }
};

}  // namespace tessera::gbees
