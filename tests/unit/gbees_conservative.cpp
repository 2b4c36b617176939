// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// A step of the conservative scheme against its formulas (METHOD.md), cell by cell on a map.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_problems.hpp"

namespace tessera::test {
namespace {

using gbees::Scheme;

/// One step in its plain form: fluxes through all faces, those at missing neighbours too, then the
/// limit, then the balance.
template <int D>
struct PlainStep {
  struct Cell {
    double p = 0;                        ///< mass at the start of the step
    std::array<double, D> below, above;  ///< velocities through its faces
    std::array<double, D> g{};           ///< G through its upper faces
    /// The mass that flows down through lower faces without a neighbour
    std::array<double, D> beyond{};
    double half_step = 0, share = 1;
  };
  std::map<std::uint64_t, Cell> cells;
  std::array<double, D> spacing, diffusion;
  double dt = 0;
  double lost = 0;  ///< by the step
  /// Cells that are limited, and those of them that lose mass against the velocity
  int limited = 0, backflow = 0;

  /// The masses at the end of the step.
  std::map<std::uint64_t, double> make() {
    for (auto& [k, cell] : cells) {
      cell.half_step = cell.p;
      for (int i = 0; i < D; ++i) cell.half_step -= along(k, cell, i);
    }
    for (auto& [k, cell] : cells) {
      for (int j = 0; j < D; ++j) find_fluxes(k, cell, j);
    }
    for (auto& [k, cell] : cells) limit(k, cell);
    std::map<std::uint64_t, double> next;
    for (const auto& [k, cell] : cells) {
      double p = cell.p;
      for (int j = 0; j < D; ++j) {
        const double courant = dt / spacing[j], up = limited_flux(&cell, find(k, j, 1), j);
        const Cell* const below = find(k, j, -1);
        p -= courant * (up - (below != nullptr ? limited_flux(below, &cell, j)
                                               : -cell.share * cell.beyond[j]));
        lost += courant * cell.share * cell.beyond[j];
        if (find(k, j, 1) == nullptr) lost += courant * std::max(up, 0.0);
      }
      next[k] = std::max(p, 0.0);
    }
    return next;
  }

  /// Mass in a cell and its neighbours along axis i.
  double around(std::uint64_t k, int i) const {
    const Cell *const below = find(k, i, -1), *const above = find(k, i, 1);
    return cells.at(k).p + (below != nullptr ? below->p : 0) + (above != nullptr ? above->p : 0);
  }

 private:
  const Cell* find(std::uint64_t k, int i, int by) const {
    const auto found =
        cells.find(by > 0 ? k + gbees::CellKey<D>::unit(i) : k - gbees::CellKey<D>::unit(i));
    return found == cells.end() ? nullptr : &found->second;
  }

  /// A_i.
  double along(std::uint64_t k, const Cell& cell, int i) const {
    const Cell *const below = find(k, i, -1), *const above = find(k, i, 1);
    double sum = 0;
    if (below != nullptr) sum += std::max(cell.below[i], 0.0) * (cell.p - below->p);
    if (above != nullptr) sum += std::min(cell.above[i], 0.0) * (above->p - cell.p);
    return dt / (2 * spacing[i]) * sum;
  }

  void find_fluxes(std::uint64_t k, Cell& cell, int j) const {
    const Cell* const above = find(k, j, 1);
    const double v = cell.above[j], noise = diffusion[j];
    if (find(k, j, -1) == nullptr) {
      cell.beyond[j] =
          std::max(-std::min(cell.below[j], 0.0) * (cell.half_step + along(k, cell, j)), 0.0) +
          noise * cell.p;
    }
    if (above == nullptr) {
      cell.g[j] =
          std::max(std::max(v, 0.0) * (cell.half_step + along(k, cell, j)), 0.0) + noise * cell.p;
      return;
    }
    const std::uint64_t next = k + gbees::CellKey<D>::unit(j);
    const double donor =
        v > 0 ? cell.half_step + along(k, cell, j) : above->half_step + along(next, *above, j);
    const Cell* const far = v > 0 ? find(k, j, -1) : find(next, j, 1);
    const double behind = far != nullptr ? far->p : 0, jump = above->p - cell.p;
    const double upwind = v > 0 ? cell.p - behind : behind - above->p;
    const double theta = jump != 0 ? upwind / jump : 0;
    const double limiter = std::max(0.0, std::min({(1 + theta) / 2, 2.0, 2 * theta}));
    const double correction =
        0.5 * std::fabs(v) * (1 - std::fabs(v) * dt / spacing[j]) * limiter * jump;
    cell.g[j] = v * donor + correction - noise * jump;
  }

