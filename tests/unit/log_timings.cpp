// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tessera/core/log/timings.hpp"

namespace tessera::logging {
namespace {

TEST(Timings, AddUpByRegionInOrderOfFirstUse) {
  Timings timings;
  timings.add("b", 1.5);
  timings.add("a::inner", 0.5, false);
  timings.add("b", 0.5);
  ASSERT_EQ(timings.entries().size(), 2u);
  EXPECT_EQ(timings.entries()[0].region, "b");
  EXPECT_EQ(timings.entries()[0].calls, 2u);
  EXPECT_EQ(timings.entries()[0].seconds, 2.0);
  EXPECT_EQ(timings.table(),
            "region         calls       seconds    share\n"
            "b                  2      2.000000  100.0 %\n"
            "a::inner           1      0.500000   25.0 %\n");
  timings.clear();
  EXPECT_TRUE(timings.entries().empty());
  EXPECT_EQ(timings.table(), "region       calls       seconds    share\n");
}

TEST(Timings, RegionsTimeTheirScopeWithoutARunningDevice) {
  Timings::global().clear();
  Timings::global().set_fencing(true);
  {
    const Region outer("outer");
    const Region inner("inner");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Timings::global().set_fencing(false);
  const auto& entries = Timings::global().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].region, "inner");
  EXPECT_EQ(entries[1].region, "outer");
  EXPECT_GE(entries[0].seconds, 0.005);
  EXPECT_GE(entries[1].seconds, entries[0].seconds);
  Timings::global().clear();
}

}  // namespace
}  // namespace tessera::logging
