// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/memory.hpp"

#include <sys/resource.h>

#include <map>
#include <mutex>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera {

namespace {

struct Usage {
  std::uint64_t held = 0, peak = 0;
};

// Kokkos calls plain functions, which can reach nothing but a global.
std::mutex g_mutex;
std::map<std::string, Usage> g_usage;

void note_allocation(const Kokkos::Tools::SpaceHandle space, const char*, const void*, const std::uint64_t size) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  Usage& usage = g_usage[space.name];
  usage.held += size;
  usage.peak = compat::max(usage.peak, usage.held);
}

void note_deallocation(const Kokkos::Tools::SpaceHandle space, const char*, const void*, const std::uint64_t size) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  Usage& usage = g_usage[space.name];
  usage.held -= compat::min(usage.held, size);
}

}  // namespace

void watch_memory() {
  if (Kokkos::Profiling::profileLibraryLoaded()) return;
  Kokkos::Tools::Experimental::set_allocate_data_callback(note_allocation);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(note_deallocation);
}

std::vector<std::pair<std::string, std::uint64_t>> peak_memory() {
  std::vector<std::pair<std::string, std::uint64_t>> peaks;
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    for (const auto& [space, usage] : g_usage) peaks.emplace_back(space, usage.peak);
  }
  rusage process{};
  getrusage(RUSAGE_SELF, &process);
  peaks.emplace_back("process", static_cast<std::uint64_t>(process.ru_maxrss) << 10);
  return peaks;
}

}  // namespace tessera
