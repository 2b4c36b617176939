// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/mpr/lattice/metric.hpp"

/// The shape of the cells of a field, from the coordinates of its file. Host code.

namespace tessera::mpr {

struct Field;

/// The parameters of an input that describe its grid.
struct GridParameters {
  std::string metric = "auto";  ///< auto, pixels, geographic or projected
  /// Names of the dimension whose last column is next to the first
  std::vector<std::string> periodic;
};

inline constexpr double kEarthRadius = 6371008.8;  ///< m, the mean radius (IUGG)

/// The positions of the rows and columns of an image.
struct Positions {
  bool sphere = false;
  std::vector<double> rows;  ///< latitudes in radians, or metres; none: not known
  double step = 0;           ///< of columns
};

struct Geography {
  Metric metric;
  Positions positions;
  std::string kind = "pixels";  ///< or geographic, projected: where the sizes of cells come from
  std::string why;              ///< with auto: why cells are taken for squares
  /// A warning with auto, where coordinates look like more than pixels
  std::string doubt;
  bool uneven_steps = false;  ///< of layers
};

/// Geographic: latitudes and longitudes of NetCDF and HDF5 files by the units or standard names of
/// the CF conventions, or of rasters in a geographic system. Projected: coordinates that are
/// lengths, or a raster in a projection of constant scale. `auto` takes what there is, else pixels,
/// and says why. Where `geographic` or `projected` is asked for, coordinates that say nothing of
/// what they are are taken for that. Layers of a stack have the steps of their coordinate, unless
/// the metric is pixels. Throws Error (input), with file and variable, for columns that do not go
/// round and, unless `auto`, for coordinates that are missing, do not rise or fall throughout or
/// have uneven columns, and for projections that are not understood.
Geography find_geography(const Field& field, const GridParameters& parameters);

/// Writes what was found as attributes of /results.
void write_geography(const io::Group& results, const Geography& geography);

}  // namespace tessera::mpr
