// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/chains/local_temperature.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/fill/gap_fill_kernels.hpp"
#include "tessera/mpr/fill/value_range.hpp"
#include "tessera/mpr/linear/evidence.hpp"
#include "tessera/mpr/linear/packs.hpp"

namespace tessera::mpr {

/// Couplings of curvature below this are not worth their second neighbours.
inline constexpr double kLeastBeta = 0.003;
/// Error of a solved mean over its standard deviation, in units of the root of the energy of the
/// error over that of a draw: measured, on the terrain (tests/unit/mpr_fill.cpp).
inline constexpr double kErrorOfValues = 4;
/// Parts of a chain that tell the error of its mean.
inline constexpr int kBatchMeans = 4;
/// Packs of exact draws for the samples held out, whose classes of distance average over many
/// sites.
inline constexpr int kHeldPacks = 1;

template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::memory(const Grid& grid, int frames, const FillOptions& options,
                                        int all_frames) {
  ChainSettings settings;
  settings.grid = grid;
  settings.frames = frames;
  settings.replicas = options.replicas;
  const double sites = static_cast<double>(grid.sites()) * frames;
  // status, distance; values, angles, results
  const double arrays = sites * (1 + 2 + 4 * sizeof(Real));
  const double chains = Chains<ExecSpace, Real>::memory(settings);
  if (options.paper) return arrays + chains + (options.mean_error ? 4 * sites * sizeof(Real) : 0);
  // One after the other; what the gaps are like is not known yet.
  const bool noise = options.noise;
  // status, errors as given and in angle, samples
  const double errors = noise ? sites * (1 + 3 * sizeof(Real)) : 0;
  const double start = LinearFill<ExecSpace, Real>::memory(grid, frames, noise);
  const double draws =
      options.sampler == Sampler::sweeps
          ? 0
          : detail::GaussianDraws<ExecSpace, Real>::memory(grid, frames, noise, all_frames) +
                2 * sites * sizeof(Real);
  // for windows, which may come from other ranks
  const int together = std::max(frames, all_frames);
  const double evidence =
      options.part ? 0 : detail::EvidenceSearch<ExecSpace, Real>::memory(grid, together, noise);
  const double hold_out = options.part ? 0
                                       : detail::HoldOut<ExecSpace, Real>::most_memory(
                                             grid, options.windows ? 1 : together, noise);
  const double trend = detail::TrendFit<ExecSpace, Real>::memory(sites, options.trend);
  return arrays + errors + trend + std::max({start, draws, evidence, hold_out, noise ? 0 : chains});
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::prepare(const Array<const Real>& values,
                                       const Array<const std::uint8_t>& status,
                                       const Array<const Real>& noise,
                                       const Array<const Real>& trend) {
  estimate(values, status, noise, trend);
  wants_draws() ? start_draws() : start_chains();
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::estimate(const Array<const Real>& values,
                                        const Array<const std::uint8_t>& status,
                                        const Array<const Real>& noise,
                                        const Array<const Real>& trend) {
  m_status = status;
  m_trend.reset();
  m_evidence = {};
  {
    const logging::Region region("tessera::mpr::estimate");
    logging::Stage expected;
    const auto begin = std::chrono::steady_clock::now();
    m_tell_pace = [&](int steps, double seconds, double cells) {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      expected.set("some " +
                   logging::duration(taken.count() + seconds_left(steps, seconds, cells)) +
                   " expected in all");
    };
    if (m_options.trend > 0) {
      m_trend = std::make_unique<detail::TrendFit<ExecSpace, Real>>(
          m_exec, m_grid, m_frames, status, values, trend, m_options.trend, m_share,
          m_options.windows);
      m_options.part ? take_trend(status, noise) : estimate_with_trend(status, noise);
    } else {
      estimate_model(values, status, noise);
    }
    if (!m_options.paper) fill_linearly();
    stop_at_signal();
    choose_temperatures();
    if (m_options.windows) pool_windows();
    if (m_trend) {
      std::vector<double> of_values = of_frames_here(temperatures());
      for (int f = 0; f < m_frames; ++f) of_values[static_cast<std::size_t>(f)] *= square_scale(f);
      m_trend->set_temperatures(of_values);
    }
    calibrate();
    m_tell_pace = nullptr;
  }
}

/// What a fill takes from a step of the search for the couplings on, by the pace of those before:
/// measured on one core, within a factor of two or so. Draws and what is made ready for them take
/// as long for each cell as some steps.
template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::seconds_left(int steps, double seconds, double cells) const {
  // packs of draws, and their part of a step
  constexpr double kUsualSteps = 7, kReady = 7, kReadyForSweeps = 2, kOfStep = 0.65;
  const double sites = static_cast<double>(m_grid.sites()) * m_share.in_all(m_frames);
  const double packs = wants_draws() ? kReady + static_cast<double>(m_options.draws) / detail::kPack
                                     : kReadyForSweeps;
  return seconds * (std::max(1.0, kUsualSteps - steps) + kOfStep * packs * sites / cells);
}

/// The coefficients come from differences of neighbours, then with couplings that were found in
/// what that leaves.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::estimate_with_trend(const Array<const std::uint8_t>& status,
                                                   const Array<const Real>& noise) {
  fit_trend({{1, 1, m_grid.nz > 1 ? 1.0 : 0.0}}, 0, false);
  estimate_model(m_trend->residuals(), status, noise);
  fit_trend(m_axis, m_beta, m_options.noise);
  if (m_options.find_range && !m_options.range)
    m_options.range = m_options.find_range(m_trend->estimate().coefficient);
  estimate_model(m_trend->residuals(), status, noise);
  fit_trend(m_axis, m_beta, m_options.noise);
  enter_angles(m_trend->residuals());
}

/// The coefficients are those of the image that this is a part of.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::take_trend(const Array<const std::uint8_t>& status,
                                          const Array<const Real>& noise) {
  const Part& part = *m_options.part;
  m_trend->take_coefficients(part.estimates.trend);
  estimate_model(m_trend->residuals(), status, noise);
  const logging::Region region("tessera::mpr::fit_trend");
  const logging::Stage stage("trend");
  LinearFill<ExecSpace, Real> fill(m_exec, m_grid, m_frames, m_status, m_axis, metrics(), m_share);
  give_noise(fill);
  m_trend->take(part.estimates.trend, fill, status, m_status, part.rim, m_axis, m_beta,
                m_options.fill_iterations);
}

template <class ExecSpace, class Real>
Estimates GapFill<ExecSpace, Real>::estimates() const {
  Estimates found;
  found.low = std::numeric_limits<double>::infinity();
  found.high = -found.low;
  for (const FrameReport& report : m_reports) {
    const double margin =
        (report.high - report.low) * m_options.padding / (1 + 2 * m_options.padding);
    found.low = std::min(found.low, report.low + margin);
    found.high = std::max(found.high, report.high - margin);
  }
  if (m_options.range) {
    found.low = (*m_options.range)[0];
    found.high = (*m_options.range)[1];
  }
  found.temperature = m_reports.front().temperature;
  found.axis = m_axis;
  found.beta = m_beta;
  found.gaps = m_gaps;
  found.calibration = m_calibration;
  if (m_trend) found.trend = m_trend->estimate();
  return found;
}

/// Windows of one image have its temperature: the mean of theirs, by their samples.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::pool_windows() {
  double sum = 0, samples = 0;
  for (const FrameReport& report : m_reports) {
    if (report.samples < 2 || report.missing == 0) continue;
    sum += report.temperature * static_cast<double>(report.samples - 1);
    samples += static_cast<double>(report.samples - 1);
  }
  for (FrameReport& report : m_reports) {
    if (samples > 0) report.temperature = sum / samples;
  }
}

