// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/matern_matrix.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/assemble.hpp"
#include "tessera/gp/correlation.hpp"
#include "tessera/gp/detail/cross_validation.hpp"
#include "tessera/gp/detail/device_sums.hpp"
#include "tessera/gp/detail/exact_on.hpp"
#include "tessera/gp/not_positive_definite.hpp"
#include "tessera/gp/solver.hpp"

namespace tessera::gp {

/// The exact solver: one n x n matrix on the device, whose lower triangle holds in turn the covariance, its Cholesky factor and, for
/// gradients and cross-validation, its inverse. A likelihood costs n^3 / 3 multiply-adds, one with its gradient n^3.
///
/// Accuracy of the log-likelihood: 1e-12 relative on well-conditioned fields, 1e-9 on the worst of the reference (tests/data/gp); in
/// general eps times the condition of the covariance, as that of any method that starts from the matrix in double precision. Gradient:
/// exact derivatives, within 1e-7 of differences of the likelihood.
template <class ExecSpace>
class ExactSolver final : public Solver {
 public:
  /// Allocates the matrix; nothing is checked here (see make_exact_solver).
  ExactSolver(const ExecSpace& exec, const CovarianceModel& model, const Points& points);

  std::int64_t size() const override { return m_n; }
  std::vector<double> simulate(const Theta& theta, const std::vector<double>& normals) override;
  void set_data(const std::vector<double>& values, const std::vector<std::vector<double>>& trend) override;
  Evaluation evaluate(const Theta& theta, bool with_gradient) override;
  void trend_coefficients(const Theta& theta, std::vector<double>& coefficients, std::vector<double>& errors) override;
  Prediction predict(const Theta& theta, const Points& points, const std::vector<std::vector<double>>& trend,
                     const DrawOptions& draws) override;
  Prediction cross_validate(const Theta& theta, const std::vector<int>& fold) override;
  std::vector<double> fisher_information(const Theta& theta) override;
  std::vector<double> misspecified_variance(const Theta& truth, const Theta& used, const Points& points) override;

  /// Points predicted at a time.
  static constexpr std::int64_t kChunk = compat::is_gpu_v<ExecSpace> ? 1024 : 256;

 private:
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  using Vector = Kokkos::View<double*, ExecSpace>;
  using HostMatrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  using Block = linalg::Block;
  using Transpose = linalg::Transpose;

