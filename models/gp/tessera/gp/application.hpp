// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"

namespace tessera::gp {

/// tessera-gp: Gaussian processes with a Matern covariance of any smoothness: simulate, fit,
/// predict.
Application application();

}  // namespace tessera::gp
