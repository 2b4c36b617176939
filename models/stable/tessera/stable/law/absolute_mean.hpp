// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/expected_shortfall.hpp"

/// E|X| of a stable distribution, inside a kernel or on the host: the sum of both expected
/// shortfalls beyond 0, by their probabilities.
///
/// Domain: 0.1 <= alpha <= 2, -1 <= beta <= 1 (not checked). Infinite for alpha <= 1.
///
/// Accuracy: relative error 1e-9 for alpha >= 1.05, against 2 Gamma(1 - 1/alpha)/pi at beta = 0
/// (tests/unit/stable_garch.cpp).
///
/// Errors: none; it runs in kernels.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const double mean = stable::absolute_mean(stable::StableDistribution(2, 0));  // 2/sqrt(pi)
namespace tessera::stable {

/// The absolute mean of the standard distribution S0.
KOKKOS_INLINE_FUNCTION double absolute_mean(const StableDistribution& distribution) {
  if (distribution.alpha <= 1) return INFINITY;
  const Evaluation at_zero = evaluate<Quantities::sf>(distribution, 0);
  return at_zero.cdf * expected_shortfall(distribution, at_zero.cdf) +
         at_zero.sf * expected_shortfall(distribution.mirrored(), at_zero.sf);
}

}  // namespace tessera::stable
