// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/thread_team.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tessera {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr std::uint32_t kRounds = 1000;

/// Rounds in which every thread writes its number, and after the barrier reads its neighbour's.
struct Rounds {
  std::uint32_t* written;  // of each thread
  std::uint32_t* wrong;
  std::uint32_t* closed;  // rounds, counted by the last thread to arrive

  void operator()(const ThreadTeam& team) const {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      written[team.thread_id()] = round * team.num_threads() + team.thread_id();
      team.barrier();
      const std::uint32_t neighbour = (team.thread_id() + 1) % team.num_threads();
      if (written[neighbour] != round * team.num_threads() + neighbour) ++wrong[team.thread_id()];
      team.barrier([&] { ++*closed; });
      if (*closed != round + 1) ++wrong[team.thread_id()];
    }
  }
};

TEST(ThreadTeam, BarrierSeparatesRounds) {
  const Exec exec;
  const std::uint32_t size = thread_team_size(exec);
  std::vector<std::uint32_t> written(size), wrong(size, 0u);
  std::uint32_t closed = 0;
  parallel_region("tessera::test::rounds", exec, Rounds{written.data(), wrong.data(), &closed});
  EXPECT_EQ(closed, kRounds);
  EXPECT_EQ(wrong, std::vector<std::uint32_t>(size, 0u));
}

/// Loops over numbered chunks, of which some threads have many and others none; each runs once, on
/// any thread.
struct Loops {
  static constexpr std::uint32_t kMost = 50;
  std::uint32_t* done;  // of each chunk of each thread

  struct Chunks {
    std::uint32_t owner, number;
    std::uint32_t count() const { return number; }
    std::uint32_t operator[](std::uint32_t i) const { return owner * kMost + i; }
  };

  static std::uint32_t count_chunks(std::uint32_t owner, std::uint32_t loop) {
    return (owner + loop) % 3 == 0 ? kMost : (owner + loop) % 2;
  }

  void operator()(ThreadTeam& team) const {
    for (std::uint32_t loop = 0; loop < kRounds; ++loop) {
      team.for_dynamic(
          [&](std::uint32_t owner) {
            return Chunks{owner, count_chunks(owner, loop)};
          },
          [&](std::uint32_t chunk) { ++done[chunk]; });
      team.barrier();
    }
  }
};

TEST(ThreadTeam, RunsEachChunkOnce) {
  const Exec exec;
  const std::uint32_t size = thread_team_size(exec);
  std::vector<std::uint32_t> done(size * Loops::kMost, 0u), expected(done);
  parallel_region("tessera::test::loops", exec, Loops{done.data()});
  for (std::uint32_t loop = 0; loop < kRounds; ++loop) {
    for (std::uint32_t owner = 0; owner < size; ++owner) {
      for (std::uint32_t i = 0; i < Loops::count_chunks(owner, loop); ++i)
        ++expected[owner * Loops::kMost + i];
    }
  }
  EXPECT_EQ(done, expected);
}

#ifdef KOKKOS_ENABLE_OPENMP
struct CountThreads {
  std::atomic<std::uint32_t>* threads;
  void operator()(const ThreadTeam& team) const {
    team.barrier();
    *threads += 1;
  }
};

TEST(ThreadTeam, HasOneThreadInsideAParallelRegion) {
  std::atomic<std::uint32_t> threads{0};
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    parallel_region("tessera::test::threads", Kokkos::OpenMP(), CountThreads{&threads});
  }
  EXPECT_EQ(threads, 1u);
}
#endif

}  // namespace
}  // namespace tessera
