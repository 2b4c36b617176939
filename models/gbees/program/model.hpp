// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/particles/ensemble_filter.hpp"
#include "tessera/gbees/particles/filter_bank.hpp"
#include "tessera/gbees/particles/unscented_filter.hpp"
#include "tessera/gbees/program/continuation.hpp"
#include "tessera/gbees/program/instance.hpp"
#include "tessera/gbees/program/moment_watch.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/program/record.hpp"
#include "tessera/gbees/program/region_log.hpp"
#include "tessera/gbees/program/run_warnings.hpp"
#include "tessera/gbees/program/sharpness.hpp"
#include "tessera/gbees/program/vtk.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

namespace tessera::gbees {

/// The run of an input file: segments between measurements, each divided into equal intervals that end with a record. A stage of that is
/// either divided into parts, between which the run can be saved, or can be given up and done again (Interrupted).
template <int D, class Word>
class GbeesModel final : public Model {
 public:
  GbeesModel(const detail::Instance<D, Word>& instance, const Parameters& parameters, const RunSettings& settings)
      : m_instance(instance),
        m_parameters(parameters),
        m_settings(settings),
        m_segment_ends(parameters.segment_ends()),
        m_density(instance.density(parameters.dynamics, make_grid(parameters), make_options(parameters, settings))) {
    make_regions();
  }

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  std::string indivisible() const override { return {}; }
  std::string precision() const override { return m_instance.precision; }
  bool restartable() const override { return true; }
  void gather() override;
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

  const Density<D, Word>& density() const { return *m_density; }
  const std::vector<Record>& records() const { return m_records; }

 private:
  /// What comes next, for restart files.
  enum class Stage : int {
    steps,               ///< of the density, to the interval's end
    particles,           ///< moved to there
    record,              ///< of the interval's end
    measurement,         ///< of the segment's end, taken by the density
    within_measurement,  ///< which failed: cannot be continued
    particle_weights,    ///< the same by the particles
    measurement_record,  ///< of the density after it
    nothing,
    filters,         ///< beside the density, behind the particles, carried to the interval's end
    filter_updates,  ///< the measurement, taken by the filters, behind the particles
  };

  static Grid<D> make_grid(const Parameters& parameters);
  static PropagatorOptions make_options(const Parameters& parameters, const RunSettings& settings);

  bool can_be_continued() const;
  void load_segments(const io::Group& group);
  void make_steps();
  void take_measurements();
  void look_at_measurements(const std::vector<Observation>& taken);
  void watch(const Summary<D>& summary);
  void end_measurement(const std::vector<Observation>& taken, const std::vector<MeasurementUpdate>& updates);
  void end_interval();
  void begin_segment(bool has_measurements);
  void take_record();
  void compare_with_others(Record& record);
  double segment_start() const { return m_segment == 0 ? 0 : m_segment_ends[m_segment - 1]; }
  double segment_length() const {
    return m_segment < m_parameters.segments.size() ? m_parameters.segments[m_segment] : m_segment_ends[m_segment] - segment_start();
  }
  double interval_start() const { return segment_start() + segment_length() * m_interval / m_parameters.records; }
  double interval_end() const;
  double piece_end() const;
  void find_pieces();
  void begin_interval();
  void begin_piece();
  void make_regions();
  std::vector<RegionProgram> region_programs() const;
  void look_at_regions(bool at_record);
  void reset_regions();
  void load_regions_from(const io::Group& group);
  void collect_history();
  void write_tables(const io::Group& results) const;
  void make_particles();
  std::unique_ptr<ParticleEnsemble<D>> make_filter_particles(std::uint64_t number, std::uint32_t stream) const;
  void make_filters();
  Stage after_particles() const { return m_filters.empty() ? Stage::record : Stage::filters; }
  ParticleStart<D> particle_start() const;
  std::vector<Observation> observations() const;
  Observation make_observation(const MeasurementParameters& measurement) const;
  std::vector<double> position(const Vector<D>& y) const { return m_parameters.frame.position(&y[0]); }
  std::vector<double> turned(const double* covariance) const;