/// Range of the samples, couplings, and with errors of samples the temperatures.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::estimate_model(const Array<const Real>& values,
                                              const Array<const std::uint8_t>& status,
                                              const Array<const Real>& noise) {
  m_status = status;
  map_samples(values);
  if (m_options.noise) enter_noise(noise);
  choose_couplings();
  if (m_options.noise) find_noisy_temperatures();
}

/// The coefficients of the trend by generalised least squares.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::fit_trend(const AxisCouplings& axis, double beta, bool noise) {
  const logging::Region region("tessera::mpr::fit_trend");
  const logging::Stage stage("trend");
  LinearFill<ExecSpace, Real> fill(m_exec, m_grid, m_frames, m_status, axis, metrics(), m_share);
  if (noise) give_noise(fill);
  m_trend->fit(fill, m_status, axis, beta, m_options.fill_iterations);
}

/// How many sites of a frame here are samples, missing or neither, and the range of its samples.
template <class ExecSpace, class Real>
FrameReport GapFill<ExecSpace, Real>::describe_samples(int frame,
                                                       const Array<const Real>& values) const {
  const detail::FrameRange range =
      detail::frame_range<ExecSpace, Real>(m_exec, m_grid, frame, m_status, values);
  FrameReport report;
  report.samples = range.samples;
  report.missing = range.missing;
  report.inactive = range.inactive;
  if (range.samples == 0 && range.missing > 0 && !m_options.part) {
    throw Error(ErrorKind::input,
                name_of(frame) + (m_share.in_all(m_frames) > 1 ? " has" : " have") +
                    " no sample: all " + std::to_string(range.missing) + " sites are missing",
                "check input.missing_value and input.mask");
  }
  report.low = range.low;
  report.high = range.high;
  return report;
}

/// The ranges of the samples become those of the angles: with margins, and the same for all windows
/// of an image.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::widen_ranges() {
  std::optional<std::array<double, 2>> common = m_options.range;
  if (m_options.windows && !common) {
    for (const FrameReport& report : m_reports) {
      if (report.samples == 0) continue;
      common = {std::min(common ? (*common)[0] : report.low, report.low),
                std::max(common ? (*common)[1] : report.high, report.high)};
    }
  }
  for (FrameReport& report : m_reports) {
    const double low = common ? (*common)[0] : report.low,
                 high = common ? (*common)[1] : report.high;
    report.constant = !(high > low);
    const double margin = m_options.padding * (high - low);
    report.low = report.samples > 0 || common ? low - margin : 0;
    report.high = report.samples > 0 || common ? high + margin : 0;
  }
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::map_samples(const Array<const Real>& values) {
  const std::size_t all = static_cast<std::size_t>(m_grid.sites()) * m_frames;
  m_angles = Array<Real>(
      Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::angles"), all);
  m_reports.clear();
  m_share.ranks.together([&] {
    for (int f = 0; f < m_frames; ++f) m_reports.push_back(describe_samples(f, values));
  });
  m_reports = m_share.ranks.all_gather(m_reports);
  if (!m_trend && !m_options.part && !m_options.windows) {
    for (int f = 0; f < m_share.in_all(m_frames); ++f) {
      const FrameReport& report = m_reports[static_cast<std::size_t>(f)];
      if (report.samples == 0) continue;
      check_values(report.low, report.high, std::is_same_v<Real, float>,
                   m_reports.size() > 1 ? "frame " + std::to_string(f) : "the data");
    }
  }
  widen_ranges();
  enter_angles(values);
  m_distance = Array<std::uint16_t>(
      Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::distance"),
      m_options.paper ? 0 : all);
  if (m_options.paper) return;
  const int reach = m_options.part ? m_options.part->halo : 250;
  m_gaps = detail::gap_distances<ExecSpace>(m_exec, m_grid, m_frames, m_status, m_distance, reach,
                                            m_options.metric.periodic, false, m_share);
  if (m_grid.nz > 1 && detail::has_distant_sites<ExecSpace>(m_exec, m_status, m_distance, m_share))
    m_gaps.block = std::max(m_gaps.block, 2);
  if (!m_options.part) return;
  m_gaps = m_options.part->estimates.gaps;
  if (!m_options.part->rim.sites.empty()) hold_rim();
}

/// Missing sites of the rim that are far from every sample become samples with the values that are
/// known of them.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::hold_rim() {
  const Rim& rim = m_options.part->rim;
  const auto status =
      allocate<Array<std::uint8_t>>(m_exec, "tessera::mpr::status_with_rim", m_angles.extent(0));
  Kokkos::deep_copy(m_exec, status, m_status);
  const FrameReport& report = m_reports.front();
  Kokkos::parallel_for(
      "tessera::mpr::hold_rim",
      detail::Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(rim.sites.size())),
      detail::HoldRim<ExecSpace, Real>{upload(m_exec, "tessera::mpr::rim_sites", rim.sites),
                                       upload(m_exec, "tessera::mpr::rim_values", rim.values),
                                       m_distance, status, m_angles, report.low, report.high});
  m_exec.fence();  // before the temporary arrays go
  m_status = status;
}

