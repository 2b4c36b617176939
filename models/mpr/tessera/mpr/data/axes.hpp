// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/coordinate.hpp"
#include "tessera/core/io/group.hpp"

/// The meaning of the dimensions of an array, by the CF conventions and by their names. Host code.

namespace tessera::mpr {

struct Field;

enum class AxisKind { unknown, latitude, longitude, y, x, vertical, time };

/// Returns the kind that a coordinate states: by the units of latitudes and longitudes, the
/// standard name, the attribute axis and other units, in this order; unknown where these say
/// nothing.
AxisKind declared_kind(const io::Coordinate& coordinate);

/// Returns the declared kind or, where nothing is said, the kind that the name of the dimension
/// tells.
AxisKind likely_kind(const io::Coordinate& coordinate);

/// The order of dimensions in which rows and columns are the last, by their likely kinds; the order
/// that they have where that is not known. Dimensions of size one stay where they are unless they
/// are rows or columns.
std::vector<std::size_t> order_of_images(const std::vector<io::Coordinate>& dimensions);

/// Describes dimension number d of a field, or of an array of a file, without the values of its
/// coordinate.
io::Coordinate describe_dimension(const Field& field, std::size_t d);

/// The values of that coordinate, NaN where there is none; no number where it has none, or holds
/// text.
std::vector<double> read_coordinate(const Field& field, std::size_t d);

/// Returns the projection that a field states.
io::GridMapping find_mapping(const Field& field);

/// Latitudes and longitudes of single sites, in coordinates that have rows and columns among their
/// dimensions (CF conventions, section 5.2): paths in the file of the field, or names of an array;
/// empty where there are none.
struct PlacesOfSites {
  std::string latitude, longitude;
  bool are_known() const { return !latitude.empty() && !longitude.empty(); }
};

/// Finds the places of the sites of a dataset of a file whose images have this many rows and
/// columns: those that its attribute `coordinates` names, else variables of its group.
PlacesOfSites find_places_of_sites(const io::Group& root, const std::string& dataset,
                                   std::uint64_t rows, std::uint64_t columns);
PlacesOfSites find_places_of_sites(const Field& field);

/// Throws Error (input) when rows and columns stand in front of another dimension.
void check_order(const Field& field);

}  // namespace tessera::mpr
