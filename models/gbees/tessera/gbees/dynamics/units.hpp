// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/core/math/units.hpp"

namespace tessera::gbees {

/// The units that the numbers of a run are in. Without them its numbers have none.
struct Units {
  bool given = false;
  double length = 1, time = 1, mass = 1;  ///< in metres, seconds and kilograms
  std::string time_text = "1";            ///< "375190 s", for results
  std::vector<Dimension> variables;       ///< of the state, or empty: not known
  /// Units of the variables in results, "384400 km", or empty
  std::vector<std::string> variable_texts;

  /// Returns the size of the unit of that dimension, in metres, seconds and kilograms.
  double size(const Dimension& dimension) const;

  /// Returns the unit of variable i, or "1", as an attribute of results has it.
  std::string of_variable(std::size_t i) const {
    return i < variable_texts.size() ? variable_texts[i] : "1";
  }

  /// Returns the unit of quantities of that dimension: the unit of the first variable that has it,
  /// else "1".
  std::string of_dimension(const std::optional<Dimension>& dimension) const;

  /// Returns the unit of quantities of that dimension, if need be as a product of those of lengths
  /// and times: "(384400 km)2 (375190 s)-1".
  std::string composed(const Dimension& dimension) const;

  /// Returns the unit of all variables where they have the same, else "km, km, km/s, km/s".
  std::string of_all() const;
};

/// Says in the attributes of results, where they have been written, what their times and
/// coordinates are in. `is_turned`: whether the axes of the grid are not the variables.
void mark_units(const io::Group& root, const Units& units, bool is_turned);

}  // namespace tessera::gbees
