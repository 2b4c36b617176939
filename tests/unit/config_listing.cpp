// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include "tests/unit/config_example.hpp"

namespace tessera::config {
namespace {

Document declared_defaults(const std::vector<std::string>& overrides = {}) {
  Document document = Document::defaults();
  for (const std::string& argument : overrides) document.apply_override(argument);
  Example::read(document.root());
  return document;
}

TEST(ConfigDefaults, Text) {
  const Document document = declared_defaults();
  EXPECT_EQ(document.report(), "");
  EXPECT_EQ(document.print_defaults(), R"(app: example

# the grid
# that follows the mass
grid:
  threshold: 1.0e-07                        # > 0; mass below which a cell does not grow
  spacing: [0.1, 0.2, 0.30000000000000004]  # required; km; > 0, 3 elements; width of a cell
  cells: 10                                 # 1 to 1000000; largest number of cells | per axis
  # how the mass moves
  scheme:
    limiter: minmod  # one of none, minmod, superbee; slope limiter
    adaptive: true   # whether the step adapts

run:
  seed: 18446744073709551615
  offset: -9223372036854775808              # where the random numbers begin
  outputs: [density, "no", "two words: here"]
  order: [3, -1]
  covariance: [[1, 0.5], [0.5, 2]]          # 2 x 2
  # center:                                 # 2 elements; center of the view; default: that of the mass
  note: "a \"quoted\" text,\n\tin two lines\x01 )"
                                       "\xC3\xA9"
                                       R"("
  rate: 0

# what is known before
# prior:
#   width: 3  # required; > 0; standard deviation

# what is observed
# measurements:
#   - time: 1.5      # required; s; >= 0; when it is taken
#     sensor: radar  # one of radar, camera; what takes it
#     value: [1, 2]  # km; 2 elements; what it says
)");
}

TEST(ConfigDefaults, ReadBackAsTheDefaults) {
  Example example;
  EXPECT_EQ(read_errors(declared_defaults().print_defaults(),
                        [&](Section& root) { example = Example::read(root); }),
            "");
  EXPECT_EQ(example, Example{});
}

TEST(ConfigDefaults, OptionalPartsReadBackWhenUncommented) {
  std::string text = declared_defaults().print_defaults();
  const std::size_t prior = text.find("# prior:");
  std::string rest = text.substr(prior);
  for (std::size_t at = 0; at != std::string::npos; at = rest.find("\n# ", at))
    rest.erase(at == 0 ? 0 : at + 1, 2);
  rest.replace(rest.find("what is observed"), 0, "# ");
  Example example;
  EXPECT_EQ(read_errors(text.substr(0, prior) + rest,
                        [&](Section& root) { example = Example::read(root); }),
            "");
  EXPECT_TRUE(example.has_prior);
  EXPECT_EQ(example.measurements, std::vector<Example::Measurement>{{}});
}

TEST(ConfigDefaults, OverridesSelectWhatIsShown) {
  const Document document =
      declared_defaults({"grid.cells=20", "prior.width=4", "measurements=[{time: 7}]"});
  EXPECT_EQ(document.report(), "");
  const std::string text = document.print_defaults();
  EXPECT_NE(text.find("\n  cells: 20 "), std::string::npos) << text;
  EXPECT_NE(text.find("\nprior:\n  width: 4 "), std::string::npos) << text;
  EXPECT_NE(text.find("\nmeasurements:\n  - time: 7 "), std::string::npos) << text;
}

TEST(ConfigDefaults, OnlyOverridesAreBlamed) {
  const auto report = [](const std::vector<std::string>& overrides) {
    return declared_defaults(overrides).report();
  };
  EXPECT_EQ(report({"grid.cells=0"}),
            "command line: error: 'grid.cells' is 0, but must be between 1 and 1000000");
  EXPECT_EQ(report({"grid.cels=1"}),
            "command line: error: unknown key 'cels' in 'grid' (did you mean 'cells'?)");
  Document document = Document::defaults();
  document.root().error("", "the pieces do not fit");
  EXPECT_EQ(document.report(), "");
}

TEST(ConfigDefaults, ParametersWithoutADefaultAreCommentedOut) {
  Document document = Document::defaults();
  Section root = document.root();
  std::optional<double> limit, step = 0.5;
  std::optional<std::string> method;
  root.get("limit", limit).positive().doc("of the mass").otherwise("no limit");
  root.get("step", step).positive();
  root.get("method", method).one_of({"a", "b"});
  EXPECT_EQ(document.print_defaults(),
            "# limit:   # > 0; of the mass; default: no limit\nstep: 0.5  # > 0\n# method:  # one "
            "of a, b\n");
  EXPECT_EQ(document.resolved(), "step: 0.5\n");
  EXPECT_FALSE(limit || method);
}

TEST(ConfigDefaults, WhatSaysNothingIsCommentedOut) {
  Document document = Document::defaults();
  document.apply_override("given=[]");
  Section root = document.root();
  std::string text, file;
  std::vector<double> list, given{1};
  bool inverted = false;
  root.get("text", text).doc("a text");
  root.get("list", list);
  root.get("given", given);
  Section mask = root.section("mask", "a mask"), data = root.section("data", "the data");
  mask.get("file", file);
  mask.get("inverted", inverted);
  data.require("file", file);
  EXPECT_EQ(document.print_defaults(),
            "# text:    # a text\n# list:\ngiven: []\n\n# a mask\nmask:\n  # file:\n  inverted: "
            "false\n\n# the data\n# data:\n  # file:  # "
            "required\n");
}

TEST(ConfigDefaults, ShowAnInputThatIsValid) {
  const auto declare = [](const std::vector<std::string>& overrides) {
    Document document = Document::defaults();
    for (const std::string& argument : overrides) document.apply_override(argument);
    Section root = document.root();
    double radius = 1, step = 2;
    std::optional<double> sigma;
    root.get("radius", radius);
    root.get("sigma", sigma);
    Section file = root.section("file"), field = root.section("field");
    if (file.present()) file.get("step", step);
    if (field.present()) field.get("step", step);
    for (Section& point : root.list("points")) point.get("x", step);
    root.comment_out("radius");
    root.write_out("sigma", "0.5");
    root.write_out("field");
    root.write_out("points");
    return document;
  };
  EXPECT_EQ(declare({}).report(), "");
  EXPECT_EQ(declare({}).print_defaults(),
            "# radius: 1\nsigma: 0.5\n\n# file:\n#   step: 2\n\nfield:\n  step: 2\n\npoints:\n  - "
            "x: 2\n");
  EXPECT_EQ(
      declare({"sigma=3", "file.step=4"}).print_defaults(),
      "# radius: 1\nsigma: 3\n\nfile:\n  step: 4\n\nfield:\n  step: 4\n\npoints:\n  - x: 4\n");
  EXPECT_EQ(declare({"radius=2"}).report(),
            "command line: error: 'radius' has no use with the rest of the input");
  EXPECT_THROW(Document::defaults().root().comment_out("none"), std::logic_error);
}

TEST(ConfigDefaults, ADefaultLiesWithinItsLimits) {
  const auto declare = [](const auto& limit) {
    Document document = Document::defaults();
    std::vector<double> x{1, -1};
    limit(document.root().get("x", x));
  };
  using List = Parameter<std::vector<double>>;
  EXPECT_NO_THROW(declare([](List x) { x.size(2).range(-1, 1); }));
  EXPECT_THROW(declare([](List x) { x.size(3); }), std::logic_error);
  EXPECT_THROW(declare([](List x) { x.positive(); }), std::logic_error);
  Document document = Document::defaults();
  std::string method;
  EXPECT_THROW(document.root().get("method", method).one_of({"a", "b"}), std::logic_error);
  double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(document.root().get("infinite", infinite), std::logic_error);
}

/// The limits of one parameter, as --print-defaults has them.
template <class T>
std::string listed_limits(T value, const std::function<void(Parameter<T>)>& limit) {
  Document document = Document::defaults();
  limit(document.root().get("x", value));
  const std::string text = document.print_defaults();
  const std::size_t comment = text.find("# ", 1);
  return comment == std::string::npos ? "" : text.substr(comment + 2, text.size() - comment - 3);
}

TEST(ConfigDefaults, LimitsAreSaidOnceAndShortly) {
  using Number = Parameter<double>;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(listed_limits<double>(0.5, [](Number x) { x.positive().range(0, 1); }), "> 0, <= 1");
  EXPECT_EQ(listed_limits<double>(0.5, [](Number x) { x.range(0, 1).positive(); }), "> 0, <= 1");
  EXPECT_EQ(listed_limits<double>(0.5, [](Number x) { x.range(0.01, 50).positive(); }),
            "0.01 to 50");
  EXPECT_EQ(listed_limits<double>(0.5, [](Number x) { x.non_negative().range(-1, 1); }), "0 to 1");
  EXPECT_EQ(listed_limits<double>(0.5, [&](Number x) { x.range(0.1, infinity); }), ">= 0.1");
  EXPECT_EQ(listed_limits<double>(0.5, [&](Number x) { x.range(-infinity, 2); }), "<= 2");
  EXPECT_EQ(listed_limits<double>(0.5, [&](Number x) { x.range(-infinity, infinity); }), "");
  EXPECT_EQ(listed_limits<double>(0, [](Number x) { x.range(0, 0); }), "0");
  EXPECT_EQ(listed_limits<std::vector<double>>(
                {1, 2}, [](Parameter<std::vector<double>> x) { x.size(2).positive(); }),
            "> 0, 2 elements");
  EXPECT_EQ(listed_limits<std::string>("",
                                       [](Parameter<std::string> x) {
                                         x.one_of({"", "no", "y"});
                                       }),
            "one of \"\", \"no\", y");
}

TEST(ConfigDefaults, NamesOfAxesNeedNoQuotes) {
  Document document = Document::defaults();
  std::vector<std::string> names{"x", "y", "n", "off"};
  document.root().get("names", names);
  EXPECT_EQ(document.print_defaults(), "names: [x, y, n, \"off\"]\n");
}

constexpr const char* kInput =
    "# kept nowhere but in the text\n"
    "x-note: mine\n"
    "grid:\n"
    "  cells: 1e2\n"
    "  spacing: &h [1, 2.50, 3e-7]\n"
    "run: {center: [.5, -0.0], outputs: [], note: 'no', seed: 5}\n"
    "measurements:\n"
    "- time: 1\n"
    "- {time: 2, value: [3, 4]}\n";

TEST(ConfigResolved, Text) {
  Document document = Document::parse(kInput, "in.yaml");
  document.apply_override("run.rate=1e300");
  Example::read(document.root());
  EXPECT_EQ(document.report(), "");
  EXPECT_EQ(document.resolved(), R"(app: example
grid:
  threshold: 1.0e-07
  spacing: [1, 2.5, 3.0e-07]
  cells: 100
  scheme:
    limiter: minmod
    adaptive: true
run:
  seed: 5
  offset: -9223372036854775808
  outputs: []
  order: [3, -1]
  covariance: [[1, 0.5], [0.5, 2]]
  center: [0.5, -0.0]
  note: "no"
  rate: 1.0e+300
measurements:
  - time: 1
    sensor: radar
    value: [1, 2]
  - time: 2
    sensor: radar
    value: [3, 4]
)");
  EXPECT_EQ(document.text(), kInput);
}

TEST(ConfigResolved, ReadsBackAsTheSame) {
  for (const std::vector<std::string>& overrides : {std::vector<std::string>{},
                                                    {"prior.width=0.1"},
                                                    {"prior={width: 2}", "measurements=[]"},
                                                    {"grid.scheme.adaptive=off"}}) {
    Document document = Document::parse(kInput, "in.yaml");
    for (const std::string& argument : overrides) document.apply_override(argument);
    const Example first = Example::read(document.root());
    ASSERT_EQ(document.report(), "");
    Document again = Document::parse(document.resolved(), "again.yaml");
    const Example second = Example::read(again.root());
    EXPECT_EQ(again.report(), "");
    EXPECT_EQ(first, second);
    EXPECT_EQ(again.resolved(), document.resolved());
  }
}

TEST(ConfigResolved, EmptySectionsAndEntries) {
  Document document = Document::parse("a:\nb: [{}, ~]\nc: []\n", "in.yaml");
  Section root = document.root();
  root.section("a");
  root.list("b");
  root.list("c");
  root.list("d");
  root.section("e");
  root.finish();
  EXPECT_EQ(document.report(), "");
  EXPECT_EQ(document.resolved(), "a: {}\nb:\n  - {}\n  - {}\nc: []\n");
}

/// Writes a value as the default of a parameter and reads the text back.
template <class T>
T round_trip(const T& value) {
  Document document = Document::parse("x-a: 1\n", "in.yaml");
  T written = value, read{};
  document.root().get("x", written);
  EXPECT_EQ(read_errors(document.resolved(), [&](Section& root) { root.get("x", read); }), "")
      << document.resolved();
  return read;
}

TEST(ConfigResolved, EveryRealNumberExactly) {
  std::vector<double> values = {0.0,
                                -0.0,
                                1e6,
                                9999999.0,
                                1e7,
                                -1e22,
                                0.1,
                                1.0 / 3,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::min(),
                                std::numeric_limits<double>::denorm_min()};
  std::mt19937_64 random(1);
  while (values.size() < 2000) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  const std::vector<double> read = round_trip(values);
  ASSERT_EQ(read.size(), values.size());
  EXPECT_EQ(std::memcmp(read.data(), values.data(), values.size() * sizeof(double)), 0);
}

TEST(ConfigResolved, EveryTextExactly) {
  for (const std::string text :
       {"",     " ",       "a b",          "a ",       " a",    "true", "Null", "~",     "010",
        "1e5",  "-",       "- a",          "a: b",     "a #b",  "#a",   "[a]",  "{a",    "a,b",
        "*a",   "&a",      "!a",           "%a",       "@a",    "`a",   "'a'",  "\"a\"", "a\\nb",
        "a\nb", "\ta\r\n", "\x01\x1F\x7F", "\xC3\xA9", "C:\\x", "/a/b", "../a", "a=b",   "?"}) {
    EXPECT_EQ(round_trip(text), text);
    EXPECT_EQ(round_trip(std::vector<std::string>{text, text}),
              (std::vector<std::string>{text, text}));
  }
}

}  // namespace
}  // namespace tessera::config
