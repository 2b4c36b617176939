// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::stable {

/// The quantities that an evaluation computes. Each value includes those before it: see has_scores.
enum class Quantities {
  pdf,          ///< density and its logarithm
  sf,           ///< also both tail probabilities
  scores,       ///< also the derivatives of the log density
  tail_scores,  ///< also those of the tail probability
};

KOKKOS_INLINE_FUNCTION constexpr bool has_scores(Quantities quantities) {
  return quantities >= Quantities::scores;
}

/// Below this the logarithm of a tail probability has more digits than the tail itself.
inline constexpr double kSmallTail = 1e-290;

/// A distribution at one point. What was not computed is NaN.
struct Evaluation {
  double pdf, log_pdf;
  /// P(X <= x) and P(X > x); the smaller one has full relative accuracy
  double cdf, sf;
  /// Ln of the smaller of them where it is below kSmallTail, also where it is no number any more
  double log_small_tail = NAN;
  double d_x, d_alpha, d_beta;  ///< derivatives of log pdf (scores)
  double sf_alpha, sf_beta;     ///< derivatives of sf; minus them of cdf (tail_scores)

  /// ln P(X <= x) and ln P(X > x), each with the digits of the smaller tail.
  KOKKOS_INLINE_FUNCTION double log_cdf() const { return log_of(cdf, sf); }
  KOKKOS_INLINE_FUNCTION double log_sf() const { return log_of(sf, cdf); }

 private:
  KOKKOS_INLINE_FUNCTION double log_of(double tail, double other) const {
    return tail < kSmallTail ? log_small_tail : (tail > 0.5 ? ::log1p(-other) : ::log(tail));
  }
};

}  // namespace tessera::stable
