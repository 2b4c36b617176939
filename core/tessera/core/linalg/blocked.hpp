// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/core/linalg/dense.hpp"

/// Blocked algorithms on lower triangles, written once for every device. `Device` supplies the
/// operations on blocks:
///
///   block                                    their size
///   factor_block(A)                          A = L L', returns 0 or the order of the failing minor
///   solve_left(L, B), solve_left_transposed  B := L^-1 B, B := L^-T B
///   solve_right(alpha, L, Transpose, B)      B := alpha B op(L)^-1
///   multiply_left(L, B), multiply_left_transposed
///   gemm(alpha, A, op, B, op, beta, C), syrk(alpha, A, op, beta, C)   C lower := alpha op(A) op(A)' + beta C
///   invert_block(L)                          L := L^-1 (lower triangle)
///   square_block(W)                          W := W' W (lower triangle)

namespace tessera::linalg::detail {

/// Calls visit(first, size) for each diagonal block, from the first to the last.
template <class Visit>
void each_block(std::int64_t n, std::int64_t block, const Visit& visit) {
  for (std::int64_t k = 0; k < n; k += block) visit(k, std::min(block, n - k));
}

template <class Visit>
void each_block_backwards(std::int64_t n, std::int64_t block, const Visit& visit) {
  for (std::int64_t k = (n - 1) / block * block; k >= 0; k -= block)
    visit(k, std::min(block, n - k));
}

/// Right-looking Cholesky factorisation.
template <class Device>
std::int64_t factor(Device& device, const Block& a) {
  const std::int64_t n = a.rows;
  for (std::int64_t k = 0; k < n; k += device.block) {
    const std::int64_t size = std::min(device.block, n - k), rest = n - k - size;
    const Block diagonal = a.submatrix(k, k, size, size);
    const std::int64_t failed = device.factor_block(diagonal);
    if (failed != 0) return k + failed;
    if (rest == 0) break;
    const Block panel = a.submatrix(k + size, k, rest, size);
    device.solve_right(1, diagonal, Transpose::yes, panel);
    device.syrk(-1, panel, Transpose::no, 1, a.submatrix(k + size, k + size, rest, rest));
  }
  return 0;
}

/// L := L^-1, all the work in products with blocks of rows below.
template <class Device>
void invert_triangle(Device& device, const Block& l) {
  const std::int64_t n = l.rows;
  each_block(n, device.block, [&](std::int64_t k, std::int64_t size) {
    const std::int64_t below = k + size, rest = n - below;
    const Block diagonal = l.submatrix(k, k, size, size), left = l.submatrix(k, 0, size, k);
    if (rest > 0) {
      const Block panel = l.submatrix(below, k, rest, size);
      device.solve_right(-1, diagonal, Transpose::no, panel);
      if (k > 0)
        device.gemm(1, panel, Transpose::no, left, Transpose::no, 1,
                    l.submatrix(below, 0, rest, k));
    }
    if (k > 0) device.solve_left(diagonal, left);
    device.invert_block(diagonal);
  });
}

/// W := W' W, lower triangle, for a lower triangular W.
template <class Device>
void square_triangle(Device& device, const Block& w) {
  each_block(w.rows, device.block, [&](std::int64_t k, std::int64_t size) {
    const Block diagonal = w.submatrix(k, k, size, size), left = w.submatrix(k, 0, size, k);
    if (k > 0) {
      device.syrk(1, left, Transpose::yes, 1, w.submatrix(0, 0, k, k));
      device.multiply_left_transposed(diagonal, left);
    }
    device.square_block(diagonal);
  });
}

template <class Device>
void solve(Device& device, const Block& l, const Block& b) {
  const std::int64_t n = l.rows, m = b.columns;
  each_block(n, device.block, [&](std::int64_t k, std::int64_t size) {
    const std::int64_t below = k + size, rest = n - below;
    device.solve_left(l.submatrix(k, k, size, size), b.submatrix(k, 0, size, m));
    if (rest > 0)
      device.gemm(-1, l.submatrix(below, k, rest, size), Transpose::no, b.submatrix(k, 0, size, m),
                  Transpose::no, 1, b.submatrix(below, 0, rest, m));
  });
}

template <class Device>
void solve_transposed(Device& device, const Block& l, const Block& b) {
  const std::int64_t m = b.columns;
  each_block_backwards(l.rows, device.block, [&](std::int64_t k, std::int64_t size) {
    device.solve_left_transposed(l.submatrix(k, k, size, size), b.submatrix(k, 0, size, m));
    if (k > 0)
      device.gemm(-1, l.submatrix(k, 0, size, k), Transpose::yes, b.submatrix(k, 0, size, m),
                  Transpose::no, 1, b.submatrix(0, 0, k, m));
  });
}

template <class Device>
void multiply(Device& device, const Block& l, const Block& b) {
  const std::int64_t m = b.columns;
  each_block_backwards(l.rows, device.block, [&](std::int64_t k, std::int64_t size) {
    device.multiply_left(l.submatrix(k, k, size, size), b.submatrix(k, 0, size, m));
    if (k > 0)
      device.gemm(1, l.submatrix(k, 0, size, k), Transpose::no, b.submatrix(0, 0, k, m),
                  Transpose::no, 1, b.submatrix(k, 0, size, m));
  });
}

template <class Device>
void multiply_transposed(Device& device, const Block& l, const Block& b) {
  const std::int64_t n = l.rows, m = b.columns;
  each_block(n, device.block, [&](std::int64_t k, std::int64_t size) {
    const std::int64_t below = k + size, rest = n - below;
    device.multiply_left_transposed(l.submatrix(k, k, size, size), b.submatrix(k, 0, size, m));
    if (rest > 0)
      device.gemm(1, l.submatrix(below, k, rest, size), Transpose::yes,
                  b.submatrix(below, 0, rest, m), Transpose::no, 1, b.submatrix(k, 0, size, m));
  });
}

}  // namespace tessera::linalg::detail
