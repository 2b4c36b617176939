// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/catalogue.hpp"

#include <cstdio>

namespace tessera::gbees {

namespace {

std::vector<std::string> numbered_names(int dimension) {
  std::vector<std::string> names;
  for (int i = 1; i <= dimension; ++i) names.push_back("x" + std::to_string(i));
  return names;
}

/// A number that reads back as the same one, in parentheses.
std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "(%.17g)", value);
  return text;
}

}  // namespace

EquationText lorenz63_equations(double sigma, double b, double r) {
  return {{"x", "y", "z"},
          {{"sigma", sigma}, {"b", b}, {"r", r}},
          {},
          {"sigma*(y - x)", "-y - x*z", "-b*z + x*y - b*r"},
          {}};
}

EquationText lorenz96_equations(int dimension, double forcing) {
  EquationText text{numbered_names(dimension), {{"F", forcing}}, {}, {}, {}};
  const auto site = [&](int i) {
    return text.variables[static_cast<std::size_t>((i + dimension) % dimension)];
  };
  for (int i = 0; i < dimension; ++i) {
    text.equations.push_back("(" + site(i + 1) + " - " + site(i - 2) + ")*" + site(i - 1) + " - " +
                             site(i) + " + F");
  }
  return text;
}

EquationText linear_equations(const linalg::Matrix& matrix, const std::vector<double>& offset) {
  EquationText text{numbered_names(static_cast<int>(matrix.size())), {}, {}, {}, {}};
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    std::string equation = exact(offset[i]);
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      if (matrix[i][j] != 0) equation += " + " + exact(matrix[i][j]) + "*" + text.variables[j];
    }
    text.equations.push_back(equation);
  }
  return text;
}

EquationText ornstein_uhlenbeck_equations(const std::vector<double>& rate,
                                          const std::vector<double>& level) {
  EquationText text{numbered_names(static_cast<int>(rate.size())), {}, {}, {}, {}};
  for (std::size_t i = 0; i < rate.size(); ++i) {
    text.equations.push_back(exact(rate[i]) + "*(" + exact(level[i]) + " - " + text.variables[i] +
                             ")");
  }
  return text;
}

EquationText poincare_equations(double mu) {
  return {{"L", "l"}, {{"mu", mu}}, {}, {"0", "mu^2/L^3"}, {}};
}

EquationText three_body_equations(bool planar, double mu) {
  EquationText text;
  text.parameters = {{"mu", mu}};
  const std::string z2 = planar ? "" : " + z^2";
  text.definitions = {{"r1", "sqrt((x + mu)^2 + y^2" + z2 + ")"},
                      {"r2", "sqrt((x - 1 + mu)^2 + y^2" + z2 + ")"},
                      {"pull1", "(1 - mu)/r1^3"},
                      {"pull2", "mu/r2^3"}};
  const std::string along_x = "2*vy + x - pull1*(x + mu) - pull2*(x - 1 + mu)";
  const std::string along_y = "-2*vx + y - (pull1 + pull2)*y";
  if (planar) {
    text.variables = {"x", "y", "vx", "vy"};
    text.equations = {"vx", "vy", along_x, along_y};
  } else {
    text.variables = {"x", "y", "z", "vx", "vy", "vz"};
    text.equations = {"vx", "vy", "vz", along_x, along_y, "-(pull1 + pull2)*z"};
  }
  text.invariant = std::string("x^2 + y^2 + 2*(1 - mu)/r1 + 2*mu/r2 + mu*(1 - mu) - (vx^2 + vy^2") +
                   (planar ? "" : " + vz^2") + ")";
  return text;
}

EquationText duffing_equations(double damping, double amplitude, double frequency) {
  return {{"x", "y"},
          {{"damping", damping}, {"amplitude", amplitude}, {"frequency", frequency}},
          {},
          {"y", "x - x^3 - damping*y + amplitude*cos(frequency*t)"},
          {}};
}

EquationText aizawa_equations(double a, double b, double c, double d, double e, double f) {
  return {
      {"x", "y", "z"},
      {{"a", a}, {"b", b}, {"c", c}, {"d", d}, {"e", e}, {"f", f}},
      {},
      {"(z - b)*x - d*y", "d*x + (z - b)*y", "c + a*z - z^3/3 - (x^2 + y^2)*(1 + e*z) + f*z*x^3"},
      {}};
}

}  // namespace tessera::gbees
