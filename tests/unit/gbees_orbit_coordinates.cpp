// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Orbital elements and polar coordinates as variables of dynamics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tessera/gbees/dynamics/forces.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"

namespace tessera::test {
namespace {

using gbees::CentralField;
using gbees::Elements;
using gbees::EquationError;
using gbees::EquationProgram;
using gbees::EquationText;
using gbees::OrbitCoordinates;
using State = std::vector<double>;
using ::testing::HasSubstr;
using Kind = OrbitCoordinates::Kind;

constexpr double kPi = 3.14159265358979323846;
constexpr double kMu = 398600.4418, kRadius = 6378.137, kJ2 = 1.0826e-3;  // km, s

double norm(const double* v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// Classical elements of an orbit; angles in degrees.
struct Orbit {
  double a, e, inclination, node, pericentre, anomaly;

  State state(double mu) const {
    const double i = inclination * kPi / 180, node_ = node * kPi / 180, w = pericentre * kPi / 180;
    const double f = anomaly * kPi / 180, p = a * (1 - e * e), r = p / (1 + e * std::cos(f));
    const double speed = std::sqrt(mu / p);
    const auto turned = [&](double x, double y) {
      const double u = x * std::cos(w) - y * std::sin(w), v = x * std::sin(w) + y * std::cos(w);
      return State{u * std::cos(node_) - v * std::cos(i) * std::sin(node_),
                   u * std::sin(node_) + v * std::cos(i) * std::cos(node_), v * std::sin(i)};
    };
    State state = turned(r * std::cos(f), r * std::sin(f));
    for (const double v : turned(-speed * std::sin(f), speed * (e + std::cos(f))))
      state.push_back(v);
    return state;
  }
};

/// The equations of motion under forces, by their names.
EquationText motion(std::size_t axes, const std::function<void(EquationText&)>& add_forces,
                    const std::vector<std::string>& forces) {
  EquationText text;
  for (const std::string prefix : {"", "v"}) {
    for (std::size_t i = 0; i < axes; ++i) text.variables.push_back(prefix + "xyz"[i]);
  }
  add_forces(text);
  for (std::size_t i = 0; i < axes; ++i) text.equations.push_back(text.variables[axes + i]);
  for (std::size_t i = 0; i < axes; ++i) {
    std::string total = "0";
    for (const std::string& force : forces) total += " + " + force + "_" + text.variables[i];
    text.equations.push_back(total);
  }
  return text;
}

/// Adds a body on a circle as a table, and returns the names of its coordinates.
std::vector<std::string> add_body(EquationText& text, const std::string& name, double distance,
                                  double rate) {
  const auto set = text.tables ? std::make_shared<expression::TableSet>(*text.tables)
                               : std::make_shared<expression::TableSet>();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.variables.size() / 2; ++i) {
    std::vector<double> times, values;
    for (int k = 0; k <= 400; ++k) {
      times.push_back(k * 0.02 / rate);
      const double angle = rate * times.back() + 0.4;
      values.push_back(distance *
                       (i == 0 ? std::cos(angle) : (i == 1 ? 0.9 : 0.43) * std::sin(angle)));
    }
    names.push_back(name + "_at_" + text.variables[i]);
    text.table_names.emplace_back(names.back(),
                                  set->add(times, values, expression::Interpolation::chebyshev));
  }
  text.tables = set;
  return names;
}

/// Gravity of the Earth in km and s, with J2, the Moon, drag and the light of the Sun.
EquationText earth() {
  return motion(3,
                [](EquationText& text) {
                  gbees::add_two_body(text, "pull", kMu);
                  gbees::add_j2(text, "flat", kMu, kJ2, kRadius);
                  gbees::add_third_body(text, "moon", add_body(text, "moon", 384400, 2.66e-6),
                                        4902.8, true);
                  gbees::add_drag(text, "drag", {2.2e-8, 4e-3, 6778, 60, 7.292e-5});
                  gbees::add_radiation_pressure(text, "light", add_body(text, "sun", 1.496e8, 2e-7),
                                                {4.56e-3, 1.496e8, 2e-8, kRadius});
                },
                {"pull", "flat", "moon", "drag", "light"});
}

/// A field with mu = 1 under forces that are all about a hundredth of it.
EquationText strong(std::size_t axes) {
  return motion(axes,
                [](EquationText& text) {
                  gbees::add_two_body(text, "pull", 1);
                  gbees::add_j2(text, "flat", 1, 0.02, 0.8);
                  gbees::add_third_body(text, "moon", add_body(text, "moon", 8, 0.1), 2, true);
                  gbees::add_drag(text, "drag", {1, 0.02, 1, 0.7, 0.05});
                  gbees::add_radiation_pressure(text, "light", add_body(text, "sun", 60, 0.02),
                                                {0.3, 60, 0.05, 0.2});
                },
                {"pull", "flat", "moon", "drag", "light"});
}

State inputs(State state, double t) {
  state.push_back(t);
  return state;
}

State rates(const EquationProgram& program, const State& state, double t) {
  State result;
  for (std::size_t i = 0; i < state.size(); ++i)
    result.push_back(program.program.evaluate(i, inputs(state, t)));
  return result;
}

State at(const State& state, const State& direction, double step) {
  State moved(state);
  for (std::size_t i = 0; i < state.size(); ++i) moved[i] += step * direction[i];
  return moved;
}

/// The derivative of the coordinates along a direction, by differences of eighth order.
State derivative(const OrbitCoordinates& coordinates, const State& state, const State& direction,
                 double step) {
  const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double angle = coordinates.coordinates(state.data())[coordinates.angle()];
  State result(state.size(), 0.0);
  for (int k = 1; k <= 4; ++k) {
    const State after = coordinates.coordinates(at(state, direction, k * step).data(), angle);
    const State before = coordinates.coordinates(at(state, direction, -k * step).data(), angle);
    for (std::size_t i = 0; i < state.size(); ++i)
      result[i] += weight[k - 1] * (after[i] - before[i]) / step;
  }
  return result;
}

/// Expects the rates of the coordinates to be those of the state by the chain rule, to 1e-9 of the
/// largest of those in a group: nu, p, q, L, or each of the polar ones. Below 1e-13 all are 0.
void expect_rates(const EquationText& text, const OrbitCoordinates& coordinates, const State& state,
                  double t) {
  const EquationProgram cartesian = compile(text), changed = compile(coordinates.equations(text));
  const State x = coordinates.coordinates(state.data());
  const State direction = rates(cartesian, state, t);
  const double step = 2e-3 / norm(&direction[state.size() / 2]);
  const State expected = derivative(coordinates, state, direction, step),
              found = rates(changed, x, t);
  const bool is_polar = state.size() == 4;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::size_t other = is_polar || i == 0 || i == 5 ? i : i % 2 == 1 ? i + 1 : i - 1;
    const double scale = std::hypot(expected[i], other == i ? 0 : expected[other]);
    EXPECT_NEAR(found[i], expected[i], 1e-9 * scale + 1e-13)
        << coordinates.variables()[i].name << " at t = " << t;
  }
}

const std::vector<Orbit> kOrbits{{1.2, 0.1, 51.6, 20, 70, 40},   {1.3, 0, 97, 30, 10, 200},
                                 {1.1, 0.05, 0, 0, 80, 130},     {1.5, 0, 0, 0, 0, 300},
                                 {2.5, 0.6, 63.4, 120, 270, 60}, {1.4, 0.2, 150, 250, 10, 180}};

TEST(OrbitCoordinates, RatesAreThoseOfTheChainRule) {
  const EquationText text = strong(3);
  const OrbitCoordinates flattened(Kind::equinoctial, find_central_field(text, "pull", "flat"));
  const OrbitCoordinates of_a_point(Kind::equinoctial, find_central_field(text, "pull"));
  for (const Orbit& orbit : kOrbits) {
    for (const double t : {0.0, 17.3}) {
      expect_rates(text, flattened, orbit.state(1), t);
      expect_rates(text, of_a_point, orbit.state(1), t);
    }
  }
}

TEST(OrbitCoordinates, PolarRatesAreThoseOfTheChainRule) {
  const EquationText text = strong(2);
  for (const CentralField& field : {find_central_field(text, "pull", "flat"),
                                    find_central_field(text, "pull"), CentralField{}}) {
    const OrbitCoordinates polar(Kind::polar, field);
    for (const State& state : {State{1, 0.2, -0.3, 0.9}, State{-0.7, 1, 0.4, 0.5}})
      expect_rates(text, polar, state, 3.0);
  }
}

TEST(OrbitCoordinates, FieldsAreTakenFromEquationsInAnyForm) {
  const EquationText text = strong(3);
  const CentralField field = find_central_field(text, "pull", "flat");
  const OrbitCoordinates coordinates(Kind::equinoctial, field);
  const State state = kOrbits[0].state(1);
  EquationText through_names = text;  // the forces stand in sums of definitions
  for (const std::string axis : {"x", "y", "z"}) {
    through_names.definitions.emplace_back("gravity_" + axis,
                                           "pull_" + axis + " - (-flat_" + axis + ")");
    through_names.definitions.emplace_back("size_" + axis,
                                           "sqrt(pull_" + axis + "^2 + flat_" + axis + "^2)");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis = text.variables[i];
    through_names.equations[3 + i] = "drag_" + axis + " + gravity_" + axis;
  }
  expect_rates(through_names, coordinates, state, 0);
  EquationText scaled = text, nonlinear = text, without = text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis = text.variables[i];
    scaled.equations[3 + i] = "1.1*pull_" + axis + " + flat_" + axis;
    nonlinear.equations[3 + i] = "2*pull_" + axis + " - pull_" + axis + "*(1 + 0.01*pull_x)";
    without.equations[3 + i] = "-" + axis + "/(x^2 + y^2 + z^2)^1.5";
  }
  for (const EquationText& other : {scaled, nonlinear, without})
    expect_rates(other, coordinates, state, 0);
  EquationText condition = text;  // weaker than a sum
  condition.equations[3] = "x < 5";
  expect_rates(condition, coordinates, state, 0);
}