/// With the ranges that were found before.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::enter_angles(const Array<const Real>& values) {
  for (int f = 0; f < m_frames; ++f) {
    const FrameReport& report = report_here(f);
    Kokkos::parallel_for(
        "tessera::mpr::to_angles", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
        detail::ToAngles<ExecSpace, Real>{m_status, values, m_angles, f * m_grid.sites(),
                                          report.low, report.high});
  }
  if (m_samples.extent(0) > 0) Kokkos::deep_copy(m_exec, m_samples, m_angles);
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::enter_noise(const Array<const Real>& noise) {
  const std::size_t all = m_angles.extent(0);
  const auto status = allocate<Array<std::uint8_t>>(m_exec, "tessera::mpr::status_with_noise", all);
  m_noise = allocate<Array<Real>>(m_exec, "tessera::mpr::noise", all);
  m_samples = allocate<Array<Real>>(m_exec, "tessera::mpr::samples", all);
  Kokkos::deep_copy(m_exec, status, m_status);
  Kokkos::deep_copy(m_exec, m_samples, m_angles);
  for (int f = 0; f < m_frames; ++f) {
    const FrameReport& report = report_here(f);
    const double scale = report.constant ? 0 : kPi / (report.high - report.low);
    Kokkos::parallel_for(
        "tessera::mpr::mark_noisy", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
        detail::MarkNoisy<ExecSpace, Real>{noise, status, m_noise, f * m_grid.sites(), scale});
  }
  m_status = status;
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::choose_couplings() {
  stop_at_signal();
  const int dimension = m_grid.dimension();
  // Frames share their couplings, which are estimated from all of them together.
  m_means.clear();
  PairMeans pooled;
  const bool far = m_options.paper && m_options.curvature.value_or(0) > 0;  // for equipartition
  for (int f = 0; f < m_frames; ++f)
    m_means.push_back(
        detail::pair_means<ExecSpace, Real>(m_exec, m_grid, f, m_status, m_angles, far));
  m_means = m_share.ranks.all_gather(m_means);
  for (const PairMeans& means : m_means) {
    for (int a = 0; a < 3; ++a) {
      const double before = pooled.nearest_count[a], more = means.nearest_count[a];
      if (more > 0)
        pooled.nearest[a] =
            (pooled.nearest[a] * before + means.nearest[a] * more) / (before + more);
      pooled.nearest_count[a] += more;
    }
  }
  m_axis = {{1, 1, dimension == 3 ? 1.0 : 0.0}};
  if (m_options.anisotropy == Anisotropy::estimated) {
    m_axis = {axis_couplings(pooled, dimension)};
    const std::array<double, 3> factor = m_options.metric.mean();
    for (int a = 0; a < 3; ++a) m_axis[a] /= factor[static_cast<std::size_t>(a)];
  }
  if (m_options.axis) m_axis = *m_options.axis;
  if (dimension == 3) m_axis.tilt = 0;
  m_beta = m_options.curvature.value_or(0);
  const Evidence before = std::exchange(m_evidence, Evidence());
  if (m_options.part) return;
  if (!m_options.paper && !is_constant() && has_gaps()) find_evidence(before);
}

template <class ExecSpace, class Real>
std::vector<int> GapFill<ExecSpace, Real>::frames_with_variation() const {
  std::vector<int> frames;
  for (std::size_t f = 0; f < m_reports.size(); ++f) {
    if (!m_reports[f].constant) frames.push_back(static_cast<int>(f));
  }
  return frames;
}

template <class ExecSpace, class Real>
std::vector<int> GapFill<ExecSpace, Real>::frames_to_calibrate() const {
  std::vector<int> frames;
  for (const int f : frames_with_variation()) {
    const FrameReport& report = m_reports[static_cast<std::size_t>(f)];
    if ((report.missing > 0 || m_options.noise) && !report.uncorrelated) frames.push_back(f);
  }
  return frames;
}

/// The couplings that are left open. before: what was found with another trend.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::find_evidence(const Evidence& before) {
  EvidenceOptions wanted;
  wanted.beta = !m_options.curvature;
  wanted.axis = !m_options.axis && m_options.anisotropy == Anisotropy::evidence;
  wanted.diagonal = wants_draws();
  if (!wanted.beta && !wanted.axis) return;
  wanted.start_axis = m_axis;
  wanted.start_beta = m_options.curvature.value_or(1);
  if (!before.steps.empty() && wanted.axis) wanted.start_axis = before.axis;
  if (!before.steps.empty() && wanted.beta) wanted.start_beta = before.beta;
  wanted.trend = lost_to_trend();
  wanted.seed = m_options.seed;
  wanted.temperature = !m_options.temperature;
  wanted.tell_pace = m_tell_pace;
  if (m_options.noise)
    wanted.start_temperature = m_options.temperature ? *m_options.temperature : rough_temperature();
  const logging::Stage stage("couplings");
  using Search = detail::EvidenceSearch<ExecSpace, Real>;
  Search search(m_exec, m_grid, frames_with_variation(), m_status, samples(), m_options.metric,
                m_noise, Search::kLeastSamples, m_share);
  if (!search.has_data()) return;
  m_evidence = search.find(wanted);
  if (!m_evidence.settled) {
    logging::warning("the couplings of greatest evidence were not found in " +
                     std::to_string(m_evidence.steps.size()) + " steps: the last one was " +
                     std::to_string(m_evidence.steps.back().slope) +
                     " standard errors long\n  remedy: give model.curvature and model.anisotropy "
                     "(equal, estimated) or model.couplings" +
                     wider_precision(", or "));
  }
  m_axis = m_evidence.axis;
  m_beta = wanted.beta && m_evidence.beta < kLeastBeta ? 0 : m_evidence.beta;
}

