// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/app/run_app.hpp"
#include "tessera/gbees/detail/device_code.hpp"
#include "tessera/gbees/dynamics.hpp"
#include "tessera/gbees/parameters.hpp"

namespace tessera::gbees::detail {

/// Builds the model of one kind of dynamics on one execution space, stored as Real. Each combination is compiled in a file of its own,
/// generated from instantiate.cpp.in.
template <class ExecSpace, class Dynamics, class Real>
std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings);

inline Lorenz63 dynamics_of(const DynamicsParameters& p, const expression::Instruction*, Lorenz63*) { return {p.sigma, p.b, p.r}; }

template <int N>
Lorenz96<N> dynamics_of(const DynamicsParameters& p, const expression::Instruction*, Lorenz96<N>*) {
  return {p.forcing};
}

template <int N>
Equations<N> dynamics_of(const DynamicsParameters& p, const expression::Instruction* code, Equations<N>*) {
  return p.program.template dynamics<N>(code);
}

}  // namespace tessera::gbees::detail
