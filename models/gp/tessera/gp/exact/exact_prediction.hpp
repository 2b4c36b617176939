// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/device_sums.hpp"
#include "tessera/gp/points/device_copies.hpp"

/// The exact solver: kriging, draws and the kriging variance of a wrong model. Included where it is
/// instantiated.

namespace tessera::gp {

template <class ExecSpace>
Prediction ExactSolver<ExecSpace>::predict(const Theta& theta, const Points& points,
                                           const std::vector<std::vector<double>>& trend,
                                           const DrawOptions& draws) {
  require_factor(theta);
  whiten();
  const logging::Region region("tessera::gp::predict");
  const std::int64_t m = static_cast<std::int64_t>(points.size()),
                     chunk = draws.count > 0 ? m : std::min(m, kChunk);
  const bool divided = draws.count == 0;  // draws need all targets together
  const parallel::Range mine = divided ? m_ranks.share(m) : parallel::Range{0, m};
  const std::int64_t steps = ((divided ? m_ranks.share_of(0, m).size() : m) + chunk - 1) /
                             std::max<std::int64_t>(chunk, 1);
  const PointView<ExecSpace> others = place(theta, points);
  const Matrix cross = detail::allocate_matrix(m_exec, "cross_covariance", m_n, chunk),
               sums = detail::allocate_matrix(m_exec, "sums", chunk, m_replicates + m_trends);
  const auto squares = allocate<Vector>(m_exec, "tessera::gp::squares", chunk);
  Prediction prediction;
  prediction.mean.resize(static_cast<std::size_t>(m * m_replicates));
  prediction.variance.resize(static_cast<std::size_t>(m));
  // x* - X' Sigma^-1 k, point by point
  std::vector<double> trend_rest(static_cast<std::size_t>(m * m_trends));
  for (std::int64_t step = 0; step < steps; ++step) {  // as many on every rank
    stop_at_signal();
    const std::int64_t first = std::min(mine.begin + step * chunk, mine.end),
                       count = std::min(chunk, mine.end - first);
    const Block k = block(cross).submatrix(0, 0, m_n, count);
    m_covariance.visit(theta, [&](const auto& covariance) {
      fill_cross(m_exec, covariance, own_points(theta), others, first, count, k.data, k.stride);
    });
    m_factor->solve(k);
    if (count == 0) continue;
    const Block into{sums.data(), count, m_replicates + m_trends, count};
    m_factor->dense().gemm(1, k, Transpose::yes, block(m_white), Transpose::no, 0, into);
    Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, count),
                         detail::ColumnDots<ExecSpace>{k, k, squares});
    const std::vector<double> sum = detail::host_copy(m_exec, into),
                              square = detail::host_copy(m_exec, squares.data(), count);
    for (std::int64_t c = 0; c < count; ++c) {
      const std::size_t at = static_cast<std::size_t>(first + c);
      double* u = trend_rest.data() + at * m_trends;
      for (std::int64_t i = 0; i < m_trends; ++i)
        u[i] = trend[i][at] - sum[c + (m_replicates + i) * count];
      for (std::int64_t r = 0; r < m_replicates; ++r) {
        double mean = sum[c + r * count];
        for (std::int64_t i = 0; i < m_trends; ++i)
          mean += trend[i][at] * m_coefficients[i + r * m_trends];
        prediction.mean[at * m_replicates + r] = mean;
      }
      double variance = field_variance(m_model, theta, points, at) - square[c];
      for (std::int64_t i = 0; i < m_trends; ++i) {
        for (std::int64_t j = 0; j < m_trends; ++j)
          variance += u[i] * m_trend_covariance[i][j] * u[j];
      }
      prediction.variance[at] = std::max(variance, 0.0);  // rounding, at an observed point
    }
  }
  if (divided) {
    prediction.mean =
        m_ranks.all_gather(std::vector<double>(prediction.mean.begin() + mine.begin * m_replicates,
                                               prediction.mean.begin() + mine.end * m_replicates));
    prediction.variance = m_ranks.all_gather(std::vector<double>(
        prediction.variance.begin() + mine.begin, prediction.variance.begin() + mine.end));
  }
  if (draws.count > 0) draw(theta, points, others, block(cross), trend_rest, draws, prediction);
  return prediction;
}

