// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"

/// The CF conventions (Climate and Forecast, cfconventions.org) on numbers of NetCDF and HDF5
/// files: how they stand for values, and flags.

namespace tessera::io {

/// The relation of the numbers of a variable to its values: value = scale * number + offset; some
/// numbers stand for no value.
struct Packing {
  std::string type;  ///< of the numbers in the file: "int16", "float32", ...
  double scale = 1, offset = 0;
  /// Numbers that stand for no value: _FillValue first, where there is one, missing_value, netCDF's
  /// default
  std::vector<double> missing;
  /// The variable has a _FillValue, which may be one that no number of the type can equal
  bool has_fill = false;
  /// Valid numbers
  double lowest = -std::numeric_limits<double>::infinity(),
         highest = std::numeric_limits<double>::infinity();
  bool without_sign = false;  ///< _Unsigned: negative numbers stand for large ones

  bool is_packed() const { return scale != 1 || offset != 0; }
  bool is_valid(double number) const;

  /// The value of a number in double precision; NaN for none.
  double decode(double number) const;

  /// The valid number nearest to a value; the first of `missing` for NaN. `clipped` is set when the
  /// value lies outside of what numbers can stand for.
  double encode(double value, bool& clipped) const;
};

/// The content of an attribute: numbers, or a text.
struct Attribute {
  std::vector<double> numbers;
  bool is_real = false;  ///< numbers in floating point
  std::optional<std::string> text;
};

/// An attribute by its name; none where it is missing.
using FindAttribute = std::function<std::optional<Attribute>(const std::string& name)>;

/// The packing that attributes tell: _FillValue, missing_value, valid_min, valid_max, valid_range,
/// scale_factor, add_offset and _Unsigned. A valid range in floating point beside packed integers
/// is one of values, not of numbers (NetCDF Users Guide). Missing and valid numbers that are
/// written as texts count; a text that is none marks nothing. type: of the numbers, as in Packing.
/// has_default: without a _FillValue the fill value that netCDF gives the type stands for no value,
/// but for bytes. place: for messages. Throws Error (input) for attributes that make no sense.
Packing make_packing(const std::string& type, const std::string& place, bool has_default,
                     const FindAttribute& find);

/// Reads the packing of a dataset of a file; a dataset of netCDF has the default fill value.
Packing read_packing(const Group& group, const std::string& dataset);

/// Returns the number that stands for no value where a variable of netCDF has no _FillValue, by the
/// type of its numbers; NaN for types that netCDF does not know.
double default_fill(const std::string& type);

/// The text of an attribute; empty where it is missing or holds no text.
std::string text_attribute(const Group& group, const std::string& dataset, const std::string& name);

/// All numbers of a dataset as values, NaN where it has none.
std::vector<double> read_values(const Group& group, const std::string& dataset);

/// The meanings that numbers of a variable can have, by its attributes flag_meanings, flag_values
/// and flag_masks.
struct Flags {
  std::vector<std::string> meanings;
  std::vector<std::int64_t> values, masks;  ///< as many as meanings, or none

  /// Returns whether a number has the meaning of that index.
  bool has(std::int64_t number, std::size_t meaning) const;
};

/// Throws Error (input) when the attributes are missing or do not fit each other.
Flags read_flags(const Group& group, const std::string& dataset);

/// The indices of meanings. Throws Error (input) for names that are none, with those that are;
/// `place` names file and variable.
std::vector<std::size_t> find_flags(const Flags& flags, const std::vector<std::string>& names,
                                    const std::string& place);

}  // namespace tessera::io