  static Block block(const Matrix& m) {
    return {m.data(), static_cast<std::int64_t>(m.extent(0)), static_cast<std::int64_t>(m.extent(1)),
            static_cast<std::int64_t>(m.extent(0))};
  }
  static Matrix allocate(const std::string& label, std::int64_t rows, std::int64_t columns) {
    return Matrix(Kokkos::view_alloc("tessera::gp::" + label, Kokkos::WithoutInitializing), rows, columns);
  }
  Matrix to_device(const std::string& label, const std::vector<double>& values, std::int64_t rows) const;
  std::vector<double> to_host(const Block& a) const;
  PointView<ExecSpace> to_device(const Points& points) const;
  std::vector<double> to_host(const Vector& v, std::int64_t count) const;
  template <class Functor>
  void each(const char* label, std::int64_t count, const Functor& functor) const {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count), functor);
  }

  /// Calls visit(covariance) with the covariance of theta, whatever its type.
  template <class Visit>
  void with_covariance(const Theta& theta, const Visit& visit);
  template <class Correlation, class Visit>
  void with_distance(const Theta& theta, const Correlation& correlation, const Visit& visit) const;
  template <class Function>
  Function scaled(Function covariance, const Theta& theta) const;
  double scale_of_range(const Theta& theta) const;
  const bessel::MaternTable<ExecSpace>& table(const Theta& theta);  ///< of theta's nu
  void generate(const Theta& theta);
  std::vector<DerivativeSums> derivative_factors(const Theta& theta) const;

  /// Whether the covariance of theta is singular whatever rounding makes of its pivots: equal points that no nugget tells apart.
  bool singular(const Theta& theta) const {
    return m_duplicate && theta[0] + (m_model.has_nugget ? theta[m_model.nugget()] : 0) == theta[0];
  }
  /// The matrix becomes the factor of theta's covariance; false when there is none, and why in `problem`.
  bool factor(const Theta& theta, std::string& problem);
  void require_factor(const Theta& theta);
  /// The residuals and the trend, multiplied by L^-1, and the trend's estimate; needs the factor.
  void whiten();
  std::vector<double> gradient(const Theta& theta);
  double replicates() const { return static_cast<double>(std::max<std::int64_t>(m_replicates, 1)); }

  ExecSpace m_exec;
  CovarianceModel m_model;
  Points m_points;
  std::int64_t m_n;
  std::optional<std::size_t> m_duplicate;  // the first point at the location and time of an earlier one
  PointView<ExecSpace> m_device_points;
  std::optional<bessel::MaternTable<ExecSpace>> m_table;
  linalg::Dense<ExecSpace> m_dense;
  Matrix m_matrix;
  Theta m_factored;  // whose factor the matrix holds; empty: none
  double m_log_determinant = 0;
  Vector m_diagonal;
  Kokkos::View<DerivativeSums*, ExecSpace> m_tile_sums;

  std::int64_t m_replicates = 0, m_trends = 0;
  Matrix m_data;                       // n x (replicates + trends)
  Matrix m_white;                      // L^-1 of the residuals, and of the trend
  Matrix m_weights;                    // Sigma^-1 of the residuals
  std::vector<double> m_coefficients;  // trends x replicates
  linalg::Matrix m_trend_covariance;   // (X' Sigma^-1 X)^-1
  std::vector<double> m_quadratic;     // of each replicate
};

template <class ExecSpace>
ExactSolver<ExecSpace>::ExactSolver(const ExecSpace& exec, const CovarianceModel& model, const Points& points)
    : m_exec(exec),
      m_model(model),
      m_points(points),
      m_n(static_cast<std::int64_t>(points.size())),
      m_device_points(to_device(points)),
      m_dense(exec, m_n),
      m_matrix(allocate("covariance", m_n, m_n)),
      m_diagonal("tessera::gp::diagonal", m_n),
      m_tile_sums(Kokkos::view_alloc("tessera::gp::tile_sums", Kokkos::WithoutInitializing), derivative_tiles(m_n)) {
  for (const auto& [earlier, row] : find_duplicates(model, points)) m_duplicate = std::min(m_duplicate.value_or(row), row);
}

template <class ExecSpace>
auto ExactSolver<ExecSpace>::to_device(const std::string& label, const std::vector<double>& values, std::int64_t rows) const -> Matrix {
  const std::int64_t columns = static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(rows, 1);
  const Matrix device = allocate(label, rows, columns);
  if (!values.empty())
    Kokkos::deep_copy(m_exec, device, Kokkos::View<const double**, Kokkos::LayoutLeft, Kokkos::HostSpace>(values.data(), rows, columns));
  m_exec.fence();  // `values` may go
  return device;
}

template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::to_host(const Block& a) const {
  std::vector<double> values(static_cast<std::size_t>(a.rows * a.columns));
  if (values.empty()) return values;
  using Strided = Kokkos::View<const double**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Strided device(a.data, a.stride, a.columns);
  if (a.stride != a.rows) throw Error(ErrorKind::internal, "only whole columns are copied");
  Kokkos::deep_copy(m_exec,
                    Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        values.data(), a.rows, a.columns),
                    device);
  m_exec.fence();
  return values;
}

template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::to_host(const Vector& v, std::int64_t count) const {
  return to_host(Block{v.data(), count, 1, count});
}

template <class ExecSpace>
PointView<ExecSpace> ExactSolver<ExecSpace>::to_device(const Points& points) const {
  const std::vector<double> packed = pack(m_model, points);
  const std::int64_t n = static_cast<std::int64_t>(points.size());
  const Kokkos::View<double* [4], Kokkos::LayoutLeft, ExecSpace> device(
      Kokkos::view_alloc("tessera::gp::points", Kokkos::WithoutInitializing), n);
  Kokkos::deep_copy(m_exec, device, Kokkos::View<const double* [4], Kokkos::LayoutLeft, Kokkos::HostSpace>(packed.data(), n));
  m_exec.fence();
  return device;
}

