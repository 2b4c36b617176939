// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/log/timings.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: the field at other points.
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// sum(t) += the squares of sum_j b(t, j) x(c(t, j), column), over the columns
template <class ExecSpace>
struct AddSquares {
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;
  VectorBlock<ExecSpace> x;
  NumberView<ExecSpace> sum;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t t) const {
    const auto width = static_cast<std::int64_t>(neighbours.extent(1)),
               columns = static_cast<std::int64_t>(x.extent(1));
    double squares = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      double value = 0;
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int32_t other = neighbours(t, j);
        if (other >= 0) value = compat::multiply_add(weights(t, j), x(other, c), value);
      }
      squares = compat::multiply_add(value, value, squares);
    }
    sum(t) += squares;
  }
};

template <class ExecSpace>
LatentPrediction LatentVecchiaSolver<ExecSpace>::predict(const LatentPoint& point,
                                                         const Points& targets) {
  const logging::Region region("tessera::gp::latent_predict");
  LatentEvaluation found;
  find_mode(point, found);
  const auto rows = m_vecchia.target_rows(point.theta, targets);
  const NeighbourTable table = host_table(rows.neighbours);
  const std::vector<double> weights = host_weights(rows.weights);
  std::vector<double> field(static_cast<std::size_t>(m_n));
  copy_to_host(m_exec, field.data(), m_field.data(), field.size());
  LatentPrediction prediction;
  prediction.variance = is_exact() ? exact_forms(table, weights) : estimated_forms(rows);
  for (std::int64_t t = 0; t < table.points; ++t) {
    double mean = 0;
    for (std::int64_t j = 0; j < table.width; ++j) {
      if (table.at(t, j) >= 0)
        mean += weights[static_cast<std::size_t>(t * table.width + j)] * field[table.at(t, j)];
    }
    prediction.mean.push_back(mean);
    prediction.variance[t] += std::max(rows.variance[static_cast<std::size_t>(t)], 0.0);
  }
  return prediction;
}

template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::exact_forms(
    const NeighbourTable& table, const std::vector<double>& weights) {
  factor_posterior();
  return m_cholesky->quadratic_forms(table, weights);
}

/// The mean of squares over fields that are drawn from the posterior.
template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::estimated_forms(
    const typename VecchiaSolver<ExecSpace>::TargetRows& rows) {
  m_system.refactor();
  const auto targets = static_cast<std::int64_t>(rows.neighbours.extent(0)),
             samples = static_cast<std::int64_t>(m_options.samples);
  const Numbers total = allocate_zeros<Numbers>(m_exec, "tessera::gp::sums_of_squares", targets);
  for (std::int64_t first = 0; first < samples; first += m_system.kColumns) {
    const std::int64_t columns = std::min(m_system.kColumns, samples - first);
    const Block z = block("tessera::gp::samples", columns),
                x = block("tessera::gp::solved_samples", columns);
    m_system.draw_samples(m_options.vecchia.seed, first, z);
    m_system.solve(z, x, 1e-6);
    Kokkos::parallel_for("tessera::gp::add_squares",
                         Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, targets),
                         AddSquares<ExecSpace>{rows.neighbours, rows.weights, x, total});
  }
  std::vector<double> forms = download(m_exec, total);
  for (double& form : forms) form /= static_cast<double>(samples);
  return forms;
}

}  // namespace tessera::gp::detail
