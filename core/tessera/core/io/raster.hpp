// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/box.hpp"
#include "tessera/core/io/raster_place.hpp"

/// Raster images of every format that GDAL reads (GeoTIFF, VRT, ENVI, ASCII grid, GRIB, ...). Where
/// GDAL was not found at build time `have_gdal` is false and the other functions throw Error (file)
/// that says so.

namespace tessera::io {

struct RasterBand {
  int number = 1;                       ///< in its file, from 1
  std::string type;                     ///< "float32", "float64", "int16", ...
  std::string units;                    ///< may be empty
  std::optional<double> missing_value;  ///< the number for no data
  double scale = 1, offset = 0;         ///< value = scale * number + offset

  /// The value of a number; NaN for no data.
  double decode(double number) const;
};

struct Raster : RasterPlace {
  std::string path;
  int nx = 0, ny = 0;
  std::vector<RasterBand> bands;
  int block_rows = 1;  ///< rows of a tile or strip of the file
};

bool have_gdal();

/// The numbers that are read from a band of a raster: as in the file, or values with NaN for no
/// data and for pixels that the file masks.
enum class RasterNumbers { as_stored, decoded };

/// Describes a raster and bands of it, counted from 1; an empty list: all of them. Throws Error
/// (file) when it cannot be read, Error (input) when there is no such band.
Raster describe_raster(const std::string& path, const std::vector<int>& bands);

/// Reads boxes of the bands of a raster, which it holds open.
class RasterReader {
 public:
  /// Throws Error (file).
  explicit RasterReader(const Raster& raster);
  ~RasterReader();
  RasterReader(const RasterReader&) = delete;
  RasterReader& operator=(const RasterReader&) = delete;

  /// The pixels of a box of raster.bands[band], row after row. Throws Error (file). One thread at a
  /// time.
  void read(std::size_t band, RasterNumbers numbers, const Box& box, double* values) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Reads these bands piece by piece: `take(first, count, values)` gets the pixels from number
/// `first` on of [band][row][column], the first row first. Throws Error (file).
void read_raster(
    const Raster& raster, RasterNumbers numbers,
    const std::function<void(std::size_t first, std::size_t count, const double* values)>& take);

/// A band to be written. `values(first, count, numbers)` gives values of the pixels from number
/// `first` on, NaN for none.
struct RasterLayer {
  std::string name;
  std::function<void(std::size_t first, std::size_t count, double* values)> values;
};

struct GeotiffOptions {
  bool single = true;  ///< float32, else float64; NaN stands for no data
  /// Instead the types, no-data values, scales and offsets of the bands of `like`, one for each
  /// layer
  bool packed = false;
  bool cloud = false;  ///< cloud optimised: in tiles, with overviews
};

/// Writes layers of the size of `like` as bands of a GeoTIFF. Where `like` comes from a file its
/// transform, projection, metadata and, with `packed`, descriptions and colours are kept. Values
/// that the type of a band does not hold become the nearest that it does; how many is returned. An
/// older file of that name stays whole until the new one is complete. Throws Error (file).
std::size_t write_geotiff(const std::string& path, const Raster& like,
                          const std::vector<RasterLayer>& layers, const GeotiffOptions& options);

}  // namespace tessera::io