// --- the covariance of theta ------------------------------------------------------------------------------------------------------

/// What 1 / beta is multiplied by to give 1 / range of u.
template <class ExecSpace>
double ExactSolver<ExecSpace>::scale_of_range(const Theta& theta) const {
  double scale = m_model.metric == Metric::euclidean ? 1 : m_model.radius;
  if (m_model.convention == RangeConvention::scaled) {
    const double nu = m_model.family == Family::matern     ? theta[m_model.shape()]
                      : m_model.family == Family::matern12 ? 0.5
                      : m_model.family == Family::matern32 ? 1.5
                                                           : 2.5;
    scale *= std::sqrt(2 * nu);
  }
  return scale;
}

template <class ExecSpace>
template <class Function>
Function ExactSolver<ExecSpace>::scaled(Function covariance, const Theta& theta) const {
  covariance.sigma2 = theta[0];
  covariance.inverse_time_range = m_model.has_time ? 1 / theta[m_model.time()] : 0;
  covariance.nugget = m_model.has_nugget ? theta[m_model.nugget()] : 0;
  return covariance;
}

template <class ExecSpace>
template <class Correlation, class Visit>
void ExactSolver<ExecSpace>::with_distance(const Theta& theta, const Correlation& correlation, const Visit& visit) const {
  const double scale = scale_of_range(theta);
  if (m_model.metric == Metric::great_circle) {
    visit(scaled(Covariance<Correlation, GreatCircleDistance>{correlation, {scale / theta[1]}}, theta));
    return;
  }
  double inverse[3];
  for (int k = 0; k < 3; ++k) inverse[k] = scale / theta[1 + (m_model.anisotropic ? std::min(k, m_model.dimension - 1) : 0)];
  if (m_model.metric == Metric::euclidean && m_model.dimension < 3) {
    visit(scaled(Covariance<Correlation, EuclideanDistance<2>>{correlation, {{inverse[0], inverse[1], inverse[2]}}}, theta));
  } else {
    visit(scaled(Covariance<Correlation, EuclideanDistance<3>>{correlation, {{inverse[0], inverse[1], inverse[2]}}}, theta));
  }
}

template <class ExecSpace>
const bessel::MaternTable<ExecSpace>& ExactSolver<ExecSpace>::table(const Theta& theta) {
  if (!m_table || m_table->nu() != theta[m_model.shape()]) m_table.emplace(theta[m_model.shape()]);
  return *m_table;
}

template <class ExecSpace>
template <class Visit>
void ExactSolver<ExecSpace>::with_covariance(const Theta& theta, const Visit& visit) {
  switch (m_model.family) {
    case Family::matern:
      if (m_model.bins > 0) {
        const double nu = theta[m_model.shape()];
        return with_distance(theta, PaperMatern{nu, (1 - nu) * std::log(2.0) - std::lgamma(nu), m_model.bins}, visit);
      }
      return with_distance(theta, Matern{table(theta).function()}, visit);
    case Family::matern12:
      return with_distance(theta, HalfIntegerMatern{0}, visit);
    case Family::matern32:
      return with_distance(theta, HalfIntegerMatern{1}, visit);
    case Family::matern52:
      return with_distance(theta, HalfIntegerMatern{2}, visit);
    case Family::powered_exponential:
      return with_distance(theta, PoweredExponential{theta[m_model.shape()]}, visit);
    case Family::squared_exponential:
      return with_distance(theta, PoweredExponential{2}, visit);
  }
}

