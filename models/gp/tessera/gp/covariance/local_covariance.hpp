// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/derivative_terms.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/covariance/local_model.hpp"
#include "tessera/gp/covariance/temporal.hpp"

/// Covariances that are not stationary (local_model.hpp), for use in kernels. Of two places, with
/// the ratios r of their ranges to beta, s^2 of their variances to sigma2 and n of the variances of
/// their errors to the nugget,
///
///     C(a, b) = sigma2 s_a s_b (2 r_a r_b / (r_a^2 + r_b^2))^(d / 2) M(u (2 / (r_a^2 + r_b^2))^(1/2))
///               + nugget n_a [a is b],
///
/// with u of distance.hpp, after the warp, and d the number of coordinates, on the sphere 3
/// (Paciorek and Schervish, Environmetrics 17, 2006). It is positive definite for every
/// correlation that is in any number of coordinates, which those of covariance.hpp are. Error of an
/// entry: 3e-15 of (C(a, a) C(b, b))^(1/2).

namespace tessera::gp {

/// What the coefficients are of.
struct LocalTerms {
  enum Kind { kOfVariance, kOfRange, kOfNugget, kOfWarp };
  int count = 0, first_of_range = 0, first_of_nugget = 0, first_of_warp = 0;
  int per_coordinate = 1;     ///< coefficients of a warp
  double half_dimension = 1;  ///< d / 2

  KOKKOS_INLINE_FUNCTION Kind kind(int k) const {
    return k < first_of_range    ? kOfVariance
           : k < first_of_nugget ? kOfRange
           : k < first_of_warp   ? kOfNugget
                                 : kOfWarp;
  }
  KOKKOS_INLINE_FUNCTION int coordinate(int k) const {
    return (k - first_of_warp) / per_coordinate;
  }
  KOKKOS_INLINE_FUNCTION int columns() const { return LocalColumns::kCoefficients + count; }
  /// Returns the term of DerivativeTerms of a coefficient.
  KOKKOS_INLINE_FUNCTION static constexpr int term(int k) { return DerivativeSums::kFurther + k; }
};
static_assert(LocalTerms::term(kMostLocalCoefficients) <= AllDerivativeSums::kCount);

/// u^2 of the coordinates of places with more columns.
struct LocalDistance {
  EuclideanDistance<3> of_points;

  KOKKOS_FORCEINLINE_FUNCTION static Point point(const StridedPlace& a) {
    return {a[0], a[1], a[2]};
  }
  KOKKOS_INLINE_FUNCTION double square(const StridedPlace& a, const StridedPlace& b) const {
    return of_points.square(point(a), point(b));
  }
  KOKKOS_INLINE_FUNCTION double square(const StridedPlace& a, const StridedPlace& b,
                                       double (&fraction)[6]) const {
    return of_points.square(point(a), point(b), fraction);
  }
};

/// Correlation as in correlation.hpp.
template <class Correlation>
struct LocalCovariance {
  using Place = StridedPlace;
  using Sums = AllDerivativeSums;
  // There is no time.
  static constexpr bool kInteracts = false, kSeveral = false, kLocal = true;
  struct Traits {
    static constexpr bool kHighDimensional = false;
    static constexpr int kFractions = 6;
  };

  Correlation correlation;
  LocalDistance distance;
  LocalTerms terms;
  double sigma2 = 1;
  SeparableTime temporal = {};
  double nugget = 0;
  double jitter = -1;  ///< from 0 on: in the place of the nugget, in units of the field's variance

  /// What the correlation of two places is multiplied by, without sigma2, and their u^2 that it
  /// takes.
  KOKKOS_FORCEINLINE_FUNCTION void find_factors(const Place& a, const Place& b, double& factor,
                                                double& square_factor) const {
    const double p = a[LocalColumns::kRange], q = b[LocalColumns::kRange],
                 inverse = 1 / (p * p + q * q), share = 2 * p * q * inverse;
    const double power = terms.half_dimension == 1     ? share
                         : terms.half_dimension == 0.5 ? compat::math::sqrt(share)
                                                       : share * compat::math::sqrt(share);
    factor = a[LocalColumns::kDeviation] * b[LocalColumns::kDeviation] * power;
    square_factor = 2 * inverse;
  }
  KOKKOS_INLINE_FUNCTION double operator()(const Place& a, const Place& b, double) const {
    double factor, square_factor;
    find_factors(a, b, factor, square_factor);
    return sigma2 * correlation.value(distance.square(a, b) * square_factor) * factor;
  }

  /// The variance of the field, of its errors, and of an observation.
  KOKKOS_FORCEINLINE_FUNCTION double field(const Place& a) const {
    return sigma2 * a[LocalColumns::kDeviation] * a[LocalColumns::kDeviation];
  }
  KOKKOS_FORCEINLINE_FUNCTION double errors(const Place& a) const {
    return jitter >= 0 ? jitter * field(a) : nugget * a[LocalColumns::kNugget];
  }
  KOKKOS_FORCEINLINE_FUNCTION double own(const Place& a) const { return field(a) + errors(a); }
  /// Puts `jitter` in the place of the nugget, in units of the variance of the field.
  void use_jitter(double share) { jitter = share; }

  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static Place place(const View& points, std::int64_t i) {
    return {&points(i, 0), static_cast<std::int64_t>(points.stride(1))};
  }
  /// A constant.
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION double time(const View&, std::int64_t) const {
    return 0;
  }

