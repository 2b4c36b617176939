// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tessera/core/app/model.hpp"

namespace tessera::logging {

enum class ProgressMode {
  automatic,  ///< as `on`, unless the log is quiet
  on,
  off,
};

/// Shows done/total, rate and time left on stderr: on a terminal one line rewritten at most five times a second, elsewhere
/// a line per 10 %. Runs shorter than half a second show only their last line. Never fences.
///
/// The first `update` is the base of rate and time left: call it before the loop, so that a continued run counts only its own work.
class ProgressReporter {
 public:
  explicit ProgressReporter(ProgressMode mode);
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;
  ~ProgressReporter() { finish(); }

  void update(const Progress& progress);
  void finish();  ///< ends the terminal line

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(const Progress& progress, double elapsed) const;

  bool m_shown;
  bool m_terminal;
  bool m_started = false;
  int m_last_tenth = 0;
  double m_fraction = 0;  ///< the largest so far: what is shown never goes back
  double m_first_fraction = 0, m_first_work = 0;
  Clock::time_point m_start, m_last_shown;
};

/// "25.3 M" for 2.53e7: a number with three significant digits, and with an SI prefix when it is 1000 or more.
std::string si(double value);

/// "1.50 GB" for 1.5e9 bytes.
std::string bytes(std::uint64_t count);

/// "1 h 02 min", "3 min 07 s", "12.3 s", "450 ms".
std::string duration(double seconds);

}  // namespace tessera::logging
