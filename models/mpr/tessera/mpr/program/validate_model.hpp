// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/mpr/data/coordinates.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/data/transform_choice.hpp"
#include "tessera/mpr/data/validation.hpp"
#include "tessera/mpr/fill/ensemble.hpp"
#include "tessera/mpr/program/field_copy.hpp"
#include "tessera/mpr/program/run_support.hpp"

namespace tessera::mpr {

/// Task validate: sizes x fractions x repeats, or repeats with a truth. Several ranks share the
/// cases.
template <class ExecSpace, class Real>
class ValidateModel final : public Model {
 public:
  ValidateModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters), m_settings(settings), m_outcome(parameters) {
    const SyntheticParameters& synthetic = parameters.input.synthetic;
    m_sizes = parameters.validate.sizes;
    if (m_sizes.empty() && synthetic.given) m_sizes = {synthetic.size[1]};
    if (m_sizes.empty()) m_sizes = {0};
    m_fractions = parameters.validate.fraction;
    if (parameters.fill.sampling_sweeps) m_outcome.ensemble.check(*parameters.fill.sampling_sweeps);
  }

  void initialize() override {
    if (!m_parameters.input.field) return;
    m_known = m_parameters.input.field;
    if (!has_truth()) return;
    const double missing = static_cast<double>(m_known->count(kMissing));
    m_fractions = {missing / (missing + static_cast<double>(m_known->count(kSample)))};
  }

  bool advance() override;
  std::string indivisible() const override {
    return cases() > 1 ? "" : "one case of task validate works on one device";
  }

  Progress progress() const override {
    return {static_cast<double>(m_number),
            static_cast<double>(cases()),
            "cases",
            m_updates,
            "updates",
            "case " + std::to_string(m_number)};
  }

  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override {
    char text[200];
    const Scores last = m_scores.empty() ? Scores() : m_scores.back();
    std::snprintf(text, sizeof text,
                  "%zu cases; the last: MAAE %.5g, MRASE %.5g, coverage of 95 %% intervals %.3f",
                  m_scores.size(), last.maae, last.mrase, last.coverage95);
    return text;
  }

  void write(io::ResultsFile& file) const override;

 private:
  /// A field with gaps, and what is below them.
  struct Case {
    std::shared_ptr<const std::vector<double>> truth;  // of all sites; NaN where it is not known
    Field field;
    std::vector<std::size_t> sites;  // that are compared
  };
  /// The results of a case.
  struct Outcome {
    explicit Outcome(const Parameters& parameters)
        : ensemble(parameters.output.ensemble, parameters.fill.replicas) {}
    detail::Ensemble<ExecSpace, Real> ensemble;  // transformed, less the offsets of the field
    std::optional<PredictedLaws> laws;
    Calibration calibration;
    RunReport report;
    SeriesOfChain series;
    Reliability reliability;
    std::vector<double> quantile_shares;  // of the truths below each of output.quantiles
  };

  bool has_truth() const { return m_parameters.validate.truth.values != nullptr; }
  /// Returns whether predictions are compared with samples, which have errors of their own.
  bool compares_samples() const { return !has_truth(); }
  std::size_t repeats() const { return static_cast<std::size_t>(m_parameters.validate.repeats); }
  std::size_t cases() const {
    return m_sizes.size() * (has_truth() ? 1 : m_fractions.size()) * repeats();
  }
  std::shared_ptr<const Field> make_field(std::size_t size, std::size_t repeat) const;
  /// A case that is complete.
  struct Result {
    Scores scores;
    Case of;
    Outcome outcome;
  };
  Case make_case(std::size_t number);
  Result run_case(std::size_t number);
  Scores compare(const Case& current, const GapFill<ExecSpace, Real>& fill, Outcome& outcome) const;
  /// Returns the predictions of a case and its outcome, which must outlive them.
  Predictions predictions(const Field& field, const Outcome& outcome) const;

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  std::vector<int> m_sizes;
  std::vector<double> m_fractions;
  // the data, or the synthetic field of the last cases
  std::shared_ptr<const Field> m_known;
  std::optional<std::pair<std::size_t, std::size_t>> m_synthesized;  // size and repeat of that
  // the last here that is complete
  Case m_case;
  Outcome m_outcome;  // of it
  std::vector<Scores> m_scores;
  std::size_t m_number = 0;  // of cases that are complete
  double m_updates = 0;
};

template <class ExecSpace, class Real>
std::shared_ptr<const Field> ValidateModel<ExecSpace, Real>::make_field(std::size_t size,
                                                                        std::size_t repeat) const {
  const logging::Region region("tessera::mpr::synthesize");
  SyntheticParameters synthetic = m_parameters.input.synthetic;
  if (!m_parameters.validate.sizes.empty()) synthetic.size = {m_sizes[size], m_sizes[size]};
  Field field;
  field.grid = {synthetic.size[1], synthetic.size[0], 1};
  field.shape = {static_cast<std::uint64_t>(synthetic.size[0]),
                 static_cast<std::uint64_t>(synthetic.size[1])};
  field.values = gaussian_field(synthetic, m_settings.seed, repeat);
  field.status.assign(field.values.size(), kSample);
  field.name = "synthetic field";
  find_offsets(field);
  field.single = std::fabs(synthetic.mean) < 1000 * synthetic.deviation;
  return std::make_shared<const Field>(std::move(field));
}

