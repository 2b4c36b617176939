// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/multivariate/elliptical.hpp"

#include "tessera/core/error.hpp"

namespace tessera::stable {

using linalg::Matrix;

void require_law(const EllipticalLaw& law) {
  const std::size_t d = law.location.size();
  detail::place_radial_nodes(law.alpha, law.dimension(), 1);
  const bool square =
      law.shape.size() == d && std::all_of(law.shape.begin(), law.shape.end(),
                                           [d](const auto& row) { return row.size() == d; });
  if (!square)
    throw Error(ErrorKind::input, "stable: the shape of a law in " + std::to_string(d) +
                                      " dimensions is not a matrix of as many rows and columns");
  const bool finite = std::all_of(law.location.begin(), law.location.end(),
                                  [](double v) { return std::isfinite(v); });
  if (!finite) throw Error(ErrorKind::input, "stable: the location of a law is not finite");
  linalg::cholesky_factor(law.shape);  // throws unless it is symmetric and positive
}

namespace detail {

namespace {

/// L M, for a lower triangle.
Matrix multiply(const Matrix& lower, const Matrix& other) {
  const std::size_t d = lower.size();
  Matrix product(d, std::vector<double>(d, 0.0));
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t j = 0; j < d; ++j) product[i][j] += lower[i][k] * other[k][j];
    }
  }
  return product;
}

double quantile_of(std::vector<double> values, double p) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

EllipticalState start_elliptical(const std::vector<double>& points, int dimension,
                                 const EllipticalOptions& options) {
  const auto d = static_cast<std::size_t>(std::max(dimension, 1));
  const std::size_t n = points.size() / d;
  const double alpha = options.fixed_alpha > 0 ? options.fixed_alpha : 1.6;
  place_radial_nodes(alpha, dimension, 1);  // checks both
  if (n * d != points.size())
    throw Error(ErrorKind::input, "stable: " + std::to_string(points.size()) +
                                      " values are no points of " + std::to_string(d) +
                                      " dimensions");
  if (n < d + 5) {
    throw Error(ErrorKind::input,
                "stable: " + std::to_string(n) + " points of " + std::to_string(d) + " dimensions",
                "a fit needs at least five points more than dimensions");
  }
  EllipticalState state{alpha, {}, Matrix(d, std::vector<double>(d, 0.0)), -INFINITY, {}};
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> own;
    for (std::size_t i = 0; i < n; ++i) own.push_back(points[i * d + j]);
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(own[i]))
        throw Error(ErrorKind::input, "stable: coordinate " + std::to_string(j + 1) + " of point " +
                                          std::to_string(i + 1) + " is not a finite number");
    }
    state.location.push_back(quantile_of(own, 0.5));
    state.factor[j][j] = 0.5 * (quantile_of(own, 0.75) - quantile_of(own, 0.25));
    if (!(state.factor[j][j] > 0))
      throw Error(ErrorKind::input,
                  "stable: more than half of the values of coordinate " + std::to_string(j + 1) +
                      " are the same",
                  "leave it out");
    if (!(state.factor[j][j] > 1e-150 && state.factor[j][j] < 1e150))
      throw Error(ErrorKind::input,
                  "stable: the quartiles of coordinate " + std::to_string(j + 1) +
                      " are too near or too far apart for a matrix of squares",
                  "give it in a unit in which they are between 1e-150 and 1e150");
  }
  return state;
}

void EllipticalSearch::update_location_and_shape(EllipticalState& state) const {
  const EllipticalSums& sums = state.sums;
  const std::size_t d = state.location.size();
  Matrix inner(d, std::vector<double>(d, 0.0));
  for (std::size_t j = 0, e = 0; j < d; ++j) {
    for (std::size_t k = 0; k <= j; ++k, ++e) {
      inner[j][k] = inner[k][j] =
          (sums.second[e] - sums.first[j] * sums.first[k] / sums.weight) / m_points;
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t k = 0; k <= j; ++k)
      state.location[j] += state.factor[j][k] * sums.first[k] / sums.weight;
  }
  try {
    state.factor = multiply(state.factor, linalg::cholesky_factor(inner));
  } catch (const Error&) {
    throw Error(ErrorKind::input, "stable: the points lie in a plane",
                "leave out a coordinate that follows from the others");
  }
  double least = INFINITY;
  for (std::size_t j = 0; j < d; ++j) {
    double norm = 0;
    for (std::size_t k = 0; k <= j; ++k) norm += state.factor[j][k] * state.factor[j][k];
    least = std::min(least, state.factor[j][j] / std::sqrt(norm));
  }
  if (!(least > 1e-7))
    throw Error(ErrorKind::input, "stable: the points lie in a plane",
                "leave out a coordinate that follows from the others");
}

