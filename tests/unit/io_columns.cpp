// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/core/io/npy.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A folder with the same two columns in every format.
class Columns : public test::Scratch {
 protected:
  Columns() {
    text("named.csv", "a,b\n1,4\n2,5\n3,6\n");
    text("plain.txt", "1 4\n2 5\n3 6\n");
    const std::vector<double> rows{1, 4, 2, 5, 3, 6};
    write_npy(path("both.npy"), rows.data(), {3, 2});
    write_npy(path("one.npy"), rows.data(), {6});
    write_npy(path("cube.npy"), rows.data(), {1, 3, 2});
  }

  void text(const std::string& name, const std::string& content) {
    test::write_text(path(name), content);
  }
  std::vector<double> column(const std::string& name, const std::string& of) const {
    return read_column(path(name), of);
  }

  std::string error(const std::string& name, const std::vector<std::string>& of,
                    bool allow_missing = false, const std::string& remedy = {}) const {
    try {
      read_columns(path(name), of, allow_missing, remedy);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  }
};

TEST_F(Columns, AreNamedOrNumberedFromOne) {
  EXPECT_THAT(column("named.csv", "b"), ElementsAre(4, 5, 6));
  EXPECT_THAT(column("named.csv", ""), ElementsAre(1, 2, 3));
  EXPECT_THAT(column("plain.txt", "2"), ElementsAre(4, 5, 6));
  EXPECT_THAT(column("plain.txt", ""), ElementsAre(1, 2, 3));
  EXPECT_THAT(column("both.npy", "2"), ElementsAre(4, 5, 6));
  EXPECT_THAT(column("one.npy", "1"), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(column("cube.npy", ""), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(read_columns(path("named.csv"), {"b", "a", "b"}),
              ElementsAre(ElementsAre(4, 5, 6), ElementsAre(1, 2, 3), ElementsAre(4, 5, 6)));
}

TEST_F(Columns, TheFirstOneIsSaid) {
  text("index.csv", ",r,note\n1,5,a\n2,6,b\n");
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(column("index.csv", ""), ElementsAre(5, 6));
  EXPECT_THAT(column("plain.txt", "1"), ElementsAre(1, 2, 3));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "tessera: '" + path("index.csv") +
                "': no column is named, so 'r' is read, the first; the others are note\n");
}

TEST_F(Columns, ThatAreNotThere) {
  EXPECT_THAT(error("named.csv", {"c"}), HasSubstr("there is no column 'c'; present: a, b"));
  EXPECT_THAT(error("both.npy", {"0"}),
              HasSubstr("there is no column '0'; the array has 2 columns, counted from 1"));
  EXPECT_THAT(error("both.npy", {"3"}), HasSubstr("there is no column '3'"));
  EXPECT_THAT(error("both.npy", {"b"}), HasSubstr("there is no column 'b'"));
  EXPECT_THAT(error("cube.npy", {"1"}), HasSubstr("the array has 3 axes; columns need one or two"));
}

TEST_F(Columns, OfTextWithoutNames) {
  EXPECT_THAT(error("plain.txt", {"x"}),
              HasSubstr("plain.txt:1:1: there is no column 'x': the first line holds numbers, so "
                        "the columns are 1 to 2\n  remedy: add a line of names above it"));
}

TEST(FileFormat, IsToldByTheEnding) {
  for (const char* name : {"a.h5", "a.HDF5", "b/c.nc", "x.nc4", "x.he5"})
    EXPECT_EQ(find_format(name), FileFormat::hdf5) << name;
  EXPECT_EQ(find_format("a.NPY"), FileFormat::npy);
  for (const char* name : {"a.csv", "npy", "h5.txt", ""})
    EXPECT_EQ(find_format(name), FileFormat::other) << name;
}

TEST_F(Columns, OfUnequalLengthOrWithoutNumbers) {
  EXPECT_THAT(error("both.npy", {"", "1"}), HasSubstr("'1' has 3 values, and '' 6"));
  text("empty.csv", "a\n");
  EXPECT_EQ(
      error("empty.csv", {"a"}),
      path("empty.csv") +
          ": there are no numbers in this file: no row stands below the names of its columns");
}

TEST_F(Columns, WithMissingValues) {
  text("gaps.csv", "a,b\n1,\n2,5\n");
  EXPECT_NE(error("gaps.csv", {"b"}), "");
  EXPECT_TRUE(std::isnan(read_column(path("gaps.csv"), "b", true)[0]));
  const std::vector<double> gaps{1, NAN, INFINITY};
  write_npy(path("gaps.npy"), gaps.data(), {3});
  EXPECT_THAT(error("gaps.npy", {"1"}), HasSubstr("value 2 of '1' is not a finite number"));
  EXPECT_EQ(error("gaps.npy", {"1"}, true), "");
  EXPECT_THAT(error("gaps.npy", {"1"}, false, "drop it"),
              HasSubstr("is not a finite number\n  remedy: drop it"));
  EXPECT_THAT(error("gaps.csv", {"b"}, false, "drop it"),
              HasSubstr("gaps.csv:2:3: the value in column 'b' is missing\n  remedy: drop it"));
}

}  // namespace
}  // namespace tessera::io
