// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

/// Raster images of every format that GDAL reads (GeoTIFF, ENVI, ASCII grid, GRIB, ...). Where GDAL was not found at build time `have_gdal`
/// is false and the other functions throw Error (file) that says so.

namespace tessera::io {

struct Raster {
  int nx = 0, ny = 0;
  std::vector<double> values;           ///< row-major, first row first
  std::optional<double> missing_value;  ///< the band's no-data value
  std::string type;                     ///< "float32", "float64", "int16", ...
  std::string units;
  std::array<double, 6> transform{0, 1, 0, 0, 0, 1};  ///< x = t0 + column t1 + row t2, y = t3 + column t4 + row t5, at corners of pixels
  std::string projection;                             ///< well-known text; may be empty
  double scale = 1, offset = 0;                       ///< value = scale * number + offset

  /// The value of a number; NaN for the no-data value.
  double decode(double number) const;
};

bool have_gdal();

/// One band of a raster, counted from 1. Throws Error (file) when it cannot be read, Error (input) when there is no such band.
Raster read_raster(const std::string& path, int band);

/// Writes layers of the size of `like` as bands of a GeoTIFF (float32 or float64) with its transform and projection; NaN is the no-data
/// value. An older file of that name stays whole until the new one is complete. Throws Error (file).
void write_geotiff(const std::string& path, const Raster& like, const std::vector<std::pair<std::string, std::vector<double>>>& layers,
                   bool single);

}  // namespace tessera::io
