// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/follow/flow.hpp"

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "tessera/core/device/host_loop.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/taylor.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/follow/frame_maps.hpp"

namespace tessera::gbees {

namespace {

namespace odeint = boost::numeric::odeint;
using expression::Graph;
using expression::NodeId;
using expression::Op;

constexpr double kRelative = 1e-13, kAbsolute = 1e-12;  // errors of a step
constexpr int kFewestRows = 16;
constexpr double kClear = 1e-13;  // of the ends, beyond which dynamics may be others

}  // namespace

Flow::Flow(const EquationText& text, const Frame& frame, const FlowNoise& noise, double begin,
           double end, const std::vector<BoundedPiece>& pieces)
    : m_dimension(text.variables.size()),
      m_equations(make_equation_graph(text)),
      m_tables(text.tables),
      m_linearization(std::make_unique<expression::Linearization>(
          m_equations.graph, m_equations.rates, static_cast<int>(text.variables.size()),
          text.tables)),
      m_noise(noise),
      m_scale(unit_deviations(frame)),
      m_first(begin + kClear * std::fabs(begin)),
      m_last(end - kClear * std::fabs(end)) {
  const std::size_t n = m_dimension;
  State state(frame.centre);
  for (const std::vector<double>& row : frame.axes)
    state.insert(state.end(), row.begin(), row.end());
  if (has_noise()) state.resize(n + 2 * n * n, 0.0);
  m_rows.push_back({begin, std::move(state)});
  m_size_of_rests = size_of_rests();
  m_is_linear = m_size_of_rests == 0;
  if (end > begin) integrate(end, pieces);
  if (end > begin && !m_is_flat) find_steady_field();
}

/// Finds how many operations the rests of the rates are, whatever the point and the step.
std::size_t Flow::size_of_rests() const {
  Graph graph = m_equations.graph;
  std::vector<NodeId> point, step;
  const NodeId time = graph.input(static_cast<int>(m_dimension));
  for (std::size_t i = 0; i < m_dimension; ++i) {
    point.push_back(graph.table(time, -1 - static_cast<int>(i)));  // something of the time alone
    step.push_back(graph.input(static_cast<int>(i)));
  }
  std::size_t size = 0;
  const std::vector<NodeId> all = rests(graph, point, step);
  for (const NodeId id : graph.nodes_of(all)) size += graph.is_constant(id) ? 0 : 1;
  return size;
}

linalg::Matrix Flow::axes_of(const State& state) const {
  const std::size_t n = m_dimension;
  linalg::Matrix axes(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) axes[i][j] = state[n + i * n + j];
  }
  return axes;
}

void Flow::rates(const State& state, State& rate, double t) const {
  const std::size_t n = m_dimension;
  std::vector<double> jacobian(n * n);
  rate.assign(state.size(), 0.0);
  (*m_linearization)(state.data(), std::clamp(t, m_first, std::max(m_first, m_last)), rate.data(),
                     jacobian.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      if (jacobian[i * n + k] == 0) continue;
      for (std::size_t j = 0; j < n; ++j)
        rate[n + i * n + j] += jacobian[i * n + k] * state[n + k * n + j];
    }
  }
  if (!has_noise()) return;
  const linalg::Matrix axes = axes_of(state),
                       of_y = linalg::congruence(linalg::inverse(axes),
                                                 m_noise.expectation(state.data(), axes));
  for (std::size_t i = 0; i < n; ++i)
    std::copy(of_y[i].begin(), of_y[i].end(), &rate[n + n * n + i * n]);
}

namespace {

/// The error of a step in units of what is allowed, for Boost.Odeint: each variable, and its row of
/// A, in its own standard deviations, and the covariance of noise in units of its own.
class ScaledError {
 public:
  explicit ScaledError(const std::vector<double>& scale, double absolute = kAbsolute,
                       double relative = kRelative, double unit_of_noise = 1)
      : m_scale(&scale),
        m_absolute(absolute),
        m_relative(relative),
        m_unit_of_noise(unit_of_noise) {}

