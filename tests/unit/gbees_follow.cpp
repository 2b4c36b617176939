// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A grid that follows the flow: its frames, what is left of the dynamics in them, and densities
// that go from frame to frame.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/dynamics/catalogue.hpp"
#include "tessera/gbees/dynamics/forces.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"
#include "tessera/gbees/follow/following_density.hpp"
#include "tessera/gbees/instances.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using namespace gbees;

constexpr double kPi = 3.14159265358979323846;

EquationText text_of(const std::vector<std::string>& variables,
                     const std::vector<std::string>& equations) {
  return {variables, {}, {}, equations, {}};
}

Frame frame_at(const std::vector<double>& centre, const std::vector<double>& deviation) {
  linalg::Matrix axes(centre.size(), std::vector<double>(centre.size(), 0.0));
  for (std::size_t i = 0; i < centre.size(); ++i) axes[i][i] = deviation[i];
  return Frame::of_axes(centre, axes);
}

/// Noise of zero, of which flows take g itself and no steady field.
FlowNoise no_noise(std::size_t size) {
  return FlowNoise(linalg::Matrix(size, std::vector<double>(size, 0.0)));
}

template <int D>
Grid<D> unit_grid(double spacing) {
  Grid<D> grid{};
  for (int i = 0; i < D; ++i) grid.spacing[i] = spacing;
  return grid;
}

// -------------------------------------------------------------------------------------------------
// frames

TEST(Flow, OfAnOscillatorTurns) {
  const Flow flow(text_of({"x", "v"}, {"v", "-x"}), frame_at({1, 0}, {0.1, 0.2}), {}, 0, 20 * kPi);
  EXPECT_TRUE(flow.is_linear());
  for (const double t : {1.0, 7.3, 20 * kPi}) {
    const Frame frame = flow.at(t);
    EXPECT_NEAR(frame.centre[0], std::cos(t), 1e-10);
    EXPECT_NEAR(frame.centre[1], -std::sin(t), 1e-10);
    EXPECT_NEAR(frame.axes[0][1], 0.2 * std::sin(t), 1e-11);
    EXPECT_NEAR(frame.axes[1][0], -0.1 * std::sin(t), 1e-11);
  }
}

/// A stiff linear system: the frame becomes flat, which costs no accuracy of the covariance.
TEST(Flow, OfAStiffSystemIsFlat) {
  const Flow flow(text_of({"x", "v"}, {"v", "-1000*v - 999*x"}), frame_at({1, 0}, {0.1, 0.1}), {},
                  0, 3);
  const Frame frame = flow.at(3);  // exp(-t) (1000 x + v, -1000 x - v)/999...: eigenvalues -1, -999
  const double decay = std::exp(-3.0) / 998;
  EXPECT_NEAR(frame.centre[0], 999 * decay, 1e-12);
  EXPECT_NEAR(frame.axes[0][0], 0.1 * 999 * decay, 1e-13);
  EXPECT_NEAR(frame.axes[0][1], 0.1 * decay, 1e-14);
  EXPECT_TRUE(frame.is_degenerate());
}

