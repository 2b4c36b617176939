// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"

namespace tessera {

/// Follows what Kokkos allocates in each memory space from now on, and refuses host arrays that
/// together are larger than the memory of the machine: many systems promise more than there is, and
/// end the program that uses it. Does nothing when a Kokkos tool is loaded, which has the callbacks
/// then. Kokkos must be running.
void watch_memory();

/// Name of each memory space that was used since, with the largest number of bytes held at one
/// time; then "process", the largest resident size of the whole process.
std::vector<std::pair<std::string, std::uint64_t>> peak_memory();

/// Throws Error (resource) when `purpose`, such as "the points and their results", takes more bytes
/// on the host than there are for this process.
void require_host_memory(double bytes, const std::string& purpose, const std::string& remedy);

/// The Error (resource) for an exception that says that memory could not be had: one of Kokkos,
/// which names the size and the array, or std::bad_alloc or std::length_error, which know neither.
/// `doing`, such as "while the input was read", is when. Empty for other exceptions and for an
/// Error.
std::optional<Error> find_memory_error(const std::exception& failure,
                                       const std::string& doing = {});

/// Runs `work`, which happens `doing` so. Memory that cannot be had is an Error (resource).
template <class Work>
auto report_memory_errors(const std::string& doing, const Work& work) {
  try {
    return work();
  } catch (const std::exception& failure) {
    if (const auto error = find_memory_error(failure, doing)) throw Error(*error);
    throw;
  }
}

}  // namespace tessera
