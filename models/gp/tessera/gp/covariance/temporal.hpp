// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/math/elementary.hpp"

/// How covariances depend on the time, for use in kernels. A time has
///
///     at(lag)           what two points so far apart in time have, a Lag
///
/// and a Lag
///
///     factor            by which the correlation in space is multiplied
///     scaled(s)         s = u^2 as the correlation in space takes it
///     term(k, m, u_dm_du)
///                       DerivativeTerms' term k of the time, but for `factor`; linear in M and u
///                       dM/du
///     add_terms(weights, of_m, of_slope)
///                       adds the coefficients of M and of u dM/du in the sum of those terms, with
///                       the weights of DerivativeTerms
///
/// kInteracts says whether the dependence on space changes with the lag, kTerms how many terms of
/// the time there are.

namespace tessera::gp {

/// exp(-|t| / range), the same at all places; without a range no dependence on the time.
struct SeparableTime {
  static constexpr bool kInteracts = false;
  static constexpr int kTerms = 1;
  double inverse_range = 0;  ///< 0: no time

  struct Lag {
    double factor = 1, length = 0;
    KOKKOS_FORCEINLINE_FUNCTION double scaled(double square) const { return square; }
    KOKKOS_FORCEINLINE_FUNCTION double term(int, double m, double) const { return m * length; }
    template <class Terms>
    KOKKOS_FORCEINLINE_FUNCTION void add_terms(const Terms& weights, double& of_m, double&) const {
      of_m += weights.value[Terms::kLag] * length;
    }
  };

  KOKKOS_INLINE_FUNCTION double in_time(double lag) const {
    return inverse_range == 0 ? 1 : compat::math::exp(-compat::math::fabs(lag) * inverse_range);
  }
  KOKKOS_INLINE_FUNCTION Lag at(double lag) const {
    return {in_time(lag), compat::math::fabs(lag)};
  }
};

/// Gneiting's class (Journal of the American Statistical Association 97, 2002, Eq. 14): with psi =
/// 1 + (|t| / range)^power the factor psi^-decay, and u^2 psi^-interaction in the place of u^2.
/// Error of both: 1e-15 relative for exponents up to 2 and lags of up to 1e3 ranges.
struct GneitingTime {
  static constexpr bool kInteracts = true;
  static constexpr int kTerms = 4;
  double inverse_range = 1;
  double power = 1;        ///< 2 alpha
  double interaction = 0;  ///< b
  double decay = 1;
  double decay_slope = 0;  ///< of the decay in the interaction

  struct Lag {
    static constexpr int kTerms = GneitingTime::kTerms;
    double factor, square_factor;
    double of_m[kTerms], of_slope[kTerms];  // the coefficients of each term
    KOKKOS_FORCEINLINE_FUNCTION double scaled(double square) const {
      return square * square_factor;
    }
    KOKKOS_FORCEINLINE_FUNCTION double term(int k, double m, double u_dm_du) const {
      return of_m[k] * m + of_slope[k] * u_dm_du;
    }
    template <class Terms>
    KOKKOS_FORCEINLINE_FUNCTION void add_terms(const Terms& weights, double& sum_of_m,
                                               double& sum_of_slope) const {
      for (int k = 0; k < kTerms; ++k) {
        sum_of_m += weights.value[Terms::time(k)] * of_m[k];
        sum_of_slope += weights.value[Terms::time(k)] * of_slope[k];
      }
    }
  };

  /// Returns log psi; in `log_lag` log(|t| / range) and in `share` 1 - 1 / psi, both 0 at t = 0.
  KOKKOS_FORCEINLINE_FUNCTION double log_psi(double lag, double& log_lag, double& share) const {
    constexpr double kLeast = 1e-300;
    const double length = compat::math::fabs(lag) * inverse_range;
    const bool apart = length > kLeast;
    log_lag = math::logarithm(apart ? length : 1.0);
    const double risen = math::exponential(power * log_lag), rise = apart ? risen : 0.0;
    share = rise / (1 + rise);
    return math::logarithm(1 + rise);
  }
  /// Finds the factors alone, without branches.
  KOKKOS_FORCEINLINE_FUNCTION void find_factors(double lag, double& factor,
                                                double& square_factor) const {
    double log_lag, share;
    const double log = log_psi(lag, log_lag, share);
    factor = math::exponential(-decay * log);
    square_factor = math::exponential(-interaction * log);
  }
  KOKKOS_INLINE_FUNCTION Lag at(double lag) const {
    double log_lag, share;
    const double log = log_psi(lag, log_lag, share);
    const double of_m = decay * share, of_slope = 0.5 * interaction * share;
    return {math::exponential(-decay * log),
            math::exponential(-interaction * log),
            {of_m, of_m * log_lag, decay_slope * log, log},
            {of_slope, of_slope * log_lag, 0.5 * log, 0}};
  }
};

}  // namespace tessera::gp
