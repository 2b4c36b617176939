// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/log/progress.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tessera/core/log/log.hpp"
#include "tessera/core/log/long_work.hpp"
#include "tessera/core/log/stage.hpp"
#include "tessera/core/log/terminal.hpp"

namespace tessera::logging {

namespace {

constexpr double kSilent = 0.5;    ///< seconds before the first line,
constexpr double kLong = 2;        ///< and where only long work is shown
constexpr double kInterval = 0.2;  ///< seconds between two pictures of the terminal line

bool g_long_work_only = false;

double completed_fraction(const Progress& progress) {
  const double fraction = progress.done / progress.total;
  return progress.total > 0 && std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
}

/// Three significant digits without an exponent, for 1 <= value < 1000.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

void show_long_work_only(bool on) { g_long_work_only = on; }

ProgressReporter::ProgressReporter(ProgressMode mode, const Patience& patience)
    : m_shown(!holds_messages() && (mode == ProgressMode::on ||
                                    (mode == ProgressMode::automatic && level() != Level::quiet))),
      m_terminal(stderr_is_terminal()),
      m_patience(patience),
      m_start(Clock::now()),
      m_last_shown(m_start) {
  constexpr std::chrono::milliseconds kOnTerminal{2000};
  if (m_terminal)
    m_patience = {std::min(patience.first, kOnTerminal), std::min(patience.later, kOnTerminal)};
}

void ProgressReporter::prepare(const std::string& what) {
  if (!m_shown) return;
  const std::lock_guard lock(m_mutex);
  m_preparation = what;
  m_start = m_last_shown = Clock::now();
  if (!m_watcher.joinable()) m_watcher = std::thread(&ProgressReporter::watch, this);
}

void ProgressReporter::begin(const Progress& progress, Clock::time_point now) {
  m_started = true;
  m_first_fraction = m_fraction;
  m_first_work = progress.work;
  m_start = now;
  m_last_tenth = static_cast<int>(m_fraction * 10);
  if (!m_has_shown) m_last_shown = now;
  if (!m_watcher.joinable()) m_watcher = std::thread(&ProgressReporter::watch, this);
}

void ProgressReporter::update(const Progress& progress) {
  if (!m_shown) return;
  const std::lock_guard lock(m_mutex);
  const Clock::time_point now = Clock::now();
  m_fraction = std::max(m_fraction, completed_fraction(progress));
  m_last = progress;
  if (!m_started) {
    begin(progress, now);
    return;
  }
  const double elapsed = std::chrono::duration<double>(now - m_start).count();
  const bool last = m_fraction >= 1;
  const int tenth = static_cast<int>(m_fraction * 10);
  const bool due =
      m_terminal ? last || std::chrono::duration<double>(now - m_last_shown).count() >= kInterval
                 : tenth > m_last_tenth;
  if (!due || (g_long_work_only ? elapsed < kLong : elapsed < kSilent && !last)) return;
  m_last_tenth = tenth;
  show(line(progress, elapsed), now);
}

void ProgressReporter::show(const std::string& text, Clock::time_point now) {
  m_last_shown = now;
  m_has_shown = true;
  if (m_terminal) {
    show_line(text);
  } else {
    write_line(text);
  }
}

void ProgressReporter::watch() {
  sigset_t all;  // signals are for the threads that wait for them
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(m_mutex);
  while (!m_finished) {
    m_wake.wait_until(lock, m_last_shown + patience());
    const Clock::time_point now = Clock::now();
    if (!m_finished && now >= m_last_shown + patience() && m_fraction < 1) {
      ++m_signs;
      show(sign_of_life(now), now);
    }
    if (m_fraction >= 1) m_last_shown = now;
  }
}

/// The time between two lines. Before the first progress it doubles from line to line, for nothing
/// else is written then.
std::chrono::milliseconds ProgressReporter::patience() const {
  if (m_started) return m_has_shown ? m_patience.later : m_patience.first;
  return std::min(m_patience.first * (std::int64_t{1} << std::min(m_signs, 20)),
                  std::max(m_patience.first, m_patience.later));
}

std::string ProgressReporter::sign_of_life(Clock::time_point now) const {
  const double elapsed = std::chrono::duration<double>(now - m_start).count();
  const std::string doing = stages();
  if (!m_started)
    return "tessera: " + m_preparation + (doing.empty() ? "" : ": " + doing + ",") + " for " +
           duration(elapsed) + " so far";
  const bool knows_rate = m_fraction > m_first_fraction;
  return line(m_last, elapsed) + (doing.empty() ? "" : "  " + doing) +
         (knows_rate ? "" : "  after " + duration(elapsed));
}

void ProgressReporter::finish() {
  {
    const std::lock_guard lock(m_mutex);
    m_finished = true;
  }
  m_wake.notify_all();
  if (m_watcher.joinable()) m_watcher.join();
  if (m_shown && m_terminal) end_line();
}

std::string ProgressReporter::line(const Progress& progress, double elapsed) const {
  std::string text = "tessera:";
  if (progress.total > 0) {
    text += fmt::format(" {:3.0f} %  {} {:.6g} of {:.6g}", std::floor(m_fraction * 100),
                        progress.unit, progress.done, progress.total);
  } else {
    text += fmt::format(" {} {:.6g}", progress.unit, progress.done);
  }
  const double work = progress.work - m_first_work;
  if (elapsed > 0 && work > 0)
    text += fmt::format("  {} {}/s", si(work / elapsed), progress.work_unit);
  const double gained = m_fraction - m_first_fraction;
  if (m_fraction >= 1) {
    text += "  in " + duration(elapsed);
  } else if (gained > 0) {
    text += "  " + duration(elapsed * (1 - m_fraction) / gained) + " left";
  }
  if (!progress.status.empty()) text += "  " + progress.status;
  return text;
}

std::string si(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  double scaled = std::abs(value);
  for (; scaled >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) scaled /= 1000;
  // beyond all prefixes; "0.42" is no "420 m"
  if (scaled >= 999.5 || scaled < 0.9995) return fmt::format("{:.3g}", value);
  const std::string text = (value < 0 ? "-" : "") + three_digits(scaled);
  return prefix == 0 ? text : text + " " + kPrefixes[prefix];
}

std::string bytes(std::uint64_t count) {
  return si(static_cast<double>(count)) + (count < 1000 ? " B" : "B");
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown time";
  if (seconds < 0) return "-" + duration(-seconds);
  if (seconds < 0.9995e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  constexpr double kHour = 3600, kDay = 86400;
  if (seconds < kHour - 0.5) {
    const auto whole = static_cast<std::int64_t>(std::round(seconds));
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  if (seconds < kDay - 30) {
    const auto minutes = static_cast<std::int64_t>(std::round(seconds / 60));
    return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  }
  const double hours = std::round(seconds / kHour);
  return fmt::format("{:.0f} d {:02.0f} h", std::floor(hours / 24), std::fmod(hours, 24));
}

}  // namespace tessera::logging