TEST(OrbitCoordinates, NamesCanBeThoseOfTheMethod) {
  EquationText text;  // whose names are short ones of equinoctial.cpp and polar.cpp
  text.variables = {"a", "e", "w", "h", "U", "x"};
  gbees::add_two_body(text, "pull", 1);
  text.parameters.emplace_back("mu", 0.01);
  text.definitions.emplace_back("r", "a + 2*e + 3*w");
  text.definitions.emplace_back("y", "mu*r*h");
  text.equations = {"h", "U", "x", "pull_a + mu*r", "pull_e + y", "pull_w + y^2"};
  const OrbitCoordinates elements(Kind::equinoctial, find_central_field(text, "pull"));
  expect_rates(text, elements, kOrbits[0].state(1), 0);
  EquationText plane;
  plane.variables = {"vx", "vy", "x", "y"};
  gbees::add_two_body(plane, "pull", 1);
  plane.definitions.emplace_back("c", "0.01*vx + 0.02*y");
  plane.equations = {"x", "y", "pull_vx + c", "pull_vy + 2*c"};
  const OrbitCoordinates polar(Kind::polar, find_central_field(plane, "pull"));
  expect_rates(plane, polar, {1, 0.2, -0.3, 0.9}, 0);
}

TEST(OrbitCoordinates, SmallPerturbationsKeepTheirDigits) {
  const auto with_drag = [](const char* gravity) {
    EquationText text = motion(3,
                               [](EquationText& to) {
                                 gbees::add_two_body(to, "pull", kMu);
                                 gbees::add_drag(to, "drag", {0.022, 1e-9, 6778, 60, 0});
                               },
                               {"drag"});
    for (std::size_t i = 0; i < 3; ++i)
      text.equations[3 + i] += std::string(gravity) + text.variables[i];
    return text;
  };
  const State state = Orbit{6778, 0.01, 51.6, 10, 20, 30}.state(kMu);
  const EquationText text = with_drag(" + pull_");
  const CentralField field = find_central_field(text, "pull");
  const OrbitCoordinates coordinates(Kind::equinoctial, field);
  const double v2 = std::pow(norm(&state[3]), 2), r = norm(state.data());
  const double power = -0.5 * 0.022 * 1e-9 * std::exp((6778 - r) / 60) * v2 * std::sqrt(v2);
  const State x = coordinates.coordinates(state.data());
  const double expected = -3 * std::cbrt(x[0] / (kMu * kMu)) * power;  // 1e-13 of gravity
  EXPECT_NEAR(rates(compile(coordinates.equations(text)), x, 0)[0] / expected, 1, 1e-11);
  const EquationText by_hand = with_drag(" - 398600.4418/(x^2 + y^2 + z^2)^1.5*");
  EXPECT_NEAR(rates(compile(coordinates.equations(by_hand)), x, 0)[0] / expected, 1, 0.01);
}

