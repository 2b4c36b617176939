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
#include "tessera/core/device/host_loop.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gbees/follow/following_density.hpp"
#include "tessera/gbees/particles/ensemble_filter.hpp"
#include "tessera/gbees/particles/filter_bank.hpp"
#include "tessera/gbees/particles/unscented_filter.hpp"
#include "tessera/gbees/program/compiled_instance.hpp"
#include "tessera/gbees/program/continuation.hpp"
#include "tessera/gbees/program/follow_place.hpp"
#include "tessera/gbees/program/moment_watch.hpp"
#include "tessera/gbees/program/observations.hpp"
#include "tessera/gbees/program/orbit_output.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/program/projection.hpp"
#include "tessera/gbees/program/record.hpp"
#include "tessera/gbees/program/region_log.hpp"
#include "tessera/gbees/program/restart_cells.hpp"
#include "tessera/gbees/program/run_clock.hpp"
#include "tessera/gbees/program/run_warnings.hpp"
#include "tessera/gbees/program/schedule.hpp"
#include "tessera/gbees/program/sharpness.hpp"
#include "tessera/gbees/program/start.hpp"
#include "tessera/gbees/program/vtk.hpp"
#include "tessera/gbees/propagator/rebin.hpp"

namespace tessera::gbees {

/// The run of an input file: segments between measurements, each divided into equal intervals that
/// end with a record. A stage of that is either divided into parts, between which the run can be
/// saved, or can be given up and done again (Interrupted).
template <int D, class Word>
class GbeesModel final : public Model {
 public:
  GbeesModel(const detail::Instance<D, Word>& instance, const Parameters& parameters,
             const RunSettings& settings)
      : m_instance(instance), m_parameters(parameters), m_settings(settings) {
    make_density();
    make_regions();
  }

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  void write_beside(const std::string& results) const override {
    if (!m_records.empty()) link_vtk(results, m_parameters.dynamics.variables, volumes());
  }
  std::string indivisible() const override { return {}; }
  std::string precision() const override { return m_instance.precision; }
  bool restartable() const override { return true; }
  void gather() override;
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

  const Density<D, Word>& density() const { return *m_density; }
  const std::vector<Record>& records() const { return m_records; }

 private:
  /// The next stage of a run, for restart files.
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
    resample,        ///< of the filters, behind the record after the measurement
    maneuver,        ///< at the segment's end, made by the density
    maneuver_particles,  ///< the same by the particles
    maneuver_filters,    ///< and by the filters
  };

  static Grid<D> make_grid(const Parameters& parameters);
  static PropagatorOptions make_options(const Parameters& parameters, const RunSettings& settings);
  void make_density();
  FlowNoise flow_noise() const {
    return FlowNoise(m_parameters.noise_of_flow(), m_parameters.dynamics.orbit);
  }
  /// The variables of each joint probability that records hold for ParaView.
  std::vector<std::vector<int>> volumes() const {
    return m_parameters.output_volume() ? m_parameters.vtk : std::vector<std::vector<int>>();
  }
  Frame frame() const { return m_following != nullptr ? m_following->frame() : m_parameters.frame; }

  bool can_be_continued() const;
  void make_steps();
  double absorbed() const;
  void end_absorbed();
  void take_measurements();
  void look_at_measurements(const std::vector<Observation>& taken);
  std::vector<double> watch(const Summary<D>& summary);
  void end_measurement(const std::vector<Observation>& taken,
                       const std::vector<MeasurementUpdate>& updates);
  void end_interval();
  void end_observations();
  void make_maneuver();
  Displacement<D> displacement() const;
  std::uint64_t passed_maneuvers() const;
  void begin_segment(bool has_changed);
  void take_record();
  StateFigures figures_of_state(const Frame& frame, const std::vector<double>& cells) const;
  void compare_with_others(Record& record);
  Grid<D> cells_along_variables(const Record& record, const Frame& frame, CellList& cells) const;
  void begin_interval();
  void begin_piece();
  void make_regions();
  std::vector<RegionProgram> region_programs(const Frame& frame) const;
  void look_at_regions(bool at_record);
  void reset_regions();
  void load_regions_from(const io::Group& group);
  void collect_history();
  void write_tables(const io::Group& results) const;
  void look_at_start();
  void make_particles();
  std::unique_ptr<ParticleEnsemble<D>> make_filter_particles(std::uint64_t number,
                                                             std::uint32_t stream) const;
  Vector<D> mean_of_start() const;
  void make_filters();
  Stage after_particles() const { return m_filters.empty() ? Stage::record : Stage::filters; }
  std::vector<Observation> observations() const {
    return observations_at(m_parameters, m_schedule.segment_end());
  }

  detail::Instance<D, Word> m_instance;
  Parameters m_parameters;
  RunSettings m_settings;
  Schedule m_schedule{m_parameters};
  std::unique_ptr<Density<D, Word>> m_density;
  FollowingDensity<D, Word>* m_following = nullptr;  // which is m_density, or null
  Stage m_stage = Stage::steps;
  std::vector<Record> m_records;
  History m_history;
  MeasurementLog m_measurements;
  std::uint64_t m_maneuvers = 0;  // made so far
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
  RunClock m_clock;
};

