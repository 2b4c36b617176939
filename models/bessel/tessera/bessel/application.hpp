// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/app/run_app.hpp"

namespace tessera::bessel {

/// tessera-bessel: Bessel functions K_nu(x) and Matern covariances at given points, and maps of
/// their errors.
Application application();

}  // namespace tessera::bessel
