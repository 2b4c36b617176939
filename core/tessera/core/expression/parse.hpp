// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/expression/graph.hpp"
#include "tessera/core/math/units.hpp"

namespace tessera::expression {

/// The nodes that the names in an expression stand for.
using Symbols = std::map<std::string, NodeId>;

/// A text that is no expression: what is wrong and the offset of the character where.
class ParseError : public Error {
 public:
  ParseError(const std::string& what, std::size_t offset)
      : Error(ErrorKind::input, what), m_offset(offset) {}
  std::size_t offset() const noexcept { return m_offset; }

 private:
  std::size_t m_offset;
};

/// The largest depth of nested parentheses, signs and powers in an expression. Its length has no
/// limit.
inline constexpr int kMaxNesting = 200;

/// Reads an expression such as "sigma*(y - x) + 0.3*cos(t)" into the graph.
///
/// Numbers, names, + - * / ^ (or **, right-associative and stronger than the sign: -x^2 is -(x^2)),
/// parentheses, and the functions below. Comparisons a < b, a <= b, a > b, a >= b are weaker; they
/// are 1 where they hold and 0 elsewhere (where a or b is no number too), and `not`, `and`, `or`,
/// each weaker than the one before, join them. `pi` is known unless a symbol has that name. Throws
/// ParseError; for an unknown name it suggests the nearest one.
NodeId parse(const std::string& text, const Symbols& symbols, Graph& graph);

/// Dimensions of symbols. Those of others are not known, and nothing that depends on them is
/// checked.
using Dimensions = std::map<std::string, Dimension>;

/// The dimension of what an expression says, where it is known. Sums, differences, comparisons and
/// the like of different dimensions, and functions such as exp of what is no number, are errors. A
/// number written in the expression has any dimension in a sum, and none in a product. The
/// expression is one that `parse` has taken.
std::optional<Dimension> find_dimension(const std::string& text, const Symbols& symbols,
                                        const Dimensions& dimensions);

/// Names of the functions that expressions know.
std::vector<std::string> function_names();

/// Returns whether a text can be the name of a variable or a parameter: letters, digits and
/// underscores, not beginning with a digit, and neither a function nor `and`, `or` or `not`.
bool is_name(const std::string& text);

}  // namespace tessera::expression
