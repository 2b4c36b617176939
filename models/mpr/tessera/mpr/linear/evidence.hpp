// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/mpr/lattice/window.hpp"
#include "tessera/mpr/linear/conjugate_gradients.hpp"
#include "tessera/mpr/linear/evidence_kernels.hpp"
#include "tessera/mpr/linear/mode_sums.hpp"
#include "tessera/mpr/linear/packs.hpp"
#include "tessera/mpr/linear/restricted_likelihood.hpp"
#include "tessera/mpr/linear/samples.hpp"

namespace tessera::mpr::detail {

/// The windows of a field as frames of one problem, with inactive sites as missing ones.
template <class ExecSpace, class Real>
struct CutEvidence {
  Window window;
  std::int64_t first;  ///< of the window's sites in the output
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  Array<ExecSpace, std::uint8_t> status_out;
  Array<ExecSpace, Real> angles_out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t site, std::int64_t& samples) const {
    const std::int64_t i = window.whole_site(site);
    const bool sample = has_value(status(i));
    status_out(first + site) = sample ? status(i) : std::uint8_t(kMissing);
    angles_out(first + site) = sample ? angles(i) : Real(0);
    samples += sample ? 1 : 0;
  }
};

/// Square differences of samples that are diagonal neighbours, and their numbers. A functor over
/// the sites of all windows.
template <class ExecSpace, class Real>
struct DiagonalPairs {
  Grid box;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& rising, double& pairs_rising,
                                         double& falling, double& pairs_falling) const {
    const Position at = box.position(i);
    if (!has_value(status(i)) || at.y + 1 >= box.ny) return;
    if (at.x + 1 < box.nx) add(i, i + box.nx + 1, rising, pairs_rising);
    if (at.x > 0) add(i, i + box.nx - 1, falling, pairs_falling);
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(std::int64_t i, std::int64_t j, double& sum,
                                  double& pairs) const {
    if (!has_value(status(j))) return;
    const double difference = static_cast<double>(angles(i)) - static_cast<double>(angles(j));
    sum += difference * difference;
    pairs += 1;
  }
};

/// Finds the couplings of greatest restricted likelihood (restricted_likelihood.hpp) from up to
/// nine windows of some frames, of which there is at least one; given errors of samples, the
/// temperature too. All functions wait for the device. With a share of frames, windows are brought
/// to the first rank, which searches alone; all ranks call everything together.
template <class ExecSpace, class Real>
class EvidenceSearch {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  static constexpr std::int64_t kLeastSamples = 100;

  /// frames: by their numbers in those of all ranks; the arrays hold those of this one. noise:
  /// standard deviations of the errors of noisy samples, of which there must be some; empty where
  /// there are none. least: samples of a window, which is left out where it has less.
  EvidenceSearch(const ExecSpace& exec, const Grid& grid, const std::vector<int>& frames,
                 const Array<const std::uint8_t>& status, const Array<const Real>& angles,
                 const Metric& metric = {}, const Array<const Real>& noise = {},
                 std::int64_t least = kLeastSamples, const FrameShare& share = {});

  /// Bytes on the device.
  static double memory(const Grid& grid, int frames, bool noise = false) {
    const std::vector<Window> windows = choose_windows(grid, count_frames(frames));
    const Grid box = windows.front().box;
    const double cells = (box.nx + 4.0) * (box.ny + 4.0) * (box.nz > 1 ? box.nz + 4.0 : 1.0) *
                         static_cast<double>(windows.size());
    return cells * (Multigrid<ExecSpace, Real, W>::bytes_a_cell(noise) + 11 * sizeof(Column) + 1 +
                    (noise ? 3 : 1) * sizeof(Real));
  }

  /// Samples in all windows; with none there is no evidence.
  bool has_data() const { return !m_samples.empty(); }

  Evidence find(const EvidenceOptions& options);

 private:
  static constexpr int W = kPack;
  static constexpr int kMostSteps = 15, kForms = Forms<3>::kCount;
  /// Steps below this many standard errors end the search.
  static constexpr double kShortStep = 0.5, kShortStepOfNoise = 0.25;
  using Column = Columns<Real, W>;
  using Numbers = Array<Column>;
  template <class T>
  using View = Kokkos::View<T*, ExecSpace>;

