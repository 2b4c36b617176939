// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera {
namespace {

using Exec = test::ExecSpace;
using Numbers = Kokkos::View<std::uint64_t*, Exec>;

/// Returns the number, of three, that a thread adds to. It adds value_of; some threads add nothing.
KOKKOS_INLINE_FUNCTION int number_of(int i) { return i % 7 % 3; }
KOKKOS_INLINE_FUNCTION std::uint64_t value_of(int i) { return (std::uint64_t(i) << 33) + i % 5; }
KOKKOS_INLINE_FUNCTION bool adds(int i) { return i % 11 != 4; }

struct AddAll {
  Numbers number, before;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    if (adds(i)) before(i) = compat::warp_fetch_add(&number(number_of(i)), value_of(i));
  }
};

TEST(WarpFetchAdd, GivesEachThreadAPlaceOfItsOwn) {
  constexpr int n = 10007;
  const Numbers number("number", 3), before("before", n);
  Kokkos::parallel_for("add_all", Kokkos::RangePolicy<Exec>(0, n), AddAll{number, before});
  Exec().fence();
  const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), number);
  const auto places = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), before);
  for (int k = 0; k < 3; ++k) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;  // begin and length
    for (int i = 0; i < n; ++i) {
      if (adds(i) && number_of(i) == k && value_of(i) > 0)
        parts.emplace_back(places(i), value_of(i));
    }
    std::sort(parts.begin(), parts.end());
    std::uint64_t end = 0;
    for (const auto& [begin, length] : parts) {
      ASSERT_EQ(begin, end) << k;
      end += length;
    }
    EXPECT_EQ(sums(k), end) << k;
  }
}

}  // namespace
}  // namespace tessera
