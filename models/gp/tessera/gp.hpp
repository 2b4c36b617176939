// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Gaussian processes with a Matern covariance of any smoothness, exact and by Vecchia's
/// approximation.

#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/correlation.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/exact/cross_validation.hpp"
#include "tessera/gp/likelihood/fisher_scoring.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/points/neighbours.hpp"
#include "tessera/gp/points/ordering.hpp"
#include "tessera/gp/points/points.hpp"
#include "tessera/gp/points/variogram.hpp"
