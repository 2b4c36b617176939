// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/bessel/matern.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/covariance/derivative_terms.hpp"
#include "tessera/gp/covariance/temporal.hpp"

/// The parsimonious multivariate and the full bivariate Matern covariance (covariance.hpp), for use
/// in kernels: entries, and the terms that derivatives of them consist of.

namespace tessera::gp {

/// The most pairs of variables, each with itself included.
inline constexpr int kMostVariablePairs = kMostVariables * (kMostVariables + 1) / 2;

/// Returns the number of a pair of variables, in any order: (0, 0), (1, 0), (1, 1), (2, 0) ...
KOKKOS_INLINE_FUNCTION constexpr int variable_pair(int v, int w) {
  return v >= w ? v * (v + 1) / 2 + w : w * (w + 1) / 2 + v;
}

/// A point and the variable that is observed, or predicted, there.
struct VariablePlace {
  double x, y, z;
  int variable;
};

/// Sums over the pairs of observations that derivatives consist of, with weights w_ij: w M, w u M'
/// and w dM/dnu of each pair of variables, and the trace of w of each variable.
struct VariableTerms {
  static constexpr int kPerPair = 3, kCount = kPerPair * kMostVariablePairs + kMostVariables;
  KOKKOS_INLINE_FUNCTION static constexpr int correlation(int pair) { return kPerPair * pair; }
  KOKKOS_INLINE_FUNCTION static constexpr int distance(int pair) { return kPerPair * pair + 1; }
  KOKKOS_INLINE_FUNCTION static constexpr int shape(int pair) { return kPerPair * pair + 2; }
  KOKKOS_INLINE_FUNCTION static constexpr int trace(int variable) {
    return kPerPair * kMostVariablePairs + variable;
  }
};

/// amplitude_p M(|a - b| / beta_p; nu_p) of the pair p of variables; the last coordinate of a point
/// on the device is the number of its variable. The tables must outlive the kernels that use this.
struct MultivariateMatern {
  using Place = VariablePlace;
  using Sums = DerivativeTerms<VariableTerms::kCount>;
  // There is no time.
  static constexpr bool kInteracts = false, kSeveral = true, kLocal = false;
  struct Traits {
    static constexpr bool kHighDimensional = false;
    static constexpr int kFractions = 1;
  };

  bessel::MaternFunction correlation[kMostVariablePairs];
  double amplitude[kMostVariablePairs] = {};  ///< rho_vw sqrt(sigma2_v sigma2_w)
  double nugget[kMostVariables] = {};
  double inverse_square[kMostVariablePairs] = {};  ///< beta^-2
  SeparableTime temporal = {};
  // of sweeps of Vecchia's approximation: what stands in the place of the nugget at points that are
  // not observed, and at targets
  double jitter[kMostVariables] = {}, target_nugget[kMostVariables] = {};

  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static Place place(const View& points, std::int64_t i) {
    return {points(i, 0), points(i, 1), points(i, 2), static_cast<int>(points(i, 3))};
  }
  /// A constant.
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION double time(const View&, std::int64_t) const {
    return 0;
  }
  KOKKOS_INLINE_FUNCTION double square(const Place& a, const Place& b, int pair) const {
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return (x * x + y * y + z * z) * inverse_square[pair];
  }
  KOKKOS_INLINE_FUNCTION double operator()(const Place& a, const Place& b, double) const {
    const int pair = variable_pair(a.variable, b.variable);
    return amplitude[pair] * correlation[pair].at_square(square(a, b, pair));
  }
  /// The variance of the field, and of an observation.
  KOKKOS_INLINE_FUNCTION double field(const Place& a) const {
    return amplitude[variable_pair(a.variable, a.variable)];
  }
  KOKKOS_INLINE_FUNCTION double own(const Place& a) const { return field(a) + nugget[a.variable]; }
  /// Puts `jitter` in the place of the nugget, in units of the variances of the fields.
  void use_jitter(double jitter) {
    for (int v = 0; v < kMostVariables; ++v) nugget[v] = jitter * amplitude[variable_pair(v, v)];
  }
};

namespace detail {

/// What two observations at different places, or of different variables, have in derivatives.
struct VariableSlopes {
  int pair;
  double m, u_dm_du, dm_dnu;
  KOKKOS_INLINE_FUNCTION VariableSlopes(const MultivariateMatern& covariance,
                                        const VariablePlace& a, const VariablePlace& b)
      : pair(variable_pair(a.variable, b.variable)) {
    const bessel::MaternJet jet =
        covariance.correlation[pair].jet_at_square(covariance.square(a, b, pair));
    m = jet.m;
    u_dm_du = 2 * jet.s_dm_ds;
    dm_dnu = jet.dm_dnu;
  }
};

/// Adds to the sums what a pair of different observations has in them, with the weight w.
template <class Points>
KOKKOS_INLINE_FUNCTION void add_pair(const MultivariateMatern& covariance, const Points& points,
                                     std::int64_t i, std::int64_t j, double w,
                                     MultivariateMatern::Sums& sums) {
  const VariableSlopes slopes(covariance, covariance.place(points, i), covariance.place(points, j));
  sums.value[VariableTerms::correlation(slopes.pair)] += w * slopes.m;
  sums.value[VariableTerms::distance(slopes.pair)] += w * slopes.u_dm_du;
  sums.value[VariableTerms::shape(slopes.pair)] += w * slopes.dm_dnu;
}

/// Adds to the sums what an observation has in them with itself.
template <class Points>
KOKKOS_INLINE_FUNCTION void add_own(const MultivariateMatern& covariance, const Points& points,
                                    std::int64_t i, double w, MultivariateMatern::Sums& sums) {
  const int variable = covariance.place(points, i).variable;
  sums.value[VariableTerms::correlation(variable_pair(variable, variable))] += w;
  sums.value[VariableTerms::trace(variable)] += w;
}

/// Returns one entry of a combination of the terms.
template <class Points>
KOKKOS_INLINE_FUNCTION double derivative_entry(const MultivariateMatern& covariance,
                                               const Points& points,
                                               const MultivariateMatern::Sums& factor,
                                               std::int64_t i, std::int64_t j) {
  const VariablePlace a = covariance.place(points, i);
  if (i == j) {
    return factor.value[VariableTerms::correlation(variable_pair(a.variable, a.variable))] +
           factor.value[VariableTerms::trace(a.variable)];
  }
  const VariableSlopes slopes(covariance, a, covariance.place(points, j));
  return slopes.m * factor.value[VariableTerms::correlation(slopes.pair)] +
         slopes.u_dm_du * factor.value[VariableTerms::distance(slopes.pair)] +
         slopes.dm_dnu * factor.value[VariableTerms::shape(slopes.pair)];
}

}  // namespace detail

}  // namespace tessera::gp