/// dC/dtheta_j as a combination of the terms of DerivativeSums, for each j.
template <class ExecSpace>
std::vector<DerivativeSums> ExactSolver<ExecSpace>::derivative_factors(const Theta& theta) const {
  std::vector<DerivativeSums> factors(m_model.parameters());
  const double sigma2 = theta[0];
  factors[0].value[DerivativeSums::kCorrelation] = 1;
  for (int k = 0; k < 3; ++k) {
    const int j = m_model.beta() + (m_model.anisotropic ? std::min(k, m_model.dimension - 1) : 0);
    factors[j].value[DerivativeSums::kDistance + k] = -sigma2 / theta[j];
  }
  if (m_model.has_shape()) {
    DerivativeSums& by_shape = factors[m_model.shape()];
    by_shape.value[DerivativeSums::kShape] = sigma2;
    if (m_model.family == Family::matern && m_model.convention == RangeConvention::scaled) {  // u depends on nu
      for (int k = 0; k < 3; ++k) by_shape.value[DerivativeSums::kDistance + k] = sigma2 / (2 * theta[m_model.shape()]);
    }
  }
  if (m_model.has_time) factors[m_model.time()].value[DerivativeSums::kLag] = sigma2 / (theta[m_model.time()] * theta[m_model.time()]);
  if (m_model.has_nugget) factors[m_model.nugget()].value[DerivativeSums::kTrace] = 1;
  return factors;
}

// --- factorisation ----------------------------------------------------------------------------------------------------------------

/// The matrix becomes the covariance of theta.
template <class ExecSpace>
void ExactSolver<ExecSpace>::generate(const Theta& theta) {
  const logging::Region region("tessera::gp::generate");
  const bool plain = m_model.family == Family::matern && m_model.metric == Metric::euclidean && !m_model.anisotropic && !m_model.has_time &&
                     m_model.bins == 0;
  if (!plain) {
    with_covariance(theta, [&](const auto& covariance) { fill_lower(m_exec, covariance, m_device_points, m_matrix.data(), m_n); });
    return;
  }
  const auto coordinates = Kokkos::subview(m_device_points, Kokkos::ALL, std::make_pair(0, m_model.dimension));
  bessel::matern_matrix(m_exec, table(theta), theta[0], theta[1] / scale_of_range(theta), coordinates, m_matrix, bessel::Triangle::lower);
  if (m_model.has_nugget) each("tessera::gp::add_nugget", m_n, detail::AddToDiagonal{block(m_matrix), theta[m_model.nugget()]});
}

