// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

namespace tessera::boys::detail {

/// F_0(x), ..., F_{n_max}(x) in extended precision on a CPU, for 0 <= x and n_max <= 40: good to
/// about 1e-18 where `long double` has 64 bits. The power series of the top order and downward
/// recursion below x = 60, else the error function and upward recursion, whose terms cancel little
/// there. Slow: for making tables and for tests.
inline std::vector<long double> boys_extended(int n_max, long double x) {
  std::vector<long double> F(n_max + 1);
  const long double e = std::exp(-x);
  if (x < 60) {
    long double term = 1.0L / (2 * n_max + 1), sum = term;
    for (int k = 1; std::abs(term) > std::abs(sum) * 1e-21L; ++k) {
      term *= x / (n_max + k + 0.5L);
      sum += term;
    }
    F[n_max] = sum * e;
    for (int n = n_max; n-- > 0;) F[n] = (2 * x * F[n + 1] + e) / (2 * n + 1);
  } else {
    const long double half_root_pi = 0.88622692545275801364908374167057259L;
    F[0] = half_root_pi / std::sqrt(x) * std::erf(std::sqrt(x));
    for (int n = 0; n < n_max; ++n) F[n + 1] = ((2 * n + 1) * F[n] - e) / (2 * x);
  }
  return F;
}

}  // namespace tessera::boys::detail
