// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/app/run_app.hpp"
#include "core/io/results_file.hpp"
#include "core/linalg/symmetric.hpp"
#include "models/gbees/detail/make_model.hpp"
#include "models/gbees/parameters.hpp"
#include "models/gbees/propagator.hpp"
#include "models/gbees/record.hpp"

namespace tessera::gbees {

/// The run of an input file: segments between measurements, each divided into equal intervals that end with a record.
template <class ExecSpace, class Dynamics>
class GbeesModel final : public Model {
 public:
  static constexpr int D = Dynamics::dimension;

  GbeesModel(const Dynamics& dynamics, const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters),
        m_segment_ends(parameters.segment_ends()),
        m_density(ExecSpace(), dynamics, grid_of(parameters), options_of(parameters, settings)) {}

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  static Grid<D> grid_of(const Parameters& parameters);
  static PropagatorOptions options_of(const Parameters& parameters, const RunSettings& settings);

  void take_record();
  double segment_start() const { return m_segment == 0 ? 0 : m_segment_ends[m_segment - 1]; }
  double segment_length() const { return m_segment_ends[m_segment] - segment_start(); }
  double interval_end() const;
  void begin_interval() { m_density.begin_interval(segment_length() / m_parameters.records); }
  void collect_history();
  void end_segment();

