// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/group.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"

namespace tessera::gbees {

/// The results of a filter at one record time.
struct FilterRecord {
  std::vector<double> mean, covariance;  ///< covariance row by row
  /// Coefficient with the density on the grid
  double bhattacharyya = 0;
  /// Effective number of particles: 1 / sum of the squared weights
  double effective = std::numeric_limits<double>::quiet_NaN();
};

/// A filter that runs on the input of a density, to compare it with. Coordinates are those of the
/// grid. Several ranks make all calls but save together, with the same answers.
template <int D>
class ComparisonFilter {
 public:
  virtual ~ComparisonFilter() = default;

  /// Carries it from time `from` to time `to`, or a part of the way: true while some is left.
  virtual bool propagate(double from, double to) = 0;

  /// Takes measurements, one after the other, and tells the logarithm of the evidence of each.
  /// Throws Error (numerical) where nothing is left of the filter's density; it is as before then.
  virtual std::vector<double> observe(const std::vector<Observation>& observations,
                                      double time) = 0;

  /// Takes a sudden change of the state, with its error; it is as before where a signal comes.
  virtual void displace(const Displacement<D>& displacement) = 0;

  /// Resamples, where the filter does; to be called after the record that follows measurements.
  virtual void resample() {}

  /// Compares with the density's cells on its grid, whose probabilities need not sum to one. Ranks
  /// have a part of the cells each.
  virtual FilterRecord compare_with(const CellList& density, const ComparisonGrid<D>& place,
                                    double time) const = 0;

  /// The particles of all ranks, if it has any, for `save` on the first.
  virtual GatheredParticles gather() const { return {}; }

  virtual void save(const io::Group& state, const GatheredParticles& all) const = 0;
  virtual void load(const io::Group& state) = 0;
};

/// The sums for the coefficient below: over the cells, of p, e and sqrt(p e), with e the Gaussian
/// in units of its peak.
struct OverlapSums {
  ExactSum density, gaussian, overlap;
  OverlapSums& operator+=(const OverlapSums& other) {
    density += other.density;
    gaussian += other.gaussian;
    overlap += other.overlap;
    return *this;
  }
};

/// The Bhattacharyya coefficient, sum of sqrt(p_k q_k) over the cells k of a density, with a
/// Gaussian: p_k are the cells' probabilities divided by their sum, q_k the Gaussian at the cell's
/// centre times the cell's volume. Where the q_k sum to more than one, which they do when the
/// Gaussian is narrower than a cell, they are divided by their sum. NaN where there is no such
/// Gaussian. Ranks have a part of the cells each; the sums are exact.
template <int D>
double bhattacharyya(const CellList& density, const Grid<D>& grid, const Vector<D>& mean,
                     const linalg::Matrix& covariance, const parallel::Communicator& ranks = {}) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < D; ++i) {
    if (!std::isfinite(mean[i])) return kNone;
  }
  Gaussian<D> gaussian;
  try {
    gaussian = Gaussian<D>(mean, covariance);
  } catch (const Error&) {
    return kNone;
  }
  double unit = gaussian.peak;
  for (int i = 0; i < D; ++i) unit *= grid.spacing[i];
  OverlapSums own;
  for (std::size_t c = 0; c < density.key.size(); ++c) {
    const double p = density.probability[c],
                 e = std::min(gaussian(grid.centre(density.key[c])), 1.0);
    own.density.add(p);
    if (!(e > 0)) continue;  // nor a number, far away
    own.gaussian.add(e);
    own.overlap.add(std::sqrt(p * e));
  }
  const OverlapSums all = ranks.sum(own);
  return all.overlap.value() * std::sqrt(unit) /
         std::sqrt(all.density.value() * std::max(all.gaussian.value() * unit, 1.0));
}

}  // namespace tessera::gbees
