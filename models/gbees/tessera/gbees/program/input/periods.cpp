// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/input/periods.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/expression/parse.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/names.hpp"
#include "tessera/gbees/particles/kalman.hpp"
#include "tessera/gbees/program/input/sections.hpp"

namespace tessera::gbees::input {

namespace {

constexpr double kTurn = 6.283185307179586;

/// The number that an expression without variables stands for, which is under `key`, as its element
/// `item`. Mistakes are recorded.
double read_number(config::Section& in, const std::string& key, int item, const EquationText& text,
                   const std::string& expression) {
  try {
    const expression::Program program = compile_functions(text, {expression});
    const std::size_t inputs = text.variables.size() + 1;
    for (std::size_t i = 0; i < inputs; ++i) {
      if (!program.depends_on(static_cast<int>(i))) continue;
      in.error_within(key, item, 0,
                      "a period is a number, and '" + expression + "' depends on the " +
                          (i + 1 < inputs ? "state" : "time"));
      return 1;
    }
    return program.evaluate(0, std::vector<double>(inputs, 0.0));
  } catch (const expression::ParseError& error) {
    in.error_within(key, item, error.offset(), error.what());
  } catch (const Error& error) {
    in.error(key, error.what());
  }
  return 1;
}

/// Reads the circle of one variable.
Circle read_circle(config::Section& in, const std::string& name, const EquationText& text) {
  double lower = 0, upper = 1;
  if (in.form(name) == config::Form::list) {
    std::vector<std::string> ends{"0", "1"};
    in.require(name, ends).size(2);
    if (ends.size() != 2) return {0, 1};
    lower = read_number(in, name, 0, text, ends[0]);
    upper = read_number(in, name, 1, text, ends[1]);
  } else {
    std::string period = "1";
    in.require(name, period);
    upper = 0.5 * read_number(in, name, -1, text, period);
    lower = -upper;
  }
  if (upper > lower && std::isfinite(upper - lower)) return {lower, upper - lower};
  in.error(name,
           "a period must be positive and finite: give a number, such as 2*pi, or the ends "
           "[lower, upper] of the base interval");
  return {0, 1};
}

/// The direction of the mean of exp(2 pi i x / period), as a place in the base interval.
double mean_direction(const Circle& circle, const std::vector<double>& weights,
                      const double* points, std::size_t stride) {
  double cosine = 0, sine = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double angle = kTurn * (points[n * stride] - circle.lower) / circle.period;
    cosine += weights[n] * std::cos(angle);
    sine += weights[n] * std::sin(angle);
  }
  return circle.bring_in(circle.lower + circle.period * std::atan2(sine, cosine) / kTurn);
}

/// Records an error, or warns, where a Gaussian is wide beside a circle.
void check_width(config::Section& in, const char* key, const Circle& circle, double variance) {
  constexpr double kWide = 0.25;  // of a period
  const double deviation = std::sqrt(std::max(variance, 0.0));
  std::ostringstream text;
  text << "a standard deviation of " << deviation << " is wide on a circle of " << circle.period;
  if (deviation > circle.period) {
    in.error(key, text.str() +
                      ": the density is next to even there; give it as a uniform one, from "
                      "initial.low to initial.high");
  } else if (deviation > kWide * circle.period) {
    logging::warning(in.place(key) + ": " + text.str() +
                     ": cells hold the sum over all turns, whose standard deviation is smaller");
  }
}

/// Moves parts of a mixture next to their mean direction, and finds its mean and covariance again.
void bring_parts_together(const std::vector<Circle>& circles, InitialParameters& p) {
  const std::size_t dimension = circles.size();
  std::vector<double> weights, means;
  for (const InitialParameters::Component& part : p.mixture) {
    weights.push_back(part.weight);
    means.insert(means.end(), part.mean.begin(), part.mean.end());
  }
  bring_together(circles, weights, means);
  for (std::size_t k = 0; k < p.mixture.size(); ++k) {
    for (std::size_t i = 0; i < dimension; ++i) p.mixture[k].mean[i] = means[k * dimension + i];
  }
  find_moments_of_mixture(p);
}

/// Moves all of an initial density along a variable.
void shift(std::size_t variable, double distance, InitialParameters& p) {
  const std::size_t dimension = p.mean.size();
  if (distance == 0) return;
  p.mean[variable] += distance;
  for (InitialParameters::Component& part : p.mixture) part.mean[variable] += distance;
  if (!p.low.empty()) {
    p.low[variable] += distance;
    p.high[variable] += distance;
  }
  for (std::size_t n = variable; n < p.points.size(); n += dimension) p.points[n] += distance;
}

/// Places that fill the base intervals, four standard deviations each way along lines, and the time
/// of the run, evenly (Kronecker's sequence).
std::vector<std::vector<double>> places(const Parameters& p) {
  constexpr int kPlaces = 64;
  const std::size_t dimension = p.dynamics.circles.size();
  double ratio = 2;  // the root of x^(D + 2) = x + 1
  for (int i = 0; i < 100; ++i)
    ratio = std::pow(1 + ratio, 1.0 / (static_cast<double>(dimension) + 2));
  std::vector<std::vector<double>> all;
  for (int n = 0; n < kPlaces; ++n) {
    std::vector<double> x;
    for (std::size_t i = 0; i <= dimension; ++i) {
      const double u = std::fmod(0.5 + (n + 1) * std::pow(ratio, -static_cast<double>(i + 1)), 1.0);
      if (i == dimension) {
        x.push_back(u * p.end);
      } else if (p.dynamics.circles[i].is_line()) {
        const double deviation = std::sqrt(std::max(p.initial.covariance[i][i], 0.0));
        x.push_back(p.initial.mean[i] + 4 * deviation * (2 * u - 1));
      } else {
        x.push_back(p.dynamics.circles[i].lower + u * p.dynamics.circles[i].period);
      }
    }
    all.push_back(std::move(x));
  }
  return all;
}

}  // namespace

