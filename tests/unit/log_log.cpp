// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/log/log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tessera/core/log/warnings.hpp"

namespace tessera::logging {
namespace {

std::string everything_at(Level chosen) {
  set_level(chosen);
  ::testing::internal::CaptureStderr();
  error("broken\n  remedy: mend it");
  warning("odd {}");
  info("done");
  detail("step 3");
  std::string text = ::testing::internal::GetCapturedStderr();
  set_level(Level::normal);
  return text;
}

TEST(Log, LevelsChooseWhatIsShown) {
  const std::string always =
      "tessera: error: broken\n  remedy: mend it\ntessera: warning: odd {}\n";
  EXPECT_EQ(everything_at(Level::quiet), always);
  EXPECT_EQ(everything_at(Level::normal), always + "tessera: done\n");
  EXPECT_EQ(everything_at(Level::verbose), always + "tessera: done\ntessera: step 3\n");
}

TEST(Log, WarningsAreKeptOnceEach) {
  clear_warnings();
  ::testing::internal::CaptureStderr();
  warning("odd");
  show_warnings(false);
  warning("even");
  show_warnings(true);
  warning("odd");
  add_warning("of the run before");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "tessera: warning: odd\ntessera: warning: odd\n");
  EXPECT_EQ(warnings(), (std::vector<std::string>{"odd", "even", "of the run before"}));
  clear_warnings();
  EXPECT_TRUE(warnings().empty());
}

TEST(Log, TheLevelIsKept) {
  set_level(Level::verbose);
  EXPECT_EQ(level(), Level::verbose);
  set_level(Level::normal);
  EXPECT_EQ(level(), Level::normal);
}

}  // namespace
}  // namespace tessera::logging
