// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/margin.hpp"

#include <utility>
#include <vector>

namespace tessera::expression {

namespace {

bool is_comparison(const Graph::Node& node) {
  return node.kind == Graph::Kind::operation && (node.op == Op::less || node.op == Op::less_equal);
}

/// The conditions that a condition joins: two of `and` and `or`, one of `not`.
std::vector<NodeId> joined(const Graph::Node& node) {
  if (node.kind != Graph::Kind::operation || is_comparison(node)) return {};
  if (node.op == Op::subtract) return {node.b};
  return {node.a, node.b};
}

NodeId margin_of(Graph& graph, const Graph::Node& node, const std::vector<NodeId>& margins) {
  if (is_comparison(node)) return graph.binary(Op::subtract, node.b, node.a);
  if (node.kind != Graph::Kind::operation) return graph.constant(node.value > 0 ? 1 : -1);
  if (node.op == Op::subtract) return graph.unary(Op::negate, margins[0]);
  return graph.binary(node.op == Op::maximum ? Op::maximum : Op::minimum, margins[0], margins[1]);
}

}  // namespace

NodeId add_margin(Graph& graph, NodeId condition) {
  std::vector<NodeId> margin(graph.size(), -1);  // of each node
  std::vector<NodeId> open{condition};           // what an expression joins may be many
  while (!open.empty()) {
    const Graph::Node node = graph[open.back()];  // a copy, for the graph grows
    std::vector<NodeId> margins;
    bool is_known = true;
    for (const NodeId part : joined(node)) {
      margins.push_back(margin[static_cast<std::size_t>(part)]);
      if (margins.back() >= 0) continue;
      open.push_back(part);
      is_known = false;
    }
    if (!is_known) continue;
    // the last one, for what has been added above it is known now
    margin[static_cast<std::size_t>(open.back())] = margin_of(graph, node, margins);
    open.pop_back();
  }
  return margin[static_cast<std::size_t>(condition)];
}

}  // namespace tessera::expression
