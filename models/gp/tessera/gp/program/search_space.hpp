// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/points/points.hpp"
#include "tessera/gp/program/parameters.hpp"

namespace tessera::gp {

/// What the data say of the variances of the residuals, of each variable, of the
/// cross-correlations, in the order of theta, and of the marginals.
struct ResidualMoments {
  std::vector<double> variance, correlation;
  double g = 0, h = 0;  ///< of Tukey's marginals
};

/// Returns the correlations of residuals of two variables at the same places, for each pair; 0
/// where there are fewer than ten places.
std::vector<double> correlations_at_places(const CovarianceModel& model, const Points& points,
                                           const std::vector<double>& residuals);

/// The free parameters of a fit and the variables in which they are searched: logarithms, where the
/// lower bound is above 0; angles as they are; in the place of cross-correlations Fisher's z =
/// artanh of the partial correlations of cross_correlations.hpp, from -4 to 4, so that every point
/// of the search has a covariance.
///
/// What the input leaves open comes from the data. With the variance s2 of the residuals and the
/// diameter D of the region, fits start at sigma2 = s2, beta = D / 10, nu = 0.8, exponent = 1,
/// nugget = s2 / 10 and stay within sigma2: 1e-3 ... 100 s2, beta: 1e-3 ... 3 D, nu: 0.05 ... 5
/// (great-circle distance: 0.5), exponent: 0.1 ... 2 (1), nugget: 1e-8 ... 2 s2, beta_time: 1e-3
/// ... 10 of the time covered, alpha: 0.05 ... 1, interaction: 0 ... 1, delta: 1e-3 ... 100,
/// angles: half a turn to either side of their start. Turned ranges that start equal are told apart
/// by a factor 1.2 and its inverse, since no angle has a derivative there. A range for each
/// coordinate counts in the length L of that coordinate: L / 10 within 1e-3 ... 3 L; in d > 3
/// coordinates, where points are far apart and some coordinates may not matter, in its standard
/// deviation s: s sqrt(d / 2), half the distance of two typical points, within s / 300 and 300 s.
/// Several variables have variances s2 each, and cross-correlations that start at those of the
/// residuals; the excess of the smoothness of a pair starts at 0.1, within 1e-4 ... 5. Tukey's g
/// and h start where quantiles of the residuals suggest, within -3 ... 3 and 0 ... 1. Variances of
/// groupings start at s2 / 10, within 1e-6 ... 100 s2. Coefficients of covariates and warps start
/// at 0 and stay within 4 to either side, those of covariates in units of one over the standard
/// deviation of the covariate, in which they are searched.
class SearchSpace {
 public:
  /// `moments` are those of the residuals. Throws Error (input) when a start lies outside its
  /// bounds, or a coordinate that is the same at all points has a range to be estimated.
  SearchSpace(const Parameters& parameters, const Points& points, const ResidualMoments& moments);

  std::size_t size() const { return m_free.size(); }
  const std::vector<int>& free() const { return m_free; }  ///< their indices in theta
  const Theta& start() const { return m_start; }
  double lower(std::size_t k) const { return m_lower[m_free[k]]; }
  double upper(std::size_t k) const { return m_upper[m_free[k]]; }

  Theta theta(const std::vector<double>& x) const;
  std::vector<double> variables(const Theta& theta) const;

  /// The gradient in the variables, from that in theta.
  std::vector<double> gradient(const Theta& theta, const std::vector<double>& gradient) const;

  /// Fisher's information in the variables, from that in theta (row by row).
  linalg::Matrix information(const Theta& theta, const std::vector<double>& information) const;

  /// Returns a theta `moved` from another one with those cross-correlations which are at their
  /// bounds, by their entries other than 0 in `side`, at them again: as the same partial
  /// correlations.
  Theta keep_at_bounds(const Theta& theta, Theta moved, const std::vector<int>& side) const;

  /// Return the gradient and the information in theta with these cross-correlations at their
  /// bounds, from those that hold them.
  std::vector<double> gradient_at_bounds(const Theta& theta, const std::vector<double>& gradient,
                                         const std::vector<int>& side) const;
  std::vector<double> information_at_bounds(const Theta& theta,
                                            const std::vector<double>& information,
                                            const std::vector<int>& side) const;

  /// Returns the unit in which changes of a parameter are counted: the parameter itself, 1 for
  /// angles, cross-correlations, g, h and coefficients of warps, and the inverse of the covariate's
  /// standard deviation for those of covariates.
  double unit(const Theta& theta, int parameter) const {
    return m_model.is_absolute(parameter) ? 1 / m_scale[static_cast<std::size_t>(parameter)]
                                          : theta[parameter];
  }

  /// Derivative of what `unit` counts by the k-th variable; and the second one.
  double slope(const Theta& theta, std::size_t k) const;
  double bend(std::size_t k) const { return logarithmic(k) ? 1 : 0; }

  /// The k-th start: the first is the input's, the others lie between the bounds as drawn.
  Theta start(int k, std::uint64_t seed) const;

  optimize::Problem problem(const FitParameters& fit, const Theta& start) const;

 private:
  bool logarithmic(std::size_t k) const {
    return m_lower[m_free[k]] > 0 && !m_model.is_absolute(m_free[k]);
  }
  double scale(std::size_t k) const { return m_scale[static_cast<std::size_t>(m_free[k])]; }
  void set_parameter(int parameter, double start, double low, double high) {
    m_start[parameter] = start;
    m_lower[parameter] = low;
    m_upper[parameter] = high;
  }
  void set_variables(const ResidualMoments& moments);
  void set_local(const Points& points);
  void bring_correlations_inside();
  Theta theta_of_variables(const std::vector<double>& x) const;
  std::vector<double> bounds(const Theta& theta, double side) const;
  std::vector<double> lowest() const { return bounds(m_lower, -1); }
  std::vector<double> highest() const { return bounds(m_upper, 1); }
  /// Returns the derivatives of theta's free parameters (rows) by the variables of the search.
  linalg::Matrix slopes(const Theta& theta) const;
  std::vector<bool> fixed_cross_correlations() const;
  /// Returns which cross-correlations are not at their bounds; empty: all of them.
  std::vector<bool> away_from_bounds(const std::vector<int>& side) const;
  /// Returns the derivatives of theta by its elements with some cross-correlations at their bounds.
  linalg::Matrix slopes_at_bounds(const Theta& theta, const std::vector<bool>& away) const;

  void separate_ranges();
  void require_extent(const Parameters& p, const Points& points) const;

  CovarianceModel m_model;
  std::vector<int> m_free;
  Theta m_start, m_lower, m_upper;
  std::vector<double> m_scale;  // what a parameter that is no logarithm is searched times
};

/// Says that a parameter which ends at a bound cannot go beyond it, whatever the bounds; empty
/// where it can. `side`: -1 at the lower bound, 1 at the upper one.
std::string describe_limit(const CovarianceModel& model, const Theta& theta, int parameter,
                           int side);

/// Returns the inverse of an information; empty where it is not positive definite.
linalg::Matrix covariance_of_estimates(const linalg::Matrix& information);

/// Standard errors of theta from the information in the variables `used` (indices in theta); NaN
/// for the others, and for all when the information is not positive definite.
std::vector<double> standard_errors(std::size_t parameters, const std::vector<int>& used,
                                    const linalg::Matrix& information);

}  // namespace tessera::gp
