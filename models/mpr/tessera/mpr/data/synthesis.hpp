// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr {

/// A Gaussian field with Whittle-Matern covariance sigma^2 2^(1 - nu) / Gamma(nu) (kappa r)^nu
/// K_nu(kappa r) on rows x columns sites, exact by circulant embedding on twice the extents (FFTW).
/// Memory: 64 bytes a site. The same seed and number give the same field. Throws Error: numerical
/// when the embedding has negative eigenvalues of more than 1e-3 of the variance (correlations as
/// long as the grid), input where this build has no FFTW.
std::vector<double> gaussian_field(const SyntheticParameters& parameters, std::uint64_t seed,
                                   std::uint64_t number);

/// `count` of the numbers 0 ... n - 1, at random; the same seed and number give the same ones.
/// Sorted.
std::vector<std::size_t> random_subset(std::size_t n, std::size_t count, std::uint64_t seed,
                                       std::uint64_t number);

}  // namespace tessera::mpr
