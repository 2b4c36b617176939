// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "core/linalg/symmetric.hpp"

#include <lapacke.h>

#include <cmath>
#include <string>

#include "core/error.hpp"

namespace tessera::linalg {

namespace {

void check_symmetric(const Matrix& matrix) {
  const std::size_t n = matrix.size();
  for (const auto& row : matrix) {
    if (row.size() != n) throw Error(ErrorKind::input, "the matrix is not square");
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double scale = std::sqrt(std::fabs(matrix[i][i] * matrix[j][j]));
      if (std::fabs(matrix[i][j] - matrix[j][i]) > 1e-12 * scale) {
        throw Error(ErrorKind::input, "the matrix is not symmetric: elements (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                                          ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) + ") differ");
      }
    }
  }
}

}  // namespace

Matrix inverse_positive_definite(const Matrix& matrix, double* log_determinant) {
  check_symmetric(matrix);
  const std::size_t n = matrix.size();
  std::vector<double> packed(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) packed[i * n + j] = matrix[i][j];
  }
  const auto order = static_cast<lapack_int>(n);
  const lapack_int failed = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', order, packed.data(), order);
  if (failed > 0) {
    throw Error(ErrorKind::input, "the matrix is not positive definite: its leading minor of order " + std::to_string(failed) + " is not");
  }
  if (log_determinant != nullptr) {
    *log_determinant = 0;
    for (std::size_t i = 0; i < n; ++i) *log_determinant += 2 * std::log(packed[i * n + i]);
  }
  if (LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', order, packed.data(), order) != 0) {
    throw Error(ErrorKind::input, "the matrix is singular");
  }
  Matrix inverse(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) inverse[i][j] = inverse[j][i] = packed[i * n + j];
  }
  return inverse;
}

}  // namespace tessera::linalg
