// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/detail/table_lookup.hpp"

namespace tessera::stable {

/// A tabulated function of x, left and right of a centre: a small object to be copied into kernels and called there. The table that it
/// comes from owns the coefficients and must outlive it.
struct TabulatedFunction {
  const double* rows = nullptr;  ///< left side, then right side
  double centre = 0, inverse_width = 1;
  int bits = 6, panels = 0;      ///< panels a side
  double end_value[2] = {0, 0};  ///< beyond the last panel: end_value + end_exponent ln(|x - power_centre|)
  double end_exponent[2] = {0, 0};
  double power_centre = 0;

  KOKKOS_FORCEINLINE_FUNCTION double beyond(double x) const {
    const int side = x > centre ? 1 : 0;
    const double distance = ::fabs(x - power_centre);
    return distance < 1e308 ? end_value[side] + end_exponent[side] * math::logarithm(distance) : (x == x ? -INFINITY : x);
  }

  KOKKOS_FORCEINLINE_FUNCTION double operator()(double x) const {
    double t;
    const double d = x - centre;
    const std::int64_t k = detail::find_panel(math::detail::multiply_add(::fabs(d), inverse_width, 1.0), bits, t);
    if (!(k < panels)) return beyond(x);
    return detail::polynomial(rows + detail::kRow * (k + (d > 0 ? panels : 0)), t);
  }
};

}  // namespace tessera::stable
