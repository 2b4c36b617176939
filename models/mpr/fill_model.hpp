// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/mpr/chain_record.hpp"
#include "tessera/mpr/detail/ensemble.hpp"
#include "tessera/mpr/detail/field_copy.hpp"
#include "tessera/mpr/detail/gap_lengths.hpp"
#include "tessera/mpr/detail/run_support.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/netcdf_output.hpp"
#include "tessera/mpr/parameters.hpp"
#include "tessera/mpr/raster_output.hpp"

namespace tessera::mpr {

/// Task fill.
template <class ExecSpace, class Real>
class FillModel final : public Model {
 public:
  FillModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters), m_settings(settings), m_ensemble(parameters.output.ensemble, parameters.fill.replicas) {
    m_parameters.fill.seed = settings.seed;
    m_parameters.fill.mean_error = true;
    m_parameters.fill.draws = std::max(m_parameters.fill.draws, parameters.output.ensemble);
    if (parameters.fill.sampling_sweeps) m_ensemble.check(*parameters.fill.sampling_sweeps);
  }

  void initialize() override {
    for (const std::string& path : {m_parameters.output.netcdf, m_parameters.output.geotiff}) {
      if (!path.empty()) io::check_writable(path, true);
    }
    prepare();
    m_ensemble.clear();
  }
  bool advance() override { return m_ensemble.advance(m_exec, *m_fill); }
  std::string indivisible() const override { return "an image is filled on one device unless it is a 'stream' of windows"; }
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  const Field& field() const { return *m_parameters.input.field; }
  void prepare();
  Array<ExecSpace, std::uint16_t> limited_distances() const;
  void save_chains_of(io::Group& state) const;
  void load_chains_of(const io::Group& state);
  void load_draws(const io::Group& state);

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  std::unique_ptr<GapFill<ExecSpace, Real>> m_fill;
  detail::Ensemble<ExecSpace, Real> m_ensemble;  // transformed, less the offsets of the field
};

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::prepare() {
  const Field& data = field();
  logging::info(data.name + ": " + (data.frames > 1 ? std::to_string(data.frames) + " frames of " : "") +
                (data.grid.nz > 1 ? std::to_string(data.grid.nz) + " x " : "") + std::to_string(data.grid.ny) + " x " +
                std::to_string(data.grid.nx) + " sites, " + std::to_string(data.count(kSample)) + " samples, " +
                std::to_string(data.count(kMissing)) + " missing, " + std::to_string(data.count(kInactive)) + " inactive");
  const Geography& cells = m_parameters.geography;
  if (cells.kind != "pixels" || !cells.why.empty())
    logging::info("cells: " + cells.kind + (cells.why.empty() ? "" : ", since " + cells.why) +
                  (cells.metric.periodic ? "; columns go round" : "") + (cells.uneven_steps ? "; uneven steps of layers" : ""));
  detail::check_memory(GapFill<ExecSpace, Real>::memory(data.grid, data.frames, m_parameters.fill), m_settings);
  m_fill = std::make_unique<GapFill<ExecSpace, Real>>(m_exec, data.grid, data.frames, m_parameters.fill);
  m_fill->prepare(detail::upload_values<Real>(m_exec, "tessera::mpr::values", data), upload(m_exec, "tessera::mpr::status", data.status),
                  detail::upload_noise<Real>(m_exec, "tessera::mpr::errors", data),
                  detail::upload_trend<Real>(m_exec, "tessera::mpr::trend", data));
  const std::vector<TrendReport> trend = detail::report_trend(*m_fill, data.trend.get());
  constexpr std::size_t kMostToTell = 5;
  for (std::size_t f = 0; f < std::min(trend.size(), kMostToTell); ++f)
    logging::info("trend" + (trend.size() > 1 ? " of frame " + std::to_string(f) : std::string()) + ": " +
                  describe_trend(*data.trend, trend[f]));
  detail::warn_of(m_fill->frames());
  if (!m_fill->uses_draws()) m_ensemble.check(m_fill->sampling_sweeps());
}

template <class ExecSpace, class Real>
Progress FillModel<ExecSpace, Real>::progress() const {
  Progress progress;
  progress.unit = m_fill->uses_draws() ? "draws" : "sweeps";
  progress.total = m_fill->burn_in_sweeps() + m_fill->sampling_sweeps();
  progress.done = m_fill->burned_in() ? m_fill->burn_in_sweeps() + m_fill->sampling_done() : 0;
  progress.work = m_fill->updates();
  progress.work_unit = "updates";
  progress.status = m_fill->uses_draws() ? "draws" : m_fill->burned_in() ? "sampling" : "burn-in";
  return progress;
}

