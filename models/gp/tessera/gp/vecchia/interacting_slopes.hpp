// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/gp/covariance/derivative_terms.hpp"
#include "tessera/gp/covariance/temporal.hpp"

namespace tessera::gp::detail {

/// What the derivatives of a covariance whose space and time interact consist of, for some pairs at
/// a time, one a SIMD lane of a CPU. Arrays hold the pairs' numbers times the factor in time.
struct InteractingSlopes {
  static constexpr int kPairs = 64;
  GneitingTime temporal;
  double square[kPairs], lag[kPairs];              // of the pairs, to be filled in
  double m[kPairs], slope[kPairs], shape[kPairs];  // M, u dM/du and dM/dshape
  double by_square[kPairs];                        // u dM/du / u^2, 0 where the places are the same
  double by_psi[kPairs];                           // the term kLag of DerivativeTerms
  double log_lag[kPairs], log_psi[kPairs];
  double factor[kPairs], share[kPairs], scaled[kPairs];  // 1 - 1 / psi, and u^2 that M takes

  /// Fills the arrays of the first pairs. correlate(s, count) turns u^2 into M, find_slopes(s, u
  /// dM/du, dM/dshape, count) finds slopes.
  template <class Correlate, class FindSlopes>
  void find(int count, const Correlate& correlate, const FindSlopes& find_slopes) {
    TESSERA_VECTORIZE
    for (int i = 0; i < count; ++i) {
      log_psi[i] = temporal.log_psi(lag[i], log_lag[i], share[i]);
      factor[i] = math::exponential(-temporal.decay * log_psi[i]);
      scaled[i] = square[i] * math::exponential(-temporal.interaction * log_psi[i]);
    }
    find_slopes(scaled, slope, shape, count);
    for (int i = 0; i < count; ++i) m[i] = scaled[i];
    correlate(m, count);
    TESSERA_VECTORIZE
    for (int i = 0; i < count; ++i) {
      m[i] *= factor[i];
      slope[i] *= factor[i];
      shape[i] *= factor[i];
      by_square[i] = slope[i] / (square[i] > 0 ? square[i] : 1.0);
      by_psi[i] = (temporal.decay * m[i] + 0.5 * temporal.interaction * slope[i]) * share[i];
    }
  }

  /// Returns a term of DerivativeTerms of pair i that is none of a distance.
  double other_term(int term, int i) const {
    switch (term) {
      case DerivativeSums::kLag:
        return by_psi[i];
      case DerivativeSums::kLogLag:
        return by_psi[i] * log_lag[i];
      case DerivativeSums::kInteraction:
        return (temporal.decay_slope * m[i] + 0.5 * slope[i]) * log_psi[i];
      case DerivativeSums::kDecay:
        return m[i] * log_psi[i];
      default:
        return shape[i];
    }
  }
};

}  // namespace tessera::gp::detail
