// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/stable/fit/optimizer.hpp"

namespace tessera::stable::detail {

/// Minus the second derivatives of the log-likelihood by central differences of its gradient, in
/// scratch memory. One thread of a team calls, with sums evaluated at `theta` between `next` and
/// `take`:
///
///     information.begin();
///     while (information.next(optimizer)) information.take(optimizer, sums);
template <int kMost>
struct ObservedInformation {
  double theta[kMost];  ///< where the gradient is wanted
  /// The information of the free parameters, in theta, locations in units of the fitted sigma
  double matrix[kMost * kMost];

  KOKKOS_INLINE_FUNCTION void begin() {
    m_column = 0;
    m_side = 0;
  }

  /// Places theta; false when the matrix is complete, which is symmetric then.
  KOKKOS_INLINE_FUNCTION bool next(const BasicOptimizer<kMost>& optimizer) {
    const int size = optimizer.size();
    while (m_column < size && !optimizer.free(m_column)) ++m_column;
    if (m_column == size) {
      make_symmetric(size);
      return false;
    }
    for (int k = 0; k < size; ++k) theta[k] = optimizer.theta[k];
    const double unit = optimizer.is_location(m_column) ? ::exp(optimizer.theta[2]) : 1.0;
    theta[m_column] += (m_side == 0 ? kStep : -kStep) * unit;
    return true;
  }

  KOKKOS_INLINE_FUNCTION void take(const BasicOptimizer<kMost>& optimizer,
                                   const BasicSums<kMost>& sums) {
    const int size = optimizer.size();
    const double ratio = ::exp(optimizer.theta[2] - theta[2]);
    double* row = &matrix[kMost * m_column];
    for (int k = 0; k < size; ++k) {
      const double gradient = sums.value[1 + k] * (optimizer.is_location(k) ? ratio : 1.0);
      row[k] = m_side == 0 ? gradient : -(row[k] - gradient) / (2 * kStep);
    }
    m_column += m_side;
    m_side = 1 - m_side;
  }

 private:
  static constexpr double kStep = 1e-4;
  int m_column, m_side;

  KOKKOS_INLINE_FUNCTION void make_symmetric(int size) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < i; ++j) {
        const double mean = 0.5 * (matrix[kMost * i + j] + matrix[kMost * j + i]);
        matrix[kMost * i + j] = matrix[kMost * j + i] = mean;
      }
    }
  }
};

}  // namespace tessera::stable::detail
