// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tessera/core/expression/graph.hpp"

namespace tessera::expression {

/// The times at which functions of several inputs, one of them the time, jump or have a kink
/// whatever the other inputs are: where two sides of a comparison meet that depend on the time
/// alone, at steps of floor() and sign(), at kinks of abs(), min() and max(), and at the rows of
/// tables that are joined by lines. On the host.
class TimeSwitches {
 public:
  static constexpr std::size_t kMost = 20000;  ///< that are found

  TimeSwitches() = default;

  /// Finds the switches of these functions; `time` is the number of that input.
  TimeSwitches(const Graph& graph, const std::vector<NodeId>& functions, int time,
               std::shared_ptr<const TableSet> tables);

  bool empty() const { return m_switches.empty() && m_tables.empty() && m_bells.empty(); }

  /// Returns the switches between two times, ascending. They are found to rounding where not more
  /// than some thousand follow each other, or where no two are closer than a ten thousandth of the
  /// span; pairs that are closer are found where something else tells of them: two comparisons with
  /// the time, a distance from a time, or its square.
  std::vector<double> between(double begin, double end) const;

  /// Times between which functions of the time alone may change much, although no single one of
  /// them is a switch: the rows of tables and the tops of bells such as exp(-((t - 5)/0.01)^2).
  /// Ascending.
  std::vector<double> landmarks(double begin, double end) const;

 private:
  struct Switch {
    NodeId a = 0, b = 0;  ///< meet there
    bool steps = false;   ///< or where the whole part of `a` changes
  };

  double value(const Switch& of, double t) const;
  double value_of(NodeId id, double t) const;
  void add_roots(const Switch& of, const std::vector<double>& samples,
                 std::vector<double>& found) const;
  void add_dip(const Switch& of, double left, double middle, double right,
               std::vector<double>& found) const;
  double meeting(const Switch& of, double left, double right) const;

  Graph m_graph;
  std::vector<NodeId> m_order;  ///< operations that the switches depend on, operands first
  int m_time = 0;
  std::shared_ptr<const TableSet> m_set;
  std::vector<Switch> m_switches;
  std::vector<NodeId> m_bells;  ///< exponents
  std::vector<int> m_tables;    ///< functions of tables at the time itself
  mutable std::vector<double> m_values;
};

}  // namespace tessera::expression
