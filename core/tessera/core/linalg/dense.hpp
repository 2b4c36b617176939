// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace tessera::linalg {

/// A column-major matrix (or a submatrix of one) in the memory of a device: element (i, j) lies at
/// data[i + j * stride]. Does not own it.
struct Block {
  double* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;

  Block submatrix(std::int64_t row, std::int64_t column, std::int64_t row_count,
                  std::int64_t column_count) const {
    return {data + row + column * stride, row_count, column_count, stride};
  }
};

enum class Transpose { no, yes };

/// Dense linear algebra with symmetric positive definite matrices on one device, in place, double
/// precision.
///
/// Of a symmetric or triangular matrix only the lower triangle is read and written; what stands
/// above the diagonal may be anything. Who does the work:
///
/// | | CUDA | CPU |
/// |---|---|---|
/// | Cholesky factor | cuSOLVER | LAPACK, block by block |
/// | products and triangular solves | Kokkos Kernels (on cuBLAS) | BLAS, tile by tile |
/// | symmetric product A A' | cuBLAS: Kokkos Kernels has none | BLAS, tile by tile |
/// | small products A' B | cuBLAS: Kokkos Kernels adds them up with atomics | BLAS, tile by tile |
/// | A := factor A | Kokkos Kernels | Kokkos Kernels |
///
/// Kokkos Kernels has no Cholesky factorisation. On a CPU it hands whole matrices to BLAS, whose
/// threads then decide the order of sums; here BLAS and LAPACK work on one block or tile at a time
/// with one thread each, and these are spread over the threads of the execution space: the bits do
/// not depend on the number of threads. Everything is enqueued on `exec`; only `factor` waits for
/// the device.
///
/// Backward stable: the factor L satisfies |L L' - A| <= c n eps |A| with c of order 1 (tested at n
/// = 700: 1e-14 relative). Throws Error (resource) when the device's libraries or its memory fail.
///
/// Example (tests/install/examples/gp.cpp):
///
///     linalg::Dense<ExecSpace> dense(exec, n);
///     const linalg::Block l{matrix.data(), n, n, n}, x{b.data(), n, 1, n};
///     const std::int64_t failed = dense.factor(l);  // A = L L'; 0: positive definite
///     dense.solve(l, x);                            // x := L^-1 x
///     dense.multiply(l, x);                         // x := L x
template <class ExecSpace>
class Dense {
 public:
  /// Allocates the workspace for matrices up to order `largest`.
  Dense(const ExecSpace& exec, std::int64_t largest);
  ~Dense();
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;

  /// Bytes that the constructor allocates on the device.
  static std::uint64_t workspace_bytes(const ExecSpace& exec, std::int64_t largest);

  /// A = L L' (Cholesky); A becomes L. Returns 0, or the order of the first leading minor that is
  /// not positive definite.
  std::int64_t factor(const Block& a);

  /// A (in its lower triangle L, from `factor`) becomes the lower triangle of the inverse (L
  /// L')^-1.
  void invert(const Block& l);

  void solve(const Block& l, const Block& b);                   ///< B := L^-1 B
  void solve_transposed(const Block& l, const Block& b);        ///< B := L^-T B
  void solve_right_transposed(const Block& l, const Block& b);  ///< B := B L^-T
  void multiply(const Block& l, const Block& b);                ///< B := L B
  void multiply_transposed(const Block& l, const Block& b);     ///< B := L^T B

  /// C := alpha op(A) op(B) + beta C
  void gemm(double alpha, const Block& a, Transpose op_a, const Block& b, Transpose op_b,
            double beta, const Block& c);

  /// C := alpha op(A) op(A)' + beta C, lower triangle.
  void syrk(double alpha, const Block& a, Transpose op, double beta, const Block& c);

 private:
  struct Device;
  std::unique_ptr<Device> m_device;
};

}  // namespace tessera::linalg