template <int D, class Word>
Grid<D> GbeesModel<D, Word>::make_grid(const Parameters& parameters) {
  Grid<D> grid;
  for (std::size_t i = 0; i < D; ++i) {
    const int axis = static_cast<int>(i);
    const bool has_axes = parameters.frame.is_turned() || parameters.follows();
    grid.origin[axis] = has_axes ? 0 : parameters.frame.centre[i];
    grid.spacing[axis] = parameters.spacing[i];
    if (parameters.follows()) grid.spacing[axis] /= std::sqrt(parameters.initial.covariance[i][i]);
    const std::vector<Circle>& circles = parameters.dynamics.circles;
    if (!circles.empty() && !circles[i].is_line())
      grid.make_circle(axis, circles[i], parameters.frame.centre[i]);
  }
  return grid;
}

/// Makes the density, or the one that follows the flow.
template <int D, class Word>
void GbeesModel<D, Word>::make_density() {
  const Grid<D> grid = make_grid(m_parameters);
  PropagatorOptions options = make_options(m_parameters, m_settings);
  if (!m_parameters.follows()) {
    m_density = m_instance.density(m_parameters.dynamics, grid, options);
    return;
  }
  options.recentre = false;  // it is in y that the density moves, little
  FollowOptions<D> follow;
  follow.grid = grid;
  follow.threshold = options.threshold;
  follow.cfl = options.cfl;
  follow.prune_every = static_cast<std::uint64_t>(options.prune_every);
  follow.noise = flow_noise();
  follow.end = m_parameters.end;
  follow.stops = m_parameters.segment_ends();
  follow.stops.insert(follow.stops.end(), m_parameters.breaks.begin(), m_parameters.breaks.end());
  std::sort(follow.stops.begin(), follow.stops.end());
  follow.landmarks = m_parameters.landmarks;
  follow.ranks = options.ranks;
  if (m_parameters.may_stop_following) follow.spacing_of_state = m_parameters.spacing;
  // On a GPU fused kernels make steps behind a prune at which a frame would be laid anew.
  options.persistent_cells = 0;
  if (options.kernels == Kernels::fused) options.kernels = Kernels::automatic;
  const auto make = [instance = m_instance, grid, options = options,
                     dynamics = m_parameters.dynamics](const EquationProgram& program,
                                                       const std::vector<double>& noise) mutable {
    dynamics.program = program;
    options.noise = noise;
    return instance.density(dynamics, grid, options);
  };
  auto density = std::make_unique<FollowingDensity<D, Word>>(
      make, m_parameters.dynamics.text, m_parameters.first_frame(), std::move(follow));
  m_following = density.get();
  m_density = std::move(density);
}

template <int D, class Word>
PropagatorOptions GbeesModel<D, Word>::make_options(const Parameters& parameters,
                                                    const RunSettings& settings) {
  PropagatorOptions options = parameters.propagator;
  options.memory_limit = settings.memory_limit;
  options.noise = parameters.noise_along_axes();
  options.shared_device = settings.shared_device;
  options.kernels = settings.kernels;
  options.ranks = settings.ranks;
  return options;
}

template <int D, class Word>
void GbeesModel<D, Word>::initialize() {
  if constexpr (sizeof(Word) > sizeof(std::uint64_t))
    logging::detail("cells have keys of 128 bits");
  look_at_start();
  if (m_following != nullptr) {
    Parameters in_frame = m_parameters;
    in_frame.frame = frame();
    start_density(*m_density, in_frame);
  } else {
    start_density(*m_density, m_parameters);
  }
  if (m_parameters.monte_carlo.wanted) {
    make_particles();
    m_particles->draw(particle_start<D>(m_parameters));
  }
  make_filters();
  take_record();
  m_warnings.compare_start(m_records.back().covariance);
  m_warnings.watch_loss(0, m_records.back().lost_mass);
  begin_interval();
}

/// Warns where the Gaussians of the initial density are narrower than the cells.
template <int D, class Word>
void GbeesModel<D, Word>::look_at_start() {
  using Shape = InitialParameters::Shape;
  const Shape shape = m_parameters.initial.shape;
  std::vector<linalg::Matrix> covariances = m_parameters.grid_covariances();
  const bool is_mixture = covariances.size() > 1;
  if (shape == Shape::uniform || shape == Shape::points) return;  // neither is made of Gaussians
  if (m_parameters.follows() && !is_mixture) return;              // the cells are laid for it
  for (linalg::Matrix& covariance : covariances) {
    if (m_parameters.follows()) covariance = frame().covariance_along_axes(covariance);
  }
  const Vector<D>& cell = m_density->grid().spacing;
  m_warnings.watch_start(covariances, std::vector<double>(&cell[0], &cell[0] + D));
}

template <int D, class Word>
void GbeesModel<D, Word>::make_particles() {
  m_particles = m_instance.particles(m_parameters.dynamics, m_parameters.monte_carlo,
                                     m_parameters.grid_noise(), m_settings.seed, m_settings.ranks);
  if (m_regions) m_particles->watch(region_programs(m_parameters.frame));
}

/// Makes the particles of a filter, at the initial density.
template <int D, class Word>
std::unique_ptr<ParticleEnsemble<D>> GbeesModel<D, Word>::make_filter_particles(
    std::uint64_t number, std::uint32_t stream) const {
  MonteCarloParameters parameters;
  parameters.samples = number;
  parameters.step = m_parameters.filters.step;
  parameters.breaks = m_parameters.filters.breaks;
  parameters.stream = stream;
  parameters.circles = m_parameters.dynamics.circles;
  auto particles =
      m_instance.particles(m_parameters.dynamics, parameters, m_parameters.grid_noise(),
                           m_settings.seed, m_settings.ranks);
  particles->draw(particle_start<D>(m_parameters));
  return particles;
}

