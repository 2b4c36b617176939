// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/stable/fit/fit_types.hpp"

namespace tessera::stable {

/// The most columns of location and scale together.
inline constexpr int kMostRegressors = 18;

/// A regressor: its name, for messages, and a value for every row.
struct DesignColumn {
  std::string name;
  std::vector<double> values;
};

/// Columns of the location and of the logarithm of the scale, whose first one is constant 1. Rows
/// may be censored: of those marked 1 the response is at least what is given, of those marked -1 at
/// most that; `censored` is empty where no row is.
struct Design {
  std::vector<DesignColumn> location, scale;
  std::vector<int> censored;
};

/// Rows begin, ..., begin + count - 1, and the shape parameters that are given instead of fitted.
struct RegressionTask {
  std::int64_t begin = 0;
  std::int32_t count = 0;
  std::int32_t fixed = 0;  ///< bit 0: alpha, bit 1: beta
  double fixed_value[2] = {0, 0};

  bool is_fixed(int i) const { return (fixed >> i & 1) != 0; }
};

struct RegressionOptions {
  /// The tolerance for the largest component of the gradient, divided by the number of rows
  double tolerance = 1e-9;
  bool standard_errors = true;  ///< compute them, from the observed information
  /// Rows that are too few, not finite or collinear give a status instead of an Error
  bool pass_over = false;
};

/// The result of a regression. Standard errors are 0 for fixed parameters and NaN for those at the
/// end of their range.
struct RegressionResult {
  double alpha = NAN, beta = NAN;
  std::vector<double> location, scale;  ///< coefficients b and c
  std::vector<double> standard_error;   ///< of alpha, beta, b and c, in this order
  std::vector<double> covariance;       ///< of these, row by row
  double log_likelihood = NAN, gradient_norm = NAN;
  std::int32_t iterations = 0, evaluations = 0;
  FitStatus status = FitStatus::not_converged;
};

}  // namespace tessera::stable
