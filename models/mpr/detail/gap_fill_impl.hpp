// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/detail/gap_fill_kernels.hpp"
#include "tessera/mpr/detail/local_temperature.hpp"
#include "tessera/mpr/gap_fill.hpp"

namespace tessera::mpr {

template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::memory(const Grid& grid, int frames, const FillOptions& options) {
  ChainSettings settings;
  settings.grid = grid;
  settings.frames = frames;
  settings.replicas = options.replicas;
  const double sites = static_cast<double>(grid.sites()) * frames;
  const double arrays = sites * (1 + 2 + 4 * sizeof(Real));  // status, distance; values, angles, results
  const double start = options.paper ? 0 : LinearFill<ExecSpace, Real>::memory(grid, frames);
  return arrays + Chains<ExecSpace, Real>::memory(settings) + start;
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::prepare(const Array<const Real>& values, const Array<const std::uint8_t>& status) {
  m_status = status;
  {
    const logging::Region region("tessera::mpr::estimate");
    map_samples(values);
    choose_couplings();
    choose_temperatures();
  }
  start_chains();
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::map_samples(const Array<const Real>& values) {
  const std::size_t all = static_cast<std::size_t>(m_grid.sites()) * m_frames;
  m_angles = Array<Real>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::angles"), all);
  m_reports.clear();
  for (int f = 0; f < m_frames; ++f) {
    const detail::FrameRange range = detail::frame_range<ExecSpace, Real>(m_exec, m_grid, f, m_status, values);
    FrameReport report;
    report.samples = range.samples;
    report.missing = range.missing;
    report.inactive = range.inactive;
    if (range.samples == 0 && range.missing > 0) {
      throw Error(ErrorKind::input,
                  (m_frames > 1 ? "frame " + std::to_string(f) + " has no sample" : std::string("the data have no sample")) + ": all " +
                      std::to_string(range.missing) + " sites are missing",
                  "check input.missing_value and input.mask");
    }
    report.constant = !(range.high > range.low);
    const double margin = m_options.padding * (range.high - range.low);
    report.low = range.samples > 0 ? range.low - margin : 0;
    report.high = range.samples > 0 ? range.high + margin : 0;
    Kokkos::parallel_for("tessera::mpr::to_angles", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
                         detail::ToAngles<ExecSpace, Real>{m_status, values, m_angles, f * m_grid.sites(), report.low, report.high});
    m_reports.push_back(report);
  }
  m_distance =
      Array<std::uint16_t>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::distance"), m_options.paper ? 0 : all);
  if (!m_options.paper) m_gaps = detail::gap_distances<ExecSpace>(m_exec, m_grid, m_frames, m_status, m_distance, 250);
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::choose_couplings() {
  const int dimension = m_grid.dimension();
  // Frames share their couplings, which are estimated from all of them together.
  m_means.clear();
  PairMeans pooled;
  const bool far = !m_options.curvature || *m_options.curvature != 0;
  for (int f = 0; f < m_frames; ++f) {
    m_means.push_back(detail::pair_means<ExecSpace, Real>(m_exec, m_grid, f, m_status, m_angles, far));
    for (int a = 0; a < 3; ++a) {
      const double before = pooled.nearest_count[a], more = m_means.back().nearest_count[a];
      if (more > 0) pooled.nearest[a] = (pooled.nearest[a] * before + m_means.back().nearest[a] * more) / (before + more);
      pooled.nearest_count[a] += more;
    }
  }
  const std::array<double, 3> equal{1, 1, dimension == 3 ? 1.0 : 0.0};
  const bool given = m_options.axis.has_value();
  m_axis = given ? *m_options.axis : m_options.anisotropy == Anisotropy::equal ? equal : axis_couplings(pooled, dimension);
  m_beta = m_options.curvature.value_or(0);
  m_scores.clear();
  m_hold_out.reset();
  const bool choose_beta = !m_options.curvature, choose_axis = !given && m_options.anisotropy == Anisotropy::choose;
  const bool calibrate = m_options.calibrate && !m_options.temperature;
  if (m_reports.front().constant || m_reports.front().missing == 0 || !(choose_beta || choose_axis || calibrate)) return;
  m_hold_out = std::make_unique<detail::HoldOut<ExecSpace, Real>>(m_exec, m_grid, m_status, m_angles, m_gaps.block, m_options.seed);
  if (m_hold_out->held() < 20) {
    if (choose_axis && dimension == 2) m_axis = equal;
    return;
  }
  const auto better = [&](const HoldOutScore& score) {
    const bool first = m_scores.empty();
    m_scores.push_back(score);
    return first || score.rms < m_best;
  };
  const auto take = [&](const HoldOutScore& score) {
    if (!better(score)) return;
    m_best = score.rms;
    m_axis = score.axis;
    m_beta = score.beta;
  };
  const std::array<double, 3> estimated = m_axis, first = choose_axis && dimension == 2 ? equal : m_axis;
  const std::vector<double> betas = choose_beta ? m_options.candidates : std::vector<double>{m_beta};
  for (const double beta : betas) take(m_hold_out->score(first, beta));
  if (choose_axis) take(m_hold_out->score(dimension == 2 ? estimated : equal, m_beta));
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::choose_temperatures() {
  for (int f = 0; f < m_frames; ++f) {
    FrameReport& report = m_reports[static_cast<std::size_t>(f)];
    const PairMeans& means = m_means[static_cast<std::size_t>(f)];
    double sum = 0;
    for (int a = 0; a < m_grid.dimension(); ++a) {
      sum += means.nearest_count[a] * means.nearest[a];
      report.sample_pairs += means.nearest_count[a];
    }
    report.sample_energy = report.sample_pairs > 0 ? -sum / report.sample_pairs : 0;
    if (m_options.temperature) {
      report.temperature = *m_options.temperature;
    } else if (report.constant || report.missing == 0) {
      report.temperature = 1e-9;
    } else if (report.sample_pairs == 0) {
      throw Error(ErrorKind::input,
                  (m_frames > 1 ? "frame " + std::to_string(f) : std::string("the data")) +
                      " have no two samples next to each other, so their specific energy is undefined",
                  "give model.temperature");
    } else if (m_grid.nz == 1 && m_beta == 0) {
      std::int64_t pairs = 0;
      Kokkos::parallel_reduce("tessera::mpr::active_pairs", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
                              detail::ActivePairs<ExecSpace>{m_grid, m_status, f * m_grid.sites()}, Kokkos::Sum<std::int64_t>(pairs));
      m_exec.fence();
      report.temperature =
          temperature_at_energy(report.sample_energy, static_cast<double>(report.samples + report.missing), static_cast<double>(pairs));
    } else {
      report.temperature = equipartition_temperature(means, m_axis, m_beta, m_grid.dimension());
    }
    if (f == 0 && m_hold_out && m_options.calibrate && !m_options.temperature && report.temperature < 1e4) {
      m_factor = m_hold_out->variance_factor(m_axis, m_beta, report.temperature, step_control(report.temperature), 10 + wide_sweeps(),
                                             25 + wide_sweeps(), m_options.seed);
      m_hold_out.reset();
    }
    if (!(report.temperature < 1e4)) {
      report.temperature = 1e4;
      report.uncorrelated = true;
    }
  }
}

template <class ExecSpace, class Real>
auto GapFill<ExecSpace, Real>::local_lengths() const -> Array<Real> {
  if (!m_options.local_temperature) return {};
  const int window = m_options.window;
  const int columns = (m_grid.nx + window - 1) / window, rows = (m_grid.ny + window - 1) / window;
  const std::int64_t layers = static_cast<std::int64_t>(m_grid.nz) * m_frames, windows = layers * columns * rows;
  const Array<double> sum(Kokkos::view_alloc(m_exec, "tessera::mpr::window_sum"), windows),
      count(Kokkos::view_alloc(m_exec, "tessera::mpr::window_count"), windows);
  const Array<Real> lengths(Kokkos::view_alloc(m_exec, "tessera::mpr::lengths"), static_cast<std::size_t>(m_grid.sites()) * m_frames);
  Kokkos::parallel_for("tessera::mpr::window_pairs", detail::Range<ExecSpace>(m_exec, 0, windows),
                       detail::WindowPairs<ExecSpace, Real>{m_grid, window, columns, rows, m_status, m_angles, sum, count});
  for (int f = 0; f < m_frames; ++f) {
    const double mean = std::max(1 + m_reports[static_cast<std::size_t>(f)].sample_energy, 1e-12);
    Kokkos::parallel_for(
        "tessera::mpr::local_lengths", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
        detail::LocalLengths<ExecSpace, Real>{m_grid, window, columns, rows, mean, sum, count, lengths, f * m_grid.sites()});
  }
  return lengths;
}

template <class ExecSpace, class Real>
int GapFill<ExecSpace, Real>::longest_run() const {
  return m_options.burn_in_sweeps.value_or(static_cast<int>(m_options.burn_in.most) + 1 + detail::kMostSweeps) + m_sampling;
}

template <class ExecSpace, class Real>
double GapFill<ExecSpace, Real>::conditional_spread(double temperature) const {
  const Couplings<double> couplings(m_axis, m_beta, m_grid.dimension());
  double weight = 4 * (couplings.diagonal[0] + couplings.diagonal[1] + couplings.diagonal[2]);
  for (int a = 0; a < m_grid.dimension(); ++a) weight += 2 * (couplings.nearest[a] + couplings.second[a]);
  return std::sqrt(temperature / weight);
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::start_chains() {
  m_sampling = m_options.sampling_sweeps.value_or(25 + wide_sweeps());
  m_burn_in = m_options.burn_in_sweeps.value_or(10 + wide_sweeps());
  m_done = 0;
  m_burned_in = false;
  m_updates = 0;

  std::vector<double> temperatures, step_controls;
  double narrowest = 1;
  for (const FrameReport& report : m_reports) {
    temperatures.push_back(report.temperature);
    step_controls.push_back(step_control(report.temperature));
    if (!report.constant && report.missing > 0) narrowest = std::min(narrowest, conditional_spread(report.temperature));
  }
  if (!m_options.paper) {
    const logging::Region region("tessera::mpr::harmonic_start");
    LinearFill<ExecSpace, Real> fill(m_exec, m_grid, m_frames, m_status);
    // Where single sites are missing and only next neighbours are coupled, errors are as small as residuals and the burn-in removes them.
    const double tolerance = (m_gaps.block == 1 && m_beta == 0 ? 3 : 1) * m_options.start_tolerance * narrowest;
    m_start = fill.solve(m_angles, m_axis, m_beta, std::max(tolerance, sizeof(Real) == 4 ? 3e-7 : 1e-13), m_options.start_iterations);
  }
  const logging::Region region("tessera::mpr::start_chains");
  ChainSettings settings;
  settings.grid = m_grid;
  settings.frames = m_frames;
  settings.replicas = m_options.replicas;
  settings.axis = m_axis;
  settings.beta = m_beta;
  settings.local = m_options.local_temperature;
  settings.sweeps = longest_run();
  m_chains = std::make_unique<Chains<ExecSpace, Real>>(m_exec, settings, m_status);
  m_chains->start(m_angles, temperatures, m_options.seed, m_options.paper, local_lengths());
  if (!m_options.paper) m_chains->set_step_control(step_controls);
}

template <class ExecSpace, class Real>
bool GapFill<ExecSpace, Real>::advance(int every) {
  const double sites = static_cast<double>(m_chains->missing()) * m_options.replicas;
  if (!m_burned_in) {
    const logging::Region region("tessera::mpr::burn_in");
    if (m_options.paper && !m_options.burn_in_sweeps) {
      m_chains->burn_in_until_settled(m_options.burn_in);
      m_burn_in = static_cast<int>(m_chains->states().front().burn_in_sweeps);
    } else {
      m_chains->burn_in(m_burn_in);
    }
    m_updates += sites * m_burn_in;
    m_chains->begin_sampling(m_options.paper ? std::optional<double>(1) : std::nullopt);
    m_burned_in = true;
    return m_sampling > 0;
  }
  const logging::Region region("tessera::mpr::sample");
  const int batch = end_of_batch(every) - m_done, now = compat::is_gpu_v<ExecSpace> ? batch : m_chains->next_load(batch);
  m_chains->sample(now, m_options.variance ? Moments::variance : Moments::mean, m_options.estimator);
  m_done += now;
  m_updates += sites * now;
  return m_done < m_sampling;
}

/// Batches have the length of two loads, and begin anew behind each multiple of `every`. Also a run that is continued within a batch makes
/// the same loads.
template <class ExecSpace, class Real>
int GapFill<ExecSpace, Real>::end_of_batch(int every) const {
  const int length = 2 * detail::sweeps_per_load(m_beta != 0), first = every > 0 ? m_done / every * every : 0;
  const int end = std::min(m_sampling, first + ((m_done - first) / length + 1) * length);
  return every > 0 ? std::min(end, first + every) : end;
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::moments(const Array<Real>& value, const Array<Real>& deviation) const {
  const std::size_t all = m_angles.extent(0);
  const Array<Real> mean(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::mean_angle"), all);
  const Array<Real> variance(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::variance"),
                             m_options.variance ? all : 0);
  if (m_chains->missing() > 0) m_chains->moments(mean, variance);
  for (int f = 0; f < m_frames; ++f) {
    const FrameReport& report = m_reports[static_cast<std::size_t>(f)];
    Kokkos::parallel_for("tessera::mpr::to_values", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
                         detail::ToValues<ExecSpace, Real>{m_status, mean, variance, value, m_options.variance ? deviation : Array<Real>(),
                                                           f * m_grid.sites(), report.low, (report.high - report.low) / kPi,
                                                           (report.high - report.low) / kPi * std::sqrt(m_factor)});
  }
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::realisation(int replica, const Array<Real>& value) const {
  const Array<Real> angle(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::mpr::angle"), m_angles.extent(0));
  if (m_chains->missing() > 0) m_chains->angles(replica, angle);
  for (int f = 0; f < m_frames; ++f) {
    const FrameReport& report = m_reports[static_cast<std::size_t>(f)];
    Kokkos::parallel_for("tessera::mpr::to_values", detail::Range<ExecSpace>(m_exec, 0, m_grid.sites()),
                         detail::ToValues<ExecSpace, Real>{
                             m_status, angle, {}, value, {}, f * m_grid.sites(), report.low, (report.high - report.low) / kPi, 0});
  }
}

}  // namespace tessera::mpr
