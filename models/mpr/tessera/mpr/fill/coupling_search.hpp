// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/mpr/fill/mapped_samples.hpp"
#include "tessera/mpr/linear/evidence.hpp"
#include "tessera/mpr/linear/restricted_likelihood.hpp"

namespace tessera::mpr::detail {

/// Couplings of curvature below this are not worth their second neighbours.
inline constexpr double kLeastBeta = 0.003;

/// Couplings that were given or found, and with errors of samples the temperatures that go with
/// them.
struct FittedCouplings {
  AxisCouplings axis;
  double beta = 0;
  Evidence evidence;                       ///< without steps where there was nothing to look for
  std::vector<double> noisy_temperatures;  ///< of each frame of all ranks; empty without errors
};

/// Chooses the couplings that all frames share from their samples. All ranks make the same calls
/// together.
template <class ExecSpace, class Real>
class CouplingSearch {
 public:
  /// tell_pace: as EvidenceOptions::tell_pace.
  CouplingSearch(const MappedSamples<ExecSpace, Real>& samples,
                 const std::function<void(int steps, double seconds, double cells)>& tell_pace)
      : m_samples(samples), m_setting(samples.setting()), m_tell_pace(tell_pace) {}

  /// Finds the couplings. before: the result with another trend, to start with.
  FittedCouplings find(const Evidence& before) const {
    stop_at_signal();
    FittedCouplings found;
    found.axis = axis_from_pairs();
    found.beta = options().curvature.value_or(0);
    if (!options().part && !options().paper && !m_samples.is_constant() && m_samples.has_gaps())
      find_evidence(before, found);
    if (options().noise) find_noisy_temperatures(found);
    return found;
  }

 private:
  using Search = EvidenceSearch<ExecSpace, Real>;

  const FillOptions& options() const { return m_setting.options; }
  AxisCouplings axis_from_pairs() const;
  void find_evidence(const Evidence& before, FittedCouplings& found) const;
  double rough_temperature() const;
  void find_noisy_temperatures(FittedCouplings& found) const;