TEST(OrbitCoordinates, NothingChangesButTheLongitudeInTheFieldOfAPoint) {
  const EquationText text =
      motion(3, [](EquationText& to) { gbees::add_two_body(to, "pull", kMu); }, {"pull"});
  const OrbitCoordinates coordinates(Kind::equinoctial, find_central_field(text, "pull"));
  const EquationText changed = coordinates.equations(text);
  EXPECT_EQ(changed.equations, (std::vector<std::string>{"0", "0", "0", "0", "0", "nu"}));
  EquationText flattened = text;
  gbees::add_j2(flattened, "flat", kMu, kJ2, kRadius);
  for (std::size_t i = 0; i < 3; ++i) flattened.equations[3 + i] += " + flat_" + text.variables[i];
  const OrbitCoordinates of_j2(Kind::equinoctial, find_central_field(flattened, "pull", "flat"));
  EXPECT_EQ(of_j2.equations(flattened).equations[0], "0");
  const EquationText plane =
      motion(2, [](EquationText& to) { gbees::add_two_body(to, "pull", kMu); }, {"pull"});
  const OrbitCoordinates polar(Kind::polar, find_central_field(plane, "pull"));
  EXPECT_EQ(polar.equations(plane).equations[3], "0");
}

TEST(OrbitCoordinates, RoundTripsKeepTheState) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  double worst = 0, worst_text = 0;
  for (const double flattening :
       {0.0, kJ2 * kMu * kRadius * kRadius, 0.1 * kMu * kRadius * kRadius}) {
    const CentralField field{kMu, flattening, "", ""};
    const EquationText text = motion(3, [](EquationText&) {}, {});
    const auto back = compile_functions(equinoctial_equations(text, field), text.variables);
    for (int n = 0; n < 3000; ++n) {
      const double e = n % 10 == 0 ? 0 : 0.94 * uniform(random);
      const Orbit orbit{7500 / (1 - e) * (1 + 5 * uniform(random)),
                        e,
                        n % 7 == 0 ? 0 : 178 * uniform(random),
                        360 * uniform(random),
                        360 * uniform(random),
                        360 * uniform(random)};
      const State state = orbit.state(kMu);
      const double longitude = 40 * (uniform(random) - 0.5);
      const Elements elements = equinoctial_elements(field, state.data(), longitude);
      ASSERT_NEAR(elements[5], longitude, 3.1415927);
      const auto found = equinoctial_state(field, elements);
      for (std::size_t i = 0; i < 6; ++i) {
        const double size = norm(&state[i < 3 ? 0 : 3]);
        const double of_text = back.evaluate(i, inputs({elements.begin(), elements.end()}, 0));
        worst = std::max(worst, std::fabs(found[i] - state[i]) / size);
        worst_text = std::max(worst_text, std::fabs(of_text - state[i]) / size);
      }
    }
  }
  EXPECT_LE(worst, 1e-12);
  EXPECT_LE(worst_text, 1e-12);
  for (int n = 0; n < 1000; ++n) {
    State state;
    for (int i = 0; i < 4; ++i) state.push_back(2 * uniform(random) - 1);
    const auto coordinates = gbees::polar_coordinates(state.data(), 40 * uniform(random));
    const auto found = gbees::polar_state(coordinates);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t first = i < 2 ? 0 : 2;
      EXPECT_NEAR(found[i], state[i], 1e-14 * std::hypot(state[first], state[first + 1]));
    }
  }
}

