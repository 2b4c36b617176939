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
  std::vector<Along> scratch(row.size());
  divide(points, row.data(), row.data() + row.size(), scratch.data(),
         std::max<std::size_t>(most, 1));
}

std::int32_t PointBlocks::divide(const Coordinates& points, std::uint32_t* begin,
                                 std::uint32_t* end, Along* scratch, std::size_t most) {
  std::size_t longest = 0;
  double length = -1;
  std::vector<double> centre;
  for (std::size_t k = 0; k < points.size(); ++k) {
    double from = points[k][*begin], to = from;
    for (const std::uint32_t* i = begin; i != end; ++i) {
      from = std::min(from, points[k][*i]);
      to = std::max(to, points[k][*i]);
    }
    centre.push_back(from + 0.5 * (to - from));
    if (to - from > length) {
      length = to - from;
      longest = k;
    }
  }
  const std::ptrdiff_t count_of_points = end - begin;
  if (static_cast<std::size_t>(count_of_points) <= most || length == 0) {
    for (std::size_t k = 0; k < points.size(); ++k) m_centre[k].push_back(centre[k]);
    return -count();
  }
  // beside each other, where comparisons find them
  for (std::ptrdiff_t i = 0; i < count_of_points; ++i)
    scratch[i] = {points[longest][begin[i]], begin[i]};
  Along *middle = scratch + count_of_points / 2, *const last = scratch + count_of_points;
  std::nth_element(scratch, middle, last,
                   [](const Along& a, const Along& b) { return a.at < b.at; });
  double at = middle->at;
  const auto is_below = [&](const Along& i) { return i.at < at; };
  Along* first = std::partition(scratch, last, is_below);
  if (first == scratch) {  // half of the points or more have the least coordinate
    double next = std::numeric_limits<double>::infinity();
    for (const Along* i = scratch; i != last; ++i) {
      if (i->at > at) next = std::min(next, i->at);
    }
    at = next;
    first = std::partition(scratch, last, is_below);
  }
  for (std::ptrdiff_t i = 0; i < count_of_points; ++i) begin[i] = scratch[i].row;
  std::uint32_t* const half_of_rows = begin + (first - scratch);
  const std::size_t half = m_halves.size();
  m_halves.push_back({longest, at, {}});
  const std::int32_t lower = divide(points, begin, half_of_rows, scratch, most),
                     upper = divide(points, half_of_rows, end, scratch, most);
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
