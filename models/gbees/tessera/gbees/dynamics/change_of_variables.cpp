// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/change_of_variables.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::gbees {

namespace {

using Part = EquationError::Part;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns where the number that begins at `at` ends: 1.5e-3 is one number and has no name in it.
std::size_t end_of_number(const std::string& text, std::size_t at) {
  const auto skip_digits = [&](std::size_t i) {
    while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
    return i;
  };
  std::size_t end = skip_digits(at);
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) end = skip_digits(exponent);
  }
  return end;
}

/// Calls `visit(part, index, name)` for each name of a text.
template <class Visit>
void visit_names(const EquationText& text, const Visit& visit) {
  const auto visit_pairs = [&](Part part, const auto& pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) visit(part, i, pairs[i].first);
  };
  for (std::size_t i = 0; i < text.variables.size(); ++i)
    visit(Part::variables, i, text.variables[i]);
  visit_pairs(Part::parameters, text.parameters);
  visit_pairs(Part::tables, text.table_names);
  visit_pairs(Part::definitions, text.definitions);
}

/// Returns the names of the old variables in the expressions of a change of variables.
std::vector<std::string> places(std::size_t dimension) {
  if (dimension == 4) return {"x", "y", "vx", "vy"};
  return {"x", "y", "z", "vx", "vy", "vz"};
}

}  // namespace

std::string replace_names(const std::string& expression,
                          const std::map<std::string, std::string>& replacements) {
  std::string result;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at + 1;
    if (is_digit(expression[at]) || expression[at] == '.') {
      end = end_of_number(expression, at);
    } else if (is_of_name(expression[at])) {
      while (end < expression.size() && is_of_name(expression[end])) ++end;
    }
    const std::string word = expression.substr(at, end - at);
    const auto found = replacements.find(word);
    result += found == replacements.end() ? word : found->second;
    at = end;
  }
  return result;
}

ChangeOfVariables::ChangeOfVariables(const EquationText& old,
                                     const std::vector<VariableMeaning>& variables)
    : m_text(old) {
  if (old.variables.size() != variables.size()) {
    throw EquationError(Part::variables, 0, 0,
                        "these coordinates take " + std::to_string(variables.size()) +
                            " variables, positions and then velocities, and there are " +
                            std::to_string(old.variables.size()) +
                            ": 'polar' is for x, y, vx, vy, 'equinoctial' for x, y, z, vx, vy, "
                            "vz, and 'cartesian' for all others");
  }
  visit_names(old, [&](Part part, std::size_t index, const std::string& name) {
    for (const VariableMeaning& variable : variables) {
      if (name != variable.name) continue;
      throw EquationError(part, index, 0,
                          "'" + name + "' is a variable of these coordinates (" +
                              variable.long_name + "): give this another name");
    }
  });
  const auto is_taken = [&] {
    bool taken = false;
    visit_names(old, [&](Part, std::size_t, const std::string& name) {
      taken = taken || name.compare(0, m_prefix.size(), m_prefix) == 0;
    });
    return taken;
  };
  while (is_taken()) m_prefix += "_";
  const std::vector<std::string> old_names = places(old.variables.size());
  for (std::size_t i = 0; i < old_names.size(); ++i) m_names[old_names[i]] = old.variables[i];
  const auto is_known = [&](const std::string& name, const Dimension& dimension) {
    const auto found = old.dimensions.find(name);
    return found != old.dimensions.end() && found->second == dimension;
  };
  m_has_dimensions = is_known("t", {0, 1, 0}) && is_known(old.variables[0], {1, 0, 0});
  m_text.variables.clear();
  m_text.definitions.clear();
  m_text.equations.clear();
  for (const VariableMeaning& variable : variables) {
    m_text.variables.push_back(variable.name);
    if (m_has_dimensions) m_text.dimensions[variable.name] = variable.dimension;
  }
}

void ChangeOfVariables::add_number(const std::string& name, double value,
                                   const Dimension& dimension) {
  m_names[name] = m_prefix + name;
  m_text.parameters.emplace_back(m_names[name], value);
  if (m_has_dimensions) m_text.dimensions[m_names[name]] = dimension;
}

std::string ChangeOfVariables::define(const std::string& name, const std::string& expression) {
  if (expression.empty()) return {};
  m_names.try_emplace(name, m_prefix + name);
  m_text.definitions.emplace_back(m_names[name], replace_names(expression, m_names));
  return name;
}

void ChangeOfVariables::copy(const std::string& name, const std::string& expression) {
  m_text.definitions.emplace_back(name, expression);
}

std::string ChangeOfVariables::define_old(const std::string& name, const std::string& expression) {
  if (expression.empty()) return {};
  m_names[name] = m_prefix + name;
  copy(m_names[name], expression);
  return name;
}

void ChangeOfVariables::add_rate(const std::string& expression) {
  m_text.equations.push_back(expression.empty() ? "0" : replace_names(expression, m_names));
}

std::string sum(const std::vector<std::string>& terms) {
  std::string result;
  for (const std::string& term : terms) {
    if (!term.empty()) result += (result.empty() ? "" : " + ") + term;
  }
  return result;
}

std::string times(const std::string& factor, const std::string& expression) {
  return expression.empty() ? std::string() : factor + "*(" + expression + ")";
}

}  // namespace tessera::gbees
