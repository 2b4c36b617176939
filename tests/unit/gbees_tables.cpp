// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tables in time and forces.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/gbees/dynamics/forces.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using expression::Interpolation;
using gbees::EquationProgram;
using gbees::Equations;
using gbees::EquationText;
using gbees::Scheme;
using gbees::Vector;

/// Adds a table of a function at `count` times from 0 to `end`.
void add_table(EquationText& text, const std::string& name, const std::function<double(double)>& f,
               double end, std::size_t count, Interpolation how = Interpolation::chebyshev) {
  const auto set = text.tables ? std::make_shared<expression::TableSet>(*text.tables)
                               : std::make_shared<expression::TableSet>();
  std::vector<double> times, values;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(end * static_cast<double>(i) / static_cast<double>(count - 1));
    values.push_back(f(times.back()));
  }
  text.table_names.emplace_back(name, set->add(times, values, how));
  text.tables = set;
}

/// Component i of the dynamics at a point, on the host.
template <int D>
double rate(const EquationProgram& program, int i, const Vector<D>& x, double t = 0) {
  return program.dynamics<D>(program.program.code.data())(i, x, t);
}

template <int D>
double difference(const gbees::CellList& a, const gbees::CellList& b) {
  double sum = 0;
  if (a.key.size() != b.key.size()) return 2;
  for (std::size_t c = 0; c < a.key.size(); ++c)
    sum += a.key[c] == b.key[c] ? std::fabs(a.probability[c] - b.probability[c]) : 2;
  return sum;
}

TEST(Tables, OfADriveGiveTheDensityOfItsFormula) {
  for (const Scheme scheme : {Scheme::reference, Scheme::conservative}) {
    auto formula = equations_problem<2>(gbees::duffing_equations(0.35, 0.3, 1));
    formula.mean = {0, 1};
    formula.sigma = {0.1, 0.1};
    formula.spacing = {0.05, 0.05};
    formula.options = options_with(scheme, 1e-7);
    EquationText text = gbees::duffing_equations(0.35, 0.3, 1);
    add_table(
        text, "drive", [](double t) { return std::cos(t); }, 2, 81);
    text.equations[1] = "x - x^3 - damping*y + amplitude*drive";
    auto table = equations_problem<2>(text);
    table.mean = formula.mean;
    table.sigma = formula.sigma;
    table.spacing = formula.spacing;
    table.options = formula.options;
    auto a = formula.start<ExecSpace>();
    auto b = table.start<ExecSpace>();
    for (int i = 0; i < 3; ++i) {
      a.propagate(0.5);
      b.propagate(0.5);
      EXPECT_EQ(a.state().steps, b.state().steps);
      EXPECT_EQ(a.state().cell_steps, b.state().cell_steps);
      EXPECT_LT(difference<2>(a.cells(0), b.cells(0)), 1e-11);
    }
  }
}

/// x' = -k(t) x + b(t), with both from tables: a Gaussian stays one.
TEST(Tables, OfATimeDependentLinearSystem) {
  EquationText text{{"x"}, {}, {}, {"-k*x + b"}, {}};
  add_table(
      text, "k", [](double t) { return std::cos(t); }, 1.5, 31, Interpolation::hermite);
  add_table(
      text, "b", [](double t) { return std::exp(-std::sin(t)); }, 1.5, 31);
  // Velocities are those of the middle of a step: the mean has an error of second order. The
  // deviation has what the cells add.
  for (const auto& [spacing, cfl, of_mean, of_deviation] :
       {std::tuple{0.04, 1.0, 0.0012, 0.012}, std::tuple{0.02, 1.0, 0.0003, 0.0061},
        std::tuple{0.02, 0.1, 0.00004, 0.0016}}) {
    auto problem = equations_problem<1>(text);
    problem.mean = {1};
    problem.sigma = {0.5};
    problem.spacing = {spacing};
    problem.options = options_with(Scheme::conservative, 1e-12);
    problem.options.cfl = cfl;
    auto density = problem.start<ExecSpace>();
    density.propagate(1.5);
    const auto summary = density.summarize();
    // exp(-K), K the integral of k; x exp(K) has the rate 1
    const double decay = std::exp(-std::sin(1.5));
    EXPECT_NEAR(summary.mean[0], (1 + 1.5) * decay, of_mean);
    EXPECT_NEAR(std::sqrt(summary.covariance[0][0]) / (0.5 * decay), 1, of_deviation);
  }
}

