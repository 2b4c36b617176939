// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/program/parameters.hpp"

namespace tessera::gbees {

/// The results of a run for its regions, in the order of the input.
struct RegionLog {
  /// Times at which each region was looked at, and what it held or had absorbed
  std::vector<std::vector<double>> time, probability;
  /// [steps, regions]: absorbed since the start or the last measurement
  std::vector<double> absorbed;
  /// Numbers of steps made when a measurement emptied the accounts
  std::vector<std::uint64_t> emptied;
  /// For each region and each of its histograms this is the probability below, in the bins and
  /// above, one segment after the other.
  std::vector<std::vector<std::vector<double>>> histograms;

  explicit RegionLog(const std::vector<RegionParameters>& regions);

  /// The largest probability of each region so far.
  std::vector<double> largest() const;

  /// Appends the histograms of a segment that has ended.
  void add_histograms(std::size_t region, const std::vector<std::vector<double>>& of_segment);
};

/// Writes /results/regions/NAME and, of absorbing regions, /series/regions/NAME. `dt`: the lengths
/// of the steps.
void write_regions(const io::Group& results, const io::Group& series, const RegionLog& log,
                   const std::vector<RegionParameters>& regions, const std::vector<double>& dt);

/// Saves to and loads from a restart file; `steps`: how many have been made.
void save_regions(const io::Group& group, const RegionLog& log);
RegionLog load_regions(const io::Group& group, const std::vector<RegionParameters>& regions,
                       std::size_t steps);

}  // namespace tessera::gbees
