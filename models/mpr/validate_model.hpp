// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/coordinates.hpp"
#include "tessera/mpr/detail/field_copy.hpp"
#include "tessera/mpr/detail/run_support.hpp"
#include "tessera/mpr/field.hpp"
#include "tessera/mpr/parameters.hpp"
#include "tessera/mpr/synthesis.hpp"
#include "tessera/mpr/validation.hpp"

namespace tessera::mpr {

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
    if (m_parameters.input.field) m_truth = m_parameters.input.field;
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

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  std::vector<int> m_sizes;
  std::shared_ptr<const Field> m_truth = std::make_shared<const Field>();  // of the last case
  Field m_gappy;
  std::vector<double> m_mean, m_deviation;  // at the sites that were hidden
  RunReport m_report;
  SeriesOfChain m_series;
  std::vector<Scores> m_scores;
  Reliability m_reliability;  // of the last case
  std::size_t m_case = 0;
  double m_updates = 0;
};

template <class ExecSpace, class Real>
void ValidateModel<ExecSpace, Real>::run_case() {
  const std::size_t repeats = static_cast<std::size_t>(m_parameters.validate.repeats), fractions = m_parameters.validate.fraction.size();
  const std::size_t repeat = m_case % repeats, fraction = m_case / repeats % fractions, size = m_case / repeats / fractions;
  std::shared_ptr<const Field> known = m_truth;
  if (m_parameters.input.synthetic.given && (m_case == 0 || repeats > 1 || (repeat == 0 && fraction == 0))) {
    const logging::Region region("tessera::mpr::synthesize");
    SyntheticParameters synthetic = m_parameters.input.synthetic;
    if (!m_parameters.validate.sizes.empty()) synthetic.size = {m_sizes[size], m_sizes[size]};
    Field truth;
    truth.grid = {synthetic.size[1], synthetic.size[0], 1};
    truth.shape = {static_cast<std::uint64_t>(synthetic.size[0]), static_cast<std::uint64_t>(synthetic.size[1])};
    truth.values = gaussian_field(synthetic, m_settings.seed, repeat);
    truth.status.assign(truth.values.size(), kSample);
    truth.name = "synthetic field";
    known = std::make_shared<const Field>(std::move(truth));
  }
  const std::vector<std::size_t> hidden =
      choose_hidden(*known, m_parameters.validate, m_parameters.validate.fraction[fraction], m_settings.seed, m_case);
  Field gappy = *known;
  for (const std::size_t i : hidden) {
    gappy.status[i] = kMissing;
    gappy.values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  FillOptions options = m_parameters.fill;
  options.seed = m_settings.seed + m_case;
  detail::check_memory(GapFill<ExecSpace, Real>::memory(known->grid, known->frames, options), m_settings);
  const auto values = detail::upload_values<Real>(m_exec, "tessera::mpr::values", gappy);
  const auto status = upload(m_exec, "tessera::mpr::status", gappy.status);
  const Array<ExecSpace, Real> mean(Kokkos::view_alloc(m_exec, "tessera::mpr::mean"), values.extent(0)),
      deviation(Kokkos::view_alloc(m_exec, "tessera::mpr::deviation"), values.extent(0));
  m_exec.fence();
  const auto begin = std::chrono::steady_clock::now();
  GapFill<ExecSpace, Real> fill(m_exec, known->grid, known->frames, options);
  fill.prepare(values, status);
  while (fill.advance()) stop_at_signal();
  fill.moments(mean, deviation);
  m_exec.fence();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // Nothing of the last case is replaced before this one is complete.
  m_truth = known;
  m_gappy = std::move(gappy);
  m_mean = detail::download_values(m_exec, mean, m_gappy);
  m_deviation = detail::download_doubles(m_exec, deviation);
  Scores s = score(m_truth->values, m_mean, m_deviation, hidden);
  m_reliability = reliability(m_truth->values, m_mean, m_deviation, download(m_exec, fill.distance()), hidden);
  s.seconds = seconds;
  s.updates = fill.updates();
  s.burn_in_sweeps = fill.burn_in_sweeps();
  s.temperature = fill.frames().front().temperature;
  s.beta = fill.beta();
  m_scores.push_back(s);
  m_updates += s.updates;
  m_report = detail::make_report(fill);
  m_series = detail::read_series(fill);
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
    io::attach_scales(group, name, file.coordinates(), {"size", "fraction", "repeat"});
  };
  file.coordinates().write("fraction", m_parameters.validate.fraction, {"1", "of the known values that was taken away"});
  file.coordinates().write("size", std::vector<std::int64_t>(m_sizes.begin(), m_sizes.end()),
                           {"1", "edge of the field (0: as in its file)"});
  io::make_scale(file.coordinates(), "fraction");
  io::make_scale(file.coordinates(), "size");
  write_numbers(file.coordinates(), "repeat", repeats, "number of the repetition");
  const std::string units = m_truth->units;
  column("maae", units.c_str(), "mean absolute error [size, fraction, repeat]", &Scores::maae);
  column("mare", "1", "mean relative error", &Scores::mare);
  column("maare", "1", "mean absolute relative error", &Scores::maare);
  column("mrase", units.c_str(), "root mean square error", &Scores::mrase);
  column("coverage95", "1", "share of the true values within 1.96 standard deviations", &Scores::coverage95);
  column("spread", units.c_str(), "mean standard deviation", &Scores::spread);
  column("crps", units.c_str(), "continuous ranked probability score of normal laws", &Scores::crps);
  column("interval_score", units.c_str(), "score of the 95 % intervals: width, and 40 times the misses", &Scores::interval_score);
  column("seconds", "s", "wall time of the filling, transfers excluded", &Scores::seconds);
  column("updates", "1", "spin updates", &Scores::updates);
  column("relaxation_sweeps", "1", "sweeps of the burn-in", &Scores::burn_in_sweeps);
  column("temperature", "1", "temperature of the model", &Scores::temperature);
  column("curvature", "1", "coupling of curvature", &Scores::beta);
  if (m_scores.empty()) return;
  write_reliability(group, m_reliability, units);
  Predictions predictions;
  predictions.moments = [&](std::size_t first, std::size_t count, double* mean, double* deviation) {
    std::copy_n(m_mean.begin() + static_cast<std::ptrdiff_t>(first), count, mean);
    std::copy_n(m_deviation.begin() + static_cast<std::ptrdiff_t>(first), count, deviation);
  };
  write_maps(file, m_gappy, predictions, m_parameters.output);
  const std::vector<float> truth(m_truth->values.begin(), m_truth->values.end());
  file.results().write("truth", truth, m_truth->shape, {units, "the field before values were taken away, of the last case"});
  io::attach_scales(file.results(), "truth", file.coordinates(), dimension_names(*m_truth));
  write_report(file.results(), m_report, m_gappy);
  write_series(file.series(), m_series);
}

}  // namespace tessera::mpr