std::vector<Circle> read_periods(config::Section& model, const EquationText& text) {
  config::Section in = model.section(
      "periods",
      "variables that lie on circles, as angles do, and their periods, such as 2*pi: the cells of "
      "their axes go round. The base interval goes from minus half a period to half of it, or as a "
      "list [lower, upper] says. Numbers, or expressions of the parameters");
  if (!in.present() || in.documenting()) return {};
  std::vector<Circle> circles(text.variables.size());
  bool is_any = false;
  for (const std::string& name : in.keys()) {
    const auto found = std::find(text.variables.begin(), text.variables.end(), name);
    if (found == text.variables.end()) {
      in.error(name, "unknown variable '" + name + "'; there are " + join_names(text.variables));
      continue;
    }
    circles[static_cast<std::size_t>(found - text.variables.begin())] = read_circle(in, name, text);
    is_any = true;
  }
  if (!is_any) circles.clear();
  return circles;
}

void bring_together(const std::vector<Circle>& circles, const std::vector<double>& weights,
                    std::vector<double>& points) {
  const std::size_t dimension = circles.size();
  for (std::size_t i = 0; i < dimension; ++i) {
    if (circles[i].is_line()) continue;
    const double middle = mean_direction(circles[i], weights, points.data() + i, dimension);
    for (std::size_t n = i; n < points.size(); n += dimension)
      points[n] = middle + circles[i].shortest(points[n] - middle);
  }
}

void bring_onto_circles(config::Section& initial, const std::vector<Circle>& circles,
                        InitialParameters& p) {
  using Shape = InitialParameters::Shape;
  if (circles.empty() || initial.has_errors() || initial.documenting()) return;
  if (p.covariance.size() != circles.size() || p.mean.size() != circles.size()) return;
  const char* const width = initial.has("covariance") ? "covariance" : "standard_deviation";
  for (std::size_t i = 0; i < circles.size(); ++i) {
    if (circles[i].is_line()) continue;
    if (p.shape == Shape::gaussian) check_width(initial, width, circles[i], p.covariance[i][i]);
    for (const InitialParameters::Component& part : p.mixture) {
      if (part.mean.size() != circles.size() || part.covariance.size() != circles.size()) return;
      check_width(initial, "mixture", circles[i], part.covariance[i][i]);
    }
    if (p.shape == Shape::uniform && p.high[i] - p.low[i] > circles[i].period * (1 + 1e-9)) {
      std::ostringstream text;
      text << "the box is " << p.high[i] - p.low[i] << " wide along a circle of "
           << circles[i].period << ": let it go round once at most";
      initial.error("high", text.str());
    }
  }
  if (p.shape == Shape::mixture) bring_parts_together(circles, p);
  for (std::size_t i = 0; i < circles.size(); ++i) {
    const double mean = p.mean[i];
    if (!circles[i].is_line()) shift(i, circles[i].bring_in(mean) - mean, p);
  }
}

