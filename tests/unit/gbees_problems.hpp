// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "tessera/gbees/dynamics/catalogue.hpp"
#include "tessera/gbees/instances.hpp"

namespace tessera::test {

/// A Gaussian with independent variables on a grid about its mean.
template <class Dynamics>
struct GbeesProblem {
  static constexpr int D = Dynamics::dimension;
  Dynamics dynamics;
  std::array<double, D> mean, sigma, spacing;
  gbees::PropagatorOptions options;
  gbees::EquationProgram program = {};  ///< of dynamics that are equations

  gbees::Grid<D> grid() const {
    gbees::Grid<D> grid;
    for (int i = 0; i < D; ++i) {
      grid.origin[i] = mean[i];
      grid.spacing[i] = spacing[i];
    }
    return grid;
  }

  /// A propagator that holds the initial density, stored as Real.
  template <class ExecSpace, class Real = double>
  gbees::Propagator<ExecSpace, Dynamics, Real> start() const {
    auto density = make<ExecSpace, Real>(static_cast<const Dynamics*>(nullptr));
    linalg::Matrix covariance(D, std::vector<double>(D));
    for (std::size_t i = 0; i < D; ++i) covariance[i][i] = sigma[i] * sigma[i];
    density.initialize(gbees::Gaussian<D>(grid().origin, covariance));
    return density;
  }

 private:
  template <class ExecSpace, class Real, class Any>
  gbees::Propagator<ExecSpace, Dynamics, Real> make(const Any*) const {
    return {ExecSpace(), dynamics, grid(), options};
  }

  template <class ExecSpace, class Real, int N>
  gbees::Propagator<ExecSpace, Dynamics, Real> make(const gbees::Equations<N>*) const {
    const gbees::LoadedEquations<ExecSpace, N> loaded(program);
    return {ExecSpace(), loaded.dynamics, grid(), options, loaded.owner};
  }

  template <class ExecSpace, class Real, int N>
  gbees::Propagator<ExecSpace, Dynamics, Real> make(
      const gbees::WithWideKeys<gbees::Equations<N>>*) const {
    const gbees::LoadedEquations<ExecSpace, N> loaded(program);
    return {ExecSpace(), {loaded.dynamics}, grid(), options, loaded.owner};
  }
};

/// A problem with dynamics from equations.
template <int D>
GbeesProblem<gbees::Equations<D>> equations_problem(const gbees::EquationText& text) {
  GbeesProblem<gbees::Equations<D>> problem{};
  problem.program = gbees::compile(text);
  return problem;
}

/// Returns the problem with the dynamics read from text.
template <class Compiled>
GbeesProblem<gbees::Equations<Compiled::dimension>> from_equations(
    const GbeesProblem<Compiled>& compiled, const gbees::EquationText& text) {
  auto problem = equations_problem<Compiled::dimension>(text);
  problem.mean = compiled.mean;
  problem.sigma = compiled.sigma;
  problem.spacing = compiled.spacing;
  problem.options = compiled.options;
  return problem;
}

/// Returns the problem with keys of 128 bits.
template <int D>
GbeesProblem<gbees::WithWideKeys<gbees::Equations<D>>> with_wide_keys(
    const GbeesProblem<gbees::Equations<D>>& problem) {
  return {{}, problem.mean, problem.sigma, problem.spacing, problem.options, problem.program};
}

inline gbees::PropagatorOptions options_with(gbees::Scheme scheme, double threshold) {
  gbees::PropagatorOptions options;
  options.scheme = scheme;
  options.threshold = threshold;
  return options;
}

/// The paper's Lorenz '63 case (Hanson et al. 2025, section 5.1.1).
inline GbeesProblem<gbees::Lorenz63> lorenz63(gbees::Scheme scheme) {
  return {{}, {-11.5, -10, 9.5}, {1, 1, 1}, {0.5, 0.5, 0.5}, options_with(scheme, 5e-6), {}};
}

/// Lorenz '96 in six dimensions on twice the paper's spacing, with a high threshold.
inline GbeesProblem<gbees::Lorenz96<6>> lorenz96_coarse(gbees::Scheme scheme) {
  return {{},
          {4.5, 4, 4, 4, 4, 4},
          {0.2, 0.2, 0.2, 0.2, 0.2, 0.2},
          {0.2, 0.2, 0.2, 0.2, 0.2, 0.2},
          options_with(scheme, 2e-5),
          {}};
}

}  // namespace tessera::test
