// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/netcdf_output.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/raster_output.hpp"
#include "tessera/mpr/data/stored_image.hpp"
#include "tessera/mpr/linear/packs.hpp"
#include "tessera/mpr/program/distant_fill.hpp"
#include "tessera/mpr/program/field_copy.hpp"
#include "tessera/mpr/program/run_support.hpp"
#include "tessera/mpr/program/stream_estimate.hpp"
#include "tessera/mpr/program/stream_plan.hpp"
#include "tessera/mpr/program/stream_scan.hpp"
#include "tessera/mpr/program/window_fill.hpp"
#include "tessera/mpr/program/window_store.hpp"

namespace tessera::mpr {

/// Task fill of an image that fits into no memory (`stream`): it is read once for what it is like,
/// the model is estimated from windows that are spread over it, gaps deeper than the halo are
/// filled on blocks, and then windows with a halo are read, filled and stored one after the other,
/// by several ranks in turn. The next window is read while one is filled. Results are written from
/// what is stored at the end.
template <class ExecSpace, class Real>
class StreamModel final : public Model {
 public:
  StreamModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters), m_settings(settings), m_field(*parameters.input.field) {
    m_parameters.fill.seed = settings.seed;
    m_parameters.fill.provide_realisations(parameters.output.ensemble);
  }

  void initialize() override {
    for (const std::string& path : {m_parameters.output.netcdf, m_parameters.output.geotiff}) {
      if (!path.empty()) io::check_writable(path, true);
    }
    prepare();
    m_settings.ranks.at_root(
        [&] { m_store = Store::create(store_path(), maps(), m_field.grid.nx, m_field.grid.ny); });
  }
  bool advance() override;
  std::string indivisible() const override { return ""; }
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  using Store = WindowStore<Real>;
  using Window = detail::WindowFill<ExecSpace, Real>;
  enum Map { kMean, kDeviation, kMembers };  // numbers of maps in the store

  /// A window as it is read.
  struct Input {
    StreamWindow window;
    detail::StoredBoxes<Real> data;
  };
  void prepare();
  void plan();
  void survey();
  void estimate();
  double bytes_of_window(const Grid& box) const;
  Input read(int number) const;
  std::unique_ptr<Window> start(const Input& input) const;
  void store(int map, int first, int count, std::vector<Real> own) const;
  void take(const std::vector<detail::WindowReport>& reports);
  std::string store_path() const;
  double limit() const {
    return static_cast<double>(m_settings.memory_limit > 0 ? m_settings.memory_limit
                                                           : available_memory(m_settings.backend));
  }
  int maps() const { return kMembers + m_parameters.output.ensemble; }
  int windows() const { return static_cast<int>(m_work.size()); }
  bool is_done() const { return m_done == windows(); }

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  Field m_field;  // which stays in its files
  StreamPlan m_plan;
  int m_block = 4;      // edge of the blocks that are summed over
  double m_always = 0;  // bytes of the host besides those of windows
  StreamScan m_scan;
  detail::StreamEstimates m_found;
  detail::DistantFill<ExecSpace, Real> m_distant;
  std::vector<int> m_work;    // numbers of the windows that have gaps
  int m_done = 0;             // of them
  Input m_next;               // read while the window before it was filled
  int m_next_number = -1;     // its place among them; -1: none
  double m_spread_error = 0;  // relative, by the number of draws or sweeps
  RunReport m_report;
  mutable Store m_store;  // of the first rank
};

/// Bytes that a run takes whatever its windows: the program with its libraries, GDAL's cache, and
/// pieces of maps that are written.
inline constexpr double kBytesOfStream = 220e6;

template <class ExecSpace, class Real>
double StreamModel<ExecSpace, Real>::bytes_of_window(const Grid& box) const {
  const double sites = static_cast<double>(box.sites());
  FillOptions options = m_parameters.fill;
  options.part = std::make_shared<const Part>();
  const double device = GapFill<ExecSpace, Real>::memory(box, 1, options);
  // Two windows as they are read, the maps of one, and one of another rank.
  const double host = sites * (2 * detail::StoredBoxes<Real>::memory(m_field) + 3 * sizeof(Real));
  return compat::is_gpu_v<ExecSpace> ? host : host + device;
}

template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::prepare() {
  plan();
  survey();
  m_report = {};
  m_work.clear();
  for (int w = 0; w < m_plan.size(); ++w) {
    if (m_scan.has_work(m_scan.in(m_plan[w].core))) m_work.push_back(w);
  }
  if (!m_work.empty()) estimate();
  m_report.noise = m_scan.noise;
  m_report.frames.resize(1);
  FrameReport& frame = m_report.frames.front();
  frame.samples = m_scan.samples;
  frame.missing = m_scan.missing;
  frame.inactive = m_scan.inactive;
  m_done = 0;
  m_spread_error = 0;
}