  template <class State, class Deriv, class Err, class Time>
  double error(odeint::range_algebra&, const State& x, const Deriv& rate, Err& error,
               Time dt) const {
    const std::size_t n = m_scale->size();
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double unit = i < n           ? (*m_scale)[i]
                          : i < n + n * n ? (*m_scale)[(i - n) / n]
                                          : m_unit_of_noise;
      const double allowed =
          m_absolute * unit + m_relative * (std::fabs(x[i]) + std::fabs(dt * rate[i]));
      const double share = std::fabs(error[i]) / allowed;
      most = share > most || share != share ? share : most;
    }
    return most;
  }
  template <class State, class Deriv, class Err, class Time>
  double error(const State& x, const Deriv& rate, Err& error_of_step, Time dt) const {
    odeint::range_algebra algebra;
    return error(algebra, x, rate, error_of_step, dt);
  }

 private:
  const std::vector<double>* m_scale;
  double m_absolute, m_relative, m_unit_of_noise;
};

using Stepper = odeint::runge_kutta_fehlberg78<std::vector<double>>;
using Controlled = odeint::controlled_runge_kutta<Stepper, ScaledError>;

/// Noise that depends on the place is found by differences, to some 1e-9 of itself.
double unit_of_noise(const FlowNoise& noise) { return noise.varies() ? 1e4 : 1; }

bool is_finite(const std::vector<double>& state) {
  return std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

void Flow::integrate(double end, const std::vector<BoundedPiece>& pieces) {
  Controlled stepper{ScaledError(m_scale, kAbsolute, kRelative, unit_of_noise(m_noise))};
  const auto system = [this](const State& x, State& rate, double t) { rates(x, rate, t); };
  const double longest = (end - begin()) / kFewestRows;
  double t = begin(), dt = longest;
  State state = m_rows.back().state;
  auto piece = pieces.begin();
  while (t < end && m_rows.size() <= kMostRows) {
    while (piece != pieces.end() && !(piece->end > t)) ++piece;
    const double stop = piece == pieces.end() ? end : std::min(piece->end, end);
    dt = std::min({dt, longest, piece == pieces.end() ? longest : piece->longest_step});
    const bool is_last = !(t + dt * (1 + 1e-9) < stop);
    if (is_last) dt = stop - t;
    const double step = dt;
    const auto result = stepper.try_step(system, state, t, dt);
    if (result != odeint::success && !(t + dt > t)) {
      std::ostringstream what;
      what << "the frame that follows the flow cannot be carried beyond t = " << t
           << ": the dynamics change without bound there";
      throw Error(ErrorKind::numerical, what.str(), "set grid.follow: none, or end the run before");
    }
    if (result != odeint::success) continue;
    if (is_last) t = stop;
    if (!is_finite(state)) {
      std::ostringstream what;
      what << "the frame that follows the flow leaves the finite numbers at t = " << t;
      throw Error(ErrorKind::numerical, what.str(), "set grid.follow: none, or end the run before");
    }
    const double noise = largest_noise(state);
    if (noise > 2 * kMostNoise && t + 0.5 * step > t) {  // too long a step
      t = m_rows.back().time;
      dt = 0.5 * step;
      state = m_rows.back().state;
      continue;
    }
    m_rows.push_back({t, state});
    if (noise >= kMostNoise) return;
    m_is_flat = !m_is_linear && is_flat(state);
    if (m_is_flat) return;
  }
}

Flow::State Flow::advanced(const Row& from, double to) const {
  Controlled stepper{ScaledError(m_scale, kAbsolute, kRelative, unit_of_noise(m_noise))};
  const auto system = [this](const State& x, State& rate, double t) { rates(x, rate, t); };
  State state = from.state;
  double t = from.time, dt = to - t;
  while (t < to && t + dt > t) {
    if (!(t + dt * (1 + 1e-9) < to)) dt = to - t;
    stepper.try_step(system, state, t, dt);
  }
  return state;
}

Flow::State Flow::state_at(double t) const {
  const auto behind = std::upper_bound(m_rows.begin() + 1, m_rows.end(), t,
                                       [](double time, const Row& row) { return time < row.time; });
  const Row& from = *(behind - 1);
  return t > from.time ? advanced(from, t) : from.state;
}

std::vector<double> Flow::times() const {
  std::vector<double> times;
  for (const Row& row : m_rows) times.push_back(row.time);
  return times;
}

Frame Flow::at(double t) const {
  const State state = state_at(t);
  return Frame::of_axes({state.begin(), state.begin() + static_cast<std::ptrdiff_t>(m_dimension)},
                        axes_of(state));
}

linalg::Matrix Flow::noise_until(double t) const {
  const std::size_t n = m_dimension;
  linalg::Matrix noise(n, std::vector<double>(n, 0.0));
  if (!has_noise()) return noise;
  const State state = state_at(t);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      noise[i][j] = 0.5 * (state[n + n * n + i * n + j] + state[n + n * n + j * n + i]);
  }
  return noise;
}

