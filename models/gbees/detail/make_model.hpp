// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "core/app/run_app.hpp"
#include "models/gbees/dynamics.hpp"
#include "models/gbees/parameters.hpp"

namespace tessera::gbees::detail {

/// Builds the model of one kind of dynamics on one execution space. Each pair is compiled in a file of its own, generated from
/// instantiate.cpp.in.
template <class ExecSpace, class Dynamics>
std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings);

inline void set(Lorenz63& dynamics, const DynamicsParameters& p) { dynamics = {p.sigma, p.b, p.r}; }

template <int N>
void set(Lorenz96<N>& dynamics, const DynamicsParameters& p) {
  dynamics.forcing = p.forcing;
}

template <int N>
void set(Linear<N>& dynamics, const DynamicsParameters& p) {
  for (int i = 0; i < N; ++i) {
    dynamics.offset[i] = p.offset[i];
    for (int j = 0; j < N; ++j) dynamics.matrix[i][j] = p.matrix[i][j];
  }
}

}  // namespace tessera::gbees::detail
