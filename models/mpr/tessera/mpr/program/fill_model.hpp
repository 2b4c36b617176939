// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/netcdf_output.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/raster_output.hpp"
#include "tessera/mpr/fill/ensemble.hpp"
#include "tessera/mpr/program/field_copy.hpp"
#include "tessera/mpr/program/fill_state.hpp"
#include "tessera/mpr/program/gap_lengths.hpp"
#include "tessera/mpr/program/run_support.hpp"

namespace tessera::mpr {

/// Task fill. Several ranks share the frames of a field, or the chain or the draws of a single
/// image or stack.
template <class ExecSpace, class Real>
class FillModel final : public Model {
 public:
  FillModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters),
        m_settings(settings),
        m_frames(parameters.input.field->frames),
        m_ensemble(parameters.output.ensemble, parameters.fill.replicas) {
    if (is_shared() && !shares_frame()) {
      m_share = FrameShare(settings.ranks, m_frames);
      m_frames = m_share.own();
    }
    m_parameters.fill.seed = settings.seed;
    m_parameters.fill.mean_error = true;
    m_parameters.fill.provide_realisations(parameters.output.ensemble);
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
  std::string indivisible() const override { return ""; }
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void gather() override;
  void gather_results() override;
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  using State = detail::FillState<ExecSpace, Real>;

  /// The maps of what is predicted.
  struct Maps {
    detail::SharedMap<ExecSpace, Real> mean, deviation, error;
    detail::SharedMap<ExecSpace, std::uint16_t>
        // kOutOfReach at sites that are to stay empty; of no sites where there is no limit
        distance;
    std::vector<std::vector<Real>> members;  // where they were gathered
  };

  const Field& field() const { return *m_parameters.input.field; }
  bool is_shared() const { return m_settings.ranks.size() > 1; }
  /// Every rank has the one frame, an image or a stack.
  bool shares_frame() const { return field().frames == 1; }
  detail::SitesOfField sites_here() const { return {field(), m_share.first, m_frames}; }
  void prepare();
  Maps make_maps() const;
  void gather_frame();
  Array<ExecSpace, std::uint16_t> limited_distances() const;
  State state_here() const;
  std::vector<Real> read_own_sites(const io::Group& state, const std::string& name) const;
  void load_chains(const io::Group& state, int done);
  void load_draws(const io::Group& state, int done);

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  FrameShare m_share;
  int m_frames;                   // here
  detail::SharedCount m_missing;  // sites, with chains
  std::unique_ptr<GapFill<ExecSpace, Real>> m_fill;
  // transformed, less the offsets of the field; of the frames here
  detail::Ensemble<ExecSpace, Real> m_ensemble;
  std::vector<TrendReport> m_trend;  // of all frames
  // Maps of all frames, at the first rank; only where ranks share them
  Maps m_maps;
  State m_saved;  // likewise
};

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::prepare() {
  const Field& data = field();
  logging::info(
      data.name + ": " + (data.frames > 1 ? std::to_string(data.frames) + " frames of " : "") +
      (data.grid.nz > 1 ? std::to_string(data.grid.nz) + " x " : "") +
      std::to_string(data.grid.ny) + " x " + std::to_string(data.grid.nx) + " sites, " +
      std::to_string(data.count(kSample)) + " samples, " + std::to_string(data.count(kMissing)) +
      " missing, " + std::to_string(data.count(kInactive)) + " inactive");
  const Geography& cells = m_parameters.geography;
  if (cells.kind != "pixels" || !cells.why.empty())
    logging::info("cells: " + cells.kind + (cells.why.empty() ? "" : ", since " + cells.why) +
                  (cells.metric.periodic ? "; columns go round" : "") +
                  (cells.uneven_steps ? "; uneven steps of layers" : ""));
  m_settings.ranks.together([&] {
    const double of_fill =
        GapFill<ExecSpace, Real>::memory(data.grid, m_frames, m_parameters.fill, data.frames);
    const bool may_share_draws =
        is_shared() && shares_frame() && m_parameters.fill.sampler != Sampler::sweeps;
    detail::check_memory(
        of_fill + (may_share_draws ? detail::SharedDraws<ExecSpace, Real>::memory(data.grid) : 0),
        m_settings);
    m_fill = std::make_unique<GapFill<ExecSpace, Real>>(m_exec, data.grid, m_frames,
                                                        m_parameters.fill, m_share);
  });
  if (is_shared() && shares_frame()) m_fill->share_simulation(m_settings.ranks);
  const detail::SitesOfField sites = sites_here();
  m_fill->prepare(detail::upload_values<Real>(m_exec, "tessera::mpr::values", data, sites),
                  detail::upload_status(m_exec, "tessera::mpr::status", data, sites),
                  detail::upload_noise<Real>(m_exec, "tessera::mpr::errors", data, sites),
                  detail::upload_trend<Real>(m_exec, "tessera::mpr::trend", data, sites));
  if (!m_fill->uses_draws())
    m_missing = detail::SharedCount(m_settings.ranks, m_fill->chains().missing());
  m_trend = detail::report_trend(*m_fill, data.trend.get(), m_share.ranks);
  constexpr std::size_t kMostToTell = 5;
  for (std::size_t f = 0; f < std::min(m_trend.size(), kMostToTell); ++f)
    logging::info("trend" +
                  (m_trend.size() > 1 ? " of frame " + std::to_string(f) : std::string()) + ": " +
                  describe_trend(*data.trend, m_trend[f]));
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
    std::snprintf(effort, sizeof effort, "%d + %d sweeps", m_fill->burn_in_sweeps(),
                  m_fill->sampling_sweeps());
  }
  std::snprintf(text, sizeof text, "%lld sites filled, temperature %.4g, curvature %.3g, %s",
                static_cast<long long>(field().count(kMissing)),
                m_fill->frames().front().temperature, m_fill->beta(), effort);
  return text;
}