  /// Brings the windows that ranks have kept to the first one; their order is that of the ranks.
  /// All know which ones there are.
  void bring_windows(std::vector<std::int64_t>& kept) {
    const auto sites = kept.size() * static_cast<std::size_t>(m_box.sites());
    const auto bring = [&](auto& numbers) {
      auto own = download(m_exec, numbers);
      own.resize(std::min(own.size(), sites));
      const auto all = m_ranks.gather(own);
      if (m_ranks.is_root()) upload_to(m_exec, all, numbers);
    };
    bring(m_status);
    bring(m_angles);
    bring(m_noise);
    m_samples = m_ranks.all_gather(m_samples);
    kept = m_ranks.all_gather(kept);
  }

  /// Tells all ranks what the first one has found.
  void tell(Evidence& evidence) const {
    auto steps = static_cast<std::int64_t>(evidence.steps.size());
    m_ranks.broadcast(&steps, 1);
    evidence.steps.resize(static_cast<std::size_t>(steps));
    m_ranks.broadcast(evidence.steps.data(), evidence.steps.size());
    m_ranks.broadcast(&evidence.axis, 1);
    double* const numbers[] = {&evidence.beta, &evidence.temperature, &evidence.beta_error,
                               &evidence.ratio_error};
    for (double* number : numbers) m_ranks.broadcast(number, 1);
    m_ranks.broadcast(&evidence.settled, 1);
  }

  Evidence find_here(const EvidenceOptions& options) {
    if (m_box.dimension() == 3) return search<3>(options);
    if (options.axis && options.diagonal) return search_with_diagonal(options);
    return options.start_axis.tilt != 0 ? search<3>(options) : search<2>(options);
  }

  static std::vector<Window> choose_windows(const Grid& grid, const std::vector<int>& frames) {
    return spread_windows(grid, frames, grid.nz > 1 ? 48 : 256, 1 << 18, 9);
  }

  Range<ExecSpace> range(std::int64_t n) const { return {m_exec, 0, n}; }
  bool has_noise() const { return m_has_noise; }

  /// Variances of the errors of all samples, for the information.
  void keep_variances() {
    const std::vector<Real> noise = download(m_exec, m_noise);
    const std::vector<std::uint8_t> status = download(m_exec, m_status);
    const std::size_t sites = static_cast<std::size_t>(m_box.sites()),
                      used = m_samples.size() * sites;
    m_exact.assign(m_samples.size(), 0);
    for (std::size_t i = 0; i < used; ++i) {
      if (!has_value(status[i])) continue;
      const double error = status[i] == kNoisy ? static_cast<double>(noise[i]) : 0;
      m_variances.push_back(error * error);
      m_exact[i / sites] += status[i] == kSample ? 1 : 0;
    }
  }

  /// The error, in units of T, with which all samples say as much as they do together. Without its
  /// error a sample says no more than its neighbours would, if they were all known: 1 / (T / Q_ii).
  double typical_noise(const Evidence& at) const {
    const AxisCouplings axis = typical_couplings(at.axis, m_metrics.front());
    const int directions = m_box.dimension() == 3 || axis.tilt != 0 ? 3 : 2;
    double degree = 0, squares = 0;
    for (int a = 0; a < directions; ++a) {
      degree += 2 * axis[a];
      squares += 2 * axis[a] * axis[a];
    }
    const double local = 1 / (degree + at.beta * (degree * degree + squares));
    double sum = 0;
    for (const double variance : m_variances) sum += 1 / (variance / at.temperature + local);
    return std::max(0.0, static_cast<double>(m_variances.size()) / sum - local);
  }

  /// Starts with a weak coupling along the diagonal across which samples differ less.
  Evidence search_with_diagonal(EvidenceOptions options) {
    options.start_axis.tilt = smoother_diagonal();
    options.start_axis[2] = 0.3;
    Evidence evidence = search<3>(options);
    // A coupling at its limit counts as none.
    if (evidence.axis[2] < 0.03 * std::min(evidence.axis[0], evidence.axis[1]))
      evidence.axis.tilt = 0;
    return evidence;
  }

