// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>
#include <lapacke.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

#include "tessera/core/linalg/blocked.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/host_blas.hpp"
#include "tessera/core/linalg/kokkos_kernels.hpp"

namespace tessera::linalg {

namespace {

CBLAS_TRANSPOSE cblas(Transpose op) { return op == Transpose::yes ? CblasTrans : CblasNoTrans; }

int as_int(std::int64_t size) { return static_cast<int>(size); }

// Each functor below works on one tile of the result.

struct ProductTile {
  double alpha, beta;
  Block a, b, c;
  Transpose op_a, op_b;
  std::int64_t tile, tiles_down;
  bool lower;  // c is a triangle, and a the only factor

  void operator()(std::int64_t t) const {
    const std::int64_t i = t % tiles_down * tile, j = t / tiles_down * tile;
    const std::int64_t rows = std::min(tile, c.rows - i), columns = std::min(tile, c.columns - j);
    if (lower && i < j) return;
    const std::int64_t depth = op_a == Transpose::no ? a.columns : a.rows;
    const Block result = c.submatrix(i, j, rows, columns);
    const double* left = op_a == Transpose::no ? a.data + i : a.data + i * a.stride;
    if (lower && i == j) {
      cblas_dsyrk(CblasColMajor, CblasLower, cblas(op_a), as_int(rows), as_int(depth), alpha, left,
                  as_int(a.stride), beta, result.data, as_int(result.stride));
      return;
    }
    const double* right = op_b == Transpose::no ? b.data + j * b.stride : b.data + j;
    // many times faster than gemm, which packs its factors first
    if (c.columns == 1 && op_b == Transpose::no) {
      const std::int64_t across = op_a == Transpose::no ? depth : rows,
                         down = op_a == Transpose::no ? rows : depth;
      cblas_dgemv(CblasColMajor, cblas(op_a), as_int(down), as_int(across), alpha, left,
                  as_int(a.stride), right, 1, beta, result.data, 1);
      return;
    }
    cblas_dgemm(CblasColMajor, cblas(op_a), cblas(op_b), as_int(rows), as_int(columns),
                as_int(depth), alpha, left, as_int(a.stride), right, as_int(b.stride), beta,
                result.data, as_int(result.stride));
  }
};

/// B := alpha op(L)^-1 B, alpha op(L) B (left) or alpha B op(L)^-1 (right), a strip of B at a time;
/// alpha is 1 for a single column.
struct TriangleStrip {
  double alpha;
  Block l, b;
  CBLAS_SIDE side;
  Transpose op;
  bool solve;
  std::int64_t strip;

  void operator()(std::int64_t t) const {
    const std::int64_t first = t * strip;
    const Block block = side == CblasLeft
                            ? b.submatrix(0, first, b.rows, std::min(strip, b.columns - first))
                            : b.submatrix(first, 0, std::min(strip, b.rows - first), b.columns);
    if (side == CblasLeft && block.columns == 1) {
      const auto call = solve ? cblas_dtrsv : cblas_dtrmv;
      call(CblasColMajor, CblasLower, cblas(op), CblasNonUnit, as_int(block.rows), l.data,
           as_int(l.stride), block.data, 1);
      return;
    }
    const auto call = solve ? cblas_dtrsm : cblas_dtrmm;
    call(CblasColMajor, side, CblasLower, cblas(op), CblasNonUnit, as_int(block.rows),
         as_int(block.columns), alpha, l.data, as_int(l.stride), block.data, as_int(block.stride));
  }
};

}  // namespace

template <class ExecSpace>
struct Dense<ExecSpace>::Device {
  static constexpr std::int64_t block = 256;

  ExecSpace exec;

  template <class Functor>
  void spread(std::int64_t count, const Functor& functor) const {
    if (count == 1) {
      functor(0);
    } else if (count > 1) {
      HostBlas::require_buffers(
          static_cast<int>(std::min<std::int64_t>(count, exec.concurrency())));
      Kokkos::parallel_for("tessera::linalg::tiles",
                           Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>,
                                               Kokkos::Schedule<Kokkos::Dynamic>>(
                               exec, 0, count, Kokkos::ChunkSize(1)),
                           functor);
    }
  }