TEST(OrbitCoordinates, KeplersEquationIsSolvedToRounding) {
  const EquationText text = motion(3, [](EquationText&) {}, {});
  const auto offset = compile_functions(equinoctial_equations(text, {1, 0, "", ""}), {"orbit_d"});
  const auto largest_error = [&](double g) {
    double worst = 0;
    for (int n = -2000; n <= 2000; ++n) {
      const double u = n / 2000.0, anomaly = kPi * u * u * u;  // many near pericentre
      const long double m = anomaly;
      long double d =
          g * std::sin(anomaly) / std::hypot(1 - g * std::cos(anomaly), g * std::sin(anomaly));
      for (int k = 0; k < 60; ++k) d -= (d - g * std::sin(m + d)) / (1 - g * std::cos(m + d));
      const double found = offset.evaluate(0, {1, 0, g, 0, 0, anomaly, 0});
      worst = std::max(worst, static_cast<double>(std::fabs(found - d)));
    }
    return worst;
  };
  EXPECT_LE(largest_error(0), 0);
  EXPECT_LE(largest_error(0.3), 3e-16);
  EXPECT_LE(largest_error(0.74), 5e-16);
  EXPECT_LE(largest_error(0.9), 1e-15);
  EXPECT_LE(largest_error(gbees::kLargestEccentricity), 1e-15);
  EXPECT_LE(largest_error(0.97), 2e-13);
}

