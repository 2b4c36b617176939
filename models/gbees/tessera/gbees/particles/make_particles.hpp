// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/dynamics/dynamics_parameters.hpp"
#include "tessera/gbees/particles/monte_carlo_comparison.hpp"
#include "tessera/gbees/particles/particle_ensemble.hpp"

/// The function that is compiled once for each execution space and dynamics, in files of its own
/// that are generated from instantiate_monte_carlo.cpp.in.

namespace tessera::gbees::detail {

template <class ExecSpace, class Dynamics>
std::unique_ptr<ParticleEnsemble<Dynamics::dimension>> make_particles(
    const DynamicsParameters& dynamics, const MonteCarloParameters& parameters,
    const linalg::Matrix& noise, std::uint64_t seed, const parallel::Communicator& ranks = {});

}  // namespace tessera::gbees::detail