  /// Returns what a place has with itself in the term of coefficient k.
  KOKKOS_INLINE_FUNCTION double own_slope(const Place& a, int k) const {
    const double x = a[LocalColumns::kCoefficients + k];
    switch (terms.kind(k)) {
      case LocalTerms::kOfVariance:
        return x * a[LocalColumns::kDeviation] * a[LocalColumns::kDeviation];
      case LocalTerms::kOfNugget:
        return x * a[LocalColumns::kNugget];
      default:
        return 0;
    }
  }
};

namespace detail {

/// What two different places have in derivatives: M, u dM/du and dM/dshape, times the factor of the
/// pair.
template <class Correlation>
struct LocalSlopes {
  using Function = LocalCovariance<Correlation>;
  const Function& covariance;
  StridedPlace a, b;
  double fraction[6], square, m = 0, u_dm_du = 0, dm_dshape = 0;

  KOKKOS_INLINE_FUNCTION LocalSlopes(const Function& function, const StridedPlace& first,
                                     const StridedPlace& second)
      : covariance(function),
        a(first),
        b(second),
        square(function.distance.square(first, second, fraction)) {
    double factor, square_factor;
    covariance.find_factors(a, b, factor, square_factor);
    covariance.correlation.derivatives(square * square_factor, m, u_dm_du, dm_dshape);
    m *= factor;
    u_dm_du *= factor;
    dm_dshape *= factor;
  }

  /// Returns the term of DerivativeTerms of coefficient k.
  KOKKOS_INLINE_FUNCTION double of_coefficient(int k) const {
    const LocalTerms& terms = covariance.terms;
    const double x = a[LocalColumns::kCoefficients + k], y = b[LocalColumns::kCoefficients + k];
    switch (terms.kind(k)) {
      case LocalTerms::kOfVariance:
        return 0.5 * (x + y) * m;
      case LocalTerms::kOfRange: {
        const double p = a[LocalColumns::kRange], q = b[LocalColumns::kRange],
                     share = p * p / (p * p + q * q), rest = 1 - share;
        return terms.half_dimension * (x - y) * (rest - share) * m -
               (share * x + rest * y) * u_dm_du;
      }
      case LocalTerms::kOfNugget:
        return 0;
      default: {
        const int c = terms.coordinate(k);
        const double scale = covariance.distance.of_points.inverse_range[c];
        return square > 0 ? (a[c] - b[c]) * (x - y) * scale * scale / square * u_dm_du : 0;
      }
    }
  }
  /// Returns a term of DerivativeTerms.
  KOKKOS_INLINE_FUNCTION double term(int which) const {
    if (which >= DerivativeSums::kFurther) return of_coefficient(which - DerivativeSums::kFurther);
    if (which == DerivativeSums::kCorrelation) return m;
    if (which == DerivativeSums::kShape) return dm_dshape;
    return which < DerivativeSums::kShape ? u_dm_du * fraction[which - DerivativeSums::kDistance]
                                          : 0;
  }
};

/// Adds to the sums what a pair of different places has in them, with the weight w.
template <class Correlation, class Points>
KOKKOS_INLINE_FUNCTION void add_pair(const LocalCovariance<Correlation>& covariance,
                                     const Points& points, std::int64_t i, std::int64_t j, double w,
                                     AllDerivativeSums& sums) {
  const LocalSlopes<Correlation> slopes(covariance, covariance.place(points, i),
                                        covariance.place(points, j));
  for (int k = 0; k <= DerivativeSums::kShape; ++k) sums.value[k] += w * slopes.term(k);
  for (int k = 0; k < covariance.terms.count; ++k)
    sums.value[LocalTerms::term(k)] += w * slopes.of_coefficient(k);
}

/// Adds to the sums what a place has in them with itself.
template <class Correlation, class Points>
KOKKOS_INLINE_FUNCTION void add_own(const LocalCovariance<Correlation>& covariance,
                                    const Points& points, std::int64_t i, double w,
                                    AllDerivativeSums& sums) {
  const StridedPlace a = covariance.place(points, i);
  sums.value[DerivativeSums::kCorrelation] +=
      w * a[LocalColumns::kDeviation] * a[LocalColumns::kDeviation];
  sums.value[DerivativeSums::kTrace] += w * a[LocalColumns::kNugget];
  for (int k = 0; k < covariance.terms.count; ++k)
    sums.value[LocalTerms::term(k)] += w * covariance.own_slope(a, k);
}

/// Returns one entry of a combination of the terms.
template <class Correlation, class Points>
KOKKOS_INLINE_FUNCTION double derivative_entry(const LocalCovariance<Correlation>& covariance,
                                               const Points& points,
                                               const AllDerivativeSums& factor, std::int64_t i,
                                               std::int64_t j) {
  AllDerivativeSums terms;
  if (i == j)
    add_own(covariance, points, i, 1, terms);
  else
    add_pair(covariance, points, i, j, 1, terms);
  double sum = 0;
  for (int k = 0; k < LocalTerms::term(covariance.terms.count); ++k)
    sum += factor.value[k] * terms.value[k];
  return sum;
}

}  // namespace detail

}  // namespace tessera::gp
