// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

/// Scaled distances between points, for use in kernels. Each has
///
///     square(a, b)             u^2, with a and b the places of two points (PlaceTraits)
///     square(a, b, fraction)   the same, and the fraction of each coordinate in it; then, of up to
///                              three coordinates, those of the products of coordinates 1 and 2, 1
///                              and 3, 2 and 3, by which a turn of the axes changes it
///
/// Error: 4 units in the last place of u^2 (Euclidean; of d > 3 coordinates d units), 1e-15
/// relative in u (great circle, any distance up to the antipode's neighbourhood).

namespace tessera::gp {

/// The most coordinates of a point, besides the time.
inline constexpr int kMostCoordinates = 32;

struct Point {
  double x, y, z;
};

/// The coordinates of a point where they stand, `stride` apart.
struct StridedPlace {
  const double* first;
  std::int64_t stride;
  KOKKOS_FORCEINLINE_FUNCTION double operator[](int k) const { return first[k * stride]; }
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

/// u^2 = sum over the coordinates of (difference / range)^2, for more than three of them.
struct HighDimensionalDistance {
  int dimension = 0;
  double inverse_range[kMostCoordinates] = {};

  KOKKOS_INLINE_FUNCTION double scaled_difference(const StridedPlace& a, const StridedPlace& b,
                                                  int k) const {
    return (a[k] - b[k]) * inverse_range[k];
  }
  KOKKOS_INLINE_FUNCTION double square(const StridedPlace& a, const StridedPlace& b) const {
    double sum = 0;
    for (int k = 0; k < dimension; ++k) {
      const double x = scaled_difference(a, b, k);
      sum += x * x;
    }
    return sum;
  }
  KOKKOS_INLINE_FUNCTION double square(const StridedPlace& a, const StridedPlace& b,
                                       double (&fraction)[kMostCoordinates]) const {
    const double sum = square(a, b), inverse = sum > 0 ? 1 / sum : 0;
    for (int k = 0; k < dimension; ++k) {
      const double x = scaled_difference(a, b, k);
      fraction[k] = x * x * inverse;
    }
    return sum;
  }
};

/// How a distance finds the place of a point in columns of coordinates, and the column of the time,
/// which follows the coordinates.
template <class Distance>
struct PlaceTraits {
  using Place = Point;
  static constexpr bool kHighDimensional = false;
  static constexpr int kFractions = 6, kTerms = 10;  // numbers of DerivativeTerms
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static Point place(const View& points, std::int64_t i) {
    return {points(i, 0), points(i, 1), points(i, 2)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int time_column(const Distance&) { return 3; }
};

template <>
struct PlaceTraits<HighDimensionalDistance> {
  using Place = StridedPlace;
  static constexpr bool kHighDimensional = true;
  static constexpr int kFractions = kMostCoordinates, kTerms = kMostCoordinates + 10;
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static StridedPlace place(const View& points, std::int64_t i) {
    return {&points(i, 0), static_cast<std::int64_t>(points.stride(1))};
  }
  KOKKOS_FORCEINLINE_FUNCTION static int time_column(const HighDimensionalDistance& distance) {
    return distance.dimension;
  }
};

}  // namespace tessera::gp
