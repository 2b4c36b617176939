// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_loop.hpp"
#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/program/marginals.hpp"

/// The marginals of a density along the variables, where its cells lie along other axes: each cell
/// counts as a uniform density on what it is in the space of the variables, a parallelepiped.

namespace tessera::gbees {

/// Cells of a grid in a frame, as they are along the variables.
template <int D, class Word>
class Projection {
 public:
  /// The most that a bin is wide, in standard deviations; where cells are narrower, it is one
  static constexpr double kBin = 0.25;

  Projection(const CellListOf<Word>& cells, const Grid<D>& grid, const Frame& frame)
      : m_probability(cells.probability), m_edges(1, to_state<D>(frame)) {
    const AffineMap<D> map = m_edges.front();
    for (const Word key : cells.key) m_centre.push_back(map(grid.centre(key)));
    for (auto& row : m_edges.front().matrix) {
      for (int j = 0; j < D; ++j) row[j] *= grid.spacing[j];
    }
  }

  /// Cells as they are along variables that are other functions of the grid's coordinates.
  /// `find(y, x)`: the variables, or false where there are none: cells there are left out.
  template <class Find>
  Projection(const CellListOf<Word>& cells, const Grid<D>& grid, const Find& find) {
    const std::size_t count = cells.key.size();
    std::vector<std::uint8_t> is_known(count, 0);
    m_centre.resize(count);
    m_edges.resize(count);
    for (std::size_t first = 0; first < count; first += kBlock) {
      stop_at_signal();
      for_each_on_host(
          "tessera::gbees::find_states", std::min(kBlock, count - first), [&](std::size_t n) {
            const std::size_t c = first + n;
            is_known[c] =
                find_edges(grid.centre(cells.key[c]), grid, find, m_centre[c], m_edges[c]);
          });
    }
    std::size_t kept = 0;
    for (std::size_t c = 0; c < count; ++c) {
      if (is_known[c] == 0) continue;
      m_probability.push_back(cells.probability[c]);
      m_centre[kept] = m_centre[c];
      m_edges[kept++] = m_edges[c];
    }
    m_centre.resize(kept);
    m_edges.resize(kept);
  }

