// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/core/expression/instruction.hpp"

namespace tessera::expression {

/// Number of a node in a Graph.
using NodeId = int;

/// Expressions as a graph in which equal parts are one node and operations on constants are carried
/// out at once.
class Graph {
 public:
  enum class Kind : std::uint8_t { constant, input, operation };
  struct Node {
    Kind kind = Kind::constant;
    Op op = Op::copy;
    NodeId a = 0, b = 0;        ///< operands; of an input, `a` is its number
    double value = 0;           ///< of a constant
    bool is_condition = false;  ///< whether the value is 0 or 1 whatever the inputs
  };

  NodeId constant(double value);
  NodeId input(int number);
  NodeId unary(Op op, NodeId a);

  /// Sums with zero, products with one and powers with small whole exponents become simpler
  /// operations.
  NodeId binary(Op op, NodeId a, NodeId b);

  /// Function number `f` of tables at the time that node `time` is.
  NodeId table(NodeId time, int f) { return binary(Op::table, time, constant(f)); }

  std::size_t size() const { return m_nodes.size(); }
  const Node& operator[](NodeId id) const { return m_nodes[static_cast<std::size_t>(id)]; }
  bool is_constant(NodeId id) const { return (*this)[id].kind == Kind::constant; }
  bool is_constant(NodeId id, double value) const {
    return is_constant(id) && (*this)[id].value == value;
  }

  /// The nodes that some functions consist of, operands before operations.
  std::set<NodeId> nodes_of(const std::vector<NodeId>& functions) const;

  /// Returns whether the value of node `id` depends on that input.
  bool depends_on(NodeId id, int input) const;

 private:
  NodeId intern(Node node);
  bool is_condition(const Node& node) const;
  NodeId power(NodeId base, NodeId exponent);
  NodeId whole_power(NodeId base, unsigned exponent);

  std::vector<Node> m_nodes;
  std::map<std::tuple<Kind, Op, NodeId, NodeId, std::uint64_t>, NodeId> m_known;
};

}  // namespace tessera::expression
