// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/gp/covariance/local_model.hpp"

/// Covariance functions of Gaussian processes and their parameters theta.
///
///     C(a, b) = sigma2 M(u; shape) exp(-|t_a - t_b| / beta_time) + nugget [a is b],     u^2 = sum_k ((a_k - b_k) / beta_k)^2
///
/// | family | M(u) | shape |
/// |---|---|---|
/// | matern | 2^(1-nu) / Gamma(nu) u^nu K_nu(u) | nu > 0 |
/// | matern12, matern32, matern52 | e^-u, (1 + u) e^-u, (1 + u + u^2/3) e^-u: the same for nu = 1/2, 3/2, 5/2 | |
/// | powered_exponential | exp(-u^exponent) | 0 < exponent <= 2 |
/// | squared_exponential | exp(-u^2) | |
///
/// There are up to 32 coordinates. With one beta for all of them u = r / beta, as in Geng et al.
/// With RangeConvention::scaled (GPyTorch, GPBoost, scikit-learn) the Matern families take u =
/// sqrt(2 nu) r / beta. Ranges for each coordinate may lie along turned axes (rotation.hpp). On the
/// sphere r is the great-circle distance, or the straight one (chordal), of radius `radius`.
///
/// A Matern covariance of the great-circle distance is positive definite for every set of points
/// only up to nu = 1/2 (Gneiting, Bernoulli 19, 2013); with legendre_terms M is a series of
/// Legendre polynomials that is for any nu (legendre_matern.hpp).
///
/// With TimeModel::gneiting space and time interact (Gneiting, Journal of the American Statistical
/// Association 97, 2002, Eq. 14): with psi = 1 + (|t_a - t_b| / beta_time)^(2 alpha),
///
///     C(a, b) = sigma2 psi^-tau M(u / psi^(b/2)) + nugget [a is b],     tau = delta + b d / 2,
///
/// 0 < alpha <= 1, interaction 0 <= b <= 1, delta >= 0, and d the number of coordinates, on the
/// sphere 3. Without delta tau is d / 2, whatever b. This is positive definite for every family, of
/// up to three coordinates here; on the sphere with chordal distances alone.
///
/// Of several variables the covariance between variable v at a and variable w at b is the
/// parsimonious multivariate Matern (Gneiting, Kleiber and Schlather, Journal of the American
/// Statistical Association 105, 2010, section 2.2), with one range for all:
///
///     C_vw(a, b) = rho_vw sqrt(sigma2_v sigma2_w) M(r / beta; nu_vw) + nugget_v [a is b],
///     nu_vw = (nu_v + nu_w) / 2,     rho_vv = 1,
///
/// of the Matern family with Euclidean distances in up to three coordinates. With
/// CrossCovariance::full it is the full bivariate Matern (Theorem 3 there): each variable has a
/// range of its own, and so has the cross-covariance, which may be smoother, too,
///
///     C_12(a, b) = rho_12 sqrt(sigma2_1 sigma2_2) M(r / beta_12; (nu_1 + nu_2) / 2 + excess_12).
///
/// The cross-correlations rho have bounds that depend on smoothnesses and ranges; see
/// cross_correlations.hpp.
///
/// A covariance of one variable without time need not be stationary: variance, range and nugget may
/// depend on covariates, and coordinates be warped; see local_model.hpp and local_covariance.hpp.

