// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/approach_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::gbees {

namespace {

constexpr std::uint64_t kFirst = std::uint64_t(1) << 40;  ///< beyond the pairs of pilots

std::vector<double> quantiles_of(std::vector<double> values, const std::vector<double>& levels) {
  values.erase(
      std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }),
      values.end());
  std::sort(values.begin(), values.end());
  std::vector<double> quantiles;
  for (const double level : levels) {
    if (values.empty()) {
      quantiles.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double at = level * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double part = at - static_cast<double>(below);
    quantiles.push_back((1 - part) * values[below] + part * values[above]);
  }
  return quantiles;
}

/// The density of distances from 0 to the farthest of a histogram.
std::vector<double> density_of(const std::vector<double>& distances, double farthest) {
  constexpr std::size_t kBins = ApproachStatistics::kBins;
  if (!(farthest > 0)) return std::vector<double>(kBins, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> density(kBins, 0.0);
  const double width = farthest / kBins;
  double all = 0;
  for (const double distance : distances) {
    if (std::isfinite(distance)) ++all;
    if (!(distance < farthest)) continue;
    ++density[std::min(static_cast<std::size_t>(distance / width), kBins - 1)];
  }
  for (double& number : density) number /= all * width;
  return density;
}

/// The part of the window in which pairs met.
std::pair<double, double> find_span(const PairRecords& pairs, const PairModel& model) {
  double first = model.window.end, last = model.window.begin;
  for (std::size_t n = 0; n < pairs.distance.size(); ++n) {
    if (!(pairs.distance[n] < model.radius)) continue;
    first = std::min(first, pairs.time[n]);
    last = std::max(last, pairs.time[n]);
  }
  if (!(first < last)) return {model.window.begin, model.window.end};
  return {first, last};
}

void find_history(const PairRecords& pairs, const PairModel& model,
                  ApproachStatistics& statistics) {
  constexpr std::size_t kIntervals = ApproachStatistics::kIntervals;
  const auto [begin, end] = find_span(pairs, model);
  std::vector<double> weights(kIntervals, 0.0);
  double total = 0;
  for (std::size_t n = 0; n < pairs.distance.size(); ++n) {
    if (!(pairs.distance[n] < model.radius)) continue;
    const double at = (pairs.time[n] - begin) / (end - begin) * kIntervals;
    weights[static_cast<std::size_t>(std::clamp(at, 0.0, kIntervals - 0.5))] += pairs.weight[n];
    total += pairs.weight[n];
  }
  double sum = 0;
  for (std::size_t k = 0; k <= kIntervals; ++k) {
    const double part = static_cast<double>(k) / kIntervals;
    statistics.times.push_back((1 - part) * begin + part * end);
    statistics.share_before.push_back(total > 0 ? std::min(sum / total, 1.0)
                                                : std::numeric_limits<double>::quiet_NaN());
    if (k < kIntervals) sum += weights[k];
  }
}

}  // namespace

const std::vector<double>& ApproachStatistics::levels() {
  static const std::vector<double> all{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  return all;
}

ApproachStatistics find_approach_statistics(const Encounter& encounter, bool is_importance,
                                            const Philox& random, const PairRecorder& record) {
  const PairRecords plain = record(encounter.pairs, random, kFirst, ApproachStatistics::kPairs);
  ApproachStatistics statistics;
  statistics.miss_quantiles = quantiles_of(plain.distance, ApproachStatistics::levels());
  statistics.miss_density = density_of(plain.distance, statistics.miss_quantiles.back());
  if (is_importance) {
    const PairModel& rare = *encounter.rare;
    find_history(record(rare, random, kFirst, ApproachStatistics::kPairs), rare, statistics);
  } else {
    find_history(plain, encounter.pairs, statistics);
  }
  return statistics;
}

}  // namespace tessera::gbees
