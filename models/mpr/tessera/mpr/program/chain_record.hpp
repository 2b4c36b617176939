// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/mpr/chains/chain_state.hpp"

namespace tessera::mpr {

/// Writes the states of chains to a restart file, a dataset for each member.
void save_chains(const io::Group& group, const std::vector<ChainState>& chains);

/// Reads them back. Throws Error (file) when there are not `count` of them.
std::vector<ChainState> load_chains(const io::Group& group, std::size_t count);

}  // namespace tessera::mpr