  /// 1 where samples at (1, 1) from each other are more alike than those at (-1, 1), else -1.
  int smoother_diagonal() const {
    double rising = 0, falling = 0, pairs_rising = 0, pairs_falling = 0;
    Kokkos::parallel_reduce("tessera::mpr::diagonal_pairs",
                            range(m_box.sites() * static_cast<std::int64_t>(m_samples.size())),
                            DiagonalPairs<ExecSpace, Real>{m_box, m_status, m_angles},
                            Kokkos::Sum<double>(rising), Kokkos::Sum<double>(pairs_rising),
                            Kokkos::Sum<double>(falling), Kokkos::Sum<double>(pairs_falling));
    m_exec.fence();
    return rising * pairs_falling <= falling * pairs_rising ? 1 : -1;
  }

  template <int D>
  Evidence search(const EvidenceOptions& options) {
    const int windows = static_cast<int>(m_samples.size());
    Multigrid<ExecSpace, Real, W> multigrid(m_exec, m_box, windows, m_status, options.start_axis,
                                            m_metrics);
    ConjugateGradients<ExecSpace, Real, W> gradients(m_exec, multigrid);
    const auto& level = multigrid.finest();
    const std::vector<Numbers> arrays = gradients.numbers("tessera::mpr::evidence", 5 + D);
    // samples, right side, solution, both together
    const Numbers &v = arrays[0], &b = arrays[1], &x = arrays[2], &field = arrays[3];
    enter_samples<ExecSpace, Real, W>(m_exec, level, m_angles, v);
    multigrid.set_couplings(options.start_axis, options.start_beta);
    DrawNoise<ExecSpace, Real, W, D> noise{
        seeded_philox(options.seed, kEvidenceStream), 0, multigrid.template op<D>(), {}, {}};
    noise.bend = arrays[4];
    for (int a = 0; a < D; ++a) noise.along[a] = arrays[static_cast<std::size_t>(a) + 5];
    m_row_sums = make_row_sums<kForms>(m_exec, level);
    m_sums = allocate<View<Sums<kForms>>>(m_exec, "tessera::mpr::forms",
                                          static_cast<std::size_t>(level.frames));
    Kokkos::parallel_for("tessera::mpr::draw_noise", range(level.size()), noise);

    Evidence evidence{options.start_axis,
                      options.start_beta,
                      has_noise() ? options.start_temperature : 0,
                      0,
                      0,
                      {},
                      false};
    const auto noisy =
        allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::noisy_samples",
                                    has_noise() ? static_cast<std::size_t>(level.size()) : 0);
    if (has_noise())
      Kokkos::parallel_for("tessera::mpr::take_noisy", range(level.size()),
                           TakeNoisy<ExecSpace, Real, W>{level, v, noisy});
    double temperature = evidence.temperature, length = 1e30;
    EvidenceSlope before;
    std::vector<EvidenceMove> moves;
    logging::Stage stage;
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < kMostSteps; ++step) {
      stop_at_signal();
      stage.count("step", step + 1);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (step > 0 && options.tell_pace)
        options.tell_pace(
            step, taken.count() / step,
            static_cast<double>(m_box.sites()) * static_cast<double>(m_samples.size()));
      multigrid.set_couplings(evidence.axis, evidence.beta);
      if (has_noise())
        multigrid.set_noise(m_noise, std::vector<double>(m_samples.size(), temperature));
      const auto op = multigrid.template op<D>();
      op.with_plainness([&](auto plain) {
        Kokkos::parallel_for("tessera::mpr::pull_of_samples", range(level.size()),
                             PullOfSamples<ExecSpace, Real, W, D, plain()>{op, v, b});
      });
      PerturbedSide<ExecSpace, Real, W, D> perturb{op, {}, noise.bend, b, 1};
      for (int a = 0; a < D; ++a) perturb.along[a] = noise.along[a];
      Kokkos::parallel_for("tessera::mpr::perturbed_side", range(level.size()), perturb);
      if (has_noise()) {
        const Philox random = seeded_philox(options.seed, kNoiseStream);
        Kokkos::parallel_for("tessera::mpr::perturb_noisy", range(level.size()),
                             PerturbNoisy<ExecSpace, Real, W>{random, 0, op.anchors, b, 1});
        Kokkos::parallel_for("tessera::mpr::pull_of_noisy", range(level.size()),
                             PullOfNoisy<ExecSpace, Real, W>{op.anchors, noisy, b});
      }
      // The energy of a draw is 1 a site; an error of it changes the derivatives by as much.
      const double accuracy =
          (length > 10 ? 1e-4 : 1e-6) * static_cast<double>(level.missing) / windows;
      Sums<W> target;
      for (int w = 0; w < W; ++w) target.v[w] = std::max(accuracy, 1e-3);
      target.v[0] =
          temperature > 0 ? target.v[0] * temperature : std::numeric_limits<double>::min();
      gradients.solve(b, x, target, temperature > 0 ? 20 : 6);
      Kokkos::parallel_for("tessera::mpr::join_columns", range(level.size()),
                           JoinColumns<ExecSpace, Real, W>{v, x, field});
      EvidenceSlope slope = has_noise()
                                ? slopes_with_noise<D>(op, field, evidence, options.trend)
                                : slopes<D>(op, field, evidence, options.trend, temperature);
      const EvidenceSlope found = slope;
      if (step > 0) moves.push_back(find_move(evidence.steps.back(), before, evidence, found));
      learn_curvature(moves, slope);
      before = found;
      EvidenceStep here{evidence.axis, evidence.beta, temperature, 0};
      here.slope = length = take_step(slope, options, D, evidence);
      if (has_noise()) temperature = evidence.temperature;
      evidence.steps.push_back(here);
      const bool is_short = here.slope < (has_noise() ? kShortStepOfNoise : kShortStep);
      evidence.settled = is_short || has_settled(here, evidence);
      if (step >= 2 && is_short) break;
    }
    return evidence;
  }

  /// Returns whether a step was too short to matter, however well the couplings are known: at their
  /// limits they go to and fro a little.
  static bool has_settled(const EvidenceStep& from, const Evidence& to) {
    double farthest = std::fabs(std::log(to.beta / from.beta));
    for (std::size_t a = 0; a < 3; ++a) {
      if (to.axis.strength[a] > 0)
        farthest =
            std::max(farthest, std::fabs(std::log(to.axis.strength[a] / from.axis.strength[a])));
    }
    if (to.temperature > 0)
      farthest = std::max(farthest, std::fabs(std::log(to.temperature / from.temperature)));
    return farthest < 0.05;
  }

  /// Forms of the data and the draws in a window.
  template <int D>
  struct WindowForms {
    Sums<Forms<D>::kCount> sums;
    double beta;
    /// The energy of the draws, whose mean is known, over that found: means over draws are
    /// multiplied by it
    double control = 1;
    /// v' dQ v for the derivatives in log beta (0) and in log A_a, of the data (group 0) and as the
    /// mean over the draws (1).
    double slope(int group, int parameter) const {
      using F = Forms<D>;
      const auto& s = sums.v;
      const double value = parameter == 0 ? beta * s[F::bend(group)]
                                          : s[F::along(group, parameter - 1)] +
                                                2 * beta * s[F::mixed(group, parameter - 1)];
      return group == 0 ? value : control * value / (W - 1);
    }
    /// v' Q v, over the draws as it was found
    double energy(int group) const {
      double quadratic = beta * sums.v[Forms<D>::bend(group)];
      for (int a = 0; a < D; ++a) quadratic += sums.v[Forms<D>::along(group, a)];
      return group == 0 ? quadratic : quadratic / (W - 1);
    }
    /// anchored: mean of x' A x over the draws.
    void set_control(std::int64_t unknown, double anchored) {
      const double found = energy(1) + anchored;
      if (found > 0) control = static_cast<double>(unknown) / found;
    }
  };

  /// Finds the forms of each window.
  template <int D>
  std::vector<WindowForms<D>> find_forms(const PrecisionOperator<ExecSpace, Real, W, D>& op,
                                         const Numbers& field, double beta) const {
    sum_rows<kForms>(m_exec, "tessera::mpr::sum_forms", op.level, m_row_sums,
                     SumForms<ExecSpace, Real, W, D>{op, field},
                     StoreSums<ExecSpace, kForms>{m_sums});
    std::vector<WindowForms<D>> forms;
    for (const Sums<kForms>& of_window : download(m_exec, m_sums))
      forms.push_back({of_window, beta});
    return forms;
  }

  /// Mean of x' A x over the draws, of each window.
  template <int D>
  std::vector<double> find_anchored(const PrecisionOperator<ExecSpace, Real, W, D>& op,
                                    const Numbers& field) const {
    const auto row_sum = make_row_sums<1>(m_exec, op.level);
    const auto sums = allocate<Kokkos::View<Sums<1>*, ExecSpace>>(
        m_exec, "tessera::mpr::anchored", static_cast<std::size_t>(op.level.frames));
    sum_rows<1>(m_exec, "tessera::mpr::sum_anchored", op.level, row_sum,
                SumAnchored<ExecSpace, Real, W>{op.anchors, field}, StoreSums<ExecSpace, 1>{sums});
    std::vector<double> means;
    for (const Sums<1>& sum : download(m_exec, sums)) means.push_back(sum.v[0] / (W - 1));
    return means;
  }

  /// Derivatives and information, given errors of samples.
  template <int D>
  EvidenceSlope slopes_with_noise(const PrecisionOperator<ExecSpace, Real, W, D>& op,
                                  const Numbers& field, const Evidence& evidence, double trend) {
    std::vector<WindowForms<D>> forms = find_forms<D>(op, field, evidence.beta);
    std::vector<double> anchored = find_anchored<D>(op, field);
    const std::vector<ModeSums> modes = sums_of_windows(evidence);
    const double share = static_cast<double>(m_variances.size()) /
                         (static_cast<double>(m_box.sites()) * static_cast<double>(forms.size()));
    const ModeSums known = m_modes.sum(typical_couplings(evidence.axis, m_metrics.front()),
                                       evidence.beta, typical_noise(evidence) / share);
    EvidenceSlope result;
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const ModeSums& mode = modes[f % modes.size()];
      forms[f].set_control(m_box.sites() - static_cast<std::int64_t>(m_exact[f]), anchored[f]);
      anchored[f] *= forms[f].control;
      for (int i = 0; i <= D; ++i)
        result.slope[i] += 0.5 * (mode.sum[i] - forms[f].slope(1, i) -
                                  forms[f].slope(0, i) / evidence.temperature);
      result.temperature_slope +=
          0.5 * (1 + trend - m_exact[f] - anchored[f] + forms[f].energy(0) / evidence.temperature);
      add_noisy_information(known, static_cast<double>(m_samples[f]), result);
    }
    return result;
  }

  /// Derivatives and information; sets the temperature.
  template <int D>
  EvidenceSlope slopes(const PrecisionOperator<ExecSpace, Real, W, D>& op, const Numbers& field,
                       const Evidence& evidence, double trend, double& temperature) {
    std::vector<WindowForms<D>> forms = find_forms<D>(op, field, evidence.beta);
    const std::vector<ModeSums> modes = sums_of_windows(evidence);
    EvidenceSlope result;
    double energy = 0, count = 0;
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const ModeSums& mode = modes[f % modes.size()];
      const double n = static_cast<double>(m_samples[f]) - 1 - trend,
                   quadratic = forms[f].energy(0);
      forms[f].set_control(m_box.sites() - m_samples[f], 0);
      energy += quadratic;
      count += n;
      for (int i = 0; i <= D; ++i) {
        result.slope[i] += 0.5 * (mode.sum[i] - forms[f].slope(1, i) -
                                  n * forms[f].slope(0, i) / std::max(quadratic, 1e-300));
        for (int j = 0; j <= D; ++j) {
          result.information[i][j] += 0.5 * n *
                                      (mode.product[i][j] / mode.count -
                                       mode.sum[i] / mode.count * (mode.sum[j] / mode.count));
        }
      }
    }
    temperature = energy / std::max(count, 1.0);
    return result;
  }

  /// Returns the sums over the modes of each window, or one for all of them where cells are all the
  /// same.
  std::vector<ModeSums> sums_of_windows(const Evidence& at) const {
    if (m_metrics.front().is_uniform() && !m_metrics.front().periodic)
      return {m_modes.sum(at.axis, at.beta)};
    std::vector<ModeSums> sums;
    for (const Metric& metric : m_metrics)
      sums.push_back(sum_modes(m_box, at.axis, at.beta, metric));
    return sums;
  }

  static constexpr std::uint32_t kEvidenceStream = 0xe71du, kNoiseStream = 0xe71eu;

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  bool m_has_noise;
  Grid m_box;
  std::vector<std::int64_t> m_samples;  // of each window
  Metrics m_metrics;
  Array<std::uint8_t> m_status;
  Array<Real> m_angles, m_noise;
  View<Sums<kForms>> m_row_sums, m_sums;
  DeviceModes<ExecSpace> m_modes;
  std::vector<double> m_variances;  // of the errors of all samples, where there is noise
  std::vector<double> m_exact;      // samples without an error, of each window
};

