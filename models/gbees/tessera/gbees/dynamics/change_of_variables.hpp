// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// Replaces names in an expression; functions, numbers and other names stay as they are.
std::string replace_names(const std::string& expression,
                          const std::map<std::string, std::string>& replacements);

/// The name, dimension and meaning of a variable.
struct VariableMeaning {
  std::string name;
  Dimension dimension;
  std::string long_name;
};

/// Writes a text of dynamics in other variables. The old variables become definitions in terms of
/// the new ones, so that definitions, measurements and regions of the old text keep their meaning.
///
/// What the writer adds has short names in the expressions that it is given, which mean the old
/// variables under their places, x, y (z), vx, vy (vz), or what has been added before. In the text
/// they have a prefix that no name of the old text has. An expression may be empty: it is zero.
class ChangeOfVariables {
 public:
  /// `old`: positions and then velocities, two or three of each, under any names. Throws
  /// EquationError where it is another state, or where a name of it is that of a new variable.
  ChangeOfVariables(const EquationText& old, const std::vector<VariableMeaning>& variables);

  /// Adds a number. Its dimension is checked where those of the old variables are.
  void add_number(const std::string& name, double value, const Dimension& dimension);

  /// Adds an expression under a name, and returns the name; nothing is added and the result is
  /// empty where the expression is.
  std::string define(const std::string& name, const std::string& expression);

  /// Adds a definition as the old text writes it.
  void copy(const std::string& name, const std::string& expression);

  /// Does what `define` does with an expression in the names of the old text.
  std::string define_old(const std::string& name, const std::string& expression);

  /// Writes the rate of change of the next variable.
  void add_rate(const std::string& expression);

  /// Returns a prefix for names that no name of the old text begins with.
  const std::string& prefix() const { return m_prefix; }

  /// Returns the new text.
  const EquationText& text() const { return m_text; }

 private:
  EquationText m_text;
  std::string m_prefix = "orbit_";
  std::map<std::string, std::string> m_names;  ///< in the text, of the names in expressions
  bool m_has_dimensions = false;
};

/// The sum of expressions, of which some may be empty.
std::string sum(const std::vector<std::string>& terms);

/// A factor times an expression; empty where the expression is.
std::string times(const std::string& factor, const std::string& expression);

}  // namespace tessera::gbees
