// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Modified Bessel functions K and I of real order, with derivatives, and Matern covariances.

#include "tessera/bessel/batch.hpp"
#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/complex.hpp"
#include "tessera/bessel/instances.hpp"
#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/matern_matrix.hpp"
