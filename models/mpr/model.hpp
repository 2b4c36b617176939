// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/mpr/detail/make_model.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/gap_fill.hpp"
#include "tessera/mpr/record.hpp"
#include "tessera/mpr/synthesis.hpp"

/// The runs of an input file, one class per task.

namespace tessera::mpr {

namespace detail {

template <class ExecSpace, class To, class From>
Array<ExecSpace, To> to_device(const ExecSpace& exec, const std::vector<From>& values) {
  const Array<ExecSpace, To> device(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::mpr::field"), values.size());
  const auto host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<To>(values[i]);
  Kokkos::deep_copy(exec, device, host);
  exec.fence();
  return device;
}

template <class View>
std::vector<double> to_doubles(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

/// Says what a run will take before it takes it.
inline void check_memory(double bytes, const RunSettings& settings) {
  const double limit = static_cast<double>(settings.memory_limit > 0 ? settings.memory_limit : available_memory(settings.backend));
  logging::info("needs at most " + logging::si(bytes) + "B on its device, of " + logging::si(limit) + "B");
  if (bytes > limit) {
    throw Error(ErrorKind::resource, "the run needs " + logging::si(bytes) + "B, and there are " + logging::si(limit) + "B",
                "use model.precision: single, fewer frames or replicas, or raise run.memory_limit");
  }
}

template <class ExecSpace, class Real>
RunReport report_of(const GapFill<ExecSpace, Real>& fill) {
  RunReport report;
  report.frames = fill.frames();
  report.axis = fill.axis();
  report.beta = fill.beta();
  report.variance_factor = fill.variance_factor();
  report.updates = fill.updates();
  report.relaxation_sweeps = fill.relaxation_sweeps();
  report.equilibrium_sweeps = fill.equilibrium_sweeps();
  report.start_iterations = fill.start().iterations;
  report.start_residual = fill.start().residual;
  report.gap_edge = fill.gaps().block;
  report.mean_distance = fill.gaps().mean_distance;
  for (const HoldOutScore& score : fill.hold_out_scores()) {
    report.hold_out_beta.push_back(score.beta);
    report.hold_out_ratio.push_back(score.axis[0] / score.axis[1]);
    report.hold_out_rms.push_back(score.rms);
  }
  return report;
}

template <class ExecSpace, class Real>
SeriesOfChain series_of(const GapFill<ExecSpace, Real>& fill) {
  const auto history = fill.chains().history(0);
  return {history.energy, history.acceptance, history.step_control, history.slope};
}

}  // namespace detail

/// Task fill.
template <class ExecSpace, class Real>
class FillModel final : public Model {
 public:
  FillModel(const Parameters& parameters, const RunSettings& settings) : m_parameters(parameters), m_settings(settings) {
    m_parameters.fill.seed = settings.seed;
    const OutputParameters& output = parameters.output;
    if (output.ensemble > 0 && parameters.fill.equilibrium_sweeps > 0 &&
        output.ensemble > parameters.fill.equilibrium_sweeps * parameters.fill.replicas) {
      throw Error(ErrorKind::input,
                  "output.ensemble asks for " + std::to_string(output.ensemble) + " realisations, and there are only " +
                      std::to_string(parameters.fill.equilibrium_sweeps * parameters.fill.replicas) + " sweeps of equilibrium",
                  "raise simulation.equilibrium_sweeps or simulation.replicas");
    }
  }

  void initialize() override {
    prepare();
    m_ensemble.clear();
  }
  bool advance() override;
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  void prepare();
  /// Sweeps between two realisations of a replica; 0: none are kept.
  int spacing() const;

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  Field m_field;
  std::unique_ptr<GapFill<ExecSpace, Real>> m_fill;
  std::vector<std::vector<double>> m_ensemble;
};

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::prepare() {
  {
    const logging::Region region("tessera::mpr::read");
    m_field = read_field(m_parameters.input);
  }
  const Field& field = m_field;
  logging::info(field.name + ": " + (field.frames > 1 ? std::to_string(field.frames) + " frames of " : "") +
                (field.grid.nz > 1 ? std::to_string(field.grid.nz) + " x " : "") + std::to_string(field.grid.ny) + " x " +
                std::to_string(field.grid.nx) + " sites, " + std::to_string(field.count(kSample)) + " samples, " +
                std::to_string(field.count(kMissing)) + " missing, " + std::to_string(field.count(kInactive)) + " inactive");
  if (!m_parameters.output.geotiff.empty() && !io::have_gdal()) {
    throw Error(ErrorKind::input, "output.geotiff needs GDAL, which this build lacks",
                "leave it out, or build where GDAL is installed (Debian: libgdal-dev)");
  }
  detail::check_memory(GapFill<ExecSpace, Real>::memory(field.grid, field.frames, m_parameters.fill), m_settings);
  m_fill = std::make_unique<GapFill<ExecSpace, Real>>(m_exec, field.grid, field.frames, m_parameters.fill);
  m_fill->prepare(detail::to_device<ExecSpace, Real>(m_exec, field.values),
                  detail::to_device<ExecSpace, std::uint8_t>(m_exec, field.status));
  for (const FrameReport& frame : m_fill->frames()) {
    if (frame.hot)
      logging::warning(
          "neighbouring samples are not correlated: the temperature is without bound, and the prediction is the middle of the range");
  }
  if (m_parameters.output.ensemble > m_fill->equilibrium_sweeps() * m_parameters.fill.replicas) {
    throw Error(ErrorKind::input,
                "output.ensemble asks for " + std::to_string(m_parameters.output.ensemble) + " realisations, and there are only " +
                    std::to_string(m_fill->equilibrium_sweeps() * m_parameters.fill.replicas) + " sweeps of equilibrium",
                "raise simulation.equilibrium_sweeps or simulation.replicas");
  }
}

template <class ExecSpace, class Real>
int FillModel<ExecSpace, Real>::spacing() const {
  const int wanted = m_parameters.output.ensemble, replicas = m_parameters.fill.replicas;
  if (wanted == 0) return 0;
  return std::max(1, m_fill->equilibrium_sweeps() / ((wanted + replicas - 1) / replicas));
}

template <class ExecSpace, class Real>
bool FillModel<ExecSpace, Real>::advance() {
  const bool more = m_fill->advance(spacing());
  const int every = spacing();
  if (every > 0 && m_fill->equilibrium_done() > 0 && m_fill->equilibrium_done() % every == 0) {
    const detail::Array<ExecSpace, Real> value("tessera::mpr::realisation", m_field.values.size());
    for (int r = 0; r < m_parameters.fill.replicas && static_cast<int>(m_ensemble.size()) < m_parameters.output.ensemble; ++r) {
      m_fill->realisation(r, value);
      m_ensemble.push_back(detail::to_doubles(value));
    }
  }
  return more;
}

template <class ExecSpace, class Real>
Progress FillModel<ExecSpace, Real>::progress() const {
  Progress progress;
  progress.unit = "sweeps";
  progress.total = m_fill->relaxation_sweeps() + m_fill->equilibrium_sweeps();
  progress.done = m_fill->relaxed() ? m_fill->relaxation_sweeps() + m_fill->equilibrium_done() : 0;
  progress.work = m_fill->updates();
  progress.work_unit = "updates";
  progress.status = m_fill->relaxed() ? "equilibrium" : "relaxation";
  return progress;
}

template <class ExecSpace, class Real>
std::string FillModel<ExecSpace, Real>::summary() const {
  char text[200];
  std::snprintf(text, sizeof text, "%lld sites filled, temperature %.4g, curvature %.3g, %d + %d sweeps",
                static_cast<long long>(m_field.count(kMissing)), m_fill->frames().front().temperature, m_fill->beta(),
                m_fill->relaxation_sweeps(), m_fill->equilibrium_sweeps());
  return text;
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const std::size_t all = m_field.values.size();
  const detail::Array<ExecSpace, Real> mean("tessera::mpr::mean", all), deviation("tessera::mpr::deviation", all);
  Maps maps;
  if (m_fill->equilibrium_done() > 0) m_fill->moments(mean, deviation);  // an interrupted relaxation has none
  maps.mean = detail::to_doubles(mean);
  maps.deviation = detail::to_doubles(deviation);
  maps.ensemble = m_ensemble;
  if (m_parameters.output.max_gap_distance > 0) {
    const detail::Array<ExecSpace, std::uint16_t> distance("tessera::mpr::distance", all);
    gap_distances<ExecSpace>(m_exec, m_field.grid, m_field.frames, detail::to_device<ExecSpace, std::uint8_t>(m_exec, m_field.status),
                             distance, m_parameters.output.max_gap_distance);
    for (const double d : detail::to_doubles(distance)) maps.far.push_back(d > m_parameters.output.max_gap_distance ? 1 : 0);
  }
  write_maps(file, m_field, maps, m_parameters.output);
  write_report(file.results(), detail::report_of(*m_fill));
  write_series(file.series(), detail::series_of(*m_fill));
  write_geotiff(m_field, maps, m_parameters.output);
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::save(io::Group& state) const {
  const io::Meaning plain;
  state.write("position", std::vector<std::int64_t>{m_fill->relaxed() ? 1 : 0, m_fill->equilibrium_done(), m_fill->relaxation_sweeps()},
              plain);
  if (!m_fill->relaxed()) return;
  const auto snapshot = m_fill->chains().save();
  state.write("spins", snapshot.spins, plain);
  state.write("mean", snapshot.mean, plain);
  state.write("deviation", snapshot.deviation, plain);
  state.write("series", snapshot.series, plain);
  state.write_scalar("samples", snapshot.samples, plain);
  state.write_scalar("updates", m_fill->updates(), plain);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(snapshot.chains.data());
  state.write("chains", std::vector<std::uint8_t>(bytes, bytes + snapshot.chains.size() * sizeof(detail::ChainState)), plain);
  state.write_scalar("members", static_cast<std::uint64_t>(m_ensemble.size()), plain);
  for (std::size_t m = 0; m < m_ensemble.size(); ++m) state.write("member_" + std::to_string(m), m_ensemble[m], plain);
}

template <class ExecSpace, class Real>
void FillModel<ExecSpace, Real>::load(const io::Group& state) {
  prepare();
  const auto position = state.read<std::int64_t>("position");
  if (position.at(0) == 0) return;
  typename Chains<ExecSpace, Real>::Snapshot snapshot;
  snapshot.spins = state.read<Real>("spins");
  snapshot.mean = state.read<Real>("mean");
  snapshot.deviation = state.read<Real>("deviation");
  snapshot.series = state.read<double>("series");
  snapshot.samples = state.read_scalar<std::uint32_t>("samples");
  const auto bytes = state.read<std::uint8_t>("chains");
  snapshot.chains.resize(bytes.size() / sizeof(detail::ChainState));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(snapshot.chains.data()));
  m_fill->restore(static_cast<int>(position.at(1)), static_cast<int>(position.at(2)), state.read_scalar<double>("updates"), snapshot);
  for (std::uint64_t m = 0; m < state.read_scalar<std::uint64_t>("members"); ++m)
    m_ensemble.push_back(state.read<double>("member_" + std::to_string(m)));
}

/// Task validate: sizes x fractions x repeats.
template <class ExecSpace, class Real>
class ValidateModel final : public Model {
 public:
  ValidateModel(const Parameters& parameters, const RunSettings& settings) : m_parameters(parameters), m_settings(settings) {
    const SyntheticParameters& synthetic = parameters.input.synthetic;
    m_sizes = parameters.validate.sizes;
    if (m_sizes.empty() && synthetic.given) m_sizes = {synthetic.size[1]};
    if (m_sizes.empty()) m_sizes = {0};
  }

  void initialize() override {
    if (!m_parameters.input.synthetic.given) m_truth = read_field(m_parameters.input);
  }

  bool advance() override {
    run_case();
    return ++m_case < cases();
  }

  Progress progress() const override {
    return {static_cast<double>(m_case), static_cast<double>(cases()), "cases", m_updates, "updates", "case " + std::to_string(m_case)};
  }

  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override {
    char text[200];
    const Scores last = m_scores.empty() ? Scores() : m_scores.back();
    std::snprintf(text, sizeof text, "%zu cases; the last: MAAE %.5g, MRASE %.5g, coverage of 95 %% intervals %.3f", m_scores.size(),
                  last.maae, last.mrase, last.coverage95);
    return text;
  }

  void write(io::ResultsFile& file) const override;

 private:
  std::size_t cases() const {
    return m_sizes.size() * m_parameters.validate.fraction.size() * static_cast<std::size_t>(m_parameters.validate.repeats);
  }
  void run_case();
  std::vector<std::size_t> take_away(const Field& field, double fraction, std::uint64_t number) const;

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  std::vector<int> m_sizes;
  Field m_truth, m_gappy;  // of the last case
  Maps m_maps;
  RunReport m_report;
  SeriesOfChain m_series;
  std::vector<Scores> m_scores;
  std::size_t m_case = 0;
  double m_updates = 0;
};

template <class ExecSpace, class Real>
std::vector<std::size_t> ValidateModel<ExecSpace, Real>::take_away(const Field& field, double fraction, std::uint64_t number) const {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    if (field.status[i] == kSample) known.push_back(i);
  }
  const std::size_t wanted = static_cast<std::size_t>(fraction * static_cast<double>(known.size()) + 0.5);
  if (wanted < 1 || wanted >= known.size()) {
    throw Error(ErrorKind::input,
                "a fraction of " + std::to_string(fraction) + " takes " + std::to_string(wanted) + " of " + std::to_string(known.size()) +
                    " known values away",
                "at least one must go and one stay");
  }
  std::vector<std::size_t> places;
  if (m_parameters.validate.pattern == "random") {
    for (const std::size_t k : random_places(known.size(), wanted, m_settings.seed, number)) places.push_back(known[k]);
    return places;
  }
  const int block = m_parameters.validate.block;
  const Grid& grid = field.grid;
  if (block > grid.nx || block > grid.ny) throw Error(ErrorKind::input, "validate.block is larger than the field", "take smaller blocks");
  std::vector<std::uint8_t> taken(field.status.size(), 0);
  const Philox random(static_cast<std::uint32_t>(m_settings.seed), 0xb10c5u);
  for (std::uint64_t b = 0; places.size() < wanted; ++b) {
    const auto bits = random.bits(b, number);
    const std::size_t images = field.status.size() / static_cast<std::size_t>(grid.nx) / static_cast<std::size_t>(grid.ny);
    const auto x0 = static_cast<std::size_t>(Philox::uniform(bits, 0) * (grid.nx - block + 1)),
               y0 = static_cast<std::size_t>(Philox::uniform(bits, 1) * (grid.ny - block + 1));
    const std::size_t image = b % images;
    for (std::size_t y = y0; y < y0 + static_cast<std::size_t>(block); ++y) {
      for (std::size_t x = x0; x < x0 + static_cast<std::size_t>(block); ++x) {
        const std::size_t i = (image * static_cast<std::size_t>(grid.ny) + y) * static_cast<std::size_t>(grid.nx) + x;
        if (field.status[i] != kSample || taken[i]) continue;
        taken[i] = 1;
        places.push_back(i);
      }
    }
  }
  return places;
}

template <class ExecSpace, class Real>
void ValidateModel<ExecSpace, Real>::run_case() {
  const std::size_t repeats = static_cast<std::size_t>(m_parameters.validate.repeats), fractions = m_parameters.validate.fraction.size();
  const std::size_t repeat = m_case % repeats, fraction = m_case / repeats % fractions, size = m_case / repeats / fractions;
  if (m_parameters.input.synthetic.given && (m_case == 0 || repeats > 1 || (repeat == 0 && fraction == 0))) {
    const logging::Region region("tessera::mpr::synthesize");
    SyntheticParameters synthetic = m_parameters.input.synthetic;
    if (!m_parameters.validate.sizes.empty()) synthetic.size = {m_sizes[size], m_sizes[size]};
    m_truth = Field();
    m_truth.grid = {synthetic.size[1], synthetic.size[0], 1};
    m_truth.shape = {static_cast<std::uint64_t>(synthetic.size[0]), static_cast<std::uint64_t>(synthetic.size[1])};
    m_truth.values = gaussian_field(synthetic, m_settings.seed, repeat);
    m_truth.status.assign(m_truth.values.size(), kSample);
    m_truth.name = "synthetic field";
  }
  const std::vector<std::size_t> places = take_away(m_truth, m_parameters.validate.fraction[fraction], m_case);
  m_gappy = m_truth;
  for (const std::size_t i : places) {
    m_gappy.status[i] = kMissing;
    m_gappy.values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  FillOptions options = m_parameters.fill;
  options.seed = m_settings.seed + m_case;
  detail::check_memory(GapFill<ExecSpace, Real>::memory(m_truth.grid, m_truth.frames, options), m_settings);
  const auto values = detail::to_device<ExecSpace, Real>(m_exec, m_gappy.values);
  const auto status = detail::to_device<ExecSpace, std::uint8_t>(m_exec, m_gappy.status);
  const detail::Array<ExecSpace, Real> mean("tessera::mpr::mean", values.extent(0)), deviation("tessera::mpr::deviation", values.extent(0));
  m_exec.fence();
  const auto begin = std::chrono::steady_clock::now();
  GapFill<ExecSpace, Real> fill(m_exec, m_truth.grid, m_truth.frames, options);
  fill.prepare(values, status);
  while (fill.advance()) {
  }
  fill.moments(mean, deviation);
  m_exec.fence();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  m_maps.mean = detail::to_doubles(mean);
  m_maps.deviation = detail::to_doubles(deviation);
  Scores s = score(m_truth.values, m_maps.mean, m_maps.deviation, places);
  s.seconds = seconds;
  s.updates = fill.updates();
  s.relaxation_sweeps = fill.relaxation_sweeps();
  s.temperature = fill.frames().front().temperature;
  s.beta = fill.beta();
  m_scores.push_back(s);
  m_updates += s.updates;
  m_report = detail::report_of(fill);
  m_series = detail::series_of(fill);
}

template <class ExecSpace, class Real>
void ValidateModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const std::uint64_t repeats = static_cast<std::uint64_t>(m_parameters.validate.repeats),
                      fractions = m_parameters.validate.fraction.size();
  const io::Shape shape{m_sizes.size(), fractions, repeats};
  const io::Group group = file.results().group("validation");
  const auto column = [&](const char* name, const char* units, const char* text, double Scores::*member) {
    std::vector<double> values(cases(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t c = 0; c < m_scores.size(); ++c) values[c] = m_scores[c].*member;
    group.write(name, values, shape, {units, text});
  };
  const std::string units = m_truth.units;
  column("maae", units.c_str(), "mean absolute error [size, fraction, repeat]", &Scores::maae);
  column("mare", "1", "mean relative error", &Scores::mare);
  column("maare", "1", "mean absolute relative error", &Scores::maare);
  column("mrase", units.c_str(), "root mean square error", &Scores::mrase);
  column("coverage95", "1", "share of the true values within 1.96 standard deviations", &Scores::coverage95);
  column("spread", units.c_str(), "mean standard deviation", &Scores::spread);
  column("seconds", "s", "wall time of the filling, transfers excluded", &Scores::seconds);
  column("updates", "1", "spin updates", &Scores::updates);
  column("relaxation_sweeps", "1", "sweeps of the relaxation", &Scores::relaxation_sweeps);
  column("temperature", "1", "temperature of the model", &Scores::temperature);
  column("curvature", "1", "coupling of curvature", &Scores::beta);
  file.coordinates().write("fraction", m_parameters.validate.fraction, {"1", "of the known values that was taken away"});
  file.coordinates().write("size", std::vector<std::int64_t>(m_sizes.begin(), m_sizes.end()),
                           {"1", "edge of the field (0: as in its file)"});
  if (m_scores.empty()) return;
  write_maps(file, m_gappy, m_maps, m_parameters.output);
  const std::vector<float> truth(m_truth.values.begin(), m_truth.values.end());
  file.results().write("truth", truth, m_truth.shape, {units, "the field before values were taken away, of the last case"});
  write_report(file.results(), m_report);
  write_series(file.series(), m_series);
}

/// Task simulate: the unconditional model at several temperatures.
template <class ExecSpace, class Real>
class SimulateModel final : public Model {
 public:
  SimulateModel(const Parameters& parameters, const RunSettings& settings) : m_parameters(parameters), m_settings(settings) {}

  void initialize() override;
  bool advance() override;
  Progress progress() const override {
    const SimulateParameters& s = m_parameters.simulate;
    return {static_cast<double>(m_done),
            static_cast<double>(s.relaxation + s.sweeps),
            "sweeps",
            static_cast<double>(m_done) * static_cast<double>(m_grid.sites()) * static_cast<double>(s.temperatures.size()),
            "updates",
            m_done < s.relaxation ? "relaxation" : "equilibrium"};
  }
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override {
    return std::to_string(m_parameters.simulate.temperatures.size()) + " temperatures, " + std::to_string(m_done) + " sweeps";
  }
  void write(io::ResultsFile& file) const override;

 private:
  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  Grid m_grid;
  std::unique_ptr<Chains<ExecSpace, Real>> m_chains;
  int m_done = 0;
};

template <class ExecSpace, class Real>
void SimulateModel<ExecSpace, Real>::initialize() {
  const SimulateParameters& s = m_parameters.simulate;
  const std::size_t rank = s.size.size();
  m_grid = {s.size[rank - 1], s.size[rank - 2], rank == 3 ? s.size[0] : 1};
  ChainSettings settings;
  settings.grid = m_grid;
  settings.frames = static_cast<int>(s.temperatures.size());
  settings.sweeps = s.relaxation + s.sweeps;
  settings.beta = std::max(m_parameters.fill.curvature, 0.0);
  for (int a = 0; a < 3; ++a) settings.axis[a] = m_parameters.fill.axis[0] > 0 ? m_parameters.fill.axis[static_cast<std::size_t>(a)] : 1;
  detail::check_memory(Chains<ExecSpace, Real>::memory(settings), m_settings);
  const std::size_t sites = static_cast<std::size_t>(m_grid.sites()) * s.temperatures.size();
  const detail::Array<ExecSpace, std::uint8_t> status("tessera::mpr::status", sites);
  Kokkos::deep_copy(m_exec, status, static_cast<std::uint8_t>(kMissing));
  m_chains = std::make_unique<Chains<ExecSpace, Real>>(m_exec, settings, status);
  m_chains->start({}, s.temperatures, m_settings.seed, true);
  std::vector<double> controls;
  for (const double t : s.temperatures) controls.push_back(std::max(1.0, kPi / (8.3 * std::sqrt(t / (2.0 * m_grid.dimension())))));
  m_chains->set_step_control(controls);
}

template <class ExecSpace, class Real>
bool SimulateModel<ExecSpace, Real>::advance() {
  const SimulateParameters& s = m_parameters.simulate;
  const int total = s.relaxation + s.sweeps, until = m_done < s.relaxation ? s.relaxation : total;
  const int now = std::min(100, until - m_done);
  if (m_done < s.relaxation) {
    m_chains->relax(now);
  } else {
    m_chains->equilibrate(now, Moments::none, false);
  }
  m_exec.fence();
  m_done += now;
  return m_done < total;
}

template <class ExecSpace, class Real>
void SimulateModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const SimulateParameters& s = m_parameters.simulate;
  const std::size_t temperatures = s.temperatures.size(), sites = static_cast<std::size_t>(m_grid.sites());
  std::vector<double> energy(temperatures), error(temperatures), law(temperatures), series;
  const double pairs = static_cast<double>(m_grid.nx - 1) * m_grid.ny * m_grid.nz +
                       static_cast<double>(m_grid.ny - 1) * m_grid.nx * m_grid.nz +
                       static_cast<double>(m_grid.nz - 1) * m_grid.nx * m_grid.ny;
  for (std::size_t t = 0; t < temperatures; ++t) {
    const auto history = m_chains->history(static_cast<int>(t)).energy;
    const std::size_t begin = std::min<std::size_t>(static_cast<std::size_t>(s.relaxation), history.size());
    const std::size_t blocks = 20, length = std::max<std::size_t>(1, (history.size() - begin) / blocks);
    double sum = 0, squares = 0, count = 0;
    for (std::size_t b = begin; b + length <= history.size(); b += length) {
      double mean = 0;
      for (std::size_t i = b; i < b + length; ++i) mean += history[i] / static_cast<double>(length);
      sum += mean;
      squares += mean * mean;
      count += 1;
    }
    energy[t] = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
    error[t] = count > 1 ? std::sqrt(std::max(0.0, squares / count - energy[t] * energy[t]) / (count - 1))
                         : std::numeric_limits<double>::quiet_NaN();
    law[t] =
        m_grid.nz == 1 ? specific_energy(s.temperatures[t], static_cast<double>(sites), pairs) : std::numeric_limits<double>::quiet_NaN();
    series.insert(series.end(), history.begin(), history.end());
  }
  file.coordinates().write("temperature", s.temperatures, {"1", "temperature of each chain"});
  file.results().write("specific_energy", energy, {"1", "mean energy a neighbouring pair (a unit of pair weight), e(T)"});
  file.results().write("standard_error", error, {"1", "of the specific energy, from twenty blocks"});
  file.results().write("interpolated", law, {"1", "what mpr::specific_energy gives (two dimensions, equal couplings)"});
  file.series().write("energy", series, io::Shape{temperatures, series.size() / temperatures},
                      {"1", "specific energy [temperature, sweep]"});
  const detail::Array<ExecSpace, Real> angle("tessera::mpr::angle", sites * temperatures);
  m_chains->angles(0, angle);
  io::Shape shape{temperatures, static_cast<std::uint64_t>(m_grid.ny), static_cast<std::uint64_t>(m_grid.nx)};
  if (m_grid.nz > 1) shape.insert(shape.begin() + 1, static_cast<std::uint64_t>(m_grid.nz));
  const auto values = detail::to_doubles(angle);
  file.results().write("angle", std::vector<float>(values.begin(), values.end()), shape, {"rad", "the last state of each chain"});
}

/// Task synthesize.
class SynthesizeModel final : public Model {
 public:
  SynthesizeModel(const Parameters& parameters, const RunSettings& settings) : m_parameters(parameters), m_seed(settings.seed) {}
  void initialize() override {}
  bool advance() override {
    m_field = gaussian_field(m_parameters.input.synthetic, m_seed, 0);
    return false;
  }
  Progress progress() const override {
    return {m_field.empty() ? 0.0 : 1.0, 1, "fields", static_cast<double>(m_field.size()), "sites", ""};
  }
  std::string summary() const override { return "a field of " + std::to_string(m_field.size()) + " sites"; }
  void write(io::ResultsFile& file) const override {
    const auto& size = m_parameters.input.synthetic.size;
    const std::vector<float> values(m_field.begin(), m_field.end());
    if (values.empty()) return;
    file.results().write("field", values, io::Shape{static_cast<std::uint64_t>(size[0]), static_cast<std::uint64_t>(size[1])},
                         {"1", "Gaussian field with Whittle-Matern covariance"});
  }

 private:
  Parameters m_parameters;
  std::uint64_t m_seed;
  std::vector<double> m_field;
};

template <class ExecSpace, class Real>
std::unique_ptr<Model> detail::make_model(const Parameters& parameters, const RunSettings& settings) {
  if (parameters.task == "validate") return std::make_unique<ValidateModel<ExecSpace, Real>>(parameters, settings);
  if (parameters.task == "simulate") return std::make_unique<SimulateModel<ExecSpace, Real>>(parameters, settings);
  if (parameters.task == "synthesize") return std::make_unique<SynthesizeModel>(parameters, settings);
  return std::make_unique<FillModel<ExecSpace, Real>>(parameters, settings);
}

}  // namespace tessera::mpr