constexpr double kMu = 0.0121505844691978;

/// The planar three-body problem in its rotating frame, where the primaries are taken from tables
/// of their circular orbits in a frame that does not turn.
EquationText three_body_of_tables() {
  EquationText text{{"x", "y", "vx", "vy"}, {{"mu", kMu}}, {}, {}, {}};
  add_table(
      text, "xm", [](double t) { return (1 - kMu) * std::cos(t); }, 1, 41);
  add_table(
      text, "ym", [](double t) { return (1 - kMu) * std::sin(t); }, 1, 41);
  add_table(
      text, "xe", [](double t) { return -kMu * std::cos(t); }, 1, 41);
  add_table(
      text, "ye", [](double t) { return -kMu * std::sin(t); }, 1, 41);
  text.definitions = {{"mx", "xm*cos(t) + ym*sin(t)"},
                      {"my", "ym*cos(t) - xm*sin(t)"},
                      {"ex", "xe*cos(t) + ye*sin(t)"},
                      {"ey", "ye*cos(t) - xe*sin(t)"},
                      {"pull1", "(1 - mu)/hypot(x - ex, y - ey)^3"},
                      {"pull2", "mu/hypot(x - mx, y - my)^3"}};
  text.equations = {"vx", "vy", "2*vy + x - pull1*(x - ex) - pull2*(x - mx)",
                    "-2*vx + y - pull1*(y - ey) - pull2*(y - my)"};
  return text;
}

TEST(Tables, OfCircularOrbitsGiveTheThreeBodyProblem) {
  EquationText named = gbees::three_body_equations(true, kMu);
  named.invariant.clear();
  const EquationProgram catalogue = gbees::compile(named),
                        tables = gbees::compile(three_body_of_tables());
  EXPECT_TRUE(tables.time_varying);
  for (const double t : {0.0, 0.31, 0.77, 1.0}) {
    for (int n = 0; n < 20; ++n) {
      const Vector<4> x{{0.9 + 0.02 * n, 0.3 - 0.03 * n, 0.1 * n, 1 - 0.1 * n}};
      for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(rate(tables, i, x, t), rate(catalogue, i, x),
                    1e-12 * (10 + std::fabs(rate(catalogue, i, x))));
    }
  }
  auto a = equations_problem<4>(named), b = equations_problem<4>(three_body_of_tables());
  for (auto* problem : {&a, &b}) {
    problem->mean = {0.96285, -0.008, 1.6, 0};
    problem->sigma = {0.004, 0.004, 0.12, 0.12};
    problem->spacing = {0.003, 0.003, 0.09, 0.09};
    problem->options = options_with(Scheme::conservative, 1e-5);
  }
  auto density_a = a.start<ExecSpace>();
  auto density_b = b.start<ExecSpace>();
  density_a.propagate(0.01);
  density_b.propagate(0.01);
  EXPECT_EQ(density_a.state().steps, density_b.state().steps);
  EXPECT_EQ(density_a.state().cell_steps, density_b.state().cell_steps);
  EXPECT_LT(difference<4>(density_a.cells(0), density_b.cells(0)), 1e-11);
}

