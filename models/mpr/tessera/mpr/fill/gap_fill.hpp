// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/chains/batch_means.hpp"
#include "tessera/mpr/chains/chains.hpp"
#include "tessera/mpr/fill/gap_fill_kernels.hpp"
#include "tessera/mpr/fill/hold_out.hpp"
#include "tessera/mpr/fill/options.hpp"
#include "tessera/mpr/fill/shared_draws.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/frame_share.hpp"
#include "tessera/mpr/lattice/report.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"
#include "tessera/mpr/linear/restricted_likelihood.hpp"
#include "tessera/mpr/linear/trend_fit.hpp"

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
      : m_exec(exec), m_grid(grid), m_share(share), m_frames(frames), m_options(options) {
    if (options.paper && !has_plain_cells())
      throw Error(ErrorKind::input, "the published method knows cells that are all the same");
    if (!sweeps_cross_seam() && options.sampler == Sampler::sweeps)
      throw Error(
          ErrorKind::input,
          "sweeps cannot go round the columns of stacks, or of images of less than 4 columns",
          "use exact draws");
    if (options.noise && (options.paper || options.sampler == Sampler::sweeps))
      throw Error(ErrorKind::input, "sweeps cannot take errors of the samples into account",
                  "use exact draws, and not the published method");
    if (options.noise && options.local_temperature)
      throw Error(ErrorKind::input, "errors of samples go with one temperature of a frame");
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
  /// What was estimated, of all frames together; without the mean.
  Estimates estimates() const;
  /// Whether exact draws will take the place of a chain.
  bool takes_draws() const { return wants_draws(); }
  /// The sampling sweeps of a chain.
  int planned_sweeps() const {
    return m_options.sampling_sweeps.value_or(std::max(25 + wide_sweeps(), m_options.least_sweeps));
  }

  /// Ranks that make the same calls with the same frame share the simulation: the slabs of a chain
  /// (Chains), or the draws, of which each makes a pack with every advance(). To be called before
  /// prepare(); then they make all calls together up to collect_draws(). What is estimated is
  /// estimated on each.
  void share_simulation(const parallel::Communicator& ranks) { m_simulation_ranks = ranks; }
  /// The sites for which moments and realisations of a shared chain are known here.
  SiteRange sites_here() const {
    return m_chains ? m_chains->sites() : SiteRange{0, static_cast<std::size_t>(m_grid.sites())};
  }
  /// The results of shared draws are known to the first rank once they were collected there.
  void collect_draws() {
    if (m_shared_draws) m_shared_draws->collect(m_squares);
  }

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
    return 1 / std::sqrt(2.0 * std::max(1, m_done * (m_draws ? 1 : m_options.replicas)));
  }

  /// Number of realisations that the last batch made here: replicas, or draws.
  int realisations() const { return m_draws ? m_drawn : m_options.replicas; }
  /// The number of the first of them, through all batches and ranks.
  int first_realisation() const { return m_draws ? m_first_draw : m_done * m_options.replicas; }
  /// Draws of a batch on one rank.
  int draws_at_once() const { return m_draws->size(); }
  /// One of them, of each frame, at the same sites, in the units of the values; NaN elsewhere. Its
  /// distance from the mean is multiplied by the calibration of standard deviations. Without
  /// sampling, of samples that are all equal, it is the mean.
  void realisation(int number, const Array<Real>& value) const;

  /// The number of sites of the frames here.
  std::size_t sites() const {
    return static_cast<std::size_t>(m_grid.sites()) * static_cast<std::size_t>(m_frames);
  }
  /// What is known of each frame, of all ranks.
  const std::vector<FrameReport>& frames() const { return m_reports; }
  /// How the linear equations of the mean were solved.
  const LinearSolve& linear_solve() const { return m_linear; }
  /// How the couplings were found; without steps where they were given.
  const Evidence& evidence() const { return m_evidence; }
  const AxisCouplings& axis() const { return m_axis; }
  double beta() const { return m_beta; }
  const Calibration& calibration() const { return m_calibration; }
  const GapShape& gaps() const { return m_gaps; }
  /// The coefficients of the trend; null without one.
  const detail::TrendFit<ExecSpace, Real>* trend() const { return m_trend.get(); }
  const Array<std::uint16_t>& distance() const { return m_distance; }
  /// Whether exact draws take the place of a chain.
  bool uses_draws() const { return m_draws != nullptr; }
  /// The chains; only without draws.
  const Chains<ExecSpace, Real>& chains() const { return *m_chains; }
  Chains<ExecSpace, Real>& chains() { return *m_chains; }

  /// planned, or done where Algorithm 2 decides; of the first frame
  int burn_in_sweeps() const { return m_burn_in; }
  int sampling_sweeps() const { return m_sampling; }  ///< or draws
  int sampling_done() const { return m_done; }
  /// Whether moments() tells something: not in a burn-in, nor before the first draw.
  bool has_moments() const { return m_burned_in && (m_done > 0 || m_sampling == 0); }
  double updates() const { return m_updates; }  ///< of all ranks

  /// Continues after prepare() with the same data: the sweeps and updates that were done, and the
  /// state of the chains, which must fit.
  void restore(int sampling_done, int burn_in, double updates,
               const typename Chains<ExecSpace, Real>::Snapshot& snapshot) {
    m_done = sampling_done;
    m_burn_in = burn_in;
    m_burned_in = true;
    m_updates = updates;
    m_chains->restore(snapshot);
  }
  bool burned_in() const { return m_burned_in; }
  /// What mean_error() comes from, to be saved and restored with the chains; null where the mean is
  /// solved.
  detail::BatchMeans<ExecSpace, Real>* batch_means() const { return m_batch_means.get(); }

  /// Squares, with draws: sums over those done so far, at the missing sites.
  std::vector<Real> squares() const { return download(m_exec, m_squares); }
  /// Continues after prepare() with the same data; `squares` has a number for each site.
  void restore(int draws_done, const std::vector<Real>& squares) {
    m_done = draws_done;
    upload_to(m_exec, squares, m_squares);
    if (m_shared_draws) m_shared_draws->restore(squares);
  }

 private:
  void hold_rim();
  void pool_windows();
  std::vector<HeldOutSample> predict_all_held(const std::vector<int>& frames, int& draws) const;
  std::vector<HeldOutSample> predict_held(const std::vector<detail::HiddenWindow>& hidden,
                                          const detail::PlacedWindows<ExecSpace, Real>& placed,
                                          int& draws) const;
  void estimate_model(const Array<const Real>& values, const Array<const std::uint8_t>& status,
                      const Array<const Real>& noise);
  /// "frame 3", by its number in all frames, of a frame here; where there is only one, "the data".
  std::string name_of(int frame) const {
    return m_share.in_all(m_frames) > 1 ? "frame " + std::to_string(m_share.first + frame)
                                        : std::string("the data");
  }
  FrameReport describe_samples(int frame, const Array<const Real>& values) const;
  void map_samples(const Array<const Real>& values);
  void enter_angles(const Array<const Real>& values);
  void widen_ranges();
  void estimate_with_trend(const Array<const std::uint8_t>& status, const Array<const Real>& noise);
  void take_trend(const Array<const std::uint8_t>& status, const Array<const Real>& noise);
  void fit_trend(const AxisCouplings& axis, double beta, bool noise);
  /// Degrees of freedom of each frame.
  double lost_to_trend() const {
    return m_options.windows ? m_options.trend / std::max<double>(1, m_reports.size())
                             : m_options.trend;
  }
  /// The report of a frame here.
  const FrameReport& report_here(int frame) const {
    return m_reports[static_cast<std::size_t>(m_share.first + frame)];
  }
  /// What a variance of angles is in the values of a frame here.
  double square_scale(int frame) const {
    const FrameReport& report = report_here(frame);
    return std::pow((report.high - report.low) / kPi, 2);
  }
  void enter_noise(const Array<const Real>& noise);
  double seconds_left(int steps, double seconds, double cells) const;
  void choose_couplings();
  void find_evidence(const Evidence& before);
  void find_noisy_temperatures();
  double rough_temperature() const;
  void fill_linearly();
  void check_mean() const;
  void check_laws(const Array<const Real>& value, const Array<const Real>& deviation) const;
  /// A remedy where numbers are in single precision.
  static std::string wider_precision(const std::string& before) {
    return std::is_same_v<Real, float> ? before + "model.precision: double" : std::string();
  }
  void choose_temperatures();
  double temperature_of(int frame) const;
  void calibrate();
  void start_draws();
  void start_chains();
  bool advance_draws();
  void note_batch();
  bool wants_draws() const {
    if (m_options.sampler != Sampler::automatic) return m_options.sampler == Sampler::draws;
    return m_options.noise || m_gaps.block > 1 || !sweeps_cross_seam() ||
           (m_options.axis && m_options.axis->tilt != 0 && m_grid.nz == 1);
  }
  /// Columns do not go round, or chains know how.
  bool sweeps_cross_seam() const {
    return !m_options.metric.periodic || (m_grid.nz == 1 && m_grid.nx >= kLeastColumns);
  }
  /// Cells are all the same and columns do not go round.
  bool has_plain_cells() const {
    return m_options.metric.is_uniform() && !m_options.metric.periodic;
  }
  Metrics metrics() const { return has_plain_cells() ? Metrics() : Metrics{m_options.metric}; }
  std::vector<double> temperatures() const;  ///< of all ranks
  /// Numbers of the frames here, of those of all ranks.
  std::vector<double> of_frames_here(const std::vector<double>& of_all) const {
    const auto first = of_all.begin() + m_share.first;
    return {first, first + m_frames};
  }
  /// The angles of the samples, which those of the mean replace where they have errors.
  Array<const Real> samples() const { return m_options.noise ? m_samples : m_angles; }
  /// The errors that samples have, of a solver or a source of draws.
  template <class Solver>
  void give_noise(Solver& solver) const {
    if (m_options.noise) solver.set_noise(m_noise, of_frames_here(m_noisy_temperatures));
  }
  bool has_gaps() const {
    return m_options.noise ||
           std::any_of(m_reports.begin(), m_reports.end(),
                       [](const FrameReport& report) { return report.missing > 0; });
  }
  bool is_constant() const {
    return std::all_of(m_reports.begin(), m_reports.end(),
                       [](const FrameReport& report) { return report.constant; });
  }
  detail::SpreadFactor<ExecSpace, Real> spread() const {
    return {m_distance, m_factors, Calibration::kFarthest + 1, m_grid.sites() / m_grid.nz,
            m_draws ? m_lengths : Array<Real>()};
  }
  /// Frames that say something of the couplings; and of those the ones with gaps and a temperature,
  /// in which samples can be held out.
  std::vector<int> frames_with_variation() const;
  std::vector<int> frames_to_calibrate() const;
  void to_values(const Array<const Real>& angle, const Array<const Real>& variance,
                 const Array<Real>& value, const Array<Real>& deviation) const;
  Array<Real> local_lengths() const;
  int longest_run() const;
  int end_of_batch(int every) const;
  /// The spread of a site given its neighbours, in angle
  double conditional_spread(double temperature) const;
  /// Half of the turns are accepted.
  double step_control(double temperature) const {
    return std::clamp(kPi / (8.3 * conditional_spread(temperature)), 1.0, 1e5);
  }
  /// Gaps of n x n sites forget their start in some n sweeps, thanks to over-relaxation.
  int wide_sweeps() const { return m_gaps.block > 1 ? std::min(4 * m_gaps.block, 400) : 0; }

  ExecSpace m_exec;
  Grid m_grid;
  FrameShare m_share;
  parallel::Communicator m_simulation_ranks;
  int m_frames;  // here
  FillOptions m_options;
  // with the rim of a part held, and with samples that have errors marked as noisy
  Array<const std::uint8_t> m_status;
  Array<Real> m_angles;
  // with errors: angles of the samples, and the standard deviations of the errors, in angle
  Array<Real> m_samples, m_noise;
  Array<std::uint16_t> m_distance;
  std::vector<FrameReport> m_reports;  // of all ranks
  std::vector<PairMeans> m_means;      // of all ranks
  // while the model is estimated
  std::function<void(int steps, double seconds, double cells)> m_tell_pace;
  Evidence m_evidence;
  AxisCouplings m_axis;
  double m_beta = 0;
  std::vector<double> m_noisy_temperatures;  // of each frame of all ranks, with errors of samples
  Calibration m_calibration;
  Array<double> m_factors;  // of standard deviations, by frame, layer and distance
  GapShape m_gaps;
  LinearSolve m_linear;
  std::unique_ptr<detail::TrendFit<ExecSpace, Real>> m_trend;
  std::unique_ptr<Chains<ExecSpace, Real>> m_chains;                // either these
  std::unique_ptr<detail::GaussianDraws<ExecSpace, Real>> m_draws;  // or these
  std::unique_ptr<detail::SharedDraws<ExecSpace, Real>> m_shared_draws;
  // with chains whose mean is wanted
  std::unique_ptr<detail::BatchMeans<ExecSpace, Real>> m_batch_means;
  Array<Real> m_squares, m_lengths;
  int m_burn_in = 0, m_sampling = 0, m_done = 0;
  int m_first_draw = 0, m_drawn = 0;  // of the last batch here
  bool m_burned_in = false;
  // updates of all chains of all ranks, and of each of their sweeps
  double m_updates = 0, m_chain_sites = 0;
};

}  // namespace tessera::mpr

#include "tessera/mpr/fill/gap_fill_impl.hpp"
