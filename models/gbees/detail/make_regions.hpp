// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/credible_set.hpp"
#include "tessera/gbees/regions.hpp"

/// What is compiled once for each execution space and number of dimensions, in files of their own that are generated from regions.cpp.in.

namespace tessera::gbees::detail {

template <class ExecSpace, int D>
std::unique_ptr<Regions<D>> make_regions(const std::vector<RegionProgram>& programs, const parallel::Communicator& ranks);

/// The credible sets of the density on the grid, normalised, one a level. `cells`: those of this rank.
template <class ExecSpace, int D>
std::vector<CredibleSet> find_credible_sets(const DeviceCells<D>& cells, const std::vector<double>& levels,
                                            const parallel::Communicator& ranks);

}  // namespace tessera::gbees::detail
