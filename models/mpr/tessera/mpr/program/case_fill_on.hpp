// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/mpr/fill/ensemble.hpp"
#include "tessera/mpr/program/case_fill.hpp"
#include "tessera/mpr/program/field_copy.hpp"
#include "tessera/mpr/program/run_support.hpp"

namespace tessera::mpr::detail {

/// The filling of cases in one precision on one execution space.
template <class ExecSpace, class Real>
class CaseFillOn final : public CaseFill {
 public:
  CaseFillOn(const Variant& variant, const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters), m_settings(settings), m_options(parameters.fill) {
    m_settings.backend = variant.backend;
    m_options.tile_rows = variant.tile_rows;
    m_options.provide_realisations(parameters.output.ensemble);
    if (parameters.fill.sampling_sweeps) make_ensemble()->check(*parameters.fill.sampling_sweeps);
    const ValidateParameters& v = parameters.validate;
    m_is_cold = compat::is_gpu_v<ExecSpace> && v.fields * v.samplings > 1;
  }

  FilledCase fill(const std::shared_ptr<const ValidationCase>& next, std::size_t number,
                  bool spread_of_samples) override {
    // A GPU loads each kernel at its first launch, which is no part of the time of a fill.
    if (m_is_cold) fill_once(next, number, spread_of_samples);
    m_is_cold = false;
    return fill_once(next, number, spread_of_samples);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::shared_ptr<Ensemble<ExecSpace, Real>> make_ensemble() const {
    return std::make_shared<Ensemble<ExecSpace, Real>>(m_parameters.output.ensemble,
                                                       m_parameters.fill.replicas);
  }
  FilledCase fill_once(const std::shared_ptr<const ValidationCase>& next, std::size_t number,
                       bool spread_of_samples) const;
  /// Makes all batches of a fill and the members of its ensemble.
  void make_batches(GapFill<ExecSpace, Real>& fill, Ensemble<ExecSpace, Real>& ensemble) const;

  const Parameters& m_parameters;
  RunSettings m_settings;
  FillOptions m_options;
  ExecSpace m_exec;
  bool m_is_cold;
};

template <class ExecSpace, class Real>
void CaseFillOn<ExecSpace, Real>::make_batches(GapFill<ExecSpace, Real>& fill,
                                               Ensemble<ExecSpace, Real>& ensemble) const {
  if (!fill.uses_draws()) ensemble.check(fill.sampling_sweeps());
  logging::Stage stage;
  const char* const unit = fill.uses_draws() ? "draw" : "sweep";
  do {
    stop_at_signal();
    stage.count(unit, fill.sampling_done(), fill.sampling_sweeps());
  } while (ensemble.advance(m_exec, fill));
}

template <class ExecSpace, class Real>
FilledCase CaseFillOn<ExecSpace, Real>::fill_once(const std::shared_ptr<const ValidationCase>& next,
                                                  std::size_t number,
                                                  bool spread_of_samples) const {
  const Field& field = next->field;
  FillOptions options = m_options;
  options.seed = m_settings.seed + number;
  check_memory(GapFill<ExecSpace, Real>::memory(field.grid, field.frames, options), m_settings);
  FilledCase filled;
  filled.of = next;
  const auto begin = Clock::now();
  const auto values = upload_values<Real>(m_exec, "tessera::mpr::values", field);
  const auto status = upload(m_exec, "tessera::mpr::status", field.status);
  const Array<ExecSpace, Real> mean(Kokkos::view_alloc(m_exec, "tessera::mpr::mean"),
                                    values.extent(0)),
      deviation(Kokkos::view_alloc(m_exec, "tessera::mpr::deviation"), values.extent(0));
  m_exec.fence();
  const auto begin_of_fill = Clock::now();
  stop_at_signal();
  GapFill<ExecSpace, Real> fill(m_exec, field.grid, field.frames, options);
  const SitesOfField sites(field);
  fill.prepare(values, status, upload_noise<Real>(m_exec, "tessera::mpr::errors", field, sites),
               upload_trend<Real>(m_exec, "tessera::mpr::trend", field, sites));
  const auto ensemble = make_ensemble();
  make_batches(fill, *ensemble);
  fill.moments(mean, deviation);
  m_exec.fence();
  filled.seconds = seconds_since(begin_of_fill);
  std::vector<double> spread = download_doubles(m_exec, deviation),
                      centre = download_values(m_exec, mean, field);
  filled.transfer_seconds = seconds_since(begin) - filled.seconds;
  if (spread_of_samples && field.noise) {
    for (const std::size_t i : next->sites) spread[i] = std::hypot(spread[i], field.noise_at(i));
  }
  filled.laws.emplace(field.transform, std::move(centre), std::move(spread));
  filled.distance = download(m_exec, fill.distance());
  filled.calibration = fill.calibration();
  filled.report = make_report(fill, report_trend(fill, field.trend.get()));
  filled.series = read_series(fill);
  filled.temperature = fill.frames().front().temperature;
  filled.members = ensemble->size();
  filled.realisation = [ensemble](std::size_t member, std::size_t site) {
    return static_cast<double>((*ensemble)[member][site]);
  };
  return filled;
}

}  // namespace tessera::mpr::detail
