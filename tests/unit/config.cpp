// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/unit/config_example.hpp"

namespace tessera::config {
namespace {

void declare_nothing(Section&) {}

void declare_grid(Section& root) {
  double threshold = 1e-7;
  int cells = 10;
  Section grid = root.section("grid", "the grid");
  grid.get("threshold", threshold).positive();
  grid.get("cells", cells).range(1, 100);
  grid.finish();
}

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() { std::filesystem::create_directories(m_folder); }
  ~ConfigFile() override { std::filesystem::remove_all(m_folder); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(m_folder / name, std::ios::binary) << text;
    return m_folder / name;
  }

  static void expect_input_error(const std::filesystem::path& path, const std::string& message) {
    try {
      Document::load(path);
      FAIL() << "no error for " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 3);
      EXPECT_EQ(error.what(), message);
    }
  }

  const std::filesystem::path m_folder =
      std::filesystem::path(testing::TempDir()) /
      (std::string("tessera_config_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ConfigFile, Missing) {
  const std::string path = (m_folder / "none.yaml").string();
  expect_input_error(path,
                     "cannot read the input file '" + path +
                         "': no such file\n  remedy: check the path and the working directory");
}

TEST_F(ConfigFile, Folder) {
  expect_input_error(m_folder, "cannot read the input file '" + m_folder.string() +
                                   "': it is a folder\n  remedy: name a YAML file");
}

TEST_F(ConfigFile, TooLarge) {
  const auto path = write("large.yaml", "");
  std::filesystem::resize_file(path, std::uintmax_t{17} << 20);
  expect_input_error(path, "cannot read the input file '" + path.string() +
                               "': it is larger than 16 MiB\n  remedy: name a YAML file, and keep "
                               "data in files of their own");
}

TEST_F(ConfigFile, NotText) {
  const auto path = write("result.h5", std::string("\x89HDF\r\n\x1a\n\0", 9));
  expect_input_error(
      path, path.string() + ":1:1: error: byte 0x89 is not UTF-8 (save the file in that encoding)");
  const auto zeros = write("zeros.yaml", std::string("a: 1\nb: \0\n", 10));
  expect_input_error(
      zeros,
      zeros.string() + ":2:4: error: not a text file: byte 0x00 (an input is YAML in UTF-8)");
}

TEST_F(ConfigFile, KeepsItsBytes) {
  const std::string text = "\xEF\xBB\xBFgrid:\r\n  cells: 3 # \xC3\xA9\r\n";
  Document document = Document::load(write("crlf.yaml", text));
  int cells = 0;
  Section root = document.root();
  root.section("grid").get("cells", cells);
  EXPECT_EQ(document.report(), "");
  EXPECT_EQ(cells, 3);
  EXPECT_EQ(document.text(), text);
}

TEST_F(ConfigFile, PathsCountFromTheInput) {
  const auto input = write("in.yaml", "data: sub/../a.csv\nabsolute: /data/b.csv\n");
  Document document = Document::load(input);
  document.apply_override("other=c.csv");
  std::string data, absolute, other, unset, fallback = "d.csv";
  Section root = document.root();
  root.get("data", data).path();
  root.get("absolute", absolute).path();
  root.get("other", other).path();
  root.get("unset", unset).path();
  root.get("fallback", fallback).path();
  EXPECT_EQ(document.report(), "");
  EXPECT_EQ(data, (m_folder / "a.csv").string());
  EXPECT_EQ(absolute, "/data/b.csv");
  EXPECT_EQ(other, (std::filesystem::current_path() / "c.csv").string());
  EXPECT_EQ(unset, "");
  EXPECT_EQ(fallback, (m_folder / "d.csv").string());
  EXPECT_EQ(document.resolved(), "data: sub/../a.csv\nabsolute: /data/b.csv\nother: " + other +
                                     "\nunset: \"\"\nfallback: d.csv\n");
}

TEST_F(ConfigFile, PathsOfAListCountFromTheInput) {
  Document document = Document::load(write("in.yaml", "data: [a.csv, '', /data/b.csv]\n"));
  std::vector<std::string> data;
  document.root().get("data", data).path();
  EXPECT_EQ(document.report(), "");
  EXPECT_EQ(data, (std::vector<std::string>{(m_folder / "a.csv").string(), "", "/data/b.csv"}));
}

TEST(ConfigSyntax, Errors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "in.yaml:1:1: error: the input is empty (--print-defaults writes one to begin with)"},
      {"# only a comment\n",
       "in.yaml:1:1: error: the input is empty (--print-defaults writes one to begin with)"},
      {"hello\n",
       "in.yaml:1:1: error: an input is a mapping of keys to values, as in 'app: name' (with a "
       "space after the colon); found 'hello'"},
      {"- 1\n",
       "in.yaml:1:1: error: an input is a mapping of keys to values, as in 'app: name' (with a "
       "space after the colon); found a list"},
      {"a: 1\n---\nb: 2\n",
       "in.yaml:2:1: error: an input is one YAML document, and something follows its end here"},
      {"{a: 1} b\n",
       "in.yaml:1:8: error: an input is one YAML document, and something follows its end here"},
      {"a: [1, 2\n",
       "in.yaml:2:1: error: not valid YAML: a list that began with '[' is not closed by ']'"},
      {"a: b: c\n",
       "in.yaml:1:5: error: not valid YAML: unexpected ':' (check the indentation and the space "
       "after each key's colon; text with a colon needs quotes)"},
      {"a:\n  b: 1\n c: 2\n",
       "in.yaml:3:2: error: not valid YAML: this does not fit the lines above (check the "
       "indentation, and quotes or braces left open)"},
      {"a:\n\tb: 1\n",
       "in.yaml:2:1: error: a tab in the indentation (YAML is indented with spaces)"},
      {"a:\n  b: 1\n  \tc: 1\n",
       "in.yaml:3:3: error: a tab in the indentation (YAML is indented with spaces)"},
      {"a: \"text\n", "in.yaml:1:4: error: the quote that begins here is never closed"},
      {"a: 'it''s\n", "in.yaml:1:4: error: the quote that begins here is never closed"},
      {"a: *b\n",
       "in.yaml:1:4: error: not valid YAML: this alias refers to an anchor that is not defined "
       "above"},
      {"a: &a [1, *a]\n",
       "in.yaml:1:11: error: this alias stands inside the value that it refers to"},
      {"a: @b\n",
       "in.yaml:1:4: error: not valid YAML: text cannot begin with this character (put it in "
       "quotes)"},
      {"x-a: !unit 3\n", "in.yaml:1:6: error: the tag '!unit' has no meaning here (remove it)"},
      {"x-a: !!set {b}\n", "in.yaml:1:6: error: the tag '!!set' has no meaning here (remove it)"},
      {"x-a: 1\n? [b, c]\n: 2\n", "in.yaml:2:3: error: a key must be text"},
      {"x-a: 1\n~: 2\n", "in.yaml:2:1: error: a key must be text"},
      {"x-a: &a {b: 1}\nx-c:\n  <<: *a\n",
       "in.yaml:3:3: error: merging with '<<' is not supported (write the keys out)"},
      {"x-a: 1\nx-b: 2\nx-a: 3\n",
       "in.yaml:3:1: error: duplicate key 'x-a' (first given at in.yaml:1:1)"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(read_errors(text, declare_nothing), message) << text;
}

TEST(ConfigSyntax, BoundsOnSize) {
  std::string bomb = "x-0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string alias = "*x" + std::to_string(i - 1);
    bomb += "x-" + std::to_string(i) + ": &x" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 10; ++k) bomb += ", " + alias;
    bomb += "]\n";
  }
  EXPECT_NE(
      read_errors(bomb, declare_nothing).find("error: aliases expand to more than 100000 values"),
      std::string::npos);

