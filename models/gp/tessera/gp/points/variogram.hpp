// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

/// Half the mean square difference of values by distance, in bins of equal width up to a third of
/// the largest distance across the region. Where there are more than 3000 points, every k-th one is
/// taken, with the smallest k that leaves no more. Pairs at different times do not count, and of
/// several variables the first one does alone.
struct Variogram {
  std::vector<double> distance;  ///< mean distance of the pairs of a bin
  std::vector<double> semivariance;
  std::vector<std::uint64_t> pairs;
};

Variogram empirical_variogram(const CovarianceModel& model, const Points& points,
                              const std::vector<double>& residuals, int bins = 25);

/// The covariance's semivariance at these distances in space: sigma2 (1 - M) + nugget. With ranges
/// for each coordinate that of their geometric mean, of several variables that of the first one.
/// Kokkos must be running.
std::vector<double> model_semivariance(const CovarianceModel& model, const Theta& theta,
                                       const std::vector<double>& distances);

}  // namespace tessera::gp
