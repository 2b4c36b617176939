// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Ranks and what they tell each other. Started alone this is one rank; CTest starts it by mpirun
// with up to four.
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
  for (std::int64_t i = mine.begin; i < mine.end; ++i)
    part.push_back(std::sqrt(static_cast<double>(i)));
  const std::vector<double> all = ranks().all_gather(part);
  ASSERT_EQ(static_cast<std::int64_t>(all.size()), n);
  for (std::int64_t i = 0; i < n; ++i)
    EXPECT_EQ(all[static_cast<std::size_t>(i)], std::sqrt(static_cast<double>(i)));
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
  const std::vector<std::string> all =
      ranks().all_gather(std::string(static_cast<std::size_t>(ranks().rank()), 'x'));
  ASSERT_EQ(static_cast<int>(all.size()), ranks().size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    EXPECT_EQ(all[rank], std::string(rank, 'x'));
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

/// Numbers that say from which rank they come and to which they go; as many as that pair of ranks
/// has, often none.
std::vector<std::int64_t> list(int from, int to) {
  return std::vector<std::int64_t>(static_cast<std::size_t>((3 * from + 5 * to) % 4 * 1000),
                                   100 * from + to);
}

TEST(Communicator, ExchangesListsOfAnyLength) {
  std::vector<std::vector<std::int64_t>> lists, expected;
  std::vector<std::int64_t> sent, all;
  std::vector<std::size_t> going, coming;
  for (int rank = 0; rank < ranks().size(); ++rank) {
    lists.push_back(list(ranks().rank(), rank));
    expected.push_back(list(rank, ranks().rank()));
    sent.insert(sent.end(), lists.back().begin(), lists.back().end());
    all.insert(all.end(), expected.back().begin(), expected.back().end());
    going.push_back(lists.back().size());
    coming.push_back(expected.back().size());
  }
  EXPECT_EQ(ranks().all_to_all(lists), expected);
  std::vector<std::int64_t> received(all.size());
  ranks().exchange(sent.data(), going, received.data(), coming);
  EXPECT_EQ(received, all);

  // the same without the list from a rank to itself
  const auto own = static_cast<std::size_t>(ranks().rank());
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin_of(coming, own));
  std::fill_n(first, coming[own], 0);
  std::fill(received.begin(), received.end(), 0);
  ranks().exchange_with_others(sent.data(), going, received.data(), coming);
  EXPECT_EQ(received, all);
}

TEST(Communicator, GathersAtTheRoot) {
  std::vector<std::int64_t> expected;
  for (int rank = 0; ranks().is_root() && rank < ranks().size(); ++rank) {
    const auto of_rank = list(rank, 1);
    expected.insert(expected.end(), of_rank.begin(), of_rank.end());
  }
  EXPECT_EQ(ranks().gather(list(ranks().rank(), 1)), expected);
}

TEST(Communicator, Adds) {
  const int n = ranks().size();
  EXPECT_EQ(ranks().sum(ranks().rank() + 1), n * (n + 1) / 2);
  std::vector<std::uint64_t> counts{1, static_cast<std::uint64_t>(ranks().rank()),
                                    ~std::uint64_t(0)};
  ranks().sum(counts);
  const auto size = static_cast<std::uint64_t>(n);
  EXPECT_EQ(counts,
            (std::vector<std::uint64_t>{size, size * (size - 1) / 2, std::uint64_t(0) - size}));
}

TEST(Communicator, AnErrorOfOneRankIsEverybodys) {
  int calls = 0;
  ranks().together([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  const int last = ranks().size() - 1;
  try {
    ranks().together([&] {
      if (ranks().rank() == last)
        throw Error(ErrorKind::resource, "rank " + std::to_string(last), "wait");
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_EQ(error.what(), "rank " + std::to_string(last) + "\n  remedy: wait");
  }
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
