// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tessera/core/io/file.hpp"
#include "tessera/core/io/group.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

using test::Scratch;

template <class T>
std::vector<T> extremes() {
  if constexpr (std::is_same_v<T, std::string>) {
    return {"", "plain", "\xCE\xA9 \xE2\x82\xAC", "two\nlines", std::string(100000, 'x')};
  } else {
    return {std::numeric_limits<T>::lowest(), T(0), T(1), T(42), std::numeric_limits<T>::max()};
  }
}

template <class T>
class EveryType : public Scratch {};
using Types =
    ::testing::Types<double, float, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                     std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::string>;
TYPED_TEST_SUITE(EveryType, Types);

TYPED_TEST(EveryType, ComesBackAsItWasWritten) {
  const std::vector<TypeParam> values = extremes<TypeParam>();
  const std::string path = this->path("a.h5");
  File file = File::create(path);
  const Group root = file.root();
  root.write("vector", values, {"km", "a vector"});
  root.write("matrix", values, {5, 1}, {"1", "a matrix"});
  root.write("cube", values, {1, 5, 1}, {"1", "a cube"});
  root.write("empty", std::vector<TypeParam>{}, {"s", "nothing"});
  root.write("empty_cube", std::vector<TypeParam>{}, {3, 0, 2}, {"s", "nothing"});
  root.write_scalar("scalar", values.back(), {"m s-1", "a scalar"});
  root.set_attribute("attribute", values.back());
  root.set_attribute("attribute", values.front(), "matrix");
  file.commit();

  const File read = File::open(path);
  const Group top = read.root();
  EXPECT_EQ(top.read<TypeParam>("vector"), values);
  EXPECT_EQ(top.read<TypeParam>("matrix"), values);
  EXPECT_EQ(top.read<TypeParam>("cube"), values);
  EXPECT_EQ(top.shape("vector"), Shape{5});
  EXPECT_EQ(top.shape("matrix"), (Shape{5, 1}));
  EXPECT_EQ(top.shape("cube"), (Shape{1, 5, 1}));
  EXPECT_EQ(top.shape("empty"), Shape{0});
  EXPECT_EQ(top.shape("empty_cube"), (Shape{3, 0, 2}));
  EXPECT_EQ(top.shape("scalar"), Shape{});
  EXPECT_TRUE(top.read<TypeParam>("empty").empty());
  EXPECT_TRUE(top.read<TypeParam>("empty_cube").empty());
  EXPECT_EQ(top.read_scalar<TypeParam>("scalar"), values.back());
  EXPECT_EQ(top.attribute<TypeParam>("attribute"), values.back());
  EXPECT_EQ(top.attribute<TypeParam>("attribute", "matrix"), values.front());
  EXPECT_EQ(top.attribute<std::string>("units", "vector"), "km");
  EXPECT_EQ(top.attribute<std::string>("long_name", "vector"), "a vector");
  EXPECT_EQ(top.attribute<std::string>("units", "empty_cube"), "s");
  EXPECT_EQ(top.attribute<std::string>("units", "scalar"), "m s-1");
  EXPECT_EQ(top.names(), (std::vector<std::string>{"cube", "empty", "empty_cube", "matrix",
                                                   "scalar", "vector"}));
}

class IoGroup : public Scratch {
 protected:
  /// Writes with `fill`, then opens for reading.
  template <class Fill>
  File written(Fill fill) {
    File file = File::create(path("a.h5"));
    fill(file.root());
    file.commit();
    return File::open(path("a.h5"));
  }
};

TEST_F(IoGroup, BooleansAreStoredAsBytes) {
  const File file = written([](const Group& g) {
    g.write_scalar("yes", true, {});
    g.set_attribute("no", false);
    g.write_scalar("two", 2, {});
  });
  const Group root = file.root();
  EXPECT_TRUE(root.read_scalar<bool>("yes"));
  EXPECT_EQ(root.read_scalar<std::uint8_t>("yes"), 1);
  EXPECT_FALSE(root.attribute<bool>("no"));
  EXPECT_ERROR_WITH(root.read_scalar<bool>("two"), ErrorKind::file, "as bool: element 0 is 2");
}

