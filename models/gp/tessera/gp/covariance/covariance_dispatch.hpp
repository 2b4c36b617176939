// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "tessera/bessel/matern.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/correlation.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/covariance/legendre_matern.hpp"
#include "tessera/gp/covariance/local_covariance.hpp"
#include "tessera/gp/covariance/multivariate.hpp"
#include "tessera/gp/covariance/rotation.hpp"

namespace tessera::gp::detail {

/// Turns a model, whose terms are known at run time, into the functor of its covariance, for whose
/// type kernels are compiled.
template <class ExecSpace>
class CovarianceDispatch {
 public:
  CovarianceDispatch(const ExecSpace& exec, const CovarianceModel& model)
      : m_exec(exec), m_model(model) {}

  /// Calls visit(covariance) with the covariance of theta, a gp::Covariance. It uses the table of
  /// this object.
  template <class Visit>
  void visit(const Theta& theta, const Visit& visit);

  /// Does the same with fewer types of functors: every Matern family comes from a table.
  template <class Visit>
  void visit_tabulated(const Theta& theta, const Visit& visit);

  /// The table of the Matern correlation with the smoothness of theta.
  const bessel::MaternTable<ExecSpace>& table(const Theta& theta) {
    const double nu = matern_smoothness(m_model, theta);
    if (!m_table || m_table->nu() != nu) m_table.emplace(m_exec, nu);
    return *m_table;
  }

  /// Returns the covariance of several variables. It uses the tables of this object.
  MultivariateMatern multivariate(const Theta& theta);

  /// Returns the factor by which 1 / beta is multiplied to give 1 / range of u.
  double range_factor(const Theta& theta) const;

  /// dC/dtheta_j as a combination of the terms of DerivativeTerms, for each j.
  std::vector<AllDerivativeSums> derivative_factors(const Theta& theta) const;

 private:
  /// Visits a Matern function that is there to compare with: the paper's, or GSL's.
  template <class Visit>
  void visit_compared(const Theta& theta, const Visit& visit) const;
  template <class Correlation, class Visit>
  void visit_with_distance(const Theta& theta, const Correlation& correlation,
                           const Visit& visit) const;
  /// Visits a covariance of more than three coordinates; the Matern families come from a table.
  template <class Visit>
  void visit_high_dimensional(const Theta& theta, const Visit& visit);
  /// Visits Gneiting's covariance; the Matern families come from a table.
  template <class Visit>
  void visit_interacting(const Theta& theta, const Visit& visit);
  /// Visits a covariance that differs from place to place; the Matern families come from a table.
  template <class Visit>
  void visit_local(const Theta& theta, const Visit& visit);
  /// Returns the Legendre series of theta. It uses the table of this object.
  LegendreMatern legendre(const Theta& theta);
  /// Returns the factors of up to three coordinates.
  std::array<double, 3> inverse_ranges(const Theta& theta) const;
  HighDimensionalDistance high_dimensional_distance(const Theta& theta) const;
  std::vector<AllDerivativeSums> multivariate_factors(const Theta& theta) const;
  template <class Function>
  Function with_parameters(Function covariance, const Theta& theta) const;

