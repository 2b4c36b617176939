// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::io {

/// What is known of a dimension of an array: its name, and of its coordinate the attributes of the
/// CF conventions and the values.
struct Coordinate {
  std::string name, units, standard_name, axis;  ///< each may be empty
  /// NaN for none; of no number where they are not known
  std::vector<double> values;
};

/// What an array says of its projection.
struct GridMapping {
  std::string place;            ///< for messages; empty: the array has none
  std::string name;             ///< grid_mapping_name of the CF conventions; may be empty
  std::string well_known_text;  ///< may be empty
};

/// What a calling program says of an array.
struct ArrayPlace {
  std::vector<Coordinate> coordinates;  ///< one for each dimension, or none
  GridMapping mapping;
  /// Those that have rows and columns among their dimensions; without their values
  std::vector<Coordinate> of_sites;
};

}  // namespace tessera::io