  detail::Instance<D, Word> m_instance;
  Parameters m_parameters;
  RunSettings m_settings;
  std::vector<double> m_segment_ends;
  std::unique_ptr<Density<D, Word>> m_density;
  std::size_t m_segment = 0;  // the one in progress
  int m_interval = 0;         // of that segment, in progress
  Stage m_stage = Stage::steps;
  std::vector<Record> m_records;
  History m_history;
  MeasurementLog m_measurements;
  struct {
    CellListOf<Word> cells;
    std::vector<double> accounts;  // of regions
    GatheredParticles particles;
    std::vector<GatheredParticles> filters;
  } m_to_save;  // of all ranks, at the root
  RunWarnings m_warnings{m_parameters};
  MomentWatch<D> m_moments{m_parameters, m_settings.ranks};
  std::uint64_t m_watched_steps = 0;                 // of the density when m_moments last looked
  std::unique_ptr<ParticleEnsemble<D>> m_particles;  // when the density is compared with particles
  FilterBank<D> m_filters;                           // beside the density, if any
  std::unique_ptr<Regions<D>> m_regions;             // where there are any
  RegionLog m_region_log{m_parameters.regions};
  std::vector<double> m_looks;  // times at which regions are looked at besides records, ascending
  StepBounds m_bounds{m_parameters.dynamics.program, m_parameters.spacing, m_parameters.cfl};
  std::vector<BoundedPiece> m_pieces;  // of the interval, which looks at regions and the dynamics' changes in time divide
  double m_piece_start = 0;            // of the present one
};

template <int D, class Word>
Grid<D> GbeesModel<D, Word>::make_grid(const Parameters& parameters) {
  Grid<D> grid;
  for (int i = 0; i < D; ++i) {
    grid.origin[i] = parameters.frame.is_turned() ? 0 : parameters.frame.centre[i];
    grid.spacing[i] = parameters.spacing[i];
  }
  return grid;
}

template <int D, class Word>
PropagatorOptions GbeesModel<D, Word>::make_options(const Parameters& parameters, const RunSettings& settings) {
  PropagatorOptions options;
  options.scheme = parameters.scheme;
  options.threshold = parameters.threshold;
  options.cfl = parameters.cfl;
  options.prune_every = parameters.prune_every;
  options.memory_limit = settings.memory_limit;
  options.noise = parameters.noise_along_axes();
  options.recentre = parameters.recentre;
  options.directory = parameters.directory;
  options.shared_device = settings.shared_device;
  options.ranks = settings.ranks;
  return options;
}

template <int D, class Word>
void GbeesModel<D, Word>::initialize() {
  if constexpr (sizeof(Word) > sizeof(std::uint64_t)) logging::detail("cells have keys of 128 bits");
  const InitialParameters& initial = m_parameters.initial;
  const Grid<D>& grid = m_density->grid();
  if (initial.shape == InitialParameters::Shape::gaussian) {
    m_warnings.watch_start(m_parameters.grid_covariance());
    m_density->initialize(Gaussian<D>(grid.origin, m_parameters.grid_covariance()), initial.extent);
  } else if (initial.shape == InitialParameters::Shape::mixture) {
    Mixture<D> mixture;
    for (const InitialParameters::Component& component : m_parameters.grid_mixture()) {
      Vector<D> mean;
      std::copy(component.mean.begin(), component.mean.end(), &mean[0]);
      mixture.push_back({component.weight, Gaussian<D>(mean, component.covariance)});
    }
    m_density->initialize(mixture, initial.extent);
  } else if (initial.shape == InitialParameters::Shape::uniform && !m_parameters.frame.is_turned()) {
    std::vector<double> size;
    for (int i = 0; i < D; ++i) size.push_back(initial.high[i] - initial.low[i]);
    m_density->initialize(deposit<D, Word>(initial.mean, {1.0}, size, grid));
  } else if (!initial.cell.empty()) {
    m_density->initialize(deposit<D, Word>(initial.points, initial.weights, initial.cell, grid));
  } else {
    std::vector<double> points = initial.points;
    for (std::size_t n = 0; m_parameters.frame.is_turned() && n < initial.weights.size(); ++n) {
      const std::vector<double> y = m_parameters.frame.coordinates(points.data() + n * D);
      std::copy(y.begin(), y.end(), points.begin() + static_cast<std::ptrdiff_t>(n * D));
    }
    m_density->initialize(histogram<D, Word>(points, initial.weights, grid));
  }
  if (m_parameters.monte_carlo.wanted) {
    make_particles();
    m_particles->draw(particle_start());
  }
  make_filters();
  take_record();
  m_warnings.compare_start(m_records.back().covariance);
  m_warnings.watch_loss(0, m_records.back().lost_mass);
  begin_interval();
}

template <int D, class Word>
void GbeesModel<D, Word>::make_particles() {
  m_particles = m_instance.particles(m_parameters.dynamics, m_parameters.monte_carlo, m_parameters.noise_along_axes(), m_settings.seed,
                                     m_settings.ranks);
  if (m_regions) m_particles->watch(region_programs());
}

/// At the initial density.
template <int D, class Word>
std::unique_ptr<ParticleEnsemble<D>> GbeesModel<D, Word>::make_filter_particles(std::uint64_t number, std::uint32_t stream) const {
  MonteCarloParameters parameters;
  parameters.samples = number;
  parameters.step = m_parameters.filters.step;
  parameters.breaks = m_parameters.filters.breaks;
  parameters.stream = stream;
  auto particles =
      m_instance.particles(m_parameters.dynamics, parameters, m_parameters.noise_along_axes(), m_settings.seed, m_settings.ranks);
  particles->draw(particle_start());
  return particles;
}

/// All at the initial density.
template <int D, class Word>
void GbeesModel<D, Word>::make_filters() {
  const FilterParameters& wanted = m_parameters.filters;
  const char* const of_gaussian = "a Gaussian of the filter's mean and covariance at the centres of its cells";
  FilterBank<D> filters;
  if (wanted.unscented) {
    filters.add(
        "ukf", of_gaussian,
        std::make_unique<UnscentedFilter<D>>(m_parameters.dynamics.program, m_parameters.noise_along_axes(), wanted.step, wanted.points,
                                             m_density->grid().origin, m_parameters.grid_covariance(), m_settings.ranks, wanted.breaks));
  }
  if (wanted.ensemble) {
    filters.add("enkf", of_gaussian,
                std::make_unique<EnsembleKalmanFilter<D>>(make_filter_particles(wanted.members, 10), m_settings.ranks));
  }
  if (wanted.bootstrap) {
    filters.add("particle", "the weights of the particles in its cells",
                std::make_unique<BootstrapFilter<D>>(make_filter_particles(wanted.particles, 20), wanted.resample));
  }
  m_filters = std::move(filters);
}

/// Samples of the initial density in the coordinates of the grid.
template <int D, class Word>
ParticleStart<D> GbeesModel<D, Word>::particle_start() const {
  using Shape = typename ParticleShape<D>::Shape;
  const InitialParameters& initial = m_parameters.initial;
  const Frame& frame = m_parameters.frame;
  ParticleStart<D> start;
  for (int i = 0; i < D; ++i) {
    start.centre[i] = frame.is_turned() ? frame.centre[i] : 0;
    for (int j = 0; j < D; ++j) start.axes[i][j] = frame.is_turned() ? frame.axes[i][j] : i == j ? 1 : 0;
  }
  if (initial.shape == InitialParameters::Shape::gaussian) {
    start.shape = Shape::gaussian;
    const linalg::Matrix root = linalg::cholesky_factor(m_parameters.grid_covariance());
    for (int i = 0; i < D; ++i) {
      start.mean[i] = m_density->grid().origin[i];
      for (int j = 0; j < D; ++j) start.root[i][j] = root[i][j];
    }
  } else if (initial.shape == InitialParameters::Shape::mixture) {
    start.shape = Shape::mixture;
    for (const InitialParameters::Component& component : m_parameters.grid_mixture()) {
      const double before = start.cumulative_weights.empty() ? 0 : start.cumulative_weights.back();
      start.cumulative_weights.push_back(before + component.weight);
      start.points.insert(start.points.end(), component.mean.begin(), component.mean.end());
      for (const auto& row : linalg::cholesky_factor(component.covariance)) start.roots.insert(start.roots.end(), row.begin(), row.end());
    }
  } else if (initial.shape == InitialParameters::Shape::uniform) {
    start.shape = Shape::box;
    for (int i = 0; i < D; ++i) {
      start.low[i] = initial.low[i];
      start.size[i] = initial.high[i] - initial.low[i];
    }
  } else {
    start.shape = Shape::points;
    start.points = initial.points;
    start.cumulative_weights.resize(initial.weights.size());
    std::partial_sum(initial.weights.begin(), initial.weights.end(), start.cumulative_weights.begin());
    for (int i = 0; i < D && !initial.cell.empty(); ++i) start.cell[i] = initial.cell[i];
  }
  return start;
}

template <int D, class Word>
bool GbeesModel<D, Word>::advance() {
  m_to_save = {};
  switch (m_stage) {
    case Stage::steps:
      make_steps();
      break;
    case Stage::particles:
      if (!m_particles->propagate(interval_start(), interval_end())) m_stage = after_particles();
      break;
    case Stage::filters:
      if (!m_filters.propagate(interval_start(), interval_end())) m_stage = Stage::record;
      break;
    case Stage::record:
      take_record();
      end_interval();
      break;
    case Stage::measurement:
      take_measurements();
      break;
    case Stage::particle_weights:
      if (m_particles->observe(observations(), m_segment_ends[m_segment])) break;
      if (m_filters.empty()) {
        begin_segment(true);
      } else {
        m_stage = Stage::filter_updates;
      }
      break;
    case Stage::filter_updates:
      if (!m_filters.observe(observations(), m_segment_ends[m_segment])) begin_segment(true);
      break;
    case Stage::measurement_record:
      take_record();
      m_filters.resample();
      begin_interval();
      break;
    case Stage::within_measurement:
    case Stage::nothing:
      break;
  }
  return m_stage != Stage::nothing;
}

/// Regions as the input gives them. A time to look at one that is that of a record but for rounding is taken for it.
template <int D, class Word>
void GbeesModel<D, Word>::make_regions() {
  if (m_parameters.regions.empty()) return;
  bool absorbs = false;
  for (RegionParameters& region : m_parameters.regions) {
    absorbs = absorbs || region.absorbs;
    for (double& time : region.at) {
      for (m_segment = 0; m_segment < m_segment_ends.size(); ++m_segment) {
        for (m_interval = 0; m_interval < m_parameters.records; ++m_interval) {
          if (std::fabs(interval_end() - time) <= 1e-12 * m_parameters.end) time = interval_end();
        }
      }
      m_looks.push_back(time);
    }
  }
  m_segment = 0;
  m_interval = 0;
  std::sort(m_looks.begin(), m_looks.end());
  m_regions = m_instance.regions(region_programs(), m_settings.ranks);
  if (!absorbs) return;
  m_density->after_each_step([this] { m_regions->absorb(m_density->device_cells()); });
  m_density->after_each_prune([this] { m_regions->follow(m_density->device_cells()); });
}

template <int D, class Word>
std::vector<RegionProgram> GbeesModel<D, Word>::region_programs() const {
  const EquationText& text = m_parameters.dynamics.text;
  std::vector<RegionProgram> programs;
  for (const RegionParameters& region : m_parameters.regions) {
    programs.push_back({compile_condition(text, region.inside, m_parameters.frame), region.absorbs, {}});
    for (const RegionParameters::Histogram& histogram : region.histograms) {
      programs.back().histograms.push_back({compile_functions(text, {histogram.of}, m_parameters.frame), histogram.low, histogram.high,
                                            static_cast<std::uint32_t>(histogram.bins)});
    }
  }
  return programs;
}

/// Where the steps lead from the start of the piece.
template <int D, class Word>
double GbeesModel<D, Word>::piece_end() const {
  for (const BoundedPiece& piece : m_pieces) {
    if (piece.end > m_piece_start) return piece.end;
  }
  return interval_end();
}

/// Pieces of the interval, from the record at its start.
template <int D, class Word>
void GbeesModel<D, Word>::find_pieces() {
  const double start = interval_start(), end = interval_end();
  std::vector<double> ends = m_looks;
  ends.insert(ends.end(), m_parameters.breaks.begin(), m_parameters.breaks.end());
  ends.push_back(end);
  std::sort(ends.begin(), ends.end());
  const std::vector<double> mean = m_parameters.frame.coordinates(m_records.back().mean.data());
  const std::vector<double> deviation = m_parameters.frame.deviations(m_records.back().covariance.data());
  m_pieces.clear();
  double begin = start;
  for (const double t : ends) {
    if (!(t > begin && t <= end)) continue;
    const std::vector<BoundedPiece> found =
        m_bounds.pieces(begin, t, (t - begin) / m_parameters.end, mean, deviation, m_parameters.landmarks);
    m_pieces.insert(m_pieces.end(), found.begin(), found.end());
    begin = t;
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::begin_interval() {
  m_piece_start = interval_start();
  find_pieces();
  begin_piece();
}

template <int D, class Word>
void GbeesModel<D, Word>::begin_piece() {
  const bool is_whole = m_piece_start == interval_start() && piece_end() == interval_end();
  double longest = m_parameters.longest_step;
  for (const BoundedPiece& piece : m_pieces) {
    if (piece.end == piece_end()) longest = std::min(longest, piece.longest_step);
  }
  m_density->begin_interval(is_whole ? segment_length() / m_parameters.records : piece_end() - m_piece_start, longest);
  m_stage = Stage::steps;
}

/// Of those that are looked at now.
template <int D, class Word>
void GbeesModel<D, Word>::look_at_regions(bool at_record) {
  if (!m_regions) return;
  const double time = m_density->state().time;
  std::vector<double> probability;
  for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) {
    const std::vector<double>& at = m_parameters.regions[r].at;
    if (at.empty() ? !at_record : at_record || !std::binary_search(at.begin(), at.end(), time)) continue;
    if (probability.empty()) probability = m_regions->probability(m_density->device_cells());
    m_region_log.time[r].push_back(time);
    m_region_log.probability[r].push_back(probability[r]);
  }
  m_warnings.watch_regions(m_regions->resolution());
}

/// At the end of a segment: accounts begin anew, as the lost mass does.
template <int D, class Word>
void GbeesModel<D, Word>::reset_regions() {
  if (!m_regions) return;
  for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) m_region_log.add_histograms(r, m_regions->histograms(r));
  m_region_log.emptied.push_back(m_history.time.size());
  m_regions->reset();
}

template <int D, class Word>
void GbeesModel<D, Word>::make_steps() {
  bool interval_goes_on = false;
  try {
    interval_goes_on = m_density->advance();
  } catch (...) {
    collect_history();  // the steps before the failure
    throw;
  }
  collect_history();
  if (interval_goes_on) return;
  const double end = piece_end();
  m_density->set_time(end);
  m_history.time.back() = end;
  look_at_regions(false);
  if (end < interval_end()) {
    m_piece_start = end;
    return begin_piece();
  }
  m_stage = m_particles ? Stage::particles : after_particles();
}

template <int D, class Word>
void GbeesModel<D, Word>::end_interval() {
  if (m_interval + 1 < m_parameters.records) {
    ++m_interval;
    begin_interval();
  } else {
    m_stage = m_segment + 1 < m_segment_ends.size() ? Stage::measurement : Stage::nothing;
    if (m_stage == Stage::nothing && m_regions) m_warnings.end_regions(m_regions->resolution(), m_region_log.largest());
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::take_measurements() {
  const std::vector<Observation> taken = observations();
  if (taken.empty()) return begin_segment(false);
  m_stage = Stage::within_measurement;
  std::vector<MeasurementUpdate> updates;
  look_at_measurements(taken);
  reset_regions();
  try {
    m_density->observe(taken, updates);
  } catch (const Error& error) {
    const bool has_taken_it = error.kind() == ErrorKind::resource && updates.size() == taken.size();
    if (has_taken_it) end_measurement(taken, updates);  // to go on from
    throw;
  }
  end_measurement(taken, updates);
}

/// What the cells can tell of them.
template <int D, class Word>
void GbeesModel<D, Word>::look_at_measurements(const std::vector<Observation>& taken) {
  const Summary<D> summary = m_density->summarize();
  const double time = m_segment_ends[m_segment];
  const Grid<D>& grid = m_density->grid();
  std::vector<double> mean, low, high, origin;
  linalg::Matrix covariance(D, std::vector<double>(D, 0.0));
  for (int i = 0; i < D; ++i) {
    mean.push_back(summary.mean[i]);
    origin.push_back(grid.origin[i]);
    low.push_back(grid.origin[i] + (static_cast<double>(summary.low[i]) - 0.5) * grid.spacing[i]);
    high.push_back(grid.origin[i] + (static_cast<double>(summary.high[i]) + 0.5) * grid.spacing[i]);
    for (int j = 0; j < D; ++j) covariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = summary.covariance[i][j];
  }
  m_warnings.look_at_measurements(time, taken, find_sharpness(taken, time, mean, covariance, m_parameters.spacing), low, high);
  for (const Observation& observation : taken) {
    if (observation.has_values()) continue;
    m_warnings.look_at_likelihood(time, observation,
                                  find_likelihood_fault(observation, time, mean, covariance, m_parameters.spacing, origin));
  }
}

/// What the cells have made of the density.
template <int D, class Word>
void GbeesModel<D, Word>::watch(const Summary<D>& summary) {
  const StepperState& state = m_density->state();
  std::vector<double> deviation;
  for (int i = 0; i < D; ++i) deviation.push_back(std::sqrt(std::max(summary.covariance[i][i], 0.0)));
  m_warnings.watch_width(state.time, deviation);
  const bool is_start = m_records.empty() || m_stage == Stage::measurement_record;
  if (is_start) {
    m_moments.start(summary, state.time);
  } else {
    m_moments.compare(summary, state.time, state.steps - m_watched_steps, m_warnings);
  }
  m_watched_steps = state.steps;
}

/// Behind the density's update.
template <int D, class Word>
void GbeesModel<D, Word>::end_measurement(const std::vector<Observation>& taken, const std::vector<MeasurementUpdate>& updates) {
  const double time = m_segment_ends[m_segment];
  for (std::size_t k = 0; k < taken.size(); ++k) {
    m_measurements.time.push_back(time);
    m_measurements.log_evidence.push_back(updates[k].log_evidence);
    m_measurements.deviation.push_back(updates[k].deviation);
    m_warnings.take_measurement(time, taken[k].description, updates[k]);
  }
  if (m_particles) {
    m_stage = Stage::particle_weights;
  } else if (!m_filters.empty()) {
    m_stage = Stage::filter_updates;
  } else {
    begin_segment(true);
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::begin_segment(bool has_measurements) {
  ++m_segment;
  m_interval = 0;
  if (has_measurements) {
    m_stage = Stage::measurement_record;
  } else {
    begin_interval();
  }
}

template <int D, class Word>
double GbeesModel<D, Word>::interval_end() const {
  const int passed = m_interval + 1;
  return passed == m_parameters.records ? m_segment_ends[m_segment] : segment_start() + segment_length() * passed / m_parameters.records;
}

/// At the end of the present segment.
template <int D, class Word>
std::vector<Observation> GbeesModel<D, Word>::observations() const {
  std::vector<Observation> list;
  for (const MeasurementParameters& m : m_parameters.measurements_at(m_segment_ends[m_segment])) list.push_back(make_observation(m));
  return list;
}

template <int D, class Word>
Observation GbeesModel<D, Word>::make_observation(const MeasurementParameters& measurement) const {
  EquationText text = m_parameters.dynamics.text;
  text.definitions.insert(text.definitions.end(), measurement.definitions.begin(), measurement.definitions.end());
  text.table_names.insert(text.table_names.end(), measurement.table_names.begin(), measurement.table_names.end());
  expression::Program h = compile_functions(text, measurement.quantities, m_parameters.frame, measurement.time);
  Observation observation;
  if (measurement.kind == Observation::Kind::student) {
    observation = Observation::student(std::move(h), measurement.values, measurement.scale, measurement.degrees, measurement.period);
  } else {
    observation = Observation(std::move(h), measurement.values, measurement.covariance, measurement.period);
    observation.kind = measurement.kind;
  }
  observation.description = measurement.description;
  observation.place = measurement.place;
  return observation;
}

/// A covariance matrix, row by row, from the axes of the grid to the variables.
template <int D, class Word>
std::vector<double> GbeesModel<D, Word>::turned(const double* covariance) const {
  std::vector<double> result(covariance, covariance + D * D);
  if (!m_parameters.frame.is_turned()) return result;
  const config::Matrix& axes = m_parameters.frame.axes;
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t j = 0; j < D; ++j) {
      double sum = 0;
      for (std::size_t a = 0; a < D; ++a) {
        for (std::size_t b = 0; b < D; ++b) sum += axes[i][a] * covariance[a * D + b] * axes[j][b];
      }
      result[i * D + j] = sum;
    }
  }
  return result;
}

template <int D, class Word>
void GbeesModel<D, Word>::collect_history() {
  const std::vector<StepRecord> steps = m_density->take_history();
  if (m_regions) {
    const std::vector<double> absorbed = m_regions->take_history(steps.size());
    m_region_log.absorbed.insert(m_region_log.absorbed.end(), absorbed.begin(), absorbed.end());
  }
  for (const StepRecord& step : steps) {
    m_history.time.push_back(step.time);
    m_history.dt.push_back(step.dt);
    m_history.mass.push_back(step.mass);
    m_history.lost_mass.push_back(step.lost_mass);
    m_history.cells_existing.push_back(step.cells_existing);
    m_history.cells_active.push_back(step.cells_active);
    m_warnings.watch_loss(step.time, step.lost_mass);
    m_warnings.watch_step(step.time, step.dt);
  }
}

/// With particles and filters, if any.
template <int D, class Word>
void GbeesModel<D, Word>::compare_with_others(Record& record) {
  if (m_particles) {
    MonteCarloRecord particles = m_particles->compare_with(m_density->own_cells(0), m_density->grid(), m_parameters.threshold, record.time);
    particles.mean = m_parameters.frame.position(particles.mean.data());
    particles.covariance = turned(particles.covariance.data());
    const double expected = expected_overlap(m_density->own_cells(0), particles.effective_samples, m_settings.ranks);
    m_warnings.compare_particles(record, particles, expected,
                                 m_regions ? m_regions->probability(m_density->device_cells()) : std::vector<double>());
    record.monte_carlo.push_back(std::move(particles));
  }
  if (!m_filters.empty()) {
    m_filters.take_record(m_density->own_cells(0), m_density->grid(), record.time, [this](FilterRecord& of_filter) {
      of_filter.mean = m_parameters.frame.position(of_filter.mean.data());
      of_filter.covariance = turned(of_filter.covariance.data());
    });
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::take_record() {
  logging::Region region("tessera::gbees::record");
  const Summary<D> summary = m_density->summarize();
  Record record;
  record.time = m_density->state().time;
  record.segment = static_cast<std::int64_t>(m_segment);
  record.mass = summary.mass;
  record.lost_mass = summary.lost_mass;
  record.max_p = summary.max_p;
  record.entropy = summary.entropy;
  record.cells = summary.cells;
  record.active_cells = summary.active_cells;
  record.mean = position(summary.mean);
  record.mode = position(summary.mode);
  record.covariance = turned(&summary.covariance[0][0]);
  for (int i = 0; i < D; ++i) record.low.push_back(summary.low[i]);
  record.marginal = m_density->marginals(summary);
  for (int i = 0; m_parameters.output_pairs && i < D; ++i) {
    for (int j = i + 1; j < D; ++j) record.pairs.push_back({i, j, m_density->joint_marginal({i, j}, summary)});
  }
  if (m_parameters.output_volume()) {
    const std::vector<int>& axes = m_parameters.vtk;
    record.volume = m_density->joint_marginal({axes[2], axes[1], axes[0]}, summary);
  }
  if (m_parameters.output_cells) {
    CellListOf<Word> cells = m_density->cells(m_parameters.threshold);
    for (const Word key : cells.key) {
      const std::vector<double> x = position(m_density->grid().centre(key));
      record.cell_x.insert(record.cell_x.end(), x.begin(), x.end());
    }
    record.cell_p = std::move(cells.probability);
  }
  if constexpr (std::is_same_v<Word, std::uint64_t>) compare_with_others(record);
  if (!m_parameters.credible.empty())
    record.credible = m_instance.credible_sets(m_density->device_cells(), m_parameters.credible, m_settings.ranks);
  look_at_regions(true);
  watch(summary);
  std::ostringstream line;
  line << "record at t = " << record.time << ": " << record.cells << " cells, mass " << record.mass << ", lost " << record.lost_mass;
  logging::detail(line.str());
  m_records.push_back(std::move(record));
}

template <int D, class Word>
Progress GbeesModel<D, Word>::progress() const {
  const StepperState& state = m_density->state();
  Progress progress;
  progress.done = state.time;
  progress.total = m_parameters.end;
  progress.unit = "time";
  progress.work = static_cast<double>(state.cell_steps);
  progress.work_unit = "cell-steps";
  progress.status = "step " + std::to_string(state.steps) + ", " + std::to_string(state.cells + state.elsewhere) + " cells";
  return progress;
}

template <int D, class Word>
std::string GbeesModel<D, Word>::summary() const {
  const StepperState& state = m_density->state();
  return std::to_string(state.steps) + " steps, " + std::to_string(state.cell_steps) + " cell-steps, at most " +
         std::to_string(state.max_cells) + " cells";
}

template <int D, class Word>
void GbeesModel<D, Word>::write(io::ResultsFile& file) const {
  std::vector<Axis> axes;
  for (int i = 0; i < D; ++i) {
    const std::string name =
        m_parameters.frame.is_turned() ? "axis " + std::to_string(i + 1) + " of the grid" : m_parameters.dynamics.variables[i];
    axes.push_back({name, m_density->grid().origin[i], m_density->grid().spacing[i]});
  }
  if (m_parameters.frame.is_turned()) {
    std::vector<double> rows;
    for (const auto& row : m_parameters.frame.axes) rows.insert(rows.end(), row.begin(), row.end());
    file.coordinates().write("axes", rows, io::Shape{D, D},
                             io::Attributes{"1", "columns: directions of the grid's axes in terms of the variables"});
    file.coordinates().write("centre", m_parameters.frame.centre, io::Attributes{"1", "where the grid's coordinates are zero"});
    file.coordinates().write("state", m_parameters.dynamics.variables, io::Attributes{"1", "names of the state variables"});
  }
  write_records(file.results(), file.coordinates(), m_records, axes, m_parameters.output_cells);
  if (!m_parameters.vtk.empty()) write_vtk(file.root(), m_records, axes, m_parameters.vtk);
  write_credible(file.results(), m_records, m_parameters.credible);
  write_measurements(file.results(), m_measurements);
  write_filters(file.results(), m_filters.log());
  if (!m_records.empty()) write_tables(file.results());
  write_history(file.series(), m_history);
  if (m_regions) {
    RegionLog log = m_region_log;
    for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) log.add_histograms(r, m_regions->histograms(r));
    write_regions(file.results(), file.series(), log, m_parameters.regions, m_history.dt);
  }
  mark_units(file.root(), m_parameters.units, m_parameters.frame.is_turned());
  const StepperState& state = m_density->state();
  file.series().set_attribute("steps", state.steps);
  file.series().set_attribute("cell_steps", state.cell_steps);
  file.series().set_attribute("max_cells", state.max_cells);
}

/// At the records.
template <int D, class Word>
void GbeesModel<D, Word>::write_tables(const io::Group& results) const {
  for (const TableParameters& table : m_parameters.tables) {
    std::vector<double> rows;
    for (const Record& record : m_records) {
      for (const int function : table.functions) rows.push_back(m_parameters.dynamics.text.tables->tables()(function, record.time));
    }
    const io::Group group = results.group("tables").group(table.name);
    group.write("value", rows, io::Shape{m_records.size(), table.functions.size()},
                io::Attributes{m_parameters.units.of_dimension(table.dimension), "columns of the table at each record"});
    group.write("columns", table.columns, io::Attributes{"1", "names of the columns in expressions"});
  }
}

/// Hands the clock and the counters of a run to visit(name, member), for restart files.
template <class State, class Visit>
void visit_stepper_state(State& state, const Visit& visit) {
  visit("time", state.time);
  visit("interval_time", state.interval_time);
  visit("interval_length", state.interval);
  visit("longest_step", state.longest_step);
  visit("planned_step", state.planned_step);
  visit("scale", state.scale);
  visit("mass", state.mass);
  visit("lost_mass", state.lost_mass);
  visit("invariant_low", state.invariant_low);
  visit("invariant_high", state.invariant_high);
  visit("steps", state.steps);
  visit("cell_steps", state.cell_steps);
  visit("segment_steps", state.segment_steps);
  visit("max_cells", state.max_cells);
}

/// Keys in restart files: those of 128 bits in two columns, the upper half first.
template <class Word>
void save_keys(const io::Group& group, const char* name, const std::vector<Word>& keys) {
  const io::Attributes plain;
  if constexpr (std::is_same_v<Word, std::uint64_t>) {
    group.write(name, keys, plain);
  } else {
    std::vector<std::uint64_t> halves;
    for (const Word key : keys) {
      halves.push_back(static_cast<std::uint64_t>(key >> 64));
      halves.push_back(static_cast<std::uint64_t>(key));
    }
    group.write(name, halves, io::Shape{keys.size(), 2}, plain);
  }
}

template <class Word>
std::vector<Word> load_keys(const io::Group& group, const char* name) {
  if constexpr (std::is_same_v<Word, std::uint64_t>) {
    return group.read<std::uint64_t>(name);
  } else {
    const auto halves = group.read<std::uint64_t>(name, {group.shape(name).at(0), 2});
    std::vector<Word> keys;
    for (std::size_t c = 0; c < halves.size(); c += 2) keys.push_back(static_cast<Word>(halves[c]) << 64 | halves[c + 1]);
    return keys;
  }
}

/// Where the window of a grid lies, for restart files: of one that has never moved they say nothing.
template <int D>
void save_offset(const io::Group& group, const char* name, const Vector<D>& offset) {
  if (std::any_of(offset.v, offset.v + D, [](double n) { return n != 0; })) {
    group.write(name, offset.v, io::Shape{D}, io::Attributes{"1", "cell of the grid that index 0 of a key stands for"});
  }
}

template <int D>
Vector<D> load_offset(const io::Group& group, const char* name) {
  Vector<D> offset{};
  if (!group.has(name)) return offset;
  const auto values = group.read<double>(name, {D});
  for (int i = 0; i < D; ++i) {
    offset[i] = values[static_cast<std::size_t>(i)];
    if (!(std::fabs(offset[i]) < 0x1p53) || offset[i] != std::floor(offset[i])) throw group.misfit(name, "holds what is no cell");
  }
  return offset;
}

template <int D, class Word>
void GbeesModel<D, Word>::save(io::Group& group) const {
  const io::Attributes plain;
  group.set_attribute("segment", static_cast<std::uint64_t>(m_segment));
  group.set_attribute("interval", m_interval);
  group.set_attribute("stage", static_cast<int>(m_stage));
  group.set_attribute("measurements", m_parameters.measurements_before(m_segment_ends.back()));
  group.set_attribute("end", m_segment_ends.back());
  group.write("segment_ends", m_segment_ends, plain);
  visit_stepper_state(m_density->state(), [&](const char* name, const auto& member) { group.set_attribute(name, member); });
  save_offset(group, "offset", m_density->grid().offset);
  save_keys(group, "key", m_to_save.cells.key);
  group.write("mass", m_to_save.cells.probability, plain);
  save_records(group.group("records"), m_records);
  save_history(group.group("history"), m_history);
  save_measurements(group, m_measurements);
  save_past(group.group("past"), m_parameters, m_measurements.time.size(), m_density->state().time);
  if (m_particles) m_particles->save(group.group("particles"), m_to_save.particles);
  if (!m_filters.empty()) m_filters.save(group.group("filters"), m_to_save.filters);
  group.set_attribute("piece_start", m_piece_start);
  if (m_regions) {
    const io::Group regions = group.group("regions");
    save_regions(regions, m_region_log);
    regions.write("account", m_to_save.accounts, plain);
    for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) {
      const std::vector<std::vector<double>> histograms = m_regions->histograms(r);
      for (std::size_t h = 0; h < histograms.size(); ++h) {
        regions.write("histogram_" + std::to_string(r) + "_" + std::to_string(h), histograms[h], plain);
      }
    }
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::gather() {
  m_to_save.cells = m_density->raw_cells();
  if (m_regions) m_to_save.accounts = m_regions->probability(m_density->device_cells());
  if (m_particles) m_to_save.particles = m_particles->gather();
  m_to_save.filters = m_filters.gather();
}

/// Whether the stage, of a restart file, is one of this run.
template <int D, class Word>
bool GbeesModel<D, Word>::can_be_continued() const {
  const bool ends_run = m_segment + 1 == m_segment_ends.size(), ends_segment = m_interval + 1 == m_parameters.records;
  switch (m_stage) {
    case Stage::steps:
    case Stage::record:
      return true;
    case Stage::particles:
      return m_parameters.monte_carlo.wanted;
    case Stage::filters:
      return m_parameters.filters.wanted();
    case Stage::filter_updates:
      return m_parameters.filters.wanted() && ends_segment && !observations().empty();
    case Stage::measurement:
      return ends_segment && !ends_run;
    case Stage::particle_weights:
      return m_parameters.monte_carlo.wanted && ends_segment && !observations().empty();
    case Stage::measurement_record:
      return m_segment > 0 && m_interval == 0;
    case Stage::within_measurement:
      return false;
    case Stage::nothing:
      return ends_segment && ends_run;
  }
  return false;
}

/// Those of the run that wrote the state, and what the input adds to it when it was complete.
template <int D, class Word>
void GbeesModel<D, Word>::load_segments(const io::Group& group) {
  EarlierRun earlier{group.read<double>("segment_ends"), group.attribute<std::uint64_t>("measurements"),
                     static_cast<Stage>(group.attribute<int>("stage")) == Stage::nothing};
  const std::vector<double>& ends = earlier.segment_ends;
  if (ends.empty() || !std::is_sorted(ends.begin(), ends.end()) || ends.back() != group.attribute<double>("end")) {
    throw group.misfit("segment_ends", "is no list of ascending times to the end of the run");
  }
  m_segment_ends = continued_segment_ends(earlier, m_parameters);
}

template <int D, class Word>
void GbeesModel<D, Word>::load(const io::Group& group) {
  load_segments(group);
  const auto segment = group.attribute<std::uint64_t>("segment");
  m_interval = group.attribute<int>("interval");
  if (segment >= m_segment_ends.size() || m_interval < 0 || m_interval >= m_parameters.records) {
    throw group.misfit("",
                       "is at interval " + std::to_string(m_interval) + " of segment " + std::to_string(segment) + ", which the run lacks");
  }
  m_segment = static_cast<std::size_t>(segment);
  m_stage = static_cast<Stage>(group.attribute<int>("stage"));
  const bool is_extended = m_stage == Stage::nothing && m_segment + 1 < m_segment_ends.size();
  if (is_extended) m_stage = Stage::measurement;  // of which there may be none
  if (!can_be_continued()) throw group.misfit("", "is at a stage that the run lacks");
  StepperState state;
  const bool has_bounds = group.has_attribute("longest_step");  // files of runs that had none lack it
  visit_stepper_state(state, [&]<class T>(const char* name, T& member) {
    const std::string wanted = name;
    if (has_bounds || (wanted != "longest_step" && wanted != "planned_step")) member = group.attribute<T>(name);
  });
  CellListOf<Word> cells{load_keys<Word>(group, "key"), {}};
  cells.probability = group.read<double>("mass", {cells.key.size()});
  if (cells.key.empty() || cells.key.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw group.misfit("key", "holds " + std::to_string(cells.key.size()) + " cells");
  }
  m_density->restore(cells, state, load_offset<D>(group, "offset"));
  m_records = load_records(group.group("records"), {D, m_parameters.output_cells, m_parameters.output_pairs,
                                                    m_parameters.output_volume() ? m_parameters.vtk : std::vector<int>(),
                                                    m_parameters.monte_carlo.wanted, m_parameters.credible.size()});
  m_history = load_history(group.group("history"));
  m_measurements = load_measurements(group);
  check_past(group, m_parameters, m_measurements.time.size(), state.time);
  m_warnings.forgive_loss(state.lost_mass);
  if (m_parameters.monte_carlo.wanted) {
    make_particles();
    m_particles->load(group.group("particles"));
  }
  make_filters();
  if (!m_filters.empty()) m_filters.load(group.group("filters"), m_records.size(), m_measurements.time.size());
  m_piece_start = m_regions || group.has_attribute("piece_start") ? group.attribute<double>("piece_start") : interval_start();
  if (!(m_piece_start >= interval_start() && m_piece_start <= interval_end())) {
    throw group.misfit("", "belongs to a time outside the interval that the run is in");
  }
  find_pieces();
  if (m_regions) load_regions_from(group.group("regions"));
}

template <int D, class Word>
void GbeesModel<D, Word>::load_regions_from(const io::Group& group) {
  m_region_log = load_regions(group, m_parameters.regions, m_history.time.size());
  std::vector<std::vector<double>> histograms;
  for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) {
    for (std::size_t h = 0; h < m_parameters.regions[r].histograms.size(); ++h) {
      const auto entries = static_cast<std::uint64_t>(m_parameters.regions[r].histograms[h].bins) + 2;
      histograms.push_back(group.read<double>("histogram_" + std::to_string(r) + "_" + std::to_string(h), {entries}));
    }
  }
  m_regions->restore(group.read<double>("account", {m_parameters.regions.size()}), histograms);
}

}  // namespace tessera::gbees
