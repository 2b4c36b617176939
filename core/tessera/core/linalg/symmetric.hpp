// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace tessera::linalg {

using Matrix = std::vector<std::vector<double>>;

/// The inverse of a small symmetric positive definite matrix (rows), by Cholesky's factorisation in
/// LAPACK. `log_determinant`, if given, receives the logarithm of the matrix's determinant. Throws
/// Error (input) when the matrix is not square, not symmetric (beyond 1e-12 of its diagonal) or not
/// positive definite.
Matrix inverse_positive_definite(const Matrix& matrix, double* log_determinant = nullptr);

/// The eigenvalues of a small symmetric matrix, ascending, and its eigenvectors as the columns of
/// `vectors`: orthonormal, each with its largest component (the first of those that are equal)
/// positive.
struct Eigen {
  std::vector<double> values;
  Matrix vectors;
};

/// Throws Error (input) when the matrix is not square or not symmetric (beyond 1e-12 of its
/// diagonal).
Eigen eigen_decomposition(const Matrix& matrix);

/// The lower triangular matrix L with L L^T = the matrix. Errors as of inverse_positive_definite.
Matrix cholesky_factor(const Matrix& matrix);

}  // namespace tessera::linalg