  Parameters m_parameters;
  std::vector<double> m_segment_ends;
  Propagator<ExecSpace, Dynamics> m_density;
  std::size_t m_segment = 0;  // the one in progress
  int m_interval = 0;         // of that segment, in progress
  std::vector<Record> m_records;
  History m_history;
};

template <class ExecSpace, class Dynamics>
Grid<GbeesModel<ExecSpace, Dynamics>::D> GbeesModel<ExecSpace, Dynamics>::grid_of(const Parameters& parameters) {
  Grid<D> grid;
  for (int i = 0; i < D; ++i) {
    grid.origin[i] = parameters.mean[i];
    grid.spacing[i] = parameters.spacing[i];
  }
  return grid;
}

template <class ExecSpace, class Dynamics>
PropagatorOptions GbeesModel<ExecSpace, Dynamics>::options_of(const Parameters& parameters, const RunSettings& settings) {
  PropagatorOptions options;
  options.scheme = parameters.scheme;
  options.threshold = parameters.threshold;
  options.cfl = parameters.cfl;
  options.prune_every = parameters.prune_every;
  options.memory_limit = settings.memory_limit;
  return options;
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::initialize() {
  Gaussian<D> density;
  double log_determinant = 0;
  const linalg::Matrix precision = linalg::inverse_positive_definite(m_parameters.covariance, &log_determinant);
  for (int i = 0; i < D; ++i) {
    density.mean[i] = m_parameters.mean[i];
    for (int j = 0; j < D; ++j) density.precision[i][j] = precision[i][j];
  }

  // The box that is searched for initial cells: as asked, or everything that can reach the threshold.
  double reach = m_parameters.extent;
  if (m_parameters.scheme == Scheme::conservative) {
    double log_peak = -0.5 * (D * std::log(2 * 3.14159265358979323846) + log_determinant);
    for (const double spacing : m_parameters.spacing) log_peak += std::log(spacing);
    reach = std::sqrt(std::max(2 * (log_peak - std::log(m_parameters.threshold)), 0.0)) + 0.5;
  }
  std::array<int, D> extent;
  for (int i = 0; i < D; ++i) {
    const double cells = reach * std::sqrt(m_parameters.covariance[i][i]) / m_parameters.spacing[i];
    extent[i] = static_cast<int>(std::min(std::round(cells), 2e9));
  }
  m_density.initialize(density, extent);
  take_record();
  begin_interval();
}

template <class ExecSpace, class Dynamics>
bool GbeesModel<ExecSpace, Dynamics>::advance() {
  bool interval_goes_on = false;
  try {
    interval_goes_on = m_density.advance();
  } catch (...) {
    collect_history();  // the steps before the failure
    throw;
  }
  collect_history();
  if (interval_goes_on) return true;
  m_density.set_time(interval_end());
  m_history.time.back() = interval_end();
  take_record();
  if (++m_interval == m_parameters.records) {
    if (m_segment + 1 == m_segment_ends.size()) return false;
    end_segment();
  }
  begin_interval();
  return true;
}

template <class ExecSpace, class Dynamics>
double GbeesModel<ExecSpace, Dynamics>::interval_end() const {
  const int passed = m_interval + 1;
  return passed == m_parameters.records ? m_segment_ends[m_segment] : segment_start() + segment_length() * passed / m_parameters.records;
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::end_segment() {
  std::vector<Observation> observations;
  for (const MeasurementParameters& m : m_parameters.measurements_after(m_segment)) observations.push_back({m.axis, m.value, m.variance});
  m_density.observe(observations);
  ++m_segment;
  m_interval = 0;
  take_record();
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::collect_history() {
  for (const detail::StepRecord& step : m_density.take_history()) {
    m_history.time.push_back(step.time);
    m_history.dt.push_back(step.dt);
    m_history.mass.push_back(step.mass);
    m_history.lost_mass.push_back(step.lost_mass);
    m_history.cells_existing.push_back(step.cells_existing);
    m_history.cells_active.push_back(step.cells_active);
  }
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::take_record() {
  logging::Region region("tessera::gbees::record");
  const Summary<D> summary = m_density.summarize();
  Record record;
  record.time = m_density.control().time;
  record.segment = static_cast<std::int64_t>(m_segment);
  record.mass = summary.mass;
  record.lost_mass = summary.lost_mass;
  record.max_p = summary.max_p;
  record.entropy = summary.entropy;
  record.cells = summary.cells;
  record.active_cells = summary.active_cells;
  for (int i = 0; i < D; ++i) {
    record.mean.push_back(summary.mean[i]);
    record.mode.push_back(summary.mode[i]);
    for (int j = 0; j < D; ++j) record.covariance.push_back(summary.covariance[i][j]);
    record.low.push_back(summary.low[i]);
  }
  record.marginal = m_density.marginals(summary);
  if (m_parameters.output_cells) {
    CellList cells = m_density.cells(m_parameters.threshold);
    for (const std::uint64_t key : cells.key) {
      const Vector<D> x = m_density.grid().centre(key);
      for (int i = 0; i < D; ++i) record.cell_x.push_back(x[i]);
    }
    record.cell_p = std::move(cells.probability);
  }
  m_records.push_back(std::move(record));
}

template <class ExecSpace, class Dynamics>
Progress GbeesModel<ExecSpace, Dynamics>::progress() const {
  const detail::Control& now = m_density.control();
  Progress progress;
  progress.done = now.time;
  progress.total = m_parameters.end;
  progress.unit = "time";
  progress.work = static_cast<double>(now.cell_steps);
  progress.work_unit = "cell-steps";
  progress.status = "step " + std::to_string(now.steps) + ", " + std::to_string(now.cells) + " cells";
  return progress;
}

template <class ExecSpace, class Dynamics>
std::string GbeesModel<ExecSpace, Dynamics>::summary() const {
  const detail::Control& now = m_density.control();
  return std::to_string(now.steps) + " steps, " + std::to_string(now.cell_steps) + " cell-steps, at most " + std::to_string(now.max_cells) +
         " cells";
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::write(io::ResultsFile& file) const {
  std::vector<Axis> axes;
  for (int i = 0; i < D; ++i) axes.push_back({m_parameters.dynamics.variables[i], m_density.grid().origin[i], m_density.grid().spacing[i]});
  write_records(file.results(), file.coordinates(), m_records, axes, m_parameters.output_cells);
  write_history(file.series(), m_history);
  const detail::Control& now = m_density.control();
  file.series().set_attribute("steps", now.steps);
  file.series().set_attribute("cell_steps", now.cell_steps);
  file.series().set_attribute("max_cells", static_cast<std::uint64_t>(now.max_cells));
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::save(io::Group& state) const {
  const detail::Control& now = m_density.control();
  const io::Meaning plain;
  state.write("position", std::vector<std::uint64_t>{m_segment, static_cast<std::uint64_t>(m_interval)}, plain);
  state.write("clock", std::vector<double>{now.time, now.interval_time, now.interval, now.scale, now.mass, now.lost_mass}, plain);
  state.write("counters", std::vector<std::uint64_t>{now.steps, now.cell_steps, now.segment_steps, now.max_cells}, plain);
  const CellList cells = m_density.raw_cells();
  state.write("key", cells.key, plain);
  state.write("mass", cells.probability, plain);
  save_records(state.group("records"), m_records);
  save_history(state.group("history"), m_history);
}

template <class ExecSpace, class Dynamics>
void GbeesModel<ExecSpace, Dynamics>::load(const io::Group& state) {
  const auto position = state.read<std::uint64_t>("position");
  const auto clock = state.read<double>("clock");
  const auto counters = state.read<std::uint64_t>("counters");
  m_segment = position.at(0);
  m_interval = static_cast<int>(position.at(1));
  detail::Control control;
  control.time = clock.at(0);
  control.interval_time = clock.at(1);
  control.interval = clock.at(2);
  control.scale = clock.at(3);
  control.mass = clock.at(4);
  control.lost_mass = clock.at(5);
  control.steps = counters.at(0);
  control.cell_steps = counters.at(1);
  control.segment_steps = static_cast<std::uint32_t>(counters.at(2));
  control.max_cells = static_cast<std::uint32_t>(counters.at(3));
  m_density.restore({state.read<std::uint64_t>("key"), state.read<double>("mass")}, control);
  m_records = load_records(state.group("records"));
  m_history = load_history(state.group("history"));
}

template <class ExecSpace, class Dynamics>
std::unique_ptr<Model> detail::make_model(const Parameters& parameters, const RunSettings& settings) {
  Dynamics dynamics;
  detail::set(dynamics, parameters.dynamics);
  return std::make_unique<GbeesModel<ExecSpace, Dynamics>>(dynamics, parameters, settings);
}

}  // namespace tessera::gbees