/// That of differences of neighbouring samples, pooled over the frames, of which at most nine
/// tenths may come from errors: for a search to start with.
template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::rough_temperature() const {
  double sum = 0, count = 0;
  for (const PairMeans& means : m_means) {
    for (int a = 0; a < m_grid.dimension(); ++a) {
      sum += means.nearest_count[a] * 2 * (1 - means.nearest[a]);
      count += means.nearest_count[a];
    }
  }
  const std::vector<Real> noise = download(m_exec, m_noise);
  const std::vector<std::uint8_t> status = download(m_exec, m_status);
  std::vector<double> of_frame(static_cast<std::size_t>(m_frames), 0);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (has_value(status[i]))
      of_frame[i / static_cast<std::size_t>(m_grid.sites())] +=
          static_cast<double>(noise[i]) * static_cast<double>(noise[i]);
  }
  double variance = 0, samples = 0;
  for (const double sum_of_frame : m_share.ranks.all_gather(of_frame)) variance += sum_of_frame;
  for (const FrameReport& report : m_reports) samples += static_cast<double>(report.samples);
  const double difference = count > 0 ? sum / count : 0.1,
               of_errors = 2 * variance / std::max(samples, 1.0);
  return std::max({difference - of_errors, 0.1 * difference, 1e-9}) * m_grid.dimension();
}

/// With errors of samples the temperature of greatest evidence is looked for with the couplings;
/// here that of each frame with couplings that are known.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::find_noisy_temperatures() {
  const bool is_known = m_options.temperature || m_evidence.temperature > 0;
  const double pooled = m_options.temperature ? *m_options.temperature
                        : is_known            ? m_evidence.temperature
                                              : rough_temperature();
  m_noisy_temperatures.assign(m_reports.size(), pooled);
  if (m_options.temperature || (is_known && (m_reports.size() == 1 || m_options.windows))) return;
  EvidenceOptions wanted;
  wanted.beta = wanted.axis = false;
  wanted.start_axis = m_axis;
  wanted.start_beta = m_beta;
  wanted.start_temperature = pooled;
  wanted.trend = lost_to_trend();
  wanted.seed = m_options.seed;
  std::vector<double> here = of_frames_here(m_noisy_temperatures);
  for (int f = 0; f < m_frames; ++f) {
    if (report_here(f).constant) continue;
    detail::EvidenceSearch<ExecSpace, Real> search(m_exec, m_grid, {f}, m_status, samples(),
                                                   m_options.metric, m_noise, 2);
    if (search.has_data()) here[static_cast<std::size_t>(f)] = search.find(wanted).temperature;
  }
  m_noisy_temperatures = m_share.ranks.all_gather(here);
}

/// The mean: the solution of the linear equations with these couplings replaces the angles of the
/// missing sites.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::fill_linearly() {
  stop_at_signal();
  const logging::Region region("tessera::mpr::linear_fill");
  const logging::Stage stage("mean");
  double temperature = m_evidence.steps.empty() ? 0 : m_evidence.steps.back().temperature;
  LinearFill<ExecSpace, Real> fill(m_exec, m_grid, m_frames, m_status, m_axis, metrics(), m_share);
  give_noise(fill);
  stop_at_signal();
  if (m_options.part) {
    const FrameReport& report = m_reports.front();
    fill.set_mean(kPi * (m_options.part->estimates.mean - report.low) /
                  std::max(report.high - report.low, 1e-300));
    temperature = *m_options.temperature;
  }
  if (m_options.noise)
    temperature = *std::min_element(m_noisy_temperatures.begin(), m_noisy_temperatures.end());
  double tolerance = 0;
  const auto find_tolerance = [&] {
    tolerance = std::max(m_options.fill_tolerance * std::sqrt(std::max(temperature, 1e-9)),
                         sizeof(Real) == 4 ? 1e-7 : 1e-14);
    return tolerance;
  };
  if (temperature > 0) {
    m_linear = fill.solve(m_angles, m_axis, m_beta, find_tolerance(), m_options.fill_iterations);
  } else {  // without evidence it is that of a rough solution
    const auto from_rough = [&](const std::vector<double>& rough) {
      for (const int f : frames_with_variation()) {
        const double here = rough[static_cast<std::size_t>(f)];
        temperature = temperature > 0 ? std::min(temperature, here) : here;
      }
      return find_tolerance();
    };
    m_linear = fill.solve(m_angles, m_axis, m_beta, from_rough, m_options.fill_iterations);
  }
  if (!m_linear.converged) {
    logging::warning("the linear equations of the mean were not solved in " +
                     std::to_string(m_options.fill_iterations) + " iterations: their error is " +
                     std::to_string(m_linear.error) + " rad instead of " +
                     std::to_string(tolerance) +
                     "\n  remedy: lower model.curvature, or give model.anisotropy: equal" +
                     wider_precision(", or "));
  }
  check_mean();
}