TEST_F(IoGroup, LiteralsAreText) {
  const File file = written([](const Group& g) {
    g.write_scalar("a", "text", {});
    g.set_attribute("b", "more");
  });
  EXPECT_EQ(file.root().read_scalar<std::string>("a"), "text");
  EXPECT_EQ(file.root().attribute<std::string>("b"), "more");
}

TEST_F(IoGroup, SpecialValuesKeepTheirBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const File file = written([&](const Group& g) {
    g.write("x", std::vector<double>{nan, inf, -inf, -0.0, 5e-324}, {});
  });
  const auto x = file.root().read<double>("x");
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_EQ(x[1], inf);
  EXPECT_EQ(x[2], -inf);
  EXPECT_TRUE(std::signbit(x[3]));
  EXPECT_EQ(x[4], 5e-324);
  EXPECT_EQ(file.root().read<float>("x")[1], std::numeric_limits<float>::infinity());
}

TEST_F(IoGroup, NumbersConvertWhereTheyFit) {
  const File file = written([](const Group& g) {
    g.write("small", std::vector<std::int64_t>{0, 1, 255}, {});
    g.write("large", std::vector<std::int64_t>{7, std::int64_t{1} << 32}, {});
    g.write("negative", std::vector<std::int32_t>{-1}, {});
    g.write("whole", std::vector<double>{-3, 4}, {});
    g.write("part", std::vector<double>{0.5}, {});
    g.write("huge", std::vector<double>{1e300}, {});
    g.write("top", std::vector<double>{18446744073709551616.0}, {});  // 2^64
    g.write("odd", std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1}, {});
    g.write("third", std::vector<double>{1.0 / 3}, {});
    g.write_scalar("text", "1", {});
  });
  const Group root = file.root();
  EXPECT_EQ(root.read<std::uint8_t>("small"), (std::vector<std::uint8_t>{0, 1, 255}));
  EXPECT_EQ(root.read<double>("small"), (std::vector<double>{0, 1, 255}));
  EXPECT_EQ(root.read<std::int16_t>("whole"), (std::vector<std::int16_t>{-3, 4}));
  EXPECT_EQ(root.read<float>("third"), std::vector<float>{1.0f / 3});
  const std::string file_name = path("a.h5");
  const std::string remedy = "\n  remedy: check that the file is of the expected kind";
  EXPECT_ERROR(
      root.read<std::uint32_t>("large"), ErrorKind::file,
      "cannot read '" + file_name + ":/large' as uint32: element 1 is 4294967296" + remedy);
  EXPECT_ERROR(root.read<std::int8_t>("small"), ErrorKind::file,
               "cannot read '" + file_name + ":/small' as int8: element 2 is 255" + remedy);
  EXPECT_ERROR_WITH(root.read<std::uint64_t>("negative"), ErrorKind::file,
                    "as uint64: element 0 is -1");
  EXPECT_ERROR_WITH(root.read<std::int32_t>("part"), ErrorKind::file, "as int32: element 0 is 0.5");
  EXPECT_ERROR_WITH(root.read<float>("huge"), ErrorKind::file, "as float32: element 0 is 1");
  EXPECT_ERROR_WITH(root.read<std::uint64_t>("top"), ErrorKind::file,
                    "as uint64: element 0 is 18446744073709551616");
  EXPECT_ERROR_WITH(root.read<double>("odd"), ErrorKind::file,
                    "as float64: element 0 is 9007199254740993");
  EXPECT_ERROR(root.read<double>("text"), ErrorKind::file,
               "cannot read '" + file_name + ":/text' as float64: it holds text" + remedy);
  EXPECT_ERROR(root.read<std::string>("small"), ErrorKind::file,
               "cannot read '" + file_name + ":/small' as text: it holds no text" + remedy);
  EXPECT_ERROR(root.read_scalar<double>("small"), ErrorKind::file,
               "cannot read '" + file_name + ":/small' as one value: it holds 3" + remedy);
}

