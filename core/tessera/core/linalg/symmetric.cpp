// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/linalg/symmetric.hpp"

#include <lapacke.h>

#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/host_blas.hpp"

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
        throw Error(ErrorKind::input, "the matrix is not symmetric: elements (" +
                                          std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                                          ") and (" + std::to_string(j + 1) + ", " +
                                          std::to_string(i + 1) + ") differ");
      }
    }
  }
}

std::vector<double> packed_rows(const Matrix& matrix) {
  std::vector<double> packed;
  for (const auto& row : matrix) packed.insert(packed.end(), row.begin(), row.end());
  return packed;
}

/// Cholesky's factor in the lower triangle, row by row; what lies above it is the matrix still.
std::vector<double> factorise(const Matrix& matrix) {
  check_symmetric(matrix);
  std::vector<double> packed = packed_rows(matrix);
  const auto order = static_cast<lapack_int>(matrix.size());
  const HostBlas blas;
  const lapack_int failed = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', order, packed.data(), order);
  if (failed > 0) {
    throw Error(ErrorKind::input,
                "the matrix is not positive definite: its leading minor of order " +
                    std::to_string(failed) + " is not");
  }
  return packed;
}

}  // namespace

Matrix inverse_positive_definite(const Matrix& matrix, double* log_determinant) {
  std::vector<double> packed = factorise(matrix);
  const std::size_t n = matrix.size();
  const auto order = static_cast<lapack_int>(n);
  if (log_determinant != nullptr) {
    *log_determinant = 0;
    for (std::size_t i = 0; i < n; ++i) *log_determinant += 2 * std::log(packed[i * n + i]);
  }
  const HostBlas blas;
  if (LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', order, packed.data(), order) != 0) {
    throw Error(ErrorKind::input, "the matrix is singular");
  }
  Matrix inverse(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) inverse[i][j] = inverse[j][i] = packed[i * n + j];
  }
  return inverse;
}

Matrix cholesky_factor(const Matrix& matrix) {
  const std::vector<double> packed = factorise(matrix);
  const std::size_t n = matrix.size();
  Matrix factor(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) factor[i][j] = packed[i * n + j];
  }
  return factor;
}

Eigen eigen_decomposition(const Matrix& matrix) {
  check_symmetric(matrix);
  const std::size_t n = matrix.size();
  std::vector<double> packed = packed_rows(matrix);
  Eigen result{std::vector<double>(n), Matrix(n, std::vector<double>(n))};
  const auto order = static_cast<lapack_int>(n);
  const HostBlas blas;
  if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', order, packed.data(), order,
                    result.values.data()) != 0) {
    throw Error(ErrorKind::numerical, "the eigenvalues of a matrix did not converge");
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < n; ++i) {
      if (std::fabs(packed[i * n + j]) > std::fabs(packed[largest * n + j]) * (1 + 1e-9))
        largest = i;
    }
    const double sign = packed[largest * n + j] < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) result.vectors[i][j] = sign * packed[i * n + j];
  }
  return result;
}

}  // namespace tessera::linalg
