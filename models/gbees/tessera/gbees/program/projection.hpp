// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/gbees/follow/frame_maps.hpp"
#include "tessera/gbees/grid/density.hpp"
#include "tessera/gbees/program/record.hpp"

/// The marginals of a density along the variables, where its cells lie along other axes: each cell
/// counts as a uniform density on what it is in the space of the variables, a parallelepiped.

namespace tessera::gbees {

/// Cells of a grid in a frame, as they are along the variables.
template <int D, class Word>
class Projection {
 public:
  static constexpr double kBin = 0.25;  ///< the width of a bin, in standard deviations

  Projection(const CellListOf<Word>& cells, const Grid<D>& grid, const Frame& frame)
      : m_probability(&cells.probability), m_edge(to_state<D>(frame)) {
    const AffineMap<D> map = m_edge;
    for (const Word key : cells.key) m_centre.push_back(map(grid.centre(key)));
    for (auto& row : m_edge.matrix) {
      for (int j = 0; j < D; ++j) row[j] *= grid.spacing[j];
    }
  }

  /// Adds marginals, and with `pairs` those of two variables, to a record that has mean and
  /// covariance: on bins of its own about the mean.
  void add_to(Record& record, bool pairs) const {
    for (int i = 0; i < D; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      const double deviation = std::sqrt(record.covariance[axis * D + axis]);
      record.origin.push_back(record.mean[axis]);
      record.spacing.push_back(deviation > 0 ? kBin * deviation : 1);
    }
    for (int i = 0; i < D; ++i) add_marginal(record, i);
    for (int i = 0; pairs && i < D; ++i) {
      for (int j = i + 1; j < D; ++j) add_pair(record, i, j);
    }
  }

 private:
  /// A cell along one variable: a box of the length of its longest edge, blurred by the others.
  struct Shape {
    double box = 0, blur = 0;
  };

  Shape shape_along(int i) const {
    Shape shape;
    double squares = 0;
    for (int j = 0; j < D; ++j) {
      const double edge = std::fabs(m_edge.matrix[i][j]);
      shape.box = std::max(shape.box, edge);
      squares += edge * edge;
    }
    shape.blur = std::sqrt(std::max(squares - shape.box * shape.box, 0.0) / 12);
    return shape;
  }

  /// The share of a cell that lies below a distance from its centre.
  static double share_below(const Shape& shape, double distance) {
    const auto ramp = [&](double u) {  // the integral of the normal distribution function
      const double s = shape.blur;
      if (!(std::fabs(u) < 8 * s)) return std::max(u, 0.0);
      return u * 0.5 * std::erfc(-u / (s * std::sqrt(2.0))) +
             s * std::exp(-0.5 * u * u / (s * s)) / std::sqrt(2 * 3.14159265358979323846);
    };
    if (!(shape.box > 0)) return distance < 0 ? 0 : 1;
    return (ramp(distance + 0.5 * shape.box) - ramp(distance - 0.5 * shape.box)) / shape.box;
  }

  /// The bins that a variable needs.
  void find_range(const Record& record, int i, double reach, std::int64_t& low,
                  std::int64_t& count) const {
    const auto axis = static_cast<std::size_t>(i);
    double least = record.origin[axis], most = least;
    for (const Vector<D>& x : m_centre) {
      least = std::min(least, x[i]);
      most = std::max(most, x[i]);
    }
    const auto bin = [&](double x) {
      return static_cast<std::int64_t>(
          std::floor((x - record.origin[axis]) / record.spacing[axis] + 0.5));
    };
    low = bin(least - reach);
    count = bin(most + reach) - low + 1;
  }

  void add_marginal(Record& record, int i) const {
    const auto axis = static_cast<std::size_t>(i);
    const Shape shape = shape_along(i);
    const double reach = 0.5 * shape.box + 6 * shape.blur, width = record.spacing[axis];
    std::int64_t low = 0, count = 0;
    find_range(record, i, reach, low, count);
    std::vector<double> bins(static_cast<std::size_t>(count), 0.0);
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      const double place = (m_centre[c][i] - record.origin[axis]) / width;
      const auto first = static_cast<std::int64_t>(std::floor(place - reach / width + 0.5));
      const auto last = static_cast<std::int64_t>(std::floor(place + reach / width + 0.5));
      double below = 0;
      for (std::int64_t k = first; k <= last; ++k) {
        const double end = (static_cast<double>(k) + 0.5 - place) * width;
        const double until = k == last ? 1 : share_below(shape, end);
        bins[static_cast<std::size_t>(k - low)] += (*m_probability)[c] * (until - below);
        below = until;
      }
    }
    record.low.push_back(low);
    record.marginal.push_back(std::move(bins));
  }

  /// Each cell counts as 25 points of the parallelogram that has the covariance of its projection.
  void add_pair(Record& record, int i, int j) const {
    double square_i = 0, square_j = 0, product = 0;
    for (int k = 0; k < D; ++k) {
      square_i += m_edge.matrix[i][k] * m_edge.matrix[i][k] / 12;
      square_j += m_edge.matrix[j][k] * m_edge.matrix[j][k] / 12;
      product += m_edge.matrix[i][k] * m_edge.matrix[j][k] / 12;
    }
    const double along_i = std::sqrt(square_i), lean = along_i > 0 ? product / along_i : 0;
    const double across = std::sqrt(std::max(square_j - lean * lean, 0.0));
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    const auto rows = record.marginal[a].size(), columns = record.marginal[b].size();
    PairMarginal pair{i, j, std::vector<double>(rows * columns, 0.0)};
    const auto bin = [&](std::size_t axis, double x, std::size_t bins) {
      const double k = std::floor((x - record.origin[axis]) / record.spacing[axis] + 0.5) -
                       static_cast<double>(record.low[axis]);
      return static_cast<std::size_t>(std::clamp(k, 0.0, static_cast<double>(bins - 1)));
    };
    const double unit = 1 / std::sqrt(2.0);  // -2, -1, 0, 1, 2 times it have variance 1
    for (std::size_t c = 0; c < m_centre.size(); ++c) {
      for (int s = -2; s <= 2; ++s) {
        for (int t = -2; t <= 2; ++t) {
          const double u = s * unit, v = t * unit;
          const std::size_t row = bin(a, m_centre[c][i] + along_i * u, rows),
                            column = bin(b, m_centre[c][j] + lean * u + across * v, columns);
          pair.probability[row * columns + column] += (*m_probability)[c] / 25;
        }
      }
    }
    record.pairs.push_back(std::move(pair));
  }

  const std::vector<double>* m_probability;
  AffineMap<D> m_edge;  // columns: the edges of a cell
  std::vector<Vector<D>> m_centre;
};

}  // namespace tessera::gbees
