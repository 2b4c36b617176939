// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace tessera::linalg {

using Matrix = std::vector<std::vector<double>>;

/// The inverse of a small symmetric positive definite matrix (rows), by Cholesky's factorisation in LAPACK. `log_determinant`, if given,
/// receives the logarithm of the matrix's determinant.
/// Throws Error (input) when the matrix is not square, not symmetric (beyond 1e-12 of its diagonal) or not positive definite.
Matrix inverse_positive_definite(const Matrix& matrix, double* log_determinant = nullptr);

}  // namespace tessera::linalg
