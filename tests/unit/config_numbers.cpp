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

/// What `x: yaml` reads as, and in `errors` what is wrong with it.
std::vector<double> numbers(const std::string& yaml, std::string* errors = nullptr) {
  std::vector<double> x;
  const std::string found = read_errors(yaml.empty() ? "y: 1\n" : "x: " + yaml + "\n", [&](Section& root) {
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

TEST(ConfigNumbers, Mistakes) {
  EXPECT_EQ(errors("-1"), "in.yaml:1:4: error: 'x' is -1, but must be between 0 and 100");
  EXPECT_EQ(errors("[1, 101]"), "in.yaml:1:8: error: 'x[1]' is 101, but must be between 0 and 100");
  EXPECT_EQ(errors("[]"), "in.yaml:1:4: error: 'x' is empty");
  EXPECT_EQ(errors("{linspace: [0, 1, 2.5]}"),
            "in.yaml:1:15: error: the third number of 'x.linspace' says how many: a whole number from 1 to 1e9");
  EXPECT_EQ(errors("{linspace: [0, 1, 1e12]}"),
            "in.yaml:1:15: error: the third number of 'x.linspace' says how many: a whole number from 1 to 1e9");
  EXPECT_EQ(errors("{linspace: [0, 101, 3]}"), "in.yaml:1:15: error: the ends of 'x.linspace' must be between 0 and 100");
  EXPECT_EQ(errors("{logspace: [0, 1, 3]}"), "in.yaml:1:15: error: the ends of 'x.logspace' must be greater than 0");
  EXPECT_EQ(errors("{linspace: [0, 1]}"), "in.yaml:1:15: error: 'x.linspace' has 2 elements, but must have 3");
  EXPECT_EQ(errors("{linspace: [0, 1, 3], logspace: [1, 2, 3]}"), "in.yaml:1:1: error: give one of 'linspace', 'logspace' and 'file'");
  EXPECT_EQ(errors("{column: a}"), "in.yaml:1:13: error: 'column' belongs to 'file'");
  EXPECT_EQ(errors("{linspacing: [0, 1, 3]}"), "in.yaml:1:5: error: unknown key 'linspacing' in 'x' (did you mean 'linspace'?)");
}

}  // namespace
}  // namespace tessera::config
