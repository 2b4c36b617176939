// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/speed.hpp"

#include <cmath>
#include <cstdio>

namespace tessera::stable {

using io::Attributes;
using io::Shape;

void write_speed(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                 const std::vector<std::vector<double>>& seconds) {
  coordinates.write("n", p.speed_points, Attributes{"1", "points of a call"});
  coordinates.write(
      "function", kSpeedFunctions,
      Attributes{"1", "what is evaluated: density, distribution function, both, quantile"});
  coordinates.write("method", p.speed_methods, Attributes{"1", "how"});
  const std::size_t sizes = seconds.size(), row = kSpeedFunctions.size() * p.speed_methods.size();
  std::vector<double> rates(sizes * row);
  for (std::size_t i = 0; i < sizes * row; ++i)
    rates[i] = p.speed_points[i / row] / seconds[i / row][i % row];
  results.write("evaluations_per_second", rates,
                Shape{sizes, kSpeedFunctions.size(), p.speed_methods.size()},
                Attributes{"s-1",
                           "points by the median wall time of a call, tables built before; NaN: "
                           "the method has no such function"});
}

std::string describe_speed(const Parameters& p, const std::vector<std::vector<double>>& seconds) {
  if (seconds.empty()) return "nothing timed";
  const double n = p.speed_points[seconds.size() - 1];
  char number[32];
  std::snprintf(number, sizeof number, "%.10g", n);
  std::string text = std::string("evaluations a second, ") + number + " points: ";
  std::size_t k = 0;
  for (const std::string& function : kSpeedFunctions) {
    text += (k == 0 ? "" : "; ") + function;
    for (const std::string& method : p.speed_methods) {
      const double time = seconds.back()[k++];
      if (std::isnan(time)) continue;
      std::snprintf(number, sizeof number, " %.3g", n / time);
      text += " " + method + number;
    }
  }
  return text;
}

}  // namespace tessera::stable
