// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/mpr/fill/estimator.hpp"
#include "tessera/mpr/fill/options.hpp"
#include "tessera/mpr/fill/setting.hpp"
#include "tessera/mpr/fill/simulation.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/frame_report.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"

/// Fills the gaps of images or stacks: from values and the status of their sites to mean and
/// standard deviation at the missing sites.
///
/// The range of the samples is mapped to angles in [0, pi] and the modified planar rotator is
/// simulated given the samples (chains.hpp). Temperature, couplings of the axes and of curvature,
/// the start and the number of sweeps come from the samples. The mean is that of the Gaussian
/// approximation (linear_fill.hpp). Standard deviations and realisations come from a chain, or
/// where gaps are wide from exact draws of the Gaussian approximation, and are calibrated on
/// samples held out. FillOptions::published() gives the method as it was published.
/// models/mpr/METHOD.md derives all of it.
///
/// Example (tests/install/examples/mpr.cpp):
///
///     mpr::FillOptions options;
///     options.seed = 1;
///     mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
///     // Couplings, mean and temperature from the samples.
///     fill.prepare(values, status);
///     // The simulation, in batches of sweeps or draws.
///     while (fill.advance()) {
///     }
///     // At the missing sites, in the units of the values; NaN elsewhere.
///     fill.moments(mean, deviation);
///
/// Accuracy, on 344 x 403 sites of terrain (tests/unit/mpr_fill.cpp): root mean square error below
/// 4.1 and 6.9 with 33 and 66 % missing at random, below 36 with 33 % missing in blocks of 16 x 16
/// sites; 95 % intervals hold 92.5 to 97.5 % of the values, in blocks 91.5 to 98.5 %.
///
/// Errors, thrown by prepare() as Error (input): a frame without a sample; no two samples next to
/// each other, unless a temperature is given. A frame whose samples are all equal is filled with
/// their value and a standard deviation of 0. NaN and infinite samples are not looked for. Calls
/// wait for the device where they choose something from the samples; sweeps do not. The same seed
/// gives the same bits on a backend, whatever the number of threads.
///
/// Ranks may share the frames (frame_share.hpp): each is given its own, all of them make every call
/// together, but those that say otherwise, and results have the bits of one rank that is given all
/// frames. Or ranks that are given the same image share its chain or its draws: share_simulation().

namespace tessera::mpr {

/// Real: float or double, of values and spins; sums are double.
template <class ExecSpace, class Real>
class GapFill {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  /// `frames` frames of `grid`, which share couplings and have temperatures of their own. share: of
  /// the frames among ranks. Throws Error (input) when sweeps are wanted where columns of stacks go
  /// round or samples have errors, the published method where there is a metric, and a local
  /// temperature with errors of samples.
  GapFill(const ExecSpace& exec, const Grid& grid, int frames, const FillOptions& options,
          const FrameShare& share = {})
      : m_setting{exec, grid, share, frames, options},
        m_estimator(m_setting),
        m_simulation(m_setting, m_estimator) {
    m_setting.check();
  }

  /// Bytes on the device at most, with the caller's values and status. all_frames: of all ranks; 0:
  /// there are no others.
  static double memory(const Grid& grid, int frames, const FillOptions& options,
                       int all_frames = 0);

  /// Estimates the model and starts the chains. values: [frame][layer][row][column], read at
  /// samples only. status: a Site for each, none of them kNoisy. noise: with FillOptions::noise,
  /// for each the standard deviation of its error, 0 or more, in the units of the values. trend:
  /// with FillOptions::trend, columns of about the same size, [column][site], each of all sites of
  /// all frames or of a period of them; values are a combination of the columns, with coefficients
  /// of each frame that are estimated, and what the model knows.
  void prepare(const Array<const Real>& values, const Array<const std::uint8_t>& status,
               const Array<const Real>& noise = {}, const Array<const Real>& trend = {});

  /// The first half of prepare(): estimates the model, and fills the gaps with the mean. What
  /// follows is advance() no more.
  void estimate(const Array<const Real>& values, const Array<const std::uint8_t>& status,
                const Array<const Real>& noise = {}, const Array<const Real>& trend = {});
  /// The mean after estimate(), in the units of the values; not of the published method.
  void mean(const Array<Real>& value) const;
  /// Returns the estimates of all frames together; without the mean.
  Estimates estimates() const;
  /// Returns whether exact draws will take the place of a chain.
  bool takes_draws() const { return m_estimator.samples().wants_draws(); }
  /// The sampling sweeps of a chain.
  int planned_sweeps() const { return m_simulation.planned_sweeps(); }

  /// Ranks that make the same calls with the same frame share the simulation: the slabs of a chain
  /// (Chains), or the draws, of which each makes a pack with every advance(). To be called before
  /// prepare(); then they make all calls together up to collect_draws(). What is estimated is
  /// estimated on each.
  void share_simulation(const parallel::Communicator& ranks) { m_simulation.share(ranks); }
  /// The sites for which moments and realisations of a shared chain are known here.
  SiteRange sites_here() const { return m_simulation.sites_here(); }
  /// The results of shared draws are known to the first rank once they were collected there.
  void collect_draws() { m_simulation.collect_draws(); }

