// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/io/npy.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

template <class T>
class IoNpyType : public test::Scratch {};
using Types = ::testing::Types<double, float, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                               std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IoNpyType, Types);

TYPED_TEST(IoNpyType, ComesBackAsItWasWritten) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> values{Limits::lowest(), 0, 1, 2, 3, Limits::max()};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 2, 1}}) {
    write_npy(this->path("a.npy"), values.data(), shape);
    const auto array = read_npy<TypeParam>(this->path("a.npy"));
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, values);
  }
  write_npy(this->path("a.npy"), values.data(), {});
  EXPECT_EQ(read_npy<TypeParam>(this->path("a.npy")).shape, Shape{});
  EXPECT_EQ(read_npy<TypeParam>(this->path("a.npy")).values,
            std::vector<TypeParam>{Limits::lowest()});
  write_npy(this->path("a.npy"), values.data(), {3, 0, 2});
  EXPECT_EQ(read_npy<TypeParam>(this->path("a.npy")).shape, (Shape{3, 0, 2}));
  EXPECT_TRUE(read_npy<TypeParam>(this->path("a.npy")).values.empty());
}

class IoNpy : public test::Scratch {
 protected:
  std::string file(const std::string& dictionary, const std::string& data, int version = 1) const {
    std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
      bytes += static_cast<char>((dictionary.size() >> (8 * i)) & 0xff);
    test::write_text(path("a.npy"), bytes + dictionary + data);
    return path("a.npy");
  }
  static std::string dictionary(const std::string& type, const std::string& shape,
                                const std::string& order = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape +
           ", }    \n";
  }
};

TEST_F(IoNpy, WritesWhatNumpyWrites) {
  const std::uint8_t values[] = {1, 2};
  write_npy(path("a.npy"), values, {2});
  const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                               "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
  const std::string written = test::read_text(path("a.npy"));
  EXPECT_EQ(written.substr(0, expected.size()), expected);
  EXPECT_EQ(written.size(), 128u + 2);
  EXPECT_EQ(written[127], '\n');
}

TEST_F(IoNpy, Booleans) {
  const bool values[] = {true, false, true};
  write_npy(path("a.npy"), values, {3});
  EXPECT_NE(test::read_text(path("a.npy")).find("'|b1'"), std::string::npos);
  EXPECT_EQ(read_npy<std::uint8_t>(path("a.npy")).values, (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST_F(IoNpy, EveryVersionOfTheFormat) {
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(read_npy<double>(file(dictionary("|i1", "(2,)"), "\x01\xff", version)).values,
              (std::vector<double>{1, -1}));
  }
  EXPECT_ERROR(read_npy<double>(file(dictionary("|i1", "(2,)"), "\x01\xff", 4)), ErrorKind::input,
               path("a.npy") +
                   ": the .npy format 4 is not known; 1, 2 and 3 are\n  remedy: save the array "
                   "again with numpy.save");
}

TEST_F(IoNpy, FortranOrderIsTransposed) {
  // a[i][j] = 10 i + j of shape (2, 3), stored column by column
  const auto matrix = read_npy<int>(
      file(dictionary("|i1", "(2, 3)", "True"), std::string("\x00\x0a\x01\x0b\x02\x0c", 6)));
  EXPECT_EQ(matrix.shape, (Shape{2, 3}));
  EXPECT_EQ(matrix.values, (std::vector<int>{0, 1, 2, 10, 11, 12}));

  const std::uint64_t extents[] = {2, 3, 4};
  std::string data;
  for (std::uint64_t k = 0; k < extents[2]; ++k) {
    for (std::uint64_t j = 0; j < extents[1]; ++j) {
      for (std::uint64_t i = 0; i < extents[0]; ++i) data += static_cast<char>(20 * i + 5 * j + k);
    }
  }
  const auto cube = read_npy<std::uint64_t>(file(dictionary("|u1", "(2, 3, 4)", "True"), data));
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < extents[0]; ++i) {
    for (std::uint64_t j = 0; j < extents[1]; ++j) {
      for (std::uint64_t k = 0; k < extents[2]; ++k)
        EXPECT_EQ(cube.values[at++], 20 * i + 5 * j + k);
    }
  }
}

TEST_F(IoNpy, ValuesMustFit) {
  const std::int64_t values[] = {1, -1};
  write_npy(path("a.npy"), values, {2});
  EXPECT_ERROR(read_npy<std::uint16_t>(path("a.npy")), ErrorKind::input,
               path("a.npy") + ": element 1 is -1, which is no uint16");
}

TEST_F(IoNpy, WrongContents) {
  test::write_text(path("b.npy"), "PK\x03\x04");
  EXPECT_ERROR(
      read_npy<double>(path("b.npy")), ErrorKind::input,
      path("b.npy") + ": this is not a .npy file\n  remedy: save the array with numpy.save");
  const std::string cut =
      path("a.npy") + ": the file is cut off in its header\n  remedy: copy or save it again";
  test::write_text(path("a.npy"), "\x93NUMPY\x01");
  EXPECT_ERROR(read_npy<double>(path("a.npy")), ErrorKind::input, cut);
  test::write_text(path("a.npy"), std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13));
  EXPECT_ERROR(read_npy<double>(path("a.npy")), ErrorKind::input, cut);
  test::write_text(path("a.npy"), std::string("\x93NUMPY\x02\x00\xff\xff", 10));
  EXPECT_ERROR(read_npy<double>(path("a.npy")), ErrorKind::input, cut);

  EXPECT_ERROR(read_npy<double>(file(dictionary("<f8", "(3,)"), std::string(16, '\0'))),
               ErrorKind::input,
               path("a.npy") +
                   ": the shape (3,) of 8-byte elements does not match the 16 bytes of data\n"
                   "  remedy: the file may be cut off: copy or save it again");
  EXPECT_ERROR_WITH(read_npy<double>(file(dictionary("<f8", "(4294967296, 4294967296, 2)"), "")),
                    ErrorKind::input, "does not match the 0 bytes");
  EXPECT_ERROR(
      read_npy<double>(file(dictionary(">f8", "(1,)"), std::string(8, '\0'))), ErrorKind::input,
      path("a.npy") +
          ": the array is big endian ('>f8')\n  remedy: save a.astype(a.dtype.newbyteorder('<'))");
  EXPECT_ERROR_WITH(read_npy<double>(file(dictionary("<c16", "(1,)"), std::string(16, '\0'))),
                    ErrorKind::input, "elements of type '<c16' cannot be read");
  EXPECT_ERROR_WITH(read_npy<double>(file(
                        "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }", "")),
                    ErrorKind::input, "the array has named fields");
  for (const std::string text :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (x)}", "{'descr': '<f8",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (-1,)}",
        "{'descr': '<f8', 'other': 1}"}) {
    EXPECT_ERROR(read_npy<double>(file(text, "")), ErrorKind::input,
                 path("a.npy") +
                     ": the header of the .npy file is malformed\n  remedy: save the array again "
                     "with numpy.save");
  }
  EXPECT_ERROR_WITH(read_npy<double>(path("none.npy")), ErrorKind::file,
                    "No such file or directory");
}

}  // namespace
}  // namespace tessera::io