/// The noise of an Ornstein-Uhlenbeck process, as Lyapunov's equation has it.
TEST(Flow, CollectsNoise) {
  const linalg::Matrix q{{0.02, 0.01}, {0.01, 0.04}};
  const Flow flow(text_of({"x", "y"}, {"-x + 0.5*y", "-2*y"}), frame_at({1, 1}, {1, 1}),
                  FlowNoise(q), 0, 0.5);
  ASSERT_NEAR(flow.end(), 0.5, 0);
  const Frame frame = flow.at(0.5);
  const linalg::Matrix added = linalg::congruence(frame.axes, flow.noise_until(0.5));
  // dP/dt = J P + P J^T + Q from P = 0 by small steps of fourth order
  linalg::Matrix p(2, std::vector<double>(2, 0.0));
  const linalg::Matrix j{{-1, 0.5}, {0, -2}};
  const auto rate = [&](const linalg::Matrix& of) {
    linalg::Matrix r = linalg::product(j, of);
    const linalg::Matrix right = linalg::transpose(r);
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 2; ++b) r[a][b] += right[a][b] + q[a][b];
    }
    return r;
  };
  const auto moved = [](linalg::Matrix of, const linalg::Matrix& by, double h) {
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 2; ++b) of[a][b] += h * by[a][b];
    }
    return of;
  };
  constexpr int kSteps = 1000;
  const double h = 0.5 / kSteps;
  for (int s = 0; s < kSteps; ++s) {
    const linalg::Matrix k1 = rate(p), k2 = rate(moved(p, k1, h / 2)),
                         k3 = rate(moved(p, k2, h / 2)), k4 = rate(moved(p, k3, h));
    p = moved(moved(moved(moved(p, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
  }
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) EXPECT_NEAR(added[a][b], p[a][b], 1e-12);
  }
}

/// What is left of the dynamics in y is A^-1 (f(m + A y) - f(m) - J A y), with its digits at small
/// y.
TEST(Flow, LeavesWhatNoLinearMapCanDo) {
  const EquationText text = text_of({"r", "p", "u", "h"}, {"u", "h/r^2", "h^2/r^3 - 1/r^2", "0"});
  const Flow flow(text, frame_at({1, 0, 0, 1}, {1e-3, 1e-3, 1e-3, 2e-3}), no_noise(4), 0, 20);
  EXPECT_FALSE(flow.is_linear());
  const EquationProgram program = flow.compile();
  EXPECT_TRUE(program.time_varying);
  const EquationProgram plain = compile(text);
  for (const double t : {0.7, 9.1, 19.9}) {
    const Frame frame = flow.at(t);
    const std::vector<double> direction{1, -0.5, 0.3, 0.8};
    /// f at m + A y for y in that direction, in the coordinates of the frame.
    const auto along = [&](double scale) {
      std::vector<double> y = direction, rate(4, 0.0);
      for (double& entry : y) entry *= scale;
      std::vector<double> input = frame.position(y.data());
      input.push_back(t);
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t a = 0; a < 4; ++a)
          rate[a] += frame.inverse_at(a, i) * plain.program.evaluate(i, input);
      }
      return rate;
    };
    constexpr double h = 0.25, kFar = 2, kNear = 1e-6;
    const auto centre = along(0), up = along(h), down = along(-h), up2 = along(2 * h),
               down2 = along(-2 * h), far = along(kFar);
    for (std::size_t a = 0; a < 4; ++a) {
      const auto g = [&](double scale) {
        std::vector<double> input = direction;
        for (double& entry : input) entry *= scale;
        input.push_back(t);
        return program.program.evaluate(a, input);
      };
      const double linear = (8 * (up[a] - down[a]) - (up2[a] - down2[a])) / (12 * h),
                   bend = (16 * (up[a] + down[a]) - (up2[a] + down2[a]) - 30 * centre[a]) /
                          (24 * h * h);
      EXPECT_NEAR(g(kFar), far[a] - centre[a] - kFar * linear, 1e-4 * std::fabs(g(kFar)) + 1e-9);
      EXPECT_NEAR(g(kNear) / (kNear * kNear), bend, 1e-4 * std::fabs(bend) + 1e-8);
    }
  }
}

/// A low orbit about a flattened body in elements, and a frame for it.
struct LowOrbit {
  EquationText text;
  Frame frame;

  LowOrbit() {
    EquationText cartesian = text_of({"x", "y", "z", "u", "v", "w"}, {});
    add_two_body(cartesian, "earth", 398600.4418);
    add_j2(cartesian, "bulge", 398600.4418, 1.0826e-3, 6378.137);
    cartesian.equations = {"u", "v", "w"};
    for (const std::string axis : {"_x", "_y", "_z"})
      cartesian.equations.push_back("earth" + axis + " + bulge" + axis);
    const OrbitCoordinates orbit(OrbitCoordinates::Kind::equinoctial,
                                 find_central_field(cartesian, "earth", "bulge"));
    const double state[6] = {6778, 0, 0, 0, 4.7657, 6.0128};
    text = orbit.equations(cartesian);
    frame = frame_at(orbit.coordinates(state), {7e-7, 2e-4, 3e-4, 9e-5, 8e-5, 3e-4});
  }
};

