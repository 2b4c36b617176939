// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/expression/functions.hpp"
#include "tessera/core/expression/graph.hpp"

namespace tessera::expression {

/// The code of several functions of the same inputs, on the host.
struct Program {
  std::vector<Instruction> code;
  std::vector<std::uint32_t> begin{0};  ///< of each function; the end of the last

  std::size_t count() const { return begin.size() - 1; }

  /// The functions, evaluated with code at `code`: this program's own on the host, or a copy in a device's memory.
  template <int Inputs>
  Functions<Inputs> functions(const Instruction* code) const {
    Functions<Inputs> functions;
    functions.code = code;
    functions.count = static_cast<std::uint32_t>(count());
    for (std::size_t f = 0; f <= count(); ++f) functions.begin[f] = begin[f];
    return functions;
  }
};

/// Turns nodes of a graph with `inputs` inputs into code: at most kMaxFunctions functions. Throws Error (input) when one needs more than
/// kRegisters numbers at a time.
Program compile(const Graph& graph, const std::vector<NodeId>& functions, int inputs);

}  // namespace tessera::expression
