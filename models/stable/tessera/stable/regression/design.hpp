// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/stable/regression/regression_types.hpp"

namespace tessera::stable::detail {

/// A regression on the device: its rows in the arrays of all tasks.
struct DeviceRegressionTask {
  std::int64_t begin = 0;
  std::int32_t count = 0, fixed = 0;
  /// Rows that are not censored come first, then those that are on the right
  std::int32_t exact = 0, right = 0;
  FitStatus fault = FitStatus::converged;  ///< another one: no regression, and how it ends
  double fixed_value[2] = {0, 0};
};

/// Its result there: parameters alpha, beta, ln sigma, locations, further coefficients of the
/// scale, all of orthonormal columns; covariances with locations in units of sigma.
struct DeviceRegression {
  static constexpr int kMost = 2 + kMostRegressors;
  double parameter[kMost];
  double covariance[kMost * kMost];
  double log_likelihood, gradient_norm;
  std::int32_t iterations, evaluations;
  FitStatus status;
  bool has_covariance;
};

/// Designs made ready: the columns of every task become orthonormal (their mean squares are 1),
/// those of the scale behind the first one also have the mean 0, so that likelihoods are well
/// conditioned whatever the units.
struct PreparedDesign {
  /// `pass_over`: see RegressionOptions. Throws Error (input): see regression.hpp.
  PreparedDesign(const Design& design, const std::vector<double>& y,
                 const std::vector<RegressionTask>& given, bool pass_over = false);

  /// Converts a result to the given columns.
  RegressionResult restore(std::size_t task, const DeviceRegression& found) const;

  int locations() const { return m_location; }
  int scales() const { return m_scale - 1; }  ///< but for the constant

  /// [row][location columns, scale columns but the first], rows of one task after the other
  std::vector<double> columns;
  std::vector<double> y;
  std::vector<DeviceRegressionTask> tasks;

 private:
  int m_location, m_scale;  ///< columns; of the scale all
  /// The upper triangles R of location and scale of each task, column = orthonormal R
  std::vector<std::vector<double>> m_back;
};

}  // namespace tessera::stable::detail
