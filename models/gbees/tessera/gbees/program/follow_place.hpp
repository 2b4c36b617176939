// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/core/io/group.hpp"
#include "tessera/gbees/follow/follow_state.hpp"

/// The place of a grid that follows the flow, in restart files.

namespace tessera::gbees {

void save_follow(const io::Group& group, const FollowState& place);

/// Throws Error (file) where the numbers are no place of a grid of so many dimensions.
FollowState load_follow(const io::Group& group, std::size_t dimension);

}  // namespace tessera::gbees
