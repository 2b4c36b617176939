// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which cross-correlations rho make the full bivariate Matern covariance positive definite. In d
/// coordinates it is so exactly when (Gneiting, Kleiber and Schlather, Journal of the American
/// Statistical Association 105, 2010, Theorem 3)
///
///     rho^2 <= inf_(t >= 0) f_1(t) f_2(t) / f_12(t)^2,
///     f(t) = g(nu) a^(2 nu) / (a^2 + t^2)^(nu + d / 2),
///     a    = 1 / beta,     g(x) = Gamma(x + d / 2) / Gamma(x),
///
/// with the spectral densities f of both variables and of the pair. The derivative of the ratio's
/// logarithm by t^2 has the sign of a polynomial of degree two, so that the least ratio is at 0, at
/// a root, or at infinity. There the ratio goes to 0 where nu_12 is less than the mean of nu_1 and
/// nu_2, so that no rho but 0 is valid; it has a limit where nu_12 is the mean.

namespace tessera::gp {

/// The smoothnesses and ranges of two variables, and those of their cross-covariance.
struct BivariateMatern {
  double nu[2];
  double excess;  ///< nu_12 - (nu_1 + nu_2) / 2
  double range[2];
  double cross_range;
};

/// The largest absolute cross-correlation, and the derivatives of its logarithm.
struct BivariateBound {
  double value = 0;
  double by_nu[2] = {};  ///< with nu_12 - (nu_1 + nu_2) / 2 as it is
  /// With an excess of 0 and the least ratio at infinity there is no derivative from above: this is
  /// a large number then.
  double by_excess = 0;
  double by_range[2] = {};
  double by_cross_range = 0;
};

/// Returns the largest absolute cross-correlation in so many coordinates, to 1e-13 relatively; 0
/// with a negative excess, NaN where something is NaN. Ranges may differ by a factor of up to
/// kMostRangeRatio.
BivariateBound largest_cross_correlation(const BivariateMatern& pair, int dimension);

inline constexpr double kMostRangeRatio = 1e6;

}  // namespace tessera::gp