/// In the frame that does not turn, forces of two bodies give the accelerations of the catalogue,
/// turned back.
TEST(Forces, OfTwoBodiesOnCirclesGiveTheThreeBodyProblem) {
  EquationText text{{"x", "y", "z", "vx", "vy", "vz"},
                    {},
                    {},
                    {"vx", "vy", "vz", "moon_x + earth_x", "moon_y + earth_y", "moon_z + earth_z"},
                    {}};
  add_table(
      text, "xm", [](double t) { return (1 - kMu) * std::cos(t); }, 1, 41);
  add_table(
      text, "ym", [](double t) { return (1 - kMu) * std::sin(t); }, 1, 41);
  add_table(
      text, "xe", [](double t) { return -kMu * std::cos(t); }, 1, 41);
  add_table(
      text, "ye", [](double t) { return -kMu * std::sin(t); }, 1, 41);
  add_table(
      text, "zero", [](double) { return 0; }, 1, 41);
  gbees::add_third_body(text, "moon", {"xm", "ym", "zero"}, kMu, false);
  gbees::add_third_body(text, "earth", {"xe", "ye", "zero"}, 1 - kMu, false);
  const EquationProgram forces = gbees::compile(text),
                        catalogue = gbees::compile(gbees::three_body_equations(false, kMu));
  for (const double t : {0.0, 0.4, 0.9}) {
    const double c = std::cos(t), s = std::sin(t);
    // The state in the frame that does not turn has the velocity v + e_3 x r.
    const Vector<6> turning{{0.8, 0.3, -0.2, 0.3, -0.1, 0.4}};
    const double u = turning[3] - turning[1], v = turning[4] + turning[0];
    const Vector<6> fixed{{c * turning[0] - s * turning[1], s * turning[0] + c * turning[1],
                           turning[2], c * u - s * v, s * u + c * v, turning[5]}};
    const double ax = rate(forces, 3, fixed, t), ay = rate(forces, 4, fixed, t);
    // a in the turning frame = R^T a - 2 e_3 x v + r
    EXPECT_NEAR(c * ax + s * ay + 2 * turning[4] + turning[0], rate(catalogue, 3, turning), 1e-12);
    EXPECT_NEAR(c * ay - s * ax - 2 * turning[3] + turning[1], rate(catalogue, 4, turning), 1e-12);
    EXPECT_NEAR(rate(forces, 5, fixed, t), rate(catalogue, 5, turning), 1e-12);
  }
}

struct Orbit {
  double node, perigee, energy;
};

Orbit orbit_of(const Vector<6>& x) {
  const double h[3] = {x[1] * x[5] - x[2] * x[4], x[2] * x[3] - x[0] * x[5],
                       x[0] * x[4] - x[1] * x[3]};
  const double r = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]),
               v2 = x[3] * x[3] + x[4] * x[4] + x[5] * x[5];
  const double radial = x[0] * x[3] + x[1] * x[4] + x[2] * x[5];
  double e[3];
  for (int i = 0; i < 3; ++i) e[i] = (v2 - 1 / r) * x[i] - radial * x[3 + i];
  const double node = std::atan2(h[0], -h[1]), across = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
  const double along = e[0] * std::cos(node) + e[1] * std::sin(node);
  const double n[3] = {std::cos(node), std::sin(node), 0};
  const double side = (h[0] * (n[1] * e[2] - n[2] * e[1]) + h[1] * (n[2] * e[0] - n[0] * e[2]) +
                       h[2] * (n[0] * e[1] - n[1] * e[0]));
  return {node, std::atan2(side / std::sqrt(across), along), 0.5 * v2 - 1 / r};
}

