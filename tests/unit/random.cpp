// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/random.hpp"

#include <gtest/gtest.h>

#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

/// The known answers that the authors of Philox publish for zeros and ones.
TEST(Philox, GivesThePublishedNumbers) {
  const Philox::Bits zeros = Philox(0, 0).bits(0, 0);
  EXPECT_EQ(zeros.word[0], 0x6627e8d5u);
  EXPECT_EQ(zeros.word[1], 0xe169c58du);
  EXPECT_EQ(zeros.word[2], 0xbc57ac4cu);
  EXPECT_EQ(zeros.word[3], 0x9b00dbd8u);
  const Philox::Bits ones = Philox(~0u, ~0u).bits(~0ull, ~0ull);
  EXPECT_EQ(ones.word[0], 0x408f276du);
  EXPECT_EQ(ones.word[1], 0x41c83b0eu);
  EXPECT_EQ(ones.word[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.word[3], 0x6d5451fdu);
}

struct Fill {
  Kokkos::View<double*, ExecSpace> out;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    out(i) = Philox::uniform(Philox(5, 7).bits(i, 11), i % 2);
  }
};

TEST(Philox, GivesTheSameNumbersOnEveryBackend) {
  constexpr int n = 10000;
  const Kokkos::View<double*, ExecSpace> device("uniform", n);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<ExecSpace>(0, n), Fill{device});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(host(i), Philox::uniform(Philox(5, 7).bits(i, 11), i % 2));
    ASSERT_GT(host(i), 0.0);
    ASSERT_LT(host(i), 1.0);
    sum += host(i);
    squares += host(i) * host(i);
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * 0.2887 / 100);  // five standard errors
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * 0.2981 / 100);
}

TEST(PhiloxPair, IsRandom123s) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const r123::Philox2x32_R<7>::ctr_type counter{{i * 2654435761u, i}};
    const r123::Philox2x32_R<7>::key_type key{{~i}};
    const auto expected = r123::Philox2x32_R<7>()(counter, key);
    const auto bits = PhiloxPair(~i).bits(counter.v[0], i);
    ASSERT_EQ(bits.word[0], expected.v[0]);
    ASSERT_EQ(bits.word[1], expected.v[1]);
  }
  EXPECT_NE(PhiloxPair::key(1, 0), PhiloxPair::key(1, 1));
  EXPECT_NE(PhiloxPair::key(1, 0), PhiloxPair::key(2, 0));
  EXPECT_EQ(PhiloxPair::uniform<float>(~0u), 1.0f - 0x1p-23f);
  EXPECT_EQ(PhiloxPair::uniform<double>(~0u), 1.0 - 0x1p-32);
}

TEST(Philox, EndsOfTheIntervalAreOpen) {
  EXPECT_EQ(Philox::uniform({{0, 0, ~0u, ~0u}}, 0), 0x1p-53);
  EXPECT_EQ(Philox::uniform({{0, 0, ~0u, ~0u}}, 1), 1.0 - 0x1p-53);
}

}  // namespace
}  // namespace tessera::test
