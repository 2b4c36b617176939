// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/program/validate_model.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/mpr/data/coordinates.hpp"
#include "tessera/mpr/data/geography.hpp"

namespace tessera::mpr {

namespace {

/// Scores of a case that is not complete.
Scores no_scores() {
  Scores none;
  for (const ScoreColumn& column : score_columns("1"))
    none.*column.member = std::numeric_limits<double>::quiet_NaN();
  return none;
}

}  // namespace

std::vector<Variant> variants(const Parameters& parameters, Backend backend) {
  const ValidateParameters& v = parameters.validate;
  std::vector<Backend> backends;
  for (const std::string& name : v.backends) {
    if (name == "all") {
      for (const Backend compiled : compiled_backends()) backends.push_back(compiled);
    } else {
      backends.push_back(choose_backend(name));
    }
  }
  if (backends.empty()) backends = {backend};
  std::vector<bool> singles;
  for (const std::string& name : v.precisions) singles.push_back(name == "single");
  if (singles.empty()) singles = {parameters.single};
  std::vector<std::optional<int>> rows(v.tile_rows.begin(), v.tile_rows.end());
  if (rows.empty()) rows = {parameters.fill.tile_rows};
  std::vector<Variant> all;
  for (const Backend of_variant : backends) {
    for (const bool single : singles) {
      for (const auto& of_tile : rows) all.push_back({of_variant, single, of_tile});
    }
  }
  return all;
}

ValidateModel::ValidateModel(const std::shared_ptr<const Parameters>& parameters,
                             const RunSettings& settings, const std::vector<Variant>& variants,
                             std::vector<std::unique_ptr<CaseFill>> fills)
    : m_parameters(parameters),
      m_settings(settings),
      m_variants(variants),
      m_fills(std::move(fills)),
      m_cases(*parameters, settings.seed),
      m_scores(m_variants.size() * m_cases.count(), no_scores()) {}

Progress ValidateModel::progress() const {
  return {
      static_cast<double>(m_done),     static_cast<double>(jobs()), "cases", m_updates, "updates",
      "case " + std::to_string(m_done)};
}

std::string ValidateModel::summary() const {
  char text[200];
  std::snprintf(text, sizeof text,
                "%zu cases; the last: MAAE %.5g, MRASE %.5g, coverage of 95 %% intervals %.3f",
                m_done, m_last_scores.maae, m_last_scores.mrase, m_last_scores.coverage95);
  return text;
}

/// A job on each rank, the last of them on the first one, which writes what it comes to.
bool ValidateModel::advance() {
  const parallel::Communicator& ranks = m_settings.ranks;
  const int count =
      static_cast<int>(std::min(static_cast<std::size_t>(ranks.size()), jobs() - m_done));
  const int own = count - 1 - ranks.rank();
  FilledCase filled;
  std::vector<Scores> scores;
  ranks.together([&] {
    if (own < 0) return;
    const std::size_t job = m_done + static_cast<std::size_t>(own), number = case_of(job);
    filled =
        m_fills[job % m_variants.size()]->fill(m_cases.make(number), number, compares_samples());
    scores.push_back(compare(filled));
  });
  scores = ranks.all_gather(scores);
  std::reverse(scores.begin(), scores.end());
  for (const Scores& of_job : scores) {
    m_scores[m_done % m_variants.size() * m_cases.count() + case_of(m_done)] = of_job;
    m_last_scores = of_job;
    m_updates += of_job.updates;
    ++m_done;
  }
  // Nothing of the last case is replaced before those of all ranks are complete.
  if (own >= 0) m_last = std::move(filled);
  return m_done < jobs();
}

Scores ValidateModel::compare(const FilledCase& filled) const {
  const logging::Region region("tessera::mpr::compare");
  const std::vector<double>& truth = *filled.of->truth;
  Scores scores = score(truth, *filled.laws, filled.of->sites);
  const Predictions predicted = predictions(filled);
  const auto member_value = [&](std::size_t member, std::size_t site) {
    double value = 0;
    predicted.realisation(member, site, 1, &value);
    return value;
  };
  scores.crps_ensemble = ensemble_crps(truth, member_value, predicted.members, filled.of->sites);
  scores.seconds = filled.seconds;
  scores.transfer_seconds = filled.transfer_seconds;
  scores.updates = filled.report.updates;
  scores.burn_in_sweeps = filled.report.burn_in_sweeps;
  scores.temperature = filled.temperature;
  scores.beta = filled.report.beta;
  return scores;
}

/// The predictions of a case, which must outlive them.
Predictions ValidateModel::predictions(const FilledCase& filled) const {
  Predictions predictions;
  predictions.law = [&filled](std::size_t first, std::size_t count, double* centre,
                              double* spread) {
    std::copy_n(filled.laws->centre().begin() + static_cast<std::ptrdiff_t>(first), count, centre);
    std::copy_n(filled.laws->spread().begin() + static_cast<std::ptrdiff_t>(first), count, spread);
  };
  predictions.quantile = [&filled, empirical = m_parameters->output.empirical_quantiles](double p) {
    return filled.calibration.quantile(p, empirical);
  };
  predictions.members = filled.members;
  const double share = compares_samples() ? 1 : 0;
  const Philox random = seeded_philox(m_settings.seed, 0xe440u);
  const auto at_site = [&filled, share, random](std::size_t member, std::size_t site) {
    const Field& field = filled.of->field;
    const double value = filled.realisation(member, site) + field.reference(site);
    if (!field.noise || field.status[site] != kMissing) return field.transform.back(value);
    return value + share * field.noise_at(site) * NormalPair(random.bits(site, member)).first;
  };
  predictions.realisation = [at_site](std::size_t member, std::size_t first, std::size_t count,
                                      double* values) {
    for (std::size_t i = 0; i < count; ++i) values[i] = at_site(member, first + i);
  };
  return predictions;
}

/// The shares of the truths below each of output.quantiles.
std::vector<double> ValidateModel::quantile_shares(const FilledCase& filled) const {
  const std::vector<double>& truth = *filled.of->truth;
  OutputParameters quantiles;
  quantiles.quantiles = m_parameters->output.quantiles;
  std::vector<double> map(truth.size()), shares;
  const Predictions predicted = predictions(filled);
  for (const ResultMap& result : make_result_maps(filled.of->field, predicted, quantiles)) {
    if (result.name.rfind("quantile_", 0) != 0) continue;
    result.values(0, map.size(), map.data());
    shares.push_back(share_below(truth, map, filled.of->sites));
  }
  return shares;
}

/// The backend, the precision and the tiles of each variant.
void ValidateModel::write_variants(io::ResultsFile& file) const {
  const io::Group coordinates = file.coordinates();
  std::vector<std::string> backends, precisions;
  std::vector<std::int64_t> rows;
  for (const Variant& variant : m_variants) {
    backends.push_back(to_string(variant.backend));
    precisions.push_back(variant.single ? "single" : "double");
    rows.push_back(variant.tile_rows.value_or(0));
  }
  write_numbers(coordinates, "variant", m_variants.size(), "number of the variant");
  // Runs on several backends would differ in that of the run, which files have as an attribute.
  if (!m_parameters->validate.backends.empty())
    coordinates.write("backend", backends, {"1", "where each variant fills"});
  coordinates.write("precision", precisions, {"1", "of the spins of each variant"});
  coordinates.write("tile_rows", rows,
                    {"1", "rows of the tiles of each variant (0: by the size of the grid)"});
}

/// Scores have the dimensions [size, fraction, repeat], before them [variant] where there are
/// several.
void ValidateModel::write_scores(io::ResultsFile& file, const io::Group& group) const {
  const io::Group coordinates = file.coordinates();
  const std::vector<int>& sizes = m_cases.sizes();
  const std::vector<double>& fractions = m_cases.fractions();
  coordinates.write("fraction", fractions,
                    {"1", m_cases.has_truth() ? "of the values that is missing"
                                              : "of the known values that was taken away"});
  coordinates.write("size", std::vector<std::int64_t>(sizes.begin(), sizes.end()),
                    {"1", "edge of the field (0: as in its file)"});
  io::make_scale(coordinates, "fraction");
  io::make_scale(coordinates, "size");
  write_numbers(coordinates, "repeat", m_cases.repeats(),
                "number of the repetition: field by field, all samplings of each");
  write_variants(file);
  std::vector<std::uint64_t> shape{sizes.size(), fractions.size(), m_cases.repeats()};
  std::vector<std::string> dimensions{"size", "fraction", "repeat"};
  if (m_variants.size() > 1) {
    shape.insert(shape.begin(), m_variants.size());
    dimensions.insert(dimensions.begin(), "variant");
  }
  const std::string units = m_last.of ? m_last.of->field.units : "1";
  for (const ScoreColumn& column : score_columns(units)) {
    std::vector<double> values;
    for (const Scores& scores : m_scores) values.push_back(scores.*column.member);
    group.write(column.name, values, shape, {column.units, column.text});
    io::attach_scales(group, column.name, coordinates, dimensions);
  }
}

void ValidateModel::write(io::ResultsFile& file) const {
  const io::Group group = file.results().group("validation");
  write_scores(file, group);
  if (!m_last.of) return;
  const Field& field = m_last.of->field;
  const std::vector<double>& truth = *m_last.of->truth;
  write_reliability(group, reliability(truth, *m_last.laws, m_last.distance, m_last.of->sites),
                    field.units);
  const std::vector<double> shares = quantile_shares(m_last);
  if (!shares.empty()) write_quantile_shares(group, m_parameters->output.quantiles, shares);
  write_maps(file, field, predictions(m_last), m_parameters->output);
  const io::Attributes about{field.units,
                             "the values that predictions are compared with, of the last case"};
  if (field.single && field.single_spread) {
    file.results().write("truth", std::vector<float>(truth.begin(), truth.end()), field.shape,
                         about);
  } else {
    file.results().write("truth", truth, field.shape, about);
  }
  io::attach_scales(file.results(), "truth", file.coordinates(), dimension_names(field));
  write_report(file.results(), m_last.report, field);
  write_geography(file.results(), m_parameters->geography);
  write_series(file.series(), m_last.series);
}

}  // namespace tessera::mpr
