// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/log/timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tessera::logging {

Timings& Timings::global() {
  static Timings timings;
  return timings;
}

void Timings::add(const std::string& region, double seconds, bool outermost) {
  auto entry = std::find_if(m_entries.begin(), m_entries.end(),
                            [&](const Entry& e) { return e.region == region; });
  if (entry == m_entries.end()) entry = m_entries.insert(m_entries.end(), Entry{region});
  ++entry->calls;
  entry->seconds += seconds;
  if (outermost) m_total += seconds;
}

void Timings::clear() {
  m_entries.clear();
  m_total = 0;
}

std::string Timings::table() const {
  constexpr std::string_view kTitle = "region";
  std::size_t width = kTitle.size();
  for (const Entry& entry : m_entries) width = std::max(width, entry.region.size());
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>12}  {:>7}\n", kTitle, width, "calls", "seconds", "share");
  for (const Entry& entry : m_entries) {
    const double share = m_total > 0 ? 100 * entry.seconds / m_total : 0;
    text += fmt::format("{:<{}}  {:>10}  {:>12.6f}  {:>5.1f} %\n", entry.region, width, entry.calls,
                        entry.seconds, share);
  }
  return text;
}

}  // namespace tessera::logging
