// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::logging {

/// Wall time by region, in the order of first use. With `set_fencing(true)` (--timing) a region
/// waits for the device when it begins and ends, so that asynchronous kernels are counted where
/// they belong; without, nothing waits. For the host's main thread.
class Timings {
 public:
  struct Entry {
    std::string region;
    std::uint64_t calls = 0;
    double seconds = 0;
  };

  static Timings& global();

  void set_fencing(bool on) { m_fencing = on; }
  bool fencing() const { return m_fencing; }

  /// Counts one call. `outermost`: the region is not inside another one; those make up the total of
  /// the shares.
  void add(const std::string& region, double seconds, bool outermost = true);

  const std::vector<Entry>& entries() const { return m_entries; }
  std::string table() const;  ///< region, calls, seconds, share
  void clear();

 private:
  bool m_fencing = false;
  double m_total = 0;
  std::vector<Entry> m_entries;
};

/// Times a scope and names it for Kokkos Tools: `logging::Region region("tessera::gbees::prune");`
class Region {
 public:
  explicit Region(const std::string& name);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  std::string m_name;
  std::chrono::steady_clock::time_point m_start;
};

}  // namespace tessera::logging
