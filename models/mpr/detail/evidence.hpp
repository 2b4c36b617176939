// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/mpr/detail/conjugate_gradients.hpp"
#include "tessera/mpr/detail/evidence_kernels.hpp"
#include "tessera/mpr/detail/samples.hpp"
#include "tessera/mpr/detail/window.hpp"
#include "tessera/mpr/restricted_likelihood.hpp"

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
    const bool sample = status(i) == kSample;
    status_out(first + site) = sample ? kSample : kMissing;
    angles_out(first + site) = sample ? angles(i) : Real(0);
    samples += sample ? 1 : 0;
  }
};

/// Square differences of samples that are diagonal neighbours, and their numbers. A functor over the sites of all windows.
template <class ExecSpace, class Real>
struct DiagonalPairs {
  Grid box;
  Array<ExecSpace, const std::uint8_t> status;
  Array<ExecSpace, const Real> angles;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& rising, double& pairs_rising, double& falling,
                                         double& pairs_falling) const {
    const Position at = box.position(i);
    if (status(i) != kSample || at.y + 1 >= box.ny) return;
    if (at.x + 1 < box.nx) add(i, i + box.nx + 1, rising, pairs_rising);
    if (at.x > 0) add(i, i + box.nx - 1, falling, pairs_falling);
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(std::int64_t i, std::int64_t j, double& sum, double& pairs) const {
    if (status(j) != kSample) return;
    const double difference = static_cast<double>(angles(i)) - static_cast<double>(angles(j));
    sum += difference * difference;
    pairs += 1;
  }
};

/// Finds the couplings of greatest restricted likelihood (restricted_likelihood.hpp) from up to nine windows of some frames, of which there
/// is at least one. All functions wait for the device.
template <class ExecSpace, class Real>
class EvidenceSearch {
 public:
  template <class T>
  using Array = mpr::Array<ExecSpace, T>;

  EvidenceSearch(const ExecSpace& exec, const Grid& grid, const std::vector<int>& frames, const Array<const std::uint8_t>& status,
                 const Array<const Real>& angles, const Metric& metric = {})
      : m_exec(exec) {
    const std::vector<Window> windows = choose_windows(grid, frames);
    const Grid box = windows.front().box;
    const std::int64_t sites = box.sites();
    m_status = allocate<Array<std::uint8_t>>(exec, "tessera::mpr::evidence_status", windows.size() * static_cast<std::size_t>(sites));
    m_angles = allocate<Array<Real>>(exec, "tessera::mpr::evidence_angles", windows.size() * static_cast<std::size_t>(sites));
    std::int64_t kept = 0;
    for (const Window& window : windows) {
      std::int64_t samples = 0;
      Kokkos::parallel_reduce("tessera::mpr::cut_evidence", Range<ExecSpace>(exec, 0, sites),
                              CutEvidence<ExecSpace, Real>{window, kept * sites, status, angles, m_status, m_angles},
                              Kokkos::Sum<std::int64_t>(samples));
      exec.fence();
      if (samples < kLeastSamples) continue;  // the next one takes its place
      m_samples.push_back(samples);
      m_metrics.push_back(metric.cut(grid, box, window.y0, window.z0));
      ++kept;
    }
    m_box = box;
  }

  /// Bytes on the device.
  static double memory(const Grid& grid, int frames) {
    const std::vector<Window> windows = choose_windows(grid, count_frames(frames));
    const Grid box = windows.front().box;
    const double cells = (box.nx + 4.0) * (box.ny + 4.0) * (box.nz > 1 ? box.nz + 4.0 : 1.0) * static_cast<double>(windows.size());
    return cells * (1.4 * Multigrid<ExecSpace, Real, W>::bytes_a_cell() + 11 * sizeof(Column) + 1 + sizeof(Real));
  }

  /// Samples in all windows; with none there is no evidence.
  bool has_data() const { return !m_samples.empty(); }

  Evidence find(const EvidenceOptions& options) {
    if (m_box.dimension() == 3) return search<3>(options);
    return options.axis && options.diagonal ? search_with_diagonal(options) : search<2>(options);
  }

