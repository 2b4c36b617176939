// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/mpr/data/gridded_field.hpp"

/// Coordinates of a field in results. Host code.

namespace tessera::mpr {

/// The names of the dimensions of the source: of their coordinates where it has them, else x, y, z
/// and frame, counted from the last; sizes of one without coordinates are axis_0, ..., and bands of
/// a raster are band.
std::vector<std::string> dimension_names(const Field& field);

/// Writes the coordinates of the source, or the numbers of rows and columns, to /coordinates, as
/// dimension scales.
void write_coordinates(const io::Group& coordinates, const Field& field);

/// Writes the numbers 0, 1, ... as the coordinate of a dimension of that name, unless it is there.
void write_numbers(const io::Group& coordinates, const std::string& name, std::uint64_t size,
                   const std::string& long_name);

/// Copies the attributes of the source's dataset to a dataset of the results.
void copy_field_attributes(const io::Group& results, const std::string& name, const Field& field);

}  // namespace tessera::mpr
