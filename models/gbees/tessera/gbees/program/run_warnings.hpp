// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/follow/follow_state.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/program/record.hpp"
#include "tessera/gbees/program/sharpness.hpp"
#include "tessera/gbees/regions/regions.hpp"

namespace tessera::gbees {

/// The differences of mean and variance along an axis of the grid from those that they should be.
struct MomentFault {
  double deviation = 0;  ///< that it should be
  double variance = 0;   ///< excess, as a share
  double missing = 0;    ///< of the variance, as a share
  double mean = 0;       ///< distance, in deviations
};

/// The Bhattacharyya coefficient that a histogram of so many particles of a density has with it, as
/// a mean: fewer than one, for many cells. `density`: this rank's cells.
double expected_overlap(const CellList& density, double particles,
                        const parallel::Communicator& ranks);

/// Tells the user where a run's density is not what the input seems to ask for, and which key to
/// change.
class RunWarnings {
 public:
  explicit RunWarnings(const Parameters& parameters) : m_parameters(parameters) {}

  /// Warns at the start of a standard deviation that is more than 5 % from the one asked for.
  /// `covariance` is that of the cells, row by row.
  void compare_start(const std::vector<double>& covariance) const;

  /// Warns of a loss that exceeds 1 %, and again 10 %, since the start or the last measurement. The
  /// reference scheme loses nothing for good.
  void watch_loss(double time, double lost_mass);

  /// Warns of steps that shrink so that the end is not reached.
  void watch_step(double time, double dt);

  /// Warns once where the flow bounds a step of the legacy scheme, which is to have the length
  /// that the input gives unless it leads to `end`.
  void watch_fixed_step(double time, double dt, double end);

  /// Warns, before measurements are taken, of what the cells hardly resolve. `low`, `high`: edges,
  /// along the axes, of the cells that the density covers.
  void look_at_measurements(double time, const std::vector<Observation>& observations,
                            const Sharpness& sharpness, const std::vector<double>& low,
                            const std::vector<double>& high);

  /// Warns of a density narrower than a cell along some axis; `deviation`: along the axes.
  void watch_width(double time, const std::vector<double>& deviation);

  /// Warns of an initial density of which a Gaussian is narrower than the cells, but of a single
  /// one that is so along an axis, which watch_width tells. `covariances`: in the coordinates of
  /// the grid, as `spacing`.
  void watch_start(const std::vector<linalg::Matrix>& covariances,
                   const std::vector<double>& spacing);

  /// Warns once where no frame of a grid that follows the flow fits the density any more.
  void watch_follow(const FollowState& place);

  /// Warns once where noise differs over a density by such a share of itself (FlowNoise::variation)
  /// that its correlation with the place matters.
  void watch_noise(double time, double variation);

  /// Warns of a density that has spread, or stayed behind, by what the grid does to it.
  void compare_moments(double time, const std::vector<MomentFault>& faults);

  /// Warns of particles that disagree with the density. `expected`: the Bhattacharyya coefficient
  /// of so many particles of the density itself.
  void compare_particles(const Record& record, const MonteCarloRecord& particles, double expected,
                         const std::vector<double>& in_regions);

  /// Warns of a run that ends since the regions have taken the density.
  void end_absorbed(double time);

  /// Warns of regions that are too narrow for what is looked at within the cells.
  void watch_regions(const std::vector<RegionResolution>& resolution);

  /// Does the same at the end of the run, also for regions of which no cell had a part.
  /// `probability`: the largest of each.
  void end_regions(const std::vector<RegionResolution>& resolution,
                   const std::vector<double>& probability);

  /// Warns of a measurement more than five standard deviations from what the density predicts, and
  /// of a density that lies within cells after it. Throws Error (numerical) where that is so narrow
  /// that the cells cannot hold it: below 0.42 cells in some direction. Losses count again.
  /// `spacing`: of the cells, in whose coordinates the update's covariance is.
  void take_measurement(double time, const Observation& observation,
                        const MeasurementUpdate& update, const std::vector<double>& spacing);

  /// Takes a loss as told, for a run that is continued: its earlier part has warned of it.
  void forgive_loss(double lost_mass);

 private:
  const Parameters& m_parameters;
  std::string axis_name(std::size_t axis) const;
  void look_within_cells(double time, const Observation& observation,
                         const MeasurementUpdate& update, const std::vector<double>& spacing) const;
  void compare_spread(const Record& record, const MonteCarloRecord& particles);

  double m_next_loss = 0.01;
  double m_longest_dt = 0;
  int m_short_steps = 0;        // one after the other
  bool m_told_fixed_step = false;
  double m_spread = 0;          // the excess of a variance that was told
  bool m_leads_beyond = false;  // the cells, do the measurements that are taken
  bool m_told_misfit = false, m_told_noise = false, m_told_missing = false;
  bool m_told_width = false, m_told_spread = false, m_told_shift = false, m_told_particles = false;
  std::vector<bool> m_told_region = std::vector<bool>(m_parameters.regions.size(), false);
  std::vector<bool> m_told_share = std::vector<bool>(m_parameters.regions.size(), false);
};

}  // namespace tessera::gbees
