// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/lattice/metric.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tessera::mpr {

namespace {

constexpr double kNarrowest = 0.1;  ///< cell of a sphere, to one at the equator

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 1
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

/// Numbers first, ..., first + count - 1; none of none.
std::vector<double> slice(const std::vector<double>& values, int first, int count) {
  if (values.empty()) return {};
  const auto begin = values.begin() + first;
  return {begin, begin + std::min<std::ptrdiff_t>(count, values.end() - begin)};
}

}  // namespace

std::array<double, 3> Metric::mean() const { return {mean_of(x), mean_of(y), mean_of(z)}; }

Metric Metric::cut(const Grid& whole, const Grid& box, int y0, int z0) const {
  Metric part;
  part.x = slice(x, y0, box.ny);
  part.y = slice(y, y0, box.ny - 1);
  part.area = slice(area, y0, box.ny);
  part.z = slice(z, z0, box.nz - 1);
  part.periodic = periodic && box.nx == whole.nx;
  return part;
}

Metric metric_of_rows(const std::vector<double>& width, const std::vector<double>& height,
                      const std::vector<double>& side, const std::vector<double>& distance) {
  Metric metric;
  const std::size_t rows = width.size();
  for (std::size_t r = 0; r < rows; ++r) {
    metric.x.push_back(height[r] / width[r]);
    metric.area.push_back(height[r] * width[r]);
    if (r + 1 < rows) metric.y.push_back(side[r] / distance[r]);
  }
  const double mean = mean_of(metric.area);
  for (double& area : metric.area) area /= mean;
  const auto are_one = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return std::fabs(value - 1) <= 1e-6; });
  };
  return are_one(metric.x) && are_one(metric.y) && are_one(metric.area) ? Metric() : metric;
}

Metric metric_of_latitudes(const std::vector<double>& latitudes, double step) {
  const double radian = std::acos(-1.0) / 180;
  const std::size_t rows = latitudes.size();
  std::vector<double> border(rows + 1);
  for (std::size_t r = 1; r < rows; ++r) border[r] = 0.5 * (latitudes[r - 1] + latitudes[r]);
  const double first = rows > 1 ? border[1] : latitudes[0] + 0.5 * step,
               last = rows > 1 ? border[rows - 1] : latitudes[0] - 0.5 * step;
  border[0] = std::clamp(2 * latitudes[0] - first, -90.0, 90.0);
  border[rows] = std::clamp(2 * latitudes[rows - 1] - last, -90.0, 90.0);
  std::vector<double> width, height, side, distance;
  for (std::size_t r = 0; r < rows; ++r) {
    height.push_back(radian * std::fabs(border[r + 1] - border[r]));
    const double cosine =
        std::fabs(std::sin(radian * border[r + 1]) - std::sin(radian * border[r])) / height.back();
    width.push_back(radian * step * std::max(cosine, kNarrowest));
    if (r + 1 == rows) break;
    side.push_back(radian * step * std::cos(radian * border[r + 1]));
    distance.push_back(radian * std::fabs(latitudes[r + 1] - latitudes[r]));
  }
  return metric_of_rows(width, height, side, distance);
}

std::vector<double> factors_of_steps(const std::vector<double>& steps) {
  const double mean = mean_of(steps);
  std::vector<double> factors;
  bool uneven = false;
  for (const double step : steps) {
    factors.push_back(mean / step);
    uneven = uneven || std::fabs(step - mean) > 1e-6 * mean;
  }
  return uneven ? factors : std::vector<double>();
}

namespace detail {

LevelFactors::LevelFactors(const Metric& metric, const Grid& grid)
    : x(metric.x), y(metric.y), area(metric.area), z(metric.z) {
  x.resize(static_cast<std::size_t>(grid.ny), 1);
  y.resize(static_cast<std::size_t>(grid.ny), 1);
  area.resize(static_cast<std::size_t>(grid.ny), 1);
  z.resize(static_cast<std::size_t>(grid.nz), 1);
}

LevelFactors LevelFactors::joined(const int (&shrink)[3]) const {
  const auto average = [](const std::vector<double>& fine, int by) {
    if (by == 1) return fine;
    std::vector<double> coarse;
    for (std::size_t r = 0; r < fine.size(); r += 2)
      coarse.push_back(r + 1 < fine.size() ? 0.5 * (fine[r] + fine[r + 1]) : fine[r]);
    return coarse;
  };
  // Joins the links from the centre of one pair to that of the next: half of its own link, the one
  // between, half of the next pair's.
  const auto series = [](const std::vector<double>& fine, int by) {
    if (by == 1) return fine;
    std::vector<double> coarse;
    for (std::size_t r = 0; r < fine.size(); r += 2) {
      if (r + 2 >= fine.size()) {
        coarse.push_back(fine[r]);
        continue;
      }
      const double beyond = r + 3 < fine.size() ? 0.5 / fine[r + 2] : 0.5 / fine[r + 1];
      coarse.push_back(2 / (0.5 / fine[r] + 1 / fine[r + 1] + beyond));
    }
    return coarse;
  };
  LevelFactors coarse;
  coarse.x = average(x, shrink[1]);
  coarse.area = average(area, shrink[1]);
  coarse.y = series(y, shrink[1]);
  coarse.z = series(z, shrink[2]);
  return coarse;
}

namespace {

/// Couplings and degrees of cells by row and layer.
class Lattice {
 public:
  Lattice(const LevelFactors& factors, const AxisCouplings& axis, bool volume)
      : m_factors(factors), m_axis(axis), m_volume(volume) {}