void fit_spacing(config::Section& grid, bool is_given, std::size_t most, Parameters& p) {
  constexpr double kFewest = 4;  // cells
  const std::vector<Circle>& circles = p.dynamics.circles;
  for (std::size_t i = 0; i < std::min(circles.size(), p.spacing.size()); ++i) {
    if (circles[i].is_line()) continue;
    const std::string& name = p.dynamics.variables[i];
    const double asked = p.spacing[i], cells = circles[i].period / asked;
    std::ostringstream text;
    text << "cells of " << asked << " along " << name;
    if (!(cells >= kFewest - 0.5) || !(cells + 1 < static_cast<double>(most))) {
      text << ": " << cells << " go round its circle of " << circles[i].period << ", and ";
      if (cells < kFewest) {
        text << kFewest << " must; take smaller ones";
      } else {
        text << most - 1 << " can be indexed; take larger ones";
      }
      grid.error("spacing", text.str());
      p.spacing[i] = circles[i].period / kFewest;
      continue;
    }
    p.spacing[i] = circles[i].period / circles[i].cells(asked);
    if (std::fabs(p.spacing[i] / asked - 1) < 1e-9) continue;
    text << " do not divide its period of " << circles[i].period << ": they are " << p.spacing[i]
         << " long, and " << circles[i].cells(asked) << " go round";
    if (is_given) {
      logging::info(text.str());
    } else {
      logging::detail(text.str());
    }
  }
}

std::string find_change(const expression::Program& program, std::size_t function,
                        double period_of_value, const Parameters& p) {
  constexpr double kNear = 1e-6;      // of a period
  constexpr double kRounding = 1e-9;  // of a value
  const std::vector<Circle>& circles = p.dynamics.circles;
  if (p.initial.mean.size() < circles.size() || p.initial.covariance.size() < circles.size())
    return {};  // told elsewhere
  for (const std::vector<double>& x : places(p)) {
    for (std::size_t i = 0; i < circles.size(); ++i) {
      if (circles[i].is_line()) continue;
      std::vector<double> later = x, near = x;
      later[i] += circles[i].period;
      near[i] += kNear * circles[i].period;
      const double here = program.evaluate(function, x), there = program.evaluate(function, later);
      if (!std::isfinite(here) && !std::isfinite(there)) continue;
      const double change = std::fabs(shortest_way(there - here, period_of_value));
      const double allowed = std::fabs(program.evaluate(function, near) - here) +
                             kRounding * std::max(std::fabs(here), std::fabs(there));
      if (change <= (std::isfinite(allowed) ? allowed : 0)) continue;
      const std::string& name = p.dynamics.variables[i];
      std::ostringstream text;
      text << here << " at " << name << " = " << x[i] << " and " << there << " a period of " << name
           << " later, at " << later[i];
      return text.str();
    }
  }
  return {};
}

void check_periods(config::Section& root, const Parameters& p) {
  const std::vector<Circle>& circles = p.dynamics.circles;
  if (circles.empty() || root.has_errors() || root.documenting()) return;
  config::Section model = root.section("model");
  const EquationProgram& dynamics = p.dynamics.program;
  const std::size_t dimension = circles.size(),
                    first_noise = static_cast<std::size_t>(dynamics.first_noise);
  const auto name_of = [&](std::size_t f) -> std::string {
    if (f < dimension) return "the rate of change of '" + p.dynamics.variables[f] + "'";
    if (first_noise == 0 || f < first_noise) return "the invariant";
    return "the noise of '" + p.dynamics.variables[f - first_noise] + "'";
  };
  for (std::size_t f = 0; f < dynamics.program.count(); ++f) {
    const std::string change = find_change(dynamics.program, f, 0, p);
    if (change.empty()) continue;
    model.error("periods", name_of(f) + " does not have this period: it is " + change);
    return;
  }
}

}  // namespace tessera::gbees::input
