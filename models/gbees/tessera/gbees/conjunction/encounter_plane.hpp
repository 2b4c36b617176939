// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// The probability that a Gaussian in the plane lies within a disc of that radius about the origin:
/// the published two-dimensional formula of the collision probability (Foster, Estes, NASA
/// JSC-25898, 1992), as a single integral of error functions (Alfano, Journal of the Astronautical
/// Sciences 53 (2005) 103). mean: 2 numbers, m; covariance: 2 x 2, m^2. Relative error: 1e-9 above
/// 1e-250. A covariance without one or both variances is allowed.
double disc_probability(const double* mean, const linalg::Matrix& covariance, double radius);

}  // namespace tessera::gbees
