// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/dynamics/make_instance.hpp"
#include "tessera/gbees/propagator/propagator.hpp"

namespace tessera::gbees::detail {

template <class ExecSpace, class Dynamics, class Real>
std::unique_ptr<Density<Dynamics::dimension, key_word_t<Dynamics>>> make_density(
    const DynamicsParameters& dynamics, const Grid<Dynamics::dimension>& grid,
    const PropagatorOptions& options) {
  const auto loaded =
      load_dynamics<ExecSpace>(dynamics, static_cast<Dynamics*>(nullptr), EquationTimes::of_steps);
  return std::make_unique<Propagator<ExecSpace, Dynamics, Real>>(ExecSpace(), loaded.dynamics, grid,
                                                                 options, loaded.owner);
}

}  // namespace tessera::gbees::detail