double EllipticalSearch::gradient_norm(const EllipticalState& state) const {
  const EllipticalSums& sums = state.sums;
  double largest = alpha_is_free(state) ? std::fabs(sums.alpha) : 0;
  for (const double v : sums.first) largest = std::max(largest, std::fabs(v));
  for (std::size_t j = 0, e = 0; j < state.location.size(); ++j) {
    for (std::size_t k = 0; k <= j; ++k, ++e)
      largest = std::max(largest, std::fabs(sums.second[e] - (j == k ? m_points : 0)));
  }
  return largest / m_points;
}

void EllipticalSearch::find_step(const EllipticalState& state, double& d_alpha,
                                 double& d_size) const {
  const EllipticalSums& s = state.sums;
  d_alpha = 0;
  d_size = s.size / s.size_size;
  const double determinant = s.alpha_alpha * s.size_size - s.alpha_size * s.alpha_size;
  if (!alpha_is_free(state) || !(determinant > 0)) return;
  d_alpha = (s.alpha * s.size_size - s.size * s.alpha_size) / determinant;
  d_size = (s.size * s.alpha_alpha - s.alpha * s.alpha_size) / determinant;
  const double low = std::max(kLeastEllipticalAlpha, state.alpha - 0.3),
               high = std::min(state.alpha + 0.3, 0.5 * (state.alpha + 2));
  const double wanted = d_alpha;
  d_alpha = std::min(std::max(d_alpha, low - state.alpha), high - state.alpha);
  if (wanted != d_alpha) d_size = (s.size - s.alpha_size * d_alpha) / s.size_size;
  d_size = std::min(std::max(d_size, -0.5), 0.5);
}

EllipticalState EllipticalSearch::moved(const EllipticalState& state, double d_alpha,
                                        double d_size) {
  EllipticalState next = state;
  next.alpha += d_alpha;
  for (auto& row : next.factor) {
    for (double& v : row) v *= std::exp(d_size);
  }
  return next;
}

EllipticalFit EllipticalSearch::finish(const EllipticalState& state) const {
  const std::size_t d = state.location.size();
  const double dimension = static_cast<double>(d);
  EllipticalFit fit;
  fit.law = {state.alpha, state.location, Matrix(d, std::vector<double>(d, 0.0))};
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k <= std::min(i, j); ++k)
        fit.law.shape[i][j] += state.factor[i][k] * state.factor[j][k];
    }
  }
  fit.log_likelihood = state.log_likelihood;
  fit.gradient_norm = m_gradient;
  fit.iterations = m_iterations;
  const bool converged = m_gradient < m_options.tolerance;
  fit.status = !converged ? FitStatus::not_converged
               : m_at_end ? FitStatus::boundary
                          : FitStatus::converged;
  // The information of an elliptical law: locations stand alone, shapes but for their size too;
  // size and alpha go together.
  const EllipticalSums& s = state.sums;
  const bool free = alpha_is_free(state);
  const double determinant = s.alpha_alpha * s.size_size - s.alpha_size * s.alpha_size;
  fit.alpha_error = free                        ? std::sqrt(s.size_size / determinant)
                    : m_options.fixed_alpha > 0 ? 0
                                                : NAN;
  const double size_variance = free ? s.alpha_alpha / determinant : 1 / s.size_size;
  // E (r f'/f)^2 = E (size + d)^2, of which size has the mean 0.
  const double shape_variance =
      dimension * (dimension + 2) /
      (s.size_size + 2 * dimension * s.size + dimension * dimension * m_points);
  const Matrix& shape = fit.law.shape;
  fit.shape_error = shape;
  for (std::size_t i = 0; i < d; ++i) {
    fit.location_error.push_back(std::sqrt(shape[i][i] * dimension / s.slope));
    for (std::size_t j = 0; j < d; ++j) {
      // relative to the diagonal, whose products can overflow
      const double scale = std::sqrt(shape[i][i]) * std::sqrt(shape[j][j]),
                   correlation = shape[i][j] / scale, square = correlation * correlation;
      fit.shape_error[i][j] =
          scale * std::sqrt(shape_variance * (1 + square - 2 / dimension * square) +
                            4 * size_variance * square);
    }
  }
  return fit;
}

}  // namespace detail

}  // namespace tessera::stable
