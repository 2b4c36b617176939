// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "tessera/core/expression/graph.hpp"

namespace tessera::expression {

/// A function f of the state at x + d, in three parts: f(x), the linear part J(x) d, and the rest.
struct TaylorParts {
  NodeId value = 0, linear = 0, rest = 0;
};

/// Takes functions of a state apart about a point. The rest f(x + d) - f(x) - J(x) d is composed
/// from the rests of its operands, without the difference of large numbers: its relative error
/// stays at some roundings by |d| for small d, where the plain difference has lost all digits.
/// (log, asin, acos and powers that are no multiples of a half are plain differences.)
///
/// `point`: nodes of x, which may depend on the time; `step`: nodes of d.
class TaylorExpansion {
 public:
  TaylorExpansion(Graph& graph, std::vector<NodeId> point, std::vector<NodeId> step);

  /// The parts of a function whose inputs 0 to D - 1 are the state. Throws NotDifferentiable.
  TaylorParts operator()(NodeId function);

 private:
  TaylorParts expand(NodeId id);
  TaylorParts sum(const TaylorParts& a, const TaylorParts& b);
  TaylorParts difference(const TaylorParts& a, const TaylorParts& b);
  TaylorParts product(const TaylorParts& a, const TaylorParts& b);
  TaylorParts quotient(const TaylorParts& a, const TaylorParts& b);
  TaylorParts root(const TaylorParts& a);
  TaylorParts power(const TaylorParts& a, const TaylorParts& exponent);
  TaylorParts sine(const TaylorParts& a, bool is_cosine);
  TaylorParts hyperbolic_sine(const TaylorParts& a, bool is_cosine);
  TaylorParts exponential(const TaylorParts& a);
  TaylorParts hyperbolic_tangent(const TaylorParts& a);
  TaylorParts arctangent2(const TaylorParts& y, const TaylorParts& x);
  TaylorParts of_slope(Op op, const TaylorParts& a, NodeId slope);

  bool is_zero(NodeId id) const { return m_graph.is_constant(id, 0); }
  NodeId add(NodeId a, NodeId b);
  NodeId subtract(NodeId a, NodeId b);
  NodeId multiply(NodeId a, NodeId b);
  NodeId divide(NodeId a, NodeId b);
  NodeId negate(NodeId a);
  NodeId number(double value) { return m_graph.constant(value); }
  NodeId step_of(const TaylorParts& a) { return add(a.linear, a.rest); }
  NodeId value_after(const TaylorParts& a) { return add(a.value, step_of(a)); }

  Graph& m_graph;
  std::vector<NodeId> m_point, m_step;
  NodeId m_zero;
  std::map<NodeId, TaylorParts> m_known;
};

}  // namespace tessera::expression
