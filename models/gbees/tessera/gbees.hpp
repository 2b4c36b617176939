// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Grid-based Bayesian estimation exploiting sparsity: probability densities that dynamics carry
/// and measurements update.

#include "tessera/gbees/dynamics/catalogue.hpp"
#include "tessera/gbees/dynamics/dynamics.hpp"
#include "tessera/gbees/dynamics/equations.hpp"
#include "tessera/gbees/dynamics/forces.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"
#include "tessera/gbees/dynamics/propagator_options.hpp"
#include "tessera/gbees/dynamics/units.hpp"
#include "tessera/gbees/follow/following_density.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/grid/observation.hpp"
#include "tessera/gbees/instances.hpp"
#include "tessera/gbees/particles/ensemble_filter.hpp"
#include "tessera/gbees/particles/make_particles.hpp"
#include "tessera/gbees/particles/unscented_filter.hpp"
#include "tessera/gbees/propagator/propagator.hpp"
#include "tessera/gbees/regions/credible_set.hpp"
#include "tessera/gbees/regions/regions.hpp"
