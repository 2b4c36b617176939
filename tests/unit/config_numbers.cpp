// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/core/config/numbers.hpp"
#include "tests/unit/config_example.hpp"

namespace tessera::config {
namespace {

using testing::ElementsAre;

const NumbersOptions kOptions{"numbers", 0, 100, {1, 100, 3, true}};

/// Returns the numbers that `x: yaml` reads as, and in `errors` what is wrong with it.
std::vector<double> numbers(const std::string& yaml, std::string* errors = nullptr) {
  std::vector<double> x;
  const std::string found =
      read_errors(yaml.empty() ? "y: 1\n" : "x: " + yaml + "\n", [&](Section& root) {
        double y = 0;
        root.get("y", y);
        x = read_numbers(root, "x", kOptions);
      });
  if (errors != nullptr)
    *errors = found;
  else
    EXPECT_EQ(found, "");
  return x;
}

std::string errors(const std::string& yaml) {
  std::string found;
  numbers(yaml, &found);
  return found;
}

TEST(ConfigNumbers, InEverySpelling) {
  EXPECT_THAT(numbers("2.5"), ElementsAre(2.5));
  EXPECT_THAT(numbers("[3, 1, 2]"), ElementsAre(3, 1, 2));
  EXPECT_THAT(numbers("{linspace: [0, 1, 5]}"), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(numbers("{linspace: [1, 0, 3]}"), ElementsAre(1, 0.5, 0));
  EXPECT_THAT(numbers("{linspace: [7, 9, 1]}"), ElementsAre(7));
  EXPECT_THAT(numbers("{logspace: [0.01, 1, 3]}"), ElementsAre(0.01, 0.1, 1));
  EXPECT_THAT(numbers(""), ElementsAre(1, 10, 100));
  EXPECT_THAT(numbers("{}"), ElementsAre(1, 10, 100));
}

TEST(ConfigNumbers, LastNumberOfARangeIsExact) {
  const std::vector<double> x = Range{0.001, 100, 401, true}.numbers();
  EXPECT_EQ(x.front(), 0.001);
  EXPECT_EQ(x.back(), 100);
}

TEST(ConfigNumbers, OfARangeAreCountedAndMadeWhenUsed) {
  const Numbers range(Range{0, 1, 1000000000});
  EXPECT_EQ(range.size(), 1000000000u);
  EXPECT_TRUE(range.includes(0) && range.includes(1) && !range.includes(2));
  EXPECT_FALSE(range.is_made());
  const Numbers few(Range{0, 1, 3}), copy = few;
  EXPECT_FALSE(few.is_made());
  EXPECT_THAT(few.values(), ElementsAre(0, 0.5, 1));
  EXPECT_TRUE(copy.is_made());
  EXPECT_EQ(copy.data(), few.data());
  EXPECT_EQ(copy[1], 0.5);
  const Numbers list(std::vector<double>{3, 1, 2}), none;
  EXPECT_TRUE(list.is_made() && list.includes(1) && !none.includes(0));
  EXPECT_TRUE(none.empty() && none.values().empty() && Numbers(Range{}).empty());
  const Numbers too_many(std::size_t{1} << 60, [] { return std::vector<double>(); });
  try {
    too_many.values();
    ADD_FAILURE() << "there is no memory for 8 EiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_STREQ(error.what(),
                 "cannot allocate 9.22 EB for the 1152921504606846976 numbers of a range\n"
                 "  remedy: take fewer, or use a machine with more memory");
  }
  EXPECT_EQ(read_errors("x: {linspace: [0, 1, 1e6]}\n",
                        [](Section& root) {
                          NumbersOptions options = kOptions;
                          options.most = 1e5;
                          read_numbers(root, "x", options);
                        }),
            "in.yaml:1:15: error: the third number of 'x.linspace' says how many: a whole number "
            "from 1 to 1e5");
}

TEST(ConfigNumbers, Mistakes) {
  EXPECT_EQ(errors("-1"), "in.yaml:1:4: error: 'x' is -1, but must be between 0 and 100");
  EXPECT_EQ(errors("[1, 101]"), "in.yaml:1:8: error: 'x[1]' is 101, but must be between 0 and 100");
  EXPECT_EQ(errors("[]"), "in.yaml:1:4: error: 'x' is empty");
  EXPECT_EQ(errors("{linspace: [0, 1, 2.5]}"),
            "in.yaml:1:15: error: the third number of 'x.linspace' says how many: a whole number "
            "from 1 to 1e9");
  EXPECT_EQ(errors("{linspace: [0, 1, 1e12]}"),
            "in.yaml:1:15: error: the third number of 'x.linspace' says how many: a whole number "
            "from 1 to 1e9");
  EXPECT_EQ(errors("{linspace: [0, 101, 3]}"),
            "in.yaml:1:15: error: the ends of 'x.linspace' must be between 0 and 100");
  EXPECT_EQ(errors("{logspace: [0, 1, 3]}"),
            "in.yaml:1:15: error: the ends of 'x.logspace' must be greater than 0");
  EXPECT_EQ(errors("{linspace: [0, 1]}"),
            "in.yaml:1:15: error: 'x.linspace' has 2 elements, but must have 3");
  EXPECT_EQ(errors("{linspace: [0, 1, 3], logspace: [1, 2, 3]}"),
            "in.yaml:1:1: error: give one of 'linspace', 'logspace' and 'file'");
  EXPECT_EQ(errors("{column: a}"), "in.yaml:1:13: error: 'column' belongs to 'file'");
  EXPECT_EQ(errors("{linspacing: [0, 1, 3]}"),
            "in.yaml:1:5: error: unknown key 'linspacing' in 'x' (did you mean 'linspace'?)");
}

}  // namespace
}  // namespace tessera::config
