// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/core/io/results_file.hpp"
#include "tessera/gbees/conjunction/approach_statistics.hpp"
#include "tessera/gbees/conjunction/encounter_grid.hpp"
#include "tessera/gbees/program/conjunction_parameters.hpp"

namespace tessera::gbees {

/// The results of `task: conjunction`: columns, with a row for each message.
class ConjunctionTable {
 public:
  /// `grids`: of the first messages; those of others are no numbers.
  ConjunctionTable(const std::vector<Conjunction>& conjunctions,
                   const std::vector<MeetingProbability>& found,
                   const std::vector<GridProbability>& grids);

  /// Writes the columns as /results, and the names of the files as /coordinates/message.
  void write(const io::ResultsFile& file) const;

  /// Writes them as a table with a line of names. Unless it `replaces` an existing file, that is
  /// kept, and the table takes the first free one of the names path.1, path.2, ..., with a warning.
  void write_csv(const std::string& path, bool replaces) const;

 private:
  struct Texts {
    std::string name, long_name;
    std::vector<std::string> values;
  };
  struct Numbers {
    std::string name, units, long_name;
    std::vector<double> values;
  };
  struct Counts {
    std::string name, long_name;
    std::vector<std::uint64_t> values;
  };

  std::vector<std::string> m_files;
  std::vector<Texts> m_texts;
  std::vector<Numbers> m_numbers;
  std::vector<Counts> m_counts;
};

/// Writes as /results/miss_quantiles [message, level] and /results/probability_history [message,
/// time], with the levels and the times in /coordinates, the figures of the first messages; those
/// of others are no numbers.
void write_statistics(const io::ResultsFile& file, const std::vector<MeetingProbability>& found,
                      const std::vector<ApproachStatistics>& statistics);

}  // namespace tessera::gbees
