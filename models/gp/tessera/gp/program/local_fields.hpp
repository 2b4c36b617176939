// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/io/group.hpp"
#include "tessera/gp/program/observations.hpp"
#include "tessera/gp/program/parameters.hpp"

/// What a run with a covariance that is not stationary takes from its points, and writes of it.

namespace tessera::gp {

/// Sets the centres of the covariates and the ends of the knots, where the input leaves them to the
/// points. Throws Error (input) where a coordinate to be warped does not vary.
void complete_local_model(const Observations& observations, Parameters& parameters);

/// Throws Error (input) where a coefficient that is to be fitted belongs to a covariate that, at
/// these points, is constant or a combination of others of the same parameter.
void require_varied_covariates(const Parameters& parameters, const Points& points);

/// Writes the variance, the range and the nugget at each of the points, and the warp.
void write_local(const io::Group& results, const CovarianceModel& model, const Theta& theta,
                 const Points& points);

}  // namespace tessera::gp
