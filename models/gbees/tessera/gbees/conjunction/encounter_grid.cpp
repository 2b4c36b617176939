// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/conjunction/encounter_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/conjunction/encounter_plane.hpp"
#include "tessera/gbees/conjunction/pair_motion.hpp"

namespace tessera::gbees {

namespace {

using detail::dot;
using detail::norm;
using detail::Numbers;
using detail::RelativePoint;
using detail::scaled;
using detail::Vector3;
using linalg::Matrix;
using Place = std::array<double, 2>;

constexpr double kTwoPi = 6.283185307179586;
constexpr double kNegligible = 1e-3;  ///< of the result, all cells that are left out
constexpr double kLargestChange = 1;  ///< deviations from the middle of a cell to its nodes
constexpr double kFlat = 0.02;        ///< bends below this many deviations are none
constexpr std::size_t kMostCells = 4000;
constexpr double kLargestTurn = 0.3;  ///< rad, of a short passage
constexpr double kPassage = 6;        ///< standard deviations of the times of a passage
constexpr double kNothing = 1e-30;    ///< probabilities below it are none

/// A pair as it passes: when, and at which place in the encounter plane.
struct Passage {
  double time = 0;
  Place place{};
  std::array<Vector3, 2> plane{};
};

/// The motion of pairs near a first one, in an encounter plane that turns with their velocity.
class Passages {
 public:
  explicit Passages(const Encounter& encounter) : m_model(encounter.pairs) {
    m_time = m_model.window.guess;
    if (encounter.rare) {
      m_model = *encounter.rare;
      const TubeProposal& tube = m_model.tube;
      m_time = tube.time;
      m_first = {tube.s[0], tube.s[1], tube.shift};
    }
    const RelativePoint p = detail::relative_motion(m_model, m_first, closest(m_first));
    m_plane = detail::vectors_across({p.v[0], p.v[1], p.v[2]});
  }

  const Numbers& first() const { return m_first; }
  double radius() const { return m_model.radius; }
  bool is_in_window(double time) const {
    return time >= m_model.window.begin && time <= m_model.window.end;
  }

  Passage at(const Numbers& z) const {
    Passage passage;
    passage.time = closest(z);
    const RelativePoint p = detail::relative_motion(m_model, z, passage.time);
    const Vector3 v{p.v[0], p.v[1], p.v[2]}, r{p.r[0], p.r[1], p.r[2]};
    const Vector3 along = scaled(v, 1 / norm(v));
    const double share = dot(m_plane[0], along);
    Vector3 first = m_plane[0];
    for (std::size_t i = 0; i < 3; ++i) first[i] -= share * along[i];
    first = scaled(first, 1 / norm(first));
    passage.plane = {first, detail::cross(along.data(), first.data())};
    for (std::size_t k = 0; k < 2; ++k) passage.place[k] = dot(passage.plane[k], r);
    return passage;
  }

  Matrix slopes(const Numbers& z, const Passage& passage) const {
    return detail::slopes_in(passage.plane, detail::position_slopes(m_model, z, passage.time));
  }

 private:
  /// Newton's steps from the time of the first pair.
  double closest(const Numbers& z) const {
    double time = m_time;
    for (int pass = 0; pass < 3; ++pass) {
      const RelativePoint p = detail::relative_motion(m_model, z, time);
      if (!(p.turning > 0)) break;
      time -= p.closing / p.turning;
    }
    return time;
  }

  PairModel m_model;
  double m_time = 0;
  Numbers m_first{};
  std::array<Vector3, 2> m_plane{};
};

/// The inverse of the lower triangular root of a covariance of the plane.
struct Whitening {
  double a = 0, b = 0, c = 0;  // rows (a, 0) and (b, c)

