// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/expression/graph.hpp"

namespace tessera::expression {

/// An operation that has no derivative with respect to the state.
class NotDifferentiable : public Error {
 public:
  explicit NotDifferentiable(const std::string& name)
      : Error(ErrorKind::input, name + " of the state has no derivative everywhere"),
        m_name(name) {}
  const std::string& name() const { return m_name; }  ///< such as "abs"

 private:
  std::string m_name;
};

/// The name of an operation without a derivative, such as "abs"; empty of all others.
std::string kink_name(Op op);

/// Returns the name of an operation without a derivative through which some function depends on one
/// of the first `inputs` inputs, or nothing.
std::string find_kink(const Graph& graph, const std::vector<NodeId>& functions, int inputs);

/// Functions of a state and the time with their derivatives with respect to the state, on the host.
class Linearization {
 public:
  /// The first `dimension` inputs are the state; the next one is the time.
  Linearization(const Graph& graph, std::vector<NodeId> functions, int dimension,
                std::shared_ptr<const TableSet> tables);

  /// The values of the functions, and their derivatives row by row.
  void operator()(const double* x, double t, double* value, double* jacobian) const;

  /// The values alone, to the same bits.
  void values(const double* x, double t, double* value) const;

  int dimension() const { return m_dimension; }

 private:
  struct Step {
    Graph::Node node;
    std::size_t a = 0, b = 0;  // places of the operands
  };
  double evaluate(const Step& step, const double* x, double t, const Tables& tables,
                  const std::vector<double>& results) const;

  std::vector<Step> m_steps;         // operands first
  std::vector<std::size_t> m_place;  // of each function
  int m_dimension;
  std::shared_ptr<const TableSet> m_tables;
};

}  // namespace tessera::expression
