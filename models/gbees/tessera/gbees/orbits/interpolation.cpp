// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/interpolation.hpp"

namespace tessera::gbees {

double lagrange(const std::vector<double>& t, std::vector<double> value, double at) {
  for (std::size_t width = 1; width < t.size(); ++width) {
    for (std::size_t i = 0; i + width < t.size(); ++i) {
      value[i] =
          ((at - t[i + width]) * value[i] + (t[i] - at) * value[i + 1]) / (t[i] - t[i + width]);
    }
  }
  return value[0];
}

ValueAndRate hermite(const std::vector<double>& t, const std::vector<double>& value,
                     const std::vector<double>& slope, double at) {
  const std::size_t n = 2 * t.size();
  std::vector<double> node(n), difference(n);
  for (std::size_t i = 0; i < n; ++i) {
    node[i] = t[i / 2];
    difference[i] = value[i / 2];
  }
  std::vector<double> coefficient{difference[0]};
  for (std::size_t order = 1; order < n; ++order) {
    for (std::size_t i = 0; i + order < n; ++i) {
      const double span = node[i + order] - node[i];
      difference[i] = span == 0 ? slope[i / 2] : (difference[i + 1] - difference[i]) / span;
    }
    coefficient.push_back(difference[0]);
  }
  ValueAndRate result;
  for (std::size_t i = n; i-- > 0;) {
    result.rate = result.rate * (at - node[i]) + result.value;
    result.value = result.value * (at - node[i]) + coefficient[i];
  }
  return result;
}

}  // namespace tessera::gbees