/// Cuts the image into windows that fit into memory.
template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::plan() {
  const Grid& grid = m_field.grid;
  const StreamParameters& stream = m_parameters.stream;
  const FillOptions& fill = m_parameters.fill;
  m_block = choose_block(grid, stream.memory / 2048);
  const Grid coarse{(grid.nx + m_block - 1) / m_block, (grid.ny + m_block - 1) / m_block, 1};
  m_always = kBytesOfStream + m_field.stored->memory() +
             detail::DistantFill<ExecSpace, Real>::host_memory(coarse, fill.draws, fill.trend);
  m_plan = plan_stream(grid, stream.window, stream.halo, stream.memory,
                       [&](const Grid& box) { return m_always + bytes_of_window(box); });
  const Grid box = m_plan.largest_box();
  const double at_first = std::max(detail::DistantFill<ExecSpace, Real>::memory(coarse, fill.noise),
                                   detail::StreamEstimator<ExecSpace, Real>::memory(fill));
  FillOptions of_part = fill;
  of_part.part = std::make_shared<const Part>();
  detail::check_memory(std::max(at_first, GapFill<ExecSpace, Real>::memory(box, 1, of_part)),
                       m_settings);
  logging::info(m_field.name + ": " + std::to_string(grid.ny) + " x " + std::to_string(grid.nx) +
                " sites in " + std::to_string(m_plan.size()) +
                (m_plan.size() == 1 ? " window of " : " windows of ") +
                std::to_string(m_plan.edge()) + " with a halo of " + std::to_string(m_plan.halo()) +
                "; needs at most " + logging::si(m_always + bytes_of_window(box)) +
                "B of host memory");
}

/// The first readings.
template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::survey() {
  const logging::Region region("tessera::mpr::scan");
  m_scan = survey_image(m_field, m_parameters.transform, m_block, m_settings.ranks);
  m_field.single = m_scan.single;
  if (!m_scan.doubt.empty()) logging::warning(m_scan.doubt);
  if (m_scan.samples + m_scan.missing == 0)
    throw Error(ErrorKind::input, "all sites are inactive", "check input.inactive");
  if (m_scan.samples == 0) {
    throw Error(
        ErrorKind::input,
        "the data have no sample: all " + std::to_string(m_scan.missing) + " sites are missing",
        "check input.missing_value and input.mask");
  }
  if (m_scan.missing == 0 && !m_parameters.fill.noise) {
    logging::warning(
        "nothing is missing: no site is filled; gaps are NaN, the file's fill value, "
        "input.missing_value or what input.mask marks");
  }
  logging::info(std::to_string(m_scan.samples) + " samples, " + std::to_string(m_scan.missing) +
                " missing, " + std::to_string(m_scan.inactive) + " inactive");
  const Transform& transform = m_field.transform;
  check_precision(m_field, m_parameters.single, "'" + m_field.stored->file() + "'",
                  transform.back(m_scan.low), transform.back(m_scan.high));
  m_field.offsets = {m_scan.low + 0.5 * (m_scan.high - m_scan.low)};
}

/// The model, and gaps that are deeper than the halo.
template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::estimate() {
  const FillOptions& fill = m_parameters.fill;
  const double room = compat::is_gpu_v<ExecSpace>
                          ? limit()
                          : std::min(limit(), m_parameters.stream.memory - m_always);
  detail::StreamEstimator<ExecSpace, Real> estimator(m_exec, m_field, m_scan, fill, room,
                                                     m_settings.ranks);
  m_found = estimator.estimate();
  if (m_field.trend)
    logging::info("trend: " + describe_trend(*m_field.trend, m_found.report.trend.front()));
  m_distant = detail::DistantFill<ExecSpace, Real>(
      m_exec, m_scan, m_field.grid, fill, m_found.estimates, m_field.offset(0), m_plan.halo(),
      m_found.takes_draws ? (fill.draws + detail::kPack - 1) / detail::kPack * detail::kPack : 0);
  m_report = m_found.report;
  m_report.burn_in_sweeps = m_report.sampling_sweeps = m_report.linear_iterations = 0;
  m_report.linear_error = m_report.updates = 0;
  m_report.uses_draws = m_found.takes_draws;
  if (!m_found.takes_draws)
    detail::MemberBatches<ExecSpace, Real>(m_parameters.output.ensemble, fill.replicas)
        .check(m_found.sweeps);
}

