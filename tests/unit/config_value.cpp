// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "tests/unit/config_example.hpp"

namespace tessera::config {
namespace {

/// Reads `yaml` and expects `value`, or the message and an unchanged variable.
template <class T>
void expect_value(const std::string& yaml, const T& value) {
  T x{};
  EXPECT_EQ(errors_of_value(yaml, x), "") << yaml;
  EXPECT_EQ(x, value) << yaml;
}

template <class T>
void expect_error(const std::string& yaml, const std::string& message) {
  T x{};
  EXPECT_EQ(errors_of_value(yaml, x), message.empty() ? "" : "in.yaml:1:4: error: " + message)
      << yaml;
  EXPECT_EQ(x, T{}) << yaml;
}

TEST(ConfigValue, Integers) {
  expect_value<int>("0", 0);
  expect_value<int>("-12", -12);
  expect_value<int>("+7", 7);
  expect_value<int>("1e6", 1000000);
  expect_value<int>("1.5E+3", 1500);
  expect_value<int>("2500e-2", 25);
  expect_value<int>("0e99999999999", 0);
  expect_value<int>("-2147483648", std::numeric_limits<int>::min());
  expect_value<int>("!!int 5", 5);
  expect_value<std::int64_t>("9223372036854775807", std::numeric_limits<std::int64_t>::max());
  expect_value<std::uint64_t>("18446744073709551615", std::numeric_limits<std::uint64_t>::max());
  expect_value<std::uint64_t>("-0", 0);

  expect_error<int>(
      "010",
      "expected an integer for 'x', found '010' (leading zeros are ambiguous; write 10 or 8)");
  expect_error<int>(
      "-010",
      "expected an integer for 'x', found '-010' (leading zeros are ambiguous; write -10 or -8)");
  expect_error<int>(
      "09", "expected an integer for 'x', found '09' (leading zeros are ambiguous; write 9)");
  expect_error<int>(
      "00", "expected an integer for 'x', found '00' (leading zeros are ambiguous; write 0)");
  expect_error<int>("0x10",
                    "expected an integer for 'x', found '0x10' (numbers are decimal; write 16)");
  expect_error<int>("-0b11",
                    "expected an integer for 'x', found '-0b11' (numbers are decimal; write -3)");
  expect_error<int>("1_000", "expected an integer for 'x', found '1_000' (write 1000)");
  expect_error<int>("3.7", "expected an integer for 'x', found '3.7' (it must be a whole number)");
  expect_error<int>("1e-1",
                    "expected an integer for 'x', found '1e-1' (it must be a whole number)");
  expect_error<int>("2.0", "expected an integer for 'x', found '2.0' (write 2)");
  expect_error<int>("2147483648",
                    "expected an integer for 'x', found '2147483648' (it must lie between "
                    "-2147483648 and 2147483647)");
  expect_error<int>("1e999999999999",
                    "expected an integer for 'x', found '1e999999999999' (it must lie between "
                    "-2147483648 and 2147483647)");
  expect_error<std::uint64_t>("-1",
                              "expected an integer for 'x', found '-1' (it must not be negative)");
  expect_error<std::uint64_t>("18446744073709551616",
                              "expected an integer for 'x', found '18446744073709551616' (it must "
                              "lie between 0 and 18446744073709551615)");
  expect_error<int>("\"5\"",
                    "expected an integer for 'x', found the text \"5\" (remove the quotes)");
  expect_error<int>("five", "expected an integer for 'x', found 'five'");
  expect_error<int>("5 km", "expected an integer for 'x', found '5 km'");
  expect_error<int>("true", "expected an integer for 'x', found 'true'");
  expect_error<int>("[5]", "expected an integer for 'x', found a list");
  expect_error<int>("{n: 5}", "expected an integer for 'x', found a mapping");
  expect_error<int>("!!int \"\"", "expected an integer for 'x', found ''");
}

TEST(ConfigValue, RealNumbers) {
  expect_value<double>("0.1", 0.1);
  expect_value<double>("-.5", -0.5);
  expect_value<double>("5.", 5.0);
  expect_value<double>("+1e-3", 1e-3);
  expect_value<double>("3", 3.0);
  expect_value<double>("1.7976931348623157e308", std::numeric_limits<double>::max());
  expect_value<double>("4.9406564584124654e-324", std::numeric_limits<double>::denorm_min());

  for (const std::string word : {"nan", ".nan", ".NaN", "inf", ".inf", "-.inf", "+infinity"}) {
    expect_error<double>(
        word, "expected a real number for 'x', found '" + word + "' (numbers must be finite)");
  }
  expect_error<double>(
      "010.5",
      "expected a real number for 'x', found '010.5' (leading zeros are ambiguous; write 10.5)");
  expect_error<double>("-00.5e1",
                       "expected a real number for 'x', found '-00.5e1' (leading zeros are "
                       "ambiguous; write -0.5e1)");
  expect_error<double>(
      "1e999",
      "expected a real number for 'x', found '1e999' (beyond the range of double precision)");
  expect_error<double>(
      "1e-999",
      "expected a real number for 'x', found '1e-999' (beyond the range of double precision)");
  expect_error<double>("1,5", "expected a real number for 'x', found '1,5' (write 1.5)");
  expect_error<double>("1d-3", "expected a real number for 'x', found '1d-3' (write 1e-3)");
  expect_error<double>("0x1p3", "expected a real number for 'x', found '0x1p3'");
  expect_error<double>("1.5km", "expected a real number for 'x', found '1.5km'");
  expect_error<double>("1e", "expected a real number for 'x', found '1e'");
  expect_error<double>(".", "expected a real number for 'x', found '.'");
  expect_error<double>(
      "'1.5'", "expected a real number for 'x', found the text \"1.5\" (remove the quotes)");
  expect_error<double>("\"\"", "expected a real number for 'x', found the text \"\"");
}

TEST(ConfigValue, NumbersAsExpressions) {
  constexpr double kPi = 3.141592653589793;
  expect_value<double>("2*pi", 2 * kPi);
  expect_value<double>("-pi/4", -kPi / 4);
  expect_value<double>("pi", kPi);
  expect_value<double>("1/3", 1.0 / 3.0);
  expect_value<double>("2 * pi", 2 * kPi);
  expect_value<double>("sqrt(2)", 1.4142135623730951);
  expect_value<double>("1e-3/60", 1e-3 / 60);
  expect_value<int>("2^20", 1048576);
  expect_value<std::int64_t>("-3*5", -15);
  expect_value<std::vector<double>>("[2*pi, 1]", {2 * kPi, 1.0});
  expect_error<double>("1/0",
                       "expected a real number for 'x', found '1/0' (its value is not finite)");
  expect_error<double>("25/11/2026",
                       "expected a real number for 'x', found '25/11/2026' (a date is no number)");
  expect_error<double>("2026-11-25", "expected a real number for 'x', found '2026-11-25'");
  expect_error<double>("'2*pi'", "expected a real number for 'x', found the text \"2*pi\"");
  expect_error<int>("7/2", "expected an integer for 'x', found '7/2' (it must be a whole number)");
  expect_error<int>(
      "2^31",
      "expected an integer for 'x', found '2^31' (it must lie between -2147483648 and 2147483647)");
  expect_error<std::uint64_t>(
      "-2*3", "expected an integer for 'x', found '-2*3' (it must not be negative)");
}

TEST(ConfigValue, Booleans) {
  for (const char* yes : {"true", "True", "TRUE", "yes", "On"}) expect_value<bool>(yes, true);
  for (const char* no : {"false", "No", "OFF"}) expect_value<bool>(no, false);
  expect_error<bool>("1", "expected true or false for 'x', found '1'");
  expect_error<bool>("tRue", "expected true or false for 'x', found 'tRue'");
  expect_error<bool>("'true'",
                     "expected true or false for 'x', found the text \"true\" (remove the quotes)");
}

TEST(ConfigValue, Texts) {
  expect_value<std::string>("hello world", "hello world");
  expect_value<std::string>("010", "010");
  expect_value<std::string>("true", "true");
  expect_value<std::string>("\"\"", "");
  expect_value<std::string>("'it''s'", "it's");
  expect_value<std::string>("\"a \\\" b\"", "a \" b");
  expect_value<std::string>("|\n  two\n  \tlines\n", "two\n\tlines\n");
  expect_value<std::string>("!!str 5", "5");
  expect_error<std::string>("[a]", "expected text for 'x', found a list");
}

TEST(ConfigValue, Nothing) {
  int n = 4;
  for (const char* nothing : {"", "~", "null"}) {
    EXPECT_EQ(errors_of_value(nothing, n),
              "in.yaml:1:1: error: no value given for 'x' (write a value or remove the key)");
    EXPECT_EQ(n, 4);
  }
}

TEST(ConfigValue, LongTextsAreShortened) {
  expect_error<int>(
      "\"" + std::string(39, 'a') + "\xC3\xA9z\"",
      "expected an integer for 'x', found the text \"" + std::string(39, 'a') + "...\"");
  expect_error<int>("|\n  one\n  two\n", "expected an integer for 'x', found the text \"one...\"");
}

TEST(ConfigValue, Lists) {
  expect_value<std::vector<double>>("[1, 2.5]", {1, 2.5});
  expect_value<std::vector<double>>("\n  - 1\n  - 2", {1, 2});
  expect_value<std::vector<int>>("[]", {});
  expect_value<std::vector<std::string>>("[a, 'b c', 010]", {"a", "b c", "010"});
  expect_value<Matrix>("[[1, 2], [3, 4]]", {{1, 2}, {3, 4}});
  expect_value<TextRows>("[[a, b], [c]]", {{"a", "b"}, {"c"}});
  expect_error<TextRows>("a",
                         "expected a list of lists of texts for 'x', found 'a' (write [[a, b], [c, "
                         "d]])");

  expect_error<std::vector<double>>(
      "0.5", "expected a list of real numbers for 'x', found '0.5' (write [0.5])");
  expect_error<std::vector<int>>(
      "1 2", "expected a list of integers for 'x', found '1 2' (write [first, second, ...])");
  expect_error<std::vector<std::string>>("a",
                                         "expected a list of texts for 'x', found 'a' (write [a])");
  expect_error<std::vector<double>>("{a: 1}",
                                    "expected a list of real numbers for 'x', found a mapping");
  expect_error<Matrix>("3",
                       "expected a matrix (a list of lists of real numbers) for 'x', found '3' "
                       "(write [[1, 2], [3, 4]])");

  std::vector<double> v{7};
  EXPECT_EQ(errors_of_value("[1, b]", v),
            "in.yaml:1:8: error: expected a real number for 'x[1]', found 'b'");
  EXPECT_EQ(errors_of_value("[1, ~]", v),
            "in.yaml:1:8: error: no value given for 'x[1]' (write a value or remove the key)");
  EXPECT_EQ(v, std::vector<double>{7});
  Matrix m;
  EXPECT_EQ(errors_of_value("[[1, 2], [3]]", m),
            "in.yaml:1:13: error: the rows of 'x' must be equally long: row 0 has 2, row 1 has 1");
  EXPECT_EQ(
      errors_of_value("[[1, 2], 3]", m),
      "in.yaml:1:13: error: expected a list of real numbers for 'x[1]', found '3' (write [3])");
  EXPECT_EQ(errors_of_value("[[1, 2], [3, x]]", m),
            "in.yaml:1:17: error: expected a real number for 'x[1][1]', found 'x'");
}

TEST(ConfigLimits, Numbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  int n = 5;
  EXPECT_EQ(errors_of_value<int>("65", n, [](auto p) { p.range(0, 64); }),
            "in.yaml:1:4: error: 'x' is 65, but must be between 0 and 64");
  EXPECT_EQ(n, 5);
  EXPECT_EQ(errors_of_value<int>("64", n, [](auto p) { p.range(0, 64); }), "");
  EXPECT_EQ(n, 64);
  EXPECT_EQ(errors_of_value<int>("0", n, [=](auto p) { p.range(1, infinity); }),
            "in.yaml:1:4: error: 'x' is 0, but must be at least 1");
  EXPECT_EQ(errors_of_value<int>("9", n, [=](auto p) { p.range(-infinity, 8); }),
            "in.yaml:1:4: error: 'x' is 9, but must be at most 8");

  double x = 1;
  EXPECT_EQ(errors_of_value<double>("-1e-3", x, [](auto p) { p.positive(); }),
            "in.yaml:1:4: error: 'x' is -1e-3, but must be greater than 0");
  EXPECT_EQ(errors_of_value<double>("-1", x, [](auto p) { p.non_negative(); }),
            "in.yaml:1:4: error: 'x' is -1, but must be at least 0");
  EXPECT_EQ(errors_of_value<double>("0", x, [](auto p) { p.non_negative(); }), "");
  // One error a value, whatever else is wrong with it.
  EXPECT_EQ(
      errors_of_value<double>("-1", x, [](auto p) { p.positive().range(2, 3).non_negative(); }),
      "in.yaml:1:4: error: 'x' is -1, but must be greater than 0");
  std::uint64_t large = 0;
  EXPECT_EQ(
      errors_of_value<std::uint64_t>("9007199254740993", large,
                                     [](auto p) { p.range(0, 9007199254740992.0); }),
      "in.yaml:1:4: error: 'x' is 9007199254740993, but must be between 0 and 9007199254740992");

  std::vector<double> v;
  EXPECT_EQ(errors_of_value<std::vector<double>>("[1, -2]", v, [](auto p) { p.positive(); }),
            "in.yaml:1:8: error: 'x[1]' is -2, but must be greater than 0");
  Matrix m;
  EXPECT_EQ(errors_of_value<Matrix>("[[1, 2], [3, -4]]", m, [](auto p) { p.non_negative(); }),
            "in.yaml:1:17: error: 'x[1][1]' is -4, but must be at least 0");
}

TEST(ConfigLimits, Names) {
  std::string name = "minmod";
  const auto limit = [](auto p) { p.one_of({"none", "minmod", "superbee"}); };
  EXPECT_EQ(errors_of_value<std::string>("minmo", name, limit),
            "in.yaml:1:4: error: 'x' is 'minmo', but must be one of none, minmod, superbee (did "
            "you mean 'minmod'?)");
  EXPECT_EQ(errors_of_value<std::string>("upwind", name, limit),
            "in.yaml:1:4: error: 'x' is 'upwind', but must be one of none, minmod, superbee");
  EXPECT_EQ(name, "minmod");
  EXPECT_EQ(errors_of_value<std::string>("none", name, limit), "");
  EXPECT_EQ(name, "none");
  std::vector<std::string> names;
  EXPECT_EQ(errors_of_value<std::vector<std::string>>("[none, superbe]", names, limit),
            "in.yaml:1:11: error: 'x[1]' is 'superbe', but must be one of none, minmod, superbee "
            "(did you mean 'superbee'?)");
}

TEST(ConfigLimits, Sizes) {
  std::vector<double> v;
  EXPECT_EQ(errors_of_value<std::vector<double>>("[1]", v, [](auto p) { p.size(3); }),
            "in.yaml:1:4: error: 'x' has 1 element, but must have 3");
  Matrix m;
  EXPECT_EQ(errors_of_value<Matrix>("[[1, 2]]", m, [](auto p) { p.size(2); }),
            "in.yaml:1:4: error: 'x' has 1 x 2 elements, but must have 2 x 2");
  EXPECT_EQ(errors_of_value<Matrix>("[]", m, [](auto p) { p.size(2); }),
            "in.yaml:1:4: error: 'x' has 0 x 0 elements, but must have 2 x 2");
}

TEST(ConfigLimits, Given) {
  double x = 1, y = 2;
  bool x_given = false, y_given = true;
  EXPECT_EQ(read_errors("x: 3\n",
                        [&](Section& root) {
                          x_given = root.get("x", x).positive().given();
                          y_given = root.get("y", y).positive().given();
                        }),
            "");
  EXPECT_TRUE(x_given);
  EXPECT_FALSE(y_given);
}

TEST(ConfigLimits, ValuesWithoutADefault) {
  const auto read = [](const std::string& text, std::optional<double> x) {
    bool given = false;
    const std::string errors =
        read_errors(text, [&](Section& root) { given = root.get("x", x).positive().given(); });
    return std::tuple(errors, x, given);
  };
  using Result = std::tuple<std::string, std::optional<double>, bool>;
  EXPECT_EQ(read("x-other: 1\n", {}), Result("", std::nullopt, false));
  EXPECT_EQ(read("x-other: 1\n", 3), Result("", 3.0, false));
  EXPECT_EQ(read("x: 2\n", {}), Result("", 2.0, true));
  EXPECT_EQ(read("x: -2\n", {}), Result("in.yaml:1:4: error: 'x' is -2, but must be greater than 0",
                                        std::nullopt, true));
  EXPECT_EQ(read("x: -2\n", 3),
            Result("in.yaml:1:4: error: 'x' is -2, but must be greater than 0", 3.0, true));
  EXPECT_EQ(read("x: two\n", {}),
            Result("in.yaml:1:4: error: expected a real number for 'x', found 'two'", std::nullopt,
                   true));
}

}  // namespace
}  // namespace tessera::config