/// Warns of a mean that is beyond the samples by more than their range, and throws where it is
/// none.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::check_mean() const {
  double here = 0;
  Kokkos::parallel_reduce(
      "tessera::mpr::farthest_angle",
      detail::Range<ExecSpace>(m_exec, 0, static_cast<std::int64_t>(m_angles.extent(0))),
      detail::FarthestAngle<ExecSpace, Real>{m_status, m_angles}, Kokkos::Max<double>(here));
  m_exec.fence();
  const double beyond = m_share.largest(here) / kPi - 0.5;  // in ranges
  const std::string remedy =
      "lower model.curvature, or give model.anisotropy: equal" + wider_precision(", or ");
  if (!(beyond < 1e6))
    throw Error(ErrorKind::numerical, "the linear equations of the mean have no finite solution",
                remedy);
  if (beyond < 1) return;
  char times[32];
  std::snprintf(times, sizeof times, "%.3g", beyond);
  logging::warning("predictions lie beyond the samples by up to " + std::string(times) +
                   " times the range of these\n  remedy: " + remedy +
                   "; output.clip keeps predictions within the samples");
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::choose_temperatures() {
  for (std::size_t f = 0; f < m_reports.size(); ++f) {
    FrameReport& report = m_reports[f];
    const PairMeans& means = m_means[f];
    double sum = 0;
    for (int a = 0; a < m_grid.dimension(); ++a) {
      sum += means.nearest_count[a] * means.nearest[a];
      report.sample_pairs += means.nearest_count[a];
    }
    report.sample_energy = report.sample_pairs > 0 ? -sum / report.sample_pairs : 0;
  }
  std::vector<double> here;
  m_share.ranks.together([&] {
    for (int f = 0; f < m_frames; ++f) here.push_back(temperature_of(f));
  });
  const std::vector<double> found = m_share.ranks.all_gather(here);
  for (std::size_t f = 0; f < m_reports.size(); ++f) {
    m_reports[f].uncorrelated = !(found[f] < 1e4);
    m_reports[f].temperature = m_reports[f].uncorrelated ? 1e4 : found[f];
  }
}

template <class ExecSpace, class Real>
std::vector<double> GapFill<ExecSpace, Real>::temperatures() const {
  std::vector<double> values;
  for (const FrameReport& report : m_reports) values.push_back(report.temperature);
  return values;
}

/// Measures what standard deviations must be multiplied by.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::calibrate() {
  m_calibration = {};
  m_factors = {};
  const std::vector<int> frames = frames_to_calibrate();
  if (m_options.part) {
    m_calibration = m_options.part->estimates.calibration;
  } else if (m_options.calibrate == Calibrate::none || frames.empty()) {
    return;
  } else {
    const logging::Region region("tessera::mpr::calibrate");
    int held_draws = 0;
    const std::vector<HeldOutSample> samples = predict_all_held(frames, held_draws);
    const int draws = held_draws > 0 ? m_options.draws : 0,
              parts = m_options.windows ? 1 : static_cast<int>(m_reports.size());
    m_calibration = Calibration(samples, m_options.calibrate, held_draws, draws, parts, m_grid.nz);
    if (m_calibration.is_contradicted()) {
      char size[32];
      std::snprintf(size, sizeof size, "%.2g", m_calibration.size_by_errors());
      logging::warning("samples that were left out differ from their predictions by " +
                       std::string(size) +
                       " of their standard errors (root mean square), which should be 1 or more: "
                       "the errors are too large, and standard deviations are not calibrated\n  "
                       "remedy: lower model.noise");
    }
  }
  if (m_calibration.samples() == 0) return;
  const int farthest = m_options.part ? std::min(m_options.part->halo, Calibration::kFarthest)
                                      : Calibration::kFarthest;
  std::vector<double> factors;
  for (int f = 0; f < m_frames; ++f) {
    for (int layer = 0; layer < m_grid.nz; ++layer) {
      for (int d = 0; d <= Calibration::kFarthest; ++d)
        factors.push_back(m_calibration.factor(std::min(d, farthest), m_share.first + f, layer));
    }
  }
  m_factors = upload(m_exec, "tessera::mpr::spread_factors", factors);
}

