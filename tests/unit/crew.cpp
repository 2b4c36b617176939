// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/crew.hpp"

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

/// Loops over numbered pieces, of which some threads have many and others none; each is done once, and by whoever comes.
struct Loops {
  static constexpr std::uint32_t kMost = 50;
  std::uint32_t* done;  // of each piece of each thread

  struct Pieces {
    std::uint32_t owner, number;
    std::uint32_t count() const { return number; }
    std::uint32_t operator[](std::uint32_t i) const { return owner * kMost + i; }
  };

  static std::uint32_t pieces_of(std::uint32_t owner, std::uint32_t loop) { return (owner + loop) % 3 == 0 ? kMost : (owner + loop) % 2; }

  void operator()(Crew& crew) const {
    for (std::uint32_t loop = 0; loop < kRounds; ++loop) {
      crew.share([&](std::uint32_t owner) { return Pieces{owner, pieces_of(owner, loop)}; }, [&](std::uint32_t piece) { ++done[piece]; });
      crew.wait();
    }
  }
};

TEST(Crew, SharesEachPieceOnce) {
  const Exec exec;
  const std::uint32_t size = crew_size(exec);
  std::vector<std::uint32_t> done(size * Loops::kMost, 0u), expected(done);
  run_crew("tessera::test::loops", exec, Loops{done.data()});
  for (std::uint32_t loop = 0; loop < kRounds; ++loop) {
    for (std::uint32_t owner = 0; owner < size; ++owner) {
      for (std::uint32_t i = 0; i < Loops::pieces_of(owner, loop); ++i) ++expected[owner * Loops::kMost + i];
    }
  }
  EXPECT_EQ(done, expected);
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
