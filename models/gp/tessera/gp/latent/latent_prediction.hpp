// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/core/log/timings.hpp"
#include "tessera/gp/latent/latent_batches.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: the field at other points, at points left
/// out, and draws.
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// sum(t) = the squares of sum_j b(t, j) x(c(t, j), column), over the columns
template <class ExecSpace>
struct SumSquares {
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
    sum(t) = squares;
  }
};

/// fields(t, c) += sum_j b(t, j) x(c(t, j), c)
template <class ExecSpace>
struct AddRows {
  NeighbourView<ExecSpace> neighbours;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace> weights;
  VectorBlock<ExecSpace> x, fields;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto width = static_cast<std::int64_t>(neighbours.extent(1)),
               columns = static_cast<std::int64_t>(x.extent(1));
    const std::int64_t t = k / columns, c = k % columns;
    double value = fields(t, c);
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int32_t other = neighbours(t, j);
      if (other >= 0) value = compat::multiply_add(weights(t, j), x(other, c), value);
    }
    fields(t, c) = value;
  }
};

/// x(i, c) += y(i)
template <class ExecSpace>
struct AddToColumns {
  VectorBlock<ExecSpace> x, y;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    const auto columns = static_cast<std::int64_t>(x.extent(1));
    x(k / columns, k % columns) += y(k / columns, 0);
  }
};

template <class ExecSpace>
LatentPrediction LatentVecchiaSolver<ExecSpace>::predict(const LatentPoint& point,
                                                         const Points& targets) {
  const logging::Region region("tessera::gp::latent_predict");
  LatentEvaluation found;
  find_mode(point, found);
  return predict(m_vecchia.target_rows(point.theta, targets));
}

/// The field at targets that are made from the data by `rows`, at the present mode.
template <class ExecSpace>
LatentPrediction LatentVecchiaSolver<ExecSpace>::predict(const TargetRows& rows) {
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

/// Targets that are some of the data's points themselves.
template <class ExecSpace>
typename LatentVecchiaSolver<ExecSpace>::TargetRows LatentVecchiaSolver<ExecSpace>::own_rows(
    const std::vector<std::size_t>& rows) const {
  std::vector<std::int32_t> position(static_cast<std::size_t>(m_n)), neighbours;
  for (std::size_t k = 0; k < m_order.size(); ++k)
    position[m_order[k]] = static_cast<std::int32_t>(k);
  for (const std::size_t row : rows) neighbours.push_back(position[row]);
  TargetRows result{
      allocate<NeighbourView<ExecSpace>>(m_exec, "tessera::gp::left_out_rows", rows.size(), 1),
      allocate<Weights>(m_exec, "tessera::gp::left_out_weights", rows.size(), 1),
      std::vector<double>(rows.size(), 0.0)};
  copy_from_host(m_exec, result.neighbours.data(), neighbours.data(), neighbours.size());
  fill(m_exec, result.weights, 1.0);
  return result;
}

template <class ExecSpace>
LatentPrediction LatentVecchiaSolver<ExecSpace>::leave_out(const LatentPoint& point,
                                                           const std::vector<std::size_t>& rows) {
  const logging::Region region("tessera::gp::latent_leave_out");
  if (m_order.empty()) prepare(point.theta);
  const Block mode = block("tessera::gp::mode_of_all", 1);
  m_system.algebra().copy_block(mode, m_field);
  std::vector<double> left_out(static_cast<std::size_t>(m_n), 0.0);
  for (const std::size_t row : rows) left_out[row] = 1;
  upload_to(m_exec, in_order(left_out), m_left_out);
  LatentEvaluation found;
  find_mode(point, found);
  const LatentPrediction prediction = predict(own_rows(rows));
  fill(m_exec, m_left_out, 0.0);
  m_system.algebra().copy_block(m_field, mode);
  return prediction;
}

template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::exact_forms(
    const NeighbourTable& table, const std::vector<double>& weights) {
  factor_posterior();
  m_cholesky->gather();
  return m_cholesky->quadratic_forms(table, weights);
}

/// The mean of squares over fields that are drawn from the posterior.
template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::estimated_forms(const TargetRows& rows) {
  m_system.refactor();
  const auto targets = static_cast<std::int64_t>(rows.neighbours.extent(0));
  std::vector<double> forms(static_cast<std::size_t>(targets), 0.0);
  share_batches(
      m_options.samples,
      [&](std::int64_t first, std::int64_t columns) {
        const Block z = block("tessera::gp::samples", columns),
                    x = block("tessera::gp::solved_samples", columns);
        m_system.draw_samples(m_options.vecchia.seed, first, z);
        m_system.solve(z, x, 1e-6);
        const Numbers squares = allocate<Numbers>(m_exec, "tessera::gp::sums_of_squares", targets);
        Kokkos::parallel_for("tessera::gp::sum_squares",
                             Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, targets),
                             SumSquares<ExecSpace>{rows.neighbours, rows.weights, x, squares});
        return download(m_exec, squares);
      },
      [&](std::int64_t, std::int64_t, const std::vector<double>& squares) {
        for (std::size_t t = 0; t < forms.size(); ++t) forms[t] += squares[t];
      });
  for (double& form : forms) form /= static_cast<double>(m_options.samples);
  return forms;
}