/// Predictions of samples that are held out, in some frames of all ranks: group by group, each on
/// the rank of its first frame. draws: from which standard deviations come, 0 where sweeps give
/// them.
template <class ExecSpace, class Real>
std::vector<HeldOutSample> GapFill<ExecSpace, Real>::predict_all_held(
    const std::vector<int>& frames, int& draws) const {
  using HoldOut = detail::HoldOut<ExecSpace, Real>;
  const std::size_t at_once = m_options.windows ? 1 : HoldOut::frames_at_once(m_grid, m_gaps.block);
  std::vector<std::vector<detail::HiddenWindow>> groups;
  std::vector<std::vector<detail::Window>> windows;
  for (const std::vector<int>& together : detail::in_groups(frames, at_once)) {
    for (const std::vector<detail::HiddenWindow>& part :
         HoldOut::together(HoldOut::choose(m_grid, together, m_gaps.block))) {
      groups.push_back(part);
      windows.emplace_back();
      for (const detail::HiddenWindow& hidden : part) windows.back().push_back(hidden.window);
    }
  }
  logging::Stage stage("calibration");
  detail::WindowExchange<ExecSpace, Real> exchange(m_exec, m_share, windows,
                                                   {m_status, samples(), m_noise});
  std::vector<HeldOutSample> found;
  m_share.ranks.together([&] {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!exchange.is_mine(windows[g])) continue;
      stage.count("calibration, part", static_cast<long long>(g) + 1,
                  static_cast<long long>(groups.size()));
      for (HeldOutSample sample : predict_held(groups[g], exchange.take(windows[g]), draws)) {
        if (m_options.windows) sample.frame = 0;
        found.push_back(sample);
      }
    }
  });
  draws = static_cast<int>(m_share.ranks.max(draws));
  return m_share.ranks.all_gather(found);
}

/// Those of some windows; none where there are too few.
template <class ExecSpace, class Real>
std::vector<HeldOutSample> GapFill<ExecSpace, Real>::predict_held(
    const std::vector<detail::HiddenWindow>& hidden,
    const detail::PlacedWindows<ExecSpace, Real>& placed, int& draws) const {
  detail::HoldOut<ExecSpace, Real> held(m_exec, m_grid, hidden, placed, m_options.seed,
                                        m_options.metric);
  if (held.held() < static_cast<std::int64_t>(Calibration::kLeast)) return {};
  detail::HoldOutModel model;
  model.axis = m_axis;
  model.beta = m_beta;
  model.temperature = temperatures();
  for (const double temperature : model.temperature)
    model.step_control.push_back(step_control(temperature));
  model.burn_in += wide_sweeps();
  model.sampling += wide_sweeps();
  model.seed = m_options.seed;
  return wants_draws() ? held.from_draws(model, kHeldPacks, draws) : held.from_chains(model);
}

/// Of a frame here.
template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::temperature_of(int frame) const {
  const FrameReport& report = report_here(frame);
  const auto number = static_cast<std::size_t>(m_share.first + frame);
  if (m_options.temperature) return *m_options.temperature;
  if (m_options.noise && !report.constant) return m_noisy_temperatures[number];
  if (report.constant || report.missing == 0) return 1e-9;
  if (report.sample_pairs == 0) {
    throw Error(
        ErrorKind::input,
        name_of(frame) +
            " have no two samples next to each other, so their specific energy is undefined",
        "give model.temperature");
  }
  if (m_grid.nz > 1 || m_beta > 0 || wants_draws() || !has_plain_cells()) {
    const double free = static_cast<double>(report.samples - 1), lost = lost_to_trend();
    const double factor = lost > 0 && free > 2 * lost ? free / (free - lost) : 1;
    if (!m_options.paper) return std::max(m_linear.temperature[number] * factor, 1e-9);
    return equipartition_temperature(m_means[number], m_axis.strength, m_beta, m_grid.dimension());
  }
  std::int64_t pairs = 0;
  Kokkos::parallel_reduce("tessera::mpr::active_pairs",
                          detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
                          detail::ActivePairs<ExecSpace>{m_grid, m_status, frame * m_grid.sites()},
                          Kokkos::Sum<std::int64_t>(pairs));
  m_exec.fence();
  return temperature_at_energy(report.sample_energy,
                               static_cast<double>(report.samples + report.missing),
                               static_cast<double>(pairs));
}

template <class ExecSpace, class Real>
auto GapFill<ExecSpace, Real>::local_lengths() const -> Array<Real> {
  if (!m_options.local_temperature) return {};
  const int window = m_options.window;
  const int columns = (m_grid.nx + window - 1) / window, rows = (m_grid.ny + window - 1) / window;
  const std::int64_t layers = static_cast<std::int64_t>(m_grid.nz) * m_frames,
                     windows = layers * columns * rows;
  const Array<double> sum(Kokkos::view_alloc(m_exec, "tessera::mpr::window_sum"), windows),
      count(Kokkos::view_alloc(m_exec, "tessera::mpr::window_count"), windows);
  const Array<Real> lengths(Kokkos::view_alloc(m_exec, "tessera::mpr::lengths"),
                            static_cast<std::size_t>(m_grid.sites()) * m_frames);
  Kokkos::parallel_for("tessera::mpr::window_pairs", detail::Range<ExecSpace>(m_exec, 0, windows),
                       detail::WindowPairs<ExecSpace, Real>{m_grid, window, columns, rows, m_status,
                                                            m_angles, sum, count});
  for (int f = 0; f < m_frames; ++f) {
    const double mean = std::max(1 + report_here(f).sample_energy, 1e-12);
    Kokkos::parallel_for(
        "tessera::mpr::local_lengths", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
        detail::LocalLengths<ExecSpace, Real>{m_grid, window, columns, rows, mean, sum, count,
                                              lengths, f * m_grid.sites()});
  }
  return lengths;
}

template <class ExecSpace, class Real>
int GapFill<ExecSpace, Real>::longest_run() const {
  return m_options.burn_in_sweeps.value_or(static_cast<int>(m_options.burn_in.most) + 1 +
                                           detail::kMostSweeps) +
         m_sampling;
}

