// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// A covariance without negative eigenvalues.
struct MendedCovariance {
  linalg::Matrix matrix;
  /// The least eigenvalue of the matrix as given, with its diagonal scaled to 1; below 0 it was
  /// mended
  double least_eigenvalue = 0;
  bool mended = false;
};

/// Raises the negative eigenvalues of a symmetric matrix to zero. They are those of the matrix with
/// a unit diagonal, so that rows may have different units (Hall, Hejduk, Johnson, AAS 17-567,
/// "Remediating non-positive definite state covariances", clip the eigenvalues likewise). Those
/// above -1e-12 are rounding, and stay. Throws Error (input) where a variance is negative, or zero
/// with a covariance that is not.
MendedCovariance mend_covariance(const linalg::Matrix& matrix);

/// A matrix R with R R^T = M, R lower triangular but for mended matrices.
linalg::Matrix covariance_root(const MendedCovariance& covariance);

}  // namespace tessera::gbees