/// The node and the perigee of an orbit about a flattened body move at the rates of Vallado,
/// section 9.6 (first order in J2).
TEST(Forces, OfAFlattenedBodyHaveItsSecularRates) {
  constexpr double j2 = 1e-4, a = 1.5, e = 0.1, inclination = 0.9;
  EquationText text{
      {"x", "y", "z", "vx", "vy", "vz"},
      {},
      {},
      {"vx", "vy", "vz", "two_body_x + j2_x", "two_body_y + j2_y", "two_body_z + j2_z"},
      {}};
  gbees::add_two_body(text, "two_body", 1);
  gbees::add_j2(text, "j2", 1, j2, 1);
  const EquationProgram program = gbees::compile(text);
  const auto dynamics = program.dynamics<6>(program.program.code.data());
  const double near = a * (1 - e), speed = std::sqrt((1 + e) / near);
  Vector<6> x{{near, 0, 0, 0, speed * std::cos(inclination), speed * std::sin(inclination)}};
  const Orbit start = orbit_of(x);
  const double n = std::sqrt(1 / (a * a * a)), turns = 20, end = turns * 2 * M_PI / n;
  const int steps = 40000;
  const double dt = end / steps;
  for (int k = 0; k < steps; ++k) {  // Runge and Kutta's fourth order
    Vector<6> sum = x, at = x, slope{};
    for (int stage = 0; stage < 4; ++stage) {
      const double reach = stage == 0   ? 0
                           : stage == 3 ? 1
                                        : 0.5,
                   weight = stage == 0 || stage == 3 ? 1.0 / 6 : 1.0 / 3;
      for (int i = 0; i < 6; ++i) at[i] = x[i] + reach * dt * slope[i];
      for (int i = 0; i < 6; ++i) slope[i] = dynamics(i, at, 0);
      for (int i = 0; i < 6; ++i) sum[i] += weight * dt * slope[i];
    }
    x = sum;
  }
  const Orbit stop = orbit_of(x);
  const double p = a * (1 - e * e), c = std::cos(inclination);
  const double node = -1.5 * n * j2 / (p * p) * c,
               perigee = 0.75 * n * j2 / (p * p) * (5 * c * c - 1);
  EXPECT_NEAR((stop.node - start.node) / end / node, 1, 0.01);
  EXPECT_NEAR((stop.perigee - start.perigee) / end / perigee, 1, 0.02);
}

TEST(Forces, AreTheirFormulas) {
  EquationText text{{"x", "y", "z", "u", "v", "w"},
                    {},
                    {},
                    {"moon_x", "moon_y", "drag_x", "drag_y", "sun_x", "sun_z"},
                    {}};
  for (const auto& [name, value] :
       {std::pair{"xb", 3.0}, std::pair{"yb", -2.0}, std::pair{"zb", 0.5}}) {
    add_table(
        text, name, [value = value](double) { return value; }, 1, 3);
  }
  const std::vector<std::string> body{"xb", "yb", "zb"};
  gbees::add_third_body(text, "moon", body, 0.7, true);
  gbees::add_drag(text, "drag", {0.3, 2.0, 1.1, 0.25, 0.4});
  gbees::add_radiation_pressure(text, "sun", body, {5.0, 2.0, 0.1, 0.6});
  const EquationProgram program = gbees::compile(text);
  const Vector<6> x{{1.0, 0.5, 0.2, 0.1, -0.3, 0.7}};
  const double d = std::sqrt(2 * 2 + 2.5 * 2.5 + 0.3 * 0.3), b = std::sqrt(9 + 4 + 0.25),
               r = std::sqrt(1 + 0.25 + 0.04);
  EXPECT_NEAR(rate(program, 0, x), 0.7 * (2 / (d * d * d) - 3 / (b * b * b)), 1e-14);
  EXPECT_NEAR(rate(program, 1, x), 0.7 * (-2.5 / (d * d * d) + 2 / (b * b * b)), 1e-14);
  const double wx = 0.1 + 0.4 * 0.5, wy = -0.3 - 0.4 * 1.0,
               wind = std::sqrt(wx * wx + wy * wy + 0.49);
  const double air = 0.5 * 0.3 * 2 * std::exp((1.1 - r) / 0.25);
  EXPECT_NEAR(rate(program, 2, x), -air * wind * wx, 1e-14);
  EXPECT_NEAR(rate(program, 3, x), -air * wind * wy, 1e-14);
  EXPECT_NEAR(rate(program, 4, x), 5 * 4 * 0.1 * -2 / (d * d * d), 1e-14);
  EXPECT_NEAR(rate(program, 5, x), 5 * 4 * 0.1 * -0.3 / (d * d * d), 1e-14);
  const Vector<6> behind{{-3.0, 2.2, -0.4, 0, 0, 0}}, beside{{-3.0, 4.0, -0.4, 0, 0, 0}};
  EXPECT_EQ(rate(program, 4, behind), 0);
  EXPECT_NE(rate(program, 4, beside), 0);
}

}  // namespace
}  // namespace tessera::test
