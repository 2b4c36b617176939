// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/linearization.hpp"

#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tessera::expression {

namespace {

using Kind = Graph::Kind;

bool is_state(const Graph::Node& node, int inputs) {
  return node.kind == Kind::input && node.a < inputs;
}

}  // namespace

std::string kink_name(Op op) {
  switch (op) {
    case Op::minimum:
      return "min";
    case Op::maximum:
      return "max";
    case Op::less:
    case Op::less_equal:
      return "a comparison";
    case Op::absolute:
      return "abs";
    case Op::sign:
      return "sign";
    case Op::floor:
      return "floor";
    default:
      return {};
  }
}

std::string find_kink(const Graph& graph, const std::vector<NodeId>& functions, int inputs) {
  std::set<NodeId> of_state;
  for (const NodeId id : graph.nodes_of(functions)) {
    const Graph::Node& node = graph[id];
    const bool depends =
        is_state(node, inputs) ||
        (node.kind == Kind::operation &&
         (of_state.count(node.a) > 0 || (is_binary(node.op) && of_state.count(node.b) > 0)));
    if (!depends) continue;
    if (node.kind == Kind::operation && !kink_name(node.op).empty()) return kink_name(node.op);
    of_state.insert(id);
  }
  return {};
}

Linearization::Linearization(const Graph& graph, std::vector<NodeId> functions, int dimension,
                             std::shared_ptr<const TableSet> tables)
    : m_dimension(dimension), m_tables(std::move(tables)) {
  const std::string kink = find_kink(graph, functions, dimension);
  if (!kink.empty()) throw NotDifferentiable(kink);
  std::map<NodeId, std::size_t> place;
  for (const NodeId id : graph.nodes_of(functions)) {
    Step step;
    step.node = graph[id];
    if (step.node.kind == Kind::operation) {
      step.a = place.at(step.node.a);
      step.b = is_binary(step.node.op) ? place.at(step.node.b) : step.a;
    }
    place[id] = m_steps.size();
    m_steps.push_back(step);
  }
  for (const NodeId function : functions) m_place.push_back(place.at(function));
}

namespace {

/// The derivatives of an operation with respect to its operands a and b, whose result is `f`.
std::pair<double, double> slopes(Op op, double a, double b, double f) {
  switch (op) {
    case Op::add:
      return {1, 1};
    case Op::subtract:
      return {1, -1};
    case Op::multiply:
      return {b, a};
    case Op::divide:
      return {1 / b, -f / b};
    case Op::power:
      return {a == 0 ? b * std::pow(a, b - 1) : b * f / a, a > 0 ? f * std::log(a) : 0};
    case Op::arctangent2: {
      const double square = a * a + b * b;
      return {b / square, -a / square};
    }
    case Op::hypotenuse:
      return {a / f, b / f};
    case Op::copy:
      return {1, 0};
    case Op::negate:
      return {-1, 0};
    case Op::square_root:
      return {0.5 / f, 0};
    case Op::exponential:
      return {f, 0};
    case Op::logarithm:
      return {1 / a, 0};
    case Op::sine:
      return {std::cos(a), 0};
    case Op::cosine:
      return {-std::sin(a), 0};
    case Op::tangent:
      return {1 + f * f, 0};
    case Op::arcsine:
      return {1 / std::sqrt(1 - a * a), 0};
    case Op::arccosine:
      return {-1 / std::sqrt(1 - a * a), 0};
    case Op::arctangent:
      return {1 / (1 + a * a), 0};
    case Op::hyperbolic_sine:
      return {std::cosh(a), 0};
    case Op::hyperbolic_cosine:
      return {std::sinh(a), 0};
    case Op::hyperbolic_tangent:
      return {1 - f * f, 0};
    default:
      return {0, 0};  // of the time alone
  }
}

}  // namespace

/// The result of a step, by those of the steps before it.
double Linearization::evaluate(const Step& step, const double* x, double t, const Tables& tables,
                               const std::vector<double>& results) const {
  if (step.node.kind == Kind::constant) return step.node.value;
  if (step.node.kind == Kind::input) return step.node.a == m_dimension ? t : x[step.node.a];
  return apply(step.node.op, results[step.a], results[step.b], tables);
}

void Linearization::values(const double* x, double t, double* value) const {
  const Tables tables = m_tables ? m_tables->tables() : Tables();
  std::vector<double> results(m_steps.size());
  for (std::size_t s = 0; s < m_steps.size(); ++s)
    results[s] = evaluate(m_steps[s], x, t, tables, results);
  for (std::size_t f = 0; f < m_place.size(); ++f) value[f] = results[m_place[f]];
}

void Linearization::operator()(const double* x, double t, double* value, double* jacobian) const {
  const auto n = static_cast<std::size_t>(m_dimension);
  const Tables tables = m_tables ? m_tables->tables() : Tables();
  std::vector<double> result(m_steps.size()), slope(m_steps.size() * n, 0.0);
  for (std::size_t s = 0; s < m_steps.size(); ++s) {
    const Step& step = m_steps[s];
    result[s] = evaluate(step, x, t, tables, result);
    if (is_state(step.node, m_dimension)) {
      slope[s * n + static_cast<std::size_t>(step.node.a)] = 1;
    } else if (step.node.kind == Kind::operation) {
      const auto [of_a, of_b] = slopes(step.node.op, result[step.a], result[step.b], result[s]);
      for (std::size_t j = 0; j < n; ++j) {
        double sum =
            0;  // a part that does not depend on the state has slope 0, whatever the factor
        if (slope[step.a * n + j] != 0) sum += of_a * slope[step.a * n + j];
        if (is_binary(step.node.op) && slope[step.b * n + j] != 0)
          sum += of_b * slope[step.b * n + j];
        slope[s * n + j] = sum;
      }
    }
  }
  for (std::size_t f = 0; f < m_place.size(); ++f) {
    value[f] = result[m_place[f]];
    for (std::size_t j = 0; j < n; ++j) jacobian[f * n + j] = slope[m_place[f] * n + j];
  }
}

}  // namespace tessera::expression
