// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "tessera/core/io/coordinate.hpp"

namespace tessera::python {

/// Name, units, standard name, axis and values of the coordinate of a dimension.
using CoordinateTuple =
    std::tuple<std::string, std::string, std::string, std::string, std::vector<double>>;
/// The coordinates of an array, place, name and well-known text of its projection, and coordinates
/// of its single sites.
using ArrayPlaceTuple =
    std::tuple<std::vector<CoordinateTuple>, std::tuple<std::string, std::string, std::string>,
               std::vector<CoordinateTuple>>;

inline io::ArrayPlace array_place_of(const ArrayPlaceTuple& given) {
  io::ArrayPlace place;
  for (const auto& [name, units, standard_name, axis, values] : std::get<0>(given))
    place.coordinates.push_back({name, units, standard_name, axis, values});
  const auto& [where, name, text] = std::get<1>(given);
  place.mapping = {where, name, text};
  for (const auto& [of, units, standard_name, axis, values] : std::get<2>(given))
    place.of_sites.push_back({of, units, standard_name, axis, values});
  return place;
}

}  // namespace tessera::python
