// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/core/expression/graph.hpp"
#include "tessera/gbees/dynamics/equations.hpp"

namespace tessera::gbees {

/// The equations of a text as nodes of a graph: inputs 0 to D - 1 are the variables, input D is the
/// time.
struct EquationGraph {
  expression::Graph graph;
  std::vector<expression::NodeId> rates;  ///< of change of each variable
};

/// Parses the equations. Throws EquationError.
EquationGraph make_equation_graph(const EquationText& text);

/// Compiles rates of D coordinates that are nodes of a graph, with what depends on the time alone
/// in a prologue: for kernels at the times of steps, and for any times on the host. Throws
/// EquationError, and Error (input) where they are too long for kernels.
EquationProgram compile_rates(const expression::Graph& graph,
                              const std::vector<expression::NodeId>& rates,
                              const std::shared_ptr<const expression::TableSet>& tables);

}  // namespace tessera::gbees
