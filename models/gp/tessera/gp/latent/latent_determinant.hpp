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
#include "tessera/gp/latent/latent_batches.hpp"
#include "tessera/gp/latent/latent_solver.hpp"

/// Laplace's approximation: log |Q + W| - log |Q|, the diagonal of A^-1 and traces of A^-1 Q.
/// Included where it is instantiated.

namespace tessera::gp::detail {

/// sum(i) = the sum of the products x(i, c) y(i, c) over the columns
template <class ExecSpace>
struct SumProducts {
  VectorBlock<ExecSpace> x, y;
  NumberView<ExecSpace> sum;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const auto columns = static_cast<std::int64_t>(x.extent(1));
    double products = 0;
    for (std::int64_t c = 0; c < columns; ++c)
      products = compat::multiply_add(x(i, c), y(i, c), products);
    sum(i) = products;
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
    m_cholesky.emplace(m_table, m_vecchia.ordered_coordinates(), m_ranks);
  }
  if (!m_cholesky->factor(host_factor(m_factor->weights(), m_variance), download(m_exec, m_weight)))
    throw Error(ErrorKind::numerical, "the precision of the field is not positive definite",
                "give the covariance a nugget or a smaller range");
}

template <class ExecSpace>
std::vector<typename LatentVecchiaSolver<ExecSpace>::Displaced*>
LatentVecchiaSolver<ExecSpace>::all_displaced() {
  std::vector<Displaced*> all;
  for (Difference& difference : m_differences) {
    all.push_back(&difference.up);
    all.push_back(&difference.down);
  }
  return all;
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
  const std::vector<Displaced*> all = all_displaced();
  for (Displaced* one : all) one->host = host_factor(one->weights, one->variance);
  std::vector<double> row;
  const MultifrontalCholesky::Inverse found = m_cholesky->invert(
      all.size(), [&](std::int64_t i, const std::vector<double>& inverse, double* forms) {
        for (const Displaced* one : all) {
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
          *forms++ = form / one->host.variance[static_cast<std::size_t>(i)];
        }
      });
  m_posterior_variance = found.diagonal;
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k]->determinant = found.sums[k];
    all[k]->host = {};
  }
}

template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::add_estimated_determinant(const LatentPoint& point,
                                                               LatentGradient gradient,
                                                               LatentEvaluation& result) {
  const logging::Region region("tessera::gp::estimate_determinant");
  m_system.refactor();
  if (gradient == LatentGradient::all) m_differences = displace(point.theta);
  factor_displaced();
  const std::vector<Displaced*> displaced = all_displaced();
  std::vector<double> estimates,
      diagonal(gradient == LatentGradient::none ? 0 : static_cast<std::size_t>(m_n), 0.0);
  share_batches(
      m_options.probes,
      [&](std::int64_t first, std::int64_t columns) {
        return numbers_of_probes(gradient, first, columns);
      },
      [&](std::int64_t, std::int64_t columns, const std::vector<double>& numbers) {
        auto next = numbers.begin() + static_cast<std::ptrdiff_t>(columns);
        estimates.insert(estimates.end(), numbers.begin(), next);
        for (Displaced* one : displaced) one->determinant += *next++;
        for (double& value : diagonal) value += *next++;
      });
  const double count = static_cast<double>(m_options.probes), mean = sum(estimates) / count;
  double squares = 0;
  for (const double estimate : estimates) squares += (estimate - mean) * (estimate - mean);
  result.log_determinant =
      m_system.log_determinant_of_preconditioner() + mean + sum(log_variances());
  result.log_determinant_error = std::sqrt(squares / (count * std::max(count - 1, 1.0)));
  for (double& value : diagonal) value /= count;
  m_posterior_variance = diagonal;
  for (Displaced* one : displaced)
    one->determinant = one->determinant / count + m_system.sum_of_logarithms(one->pivot);
}

/// Makes the incomplete factors with the present W, which ranks take in turn.
template <class ExecSpace>
void LatentVecchiaSolver<ExecSpace>::factor_displaced() {
  const std::vector<Displaced*> all = all_displaced();
  const auto owner = [&](std::size_t k) {
    return static_cast<int>(k % static_cast<std::size_t>(m_ranks.size()));
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    Displaced& one = *all[k];
    one.incomplete = allocate<Weights>(m_exec, "tessera::gp::incomplete_weights",
                                       one.weights.extent(0), one.weights.extent(1));
    one.pivot = numbers("tessera::gp::incomplete_pivots");
    if (owner(k) != m_ranks.rank()) continue;
    FactorRows<ExecSpace> rows = m_factor->rows();
    rows.weights = one.weights;
    m_system.factor_incompletely(rows, one.variance, one.incomplete, one.pivot);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    broadcast(all[k]->incomplete, owner(k));
    broadcast(all[k]->pivot, owner(k));
  }
}

/// The terms of some probes: the estimate of log |P^-1 A| by each, then sums over them, of traces
/// for each factor at theta with one parameter changed, and of the diagonal of A^-1.
template <class ExecSpace>
std::vector<double> LatentVecchiaSolver<ExecSpace>::numbers_of_probes(LatentGradient gradient,
                                                                      std::int64_t first,
                                                                      std::int64_t columns) {
  const Block z = block("tessera::gp::probes", columns),
              y = block("tessera::gp::preconditioned_probes", columns),
              x = block("tessera::gp::solved_probes", columns);
  m_system.draw_probes(m_options.vecchia.seed, first, z, y);
  std::vector<double> numbers_of_all;
  for (const ConjugateSteps& steps : m_system.solve(z, x, 1e-5))
    numbers_of_all.push_back(static_cast<double>(m_n) * quadrature_of_logarithm(steps));
  if (gradient == LatentGradient::none) return numbers_of_all;
  const Block left = block("tessera::gp::left_image", columns),
              right = block("tessera::gp::right_image", columns);
  for (const Displaced* one : all_displaced())
    numbers_of_all.push_back(trace(*one, x, y, left, right));
  const Numbers products = numbers("tessera::gp::inverse_diagonal");
  Kokkos::parallel_for("tessera::gp::sum_products",
                       Kokkos::RangePolicy<ExecSpace, Index>(m_exec, 0, m_n),
                       SumProducts<ExecSpace>{x, y, products});
  const std::vector<double> diagonal = download(m_exec, products);
  numbers_of_all.insert(numbers_of_all.end(), diagonal.begin(), diagonal.end());
  return numbers_of_all;
}

/// x y' has the expectation A^-1, and y y' has P^-1: so x' Q y - y' P y has that of the part of
/// log |A| that is not log |P|, as far as the derivatives in theta go. `left` and `right` are
/// overwritten.
template <class ExecSpace>
double LatentVecchiaSolver<ExecSpace>::trace(const Displaced& one, const Block& x, const Block& y,
                                             const Block& left, const Block& right) const {
  m_factor->multiply(one.weights, x, left);
  m_factor->multiply(one.weights, y, right);
  m_system.algebra().divide(right, right, one.variance);
  const double of_field = sum(m_system.algebra().sum(left, right));
  m_factor->multiply(one.incomplete, y, left);
  m_system.algebra().multiply(right, left, one.pivot);
  return of_field - sum(m_system.algebra().sum(left, right));
}

}  // namespace tessera::gp::detail