/// The initial mean, in the coordinates of a grid that stays.
template <int D, class Word>
Vector<D> GbeesModel<D, Word>::mean_of_start() const {
  Vector<D> mean{};
  for (int i = 0; i < D && !m_parameters.frame.is_turned(); ++i)
    mean[i] = m_parameters.frame.centre[static_cast<std::size_t>(i)];
  return mean;
}

/// Makes the filters, all of which start at the initial density.
template <int D, class Word>
void GbeesModel<D, Word>::make_filters() {
  const FilterParameters& wanted = m_parameters.filters;
  const char* const of_gaussian =
      "a Gaussian of the filter's mean and covariance at the centres of its cells";
  FilterBank<D> filters;
  if (wanted.unscented) {
    filters.add(
        "ukf", of_gaussian,
        std::make_unique<UnscentedFilter<D>>(
            m_parameters.dynamics.program, m_parameters.grid_noise(), wanted.step, wanted.points,
            mean_of_start(), m_parameters.grid_covariance(), m_settings.ranks, wanted.breaks));
  }
  if (wanted.ensemble) {
    filters.add("enkf", of_gaussian,
                std::make_unique<EnsembleKalmanFilter<D>>(make_filter_particles(wanted.members, 10),
                                                          m_settings.ranks));
  }
  if (wanted.bootstrap) {
    filters.add("particle", "the weights of the particles in its cells",
                std::make_unique<BootstrapFilter<D>>(make_filter_particles(wanted.particles, 20),
                                                     wanted.resample));
  }
  m_filters = std::move(filters);
}

template <int D, class Word>
bool GbeesModel<D, Word>::advance() {
  m_to_save = {};
  switch (m_stage) {
    case Stage::steps:
      make_steps();
      break;
    case Stage::particles:
      if (!m_particles->propagate(m_schedule.interval_start(), m_schedule.interval_end()))
        m_stage = after_particles();
      break;
    case Stage::filters:
      if (!m_filters.propagate(m_schedule.interval_start(), m_schedule.interval_end()))
        m_stage = Stage::record;
      break;
    case Stage::record:
      take_record();
      end_interval();
      break;
    case Stage::measurement:
      take_measurements();
      break;
    case Stage::particle_weights:
      if (m_particles->observe(observations(), m_schedule.segment_end())) break;
      if (m_filters.empty()) {
        end_observations();
      } else {
        m_stage = Stage::filter_updates;
      }
      break;
    case Stage::filter_updates:
      if (!m_filters.observe(observations(), m_schedule.segment_end())) end_observations();
      break;
    case Stage::maneuver:
      make_maneuver();
      break;
    case Stage::maneuver_particles:
      m_particles->displace(displacement());
      if (m_filters.empty()) {
        begin_segment(true);
      } else {
        m_stage = Stage::maneuver_filters;
      }
      break;
    case Stage::maneuver_filters:
      if (!m_filters.displace(displacement())) begin_segment(true);
      break;
    case Stage::measurement_record:
      take_record();
      m_stage = Stage::resample;
      break;
    case Stage::resample:
      m_filters.resample();
      begin_interval();
      break;
    case Stage::within_measurement:
    case Stage::nothing:
      break;
  }
  return m_stage != Stage::nothing;
}

/// Regions as the input gives them. A time to look at one that is that of a record but for rounding
/// is taken for it.
template <int D, class Word>
void GbeesModel<D, Word>::make_regions() {
  if (m_parameters.regions.empty()) return;
  bool absorbs = false;
  for (RegionParameters& region : m_parameters.regions) {
    absorbs = absorbs || region.absorbs;
    region.at = m_schedule.divide_at(region.at);
  }
  m_regions = m_instance.regions(region_programs(frame()), m_settings.ranks);
  if (!absorbs) return;
  m_density->after_each_step([this] { m_regions->absorb(m_density->device_cells()); });
  m_density->after_each_prune([this] { m_regions->follow(m_density->device_cells()); });
}

template <int D, class Word>
std::vector<RegionProgram> GbeesModel<D, Word>::region_programs(const Frame& frame) const {
  const EquationText& text = m_parameters.dynamics.text;
  std::vector<RegionProgram> programs;
  for (const RegionParameters& region : m_parameters.regions) {
    const EquationProgram& dynamics = m_parameters.dynamics.program;
    programs.push_back({compile_condition(text, region.inside, frame),
                        region.absorbs,
                        {},
                        {dynamics.program, dynamics.time_varying, m_parameters.noise_along_axes(),
                         dynamics.first_noise}});
    for (const RegionParameters::Histogram& histogram : region.histograms) {
      programs.back().histograms.push_back({compile_functions(text, {histogram.of}, frame),
                                            histogram.low, histogram.high,
                                            static_cast<std::uint32_t>(histogram.bins)});
    }
  }
  return programs;
}

template <int D, class Word>
void GbeesModel<D, Word>::begin_interval() {
  m_schedule.begin_interval(m_records.back());
  begin_piece();
}

template <int D, class Word>
void GbeesModel<D, Word>::begin_piece() {
  m_density->begin_interval(m_schedule.piece_length(), m_schedule.longest_step());
  m_stage = Stage::steps;
}

