// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/gbees/dynamics/dynamics.hpp"
#include "tessera/gbees/dynamics/dynamics_parameters.hpp"
#include "tessera/gbees/dynamics/propagator_options.hpp"
#include "tessera/gbees/grid/density.hpp"

/// The functions that are compiled once for each execution space, dynamics and stored type, in
/// files of their own that are generated from instantiate_propagator.cpp.in. These take long to
/// compile, so they do not depend on the other parameters of a run (parameters.hpp).

namespace tessera::gbees::detail {

template <class ExecSpace, class Dynamics, class Real>
std::unique_ptr<Density<Dynamics::dimension, key_word_t<Dynamics>>> make_density(
    const DynamicsParameters& dynamics, const Grid<Dynamics::dimension>& grid,
    const PropagatorOptions& options);

/// Dynamics as the parameters give them, and what keeps their code alive in the memory of an
/// execution space; for which times (LoadedEquations) matters to equations only.
template <class Dynamics>
struct LoadedDynamics {
  Dynamics dynamics;
  std::shared_ptr<const void> owner;
};

template <class ExecSpace>
LoadedDynamics<Lorenz63> load_dynamics(const DynamicsParameters& p, Lorenz63*, EquationTimes) {
  return {{p.sigma, p.b, p.r}, nullptr};
}

template <class ExecSpace, int N>
LoadedDynamics<Lorenz96<N>> load_dynamics(const DynamicsParameters& p, Lorenz96<N>*,
                                          EquationTimes) {
  return {{p.forcing}, nullptr};
}

template <class ExecSpace, int N>
LoadedDynamics<Equations<N>> load_dynamics(const DynamicsParameters& p, Equations<N>*,
                                           EquationTimes times) {
  const LoadedEquations<ExecSpace, N> loaded(p.program, times);
  return {loaded.dynamics, loaded.owner};
}

template <class ExecSpace, class Dynamics>
LoadedDynamics<WithWideKeys<Dynamics>> load_dynamics(const DynamicsParameters& p,
                                                     WithWideKeys<Dynamics>*, EquationTimes times) {
  const auto loaded = load_dynamics<ExecSpace>(p, static_cast<Dynamics*>(nullptr), times);
  return {{loaded.dynamics}, loaded.owner};
}

}  // namespace tessera::gbees::detail
