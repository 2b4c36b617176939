// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <exception>

#include "tessera/core/log/timings.hpp"

namespace tessera::logging {

namespace {

thread_local int depth = 0;  ///< of regions inside each other

void fence_if_asked() {
  if (Timings::global().fencing() && Kokkos::is_initialized()) Kokkos::fence();
}

}  // namespace

Region::Region(const std::string& name) : m_name(name) {
  fence_if_asked();
  Kokkos::Profiling::pushRegion(m_name);
  ++depth;
  m_start = std::chrono::steady_clock::now();
}

Region::~Region() {
  try {
    fence_if_asked();
  } catch (const std::exception&) {
    // A device that has failed fails again at its next use, where the error can be thrown.
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_start;
  --depth;
  Kokkos::Profiling::popRegion();
  Timings::global().add(m_name, elapsed.count(), depth == 0);
}

}  // namespace tessera::logging
