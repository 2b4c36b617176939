// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::mpr::detail {

/// Factors of a Chebyshev iteration in D^-1 Q: the step k is d := keep[k] d + factor[k] D^-1 (b - Q
/// z), z := z + d.
template <class Real>
struct Chebyshev {
  static constexpr int kMost = 8;  ///< steps
  Real keep[kMost] = {}, factor[kMost] = {};

  Chebyshev() = default;
  /// Makes the polynomial for eigenvalues from `low` times the largest to 1.1 times the largest.
  Chebyshev(double largest, double low) {
    const double top = 1.1 * largest, centre = 0.5 * top * (1 + low), half = 0.5 * top * (1 - low);
    factor[0] = static_cast<Real>(1 / centre);
    double rho = half / centre;
    for (int step = 1; step < kMost; ++step) {
      const double next = 1 / (2 * centre / half - rho);
      keep[step] = static_cast<Real>(next * rho);
      factor[step] = static_cast<Real>(2 * next / half);
      rho = next;
    }
  }
};

}  // namespace tessera::mpr::detail