/// Whether the ellipsoid that the unit sphere of y is among the variables, in units of their
/// spread, is flat.
bool Flow::is_flat(const State& state) const {
  linalg::Matrix axes = axes_of(state);
  for (auto& row : axes) {
    double square = 0;
    for (const double entry : row) square += entry * entry;
    for (double& entry : row) entry /= square > 0 ? std::sqrt(square) : 1;
  }
  const std::vector<double> squares =
      linalg::eigen_decomposition(linalg::product(linalg::transpose(axes), axes)).values;
  return squares.front() * kFlattest * kFlattest < squares.back();
}

double Flow::largest_noise(const State& state) const {
  const std::size_t n = m_dimension;
  double largest = 0;
  for (std::size_t i = 0; i < n && has_noise(); ++i)
    largest = std::max(largest, state[n + n * n + i * n + i]);
  return largest;
}

namespace {

/// Columns of numbers at the rows of a flow, as functions of the time.
class FlowTables {
 public:
  FlowTables(const std::shared_ptr<const expression::TableSet>& other, std::vector<double> times,
             Graph& graph, NodeId time)
      : m_tables(other ? *other : expression::TableSet()),
        m_times(std::move(times)),
        m_graph(graph),
        m_time(time) {}

  /// The node of a column; a constant where all its numbers are the same.
  NodeId node(const std::vector<double>& column) {
    if (std::all_of(column.begin(), column.end(), [&](double x) { return x == column[0]; }))
      return m_graph.constant(column[0]);
    return m_graph.table(m_time,
                         m_tables.add(m_times, column, expression::Interpolation::chebyshev));
  }

  std::shared_ptr<const expression::TableSet> tables() const {
    return std::make_shared<const expression::TableSet>(m_tables);
  }

 private:
  expression::TableSet m_tables;
  std::vector<double> m_times;
  Graph& m_graph;
  NodeId m_time;
};

NodeId dot(Graph& graph, const std::vector<NodeId>& row, const std::vector<NodeId>& column) {
  NodeId sum = graph.constant(0);
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (graph.is_constant(row[k], 0) || graph.is_constant(column[k], 0)) continue;
    sum = graph.binary(Op::add, sum, graph.binary(Op::multiply, row[k], column[k]));
  }
  return sum;
}

}  // namespace

/// The rests of the rates about a point, composed from those of their parts.
std::vector<NodeId> Flow::rests(Graph& graph, const std::vector<NodeId>& point,
                                const std::vector<NodeId>& step) const {
  expression::TaylorExpansion expand(graph, point, step);
  std::vector<NodeId> rests;
  for (const NodeId rate : m_equations.rates) rests.push_back(expand(rate).rest);
  return rests;
}

/// The differences of the rates at point + step from those at the point, linear parts included.
std::vector<NodeId> Flow::differences(Graph& graph, const std::vector<NodeId>& point,
                                      const std::vector<NodeId>& step) const {
  const std::vector<NodeId> none(m_dimension, graph.constant(0));
  std::vector<NodeId> place;
  for (std::size_t i = 0; i < m_dimension; ++i)
    place.push_back(graph.binary(Op::add, point[i], step[i]));
  expression::TaylorExpansion there(graph, place, none), here(graph, point, none);
  std::vector<NodeId> differences;
  for (const NodeId rate : m_equations.rates)
    differences.push_back(graph.binary(Op::subtract, there(rate).value, here(rate).value));
  return differences;
}

