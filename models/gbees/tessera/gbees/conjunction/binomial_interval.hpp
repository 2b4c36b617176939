// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::gbees {

struct ProbabilityInterval {
  double low = 0, high = 1;
};

/// The exact interval of a probability from `hits` in `trials` (Clopper, Pearson, Biometrika 26
/// (1934) 404): each end is exceeded with probability (1 - level)/2. Relative error of the ends:
/// 1e-6 for 1e10 trials at most.
ProbabilityInterval binomial_interval(std::uint64_t hits, std::uint64_t trials, double level);

/// The probability that a Beta(a, b) variable is below x: the regularised incomplete beta function,
/// by its continued fraction (DLMF 8.17.22).
double beta_probability(double a, double b, double x);

}  // namespace tessera::gbees