/// The rests of rates in elements of an orbit are long: the flow subtracts the rates instead.
TEST(Flow, SubtractsRatesThatAreLong) {
  const auto [text, begin] = LowOrbit();
  const Flow flow(text, begin, no_noise(6), 0, 6000);
  const EquationProgram program = flow.compile(), plain = compile(text);
  EXPECT_LT(program.timed.program.code.size(), 700u);  // the rests are 1500 operations
  for (const double t : {11.0, 2345.6, 5999.0}) {
    const Frame frame = flow.at(t);
    const auto along = [&](double scale, std::size_t a) {
      std::vector<double> y{0.4, -0.5, 0.3, 0.8, -0.7, 0.6};
      for (double& entry : y) entry *= scale;
      std::vector<double> q = frame.position(y.data());
      q.push_back(t);
      double rate = 0;
      for (std::size_t i = 0; i < 6; ++i)
        rate += frame.inverse_at(a, i) * plain.program.evaluate(i, q);
      return rate;
    };
    for (std::size_t a = 0; a < 6; ++a) {
      constexpr double h = 0.25, kFar = 3;
      const double linear =
          (8 * (along(h, a) - along(-h, a)) - (along(2 * h, a) - along(-2 * h, a))) / (12 * h);
      const double rest = program.program.evaluate(
          a, {0.4 * kFar, -0.5 * kFar, 0.3 * kFar, 0.8 * kFar, -0.7 * kFar, 0.6 * kFar, t});
      EXPECT_NEAR(rest, along(kFar, a) - along(0, a) - kFar * linear, 1e-10);
    }
  }
}

/// A low orbit goes to and fro in y, but not far in six hours: a short steady field leads to the
/// same places.
TEST(Flow, OfALowOrbitIsSteady) {
  const auto [text, begin] = LowOrbit();
  const double end = 21600;
  const Flow flow(text, begin, {}, 0, end);
  ASSERT_TRUE(flow.is_steady());
  EXPECT_EQ(flow.end(), end);
  const EquationProgram field = flow.compile(), plain = compile(text);
  EXPECT_FALSE(field.time_varying);
  EXPECT_LT(field.program.code.size(), 6 * 500u);
  const auto carried = [&](const EquationProgram& program, std::vector<double> x, int steps) {
    const double h = end / steps;
    const auto rates = [&](std::vector<double> at, double by, const std::vector<double>& rate) {
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += by * rate[i];
      std::vector<double> found;
      at.push_back(0);
      for (std::size_t i = 0; i < 6; ++i) found.push_back(program.program.evaluate(i, at));
      return found;
    };
    for (int step = 0; step < steps; ++step) {
      const std::vector<double> none(6, 0.0), a = rates(x, 0, none), b = rates(x, h / 2, a),
                                              c = rates(x, h / 2, b), d = rates(x, h, c);
      for (std::size_t i = 0; i < 6; ++i) x[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    return x;
  };
  const std::vector<double> y{1.1, -0.5, 0.8, 0.9, -1.2, 1.5};
  const std::vector<double> by_field = carried(field, y, 4);
  const std::vector<double> x = carried(plain, begin.position(y.data()), 400);
  const Frame there = flow.at(end);
  double moved = 0;
  for (std::size_t a = 0; a < 6; ++a) {
    double exact = 0;
    for (std::size_t i = 0; i < 6; ++i) exact += there.inverse_at(a, i) * (x[i] - there.centre[i]);
    EXPECT_NEAR(by_field[a], exact, 0.02);
    moved = std::max(moved, std::fabs(exact - y[a]));
  }
  EXPECT_GT(moved, 1e-3);
}

/// A field of third degree is found again from where it leads.
TEST(PolynomialField, IsTheLogarithmOfItsMap) {
  const auto carried = [](std::vector<double> y) {
    constexpr int kSteps = 200;
    for (int step = 0; step < kSteps; ++step) {  // by middles
      const auto rate = [](double a, double b) {
        return std::pair{0.03 * b * b - 0.01 * a, 0.02 * a * b - 0.004 * a * a * a};
      };
      const auto [u, v] = rate(y[0], y[1]);
      const auto [p, q] = rate(y[0] + 0.5 * u / kSteps, y[1] + 0.5 * v / kSteps);
      y = {y[0] + p / kSteps, y[1] + q / kSteps};
    }
    return y;
  };
  const auto images = [&](const Places& places) {
    Places found;
    for (const std::vector<double>& place : places) found.push_back(carried(place));
    return found;
  };
  const Places tests = normal_places(2, 50, 1, 1),
               places = normal_places(2, PolynomialField::places_needed(2), 1.3, 2);
  const auto field = PolynomialField::of_map(places, images(places), tests, images(tests), 0.02);
  ASSERT_TRUE(field.has_value());
  const std::vector<double> rate = (*field)({1, -1});
  EXPECT_NEAR(rate[0], 0.03 - 0.01, 4e-3);
  EXPECT_NEAR(rate[1], -0.02 - 0.004, 4e-3);
  // a map that no polynomial of few terms leads to
  Places folded = images(tests);
  for (std::size_t p = 0; p < folded.size(); ++p) folded[p][0] += p % 2 == 0 ? 0.1 : -0.1;
  EXPECT_FALSE(PolynomialField::of_map(places, images(places), tests, folded, 0.02).has_value());
}

/// Many parts of many cells become points, which hold the mass where the parts do.
TEST(Transfer, BoundsThePartsOfCells) {
  const Grid<6> grid = unit_grid<6>(1);
  AffineMap<6> to_new;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) to_new.matrix[i][j] = i == j ? 16 : 0;
  }
  const CellParts<6> few(to_new, grid, grid, 1u << 18);
  EXPECT_EQ(few.size(), 64u);
  double sum[6] = {};
  for (std::size_t c = 0; c < 100; ++c) {
    for (std::size_t p = 0; p < few.size(); ++p) {
      const Vector<6> place = few(p, c);
      for (int i = 0; i < 6; ++i) {
        EXPECT_LE(std::fabs(place[i]), 0.5);
        sum[i] += place[i];
      }
    }
  }
  for (const double entry : sum) EXPECT_NEAR(entry / 6400, 0, 1e-3);
  EXPECT_EQ(CellParts<6>(to_new, grid, grid, 1).size(), std::size_t(1) << 24);
}