/// By how much the rounding errors of f move y until the end, at most.
double Flow::rounding_of_differences() const {
  constexpr double kRoundings = 8 * std::numeric_limits<double>::epsilon();
  const std::size_t n = m_dimension;
  double most = 0;
  for (const Row& row : m_rows) {
    State rate;
    rates(row.state, rate, row.time);
    const linalg::Matrix back = linalg::inverse(axes_of(row.state));
    for (std::size_t a = 0; a < n; ++a) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += std::fabs(back[a][i] * rate[i]);
      most = std::max(most, sum);
    }
  }
  return kRoundings * most * (end() - begin());
}

/// A^-1 J A at a row.
linalg::Matrix Flow::linear_part(const Row& row) const {
  State rate;
  rates(row.state, rate, row.time);
  return linalg::product(linalg::inverse(axes_of(row.state)), axes_of(rate));
}

/// Rows that lie as close as tables of the linear part need.
std::vector<Flow::Row> Flow::rows_for_linear_part() const {
  constexpr double kFault = 1e-7;  // of y at the end
  constexpr int kMostTurns = 4;
  const std::size_t n = m_dimension;
  std::vector<Row> rows = m_rows;
  for (int turn = 0; turn < kMostTurns && 2 * rows.size() <= kMostRows; ++turn) {
    std::vector<double> times;
    for (const Row& row : rows) times.push_back(row.time);
    std::vector<std::vector<double>> columns(n * n);
    for (const Row& row : rows) {
      const linalg::Matrix part = linear_part(row);
      for (std::size_t k = 0; k < n * n; ++k) columns[k].push_back(part[k / n][k % n]);
    }
    expression::TableSet tables;
    for (const std::vector<double>& column : columns)
      tables.add(times, column, expression::Interpolation::chebyshev);
    double fault = 0;
    std::vector<Row> finer;
    for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
      const double middle = 0.5 * (rows[r].time + rows[r + 1].time);
      const Row between{middle, advanced(rows[r], middle)};
      const linalg::Matrix part = linear_part(between);
      for (std::size_t k = 0; k < n * n; ++k) {
        const double value = tables.tables()(static_cast<int>(k), middle);
        fault = std::max(fault, std::fabs(value - part[k / n][k % n]));
      }
      finer.push_back(rows[r]);
      finer.push_back(between);
    }
    if (fault * (end() - begin()) < kFault) break;
    finer.push_back(rows.back());
    rows = std::move(finer);
  }
  return rows;
}

/// Returns where a place in y at the beginning is at a time; empty where its trajectory ends
/// before. `to`: the state of the flow at that time; `back`: the inverse of its axes.
std::vector<double> Flow::image(const std::vector<double>& place, double end, const State& to,
                                const linalg::Matrix& back) const {
  constexpr double kError = 1e-8;  // of a step, in standard deviations
  const std::size_t n = m_dimension;
  const auto system = [&](const State& x, State& rate, double t) {
    rate.resize(n);
    m_linearization->values(x.data(), t, rate.data());
  };
  const State& from = m_rows.front().state;
  State x(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) x[i] += from[n + i * n + j] * place[j];
  }
  Controlled stepper{ScaledError(m_scale, kError, 0)};
  double t = begin(), dt = (end - t) / kFewestRows;
  while (t < end && t + dt > t) {
    dt = std::min(dt, end - t);
    stepper.try_step(system, x, t, dt);
  }
  if (t < end || !is_finite(x)) return {};
  std::vector<double> image(n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t i = 0; i < n; ++i) image[a] += back[a][i] * (x[i] - to[i]);
  }
  return image;
}

/// Returns where places in y at the beginning are at a time within; none where a trajectory ends.
Places Flow::images(const Places& places, double end) const {
  const State to = state_at(end);
  const linalg::Matrix back = linalg::inverse(axes_of(to));
  Places images(places.size());
  for_each_on_host("tessera::gbees::follow_trajectories", places.size(),
                   [&](std::size_t p) { images[p] = image(places[p], end, to, back); });
  const bool all = std::none_of(images.begin(), images.end(),
                                [](const std::vector<double>& image) { return image.empty(); });
  return all ? images : Places();
}

