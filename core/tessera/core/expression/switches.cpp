// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/expression/switches.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tessera::expression {

namespace {

constexpr int kSamples = 8192;              // of a span, at first
constexpr std::uint32_t kMostLines = 1000;  // rows of a table of lines that are switches
constexpr double kSame = 1e-12;             // times, beside the span

/// Returns the times that lie strictly between `begin` and `end`, ascending, and none twice.
std::vector<double> tidy(std::vector<double> times, double begin, double end) {
  std::sort(times.begin(), times.end());
  const double same = kSame * (end - begin);
  std::vector<double> kept;
  for (const double t : times) {
    if (t > begin + same && t < end - same && (kept.empty() || t > kept.back() + same))
      kept.push_back(t);
  }
  return kept;
}

/// The place between left and right at which a function is least.
template <class Function>
double least(const Function& function, double left, double right) {
  const double share = 0.5 * (std::sqrt(5.0) - 1);
  double a = right - share * (right - left), b = left + share * (right - left), at_a = function(a),
         at_b = function(b);
  for (int i = 0; i < 100 && right - left > 1e-15 * (std::fabs(left) + std::fabs(right)); ++i) {
    if (at_a < at_b) {
      right = b;
      b = a;
      at_b = at_a;
      a = right - share * (right - left);
      at_a = function(a);
    } else {
      left = a;
      a = b;
      at_a = at_b;
      b = left + share * (right - left);
      at_b = function(b);
    }
  }
  return at_a < at_b ? a : b;
}

}  // namespace

TimeSwitches::TimeSwitches(const Graph& graph, const std::vector<NodeId>& functions, int time,
                           std::shared_ptr<const TableSet> tables)
    : m_graph(graph), m_time(time), m_set(std::move(tables)) {
  const std::size_t nodes = graph.size();
  std::vector<bool> used(nodes, false), varies(nodes, false), timed(nodes, false);
  for (const NodeId function : functions) used[static_cast<std::size_t>(function)] = true;
  for (std::size_t n = nodes; n-- > 0;) {  // operands come before operations
    const Graph::Node& node = graph[static_cast<NodeId>(n)];
    if (!used[n] || node.kind != Graph::Kind::operation) continue;
    used[static_cast<std::size_t>(node.a)] = true;
    if (is_binary(node.op)) used[static_cast<std::size_t>(node.b)] = true;
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto id = static_cast<NodeId>(n);
    const Graph::Node& node = graph[id];
    if (node.kind == Graph::Kind::input) (node.a == time ? timed : varies)[n] = true;
    if (node.kind == Graph::Kind::operation) {
      const auto a = static_cast<std::size_t>(node.a),
                 b = static_cast<std::size_t>(is_binary(node.op) ? node.b : node.a);
      varies[n] = varies[a] || varies[b];
      timed[n] = !varies[n] && (timed[a] || timed[b]);
    }
    if (!used[n] || !timed[n] || node.kind != Graph::Kind::operation) continue;
    m_order.push_back(id);
    switch (node.op) {
      case Op::less:
      case Op::less_equal:
      case Op::minimum:
      case Op::maximum:
        m_switches.push_back({node.a, node.b, false});
        break;
      case Op::absolute:
      case Op::sign:
        m_switches.push_back({node.a, -1, false});
        break;
      case Op::floor:
        m_switches.push_back({node.a, -1, true});
        break;
      case Op::exponential:
        m_bells.push_back(node.a);
        break;
      case Op::table:
        if (graph[node.a].kind == Graph::Kind::input)
          m_tables.push_back(static_cast<int>(graph[node.b].value));
        break;
      default:
        break;
    }
  }
  m_values.resize(nodes);
  for (std::size_t n = 0; n < nodes; ++n) m_values[n] = graph[static_cast<NodeId>(n)].value;
}

double TimeSwitches::value_of(NodeId id, double t) const {
  const Tables tables = m_set ? m_set->tables() : Tables();
  const auto at = [&](NodeId n) -> double& { return m_values[static_cast<std::size_t>(n)]; };
  const auto operand = [&](NodeId n) {
    const Graph::Node& node = m_graph[n];
    return node.kind == Graph::Kind::input ? t : at(n);
  };
  for (const NodeId n : m_order) {
    if (n > id) break;
    const Graph::Node& node = m_graph[n];
    at(n) = apply(node.op, operand(node.a), is_binary(node.op) ? operand(node.b) : 0, tables);
  }
  return operand(id);
}