  explicit Whitening(const Matrix& covariance) {
    const double first = std::sqrt(covariance[0][0]), low = covariance[1][0] / first;
    const double second = std::sqrt(std::max(covariance[1][1] - low * low, 1e-300));
    a = 1 / first;
    c = 1 / second;
    b = -low * a * c;
  }
  Place operator()(const Place& place) const { return {a * place[0], b * place[0] + c * place[1]}; }
};

Matrix covariance_of(const Matrix& slopes) {
  return linalg::product(slopes, linalg::transpose(slopes));
}

/// The directions among the last ten of twelve orthonormal rows along which the place bends most,
/// in its deviations, as rows; none along which it hardly bends. They are eigenvectors of the sum
/// of the squares of the second derivatives.
Matrix most_bent(const Passages& passages, const Matrix& rows, const Whitening& whitened) {
  const auto moved = [&](std::size_t i, double by, std::size_t j, double other) {
    Numbers z = passages.first();
    for (std::size_t n = 0; n < 12; ++n) z[n] += by * rows[i][n] + other * rows[j][n];
    return whitened(passages.at(z).place);
  };
  std::array<Matrix, 2> bends;
  bends.fill(Matrix(10, std::vector<double>(10, 0.0)));
  const Place middle = whitened(passages.at(passages.first()).place);
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Place up{}, down{};
      if (i == j) {
        up = moved(2 + i, 1, 2 + j, 0);
        down = moved(2 + i, -1, 2 + j, 0);
      } else {
        const Place a = moved(2 + i, 1, 2 + j, 1), b = moved(2 + i, -1, 2 + j, -1);
        const Place c = moved(2 + i, 1, 2 + j, -1), d = moved(2 + i, -1, 2 + j, 1);
        for (std::size_t k = 0; k < 2; ++k) bends[k][i][j] = (a[k] + b[k] - c[k] - d[k]) / 4;
      }
      for (std::size_t k = 0; k < 2; ++k) {
        if (i == j) bends[k][i][j] = up[k] + down[k] - 2 * middle[k];
        bends[k][j][i] = bends[k][i][j];
      }
    }
  }
  Matrix squares = linalg::product(bends[0], bends[0]);
  const Matrix second = linalg::product(bends[1], bends[1]);
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 10; ++j) squares[i][j] += second[i][j];
  }
  const linalg::Eigen eigen = linalg::eigen_decomposition(squares);
  Matrix chosen;
  for (std::size_t n = 10; n-- > 8;) {
    if (!(std::sqrt(std::max(eigen.values[n], 0.0)) > kFlat) && !chosen.empty()) break;
    std::vector<double> row(12, 0.0);
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t k = 0; k < 12; ++k) row[k] += eigen.vectors[i][n] * rows[2 + i][k];
    }
    chosen.push_back(row);
  }
  return chosen;
}

/// The standard deviation of the time of closest approach by those directions, s.
double time_deviation(const Passages& passages, const Matrix& directions) {
  constexpr double kStep = 0.1;
  double variance = 0;
  for (const std::vector<double>& row : directions) {
    Numbers up = passages.first(), down = up;
    for (std::size_t n = 0; n < 12; ++n) {
      up[n] += kStep * row[n];
      down[n] -= kStep * row[n];
    }
    const double slope = (passages.at(up).time - passages.at(down).time) / (2 * kStep);
    variance += slope * slope;
  }
  return std::sqrt(variance);
}

/// What a point of the grid knows: the density of w times the probability of a meeting, and the
/// mean place in its deviations.
struct Node {
  double density = 0, distance = 0;  ///< deviations from the place to the disc
  Place place{};
  bool is_in_window = true;
};

/// The function of w that cells integrate.
class Conditional {
 public:
  Conditional(const Passages& passages, const Matrix& bent, const Matrix& rest)
      : m_passages(passages), m_bent(bent), m_rest(rest) {
    m_start = detail::times(m_rest, m_passages.first().data());
  }

  std::size_t dimension() const { return m_bent.size(); }

  /// w of the first pair, which meets.
  std::vector<double> centre() const { return detail::times(m_bent, m_passages.first().data()); }

