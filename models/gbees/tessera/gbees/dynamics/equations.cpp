// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/expression/margin.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/condition_program.hpp"
#include "tessera/gbees/dynamics/equation_graph.hpp"
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

/// Throws EquationError where the density of the noise of a variable has another dimension than the
/// square of the variable by the time.
void check_noise(const EquationText& text, const Names& names, std::size_t i) {
  const auto noise = names.dimension_of(text.noise[i]);
  const auto variable = names.dimensions.find(text.variables[i]), time = names.dimensions.find("t");
  if (!noise || variable == names.dimensions.end() || time == names.dimensions.end()) return;
  const Dimension expected = variable->second.to_the(2) / time->second;
  if (*noise == expected) return;
  throw EquationError(Part::noise, i, 0,
                      "the spectral density of the noise of '" + text.variables[i] + "' must be " +
                          describe(expected) + ", and this is " + describe(*noise));
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

Frame Frame::of_axes(std::vector<double> centre, linalg::Matrix axes) {
  Frame frame{std::move(centre), std::move(axes), {}};
  constexpr double kLargest = 1e10;
  const std::size_t n = frame.axes.size();
  double largest = 0;  // entry of the inverse, in units of the spread
  try {
    frame.inverse = linalg::inverse(frame.axes);
    for (std::size_t i = 0; i < n; ++i) {
      double square = 0;
      for (const double entry : frame.axes[i]) square += entry * entry;
      for (std::size_t a = 0; a < n; ++a)
        largest = std::max(largest, std::fabs(frame.inverse[a][i]) * std::sqrt(square));
    }
  } catch (const Error&) {
    largest = std::numeric_limits<double>::infinity();
  }
  if (!(largest < kLargest))
    frame.inverse.assign(n, std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
  return frame;
}

bool Frame::is_degenerate() const { return !inverse.empty() && std::isnan(inverse[0][0]); }

double Frame::log_volume() const {
  double logarithm = 0;
  if (inverse.empty()) return 0;
  if (is_degenerate()) return -std::numeric_limits<double>::infinity();
  linalg::inverse(axes, &logarithm);
  return logarithm;
}

linalg::Matrix Frame::covariance_along_axes(const linalg::Matrix& covariance) const {
  const std::size_t n = covariance.size();
  linalg::Matrix turned(n, std::vector<double>(n, 0.0));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
          turned[a][b] += inverse_at(a, i) * covariance[i][j] * inverse_at(b, j);
      }
    }
  }
  return turned;
}

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
      y[a] += inverse_at(a, i) * (x[i] - centre[i]);
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
        result[a] += inverse_at(a, i) * covariance[i * n + j] * inverse_at(a, j);
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

namespace {

/// Throws EquationError where the text has not one equation for each of 1 to 8 variables.
void check_equations(const EquationText& text) {
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
  if (!text.noise.empty() && text.noise.size() != dimension) {
    throw EquationError(Part::noise, 0, 0,
                        std::to_string(text.noise.size()) + " densities of noise for " +
                            std::to_string(dimension) + " variables: there must be one for each");
  }
}

std::vector<NodeId> parse_rates(const EquationText& text, const Names& names, Graph& graph) {
  std::vector<NodeId> rates;
  for (std::size_t i = 0; i < text.equations.size(); ++i) {
    try {
      rates.push_back(names.parse(text.equations[i], graph));
      check_rate(text, names, i);
    } catch (const ParseError& error) {
      throw EquationError(Part::equations, i, error.offset(), error.what());
    }
  }
  return rates;
}

/// The rates of the coordinates along the axes of a frame, from those of the variables.
std::vector<NodeId> rates_along_axes(Graph& graph, const std::vector<NodeId>& rates,
                                     const Frame& frame) {
  std::vector<NodeId> along;
  for (std::size_t a = 0; a < rates.size(); ++a) {
    NodeId sum = graph.constant(0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double factor = frame.inverse_at(a, i);
      if (factor == 0) continue;
      sum =
          graph.binary(Op::add, sum, graph.binary(Op::multiply, graph.constant(factor), rates[i]));
    }
    along.push_back(sum);
  }
  return along;
}

/// The densities of the noise along the axes of a frame, from those of the variables.
std::vector<NodeId> parse_noise(const EquationText& text, const Names& names, Graph& graph,
                                const Frame& frame) {
  std::vector<NodeId> densities;
  for (std::size_t i = 0; i < text.noise.size(); ++i) {
    try {
      NodeId density = names.parse(text.noise[i], graph);
      check_noise(text, names, i);
      for (std::size_t j = 0; frame.is_turned() && j < text.noise.size(); ++j) {
        if (j != i && frame.axes[i][j] != 0)
          throw ParseError(
              "noise that depends on the state needs a grid along the variables: set "
              "grid.rotate: false",
              0);
      }
      const double factor = frame.is_turned() ? frame.inverse_at(i, i) : 1;
      if (factor != 1)
        density = graph.binary(Op::multiply, graph.constant(factor * factor), density);
      densities.push_back(density);
    } catch (const ParseError& error) {
      throw EquationError(Part::noise, i, error.offset(), error.what());
    }
  }
  return densities;
}

/// The part of a text that function number f of its code comes from, and its number there.
std::pair<Part, std::size_t> part_of_function(const EquationProgram& compiled, std::size_t f) {
  const auto rates = static_cast<std::size_t>(compiled.dimension);
  if (f < rates) return {Part::equations, f};
  if (f == rates && compiled.bounded) return {Part::invariant, 0};
  return {Part::noise, f - static_cast<std::size_t>(compiled.first_noise)};
}

/// Writes the code of the rates of `dimension` coordinates, and of what is behind them: an
/// invariant, noise. `registers`: that the code for any times may need.
void write_code(const Graph& graph, const std::vector<NodeId>& functions, int dimension,
                const std::shared_ptr<const expression::TableSet>& tables, int registers,
                EquationProgram& compiled) {
  compiled.dimension = dimension;
  const auto rates = static_cast<std::size_t>(dimension);
  for (std::size_t i = 0; i < rates; ++i)
    compiled.varying |= graph.depends_on(functions[i], dimension) ? 1u << i : 0u;
  for (std::size_t i = 0; i < functions.size(); ++i) {  // one at a time, to say which is too long
    try {
      expression::compile(graph, {functions[i]}, dimension + 1, registers);
    } catch (const Error& error) {
      const auto [part, index] = part_of_function(compiled, i);
      throw EquationError(part, index, 0, error.what());
    }
  }
  compiled.program = expression::compile(graph, functions, dimension + 1, registers);
  compiled.program.refer_to(tables);
  compiled.timed = expression::compile_timed(graph, functions, dimension + 1, dimension);
  compiled.timed.refer_to(tables);
}

}  // namespace

