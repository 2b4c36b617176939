// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

/// Parameters of ARMA(1,1)-GARCH(1,1), in the order of arrays over them: see garch.hpp.
enum class GarchParameter : int { alpha, beta, c, phi, theta, omega, a, b };

inline constexpr int kGarchParameters = 8;

/// The parameters of an ARMA(1,1)-GARCH(1,1) process with stable innovations.
struct GarchParameters {
  double value[kGarchParameters] = {2, 0, 0, 0, 0, 1, 0, 0};

  KOKKOS_INLINE_FUNCTION double& operator[](GarchParameter k) { return value[static_cast<int>(k)]; }
  KOKKOS_INLINE_FUNCTION double operator[](GarchParameter k) const {
    return value[static_cast<int>(k)];
  }
};

/// The state of a process: its last value, error and scale.
struct GarchState {
  double value = NAN, error = NAN, scale = NAN;
};

/// |e| with derivatives everywhere: sqrt(e^2 + d^2), d being a thousandth of the scale before the first value; `rounding` is d^2.
KOKKOS_INLINE_FUNCTION double garch_rounding(double first_scale) {
  return 1e-6 * first_scale * first_scale;
}
KOKKOS_INLINE_FUNCTION double garch_size(double error, double rounding) {
  return ::sqrt(error * error + rounding);
}

/// Values begin, ..., begin + count - 1 of an array are a series; alpha, beta, c, phi and theta may
/// be given instead of fitted.
struct GarchTask {
  std::int64_t begin = 0;
  std::int32_t count = 0;
  std::int32_t fixed = 0;  ///< bit k: parameter k (alpha, beta, c, phi, theta) is fixed_value[k]
  double fixed_value[5] = {2, 0, 0, 0, 0};

  KOKKOS_INLINE_FUNCTION bool is_fixed(GarchParameter k) const {
    return (fixed >> static_cast<int>(k) & 1) != 0;
  }
  void fix(GarchParameter k, double value) {
    fixed |= 1 << static_cast<int>(k);
    fixed_value[static_cast<int>(k)] = value;
  }
};

struct GarchOptions {
  /// The tolerance for the largest component of the gradient, divided by the number of values
  double tolerance = 1e-8;
  bool standard_errors = true;  ///< compute them, from the outer product of the scores
};

/// The result of a fit. For the statuses too_few, not_finite and constant everything else is NaN.
struct GarchResult {
  GarchParameters parameters;
  /// 0 for a fixed parameter, NaN at the end of its range
  double standard_error[kGarchParameters];
  double covariance[kGarchParameters * kGarchParameters];
  double log_likelihood, gradient_norm;
  GarchState first, last;  ///< before the first value, and at the last one
  std::int32_t iterations, evaluations;
  FitStatus status;
};

}  // namespace tessera::stable
