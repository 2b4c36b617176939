// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tessera::gp {

/// The most coefficients of a LocalModel, and the most knots of a coordinate.
inline constexpr int kMostLocalCoefficients = 29, kMostKnots = 16;

/// The columns of a place: three coordinates, warped, and an empty one; then s, r and n; then of
/// each coefficient its covariate or, of a warp, the derivative of the coordinate in it.
struct LocalColumns {
  static constexpr int kDeviation = 4, kRange = 5, kNugget = 6, kCoefficients = 7;
};

/// How a covariance differs from place to place. With covariates x of a place and coefficients b,
///
///     variance of the field      sigma2 exp(sum_k b_k (x_k - centre_k))
///     range                      beta exp(sum_k b_k (x_k - centre_k))
///     variance of its errors     nugget exp(sum_k b_k (x_k - centre_k))
///
/// each with covariates of its own, and coordinates may be warped (warp.hpp). See
/// local_covariance.hpp for the covariance.
struct LocalModel {
  std::vector<std::string> covariates;  ///< names of the columns of Points::local
  std::vector<double> centre;           ///< of each of them
  /// The covariates, by their numbers, that the variance, the range and the nugget depend on
  std::vector<int> sigma2 = {}, beta = {}, nugget = {};
  int knots = 0;                          ///< of each warped coordinate, 2 to kMostKnots; 0: none
  std::vector<std::string> coordinates;   ///< the names of the warped coordinates: all, or none
  std::array<double, 3> first{}, last{};  ///< the first and the last knot of each of them

  // The coefficients in their order: of the variance, the range, the nugget, the warp.
  int first_of_range() const { return static_cast<int>(sigma2.size()); }
  int first_of_nugget() const { return first_of_range() + static_cast<int>(beta.size()); }
  int first_of_warp() const { return first_of_nugget() + static_cast<int>(nugget.size()); }
  /// Returns the number of coefficients of a warped coordinate.
  int warp_coefficients() const { return knots > 0 ? knots - 1 : 0; }
  int coefficients() const {
    return first_of_warp() + warp_coefficients() * static_cast<int>(coordinates.size());
  }
  /// Returns the covariate of a coefficient that is none of the warp.
  int covariate(int coefficient) const;
  /// Names the coefficients: sigma2_elevation ..., beta_elevation ..., nugget_elevation ...,
  /// warp_x_1 ....
  std::vector<std::string> names() const;
};

}  // namespace tessera::gp
