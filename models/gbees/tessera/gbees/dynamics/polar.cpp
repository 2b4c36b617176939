// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/polar.hpp"

#include <cmath>

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

constexpr double kTurn = 6.283185307179586476925;

}  // namespace

const std::vector<VariableMeaning>& polar_variables() {
  static const std::vector<VariableMeaning> variables{
      {"r", {1, 0, 0}, "distance from the origin"},
      {"theta", {}, "angle from the first axis"},
      {"v_r", {1, -1, 0}, "radial velocity"},
      {"h", {2, -1, 0}, "angular momentum by mass"}};
  return variables;
}

EquationText polar_equations(const EquationText& text, const CentralField& field) {
  ChangeOfVariables change(text, polar_variables());
  const Perturbation rest = find_perturbation(text, field, change.prefix());
  if (field.mu != 0) change.add_number("mu", field.mu, {3, -2, 0});
  if (field.flattening != 0) change.add_number("flattening", field.flattening, {5, -2, 0});
  change.define("c", "cos(theta)");
  change.define("s", "sin(theta)");
  change.define("v_theta", "h/r");
  change.define("x", "r*c");
  change.define("y", "r*s");
  change.define("vx", "v_r*c - v_theta*s");
  change.define("vy", "v_r*s + v_theta*c");
  for (const auto& [name, definition] : text.definitions) change.copy(name, definition);
  for (const auto& [name, definition] : rest.definitions) change.copy(name, definition);
  const std::string ax = change.define_old("ax", rest.accelerations[0]);
  const std::string ay = change.define_old("ay", rest.accelerations[1]);
  change.add_rate("v_r");
  change.add_rate("h/r^2");
  change.add_rate(
      sum({"h^2/r^3", field.mu != 0 ? "(-mu/r^2)" : "",
           field.flattening != 0 ? "(-1.5*flattening/r^4)" : "", times("c", ax), times("s", ay)}));
  change.add_rate(times("r", sum({times("-s", ax), times("c", ay)})));
  return change.text();
}

std::string polar_problem(const double* state) {
  if (std::hypot(state[0], state[1]) > 0) return {};
  return "the position is the origin, where no angle exists: take Cartesian coordinates";
}

std::array<double, 4> polar_coordinates(const double* state, double angle) {
  const std::string problem = polar_problem(state);
  if (!problem.empty()) throw Error(ErrorKind::numerical, problem);
  const double r = std::hypot(state[0], state[1]);
  const double theta = std::atan2(state[1], state[0]);
  return {r, angle + std::remainder(theta - angle, kTurn),
          (state[0] * state[2] + state[1] * state[3]) / r,
          state[0] * state[3] - state[1] * state[2]};
}

std::array<double, 4> polar_state(const std::array<double, 4>& coordinates) {
  const auto [r, theta, v_r, h] = coordinates;
  if (!(r > 0)) {
    throw Error(ErrorKind::numerical,
                "a state in polar coordinates has r = " + std::to_string(r) + ", which must be > 0",
                "take Cartesian coordinates, or a density that keeps away from the origin");
  }
  const double c = std::cos(theta), s = std::sin(theta);
  return {r * c, r * s, v_r * c - h / r * s, v_r * s + h / r * c};
}

}  // namespace tessera::gbees
