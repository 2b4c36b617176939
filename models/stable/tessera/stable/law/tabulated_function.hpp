// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/law/table_lookup.hpp"

namespace tessera::stable {

/// A tabulated function of x, left and right of a centre: a small object to be copied into kernels
/// and called there. The table that it comes from owns the coefficients and must outlive it. NaN
/// where the table does not hold the function to its accuracy: in light tails.
struct TabulatedFunction {
  const double* rows = nullptr;  ///< left side, then right side
  double centre = 0, inverse_width = 1;
  int bits = 6, panels = 0;  ///< panels a side
  /// Beyond the last panel: end_value + end_exponent ln(|x - power_centre|)
  double end_value[2] = {0, 0};
  double end_exponent[2] = {0, 0};
  double power_centre = 0;
  /// The number of panels next to the centre, for tails, that hold the probability of the other
  /// side, the smaller one
  int inner[2] = {0, 0};

  /// Returns, for tails, whether a panel holds P(X <= x), not P(X > x).
  KOKKOS_FORCEINLINE_FUNCTION bool is_lower(std::int64_t panel, bool right) const {
    return (panel < (right ? inner[1] : inner[0])) == right;
  }

  KOKKOS_FORCEINLINE_FUNCTION double beyond(double x) const {
    const int side = x > centre ? 1 : 0;
    const double distance = ::fabs(x - power_centre);
    if (distance < INFINITY)
      return end_value[side] + end_exponent[side] * math::logarithm(distance);
    return ::fabs(x) < INFINITY ? NAN : (x == x ? -INFINITY : x);
  }

  KOKKOS_FORCEINLINE_FUNCTION double operator()(double x) const {
    bool lower;
    return at(x, lower);
  }

  /// Returns, for tails, ln P(X <= x) with `lower`, else ln P(X > x), whichever is small there.
  KOKKOS_FORCEINLINE_FUNCTION double at(double x, bool& lower) const {
    double t;
    const double d = x - centre;
    const std::int64_t k =
        detail::find_panel(math::detail::multiply_add(::fabs(d), inverse_width, 1.0), bits, t);
    lower = is_lower(k, d > 0);
    if (!(k < panels)) return beyond(x);
    return detail::polynomial(rows + detail::kRow * (k + (d > 0 ? panels : 0)), t);
  }
};

}  // namespace tessera::stable
