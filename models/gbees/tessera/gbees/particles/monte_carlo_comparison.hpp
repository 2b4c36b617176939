// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

/// What a comparison with particles is asked for, and what it says.

namespace tessera::gbees {

/// The `validate: monte_carlo:` section.
struct MonteCarloParameters {
  bool wanted = false;
  std::uint64_t samples = 100000;
  double step = 0;                ///< longest step of the particles
  std::vector<double> breaks;     ///< times at which their dynamics jump, ascending
  std::uint64_t kde_samples = 0;  ///< of the comparison through a kernel density estimate; 0: none
  std::vector<int> coarsen;       ///< cells joined along each axis, for further comparisons
  std::uint32_t stream = 0;       ///< of random numbers; those of two ensembles are ten or more apart
};

/// What the particles of the Monte Carlo comparison say at one record time.
struct MonteCarloRecord {
  std::vector<double> mean, covariance;  ///< covariance row by row
  double effective_samples = 0;          ///< 1 / sum of the squared weights
  double left = 0;                       ///< fraction of the weight of particles that have gone where no grid can be
  double bhattacharyya = 0, l1 = 0;      ///< of the density and the histogram of the particles on its cells
  double bhattacharyya_kde =
      std::numeric_limits<double>::quiet_NaN();  ///< with the kernel density estimate, normalised over the density's cells
  std::vector<int> coarsening;                   ///< further comparisons: how many cells are joined along each axis
  std::vector<double> bhattacharyya_coarse, l1_coarse;
  std::vector<double> regions;  ///< weight within each region, or that it has absorbed since the start or the last measurement
};

}  // namespace tessera::gbees
