// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tessera/core/log/log.hpp"
#include "tessera/core/log/long_work.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/stage.hpp"

namespace tessera::logging {
namespace {

TEST(Si, ThreeSignificantDigits) {
  EXPECT_EQ(si(2.53e7), "25.3 M");
  EXPECT_EQ(si(0), "0");
  EXPECT_EQ(bytes(1500000000), "1.50 GB");
  EXPECT_EQ(bytes(12), "12.0 B");
  EXPECT_EQ(si(1), "1.00");
  EXPECT_EQ(si(12.34), "12.3");
  EXPECT_EQ(si(123.4), "123");
  EXPECT_EQ(si(999.4), "999");
  EXPECT_EQ(si(999.6), "1.00 k");
  EXPECT_EQ(si(9.996), "10.0");
  EXPECT_EQ(si(99.96), "100");
  EXPECT_EQ(si(-1500), "-1.50 k");
  EXPECT_EQ(si(3.3e9), "3.30 G");
  EXPECT_EQ(si(4e12), "4.00 T");
  EXPECT_EQ(si(4e15), "4.00 P");
  EXPECT_EQ(si(4e18), "4.00 E");
  EXPECT_EQ(si(0.25), "0.25");
  EXPECT_EQ(si(0.4205), "0.42");
  EXPECT_EQ(si(0.9996), "1.00");
  EXPECT_EQ(si(2.5e-5), "2.5e-05");
  EXPECT_EQ(si(1e-9), "1e-09");
  EXPECT_EQ(si(1e30), "1e+30");
  EXPECT_EQ(si(1e-30), "1e-30");
  EXPECT_EQ(si(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Duration, InTheUnitsOfItsSize) {
  EXPECT_EQ(duration(3720), "1 h 02 min");
  EXPECT_EQ(duration(187), "3 min 07 s");
  EXPECT_EQ(duration(12.34), "12.3 s");
  EXPECT_EQ(duration(0.45), "450 ms");
  EXPECT_EQ(duration(0.00045), "450 us");
  EXPECT_EQ(duration(0), "0 us");
  EXPECT_EQ(duration(0.9996), "1.0 s");
  EXPECT_EQ(duration(59.96), "1 min 00 s");
  EXPECT_EQ(duration(3599.6), "1 h 00 min");
  EXPECT_EQ(duration(86399), "1 d 00 h");
  EXPECT_EQ(duration(200000), "2 d 08 h");
  EXPECT_EQ(duration(-5), "-5.0 s");
  EXPECT_EQ(duration(std::numeric_limits<double>::infinity()), "unknown time");
  EXPECT_EQ(duration(std::nan("")), "unknown time");
}

Progress at(double done) {
  Progress progress;
  progress.done = done;
  progress.total = 10;
  progress.unit = "time";
  progress.work = done * 1e6;
  progress.work_unit = "cell-steps";
  return progress;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The tests below run where stderr is no terminal: gtest captures it in a file.

TEST(ProgressReporter, AShortRunShowsItsLastLineOnly) {
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter reporter(ProgressMode::on);
    for (int i = 0; i <= 10; ++i) reporter.update(at(i));
  }
  const auto lines = split_lines(::testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0],
              ::testing::MatchesRegex(
                  "tessera: 100 %  time 10 of 10  [0-9.]+ [GTP] cell-steps/s  in [0-9]+ [um]s"));
}

TEST(ProgressReporter, ALongRunShowsALinePerTenth) {
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter reporter(ProgressMode::on);
    reporter.update(at(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(550));
    for (int i = 1; i <= 100; ++i) {
      Progress progress = at(i / 10.0);
      progress.status = "12 cells";
      reporter.update(progress);
      reporter.update(at(i / 20.0));  // going back shows nothing
    }
  }
  const auto lines = split_lines(::testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_THAT(
      lines[0],
      ::testing::MatchesRegex(
          "tessera:  10 %  time 1 of 10  [0-9.]+ [Mk] cell-steps/s  [0-9.]+ s left  12 cells"));
  EXPECT_THAT(lines[4], ::testing::StartsWith("tessera:  50 %  time 5 of 10  "));
  EXPECT_THAT(lines[9], ::testing::StartsWith("tessera: 100 %  time 10 of 10  "));
}

TEST(ProgressReporter, ACompletedPartOfAContinuedRunDoesNotCount) {
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter reporter(ProgressMode::on);
    reporter.update(at(9));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    reporter.update(at(10));
  }
  const auto lines = split_lines(::testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], ::testing::HasSubstr("  1."));  // 1e6 cell-steps in 0.6 s
}

TEST(ProgressReporter, LongWorkAlone) {
  ::testing::internal::CaptureStderr();
  show_long_work_only(true);
  {
    ProgressReporter brief(ProgressMode::on);
    brief.update(at(0));
    brief.update(at(5));
    brief.update(at(10));
    ProgressReporter reporter(ProgressMode::on);
    reporter.update(at(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    reporter.update(at(3));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    reporter.update(at(6));
    reporter.update(at(10));
  }
  show_long_work_only(false);
  const auto lines = split_lines(::testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], ::testing::StartsWith("tessera:  60 %  time 6 of 10  "));
  EXPECT_THAT(lines[1], ::testing::StartsWith("tessera: 100 %  time 10 of 10  "));
}

TEST(ProgressReporter, SlowWorkShowsSignsOfLife) {
  using std::chrono::milliseconds;
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter reporter(ProgressMode::on, {milliseconds(400), milliseconds(400)});
    reporter.prepare("setting up");
    std::this_thread::sleep_for(milliseconds(600));  // a line at 0.4 s
    reporter.update(at(0));
    std::this_thread::sleep_for(milliseconds(600));  // at 0.8 s
    reporter.update(at(0.5));
    std::this_thread::sleep_for(milliseconds(1200));  // at 1.2 s or at 1.6 s, with the rate
    reporter.update(at(10));
    std::this_thread::sleep_for(milliseconds(600));  // nothing is left to wait for
  }
  const auto lines = split_lines(::testing::internal::GetCapturedStderr());
  ASSERT_GE(lines.size(), 4u);
  EXPECT_THAT(lines[0], ::testing::MatchesRegex("tessera: setting up for [0-9]+ ms so far"));
  EXPECT_THAT(lines[1], ::testing::MatchesRegex("tessera:   0 %  time 0 of 10  after [0-9.]+ m?s"));
  EXPECT_THAT(lines[lines.size() - 2],
              ::testing::MatchesRegex(
                  "tessera:   5 %  time 0.5 of 10  [0-9.]+ [kM] cell-steps/s  [0-9.]+ s left"));
  EXPECT_THAT(lines.back(), ::testing::StartsWith("tessera: 100 %  time 10 of 10  "));
}

TEST(ProgressReporter, SignsOfLifeSayWhatIsDone) {
  using std::chrono::milliseconds;
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter reporter(ProgressMode::on, {milliseconds(200), milliseconds(60000)});
    reporter.prepare("setting up");
    Stage couplings("couplings");
    {
      Stage step;
      step.count("step", 3, 15);
      std::this_thread::sleep_for(milliseconds(400));  // a line at 0.2 s
    }
    std::this_thread::sleep_for(milliseconds(400));  // at 0.6 s: twice as long as before
  }
  const auto lines = split_lines(::testing::internal::GetCapturedStderr());
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(lines[0], ::testing::MatchesRegex(
                            "tessera: setting up: couplings, step 3 of 15, for [0-9]+ ms so far"));
  EXPECT_THAT(lines[1],
              ::testing::MatchesRegex("tessera: setting up: couplings, for [0-9.]+ m?s so far"));
  EXPECT_EQ(stages(), "");
}

TEST(ProgressReporter, OffAndQuietShowNothing) {
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter off(ProgressMode::off);
    off.update(at(0));
    off.update(at(10));
    set_level(Level::quiet);
    ProgressReporter quiet(ProgressMode::automatic);
    set_level(Level::normal);
    quiet.update(at(0));
    quiet.update(at(10));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

/// Returns what `action` writes to stderr while that is a terminal; nothing where there are no
/// pseudo-terminals.
std::optional<std::string> on_a_terminal(const std::function<void()>& action) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return std::nullopt;
  const int screen = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  if (screen < 0) return std::nullopt;
  winsize size{};
  size.ws_col = 60;
  ::ioctl(screen, TIOCSWINSZ, &size);
  const int usual = ::dup(STDERR_FILENO);
  ::dup2(screen, STDERR_FILENO);
  ::setenv("TERM", "xterm", 1);
  action();
  ::dup2(usual, STDERR_FILENO);
  ::close(usual);
  // A terminal may hand out what was written in several parts, the last of which ends with this.
  constexpr char kEnd = '\1';
  std::string text;
  for (bool whole = ::write(screen, &kEnd, 1) != 1; !whole;) {
    char part[4096];
    const ssize_t length = ::read(terminal, part, sizeof part);
    text.append(part, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    whole = length <= 0 || text.back() == kEnd;
  }
  if (!text.empty() && text.back() == kEnd) text.pop_back();
  ::close(screen);
  ::close(terminal);
  return text;
}

TEST(ProgressReporter, ATerminalLineIsRewrittenAndCut) {
  // two updates; too short for the second one to be shown, unless the machine is busy
  std::chrono::steady_clock::duration between{};
  const auto text = on_a_terminal([&] {
    ProgressReporter reporter(ProgressMode::on);
    reporter.update(at(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(550));
    Progress progress = at(5);
    progress.status = std::string(100, 's');
    const auto before = std::chrono::steady_clock::now();
    reporter.update(progress);
    warning("odd");
    reporter.update(at(6));
    between = std::chrono::steady_clock::now() - before;
    reporter.update(at(10));
    reporter.finish();
  });
  if (!text) GTEST_SKIP() << "there are no pseudo-terminals";
  if (between > std::chrono::milliseconds(150)) GTEST_SKIP() << "the machine is too busy";
  const std::string erase = "\033[K";
  EXPECT_THAT(*text, ::testing::StartsWith("\rtessera:  50 %  time 5 of 10  "));
  EXPECT_EQ(text->find(erase), 1u + 59);
  EXPECT_THAT(*text, ::testing::HasSubstr(erase + "\r" + erase +
                                          "tessera: warning: odd\r\n\rtessera: 100 %"));
  EXPECT_THAT(*text, ::testing::EndsWith(erase + "\r\n"));
  EXPECT_THAT(*text, ::testing::Not(::testing::HasSubstr("60 %")));
}

TEST(ProgressReporter, StrangeNumbersAreHarmless) {
  ::testing::internal::CaptureStderr();
  {
    ProgressReporter reporter(ProgressMode::on);
    Progress progress;
    reporter.update(progress);
    progress.done = std::nan("");
    progress.total = 1;
    reporter.update(progress);
    progress.total = -1;
    reporter.update(progress);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tessera::logging
