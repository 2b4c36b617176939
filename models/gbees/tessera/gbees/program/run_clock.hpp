// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "tessera/core/io/group.hpp"

namespace tessera::gbees {

/// Notes how long a run takes to come to which time. It keeps some thousand points: where there are
/// more, every other one. A run that continues another begins anew.
class RunClock {
 public:
  /// Notes that the run has come to a time.
  void note(double time) {
    if (m_skipped++ % m_stride != 0) return;
    const std::chrono::duration<double> passed = Clock::now() - m_begin;
    m_time.push_back(time);
    m_wall.push_back(passed.count());
    if (m_time.size() > kMost) thin();
  }

  /// Writes the datasets `time` and `wall_time` of the group `/progress`.
  void write(const io::Group& group) const {
    group.write("time", m_time, io::Attributes{"1", "time that the run had come to"});
    group.write("wall_time", m_wall,
                io::Attributes{"s", "seconds since its start, or since it was continued"});
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 4096;

  void thin() {
    for (std::size_t i = 0; 2 * i < m_time.size(); ++i) {
      m_time[i] = m_time[2 * i];
      m_wall[i] = m_wall[2 * i];
    }
    const std::size_t kept = (m_time.size() + 1) / 2;
    m_time.resize(kept);
    m_wall.resize(kept);
    m_stride *= 2;
  }

  Clock::time_point m_begin = Clock::now();
  std::vector<double> m_time, m_wall;
  std::size_t m_stride = 1, m_skipped = 0;
};

}  // namespace tessera::gbees
