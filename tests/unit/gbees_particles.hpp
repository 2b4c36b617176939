// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/gbees/particles/ensemble.hpp"
#include "tessera/gbees/particles/make_particles.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/unit/gbees_problems.hpp"

/// Particles of a linear system, and such as tell which they are.

namespace tessera::test {

inline const gbees::Vector<2> kMean{{1, 0.5}};
inline const linalg::Matrix kCovariance{{0.04, 0.01}, {0.01, 0.09}};

/// A damped oscillator: a Gaussian remains one.
inline gbees::EquationText oscillator() {
  gbees::EquationText text;
  text.variables = {"x", "v"};
  text.equations = {"v", "-x - 0.4*v"};
  return text;
}

/// Returns particles of the oscillator, drawn from the Gaussian of kMean and kCovariance.
inline std::unique_ptr<gbees::ParticleEnsemble<2>> particles(
    std::uint64_t number, const linalg::Matrix& noise, std::uint64_t seed,
    const parallel::Communicator& ranks = {}) {
  gbees::DynamicsParameters dynamics;
  dynamics.dimension = 2;
  dynamics.text = oscillator();
  dynamics.variables = dynamics.text.variables;
  dynamics.program = gbees::compile(dynamics.text);
  gbees::MonteCarloParameters parameters;
  parameters.samples = number;
  parameters.step = 0.01;
  auto ensemble = gbees::detail::make_particles<ExecSpace, gbees::Equations<2>>(
      dynamics, parameters, noise, seed, ranks);
  gbees::ParticleStart<2> start;
  start.mean = kMean;
  const linalg::Matrix root = linalg::cholesky_factor(kCovariance);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j <= i; ++j)
      start.root[i][j] = root[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    start.axes[i][i] = 1;
  }
  ensemble->draw(start);
  return ensemble;
}

/// An ensemble of all ranks of which particle n is at (n, -n).
inline gbees::detail::Ensemble<ExecSpace, 2> numbered(const std::vector<double>& weights,
                                                      const parallel::Communicator& ranks = {}) {
  using Ensemble = gbees::detail::Ensemble<ExecSpace, 2>;
  const ExecSpace exec;
  const gbees::detail::ParticleDivision division{ranks, weights.size()};
  const parallel::Range own = division.own();
  const auto first = static_cast<std::size_t>(own.begin),
             count = static_cast<std::size_t>(own.size());
  Ensemble ensemble{exec, allocate<Ensemble::Points>(exec, "tessera::test::points", count),
                    allocate<Ensemble::Numbers>(exec, "tessera::test::log_weight", count),
                    division};
  std::vector<double> points(2 * count), log_weight(count);
  for (std::size_t n = 0; n < count; ++n) {
    points[n] = static_cast<double>(first + n);
    points[count + n] = -static_cast<double>(first + n);
    log_weight[n] = std::log(weights[first + n]);
  }
  copy_from_host(exec, ensemble.points.data(), points.data(), points.size());
  copy_from_host(exec, ensemble.log_weight.data(), log_weight.data(), count);
  exec.fence();
  return ensemble;
}

/// Returns the first coordinates of this rank's particles.
inline std::vector<double> first_coordinates(
    const gbees::detail::Ensemble<ExecSpace, 2>& ensemble) {
  std::vector<double> points(2 * ensemble.points.extent(0));
  copy_to_host(ensemble.exec, points.data(), ensemble.points.data(), points.size());
  for (std::size_t n = 0; n < points.size() / 2; ++n)
    EXPECT_EQ(points[n], -points[points.size() / 2 + n]);
  points.resize(points.size() / 2);
  return points;
}

}  // namespace tessera::test
