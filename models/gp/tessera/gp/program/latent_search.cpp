// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/latent_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::gp {

namespace {

constexpr double kResponseRange = 6.9;     // in logarithms: a factor of 1000 to either side
constexpr double kCoefficientRange = 100;  // of predictors

double& parameter(Response& response, int k) { return k == 0 ? response.a : response.b; }

}  // namespace

LatentSearch::LatentSearch(const LatentPoint& start, const SearchSpace* space,
                           const std::vector<bool>& free_response, bool free_coefficients)
    : m_start(start) {
  if (space != nullptr) {
    m_space.emplace(*space);
    m_theta = space->size();
  }
  for (std::size_t k = 0; k < free_response.size(); ++k) {
    if (free_response[k]) m_response.push_back(static_cast<int>(k));
  }
  if (free_coefficients) m_coefficients = start.coefficients.size();
}

std::vector<double> LatentSearch::variables(const LatentPoint& point) const {
  std::vector<double> x = m_space ? m_space->variables(point.theta) : std::vector<double>();
  Response response = point.response;
  for (const int k : m_response) x.push_back(std::log(parameter(response, k)));
  x.insert(x.end(), point.coefficients.begin(),
           point.coefficients.begin() + static_cast<std::ptrdiff_t>(m_coefficients));
  return x;
}

LatentPoint LatentSearch::point(const std::vector<double>& x) const {
  LatentPoint point = m_start;
  if (m_space)
    point.theta = m_space->theta({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(m_theta)});
  for (std::size_t k = 0; k < m_response.size(); ++k)
    parameter(point.response, m_response[k]) = std::exp(x[m_theta + k]);
  for (std::size_t k = 0; k < m_coefficients; ++k)
    point.coefficients[k] = x[m_theta + m_response.size() + k];
  return point;
}

std::vector<double> LatentSearch::gradient(const LatentPoint& point,
                                           const LatentEvaluation& evaluation) const {
  std::vector<double> result;
  if (m_space) result = m_space->gradient(point.theta, evaluation.theta_gradient);
  Response response = point.response;
  for (const int k : m_response)
    result.push_back(evaluation.response_gradient[static_cast<std::size_t>(k)] *
                     parameter(response, k));
  for (std::size_t k = 0; k < m_coefficients; ++k)
    result.push_back(evaluation.coefficient_gradient[k]);
  return result;
}

optimize::Problem LatentSearch::problem(const FitParameters& fit, bool by_gradients) const {
  optimize::Problem problem;
  if (m_space) problem = m_space->problem(fit, m_start.theta);
  problem.method = by_gradients ? optimize::Method::lbfgs : optimize::Method::bobyqa;
  problem.value_tolerance = fit.tolerance;
  problem.max_evaluations = fit.max_evaluations;
  problem.probe = false;
  const std::vector<double> x = variables(m_start);
  for (std::size_t k = m_theta; k < x.size(); ++k) {
    const bool is_response = k < m_theta + m_response.size();
    const double range = is_response ? kResponseRange : kCoefficientRange;
    problem.start.push_back(x[k]);
    problem.lower.push_back(x[k] - range);
    problem.upper.push_back(x[k] + range);
    problem.step.push_back(0.3);
  }
  return problem;
}

std::vector<double> LatentSearch::errors(const LatentPoint& point,
                                         const std::vector<double>& errors) const {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> theta(point.theta.size(), unknown),
      response(response_parameters(point.response.family).size(), unknown),
      coefficients(point.coefficients.size(), unknown);
  for (std::size_t k = 0; k < m_theta; ++k) {
    const auto index = static_cast<std::size_t>(m_space->free()[k]);
    const bool is_logarithm = m_space->variables(point.theta)[k] == std::log(point.theta[index]);
    theta[index] = errors[k] * (is_logarithm ? point.theta[index] : 1);
  }
  Response of_point = point.response;
  for (std::size_t k = 0; k < m_response.size(); ++k)
    response[static_cast<std::size_t>(m_response[k])] =
        errors[m_theta + k] * parameter(of_point, m_response[k]);
  for (std::size_t k = 0; k < m_coefficients; ++k)
    coefficients[k] = errors[m_theta + m_response.size() + k];
  theta.insert(theta.end(), response.begin(), response.end());
  theta.insert(theta.end(), coefficients.begin(), coefficients.end());
  return theta;
}

}  // namespace tessera::gp
