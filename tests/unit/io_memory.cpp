// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/io/pieces.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

class IoMemory : public test::Scratch {};

TEST_F(IoMemory, ArraysAreReadAsNpyFilesAre) {
  const std::vector<float> values{1, 2.5, 3, 4, 5, 6};
  const std::vector<std::uint8_t> bytes{0, 1, 2};
  const MemoryFiles files(
      {{"z", {"<f4", {2, 3}, values.data()}}, {"mask", {"|u1", {3}, bytes.data()}}});
  EXPECT_EQ(read_npy_shape("memory:z"), (Shape{2, 3}));
  EXPECT_EQ(read_npy<float>("memory:z").values, values);
  EXPECT_EQ(read_npy<std::uint8_t>("memory:mask").values, bytes);
  std::vector<double> found;
  read_npy_pieces("memory:z", [&](std::size_t first, std::size_t count, const double* piece) {
    EXPECT_EQ(first, found.size());
    found.insert(found.end(), piece, piece + count);
  });
  EXPECT_EQ(found, (std::vector<double>{1, 2.5, 3, 4, 5, 6}));
  double box[2];
  NpyReader("memory:z").read(3, Box{1, 0, 1, 2}, box);
  EXPECT_EQ(box[0], 2.5);
  EXPECT_EQ(box[1], 5);
  EXPECT_EQ(read_columns("memory:z", {"3"}).front(), (std::vector<double>{3, 6}));
}

TEST_F(IoMemory, FilesStayInMemoryAndAreNotCompressed) {
  MemoryFiles files({});
  const std::vector<double> values(1 << 18, 1.5);
  File file = File::create("memory:results.h5");
  file.root().write("x", values, {});
  write_pieces<double>(
      file.root(), "y", {values.size()},
      [](std::uint64_t, std::uint64_t count, double* to) { std::fill_n(to, count, 2); });
  EXPECT_EQ(file.commit_beside({}), "memory:results.h5");
  const std::vector<char> bytes = files.take("memory:results.h5");
  EXPECT_GE(bytes.size(), 2 * values.size() * sizeof(double));
  test::write_text(path("copy.h5"), std::string(bytes.begin(), bytes.end()));
  const Group root = File::open(path("copy.h5")).root();
  EXPECT_EQ(root.read<double>("x"), values);
  EXPECT_EQ(root.read<double>("y"), std::vector<double>(values.size(), 2));
}

TEST_F(IoMemory, NamesThatNobodyGivesOrTakes) {
  EXPECT_ERROR(read_npy<double>("memory:z"), ErrorKind::file,
               "cannot read 'memory:z': the calling program gives no array of this name\n"
               "  remedy: name a file; './memory:z' is one whose name begins so");
  EXPECT_ERROR(check_writable("memory:out", true), ErrorKind::file,
               "cannot write 'memory:out': no calling program takes it\n  remedy: name a file");
}

}  // namespace
}  // namespace tessera::io
