// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

/// Datasets and .npy files that are larger than a piece.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/io/pieces.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {

namespace {

/// Returns the element of that number.
template <class T>
T number(std::uint64_t i) {
  return static_cast<T>(i * 2654435761u % 1000003u % 100u);
}

std::uint64_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1},
                         [](std::uint64_t a, std::uint64_t b) { return a * b; });
}

const std::vector<Shape> kShapes{
    {},           {0},          {7},           {3000000},         {2, 0, 5},
    {1500, 1100}, {1, 1200000}, {3, 700, 801}, {2, 3, 1, 600000}, {2, 2, 1100, 1000}};

/// Collects pieces and checks that they come in order.
struct Collect {
  std::vector<double> values;
  std::uint64_t largest = 0;
  void operator()(std::uint64_t first, std::uint64_t count, const double* piece) {
    EXPECT_EQ(first, values.size());
    largest = std::max(largest, count);
    values.insert(values.end(), piece, piece + count);
  }
};

class IoPieces : public test::Scratch {};

template <class T>
void check_type(const std::string& path) {
  File file = File::create(path);
  for (std::size_t s = 0; s < kShapes.size(); ++s) {
    write_pieces<T>(file.root(), "a" + std::to_string(s), kShapes[s],
                    [](std::uint64_t first, std::uint64_t count, T* values) {
                      for (std::uint64_t i = 0; i < count; ++i) values[i] = number<T>(first + i);
                    });
  }
  file.commit();
  const Group root = File::open(path).root();
  for (std::size_t s = 0; s < kShapes.size(); ++s) {
    const std::string name = "a" + std::to_string(s);
    ASSERT_EQ(root.shape(name), kShapes[s]);
    const std::vector<T> whole = root.read<T>(name);
    ASSERT_EQ(whole.size(), size_of(kShapes[s]));
    for (std::uint64_t i = 0; i < whole.size(); ++i)
      ASSERT_EQ(whole[i], number<T>(i)) << name << " " << i;
    Collect pieces;
    read_pieces(root, name, [&](std::uint64_t first, std::uint64_t count, const double* values) {
      pieces(first, count, values);
    });
    EXPECT_TRUE(std::equal(pieces.values.begin(), pieces.values.end(), whole.begin(), whole.end()));
    EXPECT_LE(pieces.largest, std::uint64_t{1} << 20);
  }
}

TEST_F(IoPieces, AreTheWhole) {
  check_type<float>(path("float.h5"));
  check_type<std::int8_t>(path("int8.h5"));
  check_type<std::uint64_t>(path("uint64.h5"));
}

TEST_F(IoPieces, IntegersThatADoubleDoesNotHold) {
  File file = File::create(path("a.h5"));
  file.root().write("a", std::vector<std::int64_t>{1, (std::int64_t{1} << 53) + 1}, {"1", "a"});
  file.root().write("text", std::vector<std::string>{"one"}, {"1", "text"});
  file.commit();
  const Group root = File::open(path("a.h5")).root();
  const auto ignore = [](std::uint64_t, std::uint64_t, const double*) {};
  EXPECT_THROW(read_pieces(root, "a", ignore), Error);
  EXPECT_THROW(read_pieces(root, "text", ignore), Error);
  EXPECT_THROW(check_values_fit(root, "text"), Error);
}

TEST_F(IoPieces, BooleansOfPython) {
  const hid_t file = H5Fcreate(path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              type = H5Tenum_create(H5T_NATIVE_INT8);
  std::int8_t value = 0;
  H5Tenum_insert(type, "FALSE", &value);
  value = 1;
  H5Tenum_insert(type, "TRUE", &value);
  const hsize_t extent = 3;
  const hid_t space = H5Screate_simple(1, &extent, nullptr);
  const hid_t dataset = H5Dcreate2(file, "a", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const std::int8_t values[] = {1, 0, 1};
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(type);
  H5Fclose(file);
  Collect pieces;
  read_pieces(File::open(path("a.h5")).root(), "a",
              [&](std::uint64_t first, std::uint64_t count, const double* piece) {
                pieces(first, count, piece);
              });
  EXPECT_EQ(pieces.values, (std::vector<double>{1, 0, 1}));
}

TEST_F(IoPieces, OfNpyFiles) {
  const Shape shape{1300, 1000};
  std::vector<float> values(size_of(shape));
  for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = number<float>(i);
  write_npy(path("a.npy"), values.data(), shape);
  EXPECT_EQ(read_npy_shape(path("a.npy")), shape);
  Collect pieces;
  read_npy_pieces(path("a.npy"), [&](std::size_t first, std::size_t count, const double* piece) {
    pieces(first, count, piece);
  });
  EXPECT_TRUE(std::equal(pieces.values.begin(), pieces.values.end(), values.begin(), values.end()));
  EXPECT_LE(pieces.largest, std::uint64_t{1} << 20);
}

}  // namespace

}  // namespace tessera::io