namespace tessera::gp {

enum class Family {
  matern,
  matern12,
  matern32,
  matern52,
  powered_exponential,
  squared_exponential
};
enum class Metric { euclidean, great_circle, chordal };
enum class RangeConvention { plain, scaled };
enum class TimeModel { separable, gneiting };
enum class CrossCovariance { parsimonious, full };

/// The most variables of a covariance.
inline constexpr int kMostVariables = 4;
/// The largest smoothness of the Matern family.
inline constexpr double kMostSmoothness = 100;

/// The terms that a covariance has; their numbers are in theta.
struct CovarianceModel {
  Family family = Family::matern;
  Metric metric = Metric::euclidean;
  RangeConvention convention = RangeConvention::plain;
  double radius = 6371;  ///< of the sphere
  /// Above 0: Matern of great-circle distances by so many terms of a Legendre series
  int legendre_terms = 0;
  int dimension = 2;  ///< number of spatial coordinates, 1 to 32
  /// Above 0: Matern by the algorithm of Geng et al. with so many bins, for comparison; no
  /// derivatives
  int bins = 0;
  /// Matern by GSL's Bessel function, for comparison: on the host, without derivatives
  bool gsl = false;
  bool anisotropic = false;  ///< a range for each coordinate; Euclidean only
  /// anisotropic, and the ranges lie along turned axes; two or three coordinates
  bool rotated = false;
  bool has_time = false;
  TimeModel time_model = TimeModel::separable;
  bool has_delta = false;  ///< of TimeModel::gneiting
  bool has_nugget = false;
  int variables = 1;  ///< 1 to kMostVariables; sigma2, nu and nugget are there for each
  CrossCovariance cross = CrossCovariance::parsimonious;  ///< full: of two variables
  /// Tukey's g-and-h marginals (tukey_solver.hpp): theta ends with g and h, which are no part of
  /// the covariance
  bool has_tukey = false;
  /// The names of groupings with random effects (group_solver.hpp): theta ends with a variance for
  /// each, which is no part of the covariance
  std::vector<std::string> groups = {};
  LocalModel local = {};  ///< how the covariance differs from place to place, if it does

  /// Returns whether the Matern function is this code's own, with derivatives.
  bool is_own() const { return bins == 0 && !gsl; }
  /// Returns whether there are more coordinates than kernels hold in registers.
  bool is_high_dimensional() const { return metric == Metric::euclidean && dimension > 3; }
  /// Returns the number of columns of points on the device: coordinates, and the time as the last.
  int point_columns() const { return is_high_dimensional() ? dimension + 1 : 4; }
  bool has_shape() const {
    return family == Family::matern || family == Family::powered_exponential;
  }
  /// Returns whether the covariance differs from place to place.
  bool is_local() const { return local.coefficients() > 0; }
  /// Returns whether kernels take points in a form that depends on theta.
  bool moves_points() const { return rotated || is_local(); }
  /// Returns the number of columns of points as kernels take them where the covariance is local.
  int place_columns() const { return LocalColumns::kCoefficients + local.coefficients(); }
  /// Returns whether there are several variables.
  bool has_variables() const { return variables > 1; }
  /// Returns whether variables and cross-covariances have ranges of their own.
  bool has_full_cross() const { return has_variables() && cross == CrossCovariance::full; }
  /// Returns whether space and time interact.
  bool interacts() const { return has_time && time_model == TimeModel::gneiting; }
  /// Returns the dimension of the space in which straight distances are taken.
  int space_dimension() const { return metric == Metric::euclidean ? dimension : 3; }
  int ranges() const {
    return anisotropic ? dimension : has_full_cross() ? variables + cross_correlations() : 1;
  }
  int angles() const { return !rotated ? 0 : dimension < 3 ? 1 : 3; }