template <class ExecSpace>
bool ExactSolver<ExecSpace>::factor(const Theta& theta, std::string& problem) {
  problem = check(m_model, theta);
  if (!problem.empty()) return false;
  if (m_factored == theta) return true;
  if (singular(theta)) {
    problem = explain_not_positive_definite(m_model, m_points, theta, *m_duplicate);
    return false;
  }
  m_factored.clear();
  generate(theta);
  const logging::Region region("tessera::gp::factor");
  if (const std::int64_t failed = m_dense.factor(block(m_matrix)); failed != 0) {
    problem = explain_not_positive_definite(m_model, m_points, theta, static_cast<std::size_t>(failed - 1));
    return false;
  }
  each("tessera::gp::take_diagonal", m_n, detail::TakeDiagonal<ExecSpace>{block(m_matrix), m_diagonal});
  long double sum = 0;
  for (const double d : to_host(m_diagonal, m_n)) sum += std::log(static_cast<long double>(d));
  m_log_determinant = static_cast<double>(2 * sum);
  if (!std::isfinite(m_log_determinant)) {
    problem = "the determinant of the covariance matrix is not finite";
    return false;
  }
  m_factored = theta;
  return true;
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::require_factor(const Theta& theta) {
  std::string problem;
  if (!factor(theta, problem)) throw Error(ErrorKind::numerical, problem, remedy_not_positive_definite(m_model));
}

template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::simulate(const Theta& theta, const std::vector<double>& normals) {
  require_factor(theta);
  const Matrix fields = to_device("fields", normals, m_n);
  m_dense.multiply(block(m_matrix), block(fields));
  return to_host(block(fields));
}

// --- likelihood -------------------------------------------------------------------------------------------------------------------

template <class ExecSpace>
void ExactSolver<ExecSpace>::set_data(const std::vector<double>& values, const std::vector<std::vector<double>>& trend) {
  m_replicates = static_cast<std::int64_t>(values.size()) / m_n;
  m_trends = static_cast<std::int64_t>(trend.size());
  std::vector<double> columns = values;
  for (const std::vector<double>& column : trend) columns.insert(columns.end(), column.begin(), column.end());
  m_data = to_device("data", columns, m_n);
  m_white = allocate("white", m_n, m_replicates + m_trends);
  m_weights = allocate("weights", m_n, m_replicates);
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::whiten() {
  const logging::Region region("tessera::gp::solve");
  Kokkos::deep_copy(m_exec, m_white, m_data);
  m_dense.solve(block(m_matrix), block(m_white));
  const Block values = block(m_white).submatrix(0, 0, m_n, m_replicates), trend = block(m_white).submatrix(0, m_replicates, m_n, m_trends);
  m_coefficients.assign(static_cast<std::size_t>(m_trends * m_replicates), 0.0);
  if (m_trends > 0) {
    const Matrix normal = allocate("normal_equations", m_trends, m_trends + m_replicates);
    m_dense.gemm(1, trend, Transpose::yes, trend, Transpose::no, 0, block(normal).submatrix(0, 0, m_trends, m_trends));
    m_dense.gemm(1, trend, Transpose::yes, values, Transpose::no, 0, block(normal).submatrix(0, m_trends, m_trends, m_replicates));
    const std::vector<double> sums = to_host(block(normal));
    linalg::Matrix left(m_trends, std::vector<double>(m_trends));
    for (std::int64_t i = 0; i < m_trends; ++i) {
      for (std::int64_t j = 0; j < m_trends; ++j) left[i][j] = sums[std::max(i, j) + std::min(i, j) * m_trends];
    }
    try {
      m_trend_covariance = linalg::inverse_positive_definite(left);
    } catch (const Error&) {
      throw Error(ErrorKind::numerical, "the columns of the trend are linearly dependent at these points",
                  "use mean: constant, or add points that span all coordinates");
    }
    for (std::int64_t r = 0; r < m_replicates; ++r) {
      for (std::int64_t i = 0; i < m_trends; ++i) {
        for (std::int64_t j = 0; j < m_trends; ++j)
          m_coefficients[i + r * m_trends] += m_trend_covariance[i][j] * sums[j + (m_trends + r) * m_trends];
      }
    }
    const Matrix coefficients = to_device("coefficients", m_coefficients, m_trends);
    m_dense.gemm(-1, trend, Transpose::no, block(coefficients), Transpose::no, 1, values);
    m_exec.fence();
  }
  const Vector squares("tessera::gp::squares", m_replicates);
  Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, m_replicates), detail::ColumnDots<ExecSpace>{values, values, squares});
  m_quadratic = to_host(squares, m_replicates);
}

template <class ExecSpace>
Evaluation ExactSolver<ExecSpace>::evaluate(const Theta& theta, bool with_gradient) {
  Evaluation evaluation;
  if (!factor(theta, evaluation.problem)) return evaluation;
  whiten();
  long double sum =
      replicates() * (static_cast<long double>(m_n) * std::log(2 * 3.14159265358979323846264338327950288L) + m_log_determinant);
  for (const double q : m_quadratic) sum += q;
  evaluation.loglik = static_cast<double>(-0.5L * sum);
  evaluation.valid = std::isfinite(evaluation.loglik);
  if (!evaluation.valid) {
    evaluation.problem = "the likelihood is not finite";
  } else if (with_gradient) {
    evaluation.gradient = gradient(theta);
    for (const double derivative : evaluation.gradient) {
      if (!std::isfinite(derivative)) evaluation = {false, 0, {}, "the gradient of the likelihood is not finite"};
    }
  }
  return evaluation;
}

