// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: the data, and the mode of the field by Newton's method.
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// The terms of the observations at a field w: log p, its slope, the weight, the weight's slope; 0
/// where the observation is left out.
template <class ExecSpace>
struct Respond {
  Response response;
  NumberView<ExecSpace> values, predictor;
  VectorBlock<ExecSpace> field;
  VectorBlock<ExecSpace> value, slope;
  NumberView<ExecSpace> weight, weight_slope, newton_weight;
  NumberView<ExecSpace> left_out;  // 1: it is
  bool near;                       // to the mode
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const ResponseSlopes s = left_out(i) > 0
                                 ? ResponseSlopes{0, 0, 0, 0, 0, 0}
                                 : response.slopes(values(i), predictor(i) + field(i, 0));
    value(i, 0) = s.value;
    slope(i, 0) = s.slope;
    weight(i) = s.weight;
    weight_slope(i) = s.weight_slope;
    newton_weight(i) = near ? s.near_weight : s.far_weight;
  }
};

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::set_data(const std::vector<double>& values,
                                              const std::vector<double>& offset,
                                              const std::vector<std::vector<double>>& trend) {
  m_values = values;
  m_offset = offset;
  m_trend = trend;
  fill(m_exec, m_field, 0.0);
  m_ordered = false;
}

template <class ExecSpace>
bool LatentVecchiaSolver<ExecSpace>::prepare(const Theta& theta) {
  const std::vector<double> field = m_order.empty() ? std::vector<double>() : mode();
  if (!m_vecchia.prepare(theta)) return false;
  m_order = download(m_exec, m_vecchia.order());
  m_factor.emplace(m_exec, find_pattern(m_exec, m_vecchia.all_neighbours()));
  m_cholesky.reset();
  m_ordered = false;
  if (!field.empty()) upload_to(m_exec, in_order(field), flat(m_field));
  return true;
}

template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::mode() const {
  std::vector<double> field(static_cast<std::size_t>(m_n)), given(field.size());
  copy_to_host(m_exec, field.data(), m_field.data(), field.size());
  for (std::size_t k = 0; k < field.size(); ++k) given[m_order[k]] = field[k];
  return given;
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::set_mode(const std::vector<double>& field) {
  upload_to(m_exec, in_order(field), flat(m_field));
}

/// Puts the observations into the order of the points, and uploads their predictors.
template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::upload_data(const std::vector<double>& coefficients) {
  if (!m_ordered) {
    m_ordered_values = in_order(m_values);
    m_device_values = upload(m_exec, "tessera::gp::responses", m_ordered_values);
    m_ordered = true;
  }
  std::vector<double> predictor = m_offset;
  predictor.resize(static_cast<std::size_t>(m_n), 0.0);
  for (std::size_t k = 0; k < m_trend.size(); ++k) {
    for (std::size_t i = 0; i < predictor.size(); ++i)
      predictor[i] += coefficients[k] * m_trend[k][i];
  }
  m_ordered_predictor = in_order(predictor);
  upload_to(m_exec, m_ordered_predictor, m_predictor);
}

/// log p(y | w) - 1/2 w' Q w, with the slope of the first term in m_slope and its weights. The
/// image Q w stands in m_image.
template <class ExecSpace>
double LatentVecchiaSolver<ExecSpace>::objective(const Response& response, const Block& field,
                                                 bool near) {
  Kokkos::parallel_for(
      "tessera::gp::respond", Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, m_n),
      Respond<ExecSpace>{response, m_device_values, m_predictor, field, m_value, m_slope, m_weight,
                         m_weight_slope, m_newton_weight, m_left_out, near});
  const Block image = Block(m_image.data(), m_n, 1);
  m_system.multiply_prior(field, image);
  return m_system.algebra().sum(m_value)[0] - 0.5 * m_system.algebra().sum(field, image)[0];
}

/// Newton's method; a step that does not raise the objective is halved. It has converged when a
/// step promises less than 1e-12 of the number of observations, and that step is taken; 1e-16
/// where weights that are cut off make the convergence linear.
template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::find_mode(const LatentPoint& point, LatentEvaluation& result) {
  const logging::Region region("tessera::gp::find_mode");
  if (m_order.empty()) prepare(point.theta);
  m_system.set_iterations(0);
  const auto factor = m_vecchia.factor(point.theta);
  m_factor->set_weights(factor.weights);
  copy(m_exec, m_variance.data(), factor.variance.data(), static_cast<std::size_t>(m_n));
  upload_data(point.coefficients);
  const Block image = Block(m_image.data(), m_n, 1);
  m_system.set(*m_factor, m_variance, m_newton_weight);
  bool near = false, is_stale = true;          // is_stale: the preconditioner
  constexpr std::int64_t kMostIterations = 6;  // before there is another one
  double value = objective(point.response, m_field, near);
  if (!std::isfinite(value)) {
    fill(m_exec, m_field, 0.0);
    value = objective(point.response, m_field, near);
  }
  const double share = point.response.family == ResponseFamily::student_t ? 1e-16 : 1e-12,
               enough = share * static_cast<double>(m_n + 10);
  const BlockAlgebra<ExecSpace>& algebra = m_system.algebra();
  for (bool last = false; !last;) {
    if (result.newton_steps == m_options.newton_steps)
      throw Error(ErrorKind::numerical,
                  "Newton's method has not found the mode of the field in " +
                      std::to_string(m_options.newton_steps) + " steps",
                  "raise likelihood.newton_steps");
    ++result.newton_steps;
    if (is_stale) m_system.refactor();
    algebra.copy_block(m_residual, m_slope);
    algebra.combine(m_residual, {1}, image, {-1});
    const std::int64_t before = m_system.iterations();
    m_system.solve(m_residual, m_step, 1e-4);
    is_stale = m_system.iterations() - before > kMostIterations;
    const double promise = algebra.sum(m_residual, m_step)[0];
    if (!(promise >= 0))
      throw Error(ErrorKind::numerical, "Newton's method for the field has no finite step",
                  "give the covariance a nugget or a smaller range");
    last = promise <= enough;
    near = promise <= 1e-4 * static_cast<double>(m_n);
    const double rounding = 1e-12 * (std::fabs(value) + 1);
    double length = 1, next = 0;
    for (int halving = 0;; ++halving, length *= 0.5) {
      algebra.copy_block(m_trial, m_field);
      algebra.combine(m_trial, {1}, m_step, {length});
      next = objective(point.response, m_trial, near);
      if (std::isfinite(next) && next >= value + 1e-4 * length * promise - rounding) break;
      if (halving == 50)
        throw Error(ErrorKind::numerical,
                    "no step of Newton's method raises the density of the field",
                    "give the covariance a nugget, or another start of the fit");
    }
    algebra.copy_block(m_field, m_trial);
    value = next;
  }
  m_system.set_weight(m_weight);
  result.loglik = value + log_normaliser(point.response, m_values);
}

}  // namespace tessera::gp::detail
