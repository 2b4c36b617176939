// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <string>

namespace tessera {

/// Calls body(i) for each i below `count`, on the threads of the host; code of the host alone that
/// takes long. Calls must not depend on each other. An exception does not end the others; the one
/// of the smallest i is thrown when all are over.
template <class Body>
void for_each_on_host(const std::string& label, std::size_t count, const Body& body) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t of_error = std::numeric_limits<std::size_t>::max();
  const auto call = [&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (i > of_error) return;
      of_error = i;
      error = std::current_exception();
    }
  };
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::size_t>>(
          0, count),
      call);
  Exec().fence();
  if (error) std::rethrow_exception(error);
}

}  // namespace tessera