TEST(Flow, SaysWhatHasNoDerivative) {
  EXPECT_THROW(Flow(text_of({"x"}, {"-abs(x)"}), frame_at({1}, {1}), {}, 0, 1),
               expression::NotDifferentiable);
}

TEST(Flow, EndsWhereTheDynamicsLeaveTheFiniteNumbers) {
  EXPECT_THROW(Flow(text_of({"x"}, {"x^2"}), frame_at({1}, {0.1}), {}, 0, 2), Error);
}

// -------------------------------------------------------------------------------------------------
// from frame to frame

/// The cells of a density on a grid in a frame, from a function of the state.
template <class Function>
CellList cells_of(const Grid<2>& grid, const Frame& frame, double reach, double least,
                  const Function& density) {
  const AffineMap<2> map = to_state<2>(frame);
  CellList cells;
  const auto most = static_cast<std::int64_t>(reach / grid.spacing[0]);
  for (std::int64_t i = -most; i <= most; ++i) {
    for (std::int64_t j = -most; j <= most; ++j) {
      const std::uint64_t key = CellKey<2>::field(i, 0) | CellKey<2>::field(j, 1);
      const double p = density(map(grid.centre(key))) * std::exp(frame.log_volume()) *
                       grid.spacing[0] * grid.spacing[1];
      if (!(p >= least)) continue;
      cells.key.push_back(key);
      cells.probability.push_back(p);
    }
  }
  return CellList::sorted(cells.key, cells.probability);
}

double normal(double x, double mean, double deviation) {
  const double z = (x - mean) / deviation;
  return std::exp(-0.5 * z * z) / (deviation * std::sqrt(2 * kPi));
}

double unit_normal(const Vector<2>& x) { return normal(x[0], 0, 1) * normal(x[1], 0, 1); }

CellList moved(const CellList& cells, const Grid<2>& grid, const Frame& from, const Frame& to,
               const linalg::Matrix& noise = {}) {
  const LogQuadratic<2, std::uint64_t> density(cells, grid, 0, noise);
  return transfer<2, std::uint64_t>(density, between<2>(to, from), between<2>(from, to), grid,
                                    std::log(1e-15), [](const Vector<2>&) { return 0.0; });
}

TEST(Transfer, OfAGaussianIsExact) {
  const Grid<2> grid = unit_grid<2>(0.5);
  const Frame from = Frame::of_axes({1, -2}, {{2, 0.3}, {-0.4, 1}});
  const Frame to = Frame::of_axes({1.3, -2.1}, {{1.5, 1.1}, {-0.9, 1.2}});
  const auto density = [](const Vector<2>& x) {
    return normal(x[0], 1, 2.1) * normal(x[1], -2, 1.05);
  };
  CellList cells = cells_of(grid, from, 12, 1e-15, density);
  const CellList exact = cells_of(grid, to, 15, 1e-15, density);
  const CellList after = moved(cells, grid, from, to);
  const CellMoments<2> found(after, grid), expected(exact, grid);
  EXPECT_NEAR(found.mass, 1, 1e-9);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(found.mean[i], expected.mean[i], 1e-9);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(found.covariance[i][j], expected.covariance[i][j], 1e-8);
  }
}

