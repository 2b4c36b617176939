// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gbees {

/// Returns d(f)/d(state), a row for each number that f(state) returns, by differences of fourth
/// order. The first half of a state is a position, the second a velocity; a step is `share` of the
/// size of either. State: an array or a vector of numbers.
template <class State, class Function>
linalg::Matrix state_jacobian(const State& state, double share, const Function& f) {
  const std::size_t n = state.size();
  double size2[2] = {0, 0};
  for (std::size_t j = 0; j < n; ++j) size2[2 * j / n] += state[j] * state[j];
  linalg::Matrix jacobian;
  for (std::size_t j = 0; j < n; ++j) {
    const double step = share * std::sqrt(size2[2 * j / n]);
    const auto moved = [&](double steps) {
      State there = state;
      there[j] += steps * step;
      return f(there);
    };
    const auto far_up = moved(2), up = moved(1), down = moved(-1), far_down = moved(-2);
    jacobian.resize(up.size(), std::vector<double>(n));
    for (std::size_t i = 0; i < up.size(); ++i)
      jacobian[i][j] = (8 * (up[i] - down[i]) - (far_up[i] - far_down[i])) / (12 * step);
  }
  return jacobian;
}

}  // namespace tessera::gbees
