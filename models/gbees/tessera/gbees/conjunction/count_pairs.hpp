// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/random.hpp"
#include "tessera/gbees/conjunction/pair_model.hpp"

namespace tessera::gbees {

/// Draws pairs number `first` to `first + count - 1` of a model, carries each through the encounter
/// by two-body motion, and counts those that come closer than the radius. The answer has the same
/// bits for any number of threads. Compiled once for each execution space, from
/// instantiate_conjunction.cpp.in; it waits for `exec`.
template <class ExecSpace>
PairTally count_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                      std::uint64_t first, std::uint64_t count);

/// Pairs one by one.
struct PairRecords {
  std::vector<double> distance;  ///< the least within the window, m; no number for no ellipse
  std::vector<double> time;      ///< of that, s after the epoch
  std::vector<double> weight;    ///< 1 where pairs are drawn directly
};

/// Draws the same pairs as count_pairs and keeps each, with the least distance of all of them to
/// its full accuracy.
template <class ExecSpace>
PairRecords record_pairs(const ExecSpace& exec, const PairModel& model, const Philox& random,
                         std::uint64_t first, std::uint64_t count);

}  // namespace tessera::gbees
