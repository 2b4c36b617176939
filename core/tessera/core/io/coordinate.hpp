// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::io {

/// A dimension of an array: its name, and the values of its coordinate with their attributes of the
/// CF conventions.
struct Coordinate {
  std::string name, units, standard_name, axis;  ///< each may be empty
  /// The values, NaN for none; without a number where they are not known
  std::vector<double> values;
};

/// The projection that an array names.
struct GridMapping {
  std::string place;            ///< for messages; empty: the array has none
  std::string name;             ///< grid_mapping_name of the CF conventions; may be empty
  std::string well_known_text;  ///< may be empty
};

/// The place of an array, as a calling program describes it.
struct ArrayPlace {
  std::vector<Coordinate> coordinates;  ///< one for each dimension, or none
  GridMapping mapping;
  /// The coordinates that have rows and columns among their dimensions; without their values
  std::vector<Coordinate> of_sites;
};

}  // namespace tessera::io