  const std::string deep = "x-a: " + std::string(1000, '[') + std::string(1000, ']') + "\n";
  EXPECT_EQ(read_errors(deep, declare_nothing),
            "in.yaml:1:69: error: lists and mappings are nested more than 64 deep");
  std::string deep_aliases = "x-0: &x0 [1]\n";
  for (int i = 1; i < 100; ++i)
    deep_aliases += "x-" + std::to_string(i) + ": &x" + std::to_string(i) + " [*x" +
                    std::to_string(i - 1) + "]\n";
  EXPECT_EQ(read_errors(deep_aliases, declare_nothing),
            "in.yaml:63:13: error: lists and mappings are nested more than 64 deep");
}

TEST(ConfigSyntax, BoundsOnWhatAliasesExpandTo) {
  std::string text = "x-a: &a \"" + std::string(300000, 'a') + "\"\nx-b:\n";
  for (int i = 0; i < 60; ++i) text += "- *a\n";
  EXPECT_EQ(read_errors(text, declare_nothing),
            "in.yaml:58:3: error: aliases expand to more than 16 MiB of text");

  // anchors inside anchors, which are kept once for each that they stand in
  std::string nested = "x-a: ";
  for (int i = 0; i < 60; ++i) nested += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 10000; ++i) nested += "1, ";
  EXPECT_NE(read_errors(nested + "1" + std::string(60, ']') + "\n", declare_nothing)
                .find("error: aliases expand to more than 100000 values"),
            std::string::npos);

  std::string large = "x-a: &a [";  // an anchor alone is no copy
  for (int i = 0; i < 200000; ++i) large += "1, ";
  EXPECT_EQ(read_errors(large + "1]\nx-b: &b *a\n", declare_nothing).find("in.yaml:2:"), 0u);
  EXPECT_EQ(read_errors(large + "1]\n", declare_nothing), "");
}