/// Many times there and back: errors stay as small.
TEST(Transfer, ManyTimesKeepsAGaussian) {
  const Grid<2> grid = unit_grid<2>(0.5);
  const Frame upright = frame_at({0, 0}, {1, 1});
  const Frame turned = Frame::of_axes({0.1, 0.2}, {{0.9, -0.5}, {0.4, 0.95}});
  CellList cells = cells_of(grid, upright, 9, 1e-15, unit_normal);
  for (int n = 0; n < 50; ++n)
    cells = moved(moved(cells, grid, upright, turned), grid, turned, upright);
  const CellMoments<2> found(cells, grid);
  EXPECT_NEAR(found.mass, 1, 1e-9);
  EXPECT_NEAR(found.covariance[0][0], 1, 1e-9);
  EXPECT_NEAR(found.covariance[0][1], 0, 1e-9);
}

/// A curved density in a frame that is turned, narrowed along one axis: to what its third
/// derivatives make.
TEST(Transfer, OfACurvedDensity) {
  const Grid<2> grid = unit_grid<2>(0.5);
  const auto density = [](const Vector<2>& x) {
    return normal(x[0], 0, 1) * normal(x[1], 0.2 * x[0] * x[0], 1);
  };
  const Frame from = frame_at({0, 0.2}, {1, 1.04});
  const Frame to = Frame::of_axes({0.1, 0.3}, {{0.8, -0.45}, {0.5, 0.8}});
  const CellList cells = cells_of(grid, from, 14, 1e-12, density);
  const CellMoments<2> found(moved(cells, grid, from, to), grid),
      expected(cells_of(grid, to, 20, 1e-12, density), grid);
  EXPECT_NEAR(found.mass, 1, 2e-3);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(found.mean[i], expected.mean[i], 2e-3);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(found.covariance[i][j], expected.covariance[i][j], 5e-3);
  }
}

TEST(Transfer, BroadensAGaussianByNoise) {
  const Grid<2> grid = unit_grid<2>(0.5);
  const Frame frame = frame_at({0, 0}, {1, 1});
  const CellList cells = cells_of(grid, frame, 9, 1e-15, unit_normal);
  const linalg::Matrix noise{{0.3, 0.1}, {0.1, 0.05}};
  const CellMoments<2> found(moved(cells, grid, frame, frame, noise), grid);
  EXPECT_NEAR(found.mass, 1, 1e-9);
  EXPECT_NEAR(found.covariance[0][0], 1.3, 1e-9);
  EXPECT_NEAR(found.covariance[0][1], 0.1, 1e-9);
  EXPECT_NEAR(found.covariance[1][1], 1.05, 1e-9);
}

TEST(Transfer, DepositsPartsWithTheSameMass) {
  const Grid<2> fine = unit_grid<2>(0.5), coarse = unit_grid<2>(3);
  const Frame frame = frame_at({0, 0}, {1, 1});
  const CellList cells = cells_of(fine, frame, 7, 1e-9, unit_normal);
  const LogQuadratic<2, std::uint64_t> density(cells, fine, 0);
  const CellList after = deposit_parts<2, std::uint64_t>(density, between<2>(frame, frame), coarse);
  double mass = 0, before = 0;
  for (const double p : after.probability) mass += p;
  for (const double p : cells.probability) before += p;
  EXPECT_NEAR(mass, before, 1e-14);
  // P(-1.5 < x < 1.5) squared, to what counting cells by the density at their centres makes
  for (std::size_t c = 0; c < after.key.size(); ++c) {
    if (CellKey<2>::index(after.key[c], 0) != 0 || CellKey<2>::index(after.key[c], 1) != 0)
      continue;
    EXPECT_NEAR(after.probability[c], std::pow(std::erf(1.5 / std::sqrt(2)), 2), 0.01);
  }
}

// -------------------------------------------------------------------------------------------------
// measurements

FramedCells<2, std::uint64_t> unit_gaussian(double least) {
  const Frame frame = frame_at({0, 0}, {1, 1});
  return {frame, cells_of(unit_grid<2>(0.5), frame, 9, least, unit_normal)};
}

