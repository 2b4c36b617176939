// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/config_example.hpp"

namespace tessera::config {
namespace {

constexpr const char* kInput =
    "grid:\n"
    "  spacing: [1, 2, 3]\n"
    "measurements:\n"
    "  - time: 1\n"
    "  - time: 2\n";

/// Returns the example that is read from the input with these overrides.
Example read(const std::vector<std::string>& overrides) {
  Example example;
  EXPECT_EQ(read_errors(
                kInput, [&](Section& root) { example = Example::read(root); }, overrides),
            "");
  return example;
}

std::string errors(const std::vector<std::string>& overrides) {
  return read_errors(
      kInput, [](Section& root) { Example::read(root); }, overrides);
}

void expect_usage_error(const std::string& argument, const std::string& message) {
  Document document = Document::parse(kInput, "in.yaml");
  try {
    document.apply_override(argument);
    FAIL() << "no error for " << argument;
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_EQ(error.what(), message);
  }
}

TEST(ConfigOverride, Values) {
  EXPECT_EQ(read({"grid.cells=7"}).cells, 7);
  EXPECT_EQ(read({"grid.cells=7", "grid.cells=8"}).cells, 8);
  EXPECT_EQ(read({"grid.spacing=[4, 5, 6]"}).spacing, (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(read({"grid.spacing.1=9"}).spacing, (std::vector<double>{1, 9, 3}));
  EXPECT_EQ(read({"grid.scheme.limiter=none"}).limiter, "none");
  EXPECT_EQ(read({"run.note=a = b"}).note, "a = b");
  EXPECT_EQ(read({"run.note=\"\""}).note, "");
  EXPECT_EQ(read({"measurements.0.time=3"}).measurements[0].time, 3);
  EXPECT_EQ(read({"measurements[1].time=4"}).measurements[1].time, 4);
  EXPECT_EQ(read({"measurements=[{time: 5}]"}).measurements.size(), 1u);
  EXPECT_EQ(read({"prior.width=6"}).prior_width, 6);
  EXPECT_TRUE(read({"prior.width=6"}).has_prior);
}

TEST(ConfigOverride, ErrorsOfValues) {
  EXPECT_EQ(errors({"grid.cells=many"}),
            "command line: error: expected an integer for 'grid.cells', found 'many'");
  EXPECT_EQ(errors({"grid.cells=0"}),
            "command line: error: 'grid.cells' is 0, but must be between 1 and 1000000");
  EXPECT_EQ(errors({"grid.cels=1"}),
            "command line: error: unknown key 'cels' in 'grid' (did you mean 'cells'?)");
  EXPECT_EQ(errors({"gird.cells=1"}),
            "command line: error: unknown key 'gird' at the top level (did you mean 'grid'?)");
  EXPECT_EQ(errors({"grid.cells.x=1"}),
            "command line: error: expected an integer for 'grid.cells', found a mapping");
  EXPECT_EQ(errors({"measurements.1.time=-1"}),
            "command line: error: 'measurements[1].time' is -1, but must be at least 0");
  EXPECT_EQ(errors({"grid.spacing=[1, 2]", "x=1"}),
            "command line: error: 'grid.spacing' has 2 elements, but must have 3\n"
            "command line: error: unknown key 'x' at the top level (known keys: app, grid, run, "
            "prior, measurements)");
}

TEST(ConfigOverride, Malformed) {
  for (const std::string argument :
       {"grid.cells", "=3", ".cells=3", "grid..cells=3", "grid.=3", "grid[0=3"}) {
    expect_usage_error(
        argument,
        "'" + argument + "' is not of the form key.path=value\n  remedy: for example run.seed=1");
  }
  expect_usage_error(
      "grid.spacing=[1, 2",
      "'grid.spacing=[1, 2': not valid YAML: a list that began with '[' is not closed by ']'");
  expect_usage_error(
      "grid.cells=",
      "'grid.cells=' gives no value\n  remedy: write key.path='\"\"' for an empty text");
  expect_usage_error(
      "grid={cells: 1, cells: 2}",
      "'grid={cells: 1, cells: 2}': duplicate key 'cells' (first given at command line:1:2)");
  for (const std::string index : {"2", "x", "-1", "0x"}) {
    const std::string argument = "measurements." + index + ".time=1";
    expect_usage_error(argument, "'" + argument + "': there is no entry '" + index +
                                     "' in a list of 2\n  remedy: entries are numbered from 0");
  }
}

}  // namespace
}  // namespace tessera::config