  Node at(const Place& w) const {
    constexpr int kPasses = 6;
    constexpr double kFarthest = 30;
    std::vector<double> y = m_start;  // the other numbers
    Node node;
    Passage passage = m_passages.at(numbers(w, y));
    Matrix slopes = rest_slopes(numbers(w, y), passage);
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::vector<double> own = detail::times(slopes, y.data());
      const auto next =
          detail::shortest_vector(slopes, {own[0] - passage.place[0], own[1] - passage.place[1]});
      if (!next) return node;
      double size = 0, change = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        size += (*next)[i] * (*next)[i];
        change += ((*next)[i] - y[i]) * ((*next)[i] - y[i]);
      }
      if (!(size < kFarthest * kFarthest)) break;  // no pair meets there: linear from here
      y = *next;
      passage = m_passages.at(numbers(w, y));
      slopes = rest_slopes(numbers(w, y), passage);
      if (change < 1e-4) break;
    }
    finish(w, y, passage, slopes, node);
    return node;
  }

 private:
  Numbers numbers(const Place& w, const std::vector<double>& y) const {
    Numbers z{};
    for (std::size_t n = 0; n < 12; ++n) {
      for (std::size_t k = 0; k < m_bent.size(); ++k) z[n] += w[k] * m_bent[k][n];
      for (std::size_t k = 0; k < m_rest.size(); ++k) z[n] += y[k] * m_rest[k][n];
    }
    return z;
  }

  Matrix rest_slopes(const Numbers& z, const Passage& passage) const {
    return linalg::product(m_passages.slopes(z, passage), linalg::transpose(m_rest));
  }

  /// The Gaussian of the place, linear about y.
  void finish(const Place& w, const std::vector<double>& y, const Passage& passage,
              const Matrix& slopes, Node& node) const {
    const std::vector<double> own = detail::times(slopes, y.data());
    const Place mean{passage.place[0] - own[0], passage.place[1] - own[1]};
    const Matrix covariance = covariance_of(slopes);
    node.is_in_window = m_passages.is_in_window(passage.time);
    node.place = Whitening(covariance)(mean);
    const double away = std::hypot(mean[0], mean[1]);
    const double share = away > 0 ? std::max(0.0, 1 - m_passages.radius() / away) : 0;
    node.distance = share * std::hypot(node.place[0], node.place[1]);
    double density = 1;
    for (std::size_t k = 0; k < m_bent.size(); ++k)
      density *= std::exp(-0.5 * w[k] * w[k]) / std::sqrt(kTwoPi);
    constexpr double kNone = 37;  // exp(-z^2/2) is 1e-297
    if (node.distance < kNone)
      node.density = density * disc_probability(mean.data(), covariance, m_passages.radius());
  }

  const Passages& m_passages;
  Matrix m_bent, m_rest;
  std::vector<double> m_start;
};

/// A cell: an interval, or a rectangle.
struct Cell {
  Place middle{}, half{};
  double integral = 0, bound = 0;  ///< of the integral
  double outside = 0;              ///< the part of it that passes outside the window
  bool is_known = false, is_fine = false;
  std::size_t number = 0, axis = 0;  ///< the axis along which it is halved
};

struct IsLess {
  bool operator()(const Cell& a, const Cell& b) const {
    return a.bound != b.bound ? a.bound < b.bound : a.number > b.number;
  }
};

class AdaptiveGrid {
 public:
  explicit AdaptiveGrid(const Conditional& function) : m_function(function) {}

  GridProbability integrate() {
    constexpr double kReach = 8, kBeyond = 4;
    const std::vector<double> centre = m_function.centre();
    std::array<int, 2> count{1, 1};
    Place end{};
    for (std::size_t k = 0; k < m_function.dimension(); ++k) {
      end[k] = std::ceil(std::max(kReach, std::fabs(centre[k]) + kBeyond));
      count[k] = 2 * static_cast<int>(end[k]);
    }
    for (int i = 0; i < count[0]; ++i) {
      for (int j = 0; j < count[1]; ++j) {
        Cell cell;
        cell.middle = {-end[0] + i + 0.5, m_function.dimension() > 1 ? -end[1] + j + 0.5 : 0};
        cell.half = {0.5, m_function.dimension() > 1 ? 0.5 : 0};
        cell.bound = mass(cell);
        push(cell);
      }
    }
    work();
    if (m_outside > kNegligible * m_result.value)
      m_result.status = GridProbability::Status::cut_by_window;
    return m_result;
  }

 private:
  /// Takes the cell that may hold most: looks at it, adds it, or halves it.
  void work() {
    while (!m_cells.empty() && m_waiting > std::max(kNothing, kNegligible * m_result.value)) {
      Cell cell = m_cells.top();
      m_cells.pop();
      m_waiting -= cell.bound;
      if (!cell.is_known) {
        if (++m_result.cells > kMostCells) {
          m_result.status = GridProbability::Status::too_many_cells;
          return;
        }
        look(cell);
        push(cell);
      } else if (cell.is_fine) {
        m_result.value += cell.integral;
        m_outside += cell.outside;
      } else {
        for (const double sign : {-1.0, 1.0}) {
          Cell part = cell;
          part.half[cell.axis] /= 2;
          part.middle[cell.axis] += sign * part.half[cell.axis];
          part.is_known = false;
          part.bound = std::min(cell.bound, mass(part));
          push(part);
        }
      }
      // Subtractions leave rounding behind: sums begin again where nothing else is left.
      if (m_waiting < 1e-12 * m_largest) find_waiting();
    }
  }

