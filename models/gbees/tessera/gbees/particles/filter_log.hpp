// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/particles/comparison_filter.hpp"

namespace tessera::gbees {

/// The results of the filters beside a density.
struct FilterLog {
  struct Entry {
    std::string name;                        ///< "ukf", "enkf", "particle"
    std::string comparison;                  ///< how its Bhattacharyya coefficient comes about
    std::vector<FilterRecord> records = {};  ///< those of the density
    std::vector<double> log_evidence = {};   ///< an entry a measurement
  };
  std::vector<Entry> filters;
};

/// Writes /results/filters/NAME.
void write_filters(const io::Group& results, const FilterLog& log);

/// Saves to and loads from a restart file, into a log of the same filters, for so many records of
/// that dimension and so many measurements.
void save_filters(const io::Group& group, const FilterLog& log);
void load_filters(const io::Group& group, FilterLog& log, std::size_t dimension,
                  std::size_t records, std::size_t measurements);

}  // namespace tessera::gbees
