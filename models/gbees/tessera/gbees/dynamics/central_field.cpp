// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/central_field.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tessera/gbees/dynamics/change_of_variables.hpp"
#include "tessera/gbees/dynamics/forces.hpp"

namespace tessera::gbees {

namespace {

using expression::Graph;
using expression::NodeId;
using expression::Op;
using Part = EquationError::Part;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const double* find_number(const EquationText& text, const std::string& name) {
  for (const auto& [known, value] : text.parameters) {
    if (known == name) return &value;
  }
  return nullptr;
}

/// The definitions that a force adds to a text.
template <class Add>
Pairs write_force(const EquationText& text, const Add& add) {
  EquationText alone;
  alone.variables = text.variables;
  add(alone);
  return alone.definitions;
}

Pairs write_two_body(const EquationText& text, const std::string& name) {
  return write_force(text, [&](EquationText& alone) { add_two_body(alone, name, 0); });
}

Pairs write_j2(const EquationText& text, const std::string& name) {
  return write_force(text, [&](EquationText& alone) { add_j2(alone, name, 0, 0, 0); });
}

bool has_definitions(const EquationText& text, const Pairs& definitions) {
  return std::all_of(definitions.begin(), definitions.end(), [&](const auto& definition) {
    return std::count(text.definitions.begin(), text.definitions.end(), definition) > 0;
  });
}

void check_force(const EquationText& text, const Pairs& definitions, const std::string& name,
                 const char* kind) {
  if (has_definitions(text, definitions)) return;
  throw Error(ErrorKind::input,
              "there is no force '" + name + "' of the kind '" + kind + "' in model.forces",
              "add it, or name the one that there is");
}

/// The components of the forces of a text that are those of a field, by their definitions.
struct FieldForces {
  Pairs two_body, j2;
};

FieldForces find_forces(const EquationText& text, const CentralField& field) {
  FieldForces forces;
  if (!field.two_body.empty()) forces.two_body = write_two_body(text, field.two_body);
  if (!has_definitions(text, forces.two_body) ||
      find_central_field(text, field.two_body).mu != field.mu)
    forces.two_body.clear();
  if (!field.j2.empty()) forces.j2 = write_j2(text, field.j2);
  if (!has_definitions(text, forces.j2) ||
      find_central_field(text, {}, field.j2).flattening != field.flattening)
    forces.j2.clear();
  return forces;
}

/// The nodes that the names of a text stand for. The names in `unknown` are inputs of their own,
/// after the variables and the time.
class TextGraph {
 public:
  explicit TextGraph(const EquationText& text, const std::vector<std::string>& unknown = {}) {
    int input = 0;
    for (const std::string& name : text.variables) m_symbols[name] = m_graph.input(input++);
    const NodeId time = m_symbols["t"] = m_graph.input(input++);
    for (const auto& [name, value] : text.parameters) m_symbols[name] = m_graph.constant(value);
    for (const auto& [name, function] : text.table_names)
      m_symbols[name] = m_graph.table(time, function);
    for (const std::string& name : unknown) m_symbols[name] = m_graph.input(input++);
    for (const auto& [name, definition] : text.definitions) define(name, definition);
  }

  /// Gives a name to an expression, unless it has one already.
  void define(const std::string& name, const std::string& definition) {
    if (m_symbols.count(name) == 0) m_symbols[name] = parse(definition);
  }

  NodeId parse(const std::string& expression) {
    return expression::parse(expression, m_symbols, m_graph);
  }

  bool is_zero(NodeId node) const { return m_graph.is_constant(node, 0); }

  /// Returns how often a name is a term of a node, signs counted; none where it stands in anything
  /// but a sum.
  std::optional<int> count_terms(NodeId node, const std::string& name) const;