  // Indices in theta: sigma2, beta (or beta_1 ...), angle (or angle_1 ...), nu or exponent,
  // beta_time, alpha, interaction, delta, nugget, as far as they exist, and the coefficients of
  // LocalModel. Of several variables: sigma2_1 ..., beta, nu_1 ..., rho_12, rho_13 ..., rho_23 ...,
  // nugget_1 ...; with full cross-covariances beta_1, beta_2, beta_12 in the place of beta, and
  // excess_12 before rho_12.
  int beta() const { return variables; }
  int angle() const { return beta() + ranges(); }
  int shape() const { return angle() + angles(); }
  int excess() const { return shape() + (has_shape() ? variables : 0); }
  int time() const { return excess() + (has_full_cross() ? cross_correlations() : 0); }
  int alpha() const { return time() + 1; }
  int interaction() const { return time() + 2; }
  int delta() const { return time() + 3; }
  int cross_correlations() const { return variables * (variables - 1) / 2; }
  /// Returns the number of a pair of variables v < w, both from 0 on.
  int pair(int v, int w) const { return v * variables - v * (v + 1) / 2 + w - v - 1; }
  /// Returns the index of rho_vw, v < w.
  int cross_correlation(int v, int w) const { return time() + pair(v, w); }
  /// Returns the index of the range of the covariance between v <= w.
  int range(int v, int w) const {
    return beta() + (!has_full_cross() ? 0 : v == w ? v : variables + pair(v, w));
  }
  int time_parameters() const { return !has_time ? 0 : !interacts() ? 1 : has_delta ? 4 : 3; }
  int nugget() const { return time() + time_parameters() + cross_correlations(); }
  int first_of_local() const { return nugget() + (has_nugget ? variables : 0); }
  int g() const { return first_of_local() + local.coefficients(); }
  int h() const { return g() + 1; }
  /// Returns the index of the variance of the first grouping.
  int group() const { return g() + (has_tukey ? 2 : 0); }
  int parameters() const { return group() + static_cast<int>(groups.size()); }
  bool has_groups() const { return !groups.empty(); }
  /// Returns whether solvers know an information of the likelihood, by which fits can score.
  bool has_information() const { return !has_tukey && !has_groups(); }
  bool is_angle(int parameter) const { return parameter >= angle() && parameter < shape(); }
  bool is_cross_correlation(int parameter) const {
    return has_variables() && parameter >= time() && parameter < nugget();
  }
  bool is_excess(int parameter) const { return parameter >= excess() && parameter < time(); }
  bool is_of_local(int parameter) const { return parameter >= first_of_local() && parameter < g(); }
  /// Returns whether a parameter may be negative.
  bool is_signed(int parameter) const {
    return is_angle(parameter) || is_cross_correlation(parameter) || is_of_local(parameter) ||
           (has_tukey && parameter == g());
  }
  /// Returns whether changes of a parameter count by themselves, and not as shares of it.
  bool is_absolute(int parameter) const {
    return is_signed(parameter) || (has_tukey && parameter == h());
  }

  /// Returns whether a parameter may be 0.
  bool may_vanish(int parameter) const {
    return (has_nugget && parameter >= nugget() && parameter < first_of_local()) ||
           (has_tukey && parameter == h()) || parameter >= group() || is_excess(parameter) ||
           (interacts() && (parameter == interaction() || (has_delta && parameter == delta())));
  }

  std::vector<std::string> names() const;

  /// Returns the model of the field and its errors, without marginals of its own and groupings.
  CovarianceModel gaussian() const {
    CovarianceModel model = *this;
    model.has_tukey = false;
    model.groups.clear();
    return model;
  }
};

using Theta = std::vector<double>;

/// Returns the smoothness of a Matern family (of the first variable), 0 of another family.
double matern_smoothness(const CovarianceModel& model, const Theta& theta);

/// Returns the smoothness of the covariance between variables v <= w, from 0 on.
double pair_smoothness(const CovarianceModel& model, const Theta& theta, int v, int w);

/// Returns tau, the power of 1 / psi by which the correlation in time decays with
/// TimeModel::gneiting.
double time_decay(const CovarianceModel& model, const Theta& theta);

/// Returns the lag that counts as a distance of one range does where neighbours are looked for.
double time_scale(const CovarianceModel& model, const Theta& theta);

/// Returns the variances of the field and of the nugget, of a variable from 0 on.
inline double field_variance(const CovarianceModel&, const Theta& theta, int variable = 0) {
  return theta[static_cast<std::size_t>(variable)];
}
inline double nugget_variance(const CovarianceModel& model, const Theta& theta, int variable = 0) {
  return model.has_nugget ? theta[static_cast<std::size_t>(model.nugget() + variable)] : 0;
}

/// Empty when every parameter is in the domain of the model, otherwise what is wrong.
std::string check(const CovarianceModel& model, const Theta& theta);

}  // namespace tessera::gp