template <class ExecSpace, class Real>
auto StreamModel<ExecSpace, Real>::read(int number) const -> Input {
  Input input{m_plan[m_work[static_cast<std::size_t>(number)]], {}};
  input.data.add(m_field, input.window.box);
  return input;
}

template <class ExecSpace, class Real>
auto StreamModel<ExecSpace, Real>::start(const Input& input) const -> std::unique_ptr<Window> {
  const io::Box& box = input.window.box;
  const auto part = std::make_shared<Part>();
  part->whole = m_field.grid;
  part->x0 = box.x0;
  part->y0 = box.y0;
  part->halo = m_plan.halo();
  part->estimates = m_found.estimates;
  part->rim = m_distant.rim_of(box);
  return std::make_unique<Window>(m_exec, input.window, input.data, m_parameters.fill, part,
                                  m_parameters.output.ensemble);
}

/// The first rank stores a map of its window, and those of the others, in their order.
template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::store(int map, int first, int count,
                                         std::vector<Real> own) const {
  const parallel::Communicator& ranks = m_settings.ranks;
  for (int r = 0; r < count; ++r) {
    if (ranks.rank() != r && !ranks.is_root()) continue;
    const io::Box core = m_plan[m_work[static_cast<std::size_t>(first + r)]].core;
    if (r != ranks.rank()) own.resize(core.size());
    ranks.bring(own.data(), core.size(), r);
    if (ranks.is_root()) m_store.write(map, core, own.data());
  }
}

template <class ExecSpace, class Real>
bool StreamModel<ExecSpace, Real>::advance() {
  if (is_done()) return false;
  const parallel::Communicator& ranks = m_settings.ranks;
  const int first = m_done, count = std::min(ranks.size(), windows() - first),
            mine = first + ranks.rank(), next = mine + ranks.size();
  std::vector<detail::WindowReport> own;
  std::unique_ptr<Window> window;
  std::future<Input> reading;
  if (ranks.rank() < count) {
    if (m_next_number != mine) m_next = read(mine);
    const Input input = std::exchange(m_next, Input());
    m_next_number = -1;
    // Reading goes on meanwhile; nothing else touches the files until it has ended.
    if (next < windows())
      reading = std::async(std::launch::async, [this, next] { return read(next); });
    const logging::Region region("tessera::mpr::window");
    window = start(input);
  }
  for (int k = 0; k < m_parameters.output.ensemble; ++k)
    store(kMembers + k, first, count, window ? window->member(k) : std::vector<Real>());
  typename Window::Maps maps;
  if (window) {
    const logging::Region region("tessera::mpr::window");
    own.emplace_back();
    maps = window->finish(m_parameters.output.max_gap_distance, own.front());
    window.reset();
  }
  if (reading.valid()) {
    m_next = reading.get();
    m_next_number = next;
  }
  store(kMean, first, count, std::move(maps.mean));
  store(kDeviation, first, count, std::move(maps.deviation));
  take(ranks.all_gather(own));
  m_done += count;
  return !is_done();
}

template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::take(const std::vector<detail::WindowReport>& reports) {
  for (const detail::WindowReport& report : reports) {
    m_report.updates += report.updates;
    m_spread_error = std::max(m_spread_error, report.spread_error);
    m_report.linear_error = std::max(m_report.linear_error, report.linear_error);
    m_report.linear_iterations =
        std::max(m_report.linear_iterations, static_cast<int>(report.iterations));
  }
}

template <class ExecSpace, class Real>
Progress StreamModel<ExecSpace, Real>::progress() const {
  Progress progress;
  progress.unit = "windows";
  progress.total = windows();
  progress.done = m_done;
  for (int w = 0; w < m_done; ++w)
    progress.work += static_cast<double>(m_plan[m_work[static_cast<std::size_t>(w)]].core.size());
  progress.work_unit = "sites";
  progress.status = m_report.uses_draws ? "draws" : "sweeps";
  return progress;
}

template <class ExecSpace, class Real>
std::string StreamModel<ExecSpace, Real>::summary() const {
  char text[200];
  std::snprintf(
      text, sizeof text,
      "%d of %d windows with gaps, %lld sites missing, temperature %.4g, curvature %.3g, %s",
      m_done, windows(), static_cast<long long>(m_scan.missing), m_found.estimates.temperature,
      m_found.estimates.beta, m_report.uses_draws ? "exact draws" : "sweeps");
  return text;
}

