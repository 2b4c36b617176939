// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/stable/law/quantile_function.hpp"

namespace tessera::stable::detail {

/// Quantiles over a grid of alpha, beta >= 0 and ln(p/(1 - p)), between which the first guess of
/// the paper's iteration is interpolated, as asinh((x - c)/w). They are computed here.
template <class ExecSpace>
struct PaperStart {
  static constexpr int kAlphas = 39, kBetas = 5, kOdds = 21;
  static constexpr double kAlphaStep = 0.05, kBetaStep = 0.25, kOddsStep = 0.5, kLeastOdds = -5;

  Kokkos::View<double*, ExecSpace> values;

  /// c: zeta for alpha <= 1/2, beyond it less, down to 0 at alpha = 1.
  KOKKOS_INLINE_FUNCTION static double centre(const StableDistribution& distribution) {
    const double excess = distribution.alpha < 1 ? 1 - distribution.alpha : 0;
    return excess < 0.5 ? distribution.zeta * 4 * excess * excess : distribution.zeta;
  }

  KOKKOS_INLINE_FUNCTION static double width(const StableDistribution& distribution) {
    return width_at_zeta(distribution.alpha < 1 ? distribution.alpha : 1, 0.3);
  }

  static PaperStart build(const ExecSpace& exec) {
    std::vector<double> alpha, beta, p;
    for (int i = 0; i < kAlphas; ++i) {
      for (int j = 0; j < kBetas; ++j) {
        for (int k = 0; k < kOdds; ++k) {
          alpha.push_back(std::fmin(kMinAlpha + kAlphaStep * i, kMaxAlpha));
          beta.push_back(kBetaStep * j);
          p.push_back(1 / (1 + std::exp(-(kLeastOdds + kOddsStep * k))));
        }
      }
    }
    const auto x =
        allocate<Kokkos::View<double*, ExecSpace>>(exec, "tessera::stable::start", p.size());
    quantile_batch<ExecSpace>(exec, upload(exec, "tessera::stable::alpha", alpha),
                              upload(exec, "tessera::stable::beta", beta), {},
                              upload(exec, "tessera::stable::p", p), x);
    std::vector<double> found = download(exec, x);
    for (std::size_t m = 0; m < found.size(); ++m) {
      const StableDistribution distribution(alpha[m], beta[m]);
      found[m] = std::asinh((found[m] - centre(distribution)) / width(distribution));
    }
    return {upload(exec, "tessera::stable::start", found)};
  }

  KOKKOS_INLINE_FUNCTION double at(int i, int j, int k) const {
    return values((i * kBetas + j) * kOdds + k);
  }

  /// Places `at` in steps between node `low` and the next one, of `count`.
  KOKKOS_INLINE_FUNCTION static int cell(double at, int count, double& share) {
    const int node = at > 0 ? static_cast<int>(at) : 0;
    const int low = node < count - 1 ? node : count - 2;
    share = at - low;
    return low;
  }

  /// A first guess of the point with lower tail probability p.
  KOKKOS_INLINE_FUNCTION double guess(const StableDistribution& distribution, double p) const {
    const bool mirror = distribution.beta < 0;
    double u, v, w;
    const int i = cell((distribution.alpha - kMinAlpha) / kAlphaStep, kAlphas, u),
              j = cell(::fabs(distribution.beta) / kBetaStep, kBetas, v);
    // Logarithms of the tails are nearly linear in 1/alpha.
    const double node = kMinAlpha + kAlphaStep * i, next = node + kAlphaStep;
    u = (1 / node - 1 / distribution.alpha) / (1 / node - 1 / next);
    double odds = ::log(p) - ::log1p(-p);
    if (mirror) odds = -odds;
    const double inside = ::fmin(::fmax(odds, kLeastOdds), -kLeastOdds);
    const int k = cell((inside - kLeastOdds) / kOddsStep, kOdds, w);
    const auto along_odds = [&](int a, int b) {
      return (1 - w) * at(a, b, k) + w * at(a, b, k + 1);
    };
    const auto along_beta = [&](int a) {
      return (1 - v) * along_odds(a, j) + v * along_odds(a, j + 1);
    };
    // Beyond the nodes the tail is taken for a power law, which it is but for |beta| = 1.
    const double s =
        (1 - u) * along_beta(i) + u * along_beta(i + 1) + (odds - inside) / distribution.alpha;
    const double distance = width(distribution) * ::sinh(s);
    const double middle = centre(distribution);
    return mirror ? middle - distance : middle + distance;
  }
};

}  // namespace tessera::stable::detail
