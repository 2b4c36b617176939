// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/taylor.hpp"

#include <cmath>
#include <utility>

#include "tessera/core/expression/linearization.hpp"

namespace tessera::expression {

using Kind = Graph::Kind;

TaylorExpansion::TaylorExpansion(Graph& graph, std::vector<NodeId> point, std::vector<NodeId> step)
    : m_graph(graph),
      m_point(std::move(point)),
      m_step(std::move(step)),
      m_zero(graph.constant(0)) {}

NodeId TaylorExpansion::add(NodeId a, NodeId b) { return m_graph.binary(Op::add, a, b); }

NodeId TaylorExpansion::subtract(NodeId a, NodeId b) {
  return a == b ? m_zero : m_graph.binary(Op::subtract, a, b);
}

/// A product with zero is zero here: the parts of an expansion are finite, or the density ends.
NodeId TaylorExpansion::multiply(NodeId a, NodeId b) {
  return is_zero(a) || is_zero(b) ? m_zero : m_graph.binary(Op::multiply, a, b);
}

NodeId TaylorExpansion::divide(NodeId a, NodeId b) {
  return is_zero(a) ? m_zero : m_graph.binary(Op::divide, a, b);
}

NodeId TaylorExpansion::negate(NodeId a) { return is_zero(a) ? a : m_graph.unary(Op::negate, a); }

TaylorParts TaylorExpansion::sum(const TaylorParts& a, const TaylorParts& b) {
  return {add(a.value, b.value), add(a.linear, b.linear), add(a.rest, b.rest)};
}

TaylorParts TaylorExpansion::difference(const TaylorParts& a, const TaylorParts& b) {
  return {subtract(a.value, b.value), subtract(a.linear, b.linear), subtract(a.rest, b.rest)};
}

TaylorParts TaylorExpansion::product(const TaylorParts& a, const TaylorParts& b) {
  return {multiply(a.value, b.value), add(multiply(a.value, b.linear), multiply(b.value, a.linear)),
          add(add(multiply(a.value, b.rest), multiply(b.value, a.rest)),
              multiply(step_of(a), step_of(b)))};
}

TaylorParts TaylorExpansion::quotient(const TaylorParts& a, const TaylorParts& b) {
  TaylorParts q;
  q.value = divide(a.value, b.value);
  q.linear = divide(subtract(a.linear, multiply(q.value, b.linear)), b.value);
  q.rest =
      divide(subtract(subtract(a.rest, multiply(q.value, b.rest)), multiply(q.linear, step_of(b))),
             value_after(b));
  return q;
}

TaylorParts TaylorExpansion::root(const TaylorParts& a) {
  TaylorParts s;
  s.value = m_graph.unary(Op::square_root, a.value);
  s.linear = divide(a.linear, add(s.value, s.value));
  const NodeId both = add(m_graph.unary(Op::square_root, value_after(a)), s.value);
  s.rest = divide(subtract(a.rest, multiply(s.linear, divide(step_of(a), both))), both);
  return s;
}

/// A function whose rest is the plain difference: of a known slope at the point.
TaylorParts TaylorExpansion::of_slope(Op op, const TaylorParts& a, NodeId slope) {
  TaylorParts f;
  f.value = m_graph.unary(op, a.value);
  f.linear = multiply(slope, a.linear);
  f.rest = subtract(subtract(m_graph.unary(op, value_after(a)), f.value), f.linear);
  return f;
}

TaylorParts TaylorExpansion::power(const TaylorParts& a, const TaylorParts& exponent) {
  const Graph::Node node = m_graph[exponent.value];
  const bool is_number =
      is_zero(exponent.linear) && is_zero(exponent.rest) && node.kind == Kind::constant;
  const double twice = 2 * node.value;
  constexpr double kMost = 32;
  if (is_number && twice == std::floor(twice) && std::fabs(twice) <= kMost) {
    TaylorParts base = root(a), result{number(1), m_zero, m_zero};
    for (auto n = static_cast<unsigned>(std::fabs(twice)); n > 0; n /= 2) {
      if (n % 2 == 1) result = product(result, base);
      base = product(base, base);
    }
    return twice < 0 ? quotient({number(1), m_zero, m_zero}, result) : result;
  }
  TaylorParts p;
  p.value = m_graph.binary(Op::power, a.value, exponent.value);
  const NodeId of_base = divide(multiply(exponent.value, a.linear), a.value);
  const NodeId of_exponent = is_zero(exponent.linear)
                                 ? m_zero
                                 : multiply(exponent.linear, m_graph.unary(Op::logarithm, a.value));
  p.linear = multiply(p.value, add(of_base, of_exponent));
  p.rest =
      subtract(subtract(m_graph.binary(Op::power, value_after(a), value_after(exponent)), p.value),
               p.linear);
  return p;
}

/// sin(a + d) - sin a = sin a (cos d - 1) + cos a sin d, and the like for the cosine.
TaylorParts TaylorExpansion::sine(const TaylorParts& a, bool is_cosine) {
  const NodeId s = m_graph.unary(Op::sine, a.value), c = m_graph.unary(Op::cosine, a.value);
  const NodeId value = is_cosine ? c : s, slope = is_cosine ? negate(s) : c;
  const NodeId d = step_of(a);
  if (is_zero(d)) return {value, m_zero, m_zero};
  const NodeId half = m_graph.unary(Op::sine, multiply(d, number(0.5)));
  const NodeId cosine_less_one = multiply(number(-2), multiply(half, half));
  const NodeId sine_less_d = subtract(m_graph.unary(Op::sine, d), d);
  return {value, multiply(slope, a.linear),
          add(multiply(slope, add(a.rest, sine_less_d)), multiply(value, cosine_less_one))};
}

TaylorParts TaylorExpansion::hyperbolic_sine(const TaylorParts& a, bool is_cosine) {
  const NodeId s = m_graph.unary(Op::hyperbolic_sine, a.value),
               c = m_graph.unary(Op::hyperbolic_cosine, a.value);
  const NodeId value = is_cosine ? c : s, slope = is_cosine ? s : c;
  const NodeId d = step_of(a);
  if (is_zero(d)) return {value, m_zero, m_zero};
  const NodeId half = m_graph.unary(Op::hyperbolic_sine, multiply(d, number(0.5)));
  const NodeId cosine_less_one = multiply(number(2), multiply(half, half));
  const NodeId sine_less_d = subtract(m_graph.unary(Op::hyperbolic_sine, d), d);
  return {value, multiply(slope, a.linear),
          add(multiply(slope, add(a.rest, sine_less_d)), multiply(value, cosine_less_one))};
}

/// exp d - 1 = 2 exp(d/2) sinh(d/2).
TaylorParts TaylorExpansion::exponential(const TaylorParts& a) {
  const NodeId value = m_graph.unary(Op::exponential, a.value);
  const NodeId d = step_of(a);
  if (is_zero(d)) return {value, m_zero, m_zero};
  const NodeId half = multiply(d, number(0.5));
  const NodeId less_one = multiply(number(2), multiply(m_graph.unary(Op::exponential, half),
                                                       m_graph.unary(Op::hyperbolic_sine, half)));
  return {value, multiply(value, a.linear), multiply(value, add(a.rest, subtract(less_one, d)))};
}

/// tanh(a + d) - tanh a = tanh d (1 - tanh^2 a) / (1 + tanh a tanh d).
TaylorParts TaylorExpansion::hyperbolic_tangent(const TaylorParts& a) {
  const NodeId value = m_graph.unary(Op::hyperbolic_tangent, a.value);
  const NodeId d = step_of(a);
  if (is_zero(d)) return {value, m_zero, m_zero};
  const NodeId slope = subtract(number(1), multiply(value, value));
  const NodeId of_d = m_graph.unary(Op::hyperbolic_tangent, d), both = multiply(value, of_d);
  const NodeId above = subtract(add(subtract(of_d, d), a.rest), multiply(a.linear, both));
  return {value, multiply(slope, a.linear), multiply(slope, divide(above, add(number(1), both)))};
}

/// The angle between the directions of (x, y) before and after, the shorter way round.
TaylorParts TaylorExpansion::arctangent2(const TaylorParts& y, const TaylorParts& x) {
  TaylorParts angle;
  angle.value = m_graph.binary(Op::arctangent2, y.value, x.value);
  const NodeId square = add(multiply(x.value, x.value), multiply(y.value, y.value));
  angle.linear = divide(subtract(multiply(x.value, y.linear), multiply(y.value, x.linear)), square);
  const NodeId dx = step_of(x), dy = step_of(y);
  const NodeId cross = subtract(multiply(x.value, dy), multiply(y.value, dx));
  const NodeId dot = add(square, add(multiply(x.value, dx), multiply(y.value, dy)));
  angle.rest =
      is_zero(cross) ? m_zero : subtract(m_graph.binary(Op::arctangent2, cross, dot), angle.linear);
  return angle;
}

/// The parts of an operation whose operands are known.
TaylorParts TaylorExpansion::expand(NodeId id) {
  const Graph::Node node = m_graph[id];
  const int inputs = static_cast<int>(m_point.size());
  if (node.kind == Kind::input && node.a < inputs) {
    const auto i = static_cast<std::size_t>(node.a);
    return {m_point[i], m_step[i], m_zero};
  }
  if (node.kind != Kind::operation) return {id, m_zero, m_zero};
  const TaylorParts a = m_known.at(node.a);
  const TaylorParts b = is_binary(node.op) ? m_known.at(node.b) : a;
  const bool is_of_point = a.value == node.a && (!is_binary(node.op) || b.value == node.b);
  if (is_of_point && is_zero(a.linear) && is_zero(a.rest) && is_zero(b.linear) && is_zero(b.rest))
    return {id, m_zero, m_zero};
  switch (node.op) {
    case Op::copy:
      return a;
    case Op::add:
      return sum(a, b);
    case Op::subtract:
      return difference(a, b);
    case Op::multiply:
      return product(a, b);
    case Op::divide:
      return quotient(a, b);
    case Op::power:
      return power(a, b);
    case Op::arctangent2:
      return arctangent2(a, b);
    case Op::hypotenuse:
      return root(sum(product(a, a), product(b, b)));
    case Op::negate:
      return {negate(a.value), negate(a.linear), negate(a.rest)};
    case Op::square_root:
      return root(a);
    case Op::exponential:
      return exponential(a);
    case Op::logarithm:
      return of_slope(node.op, a, divide(number(1), a.value));
    case Op::sine:
    case Op::cosine:
      return sine(a, node.op == Op::cosine);
    case Op::tangent:
      return quotient(sine(a, false), sine(a, true));
    case Op::arcsine:
    case Op::arccosine: {
      const NodeId square = subtract(number(1), multiply(a.value, a.value));
      const NodeId slope =
          divide(number(node.op == Op::arcsine ? 1 : -1), m_graph.unary(Op::square_root, square));
      return of_slope(node.op, a, slope);
    }
    case Op::arctangent:
      return arctangent2(a, {number(1), m_zero, m_zero});
    case Op::hyperbolic_sine:
    case Op::hyperbolic_cosine:
      return hyperbolic_sine(a, node.op == Op::hyperbolic_cosine);
    case Op::hyperbolic_tangent:
      return hyperbolic_tangent(a);
    default:
      throw NotDifferentiable(node.op == Op::table ? "a table" : kink_name(node.op));
  }
}

TaylorParts TaylorExpansion::operator()(NodeId function) {
  for (const NodeId id : m_graph.nodes_of({function})) {
    if (m_known.count(id) == 0) m_known[id] = expand(id);
  }
  return m_known.at(function);
}

}  // namespace tessera::expression
