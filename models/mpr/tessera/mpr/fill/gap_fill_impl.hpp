// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/fill/gap_fill_kernels.hpp"
#include "tessera/mpr/linear/evidence.hpp"

namespace tessera::mpr {

/// Error of a solved mean over its standard deviation, in units of the root of the energy of the
/// error over that of a draw: measured, on the terrain (tests/unit/mpr_fill.cpp).
inline constexpr double kErrorOfValues = 4;

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
  const double chains = options.simulates() ? Chains<ExecSpace, Real>::memory(settings) : 0;
  if (options.paper) return arrays + chains + (options.mean_error ? 4 * sites * sizeof(Real) : 0);
  // One after the other; what the gaps are like is not known yet.
  const bool noise = options.noise;
  // status, errors as given and in angle, samples
  const double errors = noise ? sites * (1 + 3 * sizeof(Real)) : 0;
  const double start = LinearFill<ExecSpace, Real>::memory(grid, frames, noise);
  const double draws =
      options.sampler == Sampler::sweeps || !options.simulates()
          ? 0
          : detail::GaussianDraws<ExecSpace, Real>::memory(grid, frames, noise, all_frames) +
                2 * sites * sizeof(Real);
  // The frames of windows, which may come from other ranks
  const int together = std::max(frames, all_frames);
  const double evidence =
      options.part ? 0 : detail::EvidenceSearch<ExecSpace, Real>::memory(grid, together, noise);
  const double hold_out = options.part || !options.simulates()
                              ? 0
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
  m_estimator.estimate(values, status, noise, trend);
  m_simulation.start();
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::estimate(const Array<const Real>& values,
                                        const Array<const std::uint8_t>& status,
                                        const Array<const Real>& noise,
                                        const Array<const Real>& trend) {
  m_estimator.estimate(values, status, noise, trend);
}

template <class ExecSpace, class Real>
Estimates GapFill<ExecSpace, Real>::estimates() const {
  return m_estimator.estimates();
}

template <class ExecSpace, class Real>
bool GapFill<ExecSpace, Real>::advance(int every) {
  return m_simulation.advance(every);
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::to_values(const Array<const Real>& angle,
                                         const Array<const Real>& variance,
                                         const Array<Real>& value,
                                         const Array<Real>& deviation) const {
  const std::int64_t sites = m_setting.grid.sites();
  for (int f = 0; f < m_setting.frames; ++f) {
    const FrameReport& report = m_estimator.samples().report_here(f);
    Kokkos::parallel_for(
        "tessera::mpr::to_values", sites_of_frame(),
        detail::ToValues<ExecSpace, Real>{m_estimator.samples().status(), angle, variance, value,
                                          deviation, f * sites, report.low,
                                          (report.high - report.low) / kPi, m_simulation.spread()});
  }
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::moments(const Array<Real>& value,
                                       const Array<Real>& deviation) const {
  const ExecSpace& exec = m_setting.exec;
  const std::size_t all = m_setting.sites();
  const bool wants_variance = m_setting.options.variance;
  const auto mean = allocate<Array<Real>>(exec, "tessera::mpr::mean_angle", uses_draws() ? 0 : all);
  const auto variance =
      allocate<Array<Real>>(exec, "tessera::mpr::variance", wants_variance ? all : 0);
  m_simulation.moments(mean, variance);
  const Array<Real> wanted = wants_variance ? deviation : Array<Real>();
  // The mean of the default mode is that of the linear equations, which a chain would only add
  // noise to.
  to_values(m_setting.options.paper ? mean : m_estimator.samples().angles(), variance, value,
            wanted);
  check_laws(value, wanted);
  if (trend()) trend()->add_to(value, wanted);
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::mean(const Array<Real>& value) const {
  to_values(m_estimator.samples().angles(), {}, value, {});
  check_laws(value, {});
  if (trend()) trend()->add_to(value, {});
}

/// Throws where a site that is simulated here has no predictive law.
template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::check_laws(const Array<const Real>& value,
                                          const Array<const Real>& deviation) const {
  const SiteRange here = m_setting.frames == 1 ? sites_here() : SiteRange{0, value.extent(0)};
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      "tessera::mpr::count_without_law",
      detail::Range<ExecSpace>(m_setting.exec, static_cast<std::int64_t>(here.first),
                               static_cast<std::int64_t>(here.first + here.count)),
      detail::CountWithoutLaw<ExecSpace, Real>{m_estimator.samples().status(), value, deviation},
      Kokkos::Sum<std::int64_t>(count));
  m_setting.exec.fence();
  if (count == 0) return;
  throw Error(ErrorKind::numerical,
              std::to_string(count) + " sites have no finite mean or standard deviation",
              "give model.curvature and model.anisotropy (equal, estimated) or model.couplings" +
                  detail::wider_precision<Real>(", or "));
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::mean_error(const Array<const Real>& deviation,
                                          const Array<Real>& error) const {
  const std::int64_t sites = m_setting.grid.sites();
  const auto* means = batch_means();
  const auto squares = means ? means->squares() : Array<Real>();
  for (int f = 0; f < m_setting.frames; ++f) {
    const FrameReport& report = m_estimator.samples().report_here(f);
    const double scale = (report.high - report.low) / kPi;
    // The energy of what is left of the equations over that of a draw. What is left is smooth, and
    // so has more of its energy in values.
    double share = report.constant
                       ? 0
                       : kErrorOfValues * linear_solve().error / std::sqrt(report.temperature),
           factor = 0;
    if (m_setting.options.paper) {
      factor = means ? scale * scale * means->factor() : std::numeric_limits<double>::quiet_NaN();
      share = 0;
    }
    Kokkos::parallel_for(
        "tessera::mpr::mean_error", sites_of_frame(),
        detail::MeanError<ExecSpace, Real>{m_estimator.samples().status(), deviation, squares,
                                           error, f * sites, share, factor});
  }
}

template <class ExecSpace, class Real>
void GapFill<ExecSpace, Real>::realisation(int number, const Array<Real>& value) const {
  const ExecSpace& exec = m_setting.exec;
  const auto& samples = m_estimator.samples();
  const auto angle = allocate<Array<Real>>(exec, "tessera::mpr::angle", m_setting.sites());
  m_simulation.realisation(number, angle);
  if (!m_setting.options.paper)
    Kokkos::parallel_for("tessera::mpr::spread_member",
                         detail::Range<ExecSpace>(exec, 0, m_setting.sites()),
                         detail::SpreadMember<ExecSpace, Real>{samples.status(), samples.angles(),
                                                               m_simulation.spread(), angle});
  to_values(angle, {}, value, {});
  if (trend())
    trend()->add_draw_to(value, m_setting.options.seed,
                         static_cast<std::uint64_t>(first_realisation() + number));
}

}  // namespace tessera::mpr
