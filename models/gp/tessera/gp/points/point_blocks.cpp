// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/points/point_blocks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera::gp {

PointBlocks::PointBlocks(const Coordinates& points, std::size_t most) : m_centre(points.size()) {
  std::vector<std::uint32_t> row(points[0].size());
  std::iota(row.begin(), row.end(), 0u);
  divide(points, row.data(), row.data() + row.size(), std::max<std::size_t>(most, 1));
}

std::int32_t PointBlocks::divide(const Coordinates& points, std::uint32_t* begin,
                                 std::uint32_t* end, std::size_t most) {
  std::size_t longest = 0;
  double length = -1;
  std::vector<double> centre;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto [low, high] = std::minmax_element(
        begin, end, [&](std::uint32_t a, std::uint32_t b) { return points[k][a] < points[k][b]; });
    const double from = points[k][*low], to = points[k][*high];
    centre.push_back(from + 0.5 * (to - from));
    if (to - from > length) {
      length = to - from;
      longest = k;
    }
  }
  if (static_cast<std::size_t>(end - begin) <= most || length == 0) {
    for (std::size_t k = 0; k < points.size(); ++k) m_centre[k].push_back(centre[k]);
    return -count();
  }
  const std::vector<double>& along = points[longest];
  std::uint32_t* middle = begin + (end - begin) / 2;
  std::nth_element(begin, middle, end,
                   [&](std::uint32_t a, std::uint32_t b) { return along[a] < along[b]; });
  double at = along[*middle];
  const auto is_below = [&](std::uint32_t i) { return along[i] < at; };
  std::uint32_t* first = std::partition(begin, end, is_below);
  if (first == begin) {  // half of the points or more have the least coordinate
    double next = std::numeric_limits<double>::infinity();
    for (const std::uint32_t* i = begin; i != end; ++i) {
      if (along[*i] > at) next = std::min(next, along[*i]);
    }
    at = next;
    first = std::partition(begin, end, is_below);
  }
  const std::size_t half = m_halves.size();
  m_halves.push_back({longest, at, {}});
  const std::int32_t lower = divide(points, begin, first, most),
                     upper = divide(points, first, end, most);
  m_halves[half].child[0] = lower;
  m_halves[half].child[1] = upper;
  return static_cast<std::int32_t>(half);
}

std::int32_t PointBlocks::find(const Coordinates& places, std::size_t i) const {
  if (m_halves.empty()) return 0;
  std::int32_t at = 0;
  while (at >= 0) {
    const Half& half = m_halves[static_cast<std::size_t>(at)];
    at = half.child[places[half.axis][i] < half.at ? 0 : 1];
  }
  return -1 - at;
}

}  // namespace tessera::gp