/// Runge and Kutta's method of fourth order over given times.
State integrate(const EquationProgram& program, State state, const std::vector<double>& times) {
  for (std::size_t n = 0; n + 1 < times.size(); ++n) {
    const double t = times[n], h = times[n + 1] - t;
    const State k1 = rates(program, state, t);
    const State k2 = rates(program, at(state, k1, h / 2), t + h / 2);
    const State k3 = rates(program, at(state, k2, h / 2), t + h / 2);
    const State k4 = rates(program, at(state, k3, h), t + h);
    for (std::size_t i = 0; i < state.size(); ++i)
      state[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return state;
}

/// Times of one revolution from the pericentre, dense where the motion is fast.
std::vector<double> times_of(const Orbit& orbit, std::size_t steps) {
  const double n = std::sqrt(kMu / orbit.a) / orbit.a;
  std::vector<double> times;
  for (std::size_t k = 0; k <= steps; ++k) {
    const double K = 2 * kPi * static_cast<double>(k) / static_cast<double>(steps);
    times.push_back((K - orbit.e * std::sin(K)) / n);
  }
  return times;
}

TEST(OrbitCoordinates, ARevolutionEndsWhereTheCartesianOneDoes) {
  const EquationText text = earth();
  const EquationProgram cartesian = compile(text);
  const OrbitCoordinates elements(Kind::equinoctial, find_central_field(text, "pull", "flat"));
  const EquationProgram changed = compile(elements.equations(text));
  for (const Orbit& orbit :
       {Orbit{6778, 1e-3, 51.6, 10, 20, 0}, Orbit{42164, 2e-4, 0.05, 10, 20, 0},
        Orbit{26560, 0.74, 63.4, 30, 270, 0}, Orbit{6900, 0, 97, 30, 0, 0},
        Orbit{6900, 0, 0, 0, 0, 0}}) {
    const State start = orbit.state(kMu);
    const State expected = integrate(cartesian, start, times_of(orbit, 6000));
    const State end = integrate(changed, elements.coordinates(start.data()), times_of(orbit, 1500));
    const State found = elements.state(end.data());
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-9 * norm(&expected[i < 3 ? 0 : 3]))
          << "variable " << i << " of a = " << orbit.a << ", e = " << orbit.e;
    }
    EXPECT_NEAR(end[5] - elements.coordinates(start.data())[5], 2 * kPi, 0.1);  // no turn is lost
  }
}

TEST(OrbitCoordinates, APlanarRevolutionEndsWhereTheCartesianOneDoes) {
  const EquationText text =
      motion(2,
             [](EquationText& to) {
               gbees::add_two_body(to, "pull", kMu);
               gbees::add_j2(to, "flat", kMu, kJ2, kRadius);
               gbees::add_drag(to, "drag", {2.2e-8, 4e-3, 6778, 60, 7.292e-5});
             },
             {"pull", "flat", "drag"});
  const Orbit orbit{6778, 1e-3, 0, 0, 0, 0};
  State start = orbit.state(kMu);
  start = {start[0], start[1], start[3], start[4]};
  const OrbitCoordinates polar(Kind::polar, find_central_field(text, "pull", "flat"));
  const std::vector<double> times = times_of(orbit, 4000);
  const State expected = integrate(compile(text), start, times);
  const State end =
      integrate(compile(polar.equations(text)), polar.coordinates(start.data()), times);
  const State found = polar.state(end.data());
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t first = i < 2 ? 0 : 2;
    EXPECT_NEAR(found[i], expected[i], 1e-9 * std::hypot(expected[first], expected[first + 1]));
  }
  EXPECT_NEAR(end[1], 2 * kPi, 0.1);
}

/// Solves a x = b by Gauss' elimination; returns the logarithm of the size of the determinant.
double solve(linalg::Matrix a, State& b) {
  const std::size_t size = a.size();
  double log_determinant = 0;
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < size; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    log_determinant += std::log(std::fabs(a[k][k]));
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < size; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return log_determinant;
}

void expect_log_jacobian(const OrbitCoordinates& coordinates, const State& state) {
  linalg::Matrix columns;  // of the matrix of derivatives; the determinant is that of its transpose
  for (std::size_t j = 0; j < state.size(); ++j) {
    State direction(state.size(), 0.0);
    direction[j] = 1;
    columns.push_back(derivative(coordinates, state, direction, 1e-3));
  }
  State unused(state.size(), 0.0);
  EXPECT_NEAR(coordinates.log_jacobian(coordinates.coordinates(state.data()).data()),
              solve(columns, unused), 1e-10);
}