  const MappedSamples<ExecSpace, Real>& m_samples;
  const FillSetting<ExecSpace>& m_setting;
  const std::function<void(int steps, double seconds, double cells)>& m_tell_pace;
};

/// The couplings of the axes that are given, or those of the differences of neighbouring samples
/// of all frames together.
template <class ExecSpace, class Real>
AxisCouplings CouplingSearch<ExecSpace, Real>::axis_from_pairs() const {
  const int dimension = m_setting.grid.dimension();
  PairMeans pooled;
  for (const PairMeans& means : m_samples.pairs()) {
    for (int a = 0; a < 3; ++a) {
      const double before = pooled.nearest_count[a], more = means.nearest_count[a];
      if (more > 0)
        pooled.nearest[a] =
            (pooled.nearest[a] * before + means.nearest[a] * more) / (before + more);
      pooled.nearest_count[a] += more;
    }
  }
  AxisCouplings axis{{1, 1, dimension == 3 ? 1.0 : 0.0}};
  if (options().anisotropy == Anisotropy::estimated) {
    axis = {axis_couplings(pooled, dimension)};
    const std::array<double, 3> factor = options().metric.mean();
    for (int a = 0; a < 3; ++a) axis[a] /= factor[static_cast<std::size_t>(a)];
  }
  if (options().axis) axis = *options().axis;
  if (dimension == 3) axis.tilt = 0;
  return axis;
}

/// Looks for the couplings that are left open, by evidence.
template <class ExecSpace, class Real>
void CouplingSearch<ExecSpace, Real>::find_evidence(const Evidence& before,
                                                    FittedCouplings& found) const {
  EvidenceOptions wanted;
  wanted.beta = !options().curvature;
  wanted.axis = !options().axis && options().anisotropy == Anisotropy::evidence;
  wanted.diagonal = m_samples.wants_draws();
  if (!wanted.beta && !wanted.axis) return;
  wanted.start_axis = found.axis;
  wanted.start_beta = options().curvature.value_or(1);
  if (!before.steps.empty() && wanted.axis) wanted.start_axis = before.axis;
  if (!before.steps.empty() && wanted.beta) wanted.start_beta = before.beta;
  wanted.trend = m_setting.lost_to_trend();
  wanted.seed = options().seed;
  wanted.temperature = !options().temperature;
  wanted.tell_pace = m_tell_pace;
  if (options().noise)
    wanted.start_temperature = options().temperature ? *options().temperature : rough_temperature();
  const logging::Stage stage("couplings");
  Search search(m_setting.exec, m_setting.grid, m_samples.frames_with_variation(),
                m_samples.status(), m_samples.samples(), options().metric, m_samples.noise(),
                Search::kLeastSamples, m_setting.share);
  if (!search.has_data()) return;
  found.evidence = search.find(wanted);
  const Evidence& evidence = found.evidence;
  if (!evidence.settled) {
    logging::warning("the couplings of greatest evidence were not found in " +
                     std::to_string(evidence.steps.size()) + " steps: the last one was " +
                     std::to_string(evidence.steps.back().slope) +
                     " standard errors long\n  remedy: give model.curvature and model.anisotropy "
                     "(equal, estimated) or model.couplings" +
                     wider_precision<Real>(", or "));
  }
  if (!std::isfinite(evidence.beta) || !std::isfinite(evidence.axis[0]) ||
      !std::isfinite(evidence.axis[1]) || !std::isfinite(evidence.axis[2])) {
    throw Error(ErrorKind::numerical,
                "the couplings of greatest evidence are not finite, as those between layers that "
                "are alike",
                "give model.curvature and model.anisotropy (equal, estimated) or model.couplings" +
                    wider_precision<Real>(", or "));
  }
  found.axis = evidence.axis;
  found.beta = wanted.beta && evidence.beta < kLeastBeta ? 0 : evidence.beta;
}

/// A temperature for a search to start with: that of differences of neighbouring samples, pooled
/// over the frames, of which at most nine tenths may come from errors.
template <class ExecSpace, class Real>
double CouplingSearch<ExecSpace, Real>::rough_temperature() const {
  const int dimension = m_setting.grid.dimension();
  double sum = 0, count = 0;
  for (const PairMeans& means : m_samples.pairs()) {
    for (int a = 0; a < dimension; ++a) {
      sum += means.nearest_count[a] * 2 * (1 - means.nearest[a]);
      count += means.nearest_count[a];
    }
  }
  double variance = 0, samples = 0;
  for (const double squares : m_samples.squares_of_errors()) variance += squares;
  for (const FrameReport& report : m_samples.reports())
    samples += static_cast<double>(report.samples);
  const double difference = count > 0 ? sum / count : 0.1,
               of_errors = 2 * variance / std::max(samples, 1.0);
  return std::max({difference - of_errors, 0.1 * difference, 1e-9}) * dimension;
}

/// Finds the temperature of each frame with couplings that are known. That of greatest evidence,
/// of one frame or of windows, was found with the couplings.
template <class ExecSpace, class Real>
void CouplingSearch<ExecSpace, Real>::find_noisy_temperatures(FittedCouplings& found) const {
  const std::size_t frames = m_samples.reports().size();
  const bool is_known = options().temperature || found.evidence.temperature > 0;
  const double pooled = options().temperature ? *options().temperature
                        : is_known            ? found.evidence.temperature
                                              : rough_temperature();
  found.noisy_temperatures.assign(frames, pooled);
  if (options().temperature || (is_known && (frames == 1 || options().windows))) return;
  EvidenceOptions wanted;
  wanted.beta = wanted.axis = false;
  wanted.start_axis = found.axis;
  wanted.start_beta = found.beta;
  wanted.start_temperature = pooled;
  wanted.trend = m_setting.lost_to_trend();
  wanted.seed = options().seed;
  std::vector<double> here = m_setting.of_frames_here(found.noisy_temperatures);
  for (int f = 0; f < m_setting.frames; ++f) {
    if (m_samples.report_here(f).constant) continue;
    Search search(m_setting.exec, m_setting.grid, {f}, m_samples.status(), m_samples.samples(),
                  options().metric, m_samples.noise(), 2);
    if (search.has_data()) here[static_cast<std::size_t>(f)] = search.find(wanted).temperature;
  }
  found.noisy_temperatures = m_setting.share.ranks.all_gather(here);
}

}  // namespace tessera::mpr::detail
