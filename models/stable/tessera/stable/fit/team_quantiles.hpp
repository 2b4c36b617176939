// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/start_table.hpp"

namespace tessera::stable::detail {

/// The largest of the threads' numbers, for all of them; `work` has room for one of each.
template <class Member>
KOKKOS_INLINE_FUNCTION double find_largest(const Member& team, double* work, double mine) {
  work[team.team_rank()] = mine;
  team.team_barrier();
  double largest = 0;
  for (int q = 0; q < team.team_size(); ++q) largest = work[q] > largest ? work[q] : largest;
  team.team_barrier();
  return largest;
}

/// Quantiles of values in any order, by a team that bisects between -largest and largest. In
/// scratch memory.
struct TeamQuantiles {
  double low[5], high[5];
  int below[5];

  template <class Member>
  KOKKOS_INLINE_FUNCTION void find(const Member& team, const double* values, int size,
                                   double largest) {
    const int thread = team.team_rank(), threads = team.team_size();
    const double p[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    for (int k = thread; k < 5; k += threads) {
      low[k] = -largest;
      high[k] = largest;
    }
    for (int step = 0; step < 46; ++step) {
      for (int k = thread; k < 5; k += threads) below[k] = 0;
      team.team_barrier();
      int own[5] = {};
      for (int i = thread; i < size; i += threads) {
        for (int k = 0; k < 5; ++k) own[k] += values[i] < 0.5 * (low[k] + high[k]) ? 1 : 0;
      }
      for (int k = 0; k < 5; ++k) Kokkos::atomic_fetch_add(&below[k], own[k]);
      team.team_barrier();
      for (int k = thread; k < 5; k += threads) {
        const double middle = 0.5 * (low[k] + high[k]);
        (below[k] < p[k] * size ? low[k] : high[k]) = middle;
      }
      team.team_barrier();
    }
  }

  KOKKOS_INLINE_FUNCTION FiveQuantiles found() const {
    FiveQuantiles five;
    for (int k = 0; k < 5; ++k) five.q[k] = 0.5 * (low[k] + high[k]);
    return five;
  }
};

}  // namespace tessera::stable::detail
