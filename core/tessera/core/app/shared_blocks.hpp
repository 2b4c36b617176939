// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/app/pace.hpp"
#include "tessera/core/app/run_app.hpp"

namespace tessera {

/// The elements of a run that a model goes through block by block, several times each. Ranks share
/// every block; all of them call advance, repeats, took and gather at the same time.
class SharedBlocks {
 public:
  /// Elements from `begin` on.
  struct Part {
    std::size_t begin, size;
  };

  /// Divides `count` elements, with `bytes` on the device each, into blocks. A rank takes `most` of
  /// a block at a time, or what fits in `run.memory_limit` or else in half of the memory there is,
  /// but no fewer than 1024.
  SharedBlocks(const RunSettings& settings, std::size_t count, std::size_t most, std::size_t bytes)
      : m_ranks(settings.ranks), m_count(count) {
    const std::uint64_t memory =
        settings.memory_limit != 0 ? settings.memory_limit : available_memory(settings.backend) / 2;
    const std::uint64_t each =
        std::min<std::uint64_t>({count, most, std::max<std::uint64_t>(1024, memory / bytes)});
    m_block = static_cast<std::size_t>(m_ranks.min(static_cast<std::int64_t>(each))) *
              static_cast<std::size_t>(m_ranks.size());
  }

  const parallel::Communicator& ranks() const { return m_ranks; }
  std::size_t count() const { return m_count; }
  /// The elements of the blocks that are complete.
  std::size_t done() const { return m_done; }
  /// The elements of the block that is under way.
  std::size_t size() const { return std::min(m_block, m_count - m_done); }
  /// The most elements of a block that a rank takes.
  std::size_t room() const { return share_of(0, std::min(m_block, m_count)).size; }

  /// The part of the block that is under way which this rank takes.
  Part own() const {
    const Part part = share_of(m_ranks.rank(), size());
    return {m_done + part.begin, part.size};
  }

  /// Goes to the next block; false where there is none.
  bool advance() {
    m_done += size();
    return m_done < m_count;
  }

  /// Forgets how long repeats took: the next ones do something else.
  void forget_times() { m_pace = Pace(); }

  /// Returns how often to do the same next, out of the times that are left, so that a step lasts a
  /// fraction of a second; see Pace.
  int repeats(int left) const { return static_cast<int>(m_pace.next(left)); }

  /// Records the time of some repeats, which is that of the slowest rank; returns it.
  double took(int repeats, double seconds) {
    const double slowest =
        1e-9 * static_cast<double>(m_ranks.max(static_cast<std::int64_t>(1e9 * seconds)));
    m_pace.took(repeats, slowest);
    return slowest;
  }

  /// Returns what the ranks have found for their parts, in the order of the elements, on the root;
  /// nothing elsewhere.
  template <class T>
  std::vector<T> gather(std::vector<T> own) const {
    return m_ranks.gather(std::move(own));
  }

 private:
  Part share_of(int rank, std::size_t size) const {
    const parallel::Range range = m_ranks.share_of(rank, static_cast<std::int64_t>(size));
    return {static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())};
  }

  parallel::Communicator m_ranks;
  std::size_t m_count, m_block, m_done = 0;
  Pace m_pace;  // in repeats
};

}  // namespace tessera