template <class ExecSpace, class Real>
std::string FillModel<ExecSpace, Real>::summary() const {
  char text[200], effort[60];
  if (m_fill->uses_draws()) {
    std::snprintf(effort, sizeof effort, "%d exact draws", m_fill->sampling_sweeps());
  } else {
    std::snprintf(effort, sizeof effort, "%d + %d sweeps", m_fill->burn_in_sweeps(), m_fill->sampling_sweeps());
  }
  std::snprintf(text, sizeof text, "%lld sites filled, temperature %.4g, curvature %.3g, %s",
                static_cast<long long>(field().count(kMissing)), m_fill->frames().front().temperature, m_fill->beta(), effort);
  return text;
}

/// 0xffff at sites that are to stay empty; of no sites where there is no limit.
template <class ExecSpace, class Real>
Array<ExecSpace, std::uint16_t> FillModel<ExecSpace, Real>::limited_distances() const {
  const OutputParameters& output = m_parameters.output;
  if (!output.max_gap_distance && !output.max_gap_length) return {};
  const Array<ExecSpace, std::uint16_t> distance(Kokkos::view_alloc(m_exec, "tessera::mpr::distance"), field().values.size());
  const auto status = upload(m_exec, "tessera::mpr::status", field().status);
  const bool periodic = m_parameters.fill.metric.periodic;
  if (output.max_gap_length) {
    detail::mark_far_sites<ExecSpace>(m_exec, field().grid, field().frames, status, m_parameters.geography.positions, periodic,
                                      *output.max_gap_length, distance);
  } else {
    detail::gap_distances<ExecSpace>(m_exec, field().grid, field().frames, status, distance, *output.max_gap_distance, periodic);
  }
  return distance;
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const std::size_t all = field().values.size();
  const Array<ExecSpace, Real> mean(Kokkos::view_alloc(m_exec, "tessera::mpr::mean"), all),
      deviation(Kokkos::view_alloc(m_exec, "tessera::mpr::deviation"), all);
  if (m_fill->sampling_done() > 0) {
    m_fill->moments(mean, deviation);
  } else {  // an interrupted burn-in has none
    Kokkos::deep_copy(m_exec, mean, std::numeric_limits<Real>::quiet_NaN());
    Kokkos::deep_copy(m_exec, deviation, std::numeric_limits<Real>::quiet_NaN());
  }
  const Array<ExecSpace, Real> error(Kokkos::view_alloc(m_exec, "tessera::mpr::mean_error"), all);
  m_fill->mean_error(deviation, error);
  const Array<ExecSpace, std::uint16_t> distance = limited_distances();
  Predictions predictions;
  predictions.members = m_ensemble.size();
  predictions.realisation = [&](std::size_t member, std::size_t site) {
    return field().transform.back(static_cast<double>(m_ensemble[member][site]) + field().reference(site));
  };
  predictions.centre_error = [&](std::size_t first, std::size_t count, double* errors) {
    detail::download_piece(m_exec, error, first, count, errors);
  };
  predictions.spread_error = m_fill->deviation_error();
  predictions.quantile = [&](double p) { return m_fill->calibration().quantile(p, m_parameters.output.empirical_quantiles); };
  predictions.law = [&](std::size_t first, std::size_t count, double* centres, double* spreads) {
    detail::download_piece(m_exec, mean, first, count, centres);
    detail::download_piece(m_exec, deviation, first, count, spreads);
    for (std::size_t i = 0; i < count; ++i) centres[i] += field().reference(first + i);
    if (distance.extent(0) == 0) return;
    std::vector<double> distances(count);
    detail::download_piece(m_exec, distance, first, count, distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (distances[i] == 0xffff) centres[i] = spreads[i] = std::numeric_limits<double>::quiet_NaN();
    }
  };
  write_maps(file, field(), predictions, m_parameters.output);
  write_report(file.results(), detail::make_report(*m_fill, field().trend.get()), field());
  write_geography(file.results(), m_parameters.geography);
  write_series(file.series(), detail::read_series(*m_fill));
  write_netcdf(field(), predictions, m_parameters.output);
  write_geotiff(field(), predictions, m_parameters.output);
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::save(io::Group& state) const {
  const io::Attributes plain;
  state.set_attribute("burned_in", m_fill->burned_in());
  if (!m_fill->burned_in()) return;
  state.set_attribute("sampling_sweeps", m_fill->sampling_done());
  m_fill->uses_draws() ? state.write("squares", m_fill->squares(), plain) : save_chains_of(state);
  state.set_attribute("members", static_cast<std::uint64_t>(m_ensemble.size()));
  for (std::size_t m = 0; m < m_ensemble.size(); ++m) state.write("member_" + std::to_string(m), m_ensemble[m], plain);
}

/// The state of the chains.
template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::save_chains_of(io::Group& state) const {
  const io::Attributes plain;
  state.set_attribute("burn_in_sweeps", m_fill->burn_in_sweeps());
  state.set_attribute("updates", m_fill->updates());
  const auto snapshot = m_fill->chains().save();
  state.write("spins", snapshot.spins, plain);
  state.write("mean", snapshot.mean, plain);
  state.write("deviation", snapshot.deviation, plain);
  state.write("series", snapshot.series, plain);
  state.set_attribute("samples", snapshot.samples);
  save_chains(state.group("chains"), snapshot.chains);
  if (!m_fill->batch_means()) return;
  const auto means = m_fill->batch_means()->save();
  state.write("batch_mean", means.before, plain);
  state.write("batch_squares", means.squares, plain);
  state.set_attribute("batch_sweeps", means.sweeps);
  state.set_attribute("batches", means.batches);
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load(const io::Group& state) {
  prepare();
  if (!state.attribute<bool>("burned_in")) return;
  m_fill->uses_draws() ? load_draws(state) : load_chains_of(state);
  const auto members = state.attribute<std::uint64_t>("members");
  if (members > static_cast<std::uint64_t>(m_parameters.output.ensemble)) {
    throw state.misfit("", "holds " + std::to_string(members) + " realisations, more than output.ensemble");
  }
  for (std::uint64_t m = 0; m < members; ++m) m_ensemble.add(state.read<Real>("member_" + std::to_string(m), {field().values.size()}));
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load_draws(const io::Group& state) {
  const int done = state.attribute<int>("sampling_sweeps");
  if (done < 0 || done > m_fill->sampling_sweeps() || done % m_fill->realisations() != 0) {
    throw state.misfit("", "does not fit the draws of this run");
  }
  m_fill->restore(done, state.read<Real>("squares", {field().values.size()}));
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load_chains_of(const io::Group& state) {
  typename Chains<ExecSpace, Real>::Snapshot snapshot;
  snapshot.spins = state.read<Real>("spins");
  snapshot.mean = state.read<Real>("mean");
  snapshot.deviation = state.read<Real>("deviation");
  snapshot.series = state.read<double>("series");
  snapshot.samples = state.attribute<std::uint32_t>("samples");
  snapshot.chains = load_chains(state.group("chains"), static_cast<std::size_t>(m_fill->chains().chains()));
  const int done = state.attribute<int>("sampling_sweeps"), burn_in = state.attribute<int>("burn_in_sweeps");
  const bool is_of_run = done >= 0 && done <= m_fill->sampling_sweeps() && snapshot.samples == static_cast<std::uint32_t>(done) &&
                         burn_in >= 0 && (done == 0 || !snapshot.mean.empty() || m_fill->chains().missing() == 0) &&
                         snapshot.deviation.empty() == (snapshot.mean.empty() || !m_parameters.fill.variance);
  if (!is_of_run || !m_fill->chains().fits(snapshot, m_fill->sampling_sweeps() - done)) {
    throw state.misfit("", "does not fit the grid and the sweeps of this run");
  }
  m_fill->restore(done, burn_in, state.attribute<double>("updates"), snapshot);
  if (!m_fill->batch_means()) return;
  typename detail::BatchMeans<ExecSpace, Real>::Snapshot means;
  means.before = state.read<Real>("batch_mean", {field().values.size()});
  means.squares = state.read<Real>("batch_squares", {field().values.size()});
  means.sweeps = state.attribute<int>("batch_sweeps");
  means.batches = state.attribute<int>("batches");
  m_fill->batch_means()->restore(means);
}

}  // namespace tessera::mpr