  /// Finds the mean and the covariance, row by row, of the variables, cells as points. Without
  /// cells they are zero.
  void find_moments(std::vector<double>& mean, std::vector<double>& covariance) const {
    double total = 0;
    mean.assign(D, 0.0);
    covariance.assign(std::size_t(D) * D, 0.0);
    const Vector<D> first = m_centre.empty() ? Vector<D>{} : m_centre.front();
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      total += m_probability[c];
      for (std::size_t i = 0; i < D; ++i) {
        const int axis = static_cast<int>(i);
        mean[i] += m_probability[c] * (m_centre[c][axis] - first[axis]);
      }
    }
    if (!(total > 0)) return;
    for (std::size_t i = 0; i < D; ++i) mean[i] = first[static_cast<int>(i)] + mean[i] / total;
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j < D; ++j) {
          covariance[i * D + j] += m_probability[c] / total *
                                   (m_centre[c][static_cast<int>(i)] - mean[i]) *
                                   (m_centre[c][static_cast<int>(j)] - mean[j]);
        }
      }
    }
  }

  /// Adds marginals, and with `pairs` those of two variables, on bins of the record's own about a
  /// mean.
  void add_to(Marginals& record, const std::vector<double>& mean,
              const std::vector<double>& covariance, bool pairs) const {
    for (int i = 0; i < D; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      const double deviation = std::sqrt(covariance[axis * D + axis]);
      record.origin.push_back(mean[axis]);
      const double cell = m_edges.size() == 1 ? shape_along(i, 0).box : 0;
      const double widest = kBin * deviation;
      record.spacing.push_back(cell > 0 && cell < widest ? cell : widest > 0 ? widest : 1);
    }
    record.low.resize(D);
    record.marginal.resize(D);
    for_each_on_host("tessera::gbees::add_marginals", D,
                     [&](std::size_t i) { add_marginal(record, static_cast<int>(i)); });
    for (int i = 0; pairs && i < D; ++i) {
      for (int j = i + 1; j < D; ++j) record.pairs.push_back({i, j, {}});
    }
    for_each_on_host("tessera::gbees::add_pairs", record.pairs.size(),
                     [&](std::size_t p) { add_pair(record, record.pairs[p]); });
  }

 private:
  static constexpr std::size_t kBlock = 1 << 16;  // cells, between looks at signals

  /// Finds the variables at the centre y of a cell, and its edges; false where there are none.
  template <class Find>
  static bool find_edges(const Vector<D>& y, const Grid<D>& grid, const Find& find, Vector<D>& x,
                         AffineMap<D>& edges) {
    constexpr double kPart = 0.25;  // of an edge, either way
    if (!find(y, x)) return false;
    for (int j = 0; j < D; ++j) {
      Vector<D> high = y, low = y, above{}, below{};
      high[j] += kPart * grid.spacing[j];
      low[j] -= kPart * grid.spacing[j];
      if (!find(high, above) || !find(low, below)) return false;
      for (int i = 0; i < D; ++i) edges.matrix[i][j] = (above[i] - below[i]) / (2 * kPart);
    }
    return true;
  }

  /// A cell along one variable: a box of the length of its longest edge, blurred by two boxes of
  /// one length that have the variance of the other edges.
  struct Shape {
    double box = 0, blur = 0;
  };

  const AffineMap<D>& edges(std::size_t c) const { return m_edges[m_edges.size() == 1 ? 0 : c]; }

  Shape shape_along(int i, std::size_t c) const {
    Shape shape;
    double squares = 0;
    for (int j = 0; j < D; ++j) {
      const double edge = std::fabs(edges(c).matrix[i][j]);
      shape.box = std::max(shape.box, edge);
      squares += edge * edge;
    }
    shape.blur = std::sqrt(0.5 * std::max(squares - shape.box * shape.box, 0.0));
    if (shape.blur < 1e-4 * shape.box) shape.blur = 0;  // for the digits of share_below
    return shape;
  }

  /// The share of a cell that lies below a distance from its centre.
  static double share_below(const Shape& shape, double distance) {
    if (!(shape.box > 0)) return distance < 0 ? 0 : 1;
    if (!(distance < reach(shape))) return 1;
    const auto above = [](double u) { return std::max(u, 0.0); };
    const double high = distance + 0.5 * shape.box, low = distance - 0.5 * shape.box;
    if (shape.blur == 0) return (above(high) - above(low)) / shape.box;
    const auto cube = [&](double u) { return above(u) * above(u) * above(u); };
    const auto blurred = [&](double u) {  // six times the square of the blur times its integral
      return cube(u + shape.blur) - 2 * cube(u) + cube(u - shape.blur);
    };
    return (blurred(high) - blurred(low)) / (6 * shape.blur * shape.blur * shape.box);
  }

  /// How far from its centre a cell reaches.
  static double reach(const Shape& shape) { return 0.5 * shape.box + shape.blur; }

  /// The bin of a variable that holds x.
  static std::int64_t bin_at(const Marginals& record, std::size_t axis, double x) {
    return static_cast<std::int64_t>(
        std::floor((x - record.origin[axis]) / record.spacing[axis] + 0.5));
  }

  /// The bins that a variable needs.
  void find_range(const Marginals& record, int i, std::int64_t& low, std::int64_t& count) const {
    const auto axis = static_cast<std::size_t>(i);
    double least = record.origin[axis], most = least;
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      const double far = reach(shape_along(i, c));
      least = std::min(least, m_centre[c][i] - far);
      most = std::max(most, m_centre[c][i] + far);
    }
    low = bin_at(record, axis, least);
    count = bin_at(record, axis, most) - low + 1;
  }

  void add_marginal(Marginals& record, int i) const {
    const auto axis = static_cast<std::size_t>(i);
    const double width = record.spacing[axis];
    std::int64_t low = 0, count = 0;
    find_range(record, i, low, count);
    std::vector<double> bins(static_cast<std::size_t>(count), 0.0);
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      const Shape shape = shape_along(i, c);
      const double place = (m_centre[c][i] - record.origin[axis]) / width;
      const double far = reach(shape);
      const std::int64_t first = bin_at(record, axis, m_centre[c][i] - far);
      const std::int64_t last = bin_at(record, axis, m_centre[c][i] + far);
      double below = 0;
      for (std::int64_t k = first; k <= last; ++k) {
        const double end = (static_cast<double>(k) + 0.5 - place) * width;
        const double until = k == last ? 1 : share_below(shape, end);
        bins[static_cast<std::size_t>(k - low)] += m_probability[c] * (until - below);
        below = until;
      }
    }
    record.low[axis] = low;
    record.marginal[axis] = std::move(bins);
  }

  /// The projection of a cell on two variables, as the parallelogram that has its covariance: the
  /// deviation along i, what j follows of it, and the deviation of the rest.
  struct Parallelogram {
    double along_i = 0, lean = 0, across = 0;
  };

  Parallelogram parallelogram(int i, int j, std::size_t c) const {
    const auto& edge = edges(c).matrix;
    double square_i = 0, square_j = 0, product = 0;
    for (int k = 0; k < D; ++k) {
      square_i += edge[i][k] * edge[i][k] / 12;
      square_j += edge[j][k] * edge[j][k] / 12;
      product += edge[i][k] * edge[j][k] / 12;
    }
    const double along_i = std::sqrt(square_i), lean = along_i > 0 ? product / along_i : 0;
    return {along_i, lean, std::sqrt(std::max(square_j - lean * lean, 0.0))};
  }

  /// Each cell counts as 25 points of its parallelogram.
  void add_pair(const Marginals& record, PairMarginal& pair) const {
    const int i = pair.first, j = pair.second;
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    const auto rows = record.marginal[a].size(), columns = record.marginal[b].size();
    pair.probability.assign(rows * columns, 0.0);
    const auto bin = [&](std::size_t axis, double x, std::size_t bins) {
      const double k = std::floor((x - record.origin[axis]) / record.spacing[axis] + 0.5) -
                       static_cast<double>(record.low[axis]);
      return static_cast<std::size_t>(std::clamp(k, 0.0, static_cast<double>(bins - 1)));
    };
    const double unit = 1 / std::sqrt(2.0);  // -2, -1, 0, 1, 2 times it have variance 1
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      const auto [along_i, lean, across] = parallelogram(i, j, c);
      for (int s = -2; s <= 2; ++s) {
        for (int t = -2; t <= 2; ++t) {
          const double u = s * unit, v = t * unit;
          const std::size_t row = bin(a, m_centre[c][i] + along_i * u, rows),
                            column = bin(b, m_centre[c][j] + lean * u + across * v, columns);
          pair.probability[row * columns + column] += m_probability[c] / 25;
        }
      }
    }
  }

  std::vector<double> m_probability;
  std::vector<AffineMap<D>> m_edges;  // columns: the edges of a cell, of each or of all
  std::vector<Vector<D>> m_centre;
};

}  // namespace tessera::gbees
