// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/dense.hpp"

namespace tessera::linalg {

/// A symmetric positive definite matrix and its Cholesky factor L, on one device (LocalFactor) or
/// divided among several (SharedFactor).
///
/// The matrix consists of panels: the rows from `first` on of the columns from `first` on, of which
/// a device has some or, alone, the one that is the whole matrix. Of a panel's upper square only
/// the lower triangle counts. Right-hand sides have all rows; on several ranks each may bring
/// columns of its own, as many as it likes, and all calls are made by every rank.
template <class ExecSpace>
class CholeskyFactor {
 public:
  /// A function that works on a panel.
  using Visit = std::function<void(std::int64_t first, const Block& panel)>;

  virtual ~CholeskyFactor() = default;

  /// Calls `fill` for each panel that this device has, and factorises the matrix. Returns 0, or the
  /// order of the first leading minor that is not positive definite.
  virtual std::int64_t factor(const Visit& fill) = 0;

  /// The diagonal of L, on every rank.
  virtual std::vector<double> diagonal() = 0;

  virtual void solve(const Block& b) = 0;                ///< B := L^-1 B
  virtual void solve_transposed(const Block& b) = 0;     ///< B := L^-T B
  virtual void multiply(const Block& b) = 0;             ///< B := L B
  virtual void multiply_transposed(const Block& b) = 0;  ///< B := L' B

  /// Calls `use` for each panel of the inverse (L L')^-1 that this device has, in order. The factor
  /// may be gone then.
  virtual void invert(const Visit& use) = 0;

  /// Returns what computes other products on the same device.
  virtual Dense<ExecSpace>& dense() = 0;
};

/// The diagonal of a block.
struct TakeDiagonal {
  Block a;
  double* to;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { to[i] = a.data[i + i * a.stride]; }
};

}  // namespace tessera::linalg
