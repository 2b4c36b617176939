// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::stable {

/// What an evaluation computes. Each value includes those before it: see has_scores.
enum class Quantities {
  pdf,          ///< density and its logarithm
  sf,           ///< also both tail probabilities
  scores,       ///< also the derivatives of the log density
  tail_scores,  ///< also those of the tail probability
};

KOKKOS_INLINE_FUNCTION constexpr bool has_scores(Quantities quantities) { return quantities >= Quantities::scores; }

/// A distribution at one point. What was not computed is NaN.
struct Evaluation {
  double pdf, log_pdf;
  double cdf, sf;               ///< P(X <= x) and P(X > x); the smaller one has full relative accuracy
  double d_x, d_alpha, d_beta;  ///< derivatives of log pdf (scores)
  double sf_alpha, sf_beta;     ///< derivatives of sf; minus them of cdf (tail_scores)
};

}  // namespace tessera::stable
