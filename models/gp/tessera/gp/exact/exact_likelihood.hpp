// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/bessel/matern_matrix.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/local_factor.hpp"
#include "tessera/core/linalg/shared_factor.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/exact/exact.hpp"
#include "tessera/gp/likelihood/device_sums.hpp"
#include "tessera/gp/points/device_copies.hpp"
#include "tessera/gp/points/local_points.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"

/// The exact solver: the covariance and its factor, likelihoods, gradients and information.
/// Included where it is instantiated.

namespace tessera::gp {

template <class ExecSpace>
ExactSolver<ExecSpace>::ExactSolver(const ExecSpace& exec, const CovarianceModel& model,
                                    const Points& points, const parallel::Communicator& ranks)
    : m_exec(exec),
      m_model(model),
      m_points(points),
      m_coincidence(find_coincidence(model, points)),
      m_n(static_cast<std::int64_t>(points.size())),
      m_device_points(detail::device_points(m_exec, m_model, points)),
      m_covariance(exec, model),
      m_ranks(ranks),
      m_diagonal(allocate<Vector>(m_exec, "tessera::gp::diagonal", m_n)) {
  if (ranks.size() > 1) {
    auto shared = std::make_unique<linalg::SharedFactor<ExecSpace>>(exec, m_n, ranks);
    logging::detail("panels of the covariance travel by " + shared->path());
    m_factor = std::move(shared);
  } else {
    m_factor = std::make_unique<linalg::LocalFactor<ExecSpace>>(exec, m_n);
  }
  if (model.rotated) m_centre = extent(points).first;
  if (!points.error_variance.empty())
    m_error_variance = upload(m_exec, "tessera::gp::error_variance", points.error_variance);
}

template <class ExecSpace>
const PointView<ExecSpace>& ExactSolver<ExecSpace>::own_points(const Theta& theta) {
  if (!m_model.moves_points()) return m_device_points;
  if (m_placed_at != theta) {
    m_placed_points = detail::place_points(m_exec, m_model, theta, m_centre, m_device_points);
    m_placed_at = theta;
  }
  return m_placed_points;
}

template <class ExecSpace>
PointView<ExecSpace> ExactSolver<ExecSpace>::place(const Theta& theta, const Points& points) const {
  return detail::place_points(m_exec, m_model, theta, m_centre,
                              PointView<ExecSpace>(detail::device_points(m_exec, m_model, points)));
}

template <class ExecSpace>
PointView<ExecSpace> ExactSolver<ExecSpace>::points_from(const Theta& theta, std::int64_t first) {
  return Kokkos::subview(own_points(theta), std::make_pair(first, m_n), Kokkos::ALL);
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::generate(const Theta& theta, std::int64_t first, const Block& panel) {
  const logging::Region region("tessera::gp::generate");
  const bool plain = panel.columns == m_n && m_model.family == Family::matern &&
                     m_model.metric == Metric::euclidean && m_model.dimension <= 3 &&
                     !m_model.anisotropic && !m_model.has_time && m_model.is_own() &&
                     !m_model.has_variables() && !m_model.is_local();
  if (plain) {
    const auto coordinates =
        Kokkos::subview(m_device_points, Kokkos::ALL, std::make_pair(0, m_model.dimension));
    bessel::matern_matrix(
        m_exec, m_covariance.table(theta), theta[0], theta[1] / m_covariance.range_factor(theta),
        coordinates,
        Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(panel.data, m_n, m_n),
        bessel::Triangle::lower);
    if (m_model.has_nugget)
      each("tessera::gp::add_nugget", m_n, detail::AddToDiagonal{panel, theta[m_model.nugget()]});
  } else {
    m_covariance.visit(theta, [&](const auto& covariance) {
      fill_lower(m_exec, covariance, points_from(theta, first), panel.data, panel.stride,
                 panel.columns);
    });
  }
  if (m_error_variance.extent(0) == 0) return;
  const auto own = Kokkos::subview(m_error_variance, std::make_pair(first, first + panel.columns));
  each("tessera::gp::add_error_variance", panel.columns,
       detail::AddEachToDiagonal<ExecSpace>{panel, own});
}

template <class ExecSpace>
bool ExactSolver<ExecSpace>::factor(const Theta& theta, std::string& problem) {
  problem = check(m_model, theta);
  if (!problem.empty()) return false;
  if (m_factored == theta) return true;
  if (singular(theta)) {
    problem = explain_not_positive_definite(m_model, m_points, theta, m_coincidence->row);
    return false;
  }
  m_factored.clear();
  const logging::Region region("tessera::gp::factor");
  const std::int64_t failed = m_factor->factor(
      [&](std::int64_t first, const Block& panel) { generate(theta, first, panel); });
  if (failed != 0) {
    problem = explain_not_positive_definite(m_model, m_points, theta,
                                            static_cast<std::size_t>(failed - 1));
    return false;
  }
  long double sum = 0;
  const std::vector<double> diagonal = m_factor->diagonal();
  for (const double d : diagonal) sum += std::log(static_cast<long double>(d));
  m_log_determinant = static_cast<double>(2 * sum);
  const std::pair<std::size_t, double> least = find_least_pivot(theta, diagonal);
  m_amplification = least.second;
  if (!(m_amplification < kMostAmplification)) {
    problem = explain_not_positive_definite(m_model, m_points, theta, least.first);
    return false;
  }
  if (!std::isfinite(m_log_determinant)) {
    problem = "the determinant of the covariance matrix is not finite";
    return false;
  }
  m_factored = theta;
  return true;
}

/// The point of whose variance those before it leave least, and the ratio of the two.
template <class ExecSpace>
std::pair<std::size_t, double> ExactSolver<ExecSpace>::find_least_pivot(
    const Theta& theta, const std::vector<double>& diagonal) const {
  std::pair<std::size_t, double> found{0, 1};
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double variance = field_variance(m_model, theta, m_points, i) +
                            nugget_variance(m_model, theta, m_points, i) +
                            (m_points.error_variance.empty() ? 0 : m_points.error_variance[i]);
    if (const double ratio = variance / (diagonal[i] * diagonal[i]); !(ratio <= found.second))
      found = {i, ratio};
  }
  return found;
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::require_factor(const Theta& theta) {
  std::string problem;
  if (!factor(theta, problem))
    throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
}

template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::simulate(const Theta& theta,
                                                     const std::vector<double>& normals,
                                                     const std::vector<double>&) {
  require_factor(theta);
  const Matrix fields = detail::device_matrix(m_exec, "fields", normals, m_n);
  m_factor->multiply(block(fields));
  return detail::host_copy(m_exec, block(fields));
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::set_data(const std::vector<double>& values,
                                      const std::vector<std::vector<double>>& trend) {
  m_replicates = m_observed = static_cast<std::int64_t>(values.size()) / m_n;
  m_trends = static_cast<std::int64_t>(trend.size());
  std::vector<double> columns = values;
  for (const std::vector<double>& column : trend)
    columns.insert(columns.end(), column.begin(), column.end());
  m_data = detail::device_matrix(m_exec, "data", columns, m_n);
  m_white = detail::allocate_matrix(m_exec, "white", m_n, m_replicates + m_trends);
  m_weights = detail::allocate_matrix(m_exec, "weights", m_n, m_replicates);
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::set_columns(const std::vector<double>& columns,
                                         std::int64_t observed) {
  set_data(columns, {});
  m_observed = observed;
}

template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::products(const Theta& theta,
                                                     const DesignMatrix& design) {
  require_factor(theta);
  const logging::Region region("tessera::gp::products");
  const auto count = static_cast<std::int64_t>(design.columns());
  const Matrix white = detail::device_matrix(m_exec, "white_design", design.expand(), m_n),
               products = detail::allocate_matrix(m_exec, "products", count, count);
  m_factor->solve(block(white));
  m_factor->dense().syrk(1, block(white), Transpose::yes, 0, block(products));
  return detail::host_copy(m_exec, block(products));
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::set_error_variance(const std::vector<double>& variance) {
  m_points.error_variance = variance;
  m_coincidence = find_coincidence(m_model, m_points);
  m_error_variance = upload(m_exec, "tessera::gp::error_variance", variance);
  m_factored.clear();
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::whiten() {
  const logging::Region region("tessera::gp::solve");
  Kokkos::deep_copy(m_exec, m_white, m_data);
  m_factor->solve(block(m_white));
  const Block values = block(m_white).submatrix(0, 0, m_n, m_replicates),
              trend = block(m_white).submatrix(0, m_replicates, m_n, m_trends);
  m_coefficients.assign(static_cast<std::size_t>(m_trends * m_replicates), 0.0);
  if (m_trends > 0) {
    const Matrix normal =
        detail::allocate_matrix(m_exec, "normal_equations", m_trends, m_trends + m_replicates);
    linalg::Dense<ExecSpace>& dense = m_factor->dense();
    dense.gemm(1, trend, Transpose::yes, trend, Transpose::no, 0,
               block(normal).submatrix(0, 0, m_trends, m_trends));
    dense.gemm(1, trend, Transpose::yes, values, Transpose::no, 0,
               block(normal).submatrix(0, m_trends, m_trends, m_replicates));
    const std::vector<double> sums = detail::host_copy(m_exec, block(normal));
    linalg::Matrix left(m_trends, std::vector<double>(m_trends));
    for (std::int64_t i = 0; i < m_trends; ++i) {
      for (std::int64_t j = 0; j < m_trends; ++j)
        left[i][j] = sums[std::max(i, j) + std::min(i, j) * m_trends];
    }
    try {
      m_trend_covariance = linalg::inverse_positive_definite(left);
    } catch (const Error&) {
      throw Error(ErrorKind::numerical,
                  "the columns of the trend are linearly dependent at these points",
                  "use mean: constant, or add points that span all coordinates");
    }
    for (std::int64_t r = 0; r < m_replicates; ++r) {
      for (std::int64_t i = 0; i < m_trends; ++i) {
        for (std::int64_t j = 0; j < m_trends; ++j)
          m_coefficients[i + r * m_trends] +=
              m_trend_covariance[i][j] * sums[j + (m_trends + r) * m_trends];
      }
    }
    const Matrix coefficients =
        detail::device_matrix(m_exec, "coefficients", m_coefficients, m_trends);
    dense.gemm(-1, trend, Transpose::no, block(coefficients), Transpose::no, 1, values);
    m_exec.fence();
  }
  const auto squares = allocate<Vector>(m_exec, "tessera::gp::squares", m_replicates);
  Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, m_replicates),
                       detail::ColumnDots<ExecSpace>{values, values, squares});
  m_quadratic = detail::host_copy(m_exec, squares.data(), m_replicates);
}

template <class ExecSpace>
Evaluation ExactSolver<ExecSpace>::evaluate(const Theta& theta, bool with_gradient,
                                            bool with_information) {
  Evaluation evaluation;
  if (!factor(theta, evaluation.problem)) return evaluation;
  whiten();
  long double sum = replicates() * (static_cast<long double>(m_n) *
                                        std::log(2 * 3.14159265358979323846264338327950288L) +
                                    m_log_determinant);
  for (const double q : m_quadratic) sum += q;
  evaluation.loglik = static_cast<double>(-0.5L * sum);
  evaluation.valid = std::isfinite(evaluation.loglik);
  if (!evaluation.valid) {
    evaluation.problem = "the likelihood is not finite";
  } else if (with_gradient) {
    weigh();
    if (with_information) evaluation.information = average_information(theta);
    evaluation.gradient = gradient(theta);
    for (const double derivative : evaluation.gradient) {
      if (!std::isfinite(derivative))
        evaluation = {false, 0, {}, {}, "the gradient of the likelihood is not finite"};
    }
  }
  return evaluation;
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::subtract_products(const Block& columns, double scale,
                                               const Block& panel) {
  if (panel.columns == m_n)
    m_factor->dense().syrk(-1, columns, Transpose::no, scale, panel);
  else
    m_factor->dense().gemm(-1, columns, Transpose::no,
                           columns.submatrix(0, 0, panel.columns, columns.columns), Transpose::yes,
                           scale, panel);
}

/// a_r = Sigma^-1 residual_r, from the whitened residuals.
template <class ExecSpace>
void ExactSolver<ExecSpace>::weigh() {
  Kokkos::deep_copy(
      m_exec, m_weights,
      Kokkos::subview(m_white, Kokkos::ALL, std::make_pair(std::int64_t(0), m_replicates)));
  m_factor->solve_transposed(block(m_weights));
}

/// dl/dtheta_j = -1/2 sum_ik W_ik dC_ik/dtheta_j with W = R Sigma^-1 - sum_r a_r a_r'. The factor
/// is gone then.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::gradient(const Theta& theta) {
  const logging::Region region("tessera::gp::gradient");
  m_factored.clear();
  std::vector<AllDerivativeSums> sums;  // of each panel
  m_factor->invert([&](std::int64_t first, const Block& panel) {
    const Block weights = block(m_weights).submatrix(first, 0, panel.rows, m_replicates);
    subtract_products(weights, replicates(), panel);
    AllDerivativeSums& sum = sums.emplace_back();
    m_covariance.visit(theta, [&](const auto& covariance) {
      using Sums = typename std::decay_t<decltype(covariance)>::Sums;
      const auto tiles = allocate<Kokkos::View<Sums*, ExecSpace>>(
          m_exec, "tessera::gp::tile_sums", derivative_tiles(panel.rows, panel.columns));
      sum_derivatives(m_exec, covariance, points_from(theta, first), panel.data, panel.stride,
                      panel.columns, tiles);
      for (const Sums& tile : download(m_exec, tiles)) sum += tile;
    });
  });
  const AllDerivativeSums total = add_panels(sums);
  std::vector<double> gradient;
  for (const AllDerivativeSums& factor : m_covariance.derivative_factors(theta))
    gradient.push_back(-0.5 * factor.dot(total));
  return gradient;
}

/// The sum over the panels of all ranks, in the order of the panels, which go round the ranks.
template <class ExecSpace>
AllDerivativeSums ExactSolver<ExecSpace>::add_panels(
    const std::vector<AllDerivativeSums>& own) const {
  const std::vector<AllDerivativeSums> all = m_ranks.all_gather(own);
  const std::size_t ranks = static_cast<std::size_t>(m_ranks.size());
  std::vector<std::size_t> next{0};  // panel of each rank
  for (std::size_t rank = 0; rank + 1 < ranks; ++rank)
    next.push_back(next.back() + (all.size() + ranks - 1 - rank) / ranks);
  AllDerivativeSums total;
  for (std::size_t panel = 0; panel < all.size(); ++panel) total += all[next[panel % ranks]++];
  return total;
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::trend_coefficients(const Theta& theta,
                                                std::vector<double>& coefficients,
                                                std::vector<double>& errors) {
  require_factor(theta);
  whiten();
  coefficients = m_coefficients;
  errors.clear();
  for (std::int64_t i = 0; i < m_trends; ++i) errors.push_back(std::sqrt(m_trend_covariance[i][i]));
}

/// The products dSigma/dtheta_j a of all parameters, a column after another, with the weights a of
/// a replicate; each rank finds those of its rows.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::multiply_by_derivatives(const Theta& theta,
                                                                    std::int64_t replicate) {
  const std::int64_t first = m_n * m_ranks.rank() / m_ranks.size(),
                     last = m_n * (m_ranks.rank() + 1) / m_ranks.size();
  const Kokkos::View<const double*, ExecSpace> weights =
      Kokkos::subview(m_weights, Kokkos::ALL, replicate);
  std::vector<double> products;
  m_covariance.visit(theta, [&](const auto& covariance) {
    using Sums = typename std::decay_t<decltype(covariance)>::Sums;
    const auto rows =
        allocate<Kokkos::View<Sums*, ExecSpace>>(m_exec, "tessera::gp::row_sums", last - first);
    if (last > first)
      multiply_derivatives(m_exec, covariance, own_points(theta), weights, first, rows);
    const std::vector<Sums> sums = m_ranks.all_gather(download(m_exec, rows));
    for (const AllDerivativeSums& factor : m_covariance.derivative_factors(theta)) {
      for (const Sums& row : sums) products.push_back(factor.dot(row));
    }
  });
  return products;
}

/// The average information (Gilmour, Thompson and Cullis 1995),
///
///     A_ij = 1/2 sum_r u_ir' P u_jr,   u_ir = dSigma/dtheta_i a_r,
///     P = Sigma^-1 - Sigma^-1 X (X' Sigma^-1 X)^-1 X' Sigma^-1,
///
/// the mean of Fisher's information and the observed one where the derivatives of Sigma are linear.
/// Its expectation is Fisher's information, of which it differs by some 1 / sqrt(N R) of itself; it
/// needs products with the derivatives where Fisher's needs as many matrices as parameters. As many
/// replicates are used as have kInformationNumbers numbers; the others count as these do.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::average_information(const Theta& theta) {
  const logging::Region region("tessera::gp::information");
  const std::int64_t used = std::min(m_replicates, (kInformationNumbers + m_n - 1) / m_n);
  const Matrix basis = project_on_trend(block(m_white).submatrix(0, m_replicates, m_n, m_trends));
  linalg::Dense<ExecSpace>& dense = m_factor->dense();
  std::vector<double> information;
  for (std::int64_t r = 0; r < used; ++r) {
    const Matrix products =
        detail::device_matrix(m_exec, "products", multiply_by_derivatives(theta, r), m_n);
    const Block columns = block(products);
    m_factor->solve(columns);
    if (m_trends > 0) {
      const Matrix shares = detail::allocate_matrix(m_exec, "shares", m_trends, columns.columns);
      dense.gemm(1, block(basis), Transpose::yes, columns, Transpose::no, 0, block(shares));
      dense.gemm(-1, block(basis), Transpose::no, block(shares), Transpose::no, 1, columns);
      m_exec.fence();
    }
    const Matrix squares =
        detail::allocate_matrix(m_exec, "squares", columns.columns, columns.columns);
    dense.gemm(0.5 * replicates() / static_cast<double>(used), columns, Transpose::yes, columns,
               Transpose::no, 0, block(squares));
    const std::vector<double> part = detail::host_copy(m_exec, block(squares));
    information.resize(part.size());
    for (std::size_t k = 0; k < part.size(); ++k) information[k] += part[k];
  }
  return information;
}

/// Holds all P_i = Sigma^-1 dSigma_i at once: (parameters + 1) n x n matrices.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::fisher_information(const Theta& theta) {
  require_factor(theta);
  const logging::Region region("tessera::gp::fisher");
  std::vector<Matrix> products;
  for (const AllDerivativeSums& factor : m_covariance.derivative_factors(theta)) {
    const Matrix& product =
        products.emplace_back(detail::allocate_matrix(m_exec, "derivative", m_n, m_n));
    m_covariance.visit(theta, [&](const auto& covariance) {
      typename std::decay_t<decltype(covariance)>::Sums own;
      std::copy_n(factor.value, own.kCount, own.value);
      fill_derivative(m_exec, covariance, own_points(theta), own, product.data(), m_n);
    });
    m_factor->solve(block(product));
    m_factor->solve_transposed(block(product));
  }
  const std::size_t p = products.size();
  std::vector<double> information(p * p);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Kokkos::parallel_for(
          "tessera::gp::trace", detail::teams(m_exec, m_n),
          detail::TransposedDots<ExecSpace>{block(products[i]), block(products[j]), m_diagonal});
      long double trace = 0;
      for (const double x : detail::host_copy(m_exec, m_diagonal.data(), m_n)) trace += x;
      information[i * p + j] = information[j * p + i] =
          static_cast<double>(0.5L * trace * replicates());
    }
  }
  return information;
}

}  // namespace tessera::gp
