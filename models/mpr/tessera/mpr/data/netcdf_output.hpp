// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/result_maps.hpp"

namespace tessera::mpr {

/// Writes `output.netcdf`, if asked for: a NetCDF-4 file by the CF conventions that stands for the
/// source. It holds, under the name of the field, the filled field with the attributes of the
/// source, and as NAME_standard_deviation, NAME_status, NAME_quantile_0.1, ... the other maps.
/// Coordinates, grid mapping, bounds and global attributes of a NetCDF source are copied unchanged.
/// With `output.packing: source` the filled field holds numbers of the type, the scale and the
/// offset of the source. Throws Error (file); an older file of that name is whole then.
void write_netcdf(const Field& field, const Predictions& predictions,
                  const OutputParameters& output);

}  // namespace tessera::mpr