/// dl/dtheta_j = -1/2 sum_ik W_ik dC_ik/dtheta_j with W = R Sigma^-1 - sum_r a_r a_r', a_r = Sigma^-1 residual_r.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::gradient(const Theta& theta) {
  const logging::Region region("tessera::gp::gradient");
  const Block matrix = block(m_matrix);
  Kokkos::deep_copy(m_exec, m_weights, Kokkos::subview(m_white, Kokkos::ALL, std::make_pair(std::int64_t(0), m_replicates)));
  m_dense.solve_transposed(matrix, block(m_weights));
  m_factored.clear();
  m_dense.invert(matrix);
  m_dense.syrk(-1, block(m_weights), Transpose::no, replicates(), matrix);
  with_covariance(theta,
                  [&](const auto& covariance) { sum_derivatives(m_exec, covariance, m_device_points, m_matrix.data(), m_n, m_tile_sums); });
  const auto tiles = Kokkos::create_mirror_view(m_tile_sums);
  Kokkos::deep_copy(m_exec, tiles, m_tile_sums);
  m_exec.fence();
  DerivativeSums total;
  for (std::size_t t = 0; t < tiles.extent(0); ++t) total += tiles(t);
  std::vector<double> gradient;
  for (const DerivativeSums& factor : derivative_factors(theta)) {
    double sum = 0;
    for (int k = 0; k < DerivativeSums::kCount; ++k) sum += factor.value[k] * total.value[k];
    gradient.push_back(-0.5 * sum);
  }
  return gradient;
}

template <class ExecSpace>
void ExactSolver<ExecSpace>::trend_coefficients(const Theta& theta, std::vector<double>& coefficients, std::vector<double>& errors) {
  require_factor(theta);
  whiten();
  coefficients = m_coefficients;
  errors.clear();
  for (std::int64_t i = 0; i < m_trends; ++i) errors.push_back(std::sqrt(m_trend_covariance[i][i]));
}

/// With P_i = Sigma^-1 dSigma_i all held at once: (parameters + 1) n x n matrices.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::fisher_information(const Theta& theta) {
  require_factor(theta);
  const logging::Region region("tessera::gp::fisher");
  std::vector<Matrix> products;
  for (const DerivativeSums& factor : derivative_factors(theta)) {
    const Matrix& product = products.emplace_back(allocate("derivative", m_n, m_n));
    with_covariance(theta,
                    [&](const auto& covariance) { fill_derivative(m_exec, covariance, m_device_points, factor, product.data(), m_n); });
    m_dense.solve(block(m_matrix), block(product));
    m_dense.solve_transposed(block(m_matrix), block(product));
  }
  const std::size_t p = products.size();
  std::vector<double> information(p * p);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Kokkos::parallel_for("tessera::gp::trace", detail::teams(m_exec, m_n),
                           detail::TransposedDots<ExecSpace>{block(products[i]), block(products[j]), m_diagonal});
      long double trace = 0;
      for (const double x : to_host(m_diagonal, m_n)) trace += x;
      information[i * p + j] = information[j * p + i] = static_cast<double>(0.5L * trace * replicates());
    }
  }
  return information;
}

// --- prediction -------------------------------------------------------------------------------------------------------------------

