// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "tessera/core/device/host_loop.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/random.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/lattice/calibration.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormal975 = 1.959963984540054;

/// Samples in square blocks, which may overlap, until there are enough.
std::vector<std::size_t> choose_blocks(const Field& field, int block, std::size_t wanted,
                                       std::uint64_t seed, std::uint64_t number) {
  std::vector<std::size_t> chosen;
  const Grid& grid = field.grid;
  if (block > grid.nx || block > grid.ny)
    throw Error(ErrorKind::input, "validate.block is larger than the field", "take smaller blocks");
  std::vector<std::uint8_t> taken(field.status.size(), 0);
  const Philox random = seeded_philox(seed, 0xb10c5u);
  for (std::uint64_t b = 0; chosen.size() < wanted; ++b) {
    const auto bits = random.bits(b, number);
    const std::size_t images =
        field.status.size() / static_cast<std::size_t>(grid.nx) / static_cast<std::size_t>(grid.ny);
    const auto x0 = static_cast<std::size_t>(Philox::uniform(bits, 0) * (grid.nx - block + 1)),
               y0 = static_cast<std::size_t>(Philox::uniform(bits, 1) * (grid.ny - block + 1));
    const std::size_t image = b % images;
    for (std::size_t y = y0; y < y0 + static_cast<std::size_t>(block); ++y) {
      for (std::size_t x = x0; x < x0 + static_cast<std::size_t>(block); ++x) {
        const std::size_t i =
            (image * static_cast<std::size_t>(grid.ny) + y) * static_cast<std::size_t>(grid.nx) + x;
        if (field.status[i] != kSample || taken[i]) continue;
        taken[i] = 1;
        chosen.push_back(i);
      }
    }
  }
  return chosen;
}

/// The width of the 95 % interval and 40 times what the truth is beyond it.
double interval_score(double truth, const PredictedLaws& laws, std::size_t site) {
  const double low = laws.value(-kNormal975, site), high = laws.value(kNormal975, site);
  return high - low + 40 * (std::max(0.0, low - truth) + std::max(0.0, truth - high));
}

// sites whose scores are added up one after the other
constexpr std::size_t kBlockOfSites = 1 << 13;

/// Sums over sites of what becomes scores.
struct ScoreSums {
  Scores sums;          // mrase: of squares
  double relative = 0;  // number of true values that are not 0

  void add(double truth, const PredictedLaws& laws, std::size_t site) {
    const Transform::Moments moments = laws.moments(site);
    const double error = truth - moments.mean;
    sums.maae += std::fabs(error);
    sums.mrase += error * error;
    if (truth != 0) {
      sums.mare += error / truth;
      sums.maare += std::fabs(error / truth);
      relative += 1;
    }
    if (laws.spread().empty()) return;
    sums.coverage95 += laws.holds(truth, site) ? 1 : 0;
    sums.spread += moments.deviation;
    sums.crps += laws.crps(truth, site);
    sums.interval_score += interval_score(truth, laws, site);
  }

  void add(const ScoreSums& other) {
    for (double Scores::*sum :
         {&Scores::maae, &Scores::mare, &Scores::maare, &Scores::mrase, &Scores::coverage95,
          &Scores::spread, &Scores::crps, &Scores::interval_score})
      sums.*sum += other.sums.*sum;
    relative += other.relative;
  }
};

}  // namespace

bool PredictedLaws::holds(double truth, std::size_t site) const {
  return std::fabs(m_transform.forward(truth) - m_centre[site]) <= kNormal975 * m_spread[site];
}

std::vector<std::size_t> choose_hidden(const Field& field, const ValidateParameters& parameters,
                                       double fraction, std::uint64_t seed, std::uint64_t number) {
  std::vector<std::size_t> known;
  known.reserve(field.status.size());
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    if (field.status[i] == kSample) known.push_back(i);
  }
  const std::size_t wanted =
      static_cast<std::size_t>(fraction * static_cast<double>(known.size()) + 0.5);
  if (wanted < 1 || wanted >= known.size()) {
    throw Error(ErrorKind::input,
                "a fraction of " + std::to_string(fraction) + " takes " + std::to_string(wanted) +
                    " of " + std::to_string(known.size()) + " known values away",
                "at least one must go and one stay");
  }
  if (parameters.pattern == "blocks")
    return choose_blocks(field, parameters.block, wanted, seed, number);
  std::vector<std::size_t> chosen = random_subset(known.size(), wanted, seed, number);
  for (std::size_t& site : chosen) site = known[site];
  return chosen;
}

std::vector<std::size_t> find_compared(const Field& field, const std::vector<double>& truth) {
  std::vector<std::size_t> sites;
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    if (field.status[i] == kMissing && !std::isnan(truth[i])) sites.push_back(i);
  }
  return sites;
}

