// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Ranks and what they tell each other. Started alone this is one rank; CTest starts it by mpirun with up to four.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/core/parallel/launch.hpp"

namespace tessera::parallel {
namespace {

const Communicator& ranks() {
  static const Launch launch;
  return launch.ranks();
}

TEST(Communicator, SharesWholeBlocks) {
  for (const std::int64_t n : {0, 1, 5, 1023, 1024, 1025, 10000}) {
    for (const std::int64_t block : {1, 3, 1024}) {
      std::int64_t end = 0, least = n + 1, most = 0;
      for (int rank = 0; rank < ranks().size(); ++rank) {
        const Range range = ranks().share_of(rank, n, block);
        EXPECT_EQ(range.begin, end);
        end = range.end;
        EXPECT_TRUE(end % block == 0 || end == n);
        least = std::min(least, (range.size() + block - 1) / block);
        most = std::max(most, (range.size() + block - 1) / block);
      }
      EXPECT_EQ(end, n);
      EXPECT_LE(most, least + 1);
    }
  }
  EXPECT_EQ(ranks().share(100).begin, ranks().share_of(ranks().rank(), 100).begin);
}

TEST(Communicator, DividesALoop) {
  const std::int64_t n = 1001;
  const Range mine = ranks().share(n);
  std::vector<double> part;
  for (std::int64_t i = mine.begin; i < mine.end; ++i) part.push_back(std::sqrt(static_cast<double>(i)));
  const std::vector<double> all = ranks().all_gather(part);
  ASSERT_EQ(static_cast<std::int64_t>(all.size()), n);
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], std::sqrt(static_cast<double>(i)));
}

TEST(Communicator, GathersPartsOfAnyLength) {
  std::vector<double> own, expected;
  for (int rank = 0; rank < ranks().size(); ++rank) {
    for (int k = 0; k < (rank % 3) * 1000; ++k) {
      expected.push_back(rank + 1e-6 * k);
      if (rank == ranks().rank()) own.push_back(expected.back());
    }
  }
  EXPECT_EQ(ranks().all_gather(own), expected);
  EXPECT_EQ(ranks().all_gather(std::vector<char>()), std::vector<char>());
}

TEST(Communicator, GathersTexts) {
  const std::vector<std::string> all = ranks().all_gather(std::string(static_cast<std::size_t>(ranks().rank()), 'x'));
  ASSERT_EQ(static_cast<int>(all.size()), ranks().size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank], std::string(rank, 'x'));
}

TEST(Communicator, BroadcastsFromAnyRank) {
  for (int from = 0; from < ranks().size(); ++from) {
    std::vector<std::int32_t> values(5000, ranks().rank());
    ranks().broadcast(values.data(), values.size(), from);
    EXPECT_THAT(values, testing::Each(from));
  }
}

TEST(Communicator, FindsTheLeastAndTheLargest) {
  EXPECT_EQ(ranks().min(10 - ranks().rank()), 11 - ranks().size());
  EXPECT_EQ(ranks().max(10 + ranks().rank()), 9 + ranks().size());
  ranks().barrier();
}

TEST(Communicator, ErrorsOfTheRootAreEverybodys) {
  int calls = 0;
  ranks().at_root([&] { ++calls; });
  EXPECT_EQ(calls, ranks().is_root() ? 1 : 0);
  try {
    ranks().at_root([] { throw Error(ErrorKind::file, "no room", "make some"); });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::file);
    EXPECT_STREQ(error.what(), "no room\n  remedy: make some");
  }
}

TEST(Launch, KnowsWhetherAllFail) {
  const Launch launch;
  EXPECT_TRUE(launch.all_fail());
  EXPECT_EQ(launch.conclude(5), 5);
}

}  // namespace
}  // namespace tessera::parallel
