// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: random vectors in batches, which ranks share.
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// Takes `count` vectors in batches, of which each rank takes one at a time. `work(first, columns)`
/// returns numbers of a batch and sends no messages; `take(first, columns, numbers)` gets those of
/// all batches, on every rank and in their order.
template <class ExecSpace>
template <class Work, class Take>
void LatentVecchiaSolver<ExecSpace>::share_batches(std::int64_t count, const Work& work,
                                                   const Take& take) {
  const std::int64_t iterations = m_system.iterations();
  const auto begin_of = [&](std::int64_t batch) {
    return std::min(count, batch * m_system.kColumns);
  };
  for (std::int64_t batch = 0; begin_of(batch) < count; batch += m_ranks.size()) {
    stop_at_signal();
    const std::int64_t mine = batch + m_ranks.rank(), first = begin_of(mine);
    std::vector<double> own;
    try {
      m_ranks.together([&] {
        if (first < count) own = work(first, begin_of(mine + 1) - first);
      });
    } catch (const Error&) {
      m_system.set_iterations(iterations);  // which no rank counts of batches that have failed
      throw;
    }
    const std::vector<std::uint64_t> sizes =
        m_ranks.all_gather(std::vector<std::uint64_t>{own.size()});
    const std::vector<double> all = m_ranks.all_gather(std::move(own));
    auto next = all.begin();
    for (int rank = 0; rank < m_ranks.size() && begin_of(batch + rank) < count; ++rank) {
      const auto end = next + static_cast<std::ptrdiff_t>(sizes[rank]);
      take(begin_of(batch + rank), begin_of(batch + rank + 1) - begin_of(batch + rank),
           std::vector<double>(next, end));
      next = end;
    }
  }
  m_system.set_iterations(iterations + m_ranks.sum(m_system.iterations() - iterations));
}

}  // namespace tessera::gp::detail
