// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/core/device/kokkos_compat.hpp"

namespace tessera::mpr {

/// The quantities that are averaged over sweeps: nothing, the angle, or the angle and its square.
enum class Moments { none, mean, variance };

/// The angles that are averaged: those of the spins, or their conditional means given the
/// neighbours (Rao-Blackwell), which have less noise.
enum class Estimator { spin, conditional_mean };

/// Algorithm 2 of the paper, which tunes the step control a and ends the burn-in: a polynomial is
/// fitted to the last energies (a Savitzky-Golay filter), and when it no longer falls in their
/// middle the chain has settled.
struct BurnIn {
  int fit = 20;              ///< energies that it is fitted to (n_fit)
  int degree = 1;            ///< of the polynomial, below `fit`; 1 and 2, 3 and 4 ... are the same
  int check_every = 5;       ///< sweeps between two fits (n_f)
  double target = 0.3;       ///< acceptance below which a is raised (A_targ)
  double growth = 3;         ///< a = 1 + sweep / growth (k_a)
  std::uint32_t most = 500;  ///< sweeps after which the burn-in ends in any case (i_max)
};

/// The state of one chain besides its spins.
struct ChainState {
  double temperature = 1;
  double energy = 0;        ///< H
  double weight = 1;        ///< sum of all pair weights: e = H / weight
  double step_control = 1;  ///< a: the widest turn is pi / a
  double growth = 3;        ///< k_a: a = 1 + sweep / k_a while it is tuned
  std::uint32_t key = 0;    ///< of the random numbers
  std::uint32_t sweep = 0;  ///< sweeps done
  std::uint32_t burn_in_sweeps = 0;
  std::int32_t tuning = 0;   ///< 1: a grows from sweep to sweep
  std::int32_t settled = 0;  ///< 1: the burn-in is over
  std::int32_t pad = 0;

  /// a for the sweep that comes s sweeps after the present one.
  KOKKOS_INLINE_FUNCTION double step_control_at(int s, bool burning_in) const {
    return burning_in && tuning
               ? 1.0 + static_cast<double>(sweep + static_cast<std::uint32_t>(s)) / growth
               : step_control;
  }
};

}  // namespace tessera::mpr
