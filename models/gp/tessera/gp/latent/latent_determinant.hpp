// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/latent/lanczos.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: log |Q + W| - log |Q|, the diagonal of A^-1 and traces of A^-1 Q.
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// sum(i) += the products x(i, c) y(i, c), over the columns
template <class ExecSpace>
struct AddProducts {
  VectorBlock<ExecSpace> x, y;
  NumberView<ExecSpace> sum;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const auto columns = static_cast<std::int64_t>(x.extent(1));
    double products = 0;
    for (std::int64_t c = 0; c < columns; ++c)
      products = compat::multiply_add(x(i, c), y(i, c), products);
    sum(i) += products;
  }
};

template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::log_variances() const {
  std::vector<double> logarithms = download(m_exec, m_variance);
  for (double& d : logarithms) d = std::log(d);
  return logarithms;
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::factor_posterior() {
  const logging::Region region("tessera::gp::sparse_cholesky");
  if (!m_cholesky) {
    m_table = host_table(m_factor->rows().neighbours);
    m_cholesky.emplace(m_table, m_vecchia.ordered_coordinates());
  }
  if (!m_cholesky->factor(host_factor(m_factor->weights(), m_variance), download(m_exec, m_weight)))
    throw Error(ErrorKind::numerical, "the precision of the field is not positive definite",
                "give the covariance a nugget or a smaller range");
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_exact_determinant(const LatentPoint& point,
                                                           LatentGradient gradient,
                                                           LatentEvaluation& result) {
  factor_posterior();
  result.log_determinant = m_cholesky->log_determinant() + sum(log_variances());
  if (gradient == LatentGradient::none) return;
  const logging::Region region("tessera::gp::sparse_inverse");
  if (gradient == LatentGradient::all) m_differences = displace(point.theta);
  std::vector<Displaced*> all;
  for (Difference& difference : m_differences) {
    for (Displaced* one : {&difference.up, &difference.down}) {
      one->host = host_factor(one->weights, one->variance);
      all.push_back(one);
    }
  }
  std::vector<double> row;
  if (all.empty()) {
    m_posterior_variance = m_cholesky->invert({});
    return;
  }
  m_posterior_variance =
      m_cholesky->invert([&](std::int64_t i, const std::vector<double>& inverse) {
        for (Displaced* one : all) {
          row.assign(1, 1.0);
          for (std::int64_t j = 0; j < m_table.width; ++j) {
            if (m_table.at(i, j) >= 0)
              row.push_back(-one->host.weights[static_cast<std::size_t>(i * m_table.width + j)]);
          }
          double form = 0;
          for (std::size_t a = 0; a < row.size(); ++a) {
            double product = 0;
            for (std::size_t b = 0; b < row.size(); ++b)
              product += inverse[a * row.size() + b] * row[b];
            form += row[a] * product;
          }
          one->determinant += form / one->host.variance[static_cast<std::size_t>(i)];
        }
      });
  for (Displaced* one : all) one->host = {};
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_estimated_determinant(const LatentPoint& point,
                                                               LatentGradient gradient,
                                                               LatentEvaluation& result) {
  const logging::Region region("tessera::gp::estimate_determinant");
  m_system.refactor();
  if (gradient == LatentGradient::all) m_differences = displace(point.theta);
  for (Difference& difference : m_differences) {
    for (Displaced* one : {&difference.up, &difference.down}) factor_incompletely(*one);
  }
  const auto probes = static_cast<std::int64_t>(m_options.probes);
  const Numbers diagonal = allocate_zeros<Numbers>(m_exec, "tessera::gp::inverse_diagonal", m_n);
  std::vector<double> estimates;
  for (std::int64_t first = 0; first < probes; first += m_system.kColumns) {
    const std::int64_t columns = std::min(m_system.kColumns, probes - first);
    const Block z = block("tessera::gp::probes", columns),
                y = block("tessera::gp::preconditioned_probes", columns),
                x = block("tessera::gp::solved_probes", columns);
    m_system.draw_probes(m_options.vecchia.seed, first, z, y);
    for (const ConjugateSteps& steps : m_system.solve(z, x, 1e-5))
      estimates.push_back(static_cast<double>(m_n) * quadrature_of_logarithm(steps));
    if (gradient != LatentGradient::none) add_traces(x, y, diagonal);
  }
  const double count = static_cast<double>(probes), mean = sum(estimates) / count;
  double squares = 0;
  for (const double estimate : estimates) squares += (estimate - mean) * (estimate - mean);
  result.log_determinant =
      m_system.log_determinant_of_preconditioner() + mean + sum(log_variances());
  result.log_determinant_error = std::sqrt(squares / (count * std::max(count - 1, 1.0)));
  if (gradient == LatentGradient::none) return;
  m_posterior_variance = download(m_exec, diagonal);
  for (double& value : m_posterior_variance) value /= count;
  for (Difference& difference : m_differences) {
    for (Displaced* one : {&difference.up, &difference.down})
      one->determinant = one->determinant / count + m_system.sum_of_logarithms(one->pivot);
  }
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::factor_incompletely(Displaced& one) const {
  FactorRows<ExecSpace> rows = m_factor->rows();
  rows.weights = one.weights;
  one.incomplete = allocate<Weights>(m_exec, "tessera::gp::incomplete_weights",
                                     one.weights.extent(0), one.weights.extent(1));
  one.pivot = numbers("tessera::gp::incomplete_pivots");
  m_system.factor_incompletely(rows, one.variance, one.incomplete, one.pivot);
}

/// x y' has the expectation A^-1, and y y' has P^-1: so x' Q y - y' P y has that of the part of
/// log |A| that is not log |P|, as far as the derivatives in theta go.
template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_traces(const Block& x, const Block& y,
                                                const Numbers& diagonal) {
  Kokkos::parallel_for("tessera::gp::add_products",
                       Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, m_n),
                       AddProducts<ExecSpace>{x, y, diagonal});
  const Block left = block("tessera::gp::left_image", static_cast<std::int64_t>(x.extent(1))),
              right = block("tessera::gp::right_image", static_cast<std::int64_t>(x.extent(1)));
  for (Difference& difference : m_differences) {
    for (Displaced* one : {&difference.up, &difference.down}) {
      m_factor->multiply(one->weights, x, left);
      m_factor->multiply(one->weights, y, right);
      m_system.algebra().divide(right, right, one->variance);
      one->determinant += sum(m_system.algebra().sum(left, right));
      m_factor->multiply(one->incomplete, y, left);
      m_system.algebra().multiply(right, left, one->pivot);
      one->determinant -= sum(m_system.algebra().sum(left, right));
    }
  }
}

}  // namespace tessera::gp::detail