TEST(BayesUpdate, IsKalmansHoweverSharpAndFar) {
  for (const auto& [value, variance] :
       std::vector<std::pair<double, double>>{{0.2, 1}, {0.25, 1e-4}, {4, 0.01}, {-6, 1e-6}}) {
    const Observation observation(0, value, variance);
    BayesUpdate<2, std::uint64_t> update(observation, 0, unit_grid<2>(0.5), 1e-15);
    MeasurementUpdate said;
    const auto after = update(unit_gaussian(1e-15), said);
    const CellMoments<2> found(after.cells, unit_grid<2>(0.5));
    const double gain = 1 / (1 + variance);
    EXPECT_NEAR(after.frame.position(&found.mean[0])[0], gain * value, 1e-8);
    std::vector<double> rows;
    for (const auto& row : found.covariance) rows.insert(rows.end(), row.begin(), row.end());
    const std::vector<double> covariance = after.frame.covariance(rows.data());
    EXPECT_NEAR(covariance[0] / (1 - gain), 1, 1e-8);
    EXPECT_NEAR(covariance[3], 1, 1e-8);
    EXPECT_NEAR(said.log_evidence,
                -0.5 * (value * value * gain + std::log(2 * kPi * (1 + variance))), 1e-8);
    EXPECT_NEAR(said.deviation, std::fabs(value) * std::sqrt(gain), 1e-8);
  }
}

/// A range that is measured sharply leaves two lobes.
TEST(BayesUpdate, KeepsTwoLobes) {
  const EquationText text = text_of({"x", "y"}, {"0", "0"});
  const Observation observation(compile_functions(text, {"abs(x)"}), {1.0}, {{0.01}});
  BayesUpdate<2, std::uint64_t> update(observation, 0, unit_grid<2>(0.125), 1e-10);
  MeasurementUpdate said;
  FramedCells<2, std::uint64_t> prior{frame_at({0, 0}, {1, 1}), {}};
  prior.cells = cells_of(unit_grid<2>(0.125), prior.frame, 7, 1e-10, unit_normal);
  const auto after = update(prior, said);
  const CellMoments<2> found(after.cells, unit_grid<2>(0.125));
  EXPECT_NEAR(after.frame.position(&found.mean[0])[0], 0, 1e-6);
  EXPECT_NEAR(said.log_evidence, std::log(2 * normal(1, 0, std::sqrt(1.01))), 1e-4);
}

// -------------------------------------------------------------------------------------------------
// densities

template <int D>
struct Followed {
  std::unique_ptr<FollowingDensity<D>> density;

  Followed(const EquationText& text, const Frame& frame, double spacing, double threshold,
           const std::vector<double>& stops, const linalg::Matrix& noise = {}) {
    FollowOptions<D> options;
    options.grid = unit_grid<D>(spacing);
    options.threshold = threshold;
    options.stops = stops;
    options.noise = FlowNoise(noise);
    const auto make = [grid = options.grid, threshold](const EquationProgram& program,
                                                       const std::vector<double>& along) {
      PropagatorOptions of_steps;
      of_steps.threshold = threshold;
      of_steps.noise = along;
      const LoadedEquations<ExecSpace, D> loaded(program);
      return std::make_unique<Propagator<ExecSpace, Equations<D>>>(ExecSpace(), loaded.dynamics,
                                                                   grid, of_steps, loaded.owner);
    };
    density = std::make_unique<FollowingDensity<D>>(make, text, frame, options);
    linalg::Matrix unit(D, std::vector<double>(D, 0.0));
    for (std::size_t i = 0; i < D; ++i) unit[i][i] = 1;
    density->initialize(Gaussian<D>(Vector<D>{}, unit));
  }

  std::vector<double> mean() const {
    const Summary<D> summary = density->summarize();
    return density->frame().position(&summary.mean[0]);
  }
  std::vector<double> covariance() const {
    const Summary<D> summary = density->summarize();
    return density->frame().covariance(&summary.covariance[0][0]);
  }
};

/// An oscillator for ten turns at half a standard deviation: no steps, nothing changes.
TEST(FollowingDensity, LeavesLinearSystemsExact) {
  Followed<2> run(text_of({"x", "v"}, {"v", "-x"}), frame_at({1, 0}, {0.1, 0.1}), 0.5, 1e-15,
                  {20 * kPi});
  run.density->propagate(20 * kPi);
  EXPECT_EQ(run.density->state().steps, 0u);
  EXPECT_NEAR(run.mean()[0], 1, 1e-9);
  EXPECT_NEAR(run.mean()[1], 0, 1e-9);
  const std::vector<double> covariance = run.covariance();
  EXPECT_NEAR(covariance[0], 0.01, 1e-10);
  EXPECT_NEAR(covariance[1], 0, 1e-10);
  EXPECT_NEAR(covariance[3], 0.01, 1e-10);
}

