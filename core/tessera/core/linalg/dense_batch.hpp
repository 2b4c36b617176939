// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::linalg {

/// Many symmetric positive definite matrices of one order at once, in place, double precision, as
/// Dense has one of them. A CUDA device takes cuSOLVER and cuBLAS, a CPU LAPACK and BLAS, a matrix
/// a thread: the bits do not depend on the number of threads, nor on which matrices come together.
///
/// Matrices are column-major and follow each other without gaps. Backward stable as Dense. Throws
/// Error (resource) when the device's libraries or its memory fail.
///
/// Example (tests/unit/linalg_dense.cpp):
///
///     const std::vector<std::int64_t> factor_of{2, 0, 2}, columns{4, 4, 2};
///     batch.solve(matrices.data(), order, factor_of, solved.data(), width, columns);
template <class ExecSpace>
class DenseBatch {
 public:
  explicit DenseBatch(const ExecSpace& exec);
  ~DenseBatch();
  DenseBatch(const DenseBatch&) = delete;
  DenseBatch& operator=(const DenseBatch&) = delete;

  /// A = L L' for each of `count` matrices of order n; A becomes L in its lower triangle. Returns
  /// the numbers of those that are not positive definite, in order. Waits for the device.
  std::vector<std::int64_t> factor(double* a, std::int64_t n, std::int64_t count);

  /// B_k := L_f^-1 B_k with f = factor_of[k]. Each B_k has room for `width` columns, of which the
  /// first columns[k] count; the others may become anything.
  void solve(const double* l, std::int64_t n, const std::vector<std::int64_t>& factor_of, double* b,
             std::int64_t width, const std::vector<std::int64_t>& columns);

 private:
  struct Device;
  std::unique_ptr<Device> m_device;
};

}  // namespace tessera::linalg
