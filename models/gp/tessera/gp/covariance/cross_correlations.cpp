// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/cross_correlations.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <utility>

#include "tessera/gp/covariance/bivariate_bound.hpp"
#include "tessera/gp/covariance/number_text.hpp"

namespace tessera::gp {

namespace {

constexpr double kRounding = 1e-12;  // of a partial correlation

double log_gamma_ratio(double nu, int dimension) {
  return std::lgamma(nu + 0.5 * dimension) - std::lgamma(nu);
}

double gamma_ratio_slope(double nu, int dimension) {
  return boost::math::digamma(nu + 0.5 * dimension) - boost::math::digamma(nu);
}

/// The derivative of log kappa by nu_v.
double log_bound_slope(double nu_v, double nu_w, int dimension) {
  return 0.5 *
         (gamma_ratio_slope(nu_v, dimension) - gamma_ratio_slope(0.5 * (nu_v + nu_w), dimension));
}

/// The largest absolute cross-correlation of a pair of variables, and the derivatives of its
/// logarithm in elements of theta.
struct PairBound {
  double value;
  std::vector<std::pair<int, double>> slopes;
};

PairBound full_bound(const CovarianceModel& model, const Theta& theta, int v, int w) {
  const int excess = model.excess() + model.pair(v, w), range = model.range(v, w);
  BivariateMatern pair{};
  pair.excess = theta[excess];
  pair.cross_range = theta[range];
  for (const auto& [i, variable] : {std::pair(0, v), std::pair(1, w)}) {
    pair.nu[i] = theta[model.shape() + variable];
    pair.range[i] = theta[model.range(variable, variable)];
  }
  const BivariateBound bound = largest_cross_correlation(pair, model.dimension);
  return {bound.value,
          {{model.shape() + v, bound.by_nu[0]},
           {model.shape() + w, bound.by_nu[1]},
           {excess, bound.by_excess},
           {model.range(v, v), bound.by_range[0]},
           {model.range(w, w), bound.by_range[1]},
           {range, bound.by_cross_range}}};
}

/// Returns the bound of variables v < w.
PairBound pair_bound(const CovarianceModel& model, const Theta& theta, int v, int w) {
  if (model.has_full_cross()) return full_bound(model, theta, v, w);
  const double nu_v = theta[model.shape() + v], nu_w = theta[model.shape() + w];
  return {largest_cross_correlation(nu_v, nu_w, model.dimension),
          {{model.shape() + v, log_bound_slope(nu_v, nu_w, model.dimension)},
           {model.shape() + w, log_bound_slope(nu_w, nu_v, model.dimension)}}};
}

/// Says on what the bound of variables v < w depends.
std::string describe_bound(const CovarianceModel& model, const Theta& theta, int v, int w) {
  const std::vector<std::string> names = model.names();
  const auto numbered = [&](int parameter) {
    return names[parameter] + " = " + number(theta[parameter], "%.4g");
  };
  std::string text = numbered(model.shape() + v) + " and " + numbered(model.shape() + w);
  if (model.has_full_cross()) {
    text = numbered(model.shape() + v) + ", " + numbered(model.shape() + w);
    for (const int parameter : {model.excess() + model.pair(v, w), model.range(v, v),
                                model.range(w, w), model.range(v, w)})
      text += (parameter == model.range(v, w) ? " and " : ", ") + numbered(parameter);
  }
  return text + " in " + std::to_string(model.dimension) +
         (model.dimension == 1 ? " coordinate" : " coordinates");
}

template <class Number>
using Square = std::vector<std::vector<Number>>;

template <class Number>
Square<Number> square(int size) {
  return Square<Number>(static_cast<std::size_t>(size),
                        std::vector<Number>(static_cast<std::size_t>(size), Number(0)));
}

/// Fills one more row of the Cholesky factor of the matrix b, from left to right: element(w,
/// middle, width) gives the partial correlation of the row's variable with w, whose b is middle +
/// partial * width.
template <class Number, class Element>
void extend_factor(Square<Number>& factor, int v, const Element& element) {
  using std::sqrt;
  Number rest = 1;  // the square of what is left of the row
  for (int w = 0; w < v; ++w) {
    Number middle = 0;
    for (int k = 0; k < w; ++k) middle += factor[v][k] * factor[w][k];
    const Number width = factor[w][w] * sqrt(rest);
    const Number partial = element(w, middle, width);
    factor[v][w] = partial * sqrt(rest);
    rest *= Number(1) - partial * partial;
  }
  factor[v][v] = sqrt(rest);
}

/// Returns what is wrong with the smoothness of a pair, or with ranges; empty: nothing.
std::string check_pairs(const CovarianceModel& model, const Theta& theta) {
  const std::vector<std::string> names = model.names();
  for (int v = 0; v < model.variables; ++v) {
    for (int w = v + 1; w < model.variables; ++w) {
      const int excess = model.excess() + model.pair(v, w), range = model.range(v, w);
      const double nu = pair_smoothness(model, theta, v, w);
      if (nu > kMostSmoothness)
        return names[excess] + " is " + number(theta[excess], "%.6g") + ", but nu_" +
               std::to_string(v + 1) + std::to_string(w + 1) + ", " + number(nu, "%.6g") +
               ", must be at most " + number(kMostSmoothness, "%.6g");
      for (const int own : {model.range(v, v), model.range(w, w)}) {
        const double ratio = theta[range] / theta[own];
        if (ratio > kMostRangeRatio || ratio < 1 / kMostRangeRatio)
          return names[range] + " is " + number(theta[range], "%.6g") + " and " + names[own] +
                 " is " + number(theta[own], "%.6g") + ", but they may differ by a factor of " +
                 number(kMostRangeRatio, "%.6g") + " at most";
      }
    }
  }
  return {};
}

/// Finds the cross-correlations in complex numbers, whose small imaginary parts are derivatives.
using Complex = std::complex<double>;
std::vector<Complex> correlate(const CovarianceModel& model, const std::vector<Complex>& given,
                               const Square<Complex>& bound, const std::vector<Complex>& partial,
                               const std::vector<bool>& fixed) {
  const int first = model.time();
  Square<Complex> factor = square<Complex>(model.variables);
  std::vector<Complex> rho(partial.size());
  for (int v = 0; v < model.variables; ++v) {
    extend_factor(factor, v, [&](int w, Complex middle, Complex width) {
      const auto at = static_cast<std::size_t>(model.cross_correlation(w, v) - first);
      if (fixed[at]) {
        rho[at] = given[at];
        return (rho[at] / bound[v][w] - middle) / width;
      }
      rho[at] = bound[v][w] * (middle + partial[at] * width);
      return partial[at];
    });
  }
  return rho;
}

}  // namespace

double largest_cross_correlation(double nu_v, double nu_w, int dimension) {
  if (nu_v == nu_w) return 1;
  return std::exp(0.5 * (log_gamma_ratio(nu_v, dimension) + log_gamma_ratio(nu_w, dimension)) -
                  log_gamma_ratio(0.5 * (nu_v + nu_w), dimension));
}

double largest_cross_correlation(const CovarianceModel& model, const Theta& theta, int v, int w) {
  return pair_bound(model, theta, v, w).value;
}

std::string check_cross_correlations(const CovarianceModel& model, const Theta& theta) {
  const std::vector<std::string> names = model.names();
  Square<double> factor = square<double>(model.variables);
  std::string problem = model.has_full_cross() ? check_pairs(model, theta) : std::string();
  if (!problem.empty()) return problem;
  for (int v = 0; v < model.variables; ++v) {
    extend_factor(factor, v, [&](int w, double middle, double width) {
      const double bound = largest_cross_correlation(model, theta, w, v);
      const auto at = static_cast<std::size_t>(model.cross_correlation(w, v));
      const double partial = (theta[at] / bound - middle) / width;
      if (std::fabs(partial) <= 1 + kRounding) return std::fmax(std::fmin(partial, 1), -1);
      if (!std::isnan(partial) && problem.empty()) {
        problem = names[at] + " is " + number(theta[at], "%.6g") + ", but with " +
                  describe_bound(model, theta, w, v) +
                  (w > 0 ? " and the cross-correlations before it" : "") + " it must be from " +
                  number(bound * (middle - width), "%.6g") + " to " +
                  number(bound * (middle + width), "%.6g") + ", or no field has this covariance";
      }
      return std::numeric_limits<double>::quiet_NaN();
    });
  }
  return problem;
}

std::vector<double> partial_correlations(const CovarianceModel& model, const Theta& theta) {
  Square<double> factor = square<double>(model.variables);
  std::vector<double> partial(static_cast<std::size_t>(model.cross_correlations()));
  for (int v = 0; v < model.variables; ++v) {
    extend_factor(factor, v, [&](int w, double middle, double width) {
      const int at = model.cross_correlation(w, v);
      const double bound = largest_cross_correlation(model, theta, w, v);
      return partial[static_cast<std::size_t>(at - model.time())] =
                 bound == 0 ? 0 : (theta[at] / bound - middle) / width;
    });
  }
  return partial;
}

/// Derivatives are imaginary parts of results, of a step so small that nothing is rounded away
/// (Squire and Trapp, SIAM Review 40, 1998).
CrossCorrelations cross_correlations(const CovarianceModel& model, const Theta& theta,
                                     const std::vector<double>& partial,
                                     const std::vector<bool>& fixed) {
  constexpr double kStep = 1e-100;
  const int variables = model.variables;
  Square<Complex> bound = square<Complex>(variables);
  std::vector<Square<double>> slopes(theta.size(), square<double>(variables));
  for (int v = 0; v < variables; ++v) {
    bound[v][v] = 1;
    for (int w = 0; w < v; ++w) {
      const PairBound pair = pair_bound(model, theta, w, v);
      bound[v][w] = bound[w][v] = pair.value;
      for (const auto& [parameter, slope] : pair.slopes)
        slopes[parameter][v][w] = slopes[parameter][w][v] = pair.value * slope;
    }
  }
  const std::size_t count = partial.size(), first = static_cast<std::size_t>(model.time());
  std::vector<Complex> inputs(partial.begin(), partial.end()), given;
  for (std::size_t k = 0; k < count; ++k) given.emplace_back(theta[first + k]);
  CrossCorrelations result;
  for (const Complex& rho : correlate(model, given, bound, inputs, fixed))
    result.rho.push_back(rho.real());
  result.by_partial.assign(count, std::vector<double>(count));
  result.by_theta.assign(count, std::vector<double>(theta.size()));
  for (std::size_t j = 0; j < count; ++j) {
    Complex& changed = fixed[j] ? given[j] : inputs[j];
    changed += Complex(0, kStep);
    const std::vector<Complex> rho = correlate(model, given, bound, inputs, fixed);
    for (std::size_t i = 0; i < count; ++i)
      (fixed[j] ? result.by_theta[i][first + j] : result.by_partial[i][j]) = rho[i].imag() / kStep;
    changed = changed.real();
  }
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if (slopes[j] == square<double>(variables)) continue;
    Square<Complex> changed = bound;
    for (int v = 0; v < variables; ++v) {
      for (int w = 0; w < variables; ++w) changed[v][w] += Complex(0, slopes[j][v][w] * kStep);
    }
    const std::vector<Complex> rho = correlate(model, given, changed, inputs, fixed);
    for (std::size_t i = 0; i < count; ++i) result.by_theta[i][j] = rho[i].imag() / kStep;
  }
  return result;
}

}  // namespace tessera::gp