template <class ExecSpace>
Prediction ExactSolver<ExecSpace>::predict(const Theta& theta, const Points& points, const std::vector<std::vector<double>>& trend,
                                           const DrawOptions& draws) {
  require_factor(theta);
  whiten();
  const logging::Region region("tessera::gp::predict");
  const std::int64_t m = static_cast<std::int64_t>(points.size()), chunk = draws.count > 0 ? m : std::min(m, kChunk);
  const PointView<ExecSpace> others = to_device(points);
  const Matrix cross = allocate("cross_covariance", m_n, chunk), sums = allocate("sums", chunk, m_replicates + m_trends);
  const Vector squares("tessera::gp::squares", chunk);
  Prediction prediction;
  prediction.mean.resize(static_cast<std::size_t>(m * m_replicates));
  prediction.variance.resize(static_cast<std::size_t>(m));
  std::vector<double> trend_rest(static_cast<std::size_t>(m * m_trends));  // x* - X' Sigma^-1 k, point by point
  for (std::int64_t first = 0; first < m; first += chunk) {
    const std::int64_t count = std::min(chunk, m - first);
    const Block k = block(cross).submatrix(0, 0, m_n, count);
    with_covariance(
        theta, [&](const auto& covariance) { fill_cross(m_exec, covariance, m_device_points, others, first, count, k.data, k.stride); });
    m_dense.solve(block(m_matrix), k);
    const Block into{sums.data(), count, m_replicates + m_trends, count};
    m_dense.gemm(1, k, Transpose::yes, block(m_white), Transpose::no, 0, into);
    Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, count), detail::ColumnDots<ExecSpace>{k, k, squares});
    const std::vector<double> sum = to_host(into), square = to_host(squares, count);
    for (std::int64_t c = 0; c < count; ++c) {
      const std::size_t at = static_cast<std::size_t>(first + c);
      double* u = trend_rest.data() + at * m_trends;
      for (std::int64_t i = 0; i < m_trends; ++i) u[i] = trend[i][at] - sum[c + (m_replicates + i) * count];
      for (std::int64_t r = 0; r < m_replicates; ++r) {
        double mean = sum[c + r * count];
        for (std::int64_t i = 0; i < m_trends; ++i) mean += trend[i][at] * m_coefficients[i + r * m_trends];
        prediction.mean[at * m_replicates + r] = mean;
      }
      double variance = theta[0] - square[c];
      for (std::int64_t i = 0; i < m_trends; ++i) {
        for (std::int64_t j = 0; j < m_trends; ++j) variance += u[i] * m_trend_covariance[i][j] * u[j];
      }
      prediction.variance[at] = std::max(variance, 0.0);  // rounding, at an observed point
    }
  }
  if (draws.count == 0) return prediction;

  // The conditional covariance: that of the points, less what the data explain, plus the uncertainty of the trend.
  const Matrix conditional = allocate("conditional_covariance", m, m);
  with_covariance(theta, [&](auto covariance) {
    covariance.nugget = draws.jitter * theta[0];
    fill_lower(m_exec, covariance, others, conditional.data(), m);
  });
  m_dense.syrk(-1, block(cross), Transpose::yes, 1, block(conditional));
  if (m_trends > 0) {
    const Matrix u = to_device("trend_rest", trend_rest, m_trends), scaled_u = allocate("scaled_trend_rest", m_trends, m);
    std::vector<double> flat;
    for (const auto& row : m_trend_covariance) flat.insert(flat.end(), row.begin(), row.end());
    const Matrix covariance = to_device("trend_covariance", flat, m_trends);
    m_dense.gemm(1, block(covariance), Transpose::no, block(u), Transpose::no, 0, block(scaled_u));
    m_dense.gemm(1, block(u), Transpose::yes, block(scaled_u), Transpose::no, 1, block(conditional));
    m_exec.fence();
  }
  linalg::Dense<ExecSpace> dense(m_exec, m);
  if (const std::int64_t failed = dense.factor(block(conditional)); failed != 0) {
    throw Error(ErrorKind::numerical,
                "the conditional covariance of the predictions is not positive definite: point " + std::to_string(failed) + " at " +
                    points.text(static_cast<std::size_t>(failed - 1)) + " is determined by those before it",
                "raise predict.jitter, or draw at fewer points");
  }
  const Matrix fields = to_device("draws", draws.normals, m);
  dense.multiply(block(conditional), block(fields));
  const std::vector<double> deviation = to_host(block(fields));
  prediction.draws.resize(deviation.size());
  for (std::int64_t d = 0; d < draws.count; ++d) {
    for (std::int64_t i = 0; i < m; ++i) prediction.draws[i * draws.count + d] = prediction.mean[i * m_replicates] + deviation[i + d * m];
  }
  return prediction;
}