// Outside of the class, where they are not inline: sources that see the class declared as compiled
// elsewhere do not compile their kernels.

template <class ExecSpace, class Real>
EvidenceSearch<ExecSpace, Real>::EvidenceSearch(
    const ExecSpace& exec, const Grid& grid, const std::vector<int>& frames,
    const Array<const std::uint8_t>& status, const Array<const Real>& angles, const Metric& metric,
    const Array<const Real>& noise, std::int64_t least, const FrameShare& share)
    : m_exec(exec),
      m_ranks(share.ranks),
      m_has_noise(m_ranks.max(noise.extent(0) > 0 ? 1 : 0) > 0) {
  const std::vector<Window> windows = choose_windows(grid, frames);
  const Grid box = windows.front().box;
  const std::int64_t sites = box.sites();
  m_status = allocate<Array<std::uint8_t>>(exec, "tessera::mpr::evidence_status",
                                           windows.size() * static_cast<std::size_t>(sites));
  m_angles = allocate<Array<Real>>(exec, "tessera::mpr::evidence_angles",
                                   windows.size() * static_cast<std::size_t>(sites));
  m_noise = allocate<Array<Real>>(exec, "tessera::mpr::evidence_noise",
                                  m_has_noise ? m_angles.extent(0) : 0);
  std::vector<std::int64_t> kept;  // numbers of windows
  for (std::size_t k = 0; k < windows.size(); ++k) {
    if (share.is_divided() && !share.owns(windows[k].frame)) continue;
    const Window window = windows[k].counted_from(share.first);
    const std::int64_t to = static_cast<std::int64_t>(kept.size()) * sites;
    std::int64_t samples = 0;
    Kokkos::parallel_reduce(
        "tessera::mpr::cut_evidence", Range<ExecSpace>(exec, 0, sites),
        CutEvidence<ExecSpace, Real>{window, to, status, angles, m_status, m_angles},
        Kokkos::Sum<std::int64_t>(samples));
    exec.fence();
    if (samples < least) continue;  // the next one takes its place
    if (m_has_noise)
      Kokkos::parallel_for("tessera::mpr::cut_noise", Range<ExecSpace>(exec, 0, sites),
                           CutNumbers<ExecSpace, Real>{window, to, noise, m_noise});
    m_samples.push_back(samples);
    kept.push_back(static_cast<std::int64_t>(k));
  }
  m_box = box;
  m_modes = DeviceModes<ExecSpace>(exec, box);
  if (share.is_divided()) bring_windows(kept);
  for (const std::int64_t k : kept) {
    const Window& window = windows[static_cast<std::size_t>(k)];
    m_metrics.push_back(metric.cut(grid, box, window.y0, window.z0));
  }
  if (m_has_noise && m_ranks.is_root()) keep_variances();
}

template <class ExecSpace, class Real>
Evidence EvidenceSearch<ExecSpace, Real>::find(const EvidenceOptions& options) {
  Evidence evidence;
  m_ranks.at_root([&] { evidence = find_here(options); });
  if (m_ranks.size() > 1) tell(evidence);
  return evidence;
}

}  // namespace tessera::mpr::detail
