// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::stable::detail {

/// kCount linear recurrences side by side, by a team,
///
///     x_i = f x_{i-1} + u_i,  i = 0 ... size - 1,  x_{-1} = 0,
///
/// each with its factor f. Threads take a block of the numbers each: first for what it adds to its
/// end, then, knowing where it starts, for the numbers themselves. The number of threads decides
/// the last bits.
template <int kCount>
struct Recurrence {
  double factor[kCount];
  double* x[kCount];

  /// kCount doubles a thread.
  template <class Member>
  KOKKOS_INLINE_FUNCTION static int work_size(const Member& team) {
    return kCount * team.team_size();
  }

  /// input(i, u) gives u_i of all recurrences; it may use what earlier recurrences have left at i -
  /// 1.
  template <class Member, class Input>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team, int size, double* work,
                                         const Input& input) const {
    const int thread = team.team_rank(), threads = team.team_size();
    const int block = (size + threads - 1) / threads, begin = thread * block,
              end = begin + block < size ? begin + block : size;
    double at[kCount];
    for (int k = 0; k < kCount; ++k) at[k] = 0;
    if (threads > 1) {
      double u[kCount];
      for (int i = begin; i < end; ++i) {
        input(i, u);
        for (int k = 0; k < kCount; ++k) at[k] = factor[k] * at[k] + u[k];
      }
      for (int k = 0; k < kCount; ++k) work[kCount * thread + k] = at[k];
      team.team_barrier();
      for (int k = thread; k < kCount; k += threads) {  // where each block ends
        const double over_block = ::pow(factor[k], static_cast<double>(block));
        for (int q = 1; q < threads; ++q)
          work[kCount * q + k] += over_block * work[kCount * (q - 1) + k];
      }
      team.team_barrier();
      for (int k = 0; k < kCount; ++k) at[k] = thread == 0 ? 0 : work[kCount * (thread - 1) + k];
    }
    double u[kCount];
    for (int i = begin; i < end; ++i) {
      input(i, u);
      for (int k = 0; k < kCount; ++k) x[k][i] = at[k] = factor[k] * at[k] + u[k];
    }
    team.team_barrier();
  }
};

}  // namespace tessera::stable::detail
