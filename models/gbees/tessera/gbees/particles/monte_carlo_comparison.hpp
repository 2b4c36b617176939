// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/gbees/grid/circle.hpp"

/// The parameters and the results of a comparison with particles.

namespace tessera::gbees {

/// The `validate: monte_carlo:` section.
struct MonteCarloParameters {
  bool wanted = false;
  std::uint64_t samples = 100000;
  double step = 0;                ///< longest step of the particles
  std::vector<double> breaks;     ///< times at which their dynamics jump, ascending
  std::uint64_t kde_samples = 0;  ///< of the comparison through a kernel density estimate; 0: none
  std::uint64_t keep = 0;         ///< particles whose places the records hold
  std::vector<int> coarsen;       ///< cells joined along each axis, for further comparisons
  std::vector<Circle> circles;    ///< an entry a variable, or empty: all are lines
  /// Stream of random numbers; those of two ensembles are ten or more apart
  std::uint32_t stream = 0;
};

/// The results of the particles of the Monte Carlo comparison at one record time.
struct MonteCarloRecord {
  std::vector<double> mean, covariance;  ///< covariance row by row
  double effective_samples = 0;          ///< 1 / sum of the squared weights
  /// Fraction of the weight of particles that have gone where no grid can be
  double left = 0;
  /// Comparison of the density with the histogram of the particles on its cells
  double bhattacharyya = 0, l1 = 0;
  double bhattacharyya_kde =
      /// Coefficient with the kernel density estimate, normalised over the density's cells
      std::numeric_limits<double>::quiet_NaN();
  /// Kullback-Leibler divergence of that estimate from the density, on the same cells
  double kullback_leibler_kde = std::numeric_limits<double>::quiet_NaN();
  /// Further comparisons: how many cells are joined along each axis
  std::vector<int> coarsening;
  std::vector<double> bhattacharyya_coarse, l1_coarse;
  /// Weight within each region, or that it has absorbed since the start or the last measurement
  std::vector<double> regions;
  /// The first particles, row by row, and their weights as shares of all
  std::vector<double> points, weights;
};

}  // namespace tessera::gbees