  std::int64_t factor_block(const Block& a) const {
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', as_int(a.rows), a.data, as_int(a.stride));
  }
  void strips(double alpha, const Block& l, const Block& b, CBLAS_SIDE side, Transpose op,
              bool solve) const {
    const std::int64_t length = side == CblasLeft ? b.columns : b.rows, strip = 64;
    spread((length + strip - 1) / strip, TriangleStrip{alpha, l, b, side, op, solve, strip});
  }
  void solve_left(const Block& l, const Block& b) const {
    strips(1, l, b, CblasLeft, Transpose::no, true);
  }
  void solve_left_transposed(const Block& l, const Block& b) const {
    strips(1, l, b, CblasLeft, Transpose::yes, true);
  }
  void solve_right(double alpha, const Block& l, Transpose op, const Block& b) const {
    strips(alpha, l, b, CblasRight, op, true);
  }
  void multiply_left(const Block& l, const Block& b) const {
    strips(1, l, b, CblasLeft, Transpose::no, false);
  }
  void multiply_left_transposed(const Block& l, const Block& b) const {
    strips(1, l, b, CblasLeft, Transpose::yes, false);
  }
  void gemm(double alpha, const Block& a, Transpose op_a, const Block& b, Transpose op_b,
            double beta, const Block& c) const {
    const std::int64_t down = (c.rows + block - 1) / block,
                       across = (c.columns + block - 1) / block;
    spread(down * across, ProductTile{alpha, beta, a, b, c, op_a, op_b, block, down, false});
  }
  void syrk(double alpha, const Block& a, Transpose op, double beta, const Block& c) const {
    const std::int64_t down = (c.rows + block - 1) / block;
    const Transpose other = op == Transpose::no ? Transpose::yes : Transpose::no;
    spread(down * down, ProductTile{alpha, beta, a, a, c, op, other, block, down, true});
  }
  void invert_block(const Block& l) const {
    LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', as_int(l.rows), l.data, as_int(l.stride));
  }
  void square_block(const Block& w) const {
    LAPACKE_dlauum_work(LAPACK_COL_MAJOR, 'L', as_int(w.rows), w.data, as_int(w.stride));
  }
};

template <class ExecSpace>
Dense<ExecSpace>::Dense(const ExecSpace& exec, std::int64_t) : m_device(new Device{exec}) {}

template <class ExecSpace>
Dense<ExecSpace>::~Dense() = default;

template <class ExecSpace>
std::uint64_t Dense<ExecSpace>::workspace_bytes(const ExecSpace&, std::int64_t) {
  return 0;
}

template <class ExecSpace>
std::int64_t Dense<ExecSpace>::factor(const Block& a) {
  const HostBlas blas;
  return detail::factor(*m_device, a);
}

template <class ExecSpace>
void Dense<ExecSpace>::invert(const Block& l) {
  const HostBlas blas;
  detail::invert_triangle(*m_device, l);
  detail::square_triangle(*m_device, l);
}

template <class ExecSpace>
void Dense<ExecSpace>::solve(const Block& l, const Block& b) {
  const HostBlas blas;
  detail::solve(*m_device, l, b);
}

template <class ExecSpace>
void Dense<ExecSpace>::solve_transposed(const Block& l, const Block& b) {
  const HostBlas blas;
  detail::solve_transposed(*m_device, l, b);
}

template <class ExecSpace>
void Dense<ExecSpace>::solve_right_transposed(const Block& l, const Block& b) {
  const HostBlas blas;
  m_device->solve_right(1, l, Transpose::yes, b);
}

template <class ExecSpace>
void Dense<ExecSpace>::multiply(const Block& l, const Block& b) {
  const HostBlas blas;
  detail::multiply(*m_device, l, b);
}

template <class ExecSpace>
void Dense<ExecSpace>::multiply_transposed(const Block& l, const Block& b) {
  const HostBlas blas;
  detail::multiply_transposed(*m_device, l, b);
}

template <class ExecSpace>
void Dense<ExecSpace>::gemm(double alpha, const Block& a, Transpose op_a, const Block& b,
                            Transpose op_b, double beta, const Block& c) {
  const HostBlas blas;
  m_device->gemm(alpha, a, op_a, b, op_b, beta, c);
}

template <class ExecSpace>
void Dense<ExecSpace>::syrk(double alpha, const Block& a, Transpose op, double beta,
                            const Block& c) {
  const HostBlas blas;
  m_device->syrk(alpha, a, op, beta, c);
}

// For small matrices a program needs these on every backend.
#ifdef KOKKOS_ENABLE_SERIAL
template class Dense<Kokkos::Serial>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template class Dense<Kokkos::OpenMP>;
#endif

}  // namespace tessera::linalg