/// Returns the number of filters that a large dataset passes.
int count_filters(const File& file, const std::string& name) {
  const hid_t dataset = H5Dopen2(file.root().id(), name.c_str(), H5P_DEFAULT),
              creation = H5Dget_create_plist(dataset);
  EXPECT_EQ(H5Pget_layout(creation), H5D_CHUNKED);
  const int filters = H5Pget_nfilters(creation);
  H5Pclose(creation);
  H5Dclose(dataset);
  return filters;
}

TEST_F(IoGroup, NoiseIsNotCompressed) {
  constexpr std::size_t kSize = 400000;
  std::mt19937_64 random(1);
  std::vector<double> noise(kSize), smooth(kSize), few(kSize), zeros(kSize, 0.0),
      hardly(kSize, 0.0);
  std::vector<float> single(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    noise[i] = std::normal_distribution<double>()(random);
    single[i] = static_cast<float>(noise[i]);
    smooth[i] = std::exp(-1e-10 * static_cast<double>(i * i));
    few[i] = 0.1 * static_cast<double>(random() % 50);  // the coordinates of cells
    if (i % 5 == 0) hardly[i] = noise[i];
  }
  const File file = written([&](const Group& g) {
    g.write("noise", noise, {});
    g.write("single", single, {});
    g.write("smooth", smooth, {});
    g.write("few", few, {});
    g.write("zeros", zeros, {});
    g.write("hardly", hardly, {});
  });
  EXPECT_EQ(count_filters(file, "noise"), 0);
  EXPECT_EQ(count_filters(file, "single"), 0);
  EXPECT_EQ(count_filters(file, "smooth"), 2);
  EXPECT_EQ(count_filters(file, "few"), 2);
  EXPECT_EQ(count_filters(file, "zeros"), 2);
  EXPECT_EQ(count_filters(file, "hardly"), 2);
  EXPECT_EQ(file.root().read<double>("noise"), noise);
}

TEST_F(IoGroup, LargeDatasetsAreChunkedAndCompressed) {
  const Shape shape{300, 50, 40};
  std::vector<double> values(300 * 50 * 40);
  std::iota(values.begin(), values.end(), 0.0);
  const File file = written([&](const Group& g) {
    g.write("large", values, shape, {});
    g.write("small", std::vector<double>(100), {});
  });
  const Group root = file.root();
  EXPECT_EQ(root.read<double>("large"), values);
  EXPECT_EQ(root.shape("large"), shape);

  const hid_t large = H5Dopen2(root.id(), "large", H5P_DEFAULT);
  const hid_t creation = H5Dget_create_plist(large);
  hsize_t chunk[3] = {};
  ASSERT_EQ(H5Pget_chunk(creation, 3, chunk), 3);
  EXPECT_EQ(chunk[0] * chunk[1] * chunk[2], 38u * 50 * 40);
  EXPECT_EQ(H5Pget_nfilters(creation), 2);
  EXPECT_LT(H5Dget_storage_size(large), values.size() * sizeof(double) / 4);
  H5Pclose(creation);
  H5Dclose(large);

  const hid_t small = H5Dopen2(root.id(), "small", H5P_DEFAULT);
  const hid_t plain = H5Dget_create_plist(small);
  EXPECT_EQ(H5Pget_layout(plain), H5D_CONTIGUOUS);
  H5Pclose(plain);
  H5Dclose(small);
}

TEST_F(IoGroup, NamesMayBePaths) {
  const File file = written([](const Group& g) {
    g.group("a/b").write_scalar("x", 1.5, {});
    g.group("a").write_scalar("c/y", 2.5, {});
  });
  const Group root = file.root();
  EXPECT_TRUE(root.has("a"));
  EXPECT_TRUE(root.has("a/b/x"));
  EXPECT_FALSE(root.has("b/x"));
  EXPECT_FALSE(root.has(""));
  EXPECT_EQ(root.group("a").group("b").read_scalar<double>("x"), 1.5);
  EXPECT_EQ(root.read_scalar<double>("a/c/y"), 2.5);
  EXPECT_EQ(root.group("a/b").place("x"), path("a.h5") + ":/a/b/x");
}

