// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/program/parameters.hpp"

namespace tessera::gbees {

/// The progress of the run whose state is continued.
struct EarlierRun {
  std::vector<double> segment_ends;  ///< ascending; the last is its end
  std::uint64_t measurements = 0;    ///< before that
  bool is_complete = false;
};

/// Returns where the segments end when `parameters` continue an earlier run: at its own ends, and
/// behind them where the input has more, if that run was complete. So a complete run keeps the end
/// of a segment where it ended first. Throws Error (input) when the input changes what the run has
/// passed, or the end of one that is not complete.
std::vector<double> continued_segment_ends(const EarlierRun& earlier, const Parameters& parameters);

/// Saves to a restart file what a run has used, until `time`, of files that may grow: the
/// measurements that it has taken, of which there are `taken`, and the rows of tables.
void save_past(const io::Group& past, const Parameters& parameters, std::size_t taken, double time);

/// Throws Error (input) when the input says something else of that time. `state`: holds the group
/// "past".
void check_past(const io::Group& state, const Parameters& parameters, std::size_t taken,
                double time);

/// Throws Error (input) when the end is not that of the study whose state is continued.
void require_same_end(double earlier, const Parameters& parameters);

}  // namespace tessera::gbees
