// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/covariance/covariance.hpp"

/// Which cross-correlations rho of several variables make a multivariate Matern covariance positive
/// definite. In d coordinates the parsimonious one is so exactly when (Gneiting, Kleiber and
/// Schlather, Journal of the American Statistical Association 105, 2010, Theorem 1)
///
///     rho_vw = b_vw kappa(nu_v, nu_w)     with a correlation matrix (b_vw) and
///     kappa(p, q) = sqrt(g(p) g(q)) / g((p + q) / 2),     g(x) = Gamma(x + d /
///     2) / Gamma(x).
///
/// kappa is 1 for equal smoothnesses, and less for others. That of the full bivariate Matern is in
/// bivariate_bound.hpp.
///
/// A fit searches in the partial correlations z of that matrix, each between -1 and 1 whatever the
/// others: z_vw is the correlation of v and w given the variables before w < v. They are the
/// elements of the Cholesky factor L, L_vw = z_vw prod_{k<w} sqrt(1 - z_vk^2), and every set of
/// them is a correlation matrix.

namespace tessera::gp {

/// Returns kappa, the largest absolute cross-correlation of two smoothnesses.
double largest_cross_correlation(double nu_v, double nu_w, int dimension);

/// Returns the largest absolute cross-correlation of variables v < w, from 0 on, as far as both of
/// them are concerned.
double largest_cross_correlation(const CovarianceModel& model, const Theta& theta, int v, int w);

/// Returns what is wrong with the cross-correlations of theta, and what would be valid; empty:
/// nothing. NaNs count as not known, and nothing is said of them.
std::string check_cross_correlations(const CovarianceModel& model, const Theta& theta);

/// Returns the partial correlations of theta in the order of its rho; NaN where there are none.
std::vector<double> partial_correlations(const CovarianceModel& model, const Theta& theta);

/// The cross-correlations of some partial correlations, and their derivatives.
struct CrossCorrelations {
  std::vector<double> rho;  ///< in the order of theta
  /// Rows: rho; columns: the partial correlations that are not fixed, or the elements of theta,
  /// which have bounds and the fixed ones in them.
  linalg::Matrix by_partial, by_theta;
};

/// Returns the cross-correlations with the smoothnesses and ranges of theta: those that are `fixed`
/// as theta has them, the others from their partial correlations. Fixed ones that the others do not
/// allow are not checked here.
CrossCorrelations cross_correlations(const CovarianceModel& model, const Theta& theta,
                                     const std::vector<double>& partial,
                                     const std::vector<bool>& fixed);

}  // namespace tessera::gp