  void limit(std::uint64_t k, Cell& cell) {
    double outflow = 0;
    bool against = false;
    for (int j = 0; j < D; ++j) {
      const Cell* const below = find(k, j, -1);
      const double down = below != nullptr ? std::max(-below->g[j], 0.0) : cell.beyond[j];
      outflow += dt / spacing[j] * (std::max(cell.g[j], 0.0) + down);
      against = against || (cell.g[j] > 0 && !(cell.above[j] > 0)) ||
                (below != nullptr && below->g[j] < 0 && cell.below[j] > 0);
    }
    if (outflow <= cell.p) return;
    cell.share = cell.p / outflow;
    limited += cell.p > 0 ? 1 : 0;
    backflow += cell.p > 0 && against ? 1 : 0;
  }

  /// Returns the flux through the face between two cells, scaled by the share of the cell that it
  /// comes from.
  static double limited_flux(const Cell* below, const Cell* above, int j) {
    const double g = below->g[j];
    return g > 0 ? g * below->share : above != nullptr ? g * above->share : g;
  }
};

/// Brings a density to time `start`, makes one step, and compares it with the plain one.
/// `velocity(i, x)` are the dynamics. All masses are compared to `tolerance`, relative to those of
/// the cell and its neighbours.
template <class Real, class Dynamics, class Velocity>
void expect_plain_step(const GbeesProblem<Dynamics>& problem, double start, double tolerance,
                       const Velocity& velocity) {
  constexpr int D = Dynamics::dimension;
  auto density = problem.template start<ExecSpace, Real>();
  density.propagate(start);
  const auto before = density.cells(0);
  const auto first = density.state();
  // the last step was cut short
  density.propagate(0.8 * density.take_history().at(first.steps / 2).dt);
  ASSERT_EQ(density.state().steps, first.steps + 1);
  ASSERT_NE(density.state().steps % problem.options.prune_every, 0u);
  const auto after = density.cells(0);

  PlainStep<D> plain;
  plain.spacing = problem.spacing;
  plain.dt = density.state().time - first.time;
  for (int i = 0; i < D; ++i)
    plain.diffusion[i] =
        problem.options.noise.empty() ? 0 : problem.options.noise[i] / (2 * problem.spacing[i]);
  for (const std::uint64_t key : after.key) {
    auto& cell = plain.cells[key];
    for (int i = 0; i < D; ++i) {
      const auto location = density.grid().cell(key);
      auto x = location.x;
      x[i] = density.grid().face_coordinate(i, location.k[i]);
      cell.above[i] = velocity(i, x);
      x[i] = density.grid().face_coordinate(i, location.k[i] - 1);
      cell.below[i] = velocity(i, x);
    }
  }
  for (std::size_t n = 0; n < before.key.size(); ++n) {
    ASSERT_EQ(plain.cells.count(before.key[n]), 1u);
    plain.cells[before.key[n]].p = before.probability[n];
  }
  const auto next = plain.make();
  EXPECT_GT(plain.cells.size(), 300u) << "several blocks of cells";
  EXPECT_GT(plain.limited, 20);
  EXPECT_GT(plain.backflow, 0);
  for (std::size_t n = 0; n < after.key.size(); ++n) {
    double scale = 0;
    for (int i = 0; i < D; ++i) scale += plain.around(after.key[n], i);
    ASSERT_NEAR(after.probability[n], next.at(after.key[n]), tolerance * scale) << "cell " << n;
  }
  EXPECT_NEAR(density.state().lost_mass - first.lost_mass, plain.lost,
              1e3 * tolerance * plain.lost);
}

template <class Dynamics>
auto on_host(const GbeesProblem<Dynamics>& problem) {
  return [problem](int i, const auto& x) {
    if constexpr (requires { problem.dynamics(i, x); }) {
      return problem.dynamics(i, x);
    } else {
      return problem.program.template dynamics<Dynamics::dimension>(
          problem.program.program.code.data())(i, x, 0);
    }
  };
}

template <class Problem>
void expect_plain_steps(Problem problem, double start, const std::vector<double>& noise) {
  expect_plain_step<double>(problem, start, 1e-13, on_host(problem));
  expect_plain_step<float>(problem, start, 2e-6, on_host(problem));
  problem.options.noise = noise;
  expect_plain_step<double>(problem, start, 1e-13, on_host(problem));
}

TEST(ConservativeScheme, OfCompiledDynamicsIsItsFormulas) {
  expect_plain_steps(lorenz63(Scheme::conservative), 0.1, {0.5, 0.5, 0.2});
}

TEST(ConservativeScheme, OfEquationsIsItsFormulas) {
  expect_plain_steps(
      from_equations(lorenz63(Scheme::conservative), gbees::lorenz63_equations(4, 1, 48)), 0.1,
      {0.5, 0.5, 0.2});
}

TEST(ConservativeScheme, OfSixDimensionsIsItsFormulas) {
  const auto problem = lorenz96_coarse(Scheme::conservative);
  expect_plain_step<double>(problem, 0.1, 1e-13, on_host(problem));
}

}  // namespace
}  // namespace tessera::test
