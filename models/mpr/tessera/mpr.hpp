// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The modified planar rotator, which fills gaps in images, rasters and stacks.

#include "tessera/mpr/chains/chains.hpp"
#include "tessera/mpr/fill/array_fill.hpp"
#include "tessera/mpr/fill/gap_fill.hpp"
#include "tessera/mpr/fill/options.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/lattice/grid.hpp"
#include "tessera/mpr/lattice/metric.hpp"
#include "tessera/mpr/lattice/missing.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"
#include "tessera/mpr/linear/trend_fit.hpp"
