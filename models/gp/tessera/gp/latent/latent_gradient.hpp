// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "tessera/core/log/timings.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: derivatives of the likelihood.
/// Included where it is instantiated.

namespace tessera::gp::detail {

template <class ExecSpace>
typename LatentVecchiaSolver<ExecSpace>::Displaced LatentVecchiaSolver<ExecSpace>::displaced(
    const Theta& theta) {
  const auto factor = m_vecchia.factor(theta);
  Displaced one;
  one.weights = factor.weights;
  one.variance = factor.variance;
  for (const double d : download(m_exec, factor.variance)) one.log_sum += std::log(d);
  return one;
}

/// A parameter changes by 2e-5 of itself, an angle by 2e-5, to either side as far as the model
/// allows.
template <class ExecSpace>
std::vector<typename LatentVecchiaSolver<ExecSpace>::Difference>
LatentVecchiaSolver<ExecSpace>::displace(const Theta& theta) {
  std::vector<Difference> differences;
  for (int k = 0; k < m_model.parameters(); ++k) {
    const double unit = m_model.is_angle(k) ? 1 : theta[k] > 0 ? theta[k] : theta[0];
    Theta up = theta, down = theta;
    up[k] += 2e-5 * unit;
    if (theta[k] > 0 || m_model.is_angle(k)) down[k] -= 2e-5 * unit;
    if (!check(m_model, up).empty()) up = theta;
    if (!check(m_model, down).empty()) down = theta;
    differences.push_back({displaced(up), displaced(down), up[k] - down[k]});
  }
  return differences;
}

/// Returns the terms of l that depend on Q alone, with mode, A^-1 and u held.
template <class ExecSpace>
double LatentVecchiaSolver<ExecSpace>::terms_of_prior(const Displaced& one, const Block& fields) {
  m_factor->multiply(one.weights, fields, m_image);
  const Block scaled = block("tessera::gp::scaled_image", 2);
  m_system.algebra().divide(scaled, m_image, one.variance);
  const std::vector<double> forms = m_system.algebra().sum(m_image, scaled);
  // -1/2 w'Qw - u'Qw = -1/2 (w + u)'Q(w + u) + 1/2 u'Qu
  return -0.5 * forms[0] + 0.5 * forms[1] - 0.5 * one.log_sum - 0.5 * one.determinant;
}

/// The gradient takes c = -1/2 diag(A^-1) dW/df, which is the slope of l in the mode, and u = A^-1
/// c.
template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_gradient(const LatentPoint& point,
                                                  LatentEvaluation& result) {
  const logging::Region region("tessera::gp::latent_gradient");
  std::vector<double> slope = download(m_exec, m_weight_slope);
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] *= -0.5 * m_posterior_variance[i];
  upload_to(m_exec, slope, flat(m_residual));
  m_system.solve(m_residual, m_step, 1e-8);
  std::vector<double> field(static_cast<std::size_t>(m_n)), u(field.size()), both;
  copy_to_host(m_exec, field.data(), m_field.data(), field.size());
  copy_to_host(m_exec, u.data(), m_step.data(), u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    both.push_back(field[i] + u[i]);
    both.push_back(u[i]);
  }
  const Block fields = block("tessera::gp::mode_and_adjoint", 2);
  upload_to(m_exec, both, flat(fields));
  for (const Difference& difference : m_differences)
    result.theta_gradient.push_back(
        (terms_of_prior(difference.up, fields) - terms_of_prior(difference.down, fields)) /
        difference.width);
  m_differences.clear();
  add_response_gradient(point, field, u, result);
  add_coefficient_gradient(point, field, u, result);
}

/// Returns log p(y | w) - 1/2 tr(A^-1 W) + u' d log p / df with mode, A^-1 and u held.
template <class ExecSpace>
double LatentVecchiaSolver<ExecSpace>::terms_of_response(const Response& response,
                                                         const std::vector<double>& field,
                                                         const std::vector<double>& u) const {
  long double total = log_normaliser(response, m_values);
  for (std::size_t i = 0; i < field.size(); ++i) {
    const ResponseSlopes s =
        response.slopes(m_ordered_values[i], m_ordered_predictor[i] + field[i]);
    total += s.value - 0.5 * m_posterior_variance[i] * s.weight + u[i] * s.slope;
  }
  return static_cast<double>(total);
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_response_gradient(const LatentPoint& point,
                                                           const std::vector<double>& field,
                                                           const std::vector<double>& u,
                                                           LatentEvaluation& result) const {
  const std::size_t count = response_parameters(point.response.family).size();
  for (std::size_t k = 0; k < count; ++k) {
    Response up = point.response, down = point.response;
    const double step = 1e-5 * (k == 0 ? up.a : up.b);
    (k == 0 ? up.a : up.b) += step;
    (k == 0 ? down.a : down.b) -= step;
    result.response_gradient.push_back(
        (terms_of_response(up, field, u) - terms_of_response(down, field, u)) / (2 * step));
  }
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_coefficient_gradient(const LatentPoint& point,
                                                              const std::vector<double>& field,
                                                              const std::vector<double>& u,
                                                              LatentEvaluation& result) const {
  result.coefficient_gradient.assign(m_trend.size(), 0.0);
  for (std::size_t i = 0; i < field.size(); ++i) {
    const ResponseSlopes s =
        point.response.slopes(m_ordered_values[i], m_ordered_predictor[i] + field[i]);
    const double slope = s.slope - 0.5 * m_posterior_variance[i] * s.weight_slope - s.weight * u[i];
    for (std::size_t k = 0; k < m_trend.size(); ++k)
      result.coefficient_gradient[k] += slope * m_trend[k][m_order[i]];
  }
}

}  // namespace tessera::gp::detail