double TimeSwitches::value(const Switch& of, double t) const {
  const double a = value_of(of.a, t);
  return of.steps ? std::floor(a) : of.b < 0 ? a : a - value_of(of.b, t);
}

/// Finds where the sides change between two times at which they differ.
double TimeSwitches::meeting(const Switch& of, double left, double right) const {
  const double at_left = value(of, left);
  const auto is_left = [&](double t) {
    return of.steps ? value(of, t) == at_left : (value(of, t) > 0) == (at_left > 0);
  };
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (left + right);
    if (!(middle > left && middle < right)) break;
    (is_left(middle) ? left : right) = middle;
  }
  return right;
}

/// Two sides that come close and part again may meet twice in between.
void TimeSwitches::add_dip(const Switch& of, double left, double middle, double right,
                           std::vector<double>& found) const {
  const double sign = value(of, middle) > 0 ? 1 : -1;
  const double lowest = least([&](double t) { return sign * value(of, t); }, left, right);
  if (sign * value(of, lowest) > 0) return;
  found.push_back(meeting(of, left, lowest));
  found.push_back(meeting(of, lowest, right));
}

void TimeSwitches::add_roots(const Switch& of, const std::vector<double>& samples,
                             std::vector<double>& found) const {
  std::vector<double> values;
  for (const double t : samples) values.push_back(value(of, t));
  for (std::size_t i = 1; i < samples.size() && found.size() < 8 * kMost; ++i) {
    const bool differs =
        of.steps ? values[i] != values[i - 1] : (values[i] > 0) != (values[i - 1] > 0);
    if (differs) {
      const double first = meeting(of, samples[i - 1], samples[i]);
      found.push_back(first);
      // several: the rest by the samples that this one adds
      if (of.steps && std::fabs(values[i] - values[i - 1]) > 1) {
        const double after = std::nextafter(first, samples[i]);
        if (value(of, after) != values[i]) found.push_back(meeting(of, after, samples[i]));
      }
    } else if (!of.steps && i + 1 < samples.size() &&
               std::fabs(values[i]) <= std::fabs(values[i - 1]) &&
               std::fabs(values[i]) <= std::fabs(values[i + 1]) &&
               (values[i] > 0) == (values[i + 1] > 0)) {
      add_dip(of, samples[i - 1], samples[i], samples[i + 1], found);
    }
  }
}

std::vector<double> TimeSwitches::landmarks(double begin, double end) const {
  std::vector<double> found;
  for (const int f : m_tables) {
    const Tables::Function& table = m_set->functions()[static_cast<std::size_t>(f)];
    const double* const knot = m_set->numbers().data() + table.knots;
    found.insert(found.end(), knot, knot + table.pieces + 1);
  }
  for (const NodeId bell : m_bells) {
    const double step = (end - begin) / kSamples;
    for (int i = 1; i < kSamples; ++i) {
      const double t = begin + i * step, here = value_of(bell, t);
      if (here < value_of(bell, t - step) || here < value_of(bell, t + step)) continue;
      found.push_back(least([&](double at) { return -value_of(bell, at); }, t - step, t + step));
    }
  }
  return tidy(std::move(found), begin, end);
}

std::vector<double> TimeSwitches::between(double begin, double end) const {
  std::vector<double> samples, found;
  for (int i = 0; i <= kSamples; ++i)
    samples.push_back(i == kSamples ? end : begin + i * ((end - begin) / kSamples));
  for (const double t : landmarks(begin, end)) samples.push_back(t);
  for (const int f : m_tables) {
    const Tables::Function& table = m_set->functions()[static_cast<std::size_t>(f)];
    const double* const knot = m_set->numbers().data() + table.knots;
    if (table.terms <= 2 && table.pieces <= kMostLines)
      found.insert(found.end(), knot, knot + table.pieces + 1);
  }
  for (int round = 0; round < 4; ++round) {  // a pair is found from what is found in between
    std::sort(samples.begin(), samples.end());
    std::vector<double> all = found;
    for (const Switch& of : m_switches) add_roots(of, samples, all);
    all = tidy(std::move(all), begin, end);
    const bool is_all = all.size() == found.size() || all.size() >= kMost;
    found = all;
    if (is_all) break;
    for (const double t : found) {
      samples.push_back(t);
      samples.push_back(std::nextafter(t, begin));
    }
  }
  return found;
}

}  // namespace tessera::expression