template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  if (is_done()) {
    Predictions predictions;
    predictions.quantile = [&](double p) {
      return m_found.estimates.calibration.quantile(p, m_parameters.output.empirical_quantiles);
    };
    predictions.law = [&](std::size_t first, std::size_t count, double* centres, double* spreads) {
      std::vector<Real> numbers(count);
      m_store.read(kMean, first, count, numbers.data());
      m_field.read_references(first, count, centres);
      for (std::size_t i = 0; i < count; ++i) centres[i] += static_cast<double>(numbers[i]);
      m_store.read(kDeviation, first, count, numbers.data());
      std::copy(numbers.begin(), numbers.end(), spreads);
    };
    // The share is that of the window whose equations are solved the least well.
    const double share = m_work.empty() ? 0
                                        : kErrorOfValues * m_report.linear_error /
                                              std::sqrt(m_found.estimates.temperature);
    predictions.centre_error = [&](std::size_t first, std::size_t count, double* errors) {
      std::vector<Real> numbers(count);
      m_store.read(kDeviation, first, count, numbers.data());
      for (std::size_t i = 0; i < count; ++i) errors[i] = share * static_cast<double>(numbers[i]);
    };
    predictions.spread_error = m_spread_error;
    predictions.members = static_cast<std::size_t>(m_parameters.output.ensemble);
    predictions.realisation = [&](std::size_t member, std::size_t first, std::size_t count,
                                  double* values) {
      std::vector<Real> numbers(count);
      m_store.read(kMembers + static_cast<int>(member), first, count, numbers.data());
      m_field.read_references(first, count, values);
      for (std::size_t i = 0; i < count; ++i)
        values[i] = m_field.transform.back(values[i] + static_cast<double>(numbers[i]));
    };
    write_maps(file, m_field, predictions, m_parameters.output);
    write_netcdf(m_field, predictions, m_parameters.output);
    write_geotiff(m_field, predictions, m_parameters.output);
    m_store.let_go();
  }
  const io::Group results = file.results();
  write_report(results, m_report, m_field);
  write_geography(results, m_parameters.geography);
  write_series(file.series(), {});
  const io::Group stream = results.group("stream");
  stream.set_attribute("window", static_cast<std::int64_t>(m_plan.edge()));
  stream.set_attribute("halo", static_cast<std::int64_t>(m_plan.halo()));
  stream.set_attribute("windows", static_cast<std::int64_t>(m_plan.size()));
  stream.set_attribute("windows_with_gaps", static_cast<std::int64_t>(windows()));
  stream.set_attribute("windows_done", static_cast<std::int64_t>(m_done));
  stream.set_attribute("deep_gaps", m_distant.is_needed());
}

/// Returns the path, beside the results, of the maps of the windows that are finished.
template <class ExecSpace, class Real>
std::string StreamModel<ExecSpace, Real>::store_path() const {
  const std::filesystem::path output = m_settings.output.empty() ? "mpr.h5" : m_settings.output;
  return std::filesystem::absolute(std::filesystem::path(output).replace_extension(".stream"))
      .string();
}

template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::save(io::Group& state) const {
  m_store.flush();
  m_store.keep();
  state.set_attribute("windows_done", static_cast<std::int64_t>(m_done));
  state.set_attribute("windows", static_cast<std::int64_t>(windows()));
  state.set_attribute("edge", static_cast<std::int64_t>(m_plan.edge()));
  state.set_attribute("updates", m_report.updates);
  state.set_attribute("linear_error", m_report.linear_error);
  state.set_attribute("spread_error", m_spread_error);
  state.set_attribute("linear_iterations", static_cast<std::int64_t>(m_report.linear_iterations));
  state.set_attribute("store", m_store.path());
}

template <class ExecSpace, class Real>
void StreamModel<ExecSpace, Real>::load(const io::Group& state) {
  prepare();
  const auto done = state.attribute<std::int64_t>("windows_done"),
             all = state.attribute<std::int64_t>("windows");
  if (all != windows() || state.attribute<std::int64_t>("edge") != m_plan.edge() || done < 0 ||
      done > all)
    throw state.misfit("", "does not fit the windows of this run");
  m_report.updates = state.attribute<double>("updates");
  m_report.linear_error = state.attribute<double>("linear_error");
  m_spread_error = state.attribute<double>("spread_error");
  m_report.linear_iterations = static_cast<int>(state.attribute<std::int64_t>("linear_iterations"));
  m_done = static_cast<int>(done);
  const auto path = state.attribute<std::string>("store");
  m_settings.ranks.at_root([&] {
    m_store = Store::open(path, maps(), m_field.grid.nx, m_field.grid.ny);
    m_store.keep();
  });
}

}  // namespace tessera::mpr