/// Correlated noise, against Lyapunov's equation: the stationary covariance of x' = -x, y' = -2 y.
TEST(FollowingDensity, BroadensByCorrelatedNoise) {
  const linalg::Matrix q{{0.2, 0.1}, {0.1, 0.4}};
  Followed<2> run(text_of({"x", "y"}, {"-x", "-2*y"}), frame_at({1, 1}, {1, 1}), 0.5, 1e-15, {20.0},
                  q);
  run.density->propagate(20);
  const std::vector<double> covariance = run.covariance();
  EXPECT_NEAR(covariance[0], 0.1, 1e-9);
  EXPECT_NEAR(covariance[1], 0.1 / 3, 1e-9);
  EXPECT_NEAR(covariance[3], 0.1, 1e-9);
  EXPECT_NEAR(run.mean()[0], std::exp(-20.0), 1e-9);
}

/// A pendulum, whose frame is laid again on the way, beside one on a grid that stays and is four
/// times finer.
TEST(FollowingDensity, AgreesWithAFineGridThatStays) {
  const EquationText text = text_of({"a", "w"}, {"w", "-sin(a)"});
  Followed<2> run(text, frame_at({1, 0}, {0.1, 0.1}), 0.5, 1e-8, {6.0});
  run.density->propagate(6);
  EXPECT_LT(run.density->state().steps, 200u);

  Grid<2> grid{};
  grid.origin = {{1, 0}};
  grid.spacing = {{0.0125, 0.0125}};
  PropagatorOptions options;
  options.threshold = 1e-9;
  const LoadedEquations<ExecSpace, 2> loaded(compile(text));
  Propagator<ExecSpace, Equations<2>> stays(ExecSpace(), loaded.dynamics, grid, options,
                                            loaded.owner);
  stays.initialize(Gaussian<2>({{1, 0}}, {{0.01, 0}, {0, 0.01}}));
  stays.propagate(6);
  const Summary<2> expected = stays.summarize();
  const std::vector<double> mean = run.mean(), covariance = run.covariance();
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(mean[static_cast<std::size_t>(i)], expected.mean[i], 1e-3);
  EXPECT_NEAR(covariance[0] / expected.covariance[0][0], 1, 0.02);
  EXPECT_NEAR(covariance[3] / expected.covariance[1][1], 1, 0.02);
}

/// Mass is kept to rounding where no probability falls below the threshold, positive everywhere.
TEST(FollowingDensity, KeepsTheMass) {
  Followed<2> run(text_of({"a", "w"}, {"w", "-sin(a)"}), frame_at({1, 0}, {0.2, 0.2}), 0.5, 1e-7,
                  {10.0});
  run.density->propagate(10);
  EXPECT_GT(run.density->place().transfers, 0u);
  const Summary<2> summary = run.density->summarize();
  EXPECT_NEAR(summary.mass + summary.lost_mass, 1, 1e-12);
  for (const double p : run.density->cells(0).probability) EXPECT_GE(p, 0);
}

TEST(FollowingDensity, TakesMeasurements) {
  Followed<2> run(text_of({"x", "v"}, {"v", "0"}), frame_at({0, 1}, {1, 0.5}), 0.5, 1e-15,
                  {1.0, 2.0});
  run.density->propagate(1);
  const std::vector<MeasurementUpdate> said = run.density->observe({Observation(0, 1.5, 1e-4)});
  const double s = 1 + 0.25 + 1e-4;  // of the prediction
  EXPECT_NEAR(said[0].log_evidence, -0.5 * (0.25 / s + std::log(2 * kPi * s)), 1e-9);
  EXPECT_NEAR(run.mean()[0], 1 + 0.5 * 1.25 / s, 1e-9);
  EXPECT_NEAR(run.mean()[1], 1 + 0.5 * 0.25 / s, 1e-9);
  run.density->propagate(1);
  EXPECT_NEAR(run.mean()[0], 2 + 0.5 * 1.5 / s, 1e-8);
}

}  // namespace
}  // namespace tessera::test