/// Draws fields with the precision A about the mode.
template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::draw_posterior(std::int64_t first, const Block& fields) {
  const auto columns = static_cast<std::int64_t>(fields.extent(1));
  if (is_exact()) {
    std::vector<double> vectors(fields.span());
    m_system.draw_normals(m_options.vecchia.seed, first, fields);
    copy_to_host(m_exec, vectors.data(), fields.data(), vectors.size());
    m_cholesky->solve_transposed(vectors, columns);
    copy_from_host(m_exec, fields.data(), vectors.data(), vectors.size());
  } else {
    const Block z = block("tessera::gp::samples", columns);
    m_system.draw_samples(m_options.vecchia.seed, first, z);
    m_system.solve(z, fields, 1e-6);
  }
  m_system.algebra().for_each_number("tessera::gp::add_mode", fields,
                                     AddToColumns<ExecSpace>{fields, m_field});
}

/// What the data leave of the field at the targets is drawn as that of a field of zero.
template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::draw(const LatentPoint& point,
                                                         const Points& targets,
                                                         const DrawOptions& draws) {
  const logging::Region region("tessera::gp::latent_draw");
  LatentEvaluation found;
  find_mode(point, found);
  if (is_exact()) {
    factor_posterior();
    m_cholesky->gather();
  } else {
    m_system.refactor();
  }
  const TargetRows rows = m_vecchia.target_rows(point.theta, targets);
  m_vecchia.set_data(std::vector<double>(static_cast<std::size_t>(m_n), 0.0), {});
  std::vector<double> result = m_vecchia.predict(point.theta, targets, {}, draws).draws;
  m_vecchia.set_data({}, {});
  const auto count = static_cast<std::int64_t>(targets.size());
  const auto for_each = [&](std::int64_t first, std::int64_t columns, const auto& visit) {
    for (std::int64_t k = 0; k < count * columns; ++k)
      visit(result[static_cast<std::size_t>(k / columns * draws.count + first + k % columns)],
            static_cast<std::size_t>(k));
  };
  share_batches(
      draws.count,
      [&](std::int64_t first, std::int64_t columns) {
        const Block x = block("tessera::gp::posterior_draws", columns),
                    fields = allocate<Block>(m_exec, "tessera::gp::draws", count, columns);
        draw_posterior(first, x);
        std::vector<double> values(fields.span());
        for_each(first, columns, [&](double drawn, std::size_t k) { values[k] = drawn; });
        upload_to(m_exec, values, flat(fields));
        Kokkos::parallel_for("tessera::gp::add_rows",
                             Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, count * columns),
                             AddRows<ExecSpace>{rows.neighbours, rows.weights, x, fields});
        copy_to_host(m_exec, values.data(), fields.data(), values.size());
        return values;
      },
      [&](std::int64_t first, std::int64_t columns, const std::vector<double>& values) {
        for_each(first, columns, [&](double& drawn, std::size_t k) { drawn = values[k]; });
      });
  return result;
}

}  // namespace tessera::gp::detail
