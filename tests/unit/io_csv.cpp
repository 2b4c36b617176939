// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tessera/core/io/csv.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

using Column = std::vector<double>;

class IoCsv : public test::Scratch {
 protected:
  Table read(const std::string& text, const CsvOptions& options = {}) const {
    test::write_text(path("a.csv"), text);
    return read_csv(path("a.csv"), options);
  }
  std::string at(int line, int column, const std::string& message) const {
    return path("a.csv") + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " +
           message;
  }
};

TEST_F(IoCsv, EverySeparator) {
  for (const std::string text :
       {"x,y\n1,2\n3,4\n", "x;y\n1;2\n3;4\n", "x\ty\n1\t2\n3\t4\n", "x y\n1 2\n3 4\n",
        "  x   y  \n 1 \t 2 \n3 4", "x , y\r\n1 ,2\r\n 3, 4\r\n", "\xEF\xBB\xBFx,y\n1,2\n3,4",
        "# c\n\nx,y\n# c\n1,2\n   \n  # c\n3,4\n", "\"x\",\"y\"\n\"1\",2\n3, \"4\" \n"}) {
    const Table table = read(text);
    EXPECT_EQ(table.names, (std::vector<std::string>{"x", "y"})) << text;
    EXPECT_EQ(table.column("x"), (Column{1, 3})) << text;
    EXPECT_EQ(table.column("y"), (Column{2, 4})) << text;
    EXPECT_EQ(table.rows(), 2u);
  }
}

TEST_F(IoCsv, NumbersInEveryForm) {
  EXPECT_EQ(read("x\n1e3\n-2.5E-1\n+7\n.5\n0.1\n1e-400\n-0\n").column("x"),
            (Column{1000, -0.25, 7, 0.5, 0.1, 0, 0}));
}

TEST_F(IoCsv, HexadecimalNumbers) {
  EXPECT_EQ(read("x\n0x1.8p+3\n-0X1p-1\n+0x0.00000000007e8p-1022\n0x1p-2000\n").column("x"),
            (Column{12, -0.5, 0x7e8p-1074, 0}));
  EXPECT_ERROR(read("x\n0x1.8q3\n"), ErrorKind::input,
               at(2, 1, "'0x1.8q3' in column 'x' is not a finite number"));
  EXPECT_ERROR(read("x\n0x1p+2000\n"), ErrorKind::input,
               at(2, 1, "'0x1p+2000' in column 'x' is not a finite number"));
}

