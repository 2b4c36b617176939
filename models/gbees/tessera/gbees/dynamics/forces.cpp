// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/forces.hpp"

#include "tessera/core/error.hpp"

namespace tessera::gbees {

namespace {

using Names = std::vector<std::string>;

/// Writes the definitions of one force.
class ForceText {
 public:
  ForceText(EquationText& text, const std::string& name) : m_text(text), m_name(name) {
    const std::size_t dimension = text.variables.size();
    if (dimension != 4 && dimension != 6) {
      throw Error(ErrorKind::input,
                  "forces act on a state of two or three positions and then as many velocities, "
                  "and this has " +
                      std::to_string(dimension) + " variables");
    }
    position.assign(text.variables.begin(),
                    text.variables.begin() + static_cast<std::ptrdiff_t>(dimension / 2));
    velocity.assign(text.variables.begin() + static_cast<std::ptrdiff_t>(dimension / 2),
                    text.variables.end());
  }

  /// A parameter of the force, by its full name.
  std::string number(const std::string& name, double value) {
    m_text.parameters.emplace_back(m_name + "_" + name, value);
    return m_text.parameters.back().first;
  }

  /// Defines the component along axis i.
  void define(std::size_t i, const std::string& expression) {
    m_text.definitions.emplace_back(m_name + "_" + position[i], expression);
  }

  Names position, velocity;

 private:
  EquationText& m_text;
  std::string m_name;
};

std::string dot(const Names& a, const Names& b) {
  std::string sum;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (i > 0 ? " + " : "") + ("(" + a[i] + ")*(" + b[i] + ")");
  return "(" + sum + ")";
}

std::string length(const Names& a) { return "sqrt" + dot(a, a); }

Names difference(const Names& a, const Names& b) {
  Names result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] + " - " + b[i]);
  return result;
}

void check_body(const Names& position, const Names& body) {
  if (body.size() == position.size()) return;
  throw Error(ErrorKind::input, "a body needs " + std::to_string(position.size()) +
                                    " coordinates as the state has, and not " +
                                    std::to_string(body.size()));
}

}  // namespace

void add_two_body(EquationText& text, const std::string& name, double mu) {
  ForceText force(text, name);
  const std::string m = force.number("mu", mu);
  for (std::size_t i = 0; i < force.position.size(); ++i) {
    force.define(i, "-" + m + "/" + length(force.position) + "^3*" + force.position[i]);
  }
}

void add_j2(EquationText& text, const std::string& name, double mu, double j2, double radius) {
  ForceText force(text, name);
  const std::string m = force.number("mu", mu), j = force.number("j2", j2),
                    big_r = force.number("radius", radius);
  const std::string r = length(force.position);
  const bool is_spatial = force.position.size() == 3;
  const std::string slope = is_spatial ? "5*(" + force.position[2] + "/" + r + ")^2" : "0";
  for (std::size_t i = 0; i < force.position.size(); ++i) {
    force.define(i, "-1.5*" + j + "*" + m + "*" + big_r + "^2/" + r + "^5*(" +
                        (i == 2 ? "3" : "1") + " - " + slope + ")*" + force.position[i]);
  }
}

void add_third_body(EquationText& text, const std::string& name,
                    const std::vector<std::string>& body, double mu, bool indirect) {
  ForceText force(text, name);
  check_body(force.position, body);
  const std::string m = force.number("mu", mu);
  const Names offset = difference(body, force.position);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::string direct = m + "/" + length(offset) + "^3*(" + offset[i] + ")";
    force.define(i, indirect ? direct + " - " + m + "/" + length(body) + "^3*" + body[i] : direct);
  }
}

void add_drag(EquationText& text, const std::string& name, const Drag& drag) {
  ForceText force(text, name);
  const std::string ballistic = force.number("ballistic", drag.ballistic),
                    density = force.number("density", drag.density);
  const std::string radius = force.number("radius", drag.radius),
                    height = force.number("scale_height", drag.scale_height);
  const std::string rotation = force.number("rotation", drag.rotation);
  Names wind = force.velocity;
  if (drag.rotation != 0) {
    wind[0] += " + " + rotation + "*" + force.position[1];
    wind[1] += " - " + rotation + "*" + force.position[0];
  }
  for (std::size_t i = 0; i < wind.size(); ++i) {
    force.define(i, "-0.5*" + ballistic + "*" + density + "*exp((" + radius + " - " +
                        length(force.position) + ")/" + height + ")*" + length(wind) + "*(" +
                        wind[i] + ")");
  }
}

void add_radiation_pressure(EquationText& text, const std::string& name,
                            const std::vector<std::string>& sun, const RadiationPressure& light) {
  ForceText force(text, name);
  check_body(force.position, sun);
  const std::string pressure = force.number("pressure", light.pressure),
                    distance = force.number("distance", light.distance);
  const std::string area = force.number("area_to_mass", light.area_to_mass);
  const Names offset = difference(force.position, sun);
  std::string lit;
  if (light.shadow_radius >= 0) {
    const std::string radius = force.number("shadow_radius", light.shadow_radius);
    const std::string along = dot(force.position, sun), sun2 = dot(sun, sun);
    const std::string aside2 = dot(force.position, force.position) + " - " + along + "^2/" + sun2;
    lit = "(1 - (" + along + " < 0 and " + aside2 + " < " + radius + "^2))*";
  }
  for (std::size_t i = 0; i < sun.size(); ++i) {
    force.define(i, lit + pressure + "*" + distance + "^2*" + area + "/" + length(offset) + "^3*(" +
                        offset[i] + ")");
  }
}

}  // namespace tessera::gbees
