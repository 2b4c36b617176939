// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/hardware.hpp"
#include "tessera/stable/law/quantile_function.hpp"

/// Expected shortfall of a stable distribution, inside a kernel or on the host: the mean loss in
/// the worst cases.
///
/// For the lower tail of probability p, with the quantile q of p,
///
///     ES(p) = -E[X | X <= q] = -q + (1/p) int_0^inf F(q - s) ds,
///
/// by Gauss and Legendre's rule of 10 nodes on panels in s and, from a width of the tail outwards,
/// in ln s; beyond 1e12 widths by the power law. Some 350 evaluations of the distribution function.
///
/// Domain: 0 < p < 1, anything else gives NaN; 0.1 <= alpha <= 2, -1 <= beta <= 1 (not checked).
/// Infinite for alpha <= 1, unless beta = 1, where the lower tail is light.
///
/// Accuracy: relative error 1e-9 of |q| + the width of the tail, for alpha >= 1.05
/// (tests/unit/stable_intervals.cpp); towards alpha = 1 the remainder by the power law counts, and
/// the error grows to 1e-6 at alpha = 1.01.
///
/// Errors: none; it runs in kernels.
///
/// Example (tests/install/examples/stable.cpp):
///
///     const double shortfall = stable::expected_shortfall(distribution, 0.01);
namespace tessera::stable {

/// -E[X | X <= q] of the standard distribution S0, q its quantile of p. For another scale and
/// location: sigma times it, minus mu.
TESSERA_NOINLINE KOKKOS_INLINE_FUNCTION double expected_shortfall(
    const StableDistribution& distribution, double p) {
  constexpr int kNodes = 10, kPanels = 30;
  constexpr double kWidth = 0.97, kFirst = -1;  // of panels in ln s, and where they begin
  const double node[kNodes / 2] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                   0.8650633666889845, 0.9739065285171717};
  const double weight[kNodes / 2] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159821,
                                     0.1494513491505806, 0.0666713443086881};
  if (!(p > 0 && p < 1)) return NAN;
  if (distribution.alpha <= 1 && distribution.beta < 1) return INFINITY;
  const double q = quantile(distribution, p);
  // over which the tail falls
  const double scale = p / evaluate<Quantities::pdf>(distribution, q).pdf;
  double sum = 0;
  for (int panel = -1; panel < kPanels; ++panel) {
    // The first panel is linear, from 0 to where those in ln s begin.
    const double half = panel < 0 ? 0.5 * ::exp(kFirst) : 0.5 * kWidth,
                 middle = panel < 0 ? half : kFirst + kWidth * (panel + 0.5);
    double part = 0;
    for (int k = 0; k < kNodes; ++k) {
      const double t = middle + (k < kNodes / 2 ? -half : half) * node[k % (kNodes / 2)];
      const double s = panel < 0 ? t : ::exp(t);
      part += weight[k % (kNodes / 2)] * (panel < 0 ? 1 : s) *
              evaluate<Quantities::sf>(distribution, q - scale * s).cdf;
    }
    sum += half * part;
    if (panel >= 0 && !(half * part > 1e-17 * sum)) break;
  }
  const double end = ::exp(kFirst + kWidth * kPanels);
  if (distribution.alpha > 1)
    sum += end * evaluate<Quantities::sf>(distribution, q - scale * end).cdf /
           (distribution.alpha - 1);
  return -q + scale * sum / p;
}

}  // namespace tessera::stable
