// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Arrays of device memory that go from rank to rank. Started alone this is one rank; CTest starts
// it by mpirun too.
#include "tessera/core/parallel/device_messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/ranks.hpp"

namespace tessera::test {
namespace {

using parallel::DeviceMessages;

/// Returns the number of elements that one rank sends to another in a turn, often 0.
std::size_t length(int from, int to, int turn) {
  return static_cast<std::size_t>((3 * from + 5 * to + turn) % 4 * 5000);
}

/// Appends numbers that say where they come from, where they go, when, and their place.
void append_list(std::vector<std::int64_t>& lists, int from, int to, int turn) {
  for (std::size_t k = 0; k < length(from, to, turn); ++k) {
    lists.push_back((100 * from + 10 * to + turn) * 100000 + static_cast<std::int64_t>(k));
  }
}

template <class T>
struct Double {
  T* values;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { values[i] *= 2; }
};

template <class T>
void double_all(const ExecSpace& exec, const Kokkos::View<T*, ExecSpace>& values) {
  Kokkos::parallel_for("tessera::test::double",
                       Kokkos::RangePolicy<ExecSpace>(exec, 0, static_cast<int>(values.extent(0))),
                       Double<T>{values.data()});
}

TEST(DeviceMessages, BringEachListToItsRank) {
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
    const auto panel =
        upload(exec, "tessera::test::panel", std::vector<double>{1.0 + ranks().rank(), 2.0});
    DeviceMessages messages(exec, ranks());
    messages.exchange(sent.data(), going, received.data(), coming);
    messages.start_broadcast(panel.data(), panel.size(), 0);
    messages.finish_broadcast();
    EXPECT_EQ(download(exec, panel), (std::vector<double>{1.0, 2.0}));
    EXPECT_FALSE(messages.path().empty());
    RecordProperty("path", messages.path());
    // what the execution space is given behind it finds the lists
    double_all(exec, received);
    for (std::int64_t& value : expected) value *= 2;
    EXPECT_EQ(download(exec, received), expected);
  }
}

/// Each rank in turn broadcasts two arrays, which alternate as panels of a matrix do: each is
/// doubled before it is sent and when it has arrived, while the other one is on its way.
TEST(DeviceMessages, BroadcastInTheOrderOfTheExecutionSpace) {
  constexpr std::size_t kSizes[] = {100000, 7};
  const ExecSpace exec;
  DeviceMessages messages(exec, ranks());
  for (int from = 0; from < ranks().size(); ++from) {
    Kokkos::View<double*, ExecSpace> arrays[2];
    std::vector<double> expected[2];
    const auto start = [&](int k) {
      if (ranks().rank() == from) double_all(exec, arrays[k]);
      messages.start_broadcast(arrays[k].data(), kSizes[k], from);
    };
    for (int k = 0; k < 2; ++k) {
      std::vector<double> own(kSizes[k], -1.0);  // which differs from what arrives
      for (std::size_t i = 0; i < kSizes[k]; ++i) {
        const double value = 1.5 * static_cast<double>(i) + 1000 * from + k;
        expected[k].push_back(4 * value);
        if (ranks().rank() == from) own[i] = value;
      }
      arrays[k] = upload(exec, "tessera::test::broadcast", own);
    }
    start(0);
    messages.finish_broadcast();
    start(1);
    double_all(exec, arrays[0]);
    messages.finish_broadcast();
    double_all(exec, arrays[1]);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(download(exec, arrays[k]), expected[k]);
  }
}

/// Copies share the connection, and each may send.
TEST(DeviceMessages, GoByCopiesToo) {
  const ExecSpace exec;
  const DeviceMessages first(exec, ranks());
  const DeviceMessages second = first;
  EXPECT_EQ(second.path(), first.path());
  const auto size = static_cast<std::size_t>(ranks().size());
  const auto sent =
      upload(exec, "tessera::test::sent", std::vector<std::int32_t>(size, 10 * ranks().rank() + 1));
  std::vector<std::int32_t> expected;
  for (int rank = 0; rank < ranks().size(); ++rank) expected.push_back(10 * rank + 1);
  for (const DeviceMessages& messages : {first, second}) {
    const auto received = allocate_zeros<Kokkos::View<std::int32_t*, ExecSpace>>(
        exec, "tessera::test::received", size);
    messages.exchange(sent.data(), std::vector<std::size_t>(size, 1), received.data(),
                      std::vector<std::size_t>(size, 1));
    EXPECT_EQ(download(exec, received), expected);
  }
}

}  // namespace
}  // namespace tessera::test
