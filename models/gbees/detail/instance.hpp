// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/gbees/density.hpp"
#include "tessera/gbees/dynamics.hpp"
#include "tessera/gbees/parameters.hpp"
#include "tessera/gbees/particle_ensemble.hpp"
#include "tessera/gbees/propagator_options.hpp"

/// What is compiled once for each execution space, dynamics and stored type, and how the rest of a run, which knows the number of
/// dimensions only, gets hold of it.

namespace tessera::gbees::detail {

/// Compiled in files of their own, generated from propagator.cpp.in and monte_carlo.cpp.in.
template <class ExecSpace, class Dynamics, class Real>
std::unique_ptr<Density<Dynamics::dimension>> make_density(const DynamicsParameters& dynamics, const Grid<Dynamics::dimension>& grid,
                                                           const PropagatorOptions& options);
template <class ExecSpace, class Dynamics>
std::unique_ptr<ParticleEnsemble<Dynamics::dimension>> make_particles(const DynamicsParameters& dynamics,
                                                                      const MonteCarloParameters& parameters,
                                                                      const std::vector<double>& noise, std::uint64_t seed);

/// One combination of execution space, dynamics and stored type.
template <int D>
struct Instance {
  decltype(&make_density<Kokkos::DefaultHostExecutionSpace, Equations<D>, double>) density;
  decltype(&make_particles<Kokkos::DefaultHostExecutionSpace, Equations<D>>) particles;
  std::string precision;
};

template <class ExecSpace, class Dynamics, class Real>
Instance<Dynamics::dimension> instance() {
  return {make_density<ExecSpace, Dynamics, Real>, make_particles<ExecSpace, Dynamics>, precision_name<Real>()};
}

/// The run that an input asks for: GbeesModel or StudyModel. Compiled for 1 to 8 dimensions.
template <int D>
std::unique_ptr<Model> make_model(const Instance<D>& instance, const Parameters& parameters, const RunSettings& settings);

/// Dynamics as the parameters give them, and what keeps their code alive in the memory of an execution space.
template <class Dynamics>
struct LoadedDynamics {
  Dynamics dynamics;
  std::shared_ptr<const void> owner;
};

template <class ExecSpace>
LoadedDynamics<Lorenz63> load_dynamics(const DynamicsParameters& p, Lorenz63*) {
  return {{p.sigma, p.b, p.r}, nullptr};
}

template <class ExecSpace, int N>
LoadedDynamics<Lorenz96<N>> load_dynamics(const DynamicsParameters& p, Lorenz96<N>*) {
  return {{p.forcing}, nullptr};
}

template <class ExecSpace, int N>
LoadedDynamics<Equations<N>> load_dynamics(const DynamicsParameters& p, Equations<N>*) {
  const LoadedEquations<ExecSpace, N> loaded(p.program);
  return {loaded.dynamics, loaded.owner};
}

}  // namespace tessera::gbees::detail