TEST(OrbitCoordinates, DensitiesChangeByTheDeterminant) {
  for (const double flattening : {0.0, 0.02}) {
    const OrbitCoordinates elements(Kind::equinoctial, {1, flattening, "", ""});
    for (const Orbit& orbit : kOrbits) expect_log_jacobian(elements, orbit.state(1));
  }
  const OrbitCoordinates polar(Kind::polar, {});
  expect_log_jacobian(polar, {1, 0.2, -0.3, 0.9});
}

/// Particles, and the frame of their centre by neighbours of it: places in the frame.
class MovingFrame {
 public:
  MovingFrame(const OrbitCoordinates& coordinates, const State& centre, const State& deviations)
      : m_coordinates(coordinates), m_centre(coordinates.coordinates(centre.data())) {
    for (std::size_t i = 0; i < centre.size(); ++i) {
      State direction(centre.size(), 0.0);
      direction[i] = deviations[i];
      const State slope = derivative(coordinates, centre, direction, 1e-2);
      for (const double sign : {kStep, -kStep}) m_points.push_back(at(m_centre, slope, sign));
    }
  }

  void add(const State& state) {
    m_points.push_back(m_coordinates.coordinates(state.data(), m_centre.back()));
  }

  void move(const EquationProgram& program, const std::vector<double>& times) {
    m_centre = integrate(program, m_centre, times);
    for (State& point : m_points) point = integrate(program, point, times);
  }

  /// Returns the places of the particles, in standard deviations.
  std::vector<State> places() const {
    const std::size_t size = m_centre.size();
    linalg::Matrix axes(size, State(size));
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < size; ++i)
        axes[i][j] = (m_points[2 * j][i] - m_points[2 * j + 1][i]) / (2 * kStep);
    }
    std::vector<State> places;
    for (std::size_t n = 2 * size; n < m_points.size(); ++n) {
      places.push_back(at(m_points[n], m_centre, -1));
      solve(axes, places.back());
    }
    return places;
  }

 private:
  static constexpr double kStep = 1e-3;
  const OrbitCoordinates& m_coordinates;
  State m_centre;
  std::vector<State> m_points;  ///< pairs beside the centre, then the particles
};

/// Returns how far particles of 1 km and 1 m/s move from their places, at most of the six axes, as
/// a root of the mean square in standard deviations.
double find_motion(const EquationText& text, const Orbit& orbit, double hours, double step) {
  const OrbitCoordinates elements(Kind::equinoctial, find_central_field(text, "pull", "flat"));
  const State centre = orbit.state(kMu), deviations{1, 1, 1, 1e-3, 1e-3, 1e-3};
  MovingFrame frame(elements, centre, deviations);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 50; ++n) {
    State state = centre;
    for (std::size_t i = 0; i < 6; ++i) state[i] += deviations[i] * normal(random);
    frame.add(state);
  }
  std::vector<double> times;
  for (int k = 0; k * step <= 3600 * hours; ++k) times.push_back(k * step);
  const std::vector<State> before = frame.places();
  frame.move(compile(elements.equations(text)), times);
  const std::vector<State> after = frame.places();
  double largest = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    double squares = 0;
    for (std::size_t n = 0; n < after.size(); ++n)
      squares += std::pow(after[n][i] - before[n][i], 2) / static_cast<double>(after.size());
    largest = std::max(largest, std::sqrt(squares));
  }
  return largest;
}

TEST(OrbitCoordinates, DensitiesOfOrbitsNearlyRest) {
  const EquationText low = motion(3,
                                  [](EquationText& to) {
                                    gbees::add_two_body(to, "pull", kMu);
                                    gbees::add_j2(to, "flat", kMu, kJ2, kRadius);
                                    gbees::add_drag(to, "drag", {2.2e-8, 4e-3, 6778, 60, 7.292e-5});
                                  },
                                  {"pull", "flat", "drag"});
  const EquationText high = motion(
      3,
      [](EquationText& to) {
        gbees::add_two_body(to, "pull", kMu);
        gbees::add_j2(to, "flat", kMu, kJ2, kRadius);
        gbees::add_third_body(to, "moon", add_body(to, "moon", 384400, 2.66e-6), 4902.8, true);
      },
      {"pull", "flat", "moon"});
  EXPECT_LE(find_motion(low, {6778, 1e-3, 51.6, 30, 40, 20}, 24, 120), 0.12);
  EXPECT_LE(find_motion(high, {42164, 2e-4, 0.05, 30, 40, 20}, 78, 600), 0.02);
  EXPECT_LE(find_motion(low, {26560, 0.74, 63.4, 30, 40, 140}, 24, 120), 0.01);
}

