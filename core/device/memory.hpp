// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Follows what Kokkos allocates in each memory space from now on. Does nothing when a Kokkos tool is loaded, which has the callbacks then.
/// Kokkos must be running.
void watch_memory();

/// Name of each memory space that was used since, with the largest number of bytes held at one time; then "process", the largest
/// resident size of the whole process.
std::vector<std::pair<std::string, std::uint64_t>> peak_memory();

}  // namespace tessera