TEST_F(IoCsv, UnnamedColumnsOnRequest) {
  CsvOptions options;
  options.allow_unnamed = true;
  const Table table = read("# x F\n1,2\n3,2\n", options);
  EXPECT_EQ(table.names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(table.column("1"), (Column{1, 3}));
  EXPECT_EQ(table.column("2"), (Column{2, 2}));
  EXPECT_EQ(read("7,7\n", options).rows(), 1u);
  EXPECT_EQ(read("x,y\n7,7\n", options).names, (std::vector<std::string>{"x", "y"}));
  options.columns = {"2"};
  EXPECT_EQ(read("1,2\n3,4\n", options).column("2"), (Column{2, 4}));
}

TEST_F(IoCsv, QuotedNamesMayHoldSeparators) {
  EXPECT_EQ(read("\"x, in km\";y\n1;2\n").names, (std::vector<std::string>{"x, in km", "y"}));
}

TEST_F(IoCsv, OneColumn) { EXPECT_EQ(read("x\n1\n2\n").column("x"), (Column{1, 2})); }

TEST_F(IoCsv, NoRows) {
  EXPECT_EQ(read("x,y\n").rows(), 0u);
  EXPECT_EQ(read("x,y").column("y").size(), 0u);
}

TEST_F(IoCsv, OnlyTheColumnsAskedFor) {
  const Table table = read("station,z,x\nOslo,1,2\n\"Bergen, west\",3,4\n", {{"x", "z"}, false});
  EXPECT_EQ(table.names, (std::vector<std::string>{"z", "x"}));
  EXPECT_EQ(table.column("x"), (Column{2, 4}));
  EXPECT_EQ(table.column("z"), (Column{1, 3}));
}

TEST_F(IoCsv, MissingValuesOnRequest) {
  const Table table = read("x,y\n,1\nNaN,2\nna,3\n4,nan\n5,\n", {{}, true});
  EXPECT_EQ(table.rows(), 5u);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(std::isnan(table.column("x")[static_cast<std::size_t>(i)]));
  EXPECT_EQ(table.column("x")[4], 5);
  EXPECT_TRUE(std::isnan(table.column("y")[3]));
  EXPECT_TRUE(std::isnan(table.column("y")[4]));

  const std::string remedy = "\n  remedy: give the value or remove the row";
  EXPECT_ERROR(read("x,y\n1,2\n3,\n"), ErrorKind::input,
               at(3, 3, "the value in column 'y' is missing" + remedy));
  EXPECT_ERROR(read("x,y\nNaN,2\n"), ErrorKind::input,
               at(2, 1, "the value in column 'x' is missing" + remedy));
}

TEST_F(IoCsv, MarksOfMissingValues) {
  const Table table =
      read("x,y\nN/A,1\n#n/a,1\nNULL,1\nnone,1\n-,1\n.,1\n\"\",1\n-nan,1\n", {{}, true});
  ASSERT_EQ(table.rows(), 8u);
  for (const double x : table.column("x")) EXPECT_TRUE(std::isnan(x));
  for (const char* mark :
       {"", "NA", "NaN", "nan", "N/A", "#N/A", "<NA>", "NULL", "None", "NaT", "-", ".", "-nan"}) {
    EXPECT_TRUE(is_missing_mark(mark)) << mark;
  }
  for (const char* label : {"0", "n", "nano", "a b", "--", "Nat.", " "})
    EXPECT_FALSE(is_missing_mark(label)) << label;
  for (const char* word : {"missing", "--", "..", "n.a.", "0-", "nil"}) {
    EXPECT_ERROR(read(std::string("x,y\n") + word + ",1\n", {{}, true}), ErrorKind::input,
                 at(2, 1, std::string("'") + word + "' in column 'x' is not a finite number"));
  }
}

TEST_F(IoCsv, ColumnsWithoutANameArePassedOver) {
  for (const char* text : {",x,y\n0,1,2\n1,3,4\n", "\"\",\"x\",\"y\"\n\"1\",1,2\n\"2\",3,4\n",
                           "x,,y\n1,word,2\n3,,4\n", "x,y,\n1,2,\n3,4,\n",
                           "\"x\" \"y\"\n\"1\" 1 2\n\"2\" 3 4\n", "x,y\nOslo,1,2\nBergen,3,4\n"}) {
    const Table table = read(text);
    EXPECT_EQ(table.names, (std::vector<std::string>{"x", "y"})) << text;
    EXPECT_EQ(table.column("x"), (Column{1, 3})) << text;
    EXPECT_EQ(table.column("y"), (Column{2, 4})) << text;
  }
  const Table first = read(",r,s\n1,5,a\n2,6,b\n", {{""}, false});
  EXPECT_EQ(first.names, (std::vector<std::string>{"r"}));
  EXPECT_EQ(first.others, (std::vector<std::string>{"s"}));
  EXPECT_ERROR(read(",\n1,5\n", {{""}, false}), ErrorKind::input,
               at(1, 1, "no column has a name\n  remedy: name the columns in the first line"));
}

TEST_F(IoCsv, MessagesHoldWholeCharacters) {
  const std::string kana = "\u3042";  // three bytes
  std::string word;
  for (int i = 0; i < 20; ++i) word += kana;
  std::string cut;
  for (int i = 0; i < 13; ++i) cut += kana;
  EXPECT_ERROR(read("x\n" + word + "\n"), ErrorKind::input,
               at(2, 1, "'" + cut + "...' in column 'x' is not a finite number"));
}

/// The message says what the file is and what to do, and holds none of its bytes.
TEST_F(IoCsv, FilesThatAreNoText) {
  const auto expect = [&](const std::string& bytes, const std::string& what,
                          const std::string& remedy) {
    EXPECT_ERROR(read(bytes), ErrorKind::input, at(1, 1, what + "\n  remedy: " + remedy));
  };
  const std::string gzip("\x1F\x8B\x08\0\0\0\0\0\0\x03\xAB\xE0\x02", 13),
      utf16("\xFF\xFEx\0\n\01\0\n\0", 10);
  expect(gzip, "the file is compressed (gzip)", "unpack it: gunzip -k FILE");
  expect("BZh91AY&SY\x01", "the file is compressed (bzip2)", "unpack it: bunzip2 -k FILE");
  expect(std::string("\xFD\x37zXZ\0\0", 7), "the file is compressed (xz)",
         "unpack it: unxz -k FILE");
  expect("\x28\xB5\x2F\xFD\x01", "the file is compressed (zstd)", "unpack it: unzstd FILE");
  expect("PK\x03\x04...", "the file is a zip archive or a spreadsheet (xlsx, ods)",
         "unpack it, or save the sheet as CSV");
  expect(utf16, "the file is text in UTF-16",
         "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW");
  expect(utf16.substr(2), "the file is text in UTF-16, without a mark that says so",
         "save it as UTF-8");
  expect(std::string("a,b\n\0\0\0\0\0", 9), "the file is no text: it has bytes of 0",
         "save the table as CSV; HDF5 files and arrays of NumPy are known by their endings .h5 and "
         ".npy");
  expect("\x93NUMPY\x01", "the file is an array of NumPy", "let its name end in .npy");
  EXPECT_EQ(read("BZhang,PAR1\n1,2\n").names, (std::vector<std::string>{"BZhang", "PAR1"}));
  EXPECT_ERROR(read("h\xF6he,\x1B[2J\n1,x\n"), ErrorKind::input,
               at(2, 3, "'x' in column '?[2J' is not a finite number"));
  EXPECT_ERROR(read("h\xF6he,y\n1,\xE9\xE9\n"), ErrorKind::input,
               at(2, 3, "'??' in column 'y' is not a finite number"));
  EXPECT_ERROR(read("h\xF6he,y\n1,2\n", {{"h"}, false}), ErrorKind::input,
               at(1, 1, "there is no column 'h'; present: h?he, y"));
}

TEST_F(IoCsv, BadNumbers) {
  EXPECT_ERROR(read("# c\nx,y\n1, abc\n"), ErrorKind::input,
               at(3, 4, "'abc' in column 'y' is not a finite number"));
  EXPECT_ERROR(read("x,y\n1,2\n1,2z\n"), ErrorKind::input,
               at(3, 3, "'2z' in column 'y' is not a finite number"));
  EXPECT_ERROR(read("x,y\n1,inf\n"), ErrorKind::input,
               at(2, 3, "'inf' in column 'y' is not a finite number"));
  EXPECT_ERROR(read("x,y\n1e999,1\n"), ErrorKind::input,
               at(2, 1, "'1e999' in column 'x' is not a finite number"));
  EXPECT_ERROR(read("x,y\n0x10,1\n"), ErrorKind::input,
               at(2, 1, "'0x10' in column 'x' is not a finite number"));
  EXPECT_ERROR(read("x;y\n1,5;1\n"), ErrorKind::input,
               at(2, 1, "'1,5' in column 'x' is not a finite number\n  remedy: write 1.5"));
  EXPECT_ERROR(read("x,y\n" + std::string(50, 'a') + ",1\n"), ErrorKind::input,
               at(2, 1, "'" + std::string(40, 'a') + "...' in column 'x' is not a finite number"));
}

TEST_F(IoCsv, RaggedRows) {
  EXPECT_ERROR(read("x,y,z\n1,2,3\n4,5\n"), ErrorKind::input,
               at(3, 3, "this row has 2 values, the header 3 columns"));
  EXPECT_ERROR(read("x y\n1 2 3\n"), ErrorKind::input,
               at(2, 5, "this row has 3 values, the header 2 columns"));
  EXPECT_ERROR(read("x\n1 2\n"), ErrorKind::input,
               at(2, 3, "this row has 2 values, the header 1 column"));
  EXPECT_ERROR(read("x,y\n1,2,\n"), ErrorKind::input,
               at(2, 5, "this row has 3 values, the header 2 columns"));
}

TEST_F(IoCsv, Headers) {
  EXPECT_ERROR(read("lon,latt,z\n1,2,3\n", {{"lat"}, false}), ErrorKind::input,
               at(1, 1, "there is no column 'lat'; present: lon, latt, z (did you mean 'latt'?)"));
  EXPECT_ERROR(read("lon,z\n1,2\n", {{"height"}, false}), ErrorKind::input,
               at(1, 1, "there is no column 'height'; present: lon, z"));
  EXPECT_ERROR(read("x,y,x\n"), ErrorKind::input, at(1, 5, "two columns are named 'x'"));
  EXPECT_ERROR(read("x,y,x\n1,2,3\n", {{"x"}, false}), ErrorKind::input,
               at(1, 5, "two columns are named 'x'"));
  EXPECT_EQ(read("x,y,x\n1,2,3\n", {{"y"}, false}).column("y"), (Column{2}));
  EXPECT_ERROR(read("# x y\n1 2\n"), ErrorKind::input,
               at(2, 1,
                  "the first line holds numbers, not the names of the columns\n  remedy: add a "
                  "line of names above it, without '#'"));
  EXPECT_ERROR(read(""), ErrorKind::input,
               at(1, 1,
                  "the file is empty\n  remedy: its first line names the columns, each further one "
                  "holds a row of numbers"));
  EXPECT_ERROR(static_cast<void>(read("Lat,z\n1,2\n").column("lat")), ErrorKind::input,
               path("a.csv") + ": there is no column 'lat'; present: Lat, z (did you mean 'Lat'?)");
}

TEST_F(IoCsv, UnreadableFiles) {
  EXPECT_ERROR(read_csv(path("none.csv")), ErrorKind::file,
               "cannot read '" + path("none.csv") +
                   "': No such file or directory\n  remedy: check the name; a path in an input is "
                   "relative to the input file");
  EXPECT_ERROR_WITH(read_csv(folder()), ErrorKind::file, "Is a directory");
}

TEST_F(IoCsv, ColumnsOfText) {
  test::write_text(path("t.csv"),
                   "when,\"name\",x\n# comment\n2026-01-02,\"a, b\",1\n\n2026-01-03,c,2\n");
  CsvOptions options;
  options.text_columns = {"name", "when"};
  const Table table = read_csv(path("t.csv"), options);
  EXPECT_EQ(table.names, (std::vector<std::string>{"x"}));
  EXPECT_EQ(table.texts[0], (std::vector<std::string>{"a, b", "c"}));
  EXPECT_EQ(table.texts[1], (std::vector<std::string>{"2026-01-02", "2026-01-03"}));
  EXPECT_EQ(table.lines, (std::vector<std::size_t>{3, 5}));
}

}  // namespace
}  // namespace tessera::io