 private:
  Graph m_graph;
  expression::Symbols m_symbols;
};

std::optional<int> TextGraph::count_terms(NodeId node, const std::string& name) const {
  std::vector<std::optional<int>> count(static_cast<std::size_t>(node) + 1);
  for (NodeId id = 0; id <= node; ++id) {  // operands come before operations
    std::optional<int>& terms = count[static_cast<std::size_t>(id)];
    const Graph::Node& now = m_graph[id];
    if (now.kind != Graph::Kind::operation) {
      terms = id == m_symbols.at(name) ? 1 : 0;
      continue;
    }
    const std::optional<int> a = count[static_cast<std::size_t>(now.a)];
    const std::optional<int> b =
        expression::is_binary(now.op) ? count[static_cast<std::size_t>(now.b)] : 0;
    if (!a || !b) continue;
    if (now.op == Op::add) terms = *a + *b;
    if (now.op == Op::subtract) terms = *a - *b;
    if (now.op == Op::negate) terms = -*a;
    if (*a == 0 && *b == 0) terms = 0;
  }
  return count[static_cast<std::size_t>(node)];
}

std::vector<std::string> names_of(const Pairs& pairs) {
  std::vector<std::string> names;
  for (const auto& pair : pairs) names.push_back(pair.first);
  return names;
}

/// Returns whether the equation of each velocity has the component of a force along its own axis as
/// a term once, and no other.
bool is_a_term(const EquationText& text, const Pairs& force) {
  if (force.empty()) return false;
  const std::vector<std::string> names = names_of(force);
  TextGraph graph(text, names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NodeId rate = graph.parse(text.equations[names.size() + i]);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (graph.count_terms(rate, names[j]) != (i == j ? 1 : 0)) return false;
    }
  }
  return true;
}

bool has_name(const std::string& expression, const std::string& name) {
  return replace_names(expression, {{name, ""}}) != expression;
}

/// Drops the definitions that no acceleration needs.
void drop_unused(Perturbation& rest) {
  std::vector<std::string> users = rest.accelerations;
  Pairs used;
  for (auto definition = rest.definitions.rbegin(); definition != rest.definitions.rend();
       ++definition) {
    const bool is_used = std::any_of(users.begin(), users.end(), [&](const std::string& user) {
      return has_name(user, definition->first);
    });
    if (!is_used) continue;
    users.push_back(definition->second);
    used.push_back(*definition);
  }
  rest.definitions.assign(used.rbegin(), used.rend());
}

/// Leaves forces out of equations: `zeros` are the names of their components.
Perturbation leave_out(const EquationText& text, const std::vector<std::string>& zeros,
                       const std::string& prefix) {
  Perturbation rest;
  std::map<std::string, std::string> replacements;
  for (const std::string& name : zeros) replacements[name] = "0";
  for (const auto& [name, definition] : text.definitions) {
    if (replacements.count(name) != 0) continue;
    const std::string changed = replace_names(definition, replacements);
    if (changed == definition) continue;
    replacements[name] = prefix + "rest_" + name;
    rest.definitions.emplace_back(replacements[name], changed);
  }
  const std::size_t axes = text.variables.size() / 2;
  for (std::size_t i = 0; i < axes; ++i)
    rest.accelerations.push_back(replace_names(text.equations[axes + i], replacements));
  drop_unused(rest);
  return rest;
}

/// Adds to an acceleration the opposite of what a part of the field is along an axis.
void subtract_field(const EquationText& text, bool two_body, bool j2, const std::string& prefix,
                    Perturbation& rest) {
  const std::size_t axes = rest.accelerations.size();
  std::string square;
  for (std::size_t i = 0; i < axes; ++i) square += (i > 0 ? " + " : "") + text.variables[i] + "^2";
  const std::string r = prefix + "distance", mu = prefix + "mu", flattening = prefix + "flattening";
  if (two_body || j2) rest.definitions.emplace_back(r, "sqrt(" + square + ")");
  for (std::size_t i = 0; i < axes; ++i) {
    const std::string& position = text.variables[i];
    std::string& acceleration = rest.accelerations[i];
    if (two_body || j2) acceleration = "(" + acceleration + ")";
    if (two_body) acceleration += " + " + mu + "/" + r + "^3*" + position;
    if (!j2) continue;
    const std::string slope = axes == 3 ? " - 5*(" + text.variables[2] + "/" + r + ")^2" : "";
    acceleration +=
        " + 1.5*" + flattening + "/" + r + "^5*(" + (i == 2 ? "3" : "1") + slope + ")*" + position;
  }
}

/// Makes the accelerations empty that are zero.
void drop_zeros(const EquationText& text, const CentralField& field, const std::string& prefix,
                Perturbation& rest) {
  EquationText with_numbers = text;
  with_numbers.parameters.emplace_back(prefix + "mu", field.mu);
  with_numbers.parameters.emplace_back(prefix + "flattening", field.flattening);
  TextGraph graph(with_numbers);
  for (const auto& [name, definition] : rest.definitions) graph.define(name, definition);
  for (std::string& acceleration : rest.accelerations) {
    if (graph.is_zero(graph.parse(acceleration))) acceleration.clear();
  }
}

/// Throws EquationError unless the positions change by the velocities.
void check_positions(const EquationText& text) {
  TextGraph graph(text);
  const std::size_t axes = text.variables.size() / 2;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::string& velocity = text.variables[axes + i];
    if (graph.parse(text.equations[i]) == graph.parse(velocity)) continue;
    throw EquationError(Part::equations, i, 0,
                        "in these coordinates the rate of change of '" + text.variables[i] +
                            "' must be the velocity '" + velocity +
                            "': write that, or take Cartesian coordinates");
  }
}

}  // namespace

CentralField find_central_field(const EquationText& text, const std::string& two_body,
                                const std::string& j2) {
  CentralField field;
  field.two_body = two_body;
  field.j2 = j2;
  if (!two_body.empty()) {
    check_force(text, write_two_body(text, two_body), two_body, "two_body");
    field.mu = *find_number(text, two_body + "_mu");
  }
  if (!j2.empty()) {
    check_force(text, write_j2(text, j2), j2, "j2");
    const double radius = *find_number(text, j2 + "_radius");
    field.flattening =
        *find_number(text, j2 + "_j2") * *find_number(text, j2 + "_mu") * radius * radius;
  }
  return field;
}

Perturbation find_perturbation(const EquationText& text, const CentralField& field,
                               const std::string& prefix) {
  compile(text);  // its mistakes are said in terms of what the user has written
  check_positions(text);
  const FieldForces forces = find_forces(text, field);
  std::vector<std::string> zeros;
  const auto is_left_out = [&](const Pairs& force) {
    if (!is_a_term(text, force)) return false;
    for (const std::string& name : names_of(force)) zeros.push_back(name);
    return true;
  };
  const bool without_two_body = is_left_out(forces.two_body);
  const bool without_j2 = is_left_out(forces.j2);
  Perturbation rest = leave_out(text, zeros, prefix);
  subtract_field(text, field.mu != 0 && !without_two_body, field.flattening != 0 && !without_j2,
                 prefix, rest);
  drop_zeros(text, field, prefix, rest);
  return rest;
}

}  // namespace tessera::gbees