// Time goes like n log n: with n^2 these take minutes.
TEST(ConfigSyntax, ManyKeys) {
  constexpr int kKeys = 200000;
  std::string free, own = "grid:\n", entries = "entries:\n";
  for (int i = 0; i < kKeys; ++i) {
    const std::string number = std::to_string(i);
    free += "x-" + number + ": 1\n";
    own += "  name" + number + ": " + number + "\n";
    entries += "- {}\n";
  }
  EXPECT_EQ(read_errors(free, declare_nothing), "");
  int sum = 0;
  const auto read_own = [&](Section& root) {
    Section grid = root.section("grid");
    for (const std::string& key : grid.keys()) {
      int value = 0;
      grid.require(key, value);
      sum = (sum + value) % 1000003;
    }
    grid.finish();
  };
  EXPECT_EQ(read_errors(own, read_own, {"grid.other=7"}), "");
  EXPECT_EQ(sum, static_cast<int>((std::int64_t{kKeys} * (kKeys - 1) / 2 + 7) % 1000003));
  EXPECT_EQ(read_errors(
                entries,
                [](Section& root) { EXPECT_EQ(root.list("entries").size(), std::size_t{kKeys}); }),
            "");
  EXPECT_EQ(read_errors(free + "x-7: 2\n", declare_nothing),
            "in.yaml:200001:1: error: duplicate key 'x-7' (first given at in.yaml:8:1)");
}

TEST(ConfigSyntax, Aliases) {
  std::vector<double> a, b;
  EXPECT_EQ(read_errors("a: &v [1, 2]\nb: *v\n",
                        [&](Section& root) {
                          root.get("a", a);
                          root.get("b", b);
                        }),
            "");
  EXPECT_EQ(a, (std::vector<double>{1, 2}));
  EXPECT_EQ(b, a);
  std::string text = "default";
  EXPECT_EQ(read_errors("a: &v [1, 2]\nb: *v\n",
                        [&](Section& root) {
                          root.get("a", a);
                          root.get("b", text);
                        }),
            "in.yaml:2:4: error: expected text for 'b', found a list");
}

