// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/fit_types.hpp"
#include "tessera/stable/law/expected_shortfall.hpp"

/// The parameter nu that takes the place of mu in a fit: nu = mu + sigma a(alpha, beta), a quantile
/// or minus an expected shortfall of the sample's distribution. A fit in which nu is fixed has that
/// quantile, and its likelihood is the profile likelihood of it.

namespace tessera::stable::detail {

/// a and its derivatives.
struct Anchor {
  double value = 0, d_alpha = 0, d_beta = 0;
};

/// a(alpha, beta) of a task.
KOKKOS_INLINE_FUNCTION double anchor_value(Location location, double probability, double alpha,
                                           double beta) {
  const StableDistribution distribution(alpha, beta);
  return location == Location::quantile ? quantile(distribution, probability)
                                        : -expected_shortfall(distribution, probability);
}

/// The points at which a is evaluated for its derivatives: 0 is the place itself, 1 and 2 have a
/// smaller and a larger alpha, 3 and 4 a smaller and a larger beta. Differences are central but at
/// the ends of the ranges.
struct AnchorPoints {
  static constexpr int kCount = 5;
  static constexpr double kStep = 1e-4;
  double alpha, beta;

  KOKKOS_INLINE_FUNCTION double alpha_at(int k) const {
    const double a = alpha + (k == 1 ? -kStep : k == 2 ? kStep : 0);
    return a > kMaxAlpha ? kMaxAlpha : (a < kMinAlpha ? kMinAlpha : a);
  }
  KOKKOS_INLINE_FUNCTION double beta_at(int k) const {
    const double b = beta + (k == 3 ? -kStep : k == 4 ? kStep : 0);
    return b > 1 ? 1 : (b < -1 ? -1 : b);
  }
  KOKKOS_INLINE_FUNCTION Anchor combine(const double* values) const {
    return {values[0], (values[2] - values[1]) / (alpha_at(2) - alpha_at(1)),
            (values[4] - values[3]) / (beta_at(4) - beta_at(3))};
  }
};

}  // namespace tessera::stable::detail
