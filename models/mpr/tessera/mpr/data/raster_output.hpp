// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/result_maps.hpp"

namespace tessera::mpr {

/// Writes `output.geotiff`, if asked for, with the transform, the projection and the metadata of
/// the source where that is a raster: for each image the bands filled, mean and standard deviation.
/// With `output.packing: source` the bands of the source are written, filled, in its type and with
/// its no-data values, and the standard deviations to NAME_std beside it. Throws Error (file).
void write_geotiff(const Field& field, const Predictions& predictions,
                   const OutputParameters& output);

}  // namespace tessera::mpr