  void push(Cell cell) {
    cell.number = m_next++;
    m_waiting += cell.bound;
    m_largest = std::max(m_largest, m_waiting);
    m_cells.push(cell);
  }

  void find_waiting() {
    auto rest = m_cells;
    m_waiting = 0;
    for (; !rest.empty(); rest.pop()) m_waiting += rest.top().bound;
    m_largest = m_waiting;
  }

  /// The probability of w within a cell.
  double mass(const Cell& cell) const {
    double result = 1;
    for (std::size_t k = 0; k < m_function.dimension(); ++k) {
      const double near = std::max(std::fabs(cell.middle[k]) - cell.half[k], 0.0);
      result *= 2 * cell.half[k] * std::exp(-0.5 * near * near) / std::sqrt(kTwoPi);
    }
    return result;
  }

  /// Gauss' rule of three points along each axis.
  void look(Cell& cell) const {
    constexpr std::array<double, 3> at{-0.7745966692414834, 0, 0.7745966692414834};
    constexpr std::array<double, 3> weight{5.0 / 9, 8.0 / 9, 5.0 / 9};
    const std::size_t dimension = m_function.dimension();
    const Node middle = m_function.at(cell.middle);
    Place change{};
    double nearest = middle.distance, farthest = 0;
    cell.integral = cell.outside = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = dimension > 1 ? 0 : 1; j < (dimension > 1 ? 3 : 2); ++j) {
        const bool is_middle = i == 1 && j == 1;
        const Place w{cell.middle[0] + at[i] * cell.half[0], cell.middle[1] + at[j] * cell.half[1]};
        const Node node = is_middle ? middle : m_function.at(w);
        const double share = dimension > 1 ? weight[i] * cell.half[0] * weight[j] * cell.half[1]
                                           : weight[i] * cell.half[0];
        cell.integral += share * node.density;
        if (!node.is_in_window) cell.outside += share * node.density;
        const double moved =
            std::hypot(node.place[0] - middle.place[0], node.place[1] - middle.place[1]);
        nearest = std::min(nearest, node.distance);
        farthest = std::max(farthest, moved);
        if (j == 1) change[0] = std::max(change[0], moved);
        if (i == 1) change[1] = std::max(change[1], moved);
      }
    }
    for (std::size_t k = 0; k < dimension; ++k)  // that of the density of w
      change[k] = std::max(change[k], 0.8 * std::fabs(cell.middle[k]) * cell.half[k]);
    cell.axis = change[1] > change[0] ? 1 : 0;
    cell.is_fine = std::max(change[0], change[1]) <= kLargestChange && farthest <= 1.5;
    cell.is_known = true;
    // The corners are farther out than the nodes.
    const double least = std::max(nearest - 1.5 * farthest, 0.0);
    cell.bound = mass(cell) * std::exp(-0.5 * least * least);
  }

  const Conditional& m_function;
  std::priority_queue<Cell, std::vector<Cell>, IsLess> m_cells;
  std::size_t m_next = 0;
  double m_waiting = 0, m_largest = 0, m_outside = 0;
  GridProbability m_result;
};

}  // namespace

GridProbability grid_probability(const Encounter& encounter) {
  using Status = GridProbability::Status;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Passages passages(encounter);
  const Passage first = passages.at(passages.first());
  const Matrix slopes = passages.slopes(passages.first(), first);
  const Matrix rows = detail::orthonormal_rows(slopes, passages.first());
  if (rows.empty()) return {kNone, Status::not_short};
  const Matrix bent = most_bent(passages, rows, Whitening(covariance_of(slopes)));
  // The rest of an orthonormal basis that begins with the bent directions.
  Matrix two = bent;
  if (two.size() < 2) two.push_back(rows[0]);
  const Matrix basis = detail::orthonormal_rows(two, passages.first());
  if (basis.empty()) return {kNone, Status::not_short};
  const Matrix rest(basis.begin() + static_cast<std::ptrdiff_t>(bent.size()), basis.end());
  const double duration = kPassage * time_deviation(passages, rest);
  const double turn = encounter.fastest_turn * duration;
  if (!(turn < kLargestTurn)) return {kNone, Status::not_short, turn};
  if (!passages.is_in_window(first.time - duration) ||
      !passages.is_in_window(first.time + duration))
    return {kNone, Status::cut_by_window, turn};
  const Conditional function(passages, bent, rest);
  GridProbability result = AdaptiveGrid(function).integrate();
  result.turn = turn;
  if (result.status != Status::known) result.value = kNone;
  return result;
}

}  // namespace tessera::gbees
