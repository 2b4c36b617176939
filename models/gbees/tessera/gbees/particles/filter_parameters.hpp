// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::gbees {

/// The parameters by which an unscented Kalman filter spreads its points (UnscentedFilter).
struct UnscentedParameters {
  double alpha = 1, beta = 0, kappa = 0;
};

/// The `validate: filters:` section: which filters run beside the density.
struct FilterParameters {
  double step = 0;             ///< longest step of Runge-Kutta's method, of all
  std::vector<double> breaks;  ///< times at which the dynamics jump, ascending
  bool unscented = false;
  UnscentedParameters points;
  bool ensemble = false;  ///< Kalman filter
  std::uint64_t members = 1000;
  bool bootstrap = false;  ///< particle filter
  std::uint64_t particles = 100000;
  double resample = 0.5;  ///< share of effective particles below which they are resampled

  bool wanted() const { return unscented || ensemble || bootstrap; }
};

}  // namespace tessera::gbees
