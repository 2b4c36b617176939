// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/dynamics/units.hpp"
#include "tessera/gbees/program/marginals.hpp"

namespace tessera::gbees {

/// The figures at one record time of the state, where the variables of the grid are other
/// coordinates of it. Marginals have bins of their own.
struct StateFigures : Marginals {
  std::vector<double> mean, covariance;  ///< of the state; covariance row by row
  std::vector<double> cells;             ///< the states [n, D] of the record's cells
};

/// Writes the figures of all records as /results/state, `names` and units those of the state.
void write_state(const io::Group& results, const std::vector<const StateFigures*>& records,
                 const std::vector<std::string>& names, const Units& units);

/// Saves to and loads from a restart file the figures of one record.
void save_state(const io::Group& group, const StateFigures& figures);
StateFigures load_state(const io::Group& group, std::size_t dimension, bool pairs,
                        std::size_t cells);

}  // namespace tessera::gbees