/// Looks at the regions whose time it is.
template <int D, class Word>
void GbeesModel<D, Word>::look_at_regions(bool at_record) {
  if (!m_regions) return;
  const double time = m_density->state().time;
  std::vector<double> probability;
  if (m_following != nullptr)
    m_regions = m_instance.regions(region_programs(frame()), m_settings.ranks);
  for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) {
    const std::vector<double>& at = m_parameters.regions[r].at;
    if (at.empty() ? !at_record : at_record || !std::binary_search(at.begin(), at.end(), time))
      continue;
    if (probability.empty())
      probability = m_regions->probability(m_density->cells_with_neighbours());
    m_region_log.time[r].push_back(time);
    m_region_log.probability[r].push_back(probability[r]);
  }
  m_warnings.watch_regions(m_regions->resolution());
}

/// Begins new accounts at the end of a segment, as the lost mass does.
template <int D, class Word>
void GbeesModel<D, Word>::reset_regions() {
  if (!m_regions) return;
  for (std::size_t r = 0; r < m_parameters.regions.size(); ++r)
    m_region_log.add_histograms(r, m_regions->histograms(r));
  m_region_log.emptied.push_back(m_history.time.size());
  m_regions->reset();
}

template <int D, class Word>
void GbeesModel<D, Word>::make_steps() {
  bool interval_goes_on = false;
  try {
    interval_goes_on = m_density->advance();
  } catch (...) {
    collect_history();              // the steps before the failure
    constexpr double kAll = 0.999;  // the rest has fallen below the threshold
    if (!m_regions || !(m_density->state().stop & kStopEmpty) || !(absorbed() > kAll)) throw;
    return end_absorbed();
  }
  collect_history();
  m_clock.note(m_density->state().time);
  if (interval_goes_on) return;
  const double end = m_schedule.piece_end();
  m_density->set_time(end);
  const bool has_come_by_a_step =
      !m_history.time.empty() && std::fabs(m_history.time.back() - end) <= 1e-12 * std::fabs(end);
  if (m_following == nullptr || has_come_by_a_step) m_history.time.back() = end;
  look_at_regions(false);
  if (m_schedule.next_piece()) return begin_piece();
  m_stage = m_particles ? Stage::particles : after_particles();
}

/// Returns the probability that the regions have taken since the last measurement.
template <int D, class Word>
double GbeesModel<D, Word>::absorbed() const {
  const std::vector<double> absorbed = m_regions->absorbed();
  return std::accumulate(absorbed.begin(), absorbed.end(), 0.0);
}

/// Ends a run whose density the regions have taken.
template <int D, class Word>
void GbeesModel<D, Word>::end_absorbed() {
  look_at_regions(true);
  m_warnings.end_regions(m_regions->resolution(), m_region_log.largest());
  m_warnings.end_absorbed(m_density->state().time);
  m_stage = Stage::nothing;
}