  /// One batch of sweeps or draws; false when all are done. With `every` > 0 a batch ends at each
  /// multiple of it, counted in sampling sweeps.
  bool advance(int every = 0);

  /// Mean and standard deviation at the missing sites and at samples with errors, in the units of
  /// the values, [frame][site]; NaN at other samples. `deviation` may be empty. Sites out of
  /// sites_here() have no meaning. This and all that follows is for each rank by itself, but for
  /// what is said to be of all ranks.
  void moments(const Array<Real>& value, const Array<Real>& deviation) const;

  /// Standard errors of the means that come from the computation alone, at the same sites, in the
  /// units of the values; NaN elsewhere, and where none is known yet. A mean that is solved has the
  /// error of its linear equations, which is a share of the standard deviation `deviation`, from
  /// moments(); a chain has that of its finite length, by batch means (with
  /// FillOptions::mean_error).
  void mean_error(const Array<const Real>& deviation, const Array<Real>& error) const;
  /// Relative standard error of the standard deviations, were all of it from independent draws or
  /// sweeps.
  double deviation_error() const {
    return 1 / std::sqrt(2.0 * std::max(1, m_simulation.independent()));
  }

  /// Number of realisations that the last batch made here: replicas, or draws.
  int realisations() const { return m_simulation.realisations(); }
  /// The number of the first of them, through all batches and ranks.
  int first_realisation() const { return m_simulation.first_realisation(); }
  /// Draws of a batch on one rank.
  int draws_at_once() const { return m_simulation.draws_at_once(); }
  /// One of them, of each frame, at the same sites, in the units of the values; NaN elsewhere. Its
  /// distance from the mean is multiplied by the calibration of standard deviations. Without
  /// sampling, of samples that are all equal, it is the mean.
  void realisation(int number, const Array<Real>& value) const;

  /// The number of sites of the frames here.
  std::size_t sites() const { return m_setting.sites(); }
  /// Returns the report of each frame, of all ranks.
  const std::vector<FrameReport>& frames() const { return m_estimator.samples().reports(); }
  /// Describes how the linear equations of the mean were solved.
  const LinearSolve& linear_solve() const { return m_estimator.linear_solve(); }
  /// Describes how the couplings were found; without steps where they were given.
  const Evidence& evidence() const { return m_estimator.couplings().evidence; }
  const AxisCouplings& axis() const { return m_estimator.couplings().axis; }
  double beta() const { return m_estimator.couplings().beta; }
  const Calibration& calibration() const { return m_estimator.calibration(); }
  const GapShape& gaps() const { return m_estimator.samples().gaps(); }
  /// The coefficients of the trend; null without one.
  const detail::TrendFit<ExecSpace, Real>* trend() const { return m_estimator.trend(); }
  const Array<std::uint16_t>& distance() const { return m_estimator.samples().distance(); }
  /// Returns whether exact draws take the place of a chain.
  bool uses_draws() const { return m_simulation.uses_draws(); }
  /// The chains; only without draws.
  Chains<ExecSpace, Real>& chains() const { return m_simulation.chains(); }

  /// planned, or done where Algorithm 2 decides; of the first frame
  int burn_in_sweeps() const { return m_simulation.burn_in_sweeps(); }
  int sampling_sweeps() const { return m_simulation.sampling_sweeps(); }  ///< or draws
  int sampling_done() const { return m_simulation.sampling_done(); }
  bool burned_in() const { return m_simulation.burned_in(); }
  /// Returns whether moments() tells something: not in a burn-in, nor before the first draw.
  bool has_moments() const {
    return burned_in() && (sampling_done() > 0 || sampling_sweeps() == 0);
  }
  double updates() const { return m_simulation.updates(); }  ///< of all ranks

  /// Continues after prepare() with the same data: the sweeps and updates that were done, and the
  /// state of the chains, which must fit.
  void restore(int sampling_done, int burn_in, double updates,
               const typename Chains<ExecSpace, Real>::Snapshot& snapshot) {
    m_simulation.restore(sampling_done, burn_in, updates, snapshot);
  }
  /// Returns the means of batches that mean_error() comes from, to be saved and restored with the
  /// chains; null where the mean is solved.
  detail::BatchMeans<ExecSpace, Real>* batch_means() const { return m_simulation.batch_means(); }

  /// Squares, with draws: sums over those done so far, at the missing sites.
  std::vector<Real> squares() const { return download(m_setting.exec, m_simulation.squares()); }
  /// Continues after prepare() with the same data; `squares` has a number for each site.
  void restore(int draws_done, const std::vector<Real>& squares) {
    m_simulation.restore(draws_done, squares);
  }

 private:
  detail::Range<ExecSpace> sites_of_frame() const {
    return {m_setting.exec, 0, m_setting.grid.sites()};
  }
  void check_laws(const Array<const Real>& value, const Array<const Real>& deviation) const;
  void to_values(const Array<const Real>& angle, const Array<const Real>& variance,
                 const Array<Real>& value, const Array<Real>& deviation) const;

  detail::FillSetting<ExecSpace> m_setting;
  detail::Estimator<ExecSpace, Real> m_estimator;
  detail::Simulation<ExecSpace, Real> m_simulation;
};

}  // namespace tessera::mpr

#include "tessera/mpr/fill/gap_fill_impl.hpp"