TEST(ConfigSection, UnknownKeys) {
  EXPECT_EQ(read_errors("grid:\n  threshhold: 1\n", declare_grid),
            "in.yaml:2:3: error: unknown key 'threshhold' in 'grid' (did you mean 'threshold'?)");
  EXPECT_EQ(read_errors("grid:\n  Cells: 1\n", declare_grid),
            "in.yaml:2:3: error: unknown key 'Cells' in 'grid' (did you mean 'cells'?)");
  EXPECT_EQ(read_errors("grid:\n  clels: 1\n", declare_grid),
            "in.yaml:2:3: error: unknown key 'clels' in 'grid' (did you mean 'cells'?)");
  EXPECT_EQ(read_errors("grid:\n  colour: 1\n", declare_grid),
            "in.yaml:2:3: error: unknown key 'colour' in 'grid' (known keys: threshold, cells)");
  EXPECT_EQ(read_errors("mesh: {}\n", declare_grid),
            "in.yaml:1:1: error: unknown key 'mesh' at the top level (known keys: grid)");
  EXPECT_EQ(read_errors("mesh: {}\n", declare_nothing),
            "in.yaml:1:1: error: unknown key 'mesh' at the top level (no keys are known here)");
  EXPECT_EQ(read_errors("comment: {any: 1}\nx-mine: 2\ngrid:\n  comment: hello\n  x-y: [1]\n",
                        declare_grid),
            "");
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

TEST(ConfigSection, OfManyMistakesTheFirstAreReported) {
  std::string unknown = "grid:\n", wrong = "list:\n", twice;
  for (int i = 0; i < 20000; ++i) {
    unknown += "  threshold" + std::to_string(i) + ": 1\n";
    wrong += "- soon\n";
    twice += "x-a: 1\n";
  }
  const std::string errors = read_errors(unknown, declare_grid);
  EXPECT_EQ(count_lines(errors), 21u);
  EXPECT_NE(
      errors.find(
          "in.yaml:21:3: error: unknown key 'threshold19' in 'grid' (did you mean 'threshold'?)\n"
          "in.yaml:22:3: error: and 19980 more unknown keys in 'grid'"),
      std::string::npos);
  const std::string duplicates = read_errors(twice, declare_nothing);
  EXPECT_EQ(count_lines(duplicates), 101u);
  EXPECT_NE(duplicates.find("\nin.yaml: error: and 19899 more"), std::string::npos);
  const auto read_list = [](Section& root) {
    for (Section& entry : root.list("list")) entry.finish();
  };
  EXPECT_EQ(count_lines(read_errors(wrong, read_list)), 101u);
}

TEST(ConfigSection, MissingRequiredKeys) {
  const auto declare = [](Section& root) {
    double width = 0.5;
    std::string file;
    Section prior = root.section("prior");
    prior.require("width", width).positive();
    prior.require("file", file).path();
    prior.finish();
  };
  EXPECT_EQ(
      read_errors("x-a: 1\nprior: {}\n", declare),
      "in.yaml:2:1: error: missing required key 'width' in 'prior' (for example 'width: 0.5')\n"
      "in.yaml:2:1: error: missing required key 'file' in 'prior'");
  EXPECT_EQ(
      read_errors("x-a: 1\n", declare),
      "in.yaml:1:1: error: missing required key 'width' in 'prior' (for example 'width: 0.5')\n"
      "in.yaml:1:1: error: missing required key 'file' in 'prior'");
  EXPECT_EQ(read_errors("x-a: 1\n",
                        [](Section& root) {
                          int n = 3;
                          root.require("n", n);
                        }),
            "in.yaml:1:1: error: missing required key 'n' at the top level (for example 'n: 3')");
  EXPECT_EQ(read_errors("x-a: 1\n",
                        [](Section& root) {
                          double width = 0.5;
                          root.require("width", width, "widths");
                        }),
            "in.yaml:1:1: error: missing required key 'width' or 'widths' at the top level (for "
            "example 'width: 0.5')");
}

TEST(ConfigSection, WrongKind) {
  EXPECT_EQ(read_errors("grid: 3\n", declare_grid),
            "in.yaml:1:7: error: expected a mapping for 'grid', found '3'");
  EXPECT_EQ(read_errors("grid: [1]\n", declare_grid),
            "in.yaml:1:7: error: expected a mapping for 'grid', found a list");
  EXPECT_EQ(read_errors("grid:\n", declare_grid), "");
  // One error for the section, none for what is missing in it.
  EXPECT_EQ(read_errors("grid: \"on\"\n",
                        [](Section& root) {
                          int n = 0;
                          Section grid = root.section("grid");
                          grid.require("n", n);
                          grid.error("n", "n does not fit");
                          grid.finish();
                        }),
            "in.yaml:1:7: error: expected a mapping for 'grid', found the text \"on\"");
}

TEST(ConfigSection, Lists) {
  const auto declare = [](Section& root) {
    for (Section& entry : root.list("measurements")) Example::Measurement::read(entry);
  };
  EXPECT_EQ(read_errors("x-a: 1\n", declare), "");
  EXPECT_EQ(read_errors("measurements:\n", declare), "");
  EXPECT_EQ(read_errors("measurements: []\n", declare), "");
  EXPECT_EQ(read_errors("measurements:\n  - time: 1\n  - time: -2\n    sensor: rader\n  - {value: "
                        "[1, 2, 3], tme: 4}\n  - 5\n",
                        declare),
            "in.yaml:3:11: error: 'measurements[1].time' is -2, but must be at least 0\n"
            "in.yaml:4:13: error: 'measurements[1].sensor' is 'rader', but must be one of radar, "
            "camera (did you mean 'radar'?)\n"
            "in.yaml:5:5: error: missing required key 'time' in 'measurements[2]' (for example "
            "'time: 1.5')\n"
            "in.yaml:5:13: error: 'measurements[2].value' has 3 elements, but must have 2\n"
            "in.yaml:5:24: error: unknown key 'tme' in 'measurements[2]' (did you mean 'time'?)\n"
            "in.yaml:6:5: error: expected a mapping for 'measurements[3]', found '5'");
  EXPECT_EQ(read_errors("measurements: {time: 1}\n", declare),
            "in.yaml:1:15: error: expected a list for 'measurements', found a mapping (begin each "
            "entry with '- ')");
}

TEST(ConfigSection, PresentAndHas) {
  Document document = Document::parse("a: {n: 1, m: ~}\nb:\n", "in.yaml");
  Section root = document.root();
  Section a = root.section("a"), b = root.section("b"), c = root.section("c");
  EXPECT_TRUE(a.present());
  EXPECT_TRUE(b.present());
  EXPECT_FALSE(c.present());
  EXPECT_TRUE(a.has("n"));
  EXPECT_FALSE(a.has("m"));
  EXPECT_FALSE(c.has("n"));
  EXPECT_FALSE(root.documenting());
  EXPECT_EQ(a.path(), "a");
}

TEST(ConfigSection, KeysOfTheUser) {
  Document document = Document::parse("a: {g: 1, comment: none, l: 2, x-y: 3}\n", "in.yaml");
  Section root = document.root();
  EXPECT_EQ(root.section("a").keys(), (std::vector<std::string>{"g", "l"}));
  EXPECT_TRUE(root.section("b").keys().empty());
}

TEST(ConfigSection, ErrorsWithinTexts) {
  const auto declare = [](Section& root) {
    std::string text;
    std::vector<std::string> list;
    root.get("text", text);
    root.get("list", list);
    root.error_within("text", -1, 2, "wrong");
    root.error_within("list", 1, 3, "wrong");
    root.error_within("missing", -1, 3, "wrong");
  };
  EXPECT_EQ(read_errors("text: x + y\nlist: [a, 'b + c']\n", declare),
            "in.yaml:1:1: error: wrong\nin.yaml:1:9: error: wrong\nin.yaml:2:15: error: wrong");
  EXPECT_EQ(read_errors("text: x + y\nlist: [a]\n", declare),
            "in.yaml:1:1: error: wrong\nin.yaml:1:9: error: wrong\nin.yaml:2:7: error: wrong");
}

TEST(ConfigSection, ErrorsAtElements) {
  const auto declare = [](Section& root) {
    TextRows rows;
    root.get("rows", rows);
    root.error_at("rows", {1, 0}, "wrong");
    root.error_at("rows", {1}, "wrong");
    root.error_at("rows", {}, "list");
    root.error_at("rows", {0, 2}, "none");
    root.error_at("missing", {0}, "wrong");
  };
  EXPECT_EQ(read_errors("rows: [[a, b], [c]]\n", declare),
            "in.yaml:1:1: error: wrong\nin.yaml:1:7: error: list\nin.yaml:1:7: error: none\n"
            "in.yaml:1:16: error: wrong\nin.yaml:1:17: error: wrong");
}

TEST(ConfigSection, FormOfAValue) {
  Document document = Document::parse("a: 1\nb: [1]\nc: {n: 1}\nd: ~\n", "in.yaml");
  const Section root = document.root();
  EXPECT_EQ(root.form("a"), Form::scalar);
  EXPECT_EQ(root.form("b"), Form::list);
  EXPECT_EQ(root.form("c"), Form::mapping);
  EXPECT_EQ(root.form("d"), Form::nothing);
  EXPECT_EQ(root.form("e"), Form::nothing);
}

TEST(ConfigSection, ErrorsOfTheModel) {
  const auto declare = [](Section& root) {
    int n = 1;
    Section a = root.section("a");
    a.get("n", n).positive();
    a.error("n", "'a.n' does not fit the data");
    a.error("", "'a' is no good");
    a.error("m", "'a.m' is needed with 'a.n'");
  };
  EXPECT_EQ(read_errors("x-a: 1\na:\n  n: 2\n", declare),
            "in.yaml:2:1: error: 'a' is no good\n"
            "in.yaml:2:1: error: 'a.m' is needed with 'a.n'\n"
            "in.yaml:3:6: error: 'a.n' does not fit the data");
  // A value that was rejected is not complained about twice.
  EXPECT_EQ(read_errors("a: {n: -2, m: 1}\n",
                        [&](Section& root) {
                          int n = 1;
                          root.section("a").get("n", n).positive();
                          root.section("a").error("n", "'a.n' does not fit the data");
                          root.section("a").get("n", n).positive();
                        }),
            "in.yaml:1:8: error: 'a.n' is -2, but must be greater than 0");
}

TEST(ConfigSection, AllErrorsAtOnceInOrder) {
  EXPECT_EQ(
      read_errors("mesh: 1\ngrid:\n  cells: 010\n  treshold: 1\n  cells: 3\n  threshold: .nan\n",
                  declare_grid),
      "in.yaml:1:1: error: unknown key 'mesh' at the top level (known keys: grid)\n"
      "in.yaml:3:10: error: expected an integer for 'grid.cells', found '010' (leading zeros are "
      "ambiguous; write 10 or 8)\n"
      "in.yaml:4:3: error: unknown key 'treshold' in 'grid' (did you mean 'threshold'?)\n"
      "in.yaml:5:3: error: duplicate key 'cells' (first given at in.yaml:3:3)\n"
      "in.yaml:6:14: error: expected a real number for 'grid.threshold', found '.nan' (numbers "
      "must be finite)");
}

TEST(ConfigSection, CarriageReturnsAndByteOrderMark) {
  EXPECT_EQ(read_errors("\xEF\xBB\xBFgrid:\r\n  cells: 0\r\n  clels: 1\r\n", declare_grid),
            "in.yaml:2:10: error: 'grid.cells' is 0, but must be between 1 and 100\n"
            "in.yaml:3:3: error: unknown key 'clels' in 'grid' (did you mean 'cells'?)");
  EXPECT_EQ(read_errors("\xEF\xBB\xBFgird: 1\n", declare_grid),
            "in.yaml:1:1: error: unknown key 'gird' at the top level (did you mean 'grid'?)");
}

TEST(ConfigSection, OneKeyTwoMeanings) {
  Document document = Document::parse("a: 1\n", "in.yaml");
  Section root = document.root();
  int a = 0;
  root.get("a", a);
  EXPECT_THROW(root.section("a"), Error);
}

}  // namespace
}  // namespace tessera::config