 private:
  static constexpr int W = 8;
  static constexpr std::int64_t kLeastSamples = 100;
  static constexpr int kMostSteps = 15;
  using Column = Columns<Real, W>;
  using Numbers = Array<Column>;

  static std::vector<Window> choose_windows(const Grid& grid, const std::vector<int>& frames) {
    return spread_windows(grid, frames, grid.nz > 1 ? 48 : 256, 1 << 18, 9);
  }

  Range<ExecSpace> range(std::int64_t n) const { return {m_exec, 0, n}; }

  /// Starts with a weak coupling along the diagonal across which samples differ less.
  Evidence search_with_diagonal(EvidenceOptions options) {
    options.start_axis.tilt = smoother_diagonal();
    options.start_axis[2] = 0.3;
    Evidence evidence = search<3>(options);
    if (evidence.axis[2] < 0.03 * std::min(evidence.axis[0], evidence.axis[1])) evidence.axis.tilt = 0;  // at its limit
    return evidence;
  }

  /// 1 where samples at (1, 1) from each other are more alike than those at (-1, 1), else -1.
  int smoother_diagonal() const {
    double rising = 0, falling = 0, pairs_rising = 0, pairs_falling = 0;
    Kokkos::parallel_reduce("tessera::mpr::diagonal_pairs", range(m_box.sites() * static_cast<std::int64_t>(m_samples.size())),
                            DiagonalPairs<ExecSpace, Real>{m_box, m_status, m_angles}, Kokkos::Sum<double>(rising),
                            Kokkos::Sum<double>(pairs_rising), Kokkos::Sum<double>(falling), Kokkos::Sum<double>(pairs_falling));
    m_exec.fence();
    return rising * pairs_falling <= falling * pairs_rising ? 1 : -1;
  }

  template <int D>
  Evidence search(const EvidenceOptions& options) {
    const int windows = static_cast<int>(m_samples.size());
    Multigrid<ExecSpace, Real, W> multigrid(m_exec, m_box, windows, m_status, options.start_axis, m_metrics);
    ConjugateGradients<ExecSpace, Real, W> gradients(m_exec, multigrid);
    const auto& level = multigrid.finest();
    const Numbers v = gradients.numbers("tessera::mpr::evidence_samples"), b = gradients.numbers("tessera::mpr::right_side"),
                  x = gradients.numbers("tessera::mpr::solution"), field = gradients.numbers("tessera::mpr::evidence_field");
    enter_samples<ExecSpace, Real, W>(m_exec, level, m_angles, v);
    multigrid.set_couplings(options.start_axis, options.start_beta);
    DrawNoise<ExecSpace, Real, W, D> noise{
        Philox(static_cast<std::uint32_t>(options.seed), kEvidenceStream), 0, multigrid.template op<D>(), {}, {}};
    for (int a = 0; a < D; ++a) noise.along[a] = gradients.numbers("tessera::mpr::noise");
    noise.bend = gradients.numbers("tessera::mpr::noise");
    Kokkos::parallel_for("tessera::mpr::draw_noise", range(level.size()), noise);

    Evidence evidence{options.start_axis, options.start_beta, 0, 0, {}};
    double temperature = 0, length = 1e30;
    for (int step = 0; step < kMostSteps; ++step) {
      multigrid.set_couplings(evidence.axis, evidence.beta);
      const auto op = multigrid.template op<D>();
      op.with_plainness([&](auto plain) {
        Kokkos::parallel_for("tessera::mpr::pull_of_samples", range(level.size()), PullOfSamples<ExecSpace, Real, W, D, plain()>{op, v, b});
      });
      PerturbedSide<ExecSpace, Real, W, D> perturb{op, {}, noise.bend, b, 1};
      for (int a = 0; a < D; ++a) perturb.along[a] = noise.along[a];
      Kokkos::parallel_for("tessera::mpr::perturbed_side", range(level.size()), perturb);
      // The energy of a draw is 1 a site; an error of it changes the derivatives by as much.
      const double accuracy = (length > 10 ? 1e-4 : 1e-6) * static_cast<double>(level.missing) / windows;
      Sums<W> target;
      for (int w = 0; w < W; ++w) target.v[w] = std::max(accuracy, 1e-3);
      target.v[0] = temperature > 0 ? target.v[0] * temperature : std::numeric_limits<double>::min();
      gradients.solve(b, x, target, temperature > 0 ? 20 : 6);
      Kokkos::parallel_for("tessera::mpr::join_columns", range(level.size()), JoinColumns<ExecSpace, Real, W>{v, x, field});
      const EvidenceSlope slope = slopes<D>(op, field, evidence, temperature);
      EvidenceStep here{evidence.axis, evidence.beta, temperature, 0};
      here.slope = length = take_step(slope, options, D, evidence);
      evidence.steps.push_back(here);
      if (step >= 2 && here.slope < 0.5) break;
    }
    return evidence;
  }

