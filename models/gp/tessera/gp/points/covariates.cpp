// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/points/covariates.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/expression/parse.hpp"
#include "tessera/core/expression/program.hpp"

namespace tessera::gp {

namespace {

constexpr int kMostNames = 60;

/// The number of the name that an expression is, or -1.
int find_name(const std::vector<std::string>& names, const std::string& expression) {
  const auto found = std::find(names.begin(), names.end(), expression);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

expression::Program compile_covariate(const std::vector<std::string>& expressions,
                                      const std::vector<std::string>& names, int index) {
  expression::Graph graph;
  expression::Symbols symbols;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (expression::is_name(names[k])) symbols[names[k]] = graph.input(static_cast<int>(k));
  }
  try {
    return expression::compile(graph, {expression::parse(expressions[index], symbols, graph)},
                               kMostNames);
  } catch (const expression::ParseError& error) {
    throw CovariateError(index, error.offset(), error.what());
  } catch (const Error& error) {
    throw CovariateError(index, 0, error.what());
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A column without its part along orthonormal ones.
std::vector<double> subtract_projection(const std::vector<std::vector<double>>& basis,
                                        std::vector<double> column) {
  for (int pass = 0; pass < 2; ++pass) {  // twice, for rounding
    for (const std::vector<double>& direction : basis) {
      const double share = dot(direction, column);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= share * direction[i];
    }
  }
  return column;
}

}  // namespace

Covariates::Covariates(const std::vector<std::string>& expressions,
                       const std::vector<std::string>& names)
    : m_expressions(expressions), m_names(names) {
  if (static_cast<int>(names.size()) > kMostNames)
    throw CovariateError(-1, 0,
                         "there are " + std::to_string(names.size()) +
                             " coordinates and covariates; at most 60 are possible");
  for (std::size_t k = 0; k < expressions.size(); ++k) {
    if (find_name(names, expressions[k]) < 0)
      compile_covariate(expressions, names, static_cast<int>(k));
  }
}

std::vector<std::vector<double>> Covariates::evaluate(
    const std::vector<const std::vector<double>*>& columns, const std::string& what,
    std::size_t n) const {
  std::vector<std::vector<double>> all;
  for (std::size_t c = 0; c < m_expressions.size(); ++c) {
    std::vector<double>& values = all.emplace_back();
    if (const int name = find_name(m_names, m_expressions[c]); name >= 0) {
      values = *columns[name];
    } else {
      const expression::Program program =
          compile_covariate(m_expressions, m_names, static_cast<int>(c));
      const auto functions = program.functions<kMostNames>(program.code.data());
      for (std::size_t i = 0; i < n; ++i)
        values.push_back(functions(0, [&](int k) {
          return static_cast<std::size_t>(k) < columns.size() ? (*columns[k])[i] : 0.0;
        }));
    }
    const auto bad =
        std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
    if (bad == values.end()) continue;
    throw Error(ErrorKind::input,
                "the covariate '" + m_expressions[c] + "' is not finite at " + what + " " +
                    std::to_string(bad - values.begin() + 1),
                "mend the value, leave the row out, or choose an expression that is defined there");
  }
  return all;
}

void require_independent(const std::vector<std::vector<double>>& trend,
                         const std::vector<std::string>& names, std::size_t covariates) {
  constexpr double kSmallest = 1e-8;  // of what is left of a column, relative to it
  std::vector<std::vector<double>> basis;
  for (std::size_t k = 0; k < trend.size(); ++k) {
    std::vector<double> rest = subtract_projection(basis, trend[k]);
    const double left = std::sqrt(dot(rest, rest));
    if (!(left > kSmallest * std::sqrt(dot(trend[k], trend[k])))) {
      const bool constant =
          std::all_of(trend[k].begin(), trend[k].end(), [&](double x) { return x == trend[k][0]; });
      const bool is_covariate = k + covariates >= trend.size();
      throw Error(
          ErrorKind::input,
          std::string(is_covariate ? "the covariate '" : "the column '") + names[k] +
              (is_covariate ? "' " : "' of the mean ") +
              (constant ? "is constant over the points"
                        : "is a combination of the columns of the mean before it at these points"),
          is_covariate
              ? "leave it out of the mean"
              : "use a simpler mean, as mean: constant, or add points that span all coordinates");
    }
    for (double& x : rest) x /= left;
    basis.push_back(std::move(rest));
  }
}

std::vector<double> regression_residuals(const std::vector<double>& values,
                                         const std::vector<std::vector<double>>& trend) {
  std::vector<std::vector<double>> basis;
  for (const std::vector<double>& column : trend) {
    std::vector<double>& direction = basis.emplace_back(subtract_projection(basis, column));
    const double length = std::sqrt(dot(direction, direction));
    for (double& x : direction) x /= length;
  }
  return subtract_projection(basis, values);
}

}  // namespace tessera::gp
