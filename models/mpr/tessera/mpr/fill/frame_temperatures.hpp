// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/mpr/chains/temperature.hpp"
#include "tessera/mpr/fill/coupling_search.hpp"
#include "tessera/mpr/fill/mapped_samples.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"

namespace tessera::mpr::detail {

/// The temperature of each frame of all ranks.
inline std::vector<double> temperatures(const std::vector<FrameReport>& reports) {
  std::vector<double> values;
  for (const FrameReport& report : reports) values.push_back(report.temperature);
  return values;
}

/// The temperature at which the rotator has the specific energy of the samples of a frame of this
/// rank.
template <class ExecSpace, class Real>
double temperature_of_energy(const MappedSamples<ExecSpace, Real>& samples, int frame) {
  const FillSetting<ExecSpace>& setting = samples.setting();
  const FrameReport& report = samples.report_here(frame);
  std::int64_t pairs = 0;
  Kokkos::parallel_reduce(
      "tessera::mpr::active_pairs", Range<ExecSpace>(setting.exec, 0, setting.grid.sites()),
      ActivePairs<ExecSpace>{setting.grid, samples.status(), frame * setting.grid.sites()},
      Kokkos::Sum<std::int64_t>(pairs));
  setting.exec.fence();
  return temperature_at_energy(report.sample_energy,
                               static_cast<double>(report.samples + report.missing),
                               static_cast<double>(pairs));
}

/// The temperature of a frame of this rank: given, of greatest evidence, of the linear equations
/// or of the specific energy. Where no two samples are next to each other that energy is not
/// defined: mode default then takes the temperature of greatest evidence, mode paper throws Error
/// (input).
template <class ExecSpace, class Real>
double temperature_of(const MappedSamples<ExecSpace, Real>& samples,
                      const FittedCouplings& couplings, const LinearSolve& linear, int frame) {
  const FillSetting<ExecSpace>& setting = samples.setting();
  const FillOptions& options = setting.options;
  const FrameReport& report = samples.report_here(frame);
  const auto number = static_cast<std::size_t>(setting.share.first + frame);
  if (options.temperature) return *options.temperature;
  if (options.noise && !report.constant) return couplings.noisy_temperatures[number];
  if (report.constant || report.missing == 0) return 1e-9;
  const bool has_energy = report.sample_pairs > 0;
  if (!has_energy && options.paper) {
    throw Error(
        ErrorKind::input,
        setting.name_of(frame) +
            " have no two samples next to each other, so their specific energy is undefined",
        "give model.temperature, or use mode default");
  }
  if (!has_energy || setting.grid.nz > 1 || couplings.beta > 0 || samples.wants_draws() ||
      !setting.has_plain_cells()) {
    const double free = static_cast<double>(report.samples - 1), lost = setting.lost_to_trend();
    const double factor = lost > 0 && free > 2 * lost ? free / (free - lost) : 1;
    if (!options.paper) return std::max(linear.temperature[number] * factor, 1e-9);
    return equipartition_temperature(samples.pairs()[number], couplings.axis.strength,
                                     couplings.beta, setting.grid.dimension());
  }
  return temperature_of_energy(samples, frame);
}

/// Gives windows of one image its temperature: the mean of theirs, by their samples.
inline void pool_temperatures(std::vector<FrameReport>& reports) {
  double sum = 0, samples = 0;
  for (const FrameReport& report : reports) {
    if (report.samples < 2 || report.missing == 0) continue;
    sum += report.temperature * static_cast<double>(report.samples - 1);
    samples += static_cast<double>(report.samples - 1);
  }
  for (FrameReport& report : reports) {
    if (samples > 0) report.temperature = sum / samples;
  }
}

/// Sets energies and temperatures in the reports of all frames. All ranks call this together.
template <class ExecSpace, class Real>
void choose_temperatures(MappedSamples<ExecSpace, Real>& samples, const FittedCouplings& couplings,
                         const LinearSolve& linear) {
  const FillSetting<ExecSpace>& setting = samples.setting();
  std::vector<FrameReport>& reports = samples.reports();
  for (std::size_t f = 0; f < reports.size(); ++f) {
    FrameReport& report = reports[f];
    const PairMeans& means = samples.pairs()[f];
    double sum = 0;
    for (int a = 0; a < setting.grid.dimension(); ++a) {
      sum += means.nearest_count[a] * means.nearest[a];
      report.sample_pairs += means.nearest_count[a];
    }
    report.sample_energy = report.sample_pairs > 0 ? -sum / report.sample_pairs : 0;
  }
  std::vector<double> here;
  setting.share.ranks.together([&] {
    for (int f = 0; f < setting.frames; ++f)
      here.push_back(temperature_of(samples, couplings, linear, f));
  });
  const std::vector<double> found = setting.share.ranks.all_gather(here);
  for (std::size_t f = 0; f < reports.size(); ++f) {
    reports[f].uncorrelated = !(found[f] < 1e4);
    reports[f].temperature = reports[f].uncorrelated ? 1e4 : found[f];
  }
  if (setting.options.windows) pool_temperatures(reports);
}

}  // namespace tessera::mpr::detail
