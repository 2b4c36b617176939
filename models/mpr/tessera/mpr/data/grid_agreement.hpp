// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/source.hpp"

namespace tessera::mpr {

/// Throws Error (input) when a file that goes with a field is on another grid, as far as both say
/// where they are: coordinates of rows and columns of NetCDF and HDF5 files, corners of rasters.
void check_same_grid(const Field& field, const Source& other);

}  // namespace tessera::mpr
