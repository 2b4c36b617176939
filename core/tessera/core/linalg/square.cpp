// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/linalg/square.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/host_blas.hpp"

namespace tessera::linalg {

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.size(), std::vector<double>(b.front().size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < result[i].size(); ++j) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

Matrix transpose(const Matrix& matrix) {
  Matrix result(matrix.front().size(), std::vector<double>(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix[i].size(); ++j) result[j][i] = matrix[i][j];
  }
  return result;
}

Matrix congruence(const Matrix& a, const Matrix& m) {
  Matrix result = product(product(a, m), transpose(a));
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      result[i][j] = result[j][i] = 0.5 * (result[i][j] + result[j][i]);
  }
  return result;
}

Matrix inverse(const Matrix& matrix, double* log_determinant) {
  const std::size_t n = matrix.size();
  const auto order = static_cast<lapack_int>(n);
  std::vector<double> packed;
  for (const auto& row : matrix) packed.insert(packed.end(), row.begin(), row.end());
  std::vector<lapack_int> pivot(n);
  const HostBlas blas;
  if (packed.size() != n * n ||
      LAPACKE_dgetrf(LAPACK_ROW_MAJOR, order, order, packed.data(), order, pivot.data()) != 0) {
    throw Error(ErrorKind::numerical, "the matrix is singular");
  }
  if (log_determinant != nullptr) {
    *log_determinant = 0;
    for (std::size_t i = 0; i < n; ++i) *log_determinant += std::log(std::fabs(packed[i * n + i]));
  }
  if (LAPACKE_dgetri(LAPACK_ROW_MAJOR, order, packed.data(), order, pivot.data()) != 0)
    throw Error(ErrorKind::numerical, "the matrix is singular");
  Matrix result(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      result[i][j] = packed[i * n + j];
      if (!std::isfinite(result[i][j]))
        throw Error(ErrorKind::numerical, "the matrix is singular to rounding");
    }
  }
  return result;
}

Matrix diagonal(const std::vector<double>& values) {
  Matrix matrix(values.size(), std::vector<double>(values.size(), 0.0));
  for (std::size_t i = 0; i < values.size(); ++i) matrix[i][i] = values[i];
  return matrix;
}

Matrix semidefinite_root(const Matrix& matrix) {
  constexpr double kRounding = 1e-12;
  const std::size_t n = matrix.size();
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    scale[i] = std::sqrt(std::max(matrix[i][i], 0.0));
    if (!(matrix[i][i] >= 0) || !std::isfinite(scale[i])) {
      throw Error(ErrorKind::input, "the matrix is not positive semidefinite: element " +
                                        std::to_string(i + 1) + " of its diagonal is negative");
    }
  }
  Matrix unit(n, std::vector<double>(n, 0.0));
  bool is_diagonal = true;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double product = scale[i] * scale[j];
      if (!(product > 0) && matrix[i][j] != 0) {
        throw Error(ErrorKind::input, "the matrix is not positive semidefinite: row " +
                                          std::to_string(i + 1) +
                                          " has an element beside a zero on the diagonal");
      }
      unit[i][j] = product > 0 ? matrix[i][j] / product : 0;
      is_diagonal = is_diagonal && (i == j || matrix[i][j] == 0);
    }
  }
  if (is_diagonal) return diagonal(scale);
  const Eigen eigen = eigen_decomposition(unit);
  if (eigen.values.front() < -kRounding)
    throw Error(ErrorKind::input, "the matrix is not positive semidefinite");
  Matrix root(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      root[i][k] = scale[i] * eigen.vectors[i][k] * std::sqrt(std::max(eigen.values[k], 0.0));
  }
  return root;
}

Matrix scaled_root(const Matrix& matrix) {
  const std::size_t n = matrix.size();
  std::vector<double> scale(n);
  Matrix unit = matrix;
  for (std::size_t i = 0; i < n; ++i) {
    scale[i] = std::sqrt(matrix[i][i]);
    if (!(scale[i] > 0) || !std::isfinite(scale[i]))
      throw Error(ErrorKind::input, "the matrix is not positive definite");
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) unit[i][j] /= scale[i] * scale[j];
  }
  const Eigen eigen = eigen_decomposition(unit);
  Matrix root(n, std::vector<double>(n, 0.0));
  for (std::size_t k = 0; k < n; ++k) {
    if (!(eigen.values[k] > 0))
      throw Error(ErrorKind::input, "the matrix is not positive definite");
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        root[i][j] +=
            scale[i] * eigen.vectors[i][k] * std::sqrt(eigen.values[k]) * eigen.vectors[j][k];
      }
    }
  }
  return root;
}

}  // namespace tessera::linalg
