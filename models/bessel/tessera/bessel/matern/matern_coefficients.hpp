// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/bessel/matern/matern_function.hpp"

namespace tessera::bessel::detail {

/// The numbers from which the Matern correlation of one smoothness is evaluated: polynomials on
/// intervals of the range, for M and dM/dnu, and the constants of the expansion about zero. They
/// depend on nu alone, not on range or variance.
struct MaternCoefficients {
  MaternShape shape;          ///< intervals and constants
  std::vector<double> value;  ///< polynomials of M, as MaternPolynomials reads them
  std::vector<double> order;  ///< the same of dM/dnu
};

/// Builds them for kMaternMinNu <= nu <= kMaternMaxNu in extended precision, in some tenths of a
/// millisecond. Throws Error (input) for another nu.
MaternCoefficients matern_coefficients(double nu);

}  // namespace tessera::bessel::detail