Scores score(const std::vector<double>& truth, const PredictedLaws& laws,
             const std::vector<std::size_t>& sites) {
  const bool has_spread = !laws.spread().empty();
  std::vector<ScoreSums> blocks((sites.size() + kBlockOfSites - 1) / kBlockOfSites);
  for_each_on_host("tessera::mpr::score", blocks.size(), [&](std::size_t b) {
    const std::size_t first = b * kBlockOfSites,
                      last = std::min(first + kBlockOfSites, sites.size());
    for (std::size_t k = first; k < last; ++k) blocks[b].add(truth[sites[k]], laws, sites[k]);
  });
  ScoreSums all;
  for (const ScoreSums& of_block : blocks) all.add(of_block);
  Scores s = all.sums;
  const double n = std::max<double>(1, static_cast<double>(sites.size()));
  s.maae /= n;
  s.mare = all.relative > 0 ? s.mare / all.relative : kNan;
  s.maare = all.relative > 0 ? s.maare / all.relative : kNan;
  s.mrase = std::sqrt(s.mrase / n);
  for (double* of_law : {&s.coverage95, &s.spread, &s.crps, &s.interval_score})
    *of_law = has_spread ? *of_law / n : kNan;
  return s;
}

Scores score(const std::vector<double>& truth, const std::vector<double>& mean,
             const std::vector<double>& deviation, const std::vector<std::size_t>& sites) {
  return score(truth, PredictedLaws(Transform(), mean, deviation), sites);
}

double ensemble_crps(const std::vector<double>& truth, const MemberValue& value,
                     std::size_t members, const std::vector<std::size_t>& sites) {
  if (members < 2) return kNan;
  const double m = static_cast<double>(members);
  std::vector<double> x(members);
  double sum = 0;
  for (const std::size_t site : sites) {
    for (std::size_t k = 0; k < members; ++k) x[k] = value(k, site);
    std::sort(x.begin(), x.end());
    double distance = 0, spread = 0;
    for (std::size_t k = 0; k < members; ++k) {
      distance += std::fabs(x[k] - truth[site]);
      spread += (2 * static_cast<double>(k) + 1 - m) * x[k];
    }
    sum += distance / m - spread / (m * (m - 1));
  }
  return sum / std::max<double>(1, static_cast<double>(sites.size()));
}

double share_below(const std::vector<double>& truth, const std::vector<double>& quantile,
                   const std::vector<std::size_t>& sites) {
  double below = 0;
  for (const std::size_t i : sites) below += truth[i] <= quantile[i] ? 1 : 0;
  return below / std::max<double>(1, static_cast<double>(sites.size()));
}

namespace {

/// Sorts sites into twentieths of their deviations; sets the root mean squares of deviations and
/// errors of each.
void set_spread_and_error(std::vector<std::pair<double, double>>& spreads, Reliability& r) {
  std::stable_sort(spreads.begin(), spreads.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t bin = 0; bin < Reliability::kBins; ++bin) {
    const std::size_t first = bin * spreads.size() / Reliability::kBins,
                      last = (bin + 1) * spreads.size() / Reliability::kBins;
    if (first == last) continue;
    double spread = 0, error = 0;
    for (std::size_t k = first; k < last; ++k) {
      spread += spreads[k].first * spreads[k].first;
      error += spreads[k].second * spreads[k].second;
    }
    r.class_spread.push_back(std::sqrt(spread / static_cast<double>(last - first)));
    r.class_error.push_back(std::sqrt(error / static_cast<double>(last - first)));
  }
}

/// Means of the sums of each class.
std::vector<DistanceScores> means_of(const std::map<double, DistanceScores>& sums) {
  std::vector<DistanceScores> classes;
  for (const auto& [centre, sum] : sums) {
    DistanceScores c{centre, sum.sites, sum.coverage / sum.sites, 0, 0, sum.crps / sum.sites};
    c.error = std::sqrt(sum.error / sum.sites);
    c.spread = std::sqrt(sum.spread / sum.sites);
    classes.push_back(c);
  }
  return classes;
}

}  // namespace

Reliability reliability(const std::vector<double>& truth, const PredictedLaws& laws,
                        const std::vector<std::uint16_t>& distance,
                        const std::vector<std::size_t>& sites) {
  Reliability r;
  r.pit.assign(Reliability::kBins, 0);
  std::vector<std::pair<double, double>> spreads;  // deviation and error
  std::map<double, DistanceScores> sums;
  for (const std::size_t i : sites) {
    if (!(laws.spread()[i] > 0)) continue;
    const Transform::Moments moments = laws.moments(i);
    const double error = truth[i] - moments.mean;
    const double probability = 0.5 * std::erfc(-laws.standardise(truth[i], i) / std::sqrt(2.0));
    r.pit[static_cast<std::size_t>(
        std::min(Reliability::kBins - 1.0, probability * Reliability::kBins))] += 1;
    spreads.emplace_back(moments.deviation, error);
    if (distance.empty()) continue;
    DistanceScores& sum = sums[class_centre(distance[i])];
    sum.sites += 1;
    sum.coverage += laws.holds(truth[i], i) ? 1 : 0;
    sum.error += error * error;
    sum.spread += moments.deviation * moments.deviation;
    sum.crps += laws.crps(truth[i], i);
  }
  for (double& share : r.pit) share /= std::max<double>(1, static_cast<double>(spreads.size()));
  r.classes = means_of(sums);
  set_spread_and_error(spreads, r);
  return r;
}

}  // namespace tessera::mpr
