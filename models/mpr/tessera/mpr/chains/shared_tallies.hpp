// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tessera/core/parallel/device_messages.hpp"
#include "tessera/mpr/chains/chain_kernels.hpp"

/// Tallies of teams where several ranks sweep parts of the same chains.

namespace tessera::mpr::detail {

/// Copies the tallies of one rank's teams, of the first `reports` sweeps of each chain, to a list,
/// [chain][sweep][team], or back. A functor over the list.
struct CopyTallies {
  Tally *tallies, *list;
  std::int64_t first, count, groups;  ///< of teams: number of the first, those of the rank, all
  int reports;
  bool to_list;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t sweep = i / count, chain = sweep / reports;
    Tally& tally = tallies[(chain * kMostSweeps + sweep % reports) * groups + first + i % count];
    to_list ? list[i] = tally : tally = list[i];
  }
};

/// Gives every rank the tallies of all teams.
template <class ExecSpace>
class SharedTallies {
 public:
  SharedTallies() = default;
  /// `of_rank`: tallies of a sweep that each rank has.
  SharedTallies(const std::vector<int>& of_rank, int rank)
      : m_of_rank(of_rank), m_rank(static_cast<std::size_t>(rank)) {}

  void share(const ExecSpace& exec, const parallel::DeviceMessages& messages, Tally* tallies,
             int chains, int reports) {
    const auto lists = static_cast<std::size_t>(chains) * static_cast<std::size_t>(reports);
    const std::size_t own = lists * static_cast<std::size_t>(m_of_rank[m_rank]);
    std::vector<std::size_t> going(m_of_rank.size(), own), coming;
    going[m_rank] = 0;
    for (const int count : m_of_rank) coming.push_back(lists * static_cast<std::size_t>(count));
    coming[m_rank] = 0;
    make_room(exec, m_sent, parallel::sum_of(going));
    make_room(exec, m_received, parallel::sum_of(coming));

    const std::int64_t groups =
        std::accumulate(m_of_rank.begin(), m_of_rank.end(), std::int64_t{0});
    const auto copy_of_rank = [&](std::size_t rank, Tally* list, bool to_list) {
      const auto first =
          std::accumulate(m_of_rank.begin(), m_of_rank.begin() + static_cast<std::ptrdiff_t>(rank),
                          std::int64_t{0});
      const std::int64_t count = m_of_rank[rank];
      Kokkos::parallel_for("tessera::mpr::copy_tallies",
                           Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(lists) * count),
                           CopyTallies{tallies, list, first, count, groups, reports, to_list});
    };
    for (std::size_t copies = 0; copies + 1 < m_of_rank.size(); ++copies)
      copy_of_rank(m_rank, m_sent.data() + copies * own, true);
    messages.exchange(m_sent.data(), going, m_received.data(), coming);
    std::size_t begin = 0;
    for (std::size_t rank = 0; rank < m_of_rank.size(); ++rank) {
      if (rank != m_rank) copy_of_rank(rank, m_received.data() + begin, false);
      begin += coming[rank];
    }
  }

 private:
  static void make_room(const ExecSpace& exec, Array<ExecSpace, Tally>& list, std::size_t size) {
    if (list.extent(0) < size)
      list = allocate<Array<ExecSpace, Tally>>(exec, "tessera::mpr::shared_tallies", size);
  }

  std::vector<int> m_of_rank;
  std::size_t m_rank = 0;
  Array<ExecSpace, Tally> m_sent, m_received;
};

}  // namespace tessera::mpr::detail
