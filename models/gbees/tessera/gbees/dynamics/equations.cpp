// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/equations.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/expression/margin.hpp"
#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/dynamics/function_dimension.hpp"

namespace tessera::gbees {

namespace {

using expression::Graph;
using expression::NodeId;
using expression::Op;
using expression::ParseError;
using expression::Symbols;
using Part = EquationError::Part;

void add_symbol(Symbols& symbols, Part part, std::size_t index, const std::string& name,
                NodeId node) {
  if (!expression::is_name(name)) {
    throw EquationError(part, index, 0,
                        "'" + name +
                            "' cannot be a name: letters, digits and underscores, beginning with a "
                            "letter, and no function or word such as 'and'");
  }
  if (name == "t")
    throw EquationError(part, index, 0, "'t' is the time and cannot be another name");
  if (!symbols.emplace(name, node).second)
    throw EquationError(part, index, 0, "the name '" + name + "' is used twice");
}

/// The variables as inputs or, in a frame that is turned, as sums over the inputs.
std::vector<NodeId> state_nodes(Graph& graph, std::size_t dimension, const Frame& frame) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < dimension; ++i) {
    if (!frame.is_turned()) {
      nodes.push_back(graph.input(static_cast<int>(i)));
      continue;
    }
    NodeId sum = graph.constant(frame.centre[i]);
    for (std::size_t j = 0; j < dimension; ++j) {
      if (frame.axes[i][j] == 0) continue;
      sum = graph.binary(Op::add, sum,
                         graph.binary(Op::multiply, graph.constant(frame.axes[i][j]),
                                      graph.input(static_cast<int>(j))));
    }
    nodes.push_back(sum);
  }
  return nodes;
}

/// The meanings of the names in a text, and their dimensions where they are known.
struct Names {
  Symbols symbols;
  expression::Dimensions dimensions;

  /// The dimension of an expression that has been parsed; throws ParseError when it has none.
  std::optional<Dimension> dimension_of(const std::string& expression) const {
    if (dimensions.empty()) return std::nullopt;
    return expression::find_dimension(expression, symbols, dimensions);
  }

  NodeId parse(const std::string& expression, Graph& graph) const {
    const NodeId node = expression::parse(expression, symbols, graph);
    dimension_of(expression);
    return node;
  }
};

/// `at`: the time at which tables are numbers.
Names make_names(const EquationText& text, const std::vector<NodeId>& state, Graph& graph,
                 std::optional<double> at = {}) {
  Names names{{}, text.dimensions};
  Symbols& symbols = names.symbols;
  for (std::size_t i = 0; i < text.variables.size(); ++i)
    add_symbol(symbols, Part::variables, i, text.variables[i], state[i]);
  const NodeId time = graph.input(static_cast<int>(text.variables.size()));
  symbols["t"] = time;
  for (std::size_t i = 0; i < text.parameters.size(); ++i) {
    add_symbol(symbols, Part::parameters, i, text.parameters[i].first,
               graph.constant(text.parameters[i].second));
  }
  for (std::size_t i = 0; i < text.table_names.size(); ++i) {
    const auto& [name, function] = text.table_names[i];
    add_symbol(
        symbols, Part::tables, i, name,
        at ? graph.constant(text.tables->tables()(function, *at)) : graph.table(time, function));
  }
  for (std::size_t i = 0; i < text.definitions.size(); ++i) {
    const auto& [name, definition] = text.definitions[i];
    NodeId node = 0;
    try {
      node = names.parse(definition, graph);
      if (const auto dimension = names.dimension_of(definition))
        names.dimensions[name] = *dimension;
    } catch (const ParseError& error) {
      throw EquationError(Part::definitions, i, error.offset(), error.what());
    }
    add_symbol(symbols, Part::definitions, i, name, node);
  }
  return names;
}

/// Throws EquationError where the rate of change of a variable has another dimension than that of
/// the variable by that of the time.
void check_rate(const EquationText& text, const Names& names, std::size_t i) {
  const auto rate = names.dimension_of(text.equations[i]);
  const auto variable = names.dimensions.find(text.variables[i]), time = names.dimensions.find("t");
  if (!rate || variable == names.dimensions.end() || time == names.dimensions.end()) return;
  const Dimension expected = variable->second / time->second;
  if (*rate == expected) return;
  throw EquationError(Part::equations, i, 0,
                      "the rate of change of '" + text.variables[i] + "' must be " +
                          describe(expected) + ", and this is " + describe(*rate));
}

}  // namespace

std::vector<double> Frame::position(const double* y) const {
  std::vector<double> x(centre);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_turned()) x[i] = y[i];
    for (std::size_t j = 0; is_turned() && j < x.size(); ++j) x[i] += axes[i][j] * y[j];
  }
  return x;
}

std::vector<double> Frame::coordinates(const double* x) const {
  std::vector<double> y(centre.size(), 0.0);
  for (std::size_t a = 0; a < y.size(); ++a) {
    if (!is_turned()) y[a] = x[a];
    for (std::size_t i = 0; is_turned() && i < y.size(); ++i)
      y[a] += axes[i][a] * (x[i] - centre[i]);
  }
  return y;
}

std::vector<double> Frame::deviations(const double* covariance) const {
  const std::size_t n = centre.size();
  std::vector<double> result(n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    if (!is_turned()) result[a] = covariance[a * n + a];
    for (std::size_t i = 0; is_turned() && i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        result[a] += axes[i][a] * covariance[i * n + j] * axes[j][a];
    }
    result[a] = std::sqrt(std::max(result[a], 0.0));
  }
  return result;
}

