// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/speed.hpp"

#include <cstdio>

namespace tessera::stable {

using io::Attributes;
using io::Shape;

SpeedStep make_speed_step(const Parameters& p, std::size_t k) {
  SpeedStep step{p, static_cast<std::int64_t>(p.speed_points[k % p.speed_points.size()])};
  if (p.speed_distributions == SpeedDistributions::map) {
    const std::size_t cell = k / p.speed_points.size();
    step.parameters.alpha = p.alphas[cell / p.betas.size()];
    step.parameters.beta = p.betas[cell % p.betas.size()];
  }
  return step;
}

void write_speed(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                 const std::vector<std::vector<double>>& seconds) {
  coordinates.write("n", p.speed_points, Attributes{"1", "points of a call"});
  coordinates.write(
      "function", p.speed_functions,
      Attributes{"1", "what is evaluated: density, distribution function, both, quantile"});
  coordinates.write("method", p.speed_methods, Attributes{"1", "how"});
  const std::size_t row = p.speed_functions.size() * p.speed_methods.size();
  std::vector<double> rates(seconds.size() * row);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double points = p.speed_points[i / row % p.speed_points.size()];
    rates[i] = points / seconds[i / row][i % row];
  }
  Shape shape{p.speed_points.size(), p.speed_functions.size(), p.speed_methods.size()};
  if (p.speed_distributions == SpeedDistributions::map) {
    coordinates.write("alpha", p.alphas, Attributes{"1", "stability index of all points"});
    coordinates.write("beta", p.betas, Attributes{"1", "skewness of all points"});
    shape.insert(shape.begin(), {p.alphas.size(), p.betas.size()});
  }
  results.write("evaluations_per_second", rates, shape,
                Attributes{"s-1",
                           "points by the median wall time of a call, tables and first guesses of "
                           "quantiles made before"});
}

std::string describe_speed(const Parameters& p, const std::vector<std::vector<double>>& seconds) {
  if (seconds.empty()) return "nothing timed";
  const SpeedStep step = make_speed_step(p, seconds.size() - 1);
  const auto n = static_cast<double>(step.points);
  char number[64];
  std::snprintf(number, sizeof number, "%.10g", n);
  std::string text = std::string("evaluations a second, ") + number + " points";
  if (p.speed_distributions == SpeedDistributions::map) {
    std::snprintf(number, sizeof number, " with alpha %g and beta %g", step.parameters.alpha,
                  step.parameters.beta);
    text += number;
  }
  text += ": ";
  std::size_t k = 0;
  for (const std::string& function : p.speed_functions) {
    text += (k == 0 ? "" : "; ") + function;
    for (const std::string& method : p.speed_methods) {
      std::snprintf(number, sizeof number, " %.3g", n / seconds.back()[k++]);
      text += " " + method + number;
    }
  }
  return text;
}

}  // namespace tessera::stable
