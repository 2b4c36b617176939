// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/device/backend.hpp"
#include "tessera/core/parallel/communicator.hpp"

namespace tessera::parallel {

/// Gives each of several ranks a GPU of its own: the first that it sees and no rank before it on
/// its machine has taken, whether a launcher shows each rank all devices or only one. Returns the
/// arguments that tell Kokkos so; none on other backends, or for a process alone. Throws, on every
/// rank, Error (resource) when there are fewer devices than ranks, and Error (usage) when `kokkos`
/// chooses one already.
std::vector<std::string> choose_device(const Communicator& ranks, Backend backend,
                                       const std::vector<std::string>& kokkos);

}  // namespace tessera::parallel
