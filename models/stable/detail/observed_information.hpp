// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/detail/optimizer.hpp"

namespace tessera::stable::detail {

/// Minus the second derivatives of the log-likelihood, in scratch memory.
template <int kMost>
struct ObservedInformation {
  double theta[kMost], gradient[2][kMost];
  double matrix[kMost * kMost];  ///< of the free parameters, in theta, locations in units of the fitted sigma

  /// By central differences of the gradient at the optimizer's theta, made symmetric. evaluate(theta) leaves sums in `sums`; all threads of
  /// the team take part.
  template <class Member, class Evaluate>
  KOKKOS_INLINE_FUNCTION void find(const Member& team, const BasicOptimizer<kMost>& optimizer, const BasicSums<kMost>& sums,
                                   const Evaluate& evaluate) {
    const int thread = team.team_rank(), size = optimizer.size();
    for (int i = 0; i < size; ++i) {
      if (!optimizer.free(i)) continue;
      for (int side = 0; side < 2; ++side) {
        if (thread == 0) {
          for (int k = 0; k < size; ++k) theta[k] = optimizer.theta[k];
          theta[i] += (side == 0 ? 1e-4 : -1e-4) * (optimizer.is_location(i) ? ::exp(optimizer.theta[2]) : 1.0);
        }
        team.team_barrier();
        evaluate(theta);
        if (thread == 0) {
          const double ratio = ::exp(optimizer.theta[2] - theta[2]);
          for (int k = 0; k < size; ++k) gradient[side][k] = sums.value[1 + k] * (optimizer.is_location(k) ? ratio : 1.0);
        }
        team.team_barrier();
      }
      if (thread == 0) {
        for (int k = 0; k < size; ++k) matrix[kMost * i + k] = -(gradient[0][k] - gradient[1][k]) / 2e-4;
      }
      team.team_barrier();
    }
    if (thread == 0) {
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
          const double mean = 0.5 * (matrix[kMost * i + j] + matrix[kMost * j + i]);
          matrix[kMost * i + j] = matrix[kMost * j + i] = mean;
        }
      }
    }
    team.team_barrier();
  }
};

}  // namespace tessera::stable::detail