/// A case on each rank, the last of them on the first one, which writes what it comes to.
template <class ExecSpace, class Real>
bool ValidateModel<ExecSpace, Real>::advance() {
  const parallel::Communicator& ranks = m_settings.ranks;
  const int count =
      static_cast<int>(std::min(static_cast<std::size_t>(ranks.size()), cases() - m_number));
  const int own = count - 1 - ranks.rank();
  std::optional<Result> result;
  ranks.together([&] {
    if (own >= 0) result = run_case(m_number + static_cast<std::size_t>(own));
  });
  std::vector<Scores> scores;
  if (result) scores.push_back(result->scores);
  scores = ranks.all_gather(scores);
  std::reverse(scores.begin(), scores.end());
  for (const Scores& of_case : scores) {
    m_scores.push_back(of_case);
    m_updates += of_case.updates;
  }
  m_number += static_cast<std::size_t>(count);
  // Nothing of the last case is replaced before those of all ranks are complete.
  if (result) {
    m_case = std::move(result->of);
    m_outcome = std::move(result->outcome);
  }
  return m_number < cases();
}

template <class ExecSpace, class Real>
typename ValidateModel<ExecSpace, Real>::Case ValidateModel<ExecSpace, Real>::make_case(
    std::size_t number) {
  if (has_truth()) {
    Case given{m_parameters.validate.truth.values, *m_known,
               find_compared(*m_known, *m_parameters.validate.truth.values)};
    if (m_parameters.transform != TransformKind::none)
      set_transform(given.field, m_parameters.transform);
    return given;
  }
  const std::size_t repeat = number % repeats(), fraction = number / repeats() % m_fractions.size(),
                    size = number / repeats() / m_fractions.size();
  if (m_parameters.input.synthetic.given && m_synthesized != std::pair(size, repeat)) {
    m_known = make_field(size, repeat);
    m_synthesized = {size, repeat};
  }
  Case next{std::shared_ptr<const std::vector<double>>(m_known, &m_known->values), *m_known,
            choose_hidden(*m_known, m_parameters.validate, m_fractions[fraction], m_settings.seed,
                          number)};
  for (const std::size_t i : next.sites) {
    next.field.status[i] = kMissing;
    next.field.values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  if (m_parameters.transform != TransformKind::none)
    set_transform(next.field, m_parameters.transform);
  return next;
}

template <class ExecSpace, class Real>
auto ValidateModel<ExecSpace, Real>::run_case(std::size_t number) -> Result {
  Case next = make_case(number);
  check_precision(next.field, m_parameters.single,
                  m_parameters.input.synthetic.given ? next.field.name : m_parameters.input.file);
  const Field& field = next.field;
  FillOptions options = m_parameters.fill;
  options.seed = m_settings.seed + number;
  options.provide_realisations(m_parameters.output.ensemble);
  detail::check_memory(GapFill<ExecSpace, Real>::memory(field.grid, field.frames, options),
                       m_settings);
  const auto values = detail::upload_values<Real>(m_exec, "tessera::mpr::values", field);
  const auto status = upload(m_exec, "tessera::mpr::status", field.status);
  const Array<ExecSpace, Real> mean(Kokkos::view_alloc(m_exec, "tessera::mpr::mean"),
                                    values.extent(0)),
      deviation(Kokkos::view_alloc(m_exec, "tessera::mpr::deviation"), values.extent(0));
  m_exec.fence();
  const auto begin = std::chrono::steady_clock::now();
  stop_at_signal();
  GapFill<ExecSpace, Real> fill(m_exec, field.grid, field.frames, options);
  const detail::SitesOfField sites(field);
  fill.prepare(values, status,
               detail::upload_noise<Real>(m_exec, "tessera::mpr::errors", field, sites),
               detail::upload_trend<Real>(m_exec, "tessera::mpr::trend", field, sites));
  Outcome outcome(m_parameters);
  if (!fill.uses_draws()) outcome.ensemble.check(fill.sampling_sweeps());
  {
    logging::Stage stage;
    const char* const unit = fill.uses_draws() ? "draw" : "sweep";
    do {
      stop_at_signal();
      stage.count(unit, fill.sampling_done(), fill.sampling_sweeps());
    } while (outcome.ensemble.advance(m_exec, fill));
  }
  fill.moments(mean, deviation);
  m_exec.fence();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<double> spread = detail::download_doubles(m_exec, deviation);
  if (compares_samples()) {
    for (const std::size_t i : next.sites) spread[i] = std::hypot(spread[i], field.noise_at(i));
  }
  outcome.laws.emplace(field.transform, detail::download_values(m_exec, mean, field),
                       std::move(spread));
  Scores scores = compare(next, fill, outcome);
  scores.seconds = seconds;
  return {scores, std::move(next), std::move(outcome)};
}

template <class ExecSpace, class Real>
Scores ValidateModel<ExecSpace, Real>::compare(const Case& current,
                                               const GapFill<ExecSpace, Real>& fill,
                                               Outcome& outcome) const {
  const std::vector<double>& truth = *current.truth;
  Scores scores = score(truth, *outcome.laws, current.sites);
  outcome.calibration = fill.calibration();
  outcome.report = detail::make_report(fill, detail::report_trend(fill, current.field.trend.get()));
  outcome.series = detail::read_series(fill);
  outcome.reliability =
      reliability(truth, *outcome.laws, download(m_exec, fill.distance()), current.sites);
  const Predictions predicted = predictions(current.field, outcome);
  const auto member_value = [&](std::size_t member, std::size_t site) {
    double value = 0;
    predicted.realisation(member, site, 1, &value);
    return value;
  };
  scores.crps_ensemble = ensemble_crps(truth, member_value, predicted.members, current.sites);
  OutputParameters quantiles;
  quantiles.quantiles = m_parameters.output.quantiles;
  std::vector<double> map(truth.size());
  for (const ResultMap& result : make_result_maps(current.field, predicted, quantiles)) {
    if (result.name.rfind("quantile_", 0) != 0) continue;
    result.values(0, map.size(), map.data());
    outcome.quantile_shares.push_back(share_below(truth, map, current.sites));
  }
  scores.updates = fill.updates();
  scores.burn_in_sweeps = fill.burn_in_sweeps();
  scores.temperature = fill.frames().front().temperature;
  scores.beta = fill.beta();
  return scores;
}

template <class ExecSpace, class Real>
Predictions ValidateModel<ExecSpace, Real>::predictions(const Field& field,
                                                        const Outcome& outcome) const {
  Predictions predictions;
  predictions.law = [&outcome](std::size_t first, std::size_t count, double* centre,
                               double* spread) {
    std::copy_n(outcome.laws->centre().begin() + static_cast<std::ptrdiff_t>(first), count, centre);
    std::copy_n(outcome.laws->spread().begin() + static_cast<std::ptrdiff_t>(first), count, spread);
  };
  predictions.quantile = [&outcome, empirical = m_parameters.output.empirical_quantiles](double p) {
    return outcome.calibration.quantile(p, empirical);
  };
  predictions.members = outcome.ensemble.size();
  const double share = compares_samples() ? 1 : 0;
  const Philox random = seeded_philox(m_settings.seed, 0xe440u);
  const auto at_site = [&outcome, &field, share, random](std::size_t member, std::size_t site) {
    const double value =
        static_cast<double>(outcome.ensemble[member][site]) + field.reference(site);
    if (!field.noise || field.status[site] != kMissing) return field.transform.back(value);
    return value + share * field.noise_at(site) * NormalPair(random.bits(site, member)).first;
  };
  predictions.realisation = [at_site](std::size_t member, std::size_t first, std::size_t count,
                                      double* values) {
    for (std::size_t i = 0; i < count; ++i) values[i] = at_site(member, first + i);
  };
  return predictions;
}

template <class ExecSpace, class Real>
void ValidateModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const io::Group group = file.results().group("validation");
  file.coordinates().write("fraction", m_fractions,
                           {"1", has_truth() ? "of the values that is missing"
                                             : "of the known values that was taken away"});
  file.coordinates().write("size", std::vector<std::int64_t>(m_sizes.begin(), m_sizes.end()),
                           {"1", "edge of the field (0: as in its file)"});
  io::make_scale(file.coordinates(), "fraction");
  io::make_scale(file.coordinates(), "size");
  write_numbers(file.coordinates(), "repeat", repeats(), "number of the repetition");
  for (const ScoreColumn& column : score_columns(m_case.field.units)) {
    std::vector<double> values(cases(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t c = 0; c < m_scores.size(); ++c) values[c] = m_scores[c].*column.member;
    group.write(column.name, values, {m_sizes.size(), m_fractions.size(), repeats()},
                {column.units, column.text});
    io::attach_scales(group, column.name, file.coordinates(), {"size", "fraction", "repeat"});
  }
  if (m_scores.empty()) return;
  const Field& field = m_case.field;
  write_reliability(group, m_outcome.reliability, field.units);
  if (!m_outcome.quantile_shares.empty())
    write_quantile_shares(group, m_parameters.output.quantiles, m_outcome.quantile_shares);
  write_maps(file, field, predictions(field, m_outcome), m_parameters.output);
  const io::Attributes about{field.units,
                             "the values that predictions are compared with, of the last case"};
  const std::vector<double>& truth = *m_case.truth;
  if (field.single && field.single_spread) {
    file.results().write("truth", std::vector<float>(truth.begin(), truth.end()), field.shape,
                         about);
  } else {
    file.results().write("truth", truth, field.shape, about);
  }
  io::attach_scales(file.results(), "truth", file.coordinates(), dimension_names(field));
  write_report(file.results(), m_outcome.report, field);
  write_geography(file.results(), m_parameters.geography);
  write_series(file.series(), m_outcome.series);
}

}  // namespace tessera::mpr
