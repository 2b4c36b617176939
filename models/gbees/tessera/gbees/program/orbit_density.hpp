// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gbees/dynamics/orbit_coordinates.hpp"

namespace tessera::gbees {

/// One of the Gaussians whose weighted sum a density is.
struct GaussianTerm {
  double weight = 1;
  std::vector<double> mean;
  linalg::Matrix covariance;
};

/// A Gaussian of the state as one of orbit coordinates, to which its covariance is mapped to first
/// order.
struct LinearTerm {
  GaussianTerm term;
  /// By how many standard deviations the coordinates of states one standard deviation from the mean
  /// lie off those of first order, at most
  double bend = 0;
};

/// Throws Error (input or numerical) where the coordinates do not suit the mean, or do not exist a
/// standard deviation from it.
LinearTerm linearise(const OrbitCoordinates& coordinates, const GaussianTerm& term, double angle);

/// A sum of Gaussians of the state as a density of orbit coordinates q, by the exact change of
/// variables p(q) = p(x(q)) / |dq/dx|. It is that within half a turn of the angle of the mean, and
/// none beyond.
class OrbitDensity {
 public:
  /// Throws Error (input) where the coordinates do not suit a mean, or do not exist a few standard
  /// deviations from it.
  OrbitDensity(const OrbitCoordinates& coordinates, std::vector<GaussianTerm> terms);

  /// Returns the logarithm of the density of coordinates q; minus infinity where there is no state.
  double log_density(const double* q) const;

  /// Returns the coordinates of a state, with the turn of the angle that is nearest to the mean's.
  /// Throws Error (numerical) where there are none.
  std::vector<double> coordinates(const double* state) const {
    return m_coordinates.coordinates(state, m_angle);
  }

  /// The mean and covariance of the coordinates, by a cubature rule that is exact where the
  /// coordinates are quadratic in the state.
  const std::vector<double>& mean() const { return m_mean; }
  const linalg::Matrix& covariance() const { return m_covariance; }

  /// The covariances of the coordinates of each term.
  const std::vector<linalg::Matrix>& covariances() const { return m_covariances; }

  /// Returns the coordinates of the mean of each term.
  const std::vector<std::vector<double>>& centres() const { return m_centres; }

  /// The density of the state.
  const std::vector<GaussianTerm>& terms() const { return m_terms; }

 private:
  void find_moments();
  linalg::Matrix covariance_of(const GaussianTerm& term, std::vector<double>& mean) const;

  OrbitCoordinates m_coordinates;
  std::vector<GaussianTerm> m_terms;
  std::vector<linalg::Matrix> m_precision;  // of each term
  std::vector<double> m_log_peak;
  double m_angle = 0;  // of the mean
  std::vector<std::vector<double>> m_centres;
  std::vector<double> m_mean;
  linalg::Matrix m_covariance;
  std::vector<linalg::Matrix> m_covariances;
};

}  // namespace tessera::gbees
