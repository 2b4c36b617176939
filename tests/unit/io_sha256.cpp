// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tessera/core/io/sha256.hpp"

namespace tessera::io {
namespace {

std::string digest(const std::string& bytes, bool use_instructions, std::size_t piece = 1000000) {
  Sha256 digest(use_instructions);
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece)
    digest.add(bytes.data() + begin, std::min(piece, bytes.size() - begin));
  return digest.text();
}

class IoSha256 : public ::testing::TestWithParam<bool> {};

/// The examples of NIST for FIPS 180-4, and the empty message and a million letters of its test
/// vectors.
TEST_P(IoSha256, TestVectorsOfTheStandard) {
  EXPECT_EQ(digest("", GetParam()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc", GetParam()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", GetParam()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnop"
                   "qklmnopqrlmnopqrsmnopqrstnopqrstu",
                   GetParam()),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(digest(std::string(1000000, 'a'), GetParam()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/// Whatever the pieces in which the bytes come; lengths about the ends of blocks.
TEST_P(IoSha256, PiecesMakeNoDifference) {
  for (const std::size_t size :
       {1u, 54u, 55u, 56u, 57u, 63u, 64u, 65u, 119u, 120u, 127u, 128u, 1000u}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * i + 7 * i);
    const std::string whole = sha256(bytes.data(), bytes.size());
    for (const std::size_t piece : {1u, 3u, 63u, 64u, 65u, 200u})
      EXPECT_EQ(digest(bytes, GetParam(), piece), whole) << size << " " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(With, IoSha256, ::testing::Bool(), [](const auto& info) {
  return info.param ? "Instructions" : "ArithmeticAlone";
});

}  // namespace
}  // namespace tessera::io
