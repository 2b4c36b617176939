// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/constant.hpp"

#include "tessera/core/expression/graph.hpp"
#include "tessera/core/expression/parse.hpp"

namespace tessera::expression {

std::optional<double> evaluate_constant(const std::string& text, std::string& problem) {
  Graph graph;
  try {
    // a graph carries out operations on constants at once
    return graph[parse(text, {}, graph)].value;
  } catch (const ParseError& error) {
    problem = error.what();
    return {};
  }
}

}  // namespace tessera::expression
