// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/cross_correlations.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>

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

/// Finds the cross-correlations in complex numbers, whose small imaginary parts are derivatives.
using Complex = std::complex<double>;
std::vector<Complex> correlate(const CovarianceModel& model, const Theta& theta,
                               const Square<Complex>& bound, const std::vector<Complex>& partial,
                               const std::vector<bool>& fixed) {
  const int first = model.time();
  Square<Complex> factor = square<Complex>(model.variables);
  std::vector<Complex> rho(partial.size());
  for (int v = 0; v < model.variables; ++v) {
    extend_factor(factor, v, [&](int w, Complex middle, Complex width) {
      const auto at = static_cast<std::size_t>(model.cross_correlation(w, v) - first);
      if (fixed[at]) {
        rho[at] = theta[first + at];
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

std::string check_cross_correlations(const CovarianceModel& model, const Theta& theta) {
  const std::vector<std::string> names = model.names();
  Square<double> factor = square<double>(model.variables);
  std::string problem;
  for (int v = 0; v < model.variables; ++v) {
    extend_factor(factor, v, [&](int w, double middle, double width) {
      const double nu[2] = {theta[model.shape() + w], theta[model.shape() + v]};
      const double bound = largest_cross_correlation(nu[0], nu[1], model.dimension);
      const auto at = static_cast<std::size_t>(model.cross_correlation(w, v));
      const double partial = (theta[at] / bound - middle) / width;
      if (std::fabs(partial) <= 1 + kRounding) return std::fmax(std::fmin(partial, 1), -1);
      if (!std::isnan(partial) && problem.empty()) {
        problem = names[at] + " is " + number(theta[at], "%.6g") + ", but with nu_" +
                  std::to_string(w + 1) + " = " + number(nu[0], "%.4g") + " and nu_" +
                  std::to_string(v + 1) + " = " + number(nu[1], "%.4g") + " in " +
                  std::to_string(model.dimension) +
                  (model.dimension == 1 ? " coordinate" : " coordinates") +
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
      const double bound = largest_cross_correlation(theta[model.shape() + w],
                                                     theta[model.shape() + v], model.dimension);
      return partial[static_cast<std::size_t>(at - model.time())] =
                 (theta[at] / bound - middle) / width;
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
  const double* const nu = theta.data() + model.shape();
  Square<Complex> bound = square<Complex>(variables);
  for (int v = 0; v < variables; ++v) {
    for (int w = 0; w < variables; ++w)
      bound[v][w] = largest_cross_correlation(nu[v], nu[w], model.dimension);
  }
  std::vector<Complex> inputs(partial.begin(), partial.end());
  CrossCorrelations result;
  for (const Complex& rho : correlate(model, theta, bound, inputs, fixed))
    result.rho.push_back(rho.real());
  const std::size_t count = partial.size();
  result.by_partial.assign(count, std::vector<double>(count));
  result.by_smoothness.assign(count, std::vector<double>(static_cast<std::size_t>(variables)));
  for (std::size_t j = 0; j < count; ++j) {
    inputs[j] += Complex(0, kStep);
    const std::vector<Complex> rho = correlate(model, theta, bound, inputs, fixed);
    for (std::size_t i = 0; i < count; ++i) result.by_partial[i][j] = rho[i].imag() / kStep;
    inputs[j] = partial[j];
  }
  for (int v = 0; v < variables; ++v) {
    Square<Complex> changed = bound;
    for (int w = 0; w < variables; ++w) {
      if (w == v) continue;
      const double slope =
          bound[v][w].real() * log_bound_slope(nu[v], nu[w], model.dimension) * kStep;
      changed[v][w] += Complex(0, slope);
      changed[w][v] += Complex(0, slope);
    }
    const std::vector<Complex> rho = correlate(model, theta, changed, inputs, fixed);
    for (std::size_t i = 0; i < count; ++i)
      result.by_smoothness[i][static_cast<std::size_t>(v)] = rho[i].imag() / kStep;
  }
  return result;
}

}  // namespace tessera::gp
