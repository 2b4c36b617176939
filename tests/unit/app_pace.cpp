// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests of the work that a step of a run takes, and of steps that are given up.
#include <gtest/gtest.h>

#include <csignal>

#include "tessera/core/app/pace.hpp"
#include "tessera/core/app/signals.hpp"

namespace tessera {
namespace {

TEST(Pace, BeginsWithOneAndComesToAFifthOfASecond) {
  constexpr double kPerSecond = 1000;
  Pace pace;
  EXPECT_EQ(pace.next(5000), 1);
  std::int64_t done = 0;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t now = pace.next(5000 - done);
    pace.took(now, static_cast<double>(now) / kPerSecond);
    done += now;
  }
  EXPECT_EQ(pace.next(5000 - done), 200);
  EXPECT_EQ(pace.next(7), 7);
  EXPECT_EQ(pace.next(0), 0);
}

TEST(Pace, SlowWorkGoesOneByOne) {
  Pace pace;
  pace.took(1, 3.5);
  EXPECT_EQ(pace.next(10), 1);
}

TEST(Pace, TakesWholeUnits) {
  Pace pace;
  EXPECT_EQ(pace.next(100, 8), 8);
  pace.took(8, 0.04);
  EXPECT_EQ(pace.next(100, 8), 40);
  EXPECT_EQ(pace.next(3, 8), 3);
}

TEST(Signals, StepsGoOnWithoutAWatchAndWithoutASignal) {
  EXPECT_NO_THROW(stop_at_signal());
  const SignalWatch watch;
  EXPECT_NO_THROW(stop_at_signal());
}

TEST(Signals, AStepEndsWithTheFirstSignal) {
  const SignalWatch watch;
  std::raise(SIGUSR2);
  std::raise(SIGINT);
  EXPECT_EQ(watch.received(), SIGUSR2);
  try {
    stop_at_signal();
    FAIL() << "went on";
  } catch (const Interrupted& given_up) {
    EXPECT_EQ(given_up.signal, SIGUSR2);
  }
}

TEST(Signals, WhatAnEarlierWatchReceivedIsForgotten) {
  {
    const SignalWatch watch;
    std::raise(SIGTERM);
  }
  EXPECT_NO_THROW(stop_at_signal());
}

}  // namespace
}  // namespace tessera