template <int D, class Word>
void GbeesModel<D, Word>::end_interval() {
  if (!m_schedule.ends_segment()) {
    m_schedule.next_interval();
    begin_interval();
  } else {
    m_stage = m_schedule.is_last_segment() ? Stage::nothing : Stage::measurement;
    if (m_stage == Stage::nothing && m_regions)
      m_warnings.end_regions(m_regions->resolution(), m_region_log.largest());
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::take_measurements() {
  const std::vector<Observation> taken = observations();
  if (taken.empty()) return end_observations();
  std::vector<MeasurementUpdate> updates;
  look_at_measurements(taken);
  m_stage = Stage::within_measurement;
  try {
    m_density->observe(taken, updates);
  } catch (const Interrupted&) {
    m_stage = Stage::measurement;  // a density that gives up is as it was
    throw;
  } catch (const Error& error) {
    const bool has_taken_it = error.kind() == ErrorKind::resource && updates.size() == taken.size();
    if (has_taken_it) end_measurement(taken, updates);  // to go on from
    throw;
  }
  end_measurement(taken, updates);
}

/// Warns where the cells cannot tell what the measurements ask.
template <int D, class Word>
void GbeesModel<D, Word>::look_at_measurements(const std::vector<Observation>& taken) {
  if (m_following != nullptr) return;  // whose cells are laid for what was measured
  const Summary<D> summary = m_density->summarize();
  const double time = m_schedule.segment_end();
  const Grid<D>& grid = m_density->grid();
  std::vector<double> mean, low, high;
  const linalg::Matrix covariance = covariance_of(summary);
  for (int i = 0; i < D; ++i) {
    mean.push_back(summary.mean[i]);
    if (grid.is_circle(i)) {  // which has no ends
      low.push_back(-std::numeric_limits<double>::infinity());
      high.push_back(std::numeric_limits<double>::infinity());
      continue;
    }
    low.push_back(grid.origin[i] + (static_cast<double>(summary.low[i]) - 0.5) * grid.spacing[i]);
    high.push_back(grid.origin[i] + (static_cast<double>(summary.high[i]) + 0.5) * grid.spacing[i]);
  }
  const std::vector<double>& spacing = m_parameters.spacing;
  const Sharpness sharpness = find_sharpness(taken, time, mean, covariance, spacing);
  m_warnings.look_at_measurements(time, taken, sharpness, low, high);
}

/// Warns where the cells have changed the density. Returns by which share of it they have widened
/// the variance along each axis; NaN: it cannot be told.
template <int D, class Word>
std::vector<double> GbeesModel<D, Word>::watch(const Summary<D>& summary) {
  const StepperState& state = m_density->state();
  std::vector<double> deviation;
  for (int i = 0; i < D; ++i)
    deviation.push_back(std::sqrt(std::max(summary.covariance[i][i], 0.0)));
  m_warnings.watch_width(state.time, deviation);
  const bool is_start = m_records.empty() || m_stage == Stage::measurement_record;
  std::vector<double> spread(D, 0.0);
  if (is_start) {
    m_moments.start(summary, state.time);
  } else {
    spread = m_moments.compare(summary, state.time, state.steps - m_watched_steps, m_warnings);
  }
  m_watched_steps = state.steps;
  spread.resize(D, std::numeric_limits<double>::quiet_NaN());
  return spread;
}

/// Ends a measurement after the density has been updated.
template <int D, class Word>
void GbeesModel<D, Word>::end_measurement(const std::vector<Observation>& taken,
                                          const std::vector<MeasurementUpdate>& updates) {
  reset_regions();
  const double time = m_schedule.segment_end();
  const std::vector<double> spacing =
      m_following != nullptr ? m_following->size_of_cells() : m_parameters.spacing;
  for (std::size_t k = 0; k < taken.size(); ++k) {
    m_measurements.time.push_back(time);
    m_measurements.log_evidence.push_back(updates[k].log_evidence);
    m_measurements.deviation.push_back(updates[k].deviation);
    m_warnings.take_measurement(time, taken[k], updates[k], spacing);
  }
  if (m_particles) {
    m_stage = Stage::particle_weights;
  } else if (!m_filters.empty()) {
    m_stage = Stage::filter_updates;
  } else {
    end_observations();
  }
}

/// Goes on behind the measurements of a time, if there were any.
template <int D, class Word>
void GbeesModel<D, Word>::end_observations() {
  if (m_parameters.maneuver_at(m_schedule.segment_end())) {
    m_stage = Stage::maneuver;
  } else {
    begin_segment(!observations().empty());
  }
}

/// Lets the density make the maneuver of the segment's end.
template <int D, class Word>
void GbeesModel<D, Word>::make_maneuver() {
  const double time = m_schedule.segment_end();
  const Maneuver maneuver = *m_parameters.maneuver_at(time);
  if (m_following != nullptr) {
    m_following->displace(maneuver);
  } else {
    displace(*m_density, maneuver, m_parameters.frame, m_parameters.propagator.threshold,
             m_settings.ranks);
  }
  for (const ManeuverParameters& made : m_parameters.maneuvers) m_maneuvers += made.time == time;
  if (m_particles) {
    m_stage = Stage::maneuver_particles;
  } else if (!m_filters.empty()) {
    m_stage = Stage::maneuver_filters;
  } else {
    begin_segment(true);
  }
}

/// What the maneuver of the segment's end does to the coordinates that particles are in.
template <int D, class Word>
Displacement<D> GbeesModel<D, Word>::displacement() const {
  const auto maneuver =
      std::make_shared<const Maneuver>(*m_parameters.maneuver_at(m_schedule.segment_end()));
  const Frame& frame = m_parameters.frame;
  Displacement<D> displacement;
  displacement.move = [maneuver, &frame](const Vector<D>& point, const double* normal) {
    Vector<D> image;
    try {
      std::vector<double> x(&point[0], &point[0] + D);
      if (frame.is_turned()) x = frame.position(&point[0]);
      x = maneuver->after(x.data(), normal);
      if (frame.is_turned()) x = frame.coordinates(x.data());
      std::copy(x.begin(), x.end(), &image[0]);
    } catch (const Error&) {  // there are no such coordinates
      for (int i = 0; i < D; ++i) image[i] = std::numeric_limits<double>::quiet_NaN();
    }
    return image;
  };
  displacement.covariance = [maneuver, &frame](const Vector<D>& point) {
    if (!frame.is_turned()) return maneuver->covariance_at(&point[0]);
    const std::vector<double> x = frame.position(&point[0]);
    return frame.covariance_along_axes(maneuver->covariance_at(x.data()));
  };
  return displacement;
}

/// Returns how many maneuvers come before the place where the run is.
template <int D, class Word>
std::uint64_t GbeesModel<D, Word>::passed_maneuvers() const {
  const double now = m_density->state().time;
  const bool is_behind = m_stage == Stage::maneuver_particles ||
                         m_stage == Stage::maneuver_filters ||
                         (m_schedule.begins_segment() && now == m_schedule.interval_start());
  const auto is_passed = [&](const ManeuverParameters& maneuver) {
    return maneuver.time < now || (is_behind && maneuver.time == now);
  };
  const auto& all = m_parameters.maneuvers;
  return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), is_passed));
}

/// `has_changed`: by a measurement or a maneuver, so that there is a record at its start.
template <int D, class Word>
void GbeesModel<D, Word>::begin_segment(bool has_changed) {
  m_schedule.next_segment();
  if (has_changed) {
    m_stage = Stage::measurement_record;
  } else {
    begin_interval();
  }
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
    m_warnings.watch_fixed_step(step.time, step.dt, m_schedule.piece_end());
  }
}

