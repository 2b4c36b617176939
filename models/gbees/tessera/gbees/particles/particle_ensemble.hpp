// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/grid/affine_map.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/grid/displacement.hpp"
#include "tessera/gbees/particles/monte_carlo_comparison.hpp"
#include "tessera/gbees/regions/regions.hpp"

namespace tessera::gbees {

/// The initial density as a source of particles, but for its points.
template <int D>
struct ParticleShape {
  enum class Shape { gaussian, mixture, box, points };
  Shape shape = Shape::gaussian;
  Vector<D> mean{};         ///< gaussian, in the coordinates of the grid like the next
  double root[D][D] = {};   ///< Cholesky factor of its covariance
  Vector<D> low{}, size{};  ///< box
  Vector<D> cell{};         ///< of which the points are the centres; 0: points
  /// Centre of a grid that is turned, and its axes (columns); else 0 and the unit matrix
  Vector<D> centre{};
  double axes[D][D] = {};
};

template <int D>
struct ParticleStart : ParticleShape<D> {
  /// Points [n, D] row by row, and the sums of their weights
  std::vector<double> points, cumulative_weights;
  /// mixture: of n Gaussians about the points the factors [n, D, D] like `root`
  std::vector<double> roots;
  /// Where what is drawn is in other coordinates: from these to those of the grid, on the host
  std::function<Vector<D>(const Vector<D>&)> change;
};

/// Particles as a restart file holds them.
struct GatheredParticles {
  std::vector<double> points, log_weight;  ///< points [n, D] row by row
  std::vector<std::uint8_t> absorbed;      ///< none where no regions are watched
  /// Number of passes over each chunk of the particles, where a part of some work is left
  std::vector<std::uint32_t> done;
};

/// Particles that follow the same dynamics as a density, to compare it with. What moves them
/// (MonteCarlo, monte_carlo.hpp) knows the dynamics and the execution space; who uses them need
/// not. Several ranks have a range of them each. They make all calls but save together, with the
/// same answers, whose bits do not depend on the number of ranks.
template <int D>
class ParticleEnsemble {
 public:
  virtual ~ParticleEnsemble() = default;

  /// Has particles looked at in regions from now on: those that enter one that absorbs move no
  /// more, and take no part in comparisons. Before draw() or load(), if at all; at most 200
  /// regions.
  virtual void watch(const std::vector<RegionProgram>& regions) = 0;

  /// Draws all particles again.
  virtual void draw(const ParticleStart<D>& start) = 0;

  // The next two do a part of their work, true while some is left. Between the parts the particles
  // can be saved.

  /// Moves the particles from time `from` to time `to`.
  virtual bool propagate(double from, double to) = 0;

  /// Multiplies the particles' weights by the likelihoods of observations.
  virtual bool observe(const std::vector<Observation>& observations, double time) = 0;

  /// Moves all particles that no region has absorbed, each with an error of its own. A signal
  /// leaves them as they were.
  virtual void displace(const Displacement<D>& displacement) = 0;

  // The next three are for filters: measurements as the functions of particles/ensemble.hpp take
  // them.

  /// Updates as a particle filter does: multiplies the weights by the likelihoods, and tells the
  /// logarithm of the evidence of each.
  virtual std::vector<double> weigh(const std::vector<Observation>& observations, double time) = 0;

  /// Updates as an ensemble Kalman filter does: moves the particles, which have equal weights.
  virtual std::vector<double> assimilate(const std::vector<Observation>& observations,
                                         double time) = 0;

  /// Resamples when the effective number is below that share of the number.
  virtual void resample_below(double share) = 0;

  /// Returns the figures of the particles alone at a time: all but the comparisons. Mean and
  /// covariance are those of the grid's coordinates.
  virtual MonteCarloRecord summarize(const ComparisonGrid<D>& place, double time) const = 0;

  /// Returns the same figures and compares with the density's cells on its grid, and joined to
  /// larger ones; with the kernel density estimate on those of a probability of at least `cut`.
  /// Each rank has a part of the cells. A signal ends it by Interrupted.
  virtual MonteCarloRecord compare_with(const CellList& density, const ComparisonGrid<D>& place,
                                        double cut, double time) const = 0;

  /// All particles, for `save`, at the first rank.
  virtual GatheredParticles gather() const = 0;

  virtual void save(const io::Group& state, const GatheredParticles& all) const = 0;
  virtual void load(const io::Group& state) = 0;
};

}  // namespace tessera::gbees
