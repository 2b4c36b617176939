// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/exact/cross_validation.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/exact/shared_folds.hpp"
#include "tessera/gp/points/device_copies.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"

/// The exact solver: cross-validation. Included where it is instantiated.

namespace tessera::gp {

/// The error of prediction of a fold F is (P_FF)^-1 (P z)_F with covariance (P_FF)^-1, where P is
/// Sigma^-1 less its projection on the trend; the trend is estimated again without the fold.
template <class ExecSpace>
Prediction ExactSolver<ExecSpace>::cross_validate(const Theta& theta,
                                                  const std::vector<int>& fold) {
  require_factor(theta);
  whiten();
  const logging::Region region("tessera::gp::cross_validate");
  const Matrix weights = detail::allocate_matrix(m_exec, "weights", m_n, m_replicates + m_trends);
  Kokkos::deep_copy(m_exec, weights, m_white);
  m_factor->solve_transposed(block(weights));
  m_factored.clear();
  const Matrix projection =
      project_on_trend(block(weights).submatrix(0, m_replicates, m_n, m_trends));
  const Vector weight(Kokkos::subview(weights, Kokkos::ALL, 0));
  const detail::Folds folds(fold);
  std::optional<detail::SharedFolds<ExecSpace>> shared;
  if (m_ranks.size() > 1) shared.emplace(m_exec, folds, m_ranks);
  std::optional<detail::FoldErrors> errors;
  m_factor->invert([&](std::int64_t first, const Block& panel) {
    if (m_trends > 0)
      subtract_products(block(projection).submatrix(first, 0, panel.rows, m_trends), 1, panel);
    if (shared)
      shared->take(first, panel);
    else
      errors = detail::fold_errors(m_exec, panel, weight, folds);
  });
  if (shared) errors = shared->solve(weight);
  if (!errors)
    throw Error(ErrorKind::numerical, "the covariance of a fold is not positive definite",
                remedy_not_positive_definite(m_model));
  Prediction prediction{detail::host_copy(m_exec, m_data.data(), m_n), errors->variance, {}};
  for (std::size_t i = 0; i < fold.size(); ++i) prediction.mean[i] -= errors->error[i];
  for (std::size_t i = 0; i < fold.size(); ++i) {
    if (!std::isfinite(prediction.mean[i]) || !(prediction.variance[i] > 0))
      throw Error(
          ErrorKind::numerical,
          explain_unsolved(m_model, m_points, theta, i, m_points, static_cast<std::size_t>(m_n)),
          remedy_not_positive_definite(m_model));
  }
  return prediction;
}

/// The columns B K of P = Sigma^-1 - B C B', B = Sigma^-1 X, C = K K'; none without a trend.
template <class ExecSpace>
typename ExactSolver<ExecSpace>::Matrix ExactSolver<ExecSpace>::project_on_trend(
    const Block& trend) {
  const Matrix projection = detail::allocate_matrix(m_exec, "projection", m_n, m_trends);
  if (m_trends == 0) return projection;
  const linalg::Matrix factor = linalg::cholesky_factor(m_trend_covariance);
  std::vector<double> root;  // column by column
  for (std::int64_t column = 0; column < m_trends; ++column) {
    for (std::int64_t row = 0; row < m_trends; ++row)
      root.push_back(row >= column ? factor[row][column] : 0);
  }
  const Matrix k = detail::device_matrix(m_exec, "root", root, m_trends);
  m_factor->dense().gemm(1, trend, Transpose::no, block(k), Transpose::no, 0, block(projection));
  m_exec.fence();
  return projection;
}

}  // namespace tessera::gp