template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::conditional_spread(double temperature) const {
  std::array<double, 3> along = m_axis.strength;
  for (std::size_t a = 0; a < 3; ++a) along[a] *= m_options.metric.mean()[a];
  const Couplings<double> couplings(along, m_beta, m_grid.dimension());
  double weight = 4 * (couplings.diagonal[0] + couplings.diagonal[1] + couplings.diagonal[2]);
  for (int a = 0; a < m_grid.dimension(); ++a)
    weight += 2 * (couplings.nearest[a] + couplings.second[a]);
  return std::sqrt(temperature / weight);
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::start_draws() {
  const logging::Region region("tessera::mpr::start_draws");
  m_chains.reset();
  m_draws = detail::GaussianDraws<ExecSpace, Real>::make(
      m_exec, m_grid, m_frames, m_status, m_axis, m_beta, m_options.seed, metrics(), m_share);
  give_noise(*m_draws);
  if (m_options.part) {
    const Rim& rim = m_options.part->rim;
    m_draws->set_part(*m_options.part);
    if (!rim.draws.empty())
      m_draws->hold({upload(m_exec, "tessera::mpr::held_sites", rim.sites),
                     upload(m_exec, "tessera::mpr::held_draws",
                            std::vector<Real>(rim.draws.begin(), rim.draws.end()))});
  }
  m_shared_draws.reset();
  if (m_simulation_ranks.size() > 1)
    m_shared_draws = std::make_unique<detail::SharedDraws<ExecSpace, Real>>(
        m_exec, m_simulation_ranks, m_status);
  m_squares = allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::squares", m_angles.extent(0));
  m_lengths = local_lengths();
  m_sampling = is_constant()
                   ? 0
                   : (m_options.draws + m_draws->size() - 1) / m_draws->size() * m_draws->size();
  m_burn_in = m_done = m_first_draw = m_drawn = 0;
  m_burned_in = true;
  m_updates = 0;
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::start_chains() {
  m_draws.reset();
  m_sampling = planned_sweeps();
  m_burn_in = m_options.burn_in_sweeps.value_or(10 + wide_sweeps());
  m_done = 0;
  m_burned_in = false;
  m_updates = 0;

  std::vector<double> step_controls;
  const std::vector<double> temperatures_here = of_frames_here(temperatures());
  for (const double temperature : temperatures_here)
    step_controls.push_back(step_control(temperature));
  const logging::Region region("tessera::mpr::start_chains");
  ChainSettings settings;
  settings.grid = m_grid;
  settings.frames = m_frames;
  settings.replicas = m_options.replicas;
  settings.axis = m_axis.strength;
  settings.beta = m_beta;
  settings.metrics = metrics();
  settings.local = m_options.local_temperature;
  settings.part = m_options.part;
  settings.share = m_share;
  settings.slab_ranks = m_simulation_ranks;
  settings.sweeps = longest_run();
  m_chains = std::make_unique<Chains<ExecSpace, Real>>(m_exec, settings, m_status);
  m_chains->start(m_angles, temperatures_here, m_options.seed, m_options.paper, local_lengths());
  if (!m_options.paper) m_chains->set_step_control(step_controls);
  std::vector<std::uint64_t> sites{m_chains->missing()};
  m_share.ranks.sum(sites);
  m_simulation_ranks.sum(sites);
  m_chain_sites = static_cast<double>(sites.front()) * m_options.replicas;
  m_batch_means.reset();
  if (m_options.paper && m_options.mean_error)
    m_batch_means = std::make_unique<detail::BatchMeans<ExecSpace, Real>>(
        m_exec, m_status, std::max(1, m_sampling / kBatchMeans));
}

/// Adds what was sampled since the last part of the chain, if that is enough for another one.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::note_batch() {
  if (!m_batch_means || !m_batch_means->ends_at(m_done, m_sampling) || m_chain_sites == 0) return;
  const auto mean = allocate<Array<Real>>(m_exec, "tessera::mpr::mean_angle", m_angles.extent(0));
  if (m_chains->missing() > 0) m_chains->moments(mean, {});
  m_batch_means->add(m_done, mean);
}

template <class ExecSpace, class Real>
bool GapFill<ExecSpace, Real>::advance_draws() {
  const logging::Region region("tessera::mpr::draw");
  if (m_done == m_sampling) return false;
  const int size = m_draws->size(), left = (m_sampling - m_done) / size;
  const int packs = m_shared_draws ? std::min(m_shared_draws->ranks().size(), left) : 1;
  const int own = m_shared_draws ? m_shared_draws->ranks().rank() : 0;
  m_drawn = own < packs ? size : 0;
  m_first_draw = m_done + own * size;
  if (m_drawn > 0) m_draws->draw_pack(m_first_draw / size);
  if (m_shared_draws) {
    const auto squares =
        allocate_zeros<Array<Real>>(m_exec, "tessera::mpr::squares_of_pack", m_squares.extent(0));
    if (m_drawn > 0) m_draws->add_squares(squares);
    m_shared_draws->add(packs, squares);
  } else {
    m_draws->add_squares(m_squares);
  }
  m_done += packs * size;
  return m_done < m_sampling;
}

template <class ExecSpace, class Real>
bool GapFill<ExecSpace, Real>::advance(int every) {
  if (m_draws) return advance_draws();
  if (!m_burned_in) {
    const logging::Region region("tessera::mpr::burn_in");
    if (m_options.paper && !m_options.burn_in_sweeps) {
      m_chains->burn_in_until_settled(m_options.burn_in);
      if (m_share.ranks.is_root())
        m_burn_in = static_cast<int>(m_chains->states().front().burn_in_sweeps);
      m_share.ranks.broadcast(&m_burn_in, 1);
    } else {
      m_chains->burn_in(m_burn_in);
    }
    m_updates += m_chain_sites * m_burn_in;
    m_chains->begin_sampling(m_options.paper ? std::optional<double>(1) : std::nullopt);
    m_burned_in = true;
    return m_sampling > 0;
  }
  const logging::Region region("tessera::mpr::sample");
  const int batch = end_of_batch(every) - m_done,
            now = compat::is_gpu_v<ExecSpace> ? batch : m_chains->next_load(batch);
  m_chains->sample(now, m_options.variance ? Moments::variance : Moments::mean,
                   m_options.estimator);
  m_done += now;
  m_updates += m_chain_sites * now;
  note_batch();
  return m_done < m_sampling;
}

/// Batches have the length of two loads, and begin again behind each multiple of `every`. Also a
/// run that is continued within a batch makes the same loads.
template <class ExecSpace, class Real>
int GapFill<ExecSpace, Real>::end_of_batch(int every) const {
  const int length = 2 * detail::sweeps_per_load(m_beta != 0),
            first = every > 0 ? m_done / every * every : 0;
  const int end = std::min(m_sampling, first + ((m_done - first) / length + 1) * length);
  return every > 0 ? std::min(end, first + every) : end;
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::to_values(const Array<const Real>& angle,
                                         const Array<const Real>& variance,
                                         const Array<Real>& value,
                                         const Array<Real>& deviation) const {
  for (int f = 0; f < m_frames; ++f) {
    const FrameReport& report = report_here(f);
    Kokkos::parallel_for(
        "tessera::mpr::to_values", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
        detail::ToValues<ExecSpace, Real>{m_status, angle, variance, value, deviation,
                                          f * m_grid.sites(), report.low,
                                          (report.high - report.low) / kPi, spread()});
  }
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::moments(const Array<Real>& value,
                                       const Array<Real>& deviation) const {
  const std::size_t all = m_angles.extent(0);
  const auto mean = allocate<Array<Real>>(m_exec, "tessera::mpr::mean_angle", m_draws ? 0 : all);
  const auto variance =
      allocate<Array<Real>>(m_exec, "tessera::mpr::variance", m_options.variance ? all : 0);
  if (m_draws && m_options.variance) {
    m_draws->variance(upload(m_exec, "tessera::mpr::temperatures", of_frames_here(temperatures())),
                      m_squares, std::max(m_done, 1), variance, {});
  } else if (!m_draws && m_chains->missing() > 0) {
    m_chains->moments(mean, variance);
  }
  // The mean of the default mode is that of the linear equations, which a chain would only add
  // noise to.
  to_values(m_options.paper ? Array<const Real>(mean) : m_angles, variance, value,
            m_options.variance ? deviation : Array<Real>());
  check_laws(value, m_options.variance ? deviation : Array<Real>());
  if (m_trend) m_trend->add_to(value, m_options.variance ? deviation : Array<Real>());
}

/// Throws where a site that is simulated here has no predictive law.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::check_laws(const Array<const Real>& value,
                                          const Array<const Real>& deviation) const {
  const SiteRange here = m_frames == 1 ? sites_here() : SiteRange{0, value.extent(0)};
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      "tessera::mpr::count_without_law",
      detail::Range<ExecSpace>(m_exec, static_cast<std::int64_t>(here.first),
                               static_cast<std::int64_t>(here.first + here.count)),
      detail::CountWithoutLaw<ExecSpace, Real>{m_status, value, deviation},
      Kokkos::Sum<std::int64_t>(count));
  m_exec.fence();
  if (count == 0) return;
  throw Error(ErrorKind::numerical,
              std::to_string(count) + " sites have no finite mean or standard deviation",
              "give model.curvature and model.anisotropy (equal, estimated) or model.couplings" +
                  wider_precision(", or "));
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::mean_error(const Array<const Real>& deviation,
                                          const Array<Real>& error) const {
  for (int f = 0; f < m_frames; ++f) {
    const FrameReport& report = report_here(f);
    const double scale = (report.high - report.low) / kPi;
    // The energy of what is left of the equations over that of a draw. What is left is smooth, and
    // so has more of its energy in values.
    double share = report.constant
                       ? 0
                       : kErrorOfValues * m_linear.error / std::sqrt(report.temperature),
           factor = 0;
    if (m_options.paper) {
      factor = m_batch_means ? scale * scale * m_batch_means->factor()
                             : std::numeric_limits<double>::quiet_NaN();
      share = 0;
    }
    Kokkos::parallel_for(
        "tessera::mpr::mean_error", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
        detail::MeanError<ExecSpace, Real>{m_status, deviation,
                                           m_batch_means ? m_batch_means->squares() : Array<Real>(),
                                           error, f * m_grid.sites(), share, factor});
  }
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::realisation(int number, const Array<Real>& value) const {
  const auto angle = allocate<Array<Real>>(m_exec, "tessera::mpr::angle", m_angles.extent(0));
  if (m_sampling == 0) {
    Kokkos::deep_copy(m_exec, angle, m_angles);
  } else if (m_draws) {
    m_draws->leave(number,
                   upload(m_exec, "tessera::mpr::temperatures", of_frames_here(temperatures())),
                   m_angles, angle);
  } else if (m_chains->missing() > 0) {
    m_chains->angles(number, angle);
  }
  if (!m_options.paper)
    Kokkos::parallel_for(
        "tessera::mpr::spread_member", detail::Range<ExecSpace>(m_exec, 0, m_angles.extent(0)),
        detail::SpreadMember<ExecSpace, Real>{m_status, m_angles, spread(), angle});
  to_values(angle, {}, value, {});
  if (m_trend)
    m_trend->add_draw_to(value, m_options.seed,
                         static_cast<std::uint64_t>(first_realisation() + number));
}

}  // namespace tessera::mpr
