// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

/// Scores of probabilistic predictions, and the normal law that they are made of.

namespace tessera::math {

/// Returns the probability that a standard normal number is at most z.
inline double normal_probability(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// Returns the continuous ranked probability score of the law N(0, deviation^2) at an error, in the
/// unit of the error: the smaller, the better; |error| for a deviation of 0 (Gneiting and Raftery,
/// Journal of the American Statistical Association 102, 2007, Eq. 21).
inline double normal_crps(double error, double deviation) {
  constexpr double kPi = 3.14159265358979323846;
  if (!(deviation > 0)) return std::fabs(error);
  const double z = error / deviation;
  return deviation * (z * std::erf(z / std::sqrt(2.0)) +
                      std::sqrt(2 / kPi) * std::exp(-0.5 * z * z) - 1 / std::sqrt(kPi));
}

}  // namespace tessera::math
