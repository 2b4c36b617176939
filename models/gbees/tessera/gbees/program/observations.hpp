// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/gbees/grid/observation.hpp"
#include "tessera/gbees/program/parameters.hpp"

namespace tessera::gbees {

/// The measurements of an input at a time, compiled for the coordinates of the grid.
std::vector<Observation> observations_at(const Parameters& parameters, double time);

}  // namespace tessera::gbees