EquationGraph make_equation_graph(const EquationText& text) {
  check_equations(text);
  EquationGraph made;
  const Names names =
      make_names(text, state_nodes(made.graph, text.variables.size(), {}), made.graph);
  made.rates = parse_rates(text, names, made.graph);
  return made;
}

EquationProgram compile_rates(const Graph& graph, const std::vector<NodeId>& rates,
                              const std::shared_ptr<const expression::TableSet>& tables) {
  EquationProgram compiled;
  write_code(graph, rates, static_cast<int>(rates.size()), tables, expression::kHostRegisters,
             compiled);
  compiled.time_varying = compiled.varying != 0;
  return compiled;
}

EquationProgram compile(const EquationText& text, const Frame& frame) {
  check_equations(text);
  const std::size_t size = text.variables.size();
  const int dimension = static_cast<int>(size);
  Graph graph;
  const Names names = make_names(text, state_nodes(graph, size, frame), graph);
  const std::vector<NodeId> rates = parse_rates(text, names, graph);
  EquationProgram compiled;
  std::vector<NodeId> functions = frame.is_turned() ? rates_along_axes(graph, rates, frame) : rates;
  const std::vector<NodeId> noise = parse_noise(text, names, graph, frame);
  std::vector<NodeId> moving = functions;
  moving.insert(moving.end(), noise.begin(), noise.end());
  for (const NodeId function : moving)
    compiled.time_varying |= graph.depends_on(function, dimension);
  if (compiled.time_varying) {
    compiled.switches =
        std::make_shared<const expression::TimeSwitches>(graph, moving, dimension, text.tables);
  }
  if (!text.invariant.empty()) {
    try {
      functions.push_back(names.parse(text.invariant, graph));
    } catch (const ParseError& error) {
      throw EquationError(Part::invariant, 0, error.offset(), error.what());
    }
    if (graph.depends_on(functions.back(), dimension))
      throw EquationError(Part::invariant, 0, 0, "an invariant cannot depend on the time");
    compiled.bounded = true;
  }
  if (!noise.empty()) {
    compiled.first_noise = static_cast<int>(functions.size());
    functions.insert(functions.end(), noise.begin(), noise.end());
  }
  write_code(graph, functions, dimension, text.tables, expression::kRegisters, compiled);
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

expression::Program along_axes(const expression::Program& functions, const Frame& frame) {
  Graph graph;
  std::vector<NodeId> inputs = state_nodes(graph, frame.centre.size(), frame);
  const int time = static_cast<int>(inputs.size());
  inputs.push_back(graph.input(time));
  expression::Program compiled =
      expression::compile(graph, expression::add_functions(graph, functions, inputs), time + 1);
  compiled.refer_to(functions.tables);
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