  ExecSpace m_exec;
  CovarianceModel m_model;
  std::optional<bessel::MaternTable<ExecSpace>> m_table;
  std::optional<LegendreTable<ExecSpace>> m_legendre;
  // of each pair of variables
  std::array<std::optional<bessel::MaternTable<ExecSpace>>, kMostVariablePairs> m_pair_tables;
};

template <class ExecSpace>
template <class Visit>
void CovarianceDispatch<ExecSpace>::visit(const Theta& theta, const Visit& visit) {
  if (m_model.has_variables()) return visit(multivariate(theta));
  if (m_model.is_local()) return visit_local(theta, visit);
  if (m_model.interacts()) return visit_interacting(theta, visit);
  if (m_model.is_high_dimensional()) return visit_high_dimensional(theta, visit);
  if (m_model.legendre_terms > 0) return visit_with_distance(theta, legendre(theta), visit);
  switch (m_model.family) {
    case Family::matern:
      if (!m_model.is_own()) return visit_compared(theta, visit);
      return visit_with_distance(theta, Matern{table(theta).function()}, visit);
    case Family::matern12:
      return visit_with_distance(theta, HalfIntegerMatern{0}, visit);
    case Family::matern32:
      return visit_with_distance(theta, HalfIntegerMatern{1}, visit);
    case Family::matern52:
      return visit_with_distance(theta, HalfIntegerMatern{2}, visit);
    case Family::powered_exponential:
      return visit_with_distance(theta, PoweredExponential{theta[m_model.shape()]}, visit);
    case Family::squared_exponential:
      return visit_with_distance(theta, PoweredExponential{2}, visit);
  }
}

template <class ExecSpace>
template <class Visit>
void CovarianceDispatch<ExecSpace>::visit_compared(const Theta& theta, const Visit& visit) const {
  const double nu = theta[m_model.shape()];
  const double log_factor = (1 - nu) * std::log(2.0) - std::lgamma(nu);
  if (!m_model.gsl)
    return visit_with_distance(theta, PaperMatern{nu, log_factor, m_model.bins}, visit);
  if constexpr (compat::is_gpu_v<ExecSpace>) {
    throw Error(ErrorKind::input,
                "GSL's Bessel function runs on the host, and this run is on a GPU",
                "choose --backend serial or openmp, or leave out covariance.bessel");
  } else {
    visit_with_distance(theta, GslMatern{nu, log_factor}, visit);
  }
}

template <class ExecSpace>
template <class Visit>
void CovarianceDispatch<ExecSpace>::visit_tabulated(const Theta& theta, const Visit& visit) {
  if (m_model.has_variables()) return visit(multivariate(theta));
  if (m_model.is_local()) return visit_local(theta, visit);
  if (m_model.interacts()) return visit_interacting(theta, visit);
  if (m_model.is_high_dimensional()) return visit_high_dimensional(theta, visit);
  if (m_model.legendre_terms > 0) return visit_with_distance(theta, legendre(theta), visit);
  switch (m_model.family) {
    case Family::powered_exponential:
      return visit_with_distance(theta, PoweredExponential{theta[m_model.shape()]}, visit);
    case Family::squared_exponential:
      return visit_with_distance(theta, PoweredExponential{2}, visit);
    default:
      return visit_with_distance(theta, Matern{table(theta).function()}, visit);
  }
}

template <class ExecSpace>
template <class Correlation, class Visit>
void CovarianceDispatch<ExecSpace>::visit_with_distance(const Theta& theta,
                                                        const Correlation& correlation,
                                                        const Visit& visit) const {
  if constexpr (std::is_same_v<Correlation, LegendreMatern>) {
    if (m_model.metric != Metric::great_circle)
      throw Error(ErrorKind::input, "a Legendre series takes great-circle distances",
                  "use metric: great_circle");
  }
  const bool on_sphere = m_model.metric == Metric::great_circle;
  if (std::is_same_v<Correlation, LegendreMatern> || on_sphere) {
    visit(with_parameters(
        Covariance<Correlation, GreatCircleDistance>{correlation, {range_factor(theta) / theta[1]}},
        theta));
    return;
  }
  if constexpr (!std::is_same_v<Correlation, LegendreMatern>) {
    const std::array<double, 3> inverse = inverse_ranges(theta);
    if (m_model.metric == Metric::euclidean && m_model.dimension < 3) {
      visit(with_parameters(
          Covariance<Correlation, EuclideanDistance<2>>{correlation,
                                                        {{inverse[0], inverse[1], inverse[2]}}},
          theta));
    } else {
      visit(with_parameters(
          Covariance<Correlation, EuclideanDistance<3>>{correlation,
                                                        {{inverse[0], inverse[1], inverse[2]}}},
          theta));
    }
  }
}

template <class ExecSpace>
LegendreMatern CovarianceDispatch<ExecSpace>::legendre(const Theta& theta) {
  const double nu = theta[m_model.shape()], kappa = m_model.radius / theta[m_model.beta()];
  if (!m_legendre || m_legendre->nu() != nu || m_legendre->kappa() != kappa)
    m_legendre.emplace(m_exec, m_model.legendre_terms, nu, kappa);
  return m_legendre->function();
}

template <class ExecSpace>
std::array<double, 3> CovarianceDispatch<ExecSpace>::inverse_ranges(const Theta& theta) const {
  const double scale = range_factor(theta);
  std::array<double, 3> inverse;
  for (int k = 0; k < 3; ++k)
    inverse[k] = scale / theta[1 + (m_model.anisotropic ? std::min(k, m_model.dimension - 1) : 0)];
  return inverse;
}

template <class ExecSpace>
template <class Visit>
void CovarianceDispatch<ExecSpace>::visit_interacting(const Theta& theta, const Visit& visit) {
  if (!m_model.is_own() || m_model.is_high_dimensional())
    throw Error(ErrorKind::input,
                "Gneiting's covariance is for up to three coordinates, with this code's own Matern "
                "function",
                "leave out covariance.bins and covariance.bessel, or take time: separable");
  const std::array<double, 3> inverse = inverse_ranges(theta);
  const EuclideanDistance<3> distance{{inverse[0], inverse[1], inverse[2]}};
  if (m_model.family == Family::powered_exponential ||
      m_model.family == Family::squared_exponential) {
    const double exponent =
        m_model.family == Family::squared_exponential ? 2 : theta[m_model.shape()];
    visit(with_parameters(
        Covariance<PoweredExponential, EuclideanDistance<3>, GneitingTime>{{exponent}, distance},
        theta));
  } else {
    visit(with_parameters(
        Covariance<Matern, EuclideanDistance<3>, GneitingTime>{{table(theta).function()}, distance},
        theta));
  }
}

template <class ExecSpace>
template <class Visit>
void CovarianceDispatch<ExecSpace>::visit_local(const Theta& theta, const Visit& visit) {
  if (!m_model.is_own() || m_model.is_high_dimensional() || m_model.has_time ||
      m_model.metric == Metric::great_circle || (m_model.rotated && m_model.local.knots > 0))
    throw Error(ErrorKind::input,
                "a covariance that is not stationary is for up to three coordinates without time, "
                "or chordal distances, with this code's own Matern function; warped coordinates do "
                "not turn",
                "leave out covariance.by_covariates and covariance.warp");
  const std::array<double, 3> inverse = inverse_ranges(theta);
  const LocalModel& local = m_model.local;
  LocalTerms terms;
  terms.count = local.coefficients();
  terms.first_of_range = local.first_of_range();
  terms.first_of_nugget = local.first_of_nugget();
  terms.first_of_warp = local.first_of_warp();
  terms.per_coordinate = std::max(local.warp_coefficients(), 1);
  terms.half_dimension = 0.5 * m_model.space_dimension();
  const auto visit_with = [&](const auto& correlation) {
    LocalCovariance<std::decay_t<decltype(correlation)>> covariance{
        correlation, {{{inverse[0], inverse[1], inverse[2]}}}, terms};
    covariance.sigma2 = theta[0];
    covariance.nugget = m_model.has_nugget ? theta[m_model.nugget()] : 0;
    visit(covariance);
  };
  if (m_model.family == Family::squared_exponential)
    visit_with(PoweredExponential{2});
  else if (m_model.family == Family::powered_exponential)
    visit_with(PoweredExponential{theta[m_model.shape()]});
  else
    visit_with(Matern{table(theta).function()});
}

template <class ExecSpace>
template <class Visit>
void CovarianceDispatch<ExecSpace>::visit_high_dimensional(const Theta& theta, const Visit& visit) {
  if (!m_model.is_own())
    throw Error(ErrorKind::input,
                "the Matern functions to compare with are for up to three coordinates",
                "leave out covariance.bins and covariance.bessel");
  const HighDimensionalDistance distance = high_dimensional_distance(theta);
  if (m_model.family == Family::powered_exponential ||
      m_model.family == Family::squared_exponential) {
    const double exponent =
        m_model.family == Family::squared_exponential ? 2 : theta[m_model.shape()];
    visit(with_parameters(
        Covariance<PoweredExponential, HighDimensionalDistance>{{exponent}, distance}, theta));
  } else {
    visit(with_parameters(
        Covariance<Matern, HighDimensionalDistance>{{table(theta).function()}, distance}, theta));
  }
}

template <class ExecSpace>
HighDimensionalDistance CovarianceDispatch<ExecSpace>::high_dimensional_distance(
    const Theta& theta) const {
  HighDimensionalDistance distance;
  distance.dimension = m_model.dimension;
  const double scale = range_factor(theta);
  for (int k = 0; k < m_model.dimension; ++k)
    distance.inverse_range[k] = scale / theta[m_model.beta() + (m_model.anisotropic ? k : 0)];
  return distance;
}

template <class ExecSpace>
template <class Function>
Function CovarianceDispatch<ExecSpace>::with_parameters(Function covariance,
                                                        const Theta& theta) const {
  covariance.sigma2 = theta[0];
  if constexpr (Function::kInteracts) {
    covariance.temporal = {1 / theta[m_model.time()], 2 * theta[m_model.alpha()],
                           theta[m_model.interaction()], time_decay(m_model, theta),
                           m_model.has_delta ? 0.5 * m_model.space_dimension() : 0};
  } else {
    covariance.temporal.inverse_range = m_model.has_time ? 1 / theta[m_model.time()] : 0;
  }
  covariance.nugget = m_model.has_nugget ? theta[m_model.nugget()] : 0;
  return covariance;
}

template <class ExecSpace>
MultivariateMatern CovarianceDispatch<ExecSpace>::multivariate(const Theta& theta) {
  MultivariateMatern covariance;
  for (int v = 0; v < m_model.variables; ++v) {
    for (int w = 0; w <= v; ++w) {
      const int pair = variable_pair(v, w);
      const double nu = pair_smoothness(m_model, theta, w, v),
                   inverse_range = 1 / theta[m_model.range(w, v)];
      auto& table = m_pair_tables[pair];
      if (!table || table->nu() != nu) table.emplace(m_exec, nu);
      covariance.correlation[pair] = table->function();
      covariance.inverse_square[pair] = inverse_range * inverse_range;
      covariance.amplitude[pair] =
          v == w ? theta[v]
                 : theta[m_model.cross_correlation(w, v)] * std::sqrt(theta[v] * theta[w]);
    }
    covariance.nugget[v] = nugget_variance(m_model, theta, v);
  }
  return covariance;
}

template <class ExecSpace>
std::vector<AllDerivativeSums> CovarianceDispatch<ExecSpace>::multivariate_factors(
    const Theta& theta) const {
  std::vector<AllDerivativeSums> factors(m_model.parameters());
  using Terms = VariableTerms;
  for (int v = 0; v < m_model.variables; ++v) {
    for (int w = 0; w <= v; ++w) {
      const int pair = variable_pair(v, w);
      const double deviations = std::sqrt(theta[v] * theta[w]),
                   amplitude =
                       v == w ? theta[v] : theta[m_model.cross_correlation(w, v)] * deviations;
      const int range = m_model.range(w, v);
      // both where v is w
      for (const int variable : {v, w}) {
        factors[variable].value[Terms::correlation(pair)] += 0.5 * amplitude / theta[variable];
        factors[m_model.shape() + variable].value[Terms::shape(pair)] += 0.5 * amplitude;
      }
      factors[range].value[Terms::distance(pair)] = -amplitude / theta[range];
      if (v == w) continue;
      factors[m_model.cross_correlation(w, v)].value[Terms::correlation(pair)] = deviations;
      if (m_model.has_full_cross())
        factors[m_model.excess() + m_model.pair(w, v)].value[Terms::shape(pair)] = amplitude;
    }
    if (m_model.has_nugget) factors[m_model.nugget() + v].value[Terms::trace(v)] = 1;
  }
  return factors;
}

template <class ExecSpace>
double CovarianceDispatch<ExecSpace>::range_factor(const Theta& theta) const {
  double scale = m_model.metric == Metric::euclidean ? 1 : m_model.radius;
  if (m_model.convention == RangeConvention::scaled)
    scale *= std::sqrt(2 * matern_smoothness(m_model, theta));
  return scale;
}

template <class ExecSpace>
std::vector<AllDerivativeSums> CovarianceDispatch<ExecSpace>::derivative_factors(
    const Theta& theta) const {
  if (m_model.has_variables()) return multivariate_factors(theta);
  std::vector<AllDerivativeSums> factors(m_model.parameters());
  const double sigma2 = theta[0];
  factors[0].value[DerivativeSums::kCorrelation] = 1;
  const int coordinates = m_model.is_high_dimensional() ? m_model.dimension : 3;
  for (int k = 0; k < coordinates; ++k) {
    const int j = m_model.beta() + (m_model.anisotropic ? std::min(k, m_model.dimension - 1) : 0);
    factors[j].value[DerivativeSums::distance(k)] = -sigma2 / theta[j];
  }
  for (int j = 0; j < m_model.angles(); ++j) {
    const std::array<double, 3> product = angle_derivative(m_model, theta, j);
    for (int k = 0; k < 3; ++k)
      factors[m_model.angle() + j].value[DerivativeSums::kProduct + k] = sigma2 * product[k];
  }
  if (m_model.has_shape()) {
    AllDerivativeSums& by_shape = factors[m_model.shape()];
    by_shape.value[DerivativeSums::kShape] = sigma2;
    // u depends on nu
    if (m_model.family == Family::matern && m_model.convention == RangeConvention::scaled) {
      for (int k = 0; k < coordinates; ++k)
        by_shape.value[DerivativeSums::distance(k)] = sigma2 / (2 * theta[m_model.shape()]);
    }
  }
  if (m_model.interacts()) {
    const double range = theta[m_model.time()];
    factors[m_model.time()].value[DerivativeSums::kLag] =
        2 * theta[m_model.alpha()] * sigma2 / range;
    factors[m_model.alpha()].value[DerivativeSums::kLogLag] = -2 * sigma2;
    factors[m_model.interaction()].value[DerivativeSums::kInteraction] = -sigma2;
    if (m_model.has_delta) factors[m_model.delta()].value[DerivativeSums::kDecay] = -sigma2;
  } else if (m_model.has_time) {
    factors[m_model.time()].value[DerivativeSums::kLag] =
        sigma2 / (theta[m_model.time()] * theta[m_model.time()]);
  }
  if (m_model.has_nugget) factors[m_model.nugget()].value[DerivativeSums::kTrace] = 1;
  const LocalModel& local = m_model.local;
  for (int k = 0; k < local.coefficients(); ++k) {
    const bool of_nugget = k >= local.first_of_nugget() && k < local.first_of_warp();
    factors[m_model.first_of_local() + k].value[LocalTerms::term(k)] =
        of_nugget ? nugget_variance(m_model, theta) : sigma2;
  }
  return factors;
}

}  // namespace tessera::gp::detail
