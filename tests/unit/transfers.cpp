// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/copy_crew.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera {
namespace {

using Exec = test::ExecSpace;

std::vector<std::uint8_t> some_bytes(std::size_t n) {
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 0x9e3779b97f4a7c15u >> 56);
  return bytes;
}

/// Small ones go by themselves, large ones to a GPU in pieces; sizes are no multiples of a piece.
TEST(Transfers, BringEveryByteThereAndBack) {
  const Exec exec;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1001},
                              (std::size_t{16} << 20) + 3, (std::size_t{45} << 20) + 17}) {
    const std::vector<std::uint8_t> sent = some_bytes(n);
    std::vector<std::uint8_t> back(n, 0);
    const auto device = allocate<Kokkos::View<std::uint8_t*, Exec>>(exec, "test", n);
    copy_from_host(exec, device.data(), sent.data(), n);
    copy_to_host(exec, back.data(), device.data(), n);
    EXPECT_TRUE(back == sent) << n << " bytes";
  }
}

TEST(Transfers, ACrewCopiesWholePieces) {
  const std::vector<std::uint8_t> from = some_bytes(100000);
  for (const int threads : {1, 3, 8}) {
    std::vector<std::uint8_t> to(from.size(), 0);
    CopyCrew crew(threads);
    const std::size_t sizes[] = {1, 63, 64, 65, 4096, 70001};
    std::size_t at = 0;
    int pieces = 0;
    for (const std::size_t size : sizes) {
      if (pieces >= CopyCrew::kAhead) crew.wait(pieces - CopyCrew::kAhead);
      crew.give(to.data() + at, from.data() + at, size);
      at += size;
      ++pieces;
    }
    crew.wait(pieces - 1);
    EXPECT_TRUE(std::equal(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(at), from.begin()))
        << threads << " threads";
    EXPECT_EQ(to[at], 0);
  }
}

}  // namespace
}  // namespace tessera