/// Puts a density that is flatter than coordinates can tell on cells along the variables, half a
/// standard deviation long, to compare it there. Returns the grid.
template <int D, class Word>
Grid<D> GbeesModel<D, Word>::cells_along_variables(const Record& record, const Frame& frame,
                                                   CellList& cells) const {
  Grid<D> grid{};
  for (std::size_t i = 0; i < D; ++i) {
    const int axis = static_cast<int>(i);
    grid.origin[axis] = record.mean[i];
    grid.spacing[axis] = 0.5 * std::sqrt(record.covariance[i * D + i]);
  }
  if (!cells.key.empty()) {
    const LogQuadratic<D, std::uint64_t> density(cells, m_density->grid(), 0);
    cells = deposit_parts<D, std::uint64_t>(density, to_state<D>(frame), grid);
  }
  return grid;
}

/// Compares the density with particles and filters, if there are any.
template <int D, class Word>
void GbeesModel<D, Word>::compare_with_others(Record& record) {
  if (!m_particles && m_filters.empty()) return;
  const Frame now = frame();
  ComparisonGrid<D> place = m_density->grid();
  CellList own = m_density->own_cells(0);
  if (now.is_degenerate()) {
    place = cells_along_variables(record, now, own);
  } else if (m_following != nullptr) {
    place = {m_density->grid(), to_coordinates<D>(now)};
  }
  Frame of_place = now;
  if (now.is_degenerate()) of_place = {record.mean, {}, {}};
  if (m_particles) {
    MonteCarloRecord particles =
        m_particles->compare_with(own, place, m_parameters.propagator.threshold, record.time);
    particles.mean = of_place.position(particles.mean.data());
    particles.covariance = of_place.covariance(particles.covariance.data());
    if (m_parameters.frame.is_turned()) {
      for (auto point = particles.points.begin(); point != particles.points.end(); point += D) {
        const std::vector<double> x = m_parameters.frame.position(&*point);
        std::copy(x.begin(), x.end(), point);
      }
    }
    const double expected = expected_overlap(own, particles.effective_samples, m_settings.ranks);
    m_warnings.compare_particles(record, particles, expected,
                                 m_regions
                                     ? m_regions->probability(m_density->cells_with_neighbours())
                                     : std::vector<double>());
    record.monte_carlo.push_back(std::move(particles));
  }
  if (!m_filters.empty()) {
    m_filters.take_record(m_density->own_cells(0), place, record.time,
                          [&now](FilterRecord& of_filter) {
                            of_filter.mean = now.position(of_filter.mean.data());
                            of_filter.covariance = now.covariance(of_filter.covariance.data());
                          });
  }
}

/// The figures of the state, of which the variables are other coordinates. `cells`: such
/// coordinates, row by row.
template <int D, class Word>
StateFigures GbeesModel<D, Word>::figures_of_state(const Frame& frame,
                                                   const std::vector<double>& cells) const {
  const OrbitCoordinates& orbit = *m_parameters.dynamics.orbit;
  const auto find_state = [&](const double* q, double* x) {
    try {
      const std::vector<double> state = orbit.state(q);
      std::copy(state.begin(), state.end(), x);
      return true;
    } catch (const Error&) {
      std::fill_n(x, D, std::numeric_limits<double>::quiet_NaN());
      return false;
    }
  };
  const AffineMap<D> to_variables = to_state<D>(frame);
  const Projection<D, Word> projection(m_density->cells(0), m_density->grid(),
                                       [&](const Vector<D>& y, Vector<D>& x) {
                                         const Vector<D> q = to_variables(y);
                                         return find_state(&q[0], &x[0]);
                                       });
  StateFigures figures;
  projection.find_moments(figures.mean, figures.covariance);
  projection.add_to(figures, figures.mean, figures.covariance, m_parameters.output_pairs);
  figures.cells.resize(cells.size());
  for_each_on_host("tessera::gbees::find_states", cells.size() / D,
                   [&](std::size_t c) { find_state(&cells[c * D], &figures.cells[c * D]); });
  return figures;
}