  /// Derivatives and information; sets the temperature.
  template <int D>
  EvidenceSlope slopes(const PrecisionOperator<ExecSpace, Real, W, D>& op, const Numbers& field, const Evidence& evidence,
                       double& temperature) {
    using F = Forms<D>;
    const auto& level = op.level;
    const auto frames = static_cast<std::size_t>(level.frames);
    const auto row_sum = make_row_sums<F::kCount>(m_exec, level);
    const auto sums = allocate<Kokkos::View<Sums<F::kCount>*, ExecSpace>>(m_exec, "tessera::mpr::forms", frames);
    sum_rows<F::kCount>(m_exec, "tessera::mpr::sum_forms", level, row_sum, SumForms<ExecSpace, Real, W, D>{op, field},
                        StoreSums<ExecSpace, F::kCount>{sums});
    const std::vector<ModeSums> modes = sums_of_windows(evidence);
    EvidenceSlope result;
    double energy = 0, count = 0;
    const std::vector<Sums<F::kCount>> host = download(m_exec, sums);
    for (std::size_t f = 0; f < frames; ++f) {
      const auto& s = host[f].v;
      const ModeSums& mode = modes[f % modes.size()];
      const double n = static_cast<double>(m_samples[f]) - 1;
      // v' dQ v for the derivatives in log beta and in log A_a, of the data (0) and as the mean over the draws (1).
      const auto form = [&](int group, int parameter) {
        const double value = parameter == 0 ? evidence.beta * s[F::bend(group)]
                                            : s[F::along(group, parameter - 1)] + 2 * evidence.beta * s[F::mixed(group, parameter - 1)];
        return group == 0 ? value : value / (W - 1);
      };
      double quadratic = evidence.beta * s[F::bend(0)];
      for (int a = 0; a < D; ++a) quadratic += s[F::along(0, a)];
      energy += quadratic;
      count += n;
      for (int i = 0; i <= D; ++i) {
        result.slope[i] += 0.5 * (mode.sum[i] - form(1, i) - n * form(0, i) / std::max(quadratic, 1e-300));
        for (int j = 0; j <= D; ++j) {
          result.information[i][j] += 0.5 * n * (mode.product[i][j] / mode.count - mode.sum[i] / mode.count * (mode.sum[j] / mode.count));
        }
      }
    }
    temperature = energy / std::max(count, 1.0);
    return result;
  }

  /// Of each window, or of all of them where cells are all the same.
  std::vector<ModeSums> sums_of_windows(const Evidence& at) const {
    if (m_metrics.front().is_uniform() && !m_metrics.front().periodic) return {sum_modes(m_box, at.axis, at.beta)};
    std::vector<ModeSums> sums;
    for (const Metric& metric : m_metrics) sums.push_back(sum_modes(m_box, at.axis, at.beta, metric));
    return sums;
  }

  static constexpr std::uint32_t kEvidenceStream = 0xe71du;

  ExecSpace m_exec;
  Grid m_box;
  std::vector<std::int64_t> m_samples;  // of each window
  Metrics m_metrics;
  Array<std::uint8_t> m_status;
  Array<Real> m_angles;
};

}  // namespace tessera::mpr::detail
