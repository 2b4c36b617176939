// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// The update of a density that is known by its mean and covariance only, by a measurement of
/// Gaussian errors (R. E. Kalman, J. Basic Eng. 82 (1960) 35).
struct KalmanUpdate {
  linalg::Matrix gain;      ///< K = C S^-1 [D, m]: what the innovation moves the mean by
  double log_evidence = 0;  ///< ln N(innovation; 0, S)
};

/// `cross`: covariance C of the state and the quantities, [D, m]; `total`: that of the innovation,
/// S = Cov h + R; `innovation`: z - E h. Throws Error (input) where S is not positive definite.
KalmanUpdate kalman_update(const linalg::Matrix& cross, const linalg::Matrix& total,
                           const std::vector<double>& innovation);

/// A residual of a quantity with that period the shortest way round; of one without (0) the
/// residual itself.
double shortest_way(double residual, double period);

}  // namespace tessera::gbees