template <int D, class Word>
void GbeesModel<D, Word>::take_record() {
  logging::Region region("tessera::gbees::record");
  const Summary<D> summary = m_density->summarize();
  const Frame now = frame();
  Record record;
  record.time = m_density->state().time;
  record.segment = static_cast<std::int64_t>(m_schedule.segment());
  record.mass = summary.mass;
  record.lost_mass = summary.lost_mass;
  record.max_p = summary.max_p;
  const double log_volume = now.log_volume();
  record.entropy = summary.entropy + log_volume;
  record.cells = summary.cells;
  record.active_cells = summary.active_cells;
  record.mean = now.position(&summary.mean[0]);
  record.mode = now.position(&summary.mode[0]);
  record.covariance = now.covariance(&summary.covariance[0][0]);
  if (!m_parameters.dynamics.circles.empty())
    record.resultant.assign(&summary.resultant[0], &summary.resultant[0] + D);
  if (m_following != nullptr) {
    const CellListOf<Word> cells = m_density->cells(0);
    Projection<D, Word>(cells, m_density->grid(), now)
        .add_to(record, record.mean, record.covariance, m_parameters.output_pairs);
  } else {
    for (int i = 0; i < D; ++i) record.low.push_back(summary.low[i]);
    record.marginal = m_density->marginals(summary);
    for (int i = 0; m_parameters.output_pairs && i < D; ++i) {
      for (int j = i + 1; j < D; ++j)
        record.pairs.push_back({i, j, m_density->joint_marginal({i, j}, summary)});
    }
  }
  for (const std::vector<int>& axes : volumes())
    record.volumes.push_back(m_density->joint_marginal({axes[2], axes[1], axes[0]}, summary));
  if (m_parameters.output_cells) {
    CellListOf<Word> cells = m_density->cells(m_parameters.propagator.threshold);
    for (const Word key : cells.key) {
      const Vector<D> y = m_density->grid().centre(key);
      const std::vector<double> x = now.position(&y[0]);
      record.cell_x.insert(record.cell_x.end(), x.begin(), x.end());
    }
    record.cell_p = std::move(cells.probability);
  }
  if (m_parameters.dynamics.orbit) record.state = figures_of_state(now, record.cell_x);
  if constexpr (std::is_same_v<Word, std::uint64_t>) compare_with_others(record);
  if (!m_parameters.credible.empty()) {
    record.credible = m_instance.credible_sets(m_density->device_cells(), m_parameters.credible,
                                               m_settings.ranks);
    for (CredibleSet& set : record.credible) set.volume *= std::exp(log_volume);
  }
  look_at_regions(true);
  if (m_following != nullptr) {
    m_warnings.watch_follow(m_following->place());
    m_warnings.watch_noise(record.time, flow_noise().variation(now.centre.data(), now.axes));
  } else {
    record.spread = watch(summary);
  }
  std::ostringstream line;
  line << "record at t = " << record.time << ": " << record.cells << " cells, mass " << record.mass
       << ", lost " << record.lost_mass;
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
  progress.status = "step " + std::to_string(state.steps) + ", " +
                    std::to_string(state.cells + state.elsewhere) + " cells";
  return progress;
}

template <int D, class Word>
std::string GbeesModel<D, Word>::summary() const {
  const StepperState& state = m_density->state();
  return std::to_string(state.steps) + " steps, " + std::to_string(state.cell_steps) +
         " cell-steps, at most " + std::to_string(state.max_cells) + " cells";
}

template <int D, class Word>
void GbeesModel<D, Word>::write(io::ResultsFile& file) const {
  std::vector<Axis> axes;
  for (int i = 0; i < D; ++i) {
    const std::string name = m_parameters.frame.is_turned()
                                 ? "axis " + std::to_string(i + 1) + " of the grid"
                                 : m_parameters.dynamics.variables[i];
    axes.push_back({name, m_density->grid().origin[i], m_density->grid().spacing[i]});
    if (m_following != nullptr)
      axes.back().spacing = m_parameters.spacing[static_cast<std::size_t>(i)];
  }
  if (m_parameters.frame.is_turned()) {
    std::vector<double> rows;
    for (const auto& row : m_parameters.frame.axes) rows.insert(rows.end(), row.begin(), row.end());
    file.coordinates().write(
        "axes", rows, io::Shape{D, D},
        io::Attributes{"1", "columns: directions of the grid's axes in terms of the variables"});
    file.coordinates().write("centre", m_parameters.frame.centre,
                             io::Attributes{"1", "where the grid's coordinates are zero"});
    file.coordinates().write("state", m_parameters.dynamics.variables,
                             io::Attributes{"1", "names of the state variables"});
  }
  if (!m_parameters.dynamics.circles.empty())
    write_circles(file.coordinates(), m_parameters.dynamics.circles);
  write_records(file.results(), file.coordinates(), m_records, axes, m_parameters.output_cells);
  if (!m_parameters.vtk.empty()) write_vtk(file.root(), m_records, axes, m_parameters.vtk);
  write_credible(file.results(), m_records, m_parameters.credible);
  write_measurements(file.results(), m_measurements);
  write_filters(file.results(), m_filters.log());
  if (!m_records.empty()) write_tables(file.results());
  write_history(file.series(), m_history);
  m_clock.write(file.root().group("progress"));
  if (m_regions) {
    RegionLog log = m_region_log;
    for (std::size_t r = 0; r < m_parameters.regions.size(); ++r)
      log.add_histograms(r, m_regions->histograms(r));
    write_regions(file.results(), file.series(), log, m_parameters.regions, m_history.dt);
  }
  if (m_parameters.dynamics.orbit) {
    std::vector<const StateFigures*> states;
    for (const Record& record : m_records) states.push_back(&*record.state);
    write_state(file.results(), states, m_parameters.dynamics.state, m_parameters.state_units);
  }
  mark_units(file.root(), m_parameters.units, m_parameters.frame.is_turned());
  write_ephemeris(file.root(), m_parameters, m_records);
  const StepperState& state = m_density->state();
  file.series().set_attribute("steps", state.steps);
  file.series().set_attribute("cell_steps", state.cell_steps);
  file.series().set_attribute("max_cells", state.max_cells);
}