TEST(OrbitCoordinates, TellsWhichStatesHaveNone) {
  const OrbitCoordinates elements(Kind::equinoctial, {1, 0, "", ""});
  const auto expect_problem = [&](const State& state, const char* what, const char* remedy) {
    const std::string problem = elements.problem(state.data());
    EXPECT_THAT(problem, HasSubstr(what));
    EXPECT_THAT(problem, HasSubstr(remedy));
  };
  const char* const cartesian = "take Cartesian coordinates";
  expect_problem({0, 0, 0, 1, 0, 0}, "the position is the origin", cartesian);
  expect_problem({1, 0, 0, 0, 1.5, 0}, "not bound", cartesian);
  expect_problem({1, 0, 0, 0, 1.4142135623730951, 0}, "not bound", cartesian);
  expect_problem({1, 1, 1, 0.2, 0.2, 0.2}, "along the line to the origin", cartesian);
  expect_problem({1, 0, 0, 0, 0, 0}, "along the line to the origin", cartesian);
  expect_problem({1, 0, 0, 0, -1, 0}, "180 degrees", "(x, -y, -z)");
  expect_problem({1, 0, 0, 0, -1, 0.01}, "half the inclination is 200", "(x, -y, -z)");
  expect_problem({1, 0, 0, 0, 0.2, 0}, "eccentricity is 0.96", cartesian);
  EXPECT_EQ(elements.problem(State{1, 0, 0, 0, 1, 0}.data()), "");
  EXPECT_EQ(elements.problem(State{1, 0, 0, 0, 0, 1.2}.data()), "");
  EXPECT_THROW(elements.coordinates(State{1, 0, 0, 0, 1.5, 0}.data()), Error);
  EXPECT_THROW(elements.state(State{1, 0, 1, 0, 0, 0}.data()), Error);
  EXPECT_THROW(elements.state(State{-1, 0, 0, 0, 0, 0}.data()), Error);
  EXPECT_NEAR(norm(elements.state(State{1, 0, 0.999, 0, 0, 0}.data()).data()), 0.001, 1e-15);
  const OrbitCoordinates polar(Kind::polar, {});
  EXPECT_THAT(polar.problem(State{0, 0, 1, 0}.data()), HasSubstr(cartesian));
  EXPECT_EQ(polar.problem(State{1, 1, 0.2, 0.2}.data()), "");  // h = 0 is an orbit like others
  EXPECT_THROW(polar.coordinates(State{0, 0, 1, 0}.data()), Error);
  EXPECT_THROW(polar.state(State{0, 0, 1, 0}.data()), Error);
  EXPECT_THROW(OrbitCoordinates(Kind::equinoctial, {}), Error);
}

/// Expects an EquationError with this place and text.
void expect_error(const EquationText& text, EquationError::Part part, std::size_t index,
                  const char* what) {
  const OrbitCoordinates elements(Kind::equinoctial, {1, 0, "", ""});
  try {
    elements.equations(text);
    FAIL() << "no error: " << what;
  } catch (const EquationError& error) {
    EXPECT_EQ(error.part(), part);
    EXPECT_EQ(error.index(), index);
    EXPECT_THAT(error.what(), HasSubstr(what));
  }
}

TEST(OrbitCoordinates, SaysWhatIsWrongWithEquations) {
  using Part = EquationError::Part;
  const EquationText text = strong(3);
  EquationText moved = text;
  moved.equations[1] = "vy + 0.1*x";
  expect_error(moved, Part::equations, 1, "'y' must be the velocity 'vy'");
  EquationText named = text;
  named.definitions.emplace_back("L", "x*vy - y*vx");
  expect_error(named, Part::definitions, named.definitions.size() - 1,
               "'L' is a variable of these coordinates (generalised mean longitude)");
  expect_error(strong(2), Part::variables, 0, "'polar' is for x, y, vx, vy");
  EquationText wrong = text;
  wrong.equations[4] = "pull_y + no_name";
  expect_error(wrong, Part::equations, 4, "unknown name 'no_name'");
  EXPECT_THROW(find_central_field(text, "moon"), Error);  // which has a mu too
  EXPECT_THROW(find_central_field(text, "pull", "pull"), Error);
}

