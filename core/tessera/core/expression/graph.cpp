// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/graph.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace tessera::expression {

namespace {

constexpr double kLargestWholePower = 16;  // above it, pow() is faster and as accurate

bool commutes(Op op) { return op == Op::add || op == Op::multiply || op == Op::hypotenuse; }

}  // namespace

bool Graph::is_condition(const Node& node) const {
  if (node.kind == Kind::constant) return node.value == 0 || node.value == 1;
  if (node.kind != Kind::operation) return false;
  if (node.op == Op::less || node.op == Op::less_equal) return true;
  if (node.op == Op::subtract) return is_constant(node.a, 1) && (*this)[node.b].is_condition;
  return (node.op == Op::multiply || node.op == Op::maximum) && (*this)[node.a].is_condition &&
         (*this)[node.b].is_condition;
}

NodeId Graph::intern(Node node) {
  node.is_condition = is_condition(node);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &node.value, sizeof bits);
  const auto [found, is_new] = m_known.try_emplace({node.kind, node.op, node.a, node.b, bits},
                                                   static_cast<NodeId>(m_nodes.size()));
  if (is_new) m_nodes.push_back(node);
  return found->second;
}

NodeId Graph::constant(double value) {
  Node node;
  node.value = value;
  return intern(node);
}

NodeId Graph::input(int number) {
  Node node;
  node.kind = Kind::input;
  node.a = number;
  return intern(node);
}

NodeId Graph::unary(Op op, NodeId a) {
  if (is_constant(a)) return constant(apply(op, (*this)[a].value, 0));
  if (op == Op::negate && (*this)[a].kind == Kind::operation && (*this)[a].op == Op::negate)
    return (*this)[a].a;
  Node node;
  node.kind = Kind::operation;
  node.op = op;
  node.a = a;
  return intern(node);
}

NodeId Graph::binary(Op op, NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b))
    return constant(apply(op, (*this)[a].value, (*this)[b].value));
  if (op == Op::power) return power(a, b);
  if (op == Op::add && is_constant(a, 0)) return b;
  if ((op == Op::add || op == Op::subtract) && is_constant(b, 0)) return a;
  if (op == Op::subtract && is_constant(a, 0)) return unary(Op::negate, b);
  if (op == Op::multiply && is_constant(a, 1)) return b;
  if ((op == Op::multiply || op == Op::divide) && is_constant(b, 1)) return a;
  if (commutes(op) && b < a) std::swap(a, b);
  Node node;
  node.kind = Kind::operation;
  node.op = op;
  node.a = a;
  node.b = b;
  return intern(node);
}

NodeId Graph::power(NodeId base, NodeId exponent) {
  if (is_constant(exponent)) {
    const double n = (*this)[exponent].value;
    if (n == 0.5) return unary(Op::square_root, base);
    if (n == std::floor(n) && std::fabs(n) <= kLargestWholePower) {
      const NodeId positive = whole_power(base, static_cast<unsigned>(std::fabs(n)));
      return n < 0 ? binary(Op::divide, constant(1), positive) : positive;
    }
  }
  Node node;
  node.kind = Kind::operation;
  node.op = Op::power;
  node.a = base;
  node.b = exponent;
  return intern(node);
}

NodeId Graph::whole_power(NodeId base, unsigned exponent) {
  if (exponent == 0) return constant(1);
  if (exponent == 1) return base;
  const NodeId half = whole_power(base, exponent / 2);
  const NodeId square = binary(Op::multiply, half, half);
  return exponent % 2 == 1 ? binary(Op::multiply, square, base) : square;
}

std::set<NodeId> Graph::nodes_of(const std::vector<NodeId>& functions) const {
  std::set<NodeId> found;  // ascending: an operation is made after its operands
  std::vector<NodeId> open = functions;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!found.insert(id).second || (*this)[id].kind != Kind::operation) continue;
    open.push_back((*this)[id].a);
    if (is_binary((*this)[id].op)) open.push_back((*this)[id].b);
  }
  return found;
}

bool Graph::depends_on(NodeId id, int input) const {
  std::vector<bool> seen(m_nodes.size(), false);
  std::vector<NodeId> open{id};
  while (!open.empty()) {
    const NodeId next = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(next)]) continue;
    seen[static_cast<std::size_t>(next)] = true;
    const Node& node = (*this)[next];
    if (node.kind == Kind::input && node.a == input) return true;
    if (node.kind != Kind::operation) continue;
    open.push_back(node.a);
    if (is_binary(node.op)) open.push_back(node.b);
  }
  return false;
}

}  // namespace tessera::expression