/// Finds the longest part of the flow over which a steady field takes the place of g.
void Flow::find_steady_field() {
  constexpr int kHalvings = 5;
  constexpr std::size_t kTests = 60;
  constexpr double kSpread = 1.3, kFault = 0.02;  // of places to fit; of an image
  const std::size_t n = m_dimension;
  for (const NodeId rate : m_equations.rates) {
    if (m_equations.graph.depends_on(rate, static_cast<int>(n))) return;
  }
  if (m_is_linear || (has_noise() && !m_noise.varies())) return;
  const Places tests = normal_places(n, kTests, 1, 1),
               places = normal_places(n, PolynomialField::places_needed(n), kSpread, 2);
  const double whole = end() - begin();
  for (int halving = 0; halving <= kHalvings; ++halving) {
    const double stop = halving == 0 ? end() : begin() + std::ldexp(whole, -halving);
    const Places of_tests = images(tests, stop);
    if (of_tests.empty()) continue;
    double most = 0;
    for (std::size_t a = 0; a < n; ++a) {
      double square = 0;
      for (std::size_t p = 0; p < kTests; ++p)
        square += (of_tests[p][a] - tests[p][a]) * (of_tests[p][a] - tests[p][a]);
      most = std::max(most, std::sqrt(square / kTests));
    }
    if (!(most < kMostMoved)) continue;
    const Places of_places = images(places, stop);
    if (of_places.empty()) continue;
    m_steady = PolynomialField::of_map(places, of_places, tests, of_tests, kFault);
    if (!m_steady) continue;
    if (halving > 0) {
      m_rows.resize(1);
      integrate(stop, {});
    }
    return;
  }
}

EquationProgram Flow::compile() const {
  constexpr std::size_t kMany = 400;       // nodes
  constexpr double kLeastRounding = 1e-7;  // of y, that may not be seen
  const std::size_t n = m_dimension;
  Graph graph = m_equations.graph;
  if (m_is_linear || m_rows.size() < 2)
    return compile_rates(graph, std::vector<NodeId>(n, graph.constant(0)), nullptr);
  if (m_steady) return compile_rates(graph, m_steady->nodes(graph, 1 / (end() - begin())), nullptr);
  const bool is_plain = m_size_of_rests > kMany && rounding_of_differences() < kLeastRounding;
  const std::vector<Row> rows = is_plain ? rows_for_linear_part() : m_rows;
  std::vector<double> times;
  for (const Row& row : rows) times.push_back(row.time);
  FlowTables tables(m_tables, times, graph, graph.input(static_cast<int>(n)));
  std::vector<linalg::Matrix> inverses, linear;  // A^-1, A^-1 J A
  for (const Row& row : rows) {
    inverses.push_back(linalg::inverse(axes_of(row.state)));
    if (is_plain) linear.push_back(linear_part(row));
  }
  const auto column = [&](const auto& element) {
    std::vector<double> values;
    for (std::size_t r = 0; r < rows.size(); ++r) values.push_back(element(r));
    return tables.node(values);
  };
  std::vector<NodeId> point, step, y;
  for (std::size_t j = 0; j < n; ++j) y.push_back(graph.input(static_cast<int>(j)));
  for (std::size_t i = 0; i < n; ++i) {
    point.push_back(column([&](std::size_t r) { return rows[r].state[i]; }));
    std::vector<NodeId> axes;
    for (std::size_t j = 0; j < n; ++j)
      axes.push_back(column([&](std::size_t r) { return rows[r].state[n + i * n + j]; }));
    step.push_back(dot(graph, axes, y));
  }
  const std::vector<NodeId> bracket =
      is_plain ? differences(graph, point, step) : rests(graph, point, step);
  std::vector<NodeId> rates;
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<NodeId> row, of_y;
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_zero = graph.is_constant(bracket[i], 0);
      row.push_back(is_zero ? graph.constant(0)
                            : column([&](std::size_t r) { return inverses[r][a][i]; }));
      if (is_plain) of_y.push_back(column([&](std::size_t r) { return linear[r][a][i]; }));
    }
    const NodeId rate = dot(graph, row, bracket);
    rates.push_back(is_plain ? graph.binary(Op::subtract, rate, dot(graph, of_y, y)) : rate);
  }
  return compile_rates(graph, rates, tables.tables());
}

}  // namespace tessera::gbees
