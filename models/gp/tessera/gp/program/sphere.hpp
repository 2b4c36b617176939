// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gp/program/parameters.hpp"

namespace tessera::gp {

/// Warns where a run takes great-circle distances in a covariance that need not be positive
/// definite with them: Matern covariances are up to nu = 1/2, powered exponentials up to the
/// exponent 1 (Gneiting, Bernoulli 19, 2013, Table 1).
void warn_of_great_circle(const Parameters& parameters);

/// Warns where a Legendre series has too few terms for theta: where more than a hundredth of the
/// variance of the whole series is beyond them.
void warn_of_truncation(const CovarianceModel& model, const Theta& theta);

}  // namespace tessera::gp