/// Writes the values of the tables at the records.
template <int D, class Word>
void GbeesModel<D, Word>::write_tables(const io::Group& results) const {
  for (const TableParameters& table : m_parameters.tables) {
    std::vector<double> rows;
    for (const Record& record : m_records) {
      for (const int function : table.functions)
        rows.push_back(m_parameters.dynamics.text.tables->tables()(function, record.time));
    }
    const io::Group group = results.group("tables").group(table.name);
    group.write("value", rows, io::Shape{m_records.size(), table.functions.size()},
                io::Attributes{m_parameters.units.of_dimension(table.dimension),
                               "columns of the table at each record"});
    group.write("columns", table.columns,
                io::Attributes{"1", "names of the columns in expressions"});
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::save(io::Group& group) const {
  const io::Attributes plain;
  m_schedule.save(group);
  group.set_attribute("stage", static_cast<int>(m_stage));
  save_density(group, *m_density, m_to_save.cells);
  if (m_following != nullptr) save_follow(group.group("follow"), m_following->place());
  save_records(group.group("records"), m_records, volumes());
  if (m_following == nullptr) {
    m_moments.save(group.group("moments"));
    group.set_attribute("watched_steps", m_watched_steps);
  }
  save_history(group.group("history"), m_history);
  save_measurements(group, m_measurements);
  group.set_attribute("maneuvers", m_maneuvers);
  save_past(group.group("past"), m_parameters, m_measurements.time.size(), m_density->state().time);
  if (m_particles) m_particles->save(group.group("particles"), m_to_save.particles);
  if (!m_filters.empty()) m_filters.save(group.group("filters"), m_to_save.filters);
  if (m_regions) {
    const io::Group regions = group.group("regions");
    save_regions(regions, m_region_log);
    regions.write("account", m_to_save.accounts, plain);
    for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) {
      const std::vector<std::vector<double>> histograms = m_regions->histograms(r);
      for (std::size_t h = 0; h < histograms.size(); ++h) {
        regions.write("histogram_" + std::to_string(r) + "_" + std::to_string(h), histograms[h],
                      plain);
      }
    }
  }
}

template <int D, class Word>
void GbeesModel<D, Word>::gather() {
  m_to_save.cells = m_density->raw_cells();
  if (m_regions) m_to_save.accounts = m_regions->absorbed();
  if (m_particles) m_to_save.particles = m_particles->gather();
  m_to_save.filters = m_filters.gather();
}

/// Returns whether the stage, of a restart file, is one of this run.
template <int D, class Word>
bool GbeesModel<D, Word>::can_be_continued() const {
  const bool ends_run = m_schedule.is_last_segment(), ends_segment = m_schedule.ends_segment();
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
    case Stage::maneuver:
      return ends_segment && m_parameters.maneuver_at(m_schedule.segment_end());
    case Stage::maneuver_particles:
      return ends_segment && m_parameters.monte_carlo.wanted &&
             m_parameters.maneuver_at(m_schedule.segment_end());
    case Stage::maneuver_filters:
      return ends_segment && m_parameters.filters.wanted() &&
             m_parameters.maneuver_at(m_schedule.segment_end());
    case Stage::measurement_record:
    case Stage::resample:
      return m_schedule.begins_segment();
    case Stage::within_measurement:
      return false;
    case Stage::nothing:
      return ends_segment && ends_run;
  }
  return false;
}

template <int D, class Word>
void GbeesModel<D, Word>::load(const io::Group& group) {
  m_stage = static_cast<Stage>(group.attribute<int>("stage"));
  const bool was_complete = m_stage == Stage::nothing;
  m_schedule.load(group, was_complete);
  // The earlier run ended where a segment ends now; there may be no measurement.
  if (was_complete && !m_schedule.is_last_segment()) m_stage = Stage::measurement;
  if (!can_be_continued()) throw group.misfit("", "is at a stage that the run lacks");
  if (m_following != nullptr) m_following->go_to(load_follow(group.group("follow"), D));
  load_density(group, *m_density);
  m_records = load_records(group.group("records"),
                           {D, m_parameters.output_cells, m_parameters.output_pairs,
                            m_parameters.dynamics.orbit.has_value(), volumes(),
                            m_parameters.monte_carlo.wanted, m_parameters.credible.size()});
  m_history = load_history(group.group("history"));
  if (m_following == nullptr) {
    m_moments.load(group.group("moments"));
    m_watched_steps = group.attribute<std::uint64_t>("watched_steps");
  }
  m_measurements = load_measurements(group);
  m_maneuvers = group.attribute<std::uint64_t>("maneuvers");
  check_past(group, m_parameters, m_measurements.time.size(), m_density->state().time);
  if (m_maneuvers != passed_maneuvers())
    throw Error(ErrorKind::input, "the maneuvers are not those of the run to continue",
                "add maneuvers only where that run had not come yet, or start again");
  m_warnings.forgive_loss(m_density->state().lost_mass);
  if (m_parameters.monte_carlo.wanted) {
    make_particles();
    m_particles->load(group.group("particles"));
  }
  make_filters();
  if (!m_filters.empty())
    m_filters.load(group.group("filters"), m_records.size(), m_measurements.time.size());
  m_schedule.load_piece(group, m_records.back());
  if (m_regions) load_regions_from(group.group("regions"));
}

template <int D, class Word>
void GbeesModel<D, Word>::load_regions_from(const io::Group& group) {
  m_region_log = load_regions(group, m_parameters.regions, m_history.time.size());
  std::vector<std::vector<double>> histograms;
  for (std::size_t r = 0; r < m_parameters.regions.size(); ++r) {
    for (std::size_t h = 0; h < m_parameters.regions[r].histograms.size(); ++h) {
      const auto entries =
          static_cast<std::uint64_t>(m_parameters.regions[r].histograms[h].bins) + 2;
      histograms.push_back(group.read<double>(
          "histogram_" + std::to_string(r) + "_" + std::to_string(h), {entries}));
    }
  }
  m_regions->restore(group.read<double>("account", {m_parameters.regions.size()}), histograms);
}

}  // namespace tessera::gbees
