// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/law/evaluate_contour.hpp"
#include "tessera/stable/law/evaluation.hpp"

/// Density, both tail probabilities and scores of a stable distribution at one point, inside a
/// kernel or on the host.
///
/// With S0 as in stable_distribution.hpp and E(t) = ln phi(t) - i x t on a contour t = r e^{-i
/// phi},
///
///     pdf(x) = (1/pi) Re int e^E t dln r,    sf(x) = P(X > x) = 1/2 - phi/pi + (1/pi) Im int e^E
///                                            dln r,
///
/// and the scores d log pdf/dx, d/dalpha, d/dbeta, and d sf/dalpha, d/dbeta, from the same
/// exponentials. The contour is chosen so that the integrand neither oscillates nor cancels: the
/// imaginary axis for heavy tails, steepest descent through a saddle for light ones, a tilted ray
/// for the core. 60 to 150 nodes, no tables, no series. models/stable/METHOD.md derives it.
///
/// Domain: 0.1 <= alpha <= 2, -1 <= beta <= 1, every double x. Beyond |x| = 1e170 (1e130 for alpha
/// > 1/4) a tail is its power law; at infinities the density is 0, and NaN gives NaN. The
/// parameters are not checked (`require_parameters` does).
///
/// Accuracy, against references in higher precision: pdf and the smaller tail: relative error <=
/// 2e-11 (median 2e-16); cdf: absolute <= 1e-13; scores: <= 5e-9 (1 + |score|), derivatives of the
/// logarithm of the smaller tail: <= 2e-8 (1 + their size); log pdf in light tails, where pdf
/// underflows: 2e-9 or 1e-15 of its value. No digits are lost next to alpha = 1 and 2, and
/// reflection (x, beta) -> (-x, -beta) is exact to the bit.
///
/// Errors: none; these functions run in kernels.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const stable::StableDistribution distribution(1.5, 0.5);  // alpha, beta
///     const stable::Evaluation at_2 = stable::evaluate<stable::Quantities::scores>(distribution, 2.0);
///     std::printf("pdf %.15g, P(X > 2) %.15g, score %.15g\n", at_2.pdf, at_2.sf, at_2.d_x);
namespace tessera::stable {

/// The standard distribution S0(alpha, beta) at x, where `distance` = x - zeta is known better than
/// x and zeta themselves: for points given in S1, and next to zeta for alpha < 1, where the density
/// is steep.
template <Quantities quantities>
KOKKOS_INLINE_FUNCTION Evaluation evaluate_at(const StableDistribution& distribution, double x,
                                              double distance) {
  return detail::evaluate_point<quantities, detail::ByThread>(distribution, x, distance);
}

/// The standard distribution S0(alpha, beta) at x. For another scale and location evaluate at (x -
/// mu)/sigma and divide the density by sigma.
template <Quantities quantities>
KOKKOS_INLINE_FUNCTION Evaluation evaluate(const StableDistribution& distribution, double x) {
  return evaluate_at<quantities>(distribution, x, distance_from_zeta(distribution, x));
}

}  // namespace tessera::stable