std::vector<double> Frame::covariance(const double* covariance) const {
  const std::size_t size = centre.size();
  std::vector<double> result(covariance, covariance + size * size);
  if (!is_turned()) return result;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0;
      for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < size; ++b)
          sum += axes[i][a] * covariance[a * size + b] * axes[j][b];
      }
      result[i * size + j] = sum;
    }
  }
  return result;
}

EquationProgram compile(const EquationText& text, const Frame& frame) {
  const std::size_t dimension = text.variables.size();
  if (dimension < 1 || dimension > 8) {
    throw EquationError(Part::variables, 0, 0,
                        std::to_string(dimension) + " variables; 1 to 8 dimensions are possible");
  }
  if (text.equations.size() != dimension) {
    throw EquationError(Part::equations, 0, 0,
                        std::to_string(text.equations.size()) + " equations for " +
                            std::to_string(dimension) +
                            " variables: there must be one for the rate of change of each");
  }
  Graph graph;
  const Names names = make_names(text, state_nodes(graph, dimension, frame), graph);
  std::vector<NodeId> rates;
  for (std::size_t i = 0; i < dimension; ++i) {
    try {
      rates.push_back(names.parse(text.equations[i], graph));
      check_rate(text, names, i);
    } catch (const ParseError& error) {
      throw EquationError(Part::equations, i, error.offset(), error.what());
    }
  }
  EquationProgram compiled;
  compiled.dimension = static_cast<int>(dimension);
  std::vector<NodeId> functions = rates;
  if (frame.is_turned()) {
    for (std::size_t j = 0; j < dimension; ++j) {
      NodeId sum = graph.constant(0);
      for (std::size_t i = 0; i < dimension; ++i) {
        if (frame.axes[i][j] == 0) continue;
        sum = graph.binary(Op::add, sum,
                           graph.binary(Op::multiply, graph.constant(frame.axes[i][j]), rates[i]));
      }
      functions[j] = sum;
    }
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    compiled.time_varying |= graph.depends_on(rates[i], compiled.dimension);
    compiled.varying |= graph.depends_on(functions[i], compiled.dimension) ? 1u << i : 0u;
  }
  if (compiled.time_varying) {
    compiled.switches = std::make_shared<const expression::TimeSwitches>(
        graph, functions, compiled.dimension, text.tables);
  }
  if (!text.invariant.empty()) {
    try {
      functions.push_back(names.parse(text.invariant, graph));
    } catch (const ParseError& error) {
      throw EquationError(Part::invariant, 0, error.offset(), error.what());
    }
    if (graph.depends_on(functions.back(), compiled.dimension)) {
      throw EquationError(Part::invariant, 0, 0, "an invariant cannot depend on the time");
    }
    compiled.bounded = true;
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {  // one at a time, to say which is too long
    try {
      expression::compile(graph, {functions[i]}, compiled.dimension + 1);
    } catch (const Error& error) {
      throw EquationError(i < dimension ? Part::equations : Part::invariant, i < dimension ? i : 0,
                          0, error.what());
    }
  }
  compiled.program = expression::compile(graph, functions, compiled.dimension + 1);
  compiled.program.refer_to(text.tables);
  compiled.timed =
      expression::compile_timed(graph, functions, compiled.dimension + 1, compiled.dimension);
  compiled.timed.refer_to(text.tables);
  return compiled;
}

expression::Program compile_functions(const EquationText& text,
                                      const std::vector<std::string>& functions, const Frame& frame,
                                      std::optional<double> at) {
  Graph graph;
  const Names names = make_names(text, state_nodes(graph, text.variables.size(), frame), graph, at);
  std::vector<NodeId> nodes;
  for (const std::string& function : functions) nodes.push_back(names.parse(function, graph));
  expression::Program compiled =
      expression::compile(graph, nodes, static_cast<int>(text.variables.size()) + 1);
  compiled.refer_to(text.tables);
  return compiled;
}

std::optional<Dimension> function_dimension(const EquationText& text, const std::string& function) {
  if (text.dimensions.empty()) return std::nullopt;
  Graph graph;
  try {
    return make_names(text, state_nodes(graph, text.variables.size(), {}), graph)
        .dimension_of(function);
  } catch (const Error&) {
    return std::nullopt;
  }
}

ConditionProgram compile_condition(const EquationText& text, const std::string& condition,
                                   const Frame& frame) {
  Graph graph;
  const int inputs = static_cast<int>(text.variables.size()) + 1;
  const Names names = make_names(text, state_nodes(graph, text.variables.size(), frame), graph);
  const NodeId node = names.parse(condition, graph);
  if (!graph[node].is_condition)
    throw ParseError(
        "expected a condition such as x < 1, with comparisons that 'and', 'or' and 'not' join", 0);
  ConditionProgram compiled{expression::compile(graph, {node}, inputs), {}};
  try {
    compiled.program =
        expression::compile(graph, {node, expression::add_margin(graph, node)}, inputs);
  } catch (const Error&) {  // it needs too many numbers at a time
  }
  compiled.program.refer_to(text.tables);
  for (int i = 0; i < inputs; ++i) compiled.depends.push_back(graph.depends_on(node, i));
  return compiled;
}

}  // namespace tessera::gbees
