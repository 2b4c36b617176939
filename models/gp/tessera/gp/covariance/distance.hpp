// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

/// Scaled distances between points, for use in kernels. Each has
///
///     square(a, b)             u^2, with a and b three coordinates each
///     square(a, b, fraction)   the same, and the fraction of each coordinate in it; then those of
///                              the products of coordinates 1 and 2, 1 and 3, 2 and 3, by which a
///                              turn of the axes changes it
///
/// Error: 4 units in the last place of u^2 (Euclidean), 1e-15 relative in u (great circle, any
/// distance up to the antipode's neighbourhood).

namespace tessera::gp {

struct Point {
  double x, y, z;
};

/// u^2 = sum over the first D coordinates of (difference / range)^2.
template <int D>
struct EuclideanDistance {
  double inverse_range[3] = {1, 1, 1};

  KOKKOS_INLINE_FUNCTION double square(const Point& a, const Point& b) const {
    const double x = (a.x - b.x) * inverse_range[0], y = (a.y - b.y) * inverse_range[1];
    if constexpr (D == 2) {
      return x * x + y * y;
    } else {
      const double z = (a.z - b.z) * inverse_range[2];
      return x * x + y * y + z * z;
    }
  }
  KOKKOS_INLINE_FUNCTION double square(const Point& a, const Point& b,
                                       double (&fraction)[6]) const {
    const double x = (a.x - b.x) * inverse_range[0], y = (a.y - b.y) * inverse_range[1],
                 z = D == 2 ? 0 : (a.z - b.z) * inverse_range[2];
    const double sum = x * x + y * y + z * z;
    const double inverse = sum > 0 ? 1 / sum : 0;
    fraction[0] = x * x * inverse;
    fraction[1] = y * y * inverse;
    fraction[2] = z * z * inverse;
    fraction[3] = x * y * inverse;
    fraction[4] = x * z * inverse;
    fraction[5] = y * z * inverse;
    return sum;
  }
};

/// u = angle between two unit vectors times inverse_range (which holds the radius).
struct GreatCircleDistance {
  double inverse_range = 1;

  KOKKOS_INLINE_FUNCTION double square(const Point& a, const Point& b) const {
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const double sine = 0.5 * compat::math::sqrt(x * x + y * y + z * z);  // of half the angle
    double half = 0;
    if (sine < 0.8) {
      half = compat::math::asin(sine);
    } else {  // the chord says little near the antipode; its complement does
      const double p = a.x + b.x, q = a.y + b.y, r = a.z + b.z;
      half = compat::math::acos(compat::min(1.0, 0.5 * compat::math::sqrt(p * p + q * q + r * r)));
    }
    const double u = 2 * half * inverse_range;
    return u * u;
  }
  KOKKOS_INLINE_FUNCTION double square(const Point& a, const Point& b,
                                       double (&fraction)[6]) const {
    fraction[0] = 1;
    for (int k = 1; k < 6; ++k) fraction[k] = 0;
    return square(a, b);
  }
};

}  // namespace tessera::gp
