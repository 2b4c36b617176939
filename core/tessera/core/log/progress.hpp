// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tessera {

/// The progress of a model. `done` and `total` are in `unit`; `work` counts the field's own
/// operations.
struct Progress {
  double done = 0;        ///< e.g. the time reached
  double total = 0;       ///< e.g. the end time
  std::string unit;       ///< unit of done and total, e.g. "time"
  double work = 0;        ///< operations so far, for the throughput
  std::string work_unit;  ///< e.g. "cell-steps"
  std::string status;     ///< a few words on the present state
};

namespace logging {

enum class ProgressMode {
  automatic,  ///< as `on`, unless the log is quiet
  on,
  off,
};

/// The time that a reporter waits before it shows a sign of life although nothing new has come.
struct Patience {
  std::chrono::milliseconds first{5000};   ///< before the first line
  std::chrono::milliseconds later{60000};  ///< after a line
};

/// Shows done/total, rate and time left on stderr: on a terminal one line rewritten at most five
/// times a second, elsewhere a line per 10 %. Runs shorter than half a second show only their last
/// line. Where a line is late, a thread of the reporter shows how far the work had come when it was
/// last heard of, what it does (`Stage`), and the time since. Never fences.
///
/// The first `update` is the base of rate and time left: call it before the loop, so that a
/// continued run counts only its own work.
class ProgressReporter {
 public:
  explicit ProgressReporter(ProgressMode mode, const Patience& patience = {});
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;
  ~ProgressReporter() { finish(); }

  /// Names what is done before the first `update`: "setting up".
  void prepare(const std::string& what);

  void update(const Progress& progress);
  void finish();  ///< ends the terminal line

 private:
  using Clock = std::chrono::steady_clock;

  void begin(const Progress& progress, Clock::time_point now);
  void show(const std::string& text, Clock::time_point now);
  void watch();
  std::chrono::milliseconds patience() const;
  std::string line(const Progress& progress, double elapsed) const;
  std::string sign_of_life(Clock::time_point now) const;

  bool m_shown;
  bool m_terminal;
  Patience m_patience;
  bool m_started = false;
  bool m_has_shown = false;
  int m_last_tenth = 0;
  int m_signs = 0;        ///< of life
  double m_fraction = 0;  ///< the largest so far: what is shown never goes back
  double m_first_fraction = 0, m_first_work = 0;
  Clock::time_point m_start, m_last_shown;
  std::string m_preparation;
  Progress m_last;

  std::mutex m_mutex;  ///< of everything above, once the thread runs
  std::condition_variable m_wake;
  bool m_finished = false;
  std::thread m_watcher;  ///< started by the first call
};

/// "25.3 M" for 2.53e7: a number with three significant digits, and with an SI prefix when it is
/// 1000 or more.
std::string si(double value);

/// "1.50 GB" for 1.5e9 bytes.
std::string bytes(std::uint64_t count);

/// "1 h 02 min", "3 min 07 s", "12.3 s", "450 ms".
std::string duration(double seconds);

}  // namespace logging
}  // namespace tessera
