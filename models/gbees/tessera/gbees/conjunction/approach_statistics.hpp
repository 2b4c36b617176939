// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "tessera/core/random.hpp"
#include "tessera/gbees/conjunction/count_pairs.hpp"
#include "tessera/gbees/conjunction/encounter.hpp"

namespace tessera::gbees {

/// Keeps a range of the pairs of a model: record_pairs on some device.
using PairRecorder = std::function<PairRecords(const PairModel& model, const Philox& random,
                                               std::uint64_t first, std::uint64_t count)>;

/// How far apart objects pass, and when those that meet do.
struct ApproachStatistics {
  static constexpr std::size_t kPairs = 1 << 15;  ///< that they are made of
  static constexpr std::size_t kIntervals = 100;  ///< of the history
  static constexpr std::size_t kBins = 50;        ///< of the density

  /// Probabilities of the quantiles
  static const std::vector<double>& levels();

  std::vector<double> miss_quantiles;  ///< of the least distance, m; as many as levels
  /// kIntervals + 1 times, evenly over the part of the window in which pairs met, s after the
  /// epoch; over all of it where none did
  std::vector<double> times;
  /// The share of the probability of meeting that falls before each time, from 0 to 1, by the time
  /// of the closest approach; no numbers where no pair met
  std::vector<double> share_before;
  /// The density of the least distance, 1/m, in kBins of equal width from 0 to the last quantile
  std::vector<double> miss_density;
};

/// Draws pairs of an encounter for these figures: quantiles from pairs as they are, times from
/// importance sampling where `is_importance`. They are others than those of the estimate.
ApproachStatistics find_approach_statistics(const Encounter& encounter, bool is_importance,
                                            const Philox& random, const PairRecorder& record);

}  // namespace tessera::gbees