TEST(OrbitCoordinates, NamesOfTheTextKeepTheirMeaning) {
  EquationText text = strong(3);
  text.parameters.emplace_back("orbit_mu", 7);  // a name that the new definitions would have
  text.definitions.emplace_back("energy", "(vx^2 + vy^2 + vz^2)/2 - 1/sqrt(x^2 + y^2 + z^2)");
  text.definitions.emplace_back("rest_energy", "energy + 1e-3*orbit_mu + 2.5e2*pull_x*t");
  const OrbitCoordinates elements(Kind::equinoctial, find_central_field(text, "pull", "flat"));
  const std::vector<std::string> functions{"pull_x + moon_y", "energy", "rest_energy",
                                           "atan2(y, x) + moon_at_x", "x + 3*vz*orbit_mu"};
  const auto old = compile_functions(text, functions);
  const auto changed = compile_functions(elements.equations(text), functions);
  for (const Orbit& orbit : kOrbits) {
    const State state = orbit.state(1), x = elements.coordinates(state.data());
    for (std::size_t f = 0; f < functions.size(); ++f) {
      EXPECT_NEAR(changed.evaluate(f, inputs(x, 3)), old.evaluate(f, inputs(state, 3)), 1e-12)
          << functions[f];
    }
  }
}

TEST(OrbitCoordinates, DimensionsFit) {
  EquationText text = earth();
  const Dimension length{1, 0, 0}, speed{1, -1, 0}, gravity{3, -2, 0};
  text.dimensions = {{"x", length},           {"y", length},        {"z", length},
                     {"vx", speed},           {"vy", speed},        {"vz", speed},
                     {"t", {0, 1, 0}},        {"pull_mu", gravity}, {"flat_mu", gravity},
                     {"flat_radius", length}, {"flat_j2", {}}};
  EquationText flipped = text;
  const OrbitCoordinates elements(Kind::equinoctial, find_central_field(text, "pull", "flat"));
  const EquationText changed = elements.equations(text);
  EXPECT_NO_THROW(compile(changed));
  EXPECT_EQ(changed.dimensions.at("nu"), (Dimension{0, -1, 0}));
  flipped.definitions.emplace_back("nonsense", "x + vx");
  EXPECT_THROW(elements.equations(flipped), EquationError);
  EquationText by_hand = text;  // the field is subtracted
  for (std::size_t i = 0; i < 3; ++i)
    by_hand.equations[3 + i] = "-pull_mu*" + text.variables[i] + "/(x^2 + y^2 + z^2)^1.5";
  EXPECT_NO_THROW(compile(elements.equations(by_hand)));
  EquationText plane =
      motion(2, [](EquationText& to) { gbees::add_two_body(to, "pull", kMu); }, {"pull"});
  plane.dimensions = {{"x", length}, {"y", length},    {"vx", speed},
                      {"vy", speed}, {"t", {0, 1, 0}}, {"pull_mu", gravity}};
  for (const CentralField& field : {find_central_field(plane, "pull"), CentralField{}})
    EXPECT_NO_THROW(compile(polar_equations(plane, field)));
}

/// Returns how many registers a function takes.
int count_registers(const expression::Program& program, std::size_t function) {
  int count = 0;
  for (std::uint32_t at = program.begin[function]; at < program.begin[function + 1]; ++at) {
    const int result = program.code[at].result;
    if (result != expression::Instruction::kPrevious) count = std::max(count, result + 1);
  }
  return count;
}

TEST(OrbitCoordinates, EachForceCompiles) {
  const std::vector<std::vector<std::string>> lists{{"pull"},
                                                    {"pull", "flat"},
                                                    {"pull", "moon"},
                                                    {"pull", "drag"},
                                                    {"pull", "light"},
                                                    {"pull", "flat", "drag"},
                                                    {"pull", "flat", "drag", "moon"},
                                                    {"pull", "flat", "moon", "drag", "light"}};
  for (const std::vector<std::string>& forces : lists) {
    EquationText text = earth();
    std::string name;
    for (const std::string& force : forces) name += " " + force;
    for (std::size_t i = 0; i < 3; ++i) {
      text.equations[3 + i].clear();
      for (const std::string& force : forces) {
        text.equations[3 + i] += (force == "pull" ? "" : " + ") + force + "_" + text.variables[i];
      }
    }
    const bool is_flattened = std::count(forces.begin(), forces.end(), "flat") > 0;
    const OrbitCoordinates elements(Kind::equinoctial,
                                    find_central_field(text, "pull", is_flattened ? "flat" : ""));
    const EquationProgram program = compile(elements.equations(text));
    const expression::Program& code = program.timed.program;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_LE(code.begin[i + 1] - code.begin[i], forces.size() == 1 ? 1u : 320u)
          << name << ", rate " << i;
      EXPECT_LE(count_registers(code, i), 42) << name << ", rate " << i;
    }
  }
}

}  // namespace
}  // namespace tessera::test
