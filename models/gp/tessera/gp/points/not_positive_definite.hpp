// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

/// Explains why the covariance of theta has no Cholesky factor, given the row at which it failed:
/// which point, how far from its neighbour, and what is the likely cause (near duplicates, a smooth
/// covariance without a nugget, the metric).
std::string explain_not_positive_definite(const CovarianceModel& model, const Points& points,
                                          const Theta& theta, std::size_t row);

/// Does the same for a prediction at row `row` of `targets`, from `count` of the data.
std::string explain_unsolved(const CovarianceModel& model, const Points& points, const Theta& theta,
                             std::size_t row, const Points& targets, std::size_t count);

/// Says what the user can do about it.
std::string remedy_not_positive_definite(const CovarianceModel& model);

}  // namespace tessera::gp
