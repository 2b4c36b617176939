// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Lists of device memory that go from rank to rank. Started alone this is one rank; CTest starts it
// by mpirun too.
#include "tessera/core/parallel/device_exchange.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"

namespace tessera::test {
namespace {

using parallel::DeviceExchange;

/// As many as that pair of ranks has in that turn, often none.
std::size_t length(int from, int to, int turn) {
  return static_cast<std::size_t>((3 * from + 5 * to + turn) % 4 * 5000);
}

/// Numbers that say where they come from, where they go, when, and their place.
void append_list(std::vector<std::int64_t>& lists, int from, int to, int turn) {
  for (std::size_t k = 0; k < length(from, to, turn); ++k) {
    lists.push_back((100 * from + 10 * to + turn) * 100000 + static_cast<std::int64_t>(k));
  }
}

struct Double {
  std::int64_t* values;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { values[i] *= 2; }
};

TEST(DeviceExchange, BringsEachListToItsRank) {
  const ExecSpace exec;
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<std::int64_t> own, expected;
    std::vector<std::size_t> going, coming;
    for (int rank = 0; rank < ranks().size(); ++rank) {
      append_list(own, ranks().rank(), rank, turn);
      append_list(expected, rank, ranks().rank(), turn);
      going.push_back(length(ranks().rank(), rank, turn));
      coming.push_back(length(rank, ranks().rank(), turn));
    }
    const auto sent = upload(exec, "tessera::test::sent", own);
    const auto received = allocate_zeros<Kokkos::View<std::int64_t*, ExecSpace>>(
        exec, "tessera::test::received", expected.size());
    const DeviceExchange<ExecSpace> exchange(exec, ranks());
    exchange(sent.data(), going, received.data(), coming);
    EXPECT_FALSE(exchange.path().empty());
    RecordProperty("path", exchange.path());
    // what the execution space is given behind it finds the lists
    Kokkos::parallel_for("tessera::test::double",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, static_cast<int>(expected.size())),
                         Double{received.data()});
    for (std::int64_t& value : expected) value *= 2;
    EXPECT_EQ(download(exec, received), expected);
  }
}

}  // namespace
}  // namespace tessera::test
