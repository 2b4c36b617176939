// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"

namespace tessera::gbees {

/// A sudden change of the state, such as an impulse of an engine: x becomes x + add + e, where the
/// error e is Gaussian, has mean 0 and does not depend on x. The variables may be coordinates of an
/// orbit: it is the state behind them that changes.
class Maneuver {
 public:
  /// `covariance`: of the error, as rows, positive semidefinite; or empty. Throws Error (input).
  Maneuver(std::vector<double> add, const linalg::Matrix& covariance,
           std::optional<OrbitCoordinates> orbit = {});

  /// Whether all variables change by the same amounts, which add() tells.
  bool is_shift() const { return !m_orbit; }
  const std::vector<double>& add() const { return m_add; }

  bool has_error() const { return !m_root.empty(); }

  /// Returns the variables behind the maneuver. `normal`: a standard normal number for each, which
  /// give the error; null: there is none. Throws Error (numerical) where the state behind it has no
  /// such coordinates.
  std::vector<double> after(const double* variables, const double* normal = nullptr) const;

  /// Returns the variables before the maneuver. Throws as `after` does.
  std::vector<double> before(const double* variables) const;

  /// Returns ln |det d(after)/d(before)| between variables that belong together.
  double log_volume(const double* before, const double* after) const;

  /// Returns the covariance of the variables that the error brings about a point behind the
  /// maneuver, by central differences over a standard deviation of the error.
  linalg::Matrix covariance_at(const double* after) const;

 private:
  std::vector<double> moved(const double* variables, const std::vector<double>& by) const;

  std::vector<double> m_add;
  linalg::Matrix m_root;  // R R^T: the covariance of the error
  std::optional<OrbitCoordinates> m_orbit;
};

/// Whether the off-diagonal elements of a covariance are rounding: an error of it is independent
/// along each axis.
bool is_nearly_diagonal(const linalg::Matrix& covariance);

}  // namespace tessera::gbees
