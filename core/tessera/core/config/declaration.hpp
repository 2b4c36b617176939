// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/core/config/node.hpp"

namespace tessera::config {

/// The numbers between two bounds.
struct Interval {
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();
  bool excludes_low = false;
};

/// The declaration of a key: what the program says about it, and what the input made of it.
/// Declarations form a tree in the order of declaration.
struct Declaration {
  enum class Kind { parameter, section, list, item };

  Kind kind = Kind::section;
  std::string key;                     ///< empty for the root and for the items of a list
  std::string path;                    ///< "grid.threshold", "measurements[0].value"
  std::string doc;                     ///< what it is, in one line
  std::vector<Declaration*> children;  ///< of a section, a list or an item
  std::unordered_map<std::string, Declaration*> child_of_key;
  Location place;      ///< where an error about the whole of it points at
  bool given = false;  ///< whether the input has it
  /// A section whose presence the program asks for: leaving it out means something
  bool optional = false;

  enum class Printed { as_given, written_out, commented_out };
  Printed printed = Printed::as_given;  ///< how --print-defaults has it when it was not given
  std::string example;                  ///< its value there, if it has no default

  // parameters
  std::string type;
  /// The default, or the example of a required parameter, as YAML; empty: none
  std::string fallback;
  std::string value;      ///< the value in force, as YAML; empty: not set
  std::string otherwise;  ///< what holds when it is not set, in a few words
  std::string unit;
  std::string limits;              ///< "> 0, 3 elements": as the rest of the input has them
  std::string general_limits;      ///< "> 0, one for each variable": for every input
  Interval interval;               ///< of a number, for the limits
  std::vector<std::string> names;  ///< that a text must be one of
  bool required = false;
  bool rejected = false;  ///< its value is wrong, and that was recorded
  bool unset = false;     ///< it was not given and has no default
};

}  // namespace tessera::config
