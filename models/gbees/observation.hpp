// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "models/gbees/detail/step_state.hpp"

namespace tessera::gbees {

/// A measurement of one state variable with a Gaussian error.
struct Observation {
  int axis = 0;         ///< which variable, from 0
  double value = 0;     ///< what was measured
  double variance = 1;  ///< of the error; > 0
};

namespace detail {

/// Bayes' rule: multiplies each cell's mass by the likelihood exp(-(x_axis - value)^2 / (2 variance)) at its centre; sums the product.
template <class State>
struct Observe {
  State s;
  Observation observation;

  KOKKOS_INLINE_FUNCTION Now now() const { return s.now(0, s.control().cells); }

  KOKKOS_INLINE_FUNCTION void operator()(const Now& now, std::uint32_t c, ExactSum& sum) const {
    const int axis = observation.axis;
    const double x = s.velocity.grid.coordinate(axis, State::Key::index(s.key(c), axis));
    const double residual = x - observation.value;
    const double mass = now.mass[c] * now.scale * compat::math::exp(-0.5 * residual * residual / observation.variance);
    now.mass[c] = mass;
    sum.add(mass);
  }
};

}  // namespace detail
}  // namespace tessera::gbees
