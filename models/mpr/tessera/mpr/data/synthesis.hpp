// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr {

/// Gaussian fields with Whittle-Matern covariance sigma^2 2^(1 - nu) / Gamma(nu) (kappa r)^nu
/// K_nu(kappa r) on rows x columns sites, exact by circulant embedding on twice the extents (FFTW).
/// Memory: 80 bytes a site while a field is made. The threads of the host share the work. Kokkos
/// must be running.
class GaussianFields {
 public:
  /// Throws Error: numerical when the embedding has negative eigenvalues of more than 1e-3 of the
  /// variance (correlations as long as the grid), input where this build has no FFTW.
  explicit GaussianFields(const SyntheticParameters& parameters);

  const SyntheticParameters& parameters() const { return m_parameters; }
  /// The field of a number; the same seed and number give the same one.
  std::vector<double> make(std::uint64_t seed, std::uint64_t number) const;

 private:
  SyntheticParameters m_parameters;
  std::vector<double> m_eigenvalues;  // of modes up to half of the doubled extents
};

/// One of these fields.
std::vector<double> gaussian_field(const SyntheticParameters& parameters, std::uint64_t seed,
                                   std::uint64_t number);

/// `count` of the numbers 0 ... n - 1, at random; the same seed and number give the same ones.
/// Sorted.
std::vector<std::size_t> random_subset(std::size_t n, std::size_t count, std::uint64_t seed,
                                       std::uint64_t number);

}  // namespace tessera::mpr