/// The conditional covariance is that of the points, less what the data explain, plus the
/// uncertainty of the trend.
template <class ExecSpace>
void ExactSolver<ExecSpace>::draw(const Theta& theta, const Points& points,
                                  const PointView<ExecSpace>& others, const Block& white_cross,
                                  const std::vector<double>& trend_rest, const DrawOptions& draws,
                                  Prediction& prediction) {
  const std::int64_t m = static_cast<std::int64_t>(points.size());
  const Matrix conditional = detail::allocate_matrix(m_exec, "conditional_covariance", m, m);
  m_covariance.visit(theta, [&](auto covariance) {
    covariance.use_jitter(draws.jitter);
    fill_lower(m_exec, covariance, others, conditional.data(), m);
  });
  m_factor->dense().syrk(-1, white_cross, Transpose::yes, 1, block(conditional));
  if (m_trends > 0) {
    const Matrix u = detail::device_matrix(m_exec, "trend_rest", trend_rest, m_trends),
                 scaled_u = detail::allocate_matrix(m_exec, "scaled_trend_rest", m_trends, m);
    std::vector<double> flat;
    for (const auto& row : m_trend_covariance) flat.insert(flat.end(), row.begin(), row.end());
    const Matrix covariance = detail::device_matrix(m_exec, "trend_covariance", flat, m_trends);
    m_factor->dense().gemm(1, block(covariance), Transpose::no, block(u), Transpose::no, 0,
                           block(scaled_u));
    m_factor->dense().gemm(1, block(u), Transpose::yes, block(scaled_u), Transpose::no, 1,
                           block(conditional));
    m_exec.fence();
  }
  linalg::Dense<ExecSpace> dense(m_exec, m);
  if (const std::int64_t failed = dense.factor(block(conditional)); failed != 0) {
    throw Error(ErrorKind::numerical,
                "the conditional covariance of the predictions is not positive definite: point " +
                    std::to_string(failed) + " at " +
                    points.text(static_cast<std::size_t>(failed - 1)) +
                    " is determined by those before it",
                "raise predict.jitter, or draw at fewer points");
  }
  const Matrix fields = detail::device_matrix(m_exec, "draws", draws.normals, m);
  dense.multiply(block(conditional), block(fields));
  const std::vector<double> deviation = detail::host_copy(m_exec, block(fields));
  prediction.draws.resize(deviation.size());
  for (std::int64_t d = 0; d < draws.count; ++d) {
    for (std::int64_t i = 0; i < m; ++i)
      prediction.draws[i * draws.count + d] =
          prediction.mean[i * m_replicates] + deviation[i + d * m];
  }
}

/// E_t,a = sigma2_t - 2 w' k_t + w' Sigma_t w with the weights w = Sigma_a^-1 k_a of the predictor
/// in use. The ranks share the targets, of which they take as many at a time as need an eighth of
/// the matrix: each time needs two factors.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::misspecified_variance(const Theta& truth,
                                                                  const Theta& used,
                                                                  const Points& points) {
  const std::int64_t m = static_cast<std::int64_t>(points.size()),
                     most = std::max(kChunk, m_n / (8 * m_ranks.size())),
                     own = m_ranks.share_of(0, m).size(), chunk = std::min(own, most);
  const parallel::Range mine = m_ranks.share(m);
  const Matrix weights = detail::allocate_matrix(m_exec, "weights", m_n, chunk),
               cross = detail::allocate_matrix(m_exec, "cross_covariance", m_n,
                                               std::min(chunk, kChunk));
  const PointView<ExecSpace> with_used = place(used, points), with_truth = place(truth, points);
  std::vector<double> variance;
  for (std::int64_t begin = 0; begin < own; begin += chunk) {  // as often on every rank
    stop_at_signal();
    const std::int64_t first = std::min(mine.begin + begin, mine.end),
                       count = std::min(chunk, mine.end - first);
    const Block w = block(weights).submatrix(0, 0, m_n, count);
    require_factor(used);
    m_covariance.visit(used, [&](const auto& covariance) {
      fill_cross(m_exec, covariance, own_points(used), with_used, first, count, w.data, w.stride);
    });
    m_factor->solve(w);
    m_factor->solve_transposed(w);
    require_factor(truth);
    const auto squares = allocate<Vector>(m_exec, "tessera::gp::squares", count);
    for (std::int64_t c = 0; c < count; c += kChunk) {
      const std::int64_t columns = std::min(kChunk, count - c);
      const Block k = block(cross).submatrix(0, 0, m_n, columns);
      m_covariance.visit(truth, [&](const auto& covariance) {
        fill_cross(m_exec, covariance, own_points(truth), with_truth, first + c, columns, k.data,
                   k.stride);
      });
      Kokkos::parallel_for(
          "tessera::gp::squares", detail::teams(m_exec, columns),
          detail::ColumnDots<ExecSpace>{w.submatrix(0, c, m_n, columns), k,
                                        Kokkos::subview(squares, std::make_pair(c, c + columns))});
    }
    const std::vector<double> common = download(m_exec, squares);
    m_factor->multiply_transposed(w);
    if (count == 0) continue;
    Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, count),
                         detail::ColumnDots<ExecSpace>{w, w, squares});
    const std::vector<double> square = download(m_exec, squares);
    for (std::size_t i = 0; i < square.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(first) + i;
      variance.push_back(square[i] + field_variance(m_model, truth, points, at) - 2 * common[i]);
    }
  }
  return m_ranks.all_gather(variance);
}

}  // namespace tessera::gp
