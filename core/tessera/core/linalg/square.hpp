// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/linalg/symmetric.hpp"

/// Small matrices on the host, given as rows.

namespace tessera::linalg {

Matrix product(const Matrix& a, const Matrix& b);
Matrix transpose(const Matrix& matrix);

/// A M A^T, made symmetric to the last bit.
Matrix congruence(const Matrix& a, const Matrix& m);

/// The inverse of a square matrix, by LAPACK's LU factors. `log_determinant`, if given, receives
/// the logarithm of the absolute value of its determinant. Throws Error (numerical) when the matrix
/// is singular to rounding.
Matrix inverse(const Matrix& matrix, double* log_determinant = nullptr);

/// The matrix with these numbers on its diagonal, and zeros.
Matrix diagonal(const std::vector<double>& values);

/// A matrix R with R R^T = M of a symmetric positive semidefinite matrix M; that of a diagonal one
/// is diagonal. Rows may have different units. Throws Error (input) where M is not symmetric to
/// 1e-12, or has a negative eigenvalue (below -1e-12) when its diagonal is scaled to 1.
Matrix semidefinite_root(const Matrix& matrix);

/// The symmetric square root S of a symmetric positive definite matrix, S S = M. It is taken of the
/// matrix with a unit diagonal and scaled back, so that rows may have different units: S D^-1/2 is
/// symmetric, with D the diagonal. Throws Error (input) when the matrix is not positive definite.
Matrix scaled_root(const Matrix& matrix);

}  // namespace tessera::linalg
