// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/grid/density.hpp"

namespace tessera::gbees {

/// The smallest set of cells that holds a share of the density.
struct CredibleSet {
  double threshold = 0;     ///< probability of its least probable cell
  std::uint64_t cells = 0;  ///< those that are at least as probable
  double volume = 0;
  double mass = 0;  ///< share of the density on the grid that they hold, `level` or a little more
};

/// The credible sets of a density, normalised, one a level (within 0 and 1): by the cells of this
/// rank of several, of Density::device_cells. Compiled in the library for 1 to 8 dimensions.
///
/// Example (tests/install/examples/gbees.cpp):
///
///     const auto sets = gbees::find_credible_sets<ExecSpace, 2>(density.device_cells(), {0.68, 0.95});
template <class ExecSpace, int D>
std::vector<CredibleSet> find_credible_sets(const DeviceCells<D>& cells,
                                            const std::vector<double>& levels,
                                            const parallel::Communicator& ranks = {});

}  // namespace tessera::gbees
