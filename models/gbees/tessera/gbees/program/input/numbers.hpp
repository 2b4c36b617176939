// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/section.hpp"
#include "tessera/gbees/dynamics/units.hpp"

/// Numbers with units.

namespace tessera::gbees::input {

/// A number of the input in the units of the run, and its dimension; one without a unit is in them
/// already, and its dimension is not known.
struct NumberRead {
  double value = 0;
  std::optional<Dimension> dimension;
};

/// Converts what `key` holds. Records an error, with its column, where the unit is none, is of
/// another dimension than `expected`, or has a dimension and the run has no units.
NumberRead convert(config::Section& in, const std::string& key, const config::Quantity& quantity,
                   const Units& units, const std::optional<Dimension>& expected = {});

/// The unit that the text under `key` names, in the units of the run; `expected` as above. An empty
/// text is the run's own unit.
struct UnitRead {
  double factor = 1;
  std::optional<Dimension> dimension;
};
UnitRead read_unit(config::Section& in, const std::string& key, const std::string& text,
                   const Units& units, const std::optional<Dimension>& expected = {});

/// The dimensions of the elements of a list, where they are known; one stands for all.
using ElementDimensions = std::vector<std::optional<Dimension>>;

/// Lets `key`, of real numbers, hold numbers with units, before it is read. A number, or number i
/// of a list, has the dimension `of_elements[i]` to the power `power`; where that is not known,
/// any.
void take_units(config::Section& in, const std::string& key, const Units& units,
                const ElementDimensions& of_elements, double power = 1);

/// Does the same for a matrix: element (i, j) has the dimension of i times that of j.
void take_matrix_units(config::Section& in, const std::string& key, const Units& units,
                       const ElementDimensions& of_elements);

/// Returns the dimensions of a list of times.
ElementDimensions time_dimension();

/// Returns the dimensions of a list with a number for each variable.
ElementDimensions variable_dimensions(const Units& units);

/// units.cpp: the `units:` section.
Units read_units(config::Section& root);

/// Records an error unless there is a unit for each variable.
void check_variable_units(config::Section& root, std::size_t variables, Units& units);

}  // namespace tessera::gbees::input