  double area(int y) const { return at(m_factors.area, y, 1); }
  /// Returns the coupling to the next cell along x, y, and z or the diagonal.
  double x(int y) const { return m_axis[0] * at(m_factors.x, y, 0); }
  double y(int y) const { return m_axis[1] * at(m_factors.y, y, 0); }
  double third(int y, int z) const {
    if (m_axis.tilt != 0) return m_axis[2];
    return m_volume ? m_axis[2] * area(y) * at(m_factors.z, z, 0) : 0;
  }
  /// Over the area of a cell: the sum of its couplings.
  double degree(int y, int z) const { return sum(y, z) / area(y); }
  double sum(int y, int z) const {
    return 2 * x(y) + this->y(y) + this->y(y - 1) + third(y, z) +
           (m_axis.tilt != 0 ? third(y - 1, z) : third(y, z - 1));
  }

 private:
  static double at(const std::vector<double>& values, int index, double outside) {
    return index >= 0 && index < static_cast<int>(values.size())
               ? values[static_cast<std::size_t>(index)]
               : outside;
  }
  const LevelFactors& m_factors;
  const AxisCouplings& m_axis;
  bool m_volume;
};

RowWeights<double> weigh(const Lattice& c, const AxisCouplings& axis, double beta, int y, int z) {
  RowWeights<double> w;
  const double here = 1 / c.area(y), above = 1 / c.area(y + 1), below = 1 / c.area(y - 1);
  const double ax = c.x(y), ax_above = c.x(y + 1), ay = c.y(y), ay_above = c.y(y + 1),
               ay_below = c.y(y - 1), third = c.third(y, z);
  const double bend = c.degree(y, z), bend_above = c.degree(y + 1, z);
  w.axis[0] = ax;
  w.axis[1] = ay;
  w.axis[2] = third;
  w.inverse_area = here;
  w.next[0] = ax * (1 + 2 * beta * bend);
  w.next[1] = ay * (1 + beta * (bend + bend_above));
  w.second[0] = -beta * ax * ax * here;
  w.second[1] = -beta * ay * ay_above * above;
  // The coupling to (1, 1) and (-1, 1) by way of x and y, with the opposite sign
  const double across = beta * ay * (ax * here + ax_above * above);
  double squares = ax * ax * 2 * here + ay * ay * above + ay_below * ay_below * below;
  w.corner[0] = -across;
  if (axis.tilt != 0) {
    w.next[0] -= beta * third * (ay * above + ay_below * below);
    w.next[1] -= beta * third * (ax_above * above + ax * here);
    w.next[2] = third * (1 + beta * (bend + bend_above)) - across;
    w.second[2] = -beta * third * third * above;
    w.corner[1] = -beta * third * (ax * here + ax_above * above);
    w.corner[2] = -beta * third * (ay + ay_above) * above;
    squares += third * third * (above + below);
  } else {
    const double before = c.third(y, z - 1), of_above = c.third(y + 1, z),
                 of_below = c.third(y - 1, z);
    w.next[2] = third * (1 + beta * (bend + c.degree(y, z + 1)));
    w.second[2] = -beta * third * c.third(y, z + 1) * here;
    w.corner[1] = -2 * beta * ax * third * here;
    w.corner[2] = -beta * ay * (of_above * above + third * here);
    w.corner[3] = -beta * ay_below * (of_below * below + third * here);
    squares += (third * third + before * before) * here;
  }
  w.diagonal = c.sum(y, z) * (1 + beta * bend) + beta * squares;
  return w;
}

}  // namespace

std::vector<RowWeights<double>> weigh_rows(const LevelFactors& factors, const AxisCouplings& axis,
                                           double beta, bool volume) {
  constexpr int kBorder = 2;
  const int ny = static_cast<int>(factors.x.size()), nz = static_cast<int>(factors.z.size()),
            depth = volume ? kBorder : 0;
  const Lattice lattice(factors, axis, volume);
  std::vector<RowWeights<double>> rows;
  for (int z = -depth; z < nz + depth; ++z) {
    for (int y = -kBorder; y < ny + kBorder; ++y) rows.push_back(weigh(lattice, axis, beta, y, z));
  }
  return rows;
}

}  // namespace detail
}  // namespace tessera::mpr
