// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "core/device/crew.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tessera {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr std::uint32_t kRounds = 1000;

/// In each round every thread writes its number, and after the meeting reads its neighbour's.
struct Rounds {
  std::uint32_t* written;  // of each thread
  std::uint32_t* wrong;
  std::uint32_t* closed;  // rounds, counted by the last thread to come

  void operator()(const Crew& crew) const {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      written[crew.rank()] = round * crew.size() + crew.rank();
      crew.wait();
      const std::uint32_t neighbour = (crew.rank() + 1) % crew.size();
      if (written[neighbour] != round * crew.size() + neighbour) ++wrong[crew.rank()];
      crew.wait([&] { ++*closed; });
      if (*closed != round + 1) ++wrong[crew.rank()];
    }
  }
};

TEST(Crew, MeetsInEveryRound) {
  const Exec exec;
  const std::uint32_t size = crew_size(exec);
  std::vector<std::uint32_t> written(size), wrong(size, 0u);
  std::uint32_t closed = 0;
  run_crew("tessera::test::rounds", exec, Rounds{written.data(), wrong.data(), &closed});
  EXPECT_EQ(closed, kRounds);
  EXPECT_EQ(wrong, std::vector<std::uint32_t>(size, 0u));
}

#ifdef KOKKOS_ENABLE_OPENMP
struct CountMembers {
  std::atomic<std::uint32_t>* members;
  void operator()(const Crew& crew) const {
    crew.wait();
    *members += 1;
  }
};

TEST(Crew, IsOneThreadInAParallelRegionOfTheCaller) {
  std::atomic<std::uint32_t> members{0};
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    run_crew("tessera::test::members", Kokkos::OpenMP(), CountMembers{&members});
  }
  EXPECT_EQ(members, 1u);
}
#endif

}  // namespace
}  // namespace tessera