template <class ExecSpace, class Real>
Array<ExecSpace, std::uint16_t> FillModel<ExecSpace, Real>::limited_distances() const {
  const OutputParameters& output = m_parameters.output;
  if (!output.max_gap_distance && !output.max_gap_length) return {};
  const detail::SitesOfField sites = sites_here();
  const Array<ExecSpace, std::uint16_t> distance(
      Kokkos::view_alloc(m_exec, "tessera::mpr::distance"), sites.count);
  const auto status = detail::upload_status(m_exec, "tessera::mpr::status", field(), sites);
  const bool periodic = m_parameters.fill.metric.periodic;
  if (output.max_gap_length) {
    detail::mark_far_sites<ExecSpace>(m_exec, field().grid, m_frames, status,
                                      m_parameters.geography.positions, periodic,
                                      *output.max_gap_length, distance);
  } else {
    detail::gap_distances<ExecSpace>(m_exec, field().grid, m_frames, status, distance,
                                     *output.max_gap_distance, periodic);
  }
  return distance;
}

/// Makes the maps of the frames here.
template <class ExecSpace, class Real>
auto FillModel<ExecSpace, Real>::make_maps() const -> Maps {
  const std::size_t sites = sites_here().count;
  Maps maps;
  maps.mean.here = Array<ExecSpace, Real>(Kokkos::view_alloc(m_exec, "tessera::mpr::mean"), sites);
  maps.deviation.here =
      Array<ExecSpace, Real>(Kokkos::view_alloc(m_exec, "tessera::mpr::deviation"), sites);
  if (m_fill->has_moments()) {
    m_fill->moments(maps.mean.here, maps.deviation.here);
  } else {  // of an interrupted run
    Kokkos::deep_copy(m_exec, maps.mean.here, std::numeric_limits<Real>::quiet_NaN());
    Kokkos::deep_copy(m_exec, maps.deviation.here, std::numeric_limits<Real>::quiet_NaN());
  }
  maps.error.here =
      Array<ExecSpace, Real>(Kokkos::view_alloc(m_exec, "tessera::mpr::mean_error"), sites);
  m_fill->mean_error(maps.deviation.here, maps.error.here);
  maps.distance.here = limited_distances();
  return maps;
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::gather_results() {
  if (shares_frame()) {
    gather_frame();
    return;
  }
  m_maps = make_maps();
  m_maps.mean.gather(m_exec, m_settings.ranks);
  m_maps.deviation.gather(m_exec, m_settings.ranks);
  m_maps.error.gather(m_exec, m_settings.ranks);
  m_maps.distance.gather(m_exec, m_settings.ranks);
  for (std::size_t m = 0; m < m_ensemble.size(); ++m)
    m_maps.members.push_back(detail::gather_blocks(m_settings.ranks, m_ensemble[m]));
}

/// The draws of all ranks, or their slabs.
template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::gather_frame() {
  m_maps = {};
  if (m_fill->uses_draws()) {
    m_fill->collect_draws();
    if (m_settings.ranks.is_root()) m_maps = make_maps();
    m_maps.members = m_ensemble.collect(m_settings.ranks);
    return;
  }
  m_maps = make_maps();
  const SiteRange own = m_fill->sites_here();
  const std::pair<std::size_t, std::size_t> range(own.first, own.first + own.count);
  for (detail::SharedMap<ExecSpace, Real>* map : {&m_maps.mean, &m_maps.deviation, &m_maps.error}) {
    map->here = Kokkos::subview(map->here, range);
    map->gather(m_exec, m_settings.ranks);
  }
  for (std::size_t m = 0; m < m_ensemble.size(); ++m)
    m_maps.members.push_back(detail::gather_blocks(
        m_settings.ranks, detail::take_blocks(m_ensemble[m], 1, own.first, own.count)));
}

template <class ExecSpace, class Real>
auto FillModel<ExecSpace, Real>::state_here() const -> State {
  State state = detail::take_state(*m_fill);
  for (std::size_t m = 0; m < m_ensemble.size(); ++m) state.members.push_back(m_ensemble[m]);
  return state;
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const Maps own = is_shared() ? Maps() : make_maps();
  const Maps& maps = is_shared() ? m_maps : own;
  Predictions predictions;
  predictions.members = is_shared() ? maps.members.size() : m_ensemble.size();
  predictions.realisation = [&](std::size_t member, std::size_t first, std::size_t count,
                                double* values) {
    const std::vector<Real>& drawn = is_shared() ? maps.members[member] : m_ensemble[member];
    for (std::size_t i = 0; i < count; ++i)
      values[i] = field().transform.back(static_cast<double>(drawn[first + i]) +
                                         field().reference(first + i));
  };
  predictions.centre_error = [&](std::size_t first, std::size_t count, double* errors) {
    maps.error.read(m_exec, first, count, errors);
  };
  predictions.spread_error = m_fill->deviation_error();
  predictions.quantile = [&](double p) {
    return m_fill->calibration().quantile(p, m_parameters.output.empirical_quantiles);
  };
  predictions.law = [&](std::size_t first, std::size_t count, double* centres, double* spreads) {
    maps.mean.read(m_exec, first, count, centres);
    maps.deviation.read(m_exec, first, count, spreads);
    for (std::size_t i = 0; i < count; ++i) centres[i] += field().reference(first + i);
    if (maps.distance.is_empty()) return;
    std::vector<double> distances(count);
    maps.distance.read(m_exec, first, count, distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (distances[i] == kOutOfReach)
        centres[i] = spreads[i] = std::numeric_limits<double>::quiet_NaN();
    }
  };
  write_maps(file, field(), predictions, m_parameters.output);
  write_report(file.results(), detail::make_report(*m_fill, m_trend), field());
  write_geography(file.results(), m_parameters.geography);
  write_series(file.series(), detail::read_series(*m_fill));
  write_netcdf(field(), predictions, m_parameters.output);
  write_geotiff(field(), predictions, m_parameters.output);
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::gather() {
  if (!is_shared() || !m_fill->burned_in()) return;
  if (shares_frame() && m_fill->uses_draws()) {
    m_fill->collect_draws();
    m_saved = detail::take_state(*m_fill);
    m_saved.members = m_ensemble.collect(m_settings.ranks);
    return;
  }
  m_saved = state_here();
  if (shares_frame()) {
    detail::gather_slabs(m_settings.ranks, *m_fill, m_saved);
  } else {
    detail::gather_state(m_settings.ranks, m_parameters.fill.replicas, m_saved);
  }
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::save(io::Group& state) const {
  state.set_attribute("burned_in", m_fill->burned_in());
  if (!m_fill->burned_in()) return;
  const bool has_batch_means = m_fill->batch_means() != nullptr;
  if (is_shared()) {
    detail::save_state(state, *m_fill, has_batch_means, m_saved);
  } else {
    detail::save_state(state, *m_fill, has_batch_means, state_here());
  }
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load(const io::Group& state) {
  prepare();
  if (!state.attribute<bool>("burned_in")) return;
  const int done = state.attribute<int>("sampling_sweeps");
  m_settings.ranks.together(
      [&] { m_fill->uses_draws() ? load_draws(state, done) : load_chains(state, done); });
  const auto members = state.attribute<std::uint64_t>("members");
  if (members > static_cast<std::uint64_t>(m_parameters.output.ensemble)) {
    throw state.misfit(
        "", "holds " + std::to_string(members) + " realisations, more than output.ensemble");
  }
  const bool has_draws = shares_frame() && m_fill->uses_draws();
  if (has_draws && !m_settings.ranks.is_root()) return;  // the first rank keeps them
  for (std::uint64_t m = 0; m < members; ++m)
    m_ensemble.add(static_cast<int>(m), read_own_sites(state, "member_" + std::to_string(m)));
}

/// The numbers of the sites here, of those of all frames.
template <class ExecSpace, class Real>
std::vector<Real> FillModel<ExecSpace, Real>::read_own_sites(const io::Group& state,
                                                             const std::string& name) const {
  const detail::SitesOfField sites = sites_here();
  return detail::take_blocks(state.read<Real>(name, {field().values.size()}), 1, sites.first,
                             sites.count);
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load_draws(const io::Group& state, int done) {
  if (done < 0 || done > m_fill->sampling_sweeps() || done % m_fill->draws_at_once() != 0) {
    throw state.misfit("", "does not fit the draws of this run");
  }
  m_fill->restore(done, read_own_sites(state, "squares"));
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load_chains(const io::Group& state, int done) {
  const int burn_in = state.attribute<int>("burn_in_sweeps");
  const auto snapshot = detail::load_chains_of(state, m_fill->chains(), m_share,
                                               m_parameters.fill.replicas, m_missing);
  const bool is_of_run =
      done >= 0 && done <= m_fill->sampling_sweeps() &&
      snapshot.samples == static_cast<std::uint32_t>(done) && burn_in >= 0 &&
      (done == 0 || !snapshot.mean.empty() || m_fill->chains().missing() == 0) &&
      snapshot.deviation.empty() == (snapshot.mean.empty() || !m_parameters.fill.variance);
  if (!is_of_run || !m_fill->chains().fits(snapshot, m_fill->sampling_sweeps() - done)) {
    throw state.misfit("", "does not fit the grid and the sweeps of this run");
  }
  m_fill->restore(done, burn_in, state.attribute<double>("updates"), snapshot);
  if (!m_fill->batch_means()) return;
  typename detail::BatchMeans<ExecSpace, Real>::Snapshot means;
  means.before = read_own_sites(state, "batch_mean");
  means.squares = read_own_sites(state, "batch_squares");
  means.sweeps = state.attribute<int>("batch_sweeps");
  means.batches = state.attribute<int>("batches");
  m_fill->batch_means()->restore(means);
}

}  // namespace tessera::mpr