TEST_F(IoGroup, WhatIsMissingIsNamed) {
  const File file = written([](const Group& g) {
    g.write_scalar("x", 1.0, {});
    g.write_scalar("y", 1.0, {});
  });
  const Group root = file.root();
  const std::string remedy = "\n  remedy: check that the file is of the expected kind";
  EXPECT_ERROR(root.read<double>("z"), ErrorKind::file,
               "there is no dataset '" + path("a.h5") + ":/z'; present: x, y" + remedy);
  EXPECT_ERROR(root.group("z"), ErrorKind::file,
               "there is no '" + path("a.h5") + ":/z'; present: x, y" + remedy);
  EXPECT_ERROR(root.attribute<double>("a"), ErrorKind::file,
               "there is no attribute '" + path("a.h5") + ":/@a'" + remedy);
  EXPECT_ERROR_WITH(root.group("x"), ErrorKind::file,
                    "cannot open the group '" + path("a.h5") + ":/x' (HDF5: ");
  EXPECT_FALSE(root.has_attribute("a"));
  EXPECT_TRUE(root.has_attribute("units", "x"));
  EXPECT_ERROR_WITH(root.write_scalar("w", 1.0, {}), ErrorKind::file,
                    "cannot write '" + path("a.h5") + ":/w' (HDF5: ");
}

TEST_F(IoGroup, MistakesOfTheCallerAreInternalErrors) {
  const File file = File::create(path("b.h5"));
  const Group root = file.root();
  root.write_scalar("x", 1.0, {});
  EXPECT_ERROR(root.write_scalar("x", 2.0, {}), ErrorKind::internal,
               "'" + path("b.h5") + ":/x' is written twice");
  EXPECT_ERROR(root.write("m", std::vector<double>(5), {2, 3}, {}), ErrorKind::internal,
               "'" + path("b.h5") + ":/m' has 5 values, its shape 6");
  EXPECT_ERROR_WITH(root.write_scalar("nul", std::string("a\0b", 3), {}), ErrorKind::file,
                    "the text holds a NUL byte");
}

/// The file says that one of its chunks has 4 GB: HDF5 would ask for that much before it finds that
/// the file ends.
TEST_F(IoGroup, StoredBytesAreInTheFile) {
  const std::string bytes =
      test::read_text(test::kDataDirectory + std::string("/fuzz/hdf5/found-chunk-of-4-GB"));
  test::write_text(path("chunk.h5"), bytes.substr(1));  // the first chooses what the fuzzer reads
  const Group root = File::open(path("chunk.h5")).root();
  EXPECT_ERROR(root.read<double>("x"), ErrorKind::file,
               "cannot read '" + path("chunk.h5") +
                   ":/x': its 4294967368 bytes are more than the 8793 of the file\n"
                   "  remedy: the file may be damaged");
  EXPECT_EQ(root.read<std::string>("text"), (std::vector<std::string>{"a", "bc"}));
}

TEST_F(IoGroup, AttributesAreReplaced) {
  const File file = written([](const Group& g) {
    g.set_attribute("status", "running");
    g.set_attribute("status", 3);
  });
  EXPECT_EQ(file.root().attribute<int>("status"), 3);
}

TEST_F(IoGroup, AGroupKeepsAFileThatIsReadOpen) {
  const Group kept =
      written([](const Group& g) { g.write_scalar("x", 1.0, {}); }).root().group("/");
  EXPECT_EQ(kept.read_scalar<double>("x"), 1.0);
}

TEST_F(IoGroup, AGroupOfAFileThatWasWrittenIsClosed) {
  const auto start = [this] { return File::create(path("b.h5")).root(); };
  const Group kept = start();
  EXPECT_ERROR_WITH(kept.write_scalar("x", 1.0, {}), ErrorKind::file,
                    "cannot write '" + path("b.h5") + ":/x' (HDF5: ");
}

}  // namespace
}  // namespace tessera::io