/// For a fold F: the error of prediction is (P_FF)^-1 (P z)_F with covariance (P_FF)^-1, P = Sigma^-1 less its projection on the trend; the
/// trend is estimated anew without the fold.
template <class ExecSpace>
Prediction ExactSolver<ExecSpace>::cross_validate(const Theta& theta, const std::vector<int>& fold) {
  require_factor(theta);
  whiten();
  const logging::Region region("tessera::gp::cross_validate");
  const Block matrix = block(m_matrix);
  const Matrix weights = allocate("weights", m_n, m_replicates + m_trends);
  Kokkos::deep_copy(m_exec, weights, m_white);
  m_dense.solve_transposed(matrix, block(weights));
  m_factored.clear();
  m_dense.invert(matrix);
  if (m_trends > 0) {  // P = Sigma^-1 - B C B', B = Sigma^-1 X, C = K K'
    const linalg::Matrix factor = linalg::cholesky_factor(m_trend_covariance);
    std::vector<double> root;  // column by column
    for (std::int64_t column = 0; column < m_trends; ++column) {
      for (std::int64_t row = 0; row < m_trends; ++row) root.push_back(row >= column ? factor[row][column] : 0);
    }
    const Matrix scaled_trend = allocate("scaled_trend", m_n, m_trends);
    const Matrix k = to_device("root", root, m_trends);
    m_dense.gemm(1, block(weights).submatrix(0, m_replicates, m_n, m_trends), Transpose::no, block(k), Transpose::no, 0,
                 block(scaled_trend));
    m_dense.syrk(-1, block(scaled_trend), Transpose::no, 1, matrix);
    m_exec.fence();
  }
  const auto errors = detail::fold_errors(m_exec, matrix, Vector(Kokkos::subview(weights, Kokkos::ALL, 0)), fold);
  if (!errors)
    throw Error(ErrorKind::numerical, "the covariance of a fold is not positive definite", remedy_not_positive_definite(m_model));
  Prediction prediction{to_host(Block{m_data.data(), m_n, 1, m_n}), errors->variance, {}};
  for (std::size_t i = 0; i < fold.size(); ++i) prediction.mean[i] -= errors->error[i];
  return prediction;
}

/// E_t,a = sigma2_t - 2 w' k_t + w' Sigma_t w with the weights w = Sigma_a^-1 k_a of the predictor in use.
template <class ExecSpace>
std::vector<double> ExactSolver<ExecSpace>::misspecified_variance(const Theta& truth, const Theta& used, const Points& points) {
  const std::int64_t m = static_cast<std::int64_t>(points.size());
  const PointView<ExecSpace> others = to_device(points);
  const Matrix weights = allocate("weights", m_n, m), cross = allocate("cross_covariance", m_n, m);
  const Vector squares("tessera::gp::squares", m);
  require_factor(used);
  with_covariance(used,
                  [&](const auto& covariance) { fill_cross(m_exec, covariance, m_device_points, others, 0, m, weights.data(), m_n); });
  m_dense.solve(block(m_matrix), block(weights));
  m_dense.solve_transposed(block(m_matrix), block(weights));
  require_factor(truth);
  with_covariance(truth, [&](const auto& covariance) { fill_cross(m_exec, covariance, m_device_points, others, 0, m, cross.data(), m_n); });
  Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, m),
                       detail::ColumnDots<ExecSpace>{block(weights), block(cross), squares});
  const std::vector<double> common = to_host(squares, m);
  m_dense.multiply_transposed(block(m_matrix), block(weights));
  Kokkos::parallel_for("tessera::gp::squares", detail::teams(m_exec, m),
                       detail::ColumnDots<ExecSpace>{block(weights), block(weights), squares});
  std::vector<double> variance = to_host(squares, m);
  for (std::size_t i = 0; i < variance.size(); ++i) variance[i] += truth[0] - 2 * common[i];
  return variance;
}

template <class ExecSpace>
std::unique_ptr<Solver> detail::exact_on(const CovarianceModel& model, const Points& points) {
  return std::make_unique<ExactSolver<ExecSpace>>(ExecSpace(), model, points);
}

}  // namespace tessera::gp
