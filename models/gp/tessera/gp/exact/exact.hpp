// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/linalg/cholesky_factor.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/local_variance.hpp"

namespace tessera::gp {

/// The exact solver: one n x n matrix, whose lower triangle holds in turn the covariance, its
/// Cholesky factor and, for gradients and cross-validation, its inverse. A likelihood costs n^3 / 3
/// multiply-adds, one with its gradient n^3, whether with information or without. With several
/// ranks each has a part of the matrix (linalg::SharedFactor), and of the targets of a prediction;
/// every call is made by all of them, and has the same results.
///
/// Accuracy of the log-likelihood: 1e-12 relative on well-conditioned fields, 1e-9 on the worst of
/// the reference (tests/data/gp); in general eps times the condition of the covariance, as that of
/// any method that starts from the matrix in double precision. Gradient: exact derivatives, within
/// 1e-7 of differences of the likelihood.
template <class ExecSpace>
class ExactSolver final : public GaussianSolver {
 public:
  /// Allocates the matrix; nothing is checked here (see make_exact_solver).
  ExactSolver(const ExecSpace& exec, const CovarianceModel& model, const Points& points,
              const parallel::Communicator& ranks = {});

  std::int64_t size() const override { return m_n; }
  double amplification() const override { return m_amplification; }
  std::vector<double> simulate(const Theta& theta, const std::vector<double>& normals,
                               const std::vector<double>& noise) override;
  void set_data(const std::vector<double>& values,
                const std::vector<std::vector<double>>& trend) override;
  void set_error_variance(const std::vector<double>& variance) override;
  void set_columns(const std::vector<double>& columns, std::int64_t observed) override;
  std::int64_t most_columns() const override { return m_n; }
  std::vector<double> products(const Theta& theta, const DesignMatrix& design) override;
  Evaluation evaluate(const Theta& theta, bool with_gradient,
                      bool with_information = false) override;
  void trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                          std::vector<double>& errors) override;
  const linalg::Matrix& trend_covariance() const override { return m_trend_covariance; }
  Prediction predict(const Theta& theta, const Points& points,
                     const std::vector<std::vector<double>>& trend,
                     const DrawOptions& draws) override;
  Prediction cross_validate(const Theta& theta, const std::vector<int>& fold) override;
  std::vector<double> fisher_information(const Theta& theta) override;
  std::vector<double> misspecified_variance(const Theta& truth, const Theta& used,
                                            const Points& points) override;

  /// Points predicted at a time.
  static constexpr std::int64_t kChunk = compat::is_gpu_v<ExecSpace> ? 1024 : 256;
  /// Observations that the average information is made of, at least, where there are as many.
  static constexpr std::int64_t kInformationNumbers = 4096;

 private:
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  using Vector = Kokkos::View<double*, ExecSpace>;
  using Block = linalg::Block;
  using Transpose = linalg::Transpose;

  static Block block(const Matrix& m) {
    return {m.data(), static_cast<std::int64_t>(m.extent(0)),
            static_cast<std::int64_t>(m.extent(1)), static_cast<std::int64_t>(m.extent(0))};
  }
  template <class Functor>
  void each(const char* label, std::int64_t count, const Functor& functor) const {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
        functor);
  }

  /// Returns the data's points as kernels take them at theta.
  const PointView<ExecSpace>& own_points(const Theta& theta);
  /// Returns other points as kernels take them at theta.
  PointView<ExecSpace> place(const Theta& theta, const Points& points) const;

  /// Returns the points from the first of a panel on.
  PointView<ExecSpace> points_from(const Theta& theta, std::int64_t first);
  /// Fills a panel with that of the covariance of theta.
  void generate(const Theta& theta, std::int64_t first, const Block& panel);

  /// Returns whether the covariance of theta is singular whatever rounding makes of its pivots,
  /// since no errors tell equal points apart.
  bool singular(const Theta& theta) const {
    if (!m_coincidence) return false;
    const std::size_t row = m_coincidence->row;
    const double sigma2 = field_variance(m_model, theta, m_points, row);
    return sigma2 +
               (nugget_variance(m_model, theta, m_points, row) + m_coincidence->error_variance) ==
           sigma2;
  }
  /// The matrix becomes the factor of theta's covariance; false when there is none, and why in
  /// `problem`.
  bool factor(const Theta& theta, std::string& problem);
  std::pair<std::size_t, double> find_least_pivot(const Theta& theta,
                                                  const std::vector<double>& diagonal) const;
  void require_factor(const Theta& theta);
  /// The residuals and the trend, multiplied by L^-1, and the trend's estimate; needs the factor.
  void whiten();
  /// Sets the weights; needs the whitened residuals.
  void weigh();
  /// The derivatives of the likelihood; needs the weights.
  std::vector<double> gradient(const Theta& theta);
  std::vector<double> multiply_by_derivatives(const Theta& theta, std::int64_t replicate);
  std::vector<double> average_information(const Theta& theta);
  /// panel := scale panel - W W' in a panel of a symmetric matrix, W the columns from the panel's
  /// first row on.
  void subtract_products(const Block& columns, double scale, const Block& panel);
  /// The columns whose products are the trend's part of the inverse; `trend`: Sigma^-1 of the
  /// trend.
  Matrix project_on_trend(const Block& trend);
  AllDerivativeSums add_panels(const std::vector<AllDerivativeSums>& own) const;
  /// Draws from the conditional distribution at `points`, given their covariances with the data
  /// multiplied by L^-1 (white_cross) and, point by point, what the data do not explain of the
  /// trend's columns (trend_rest); added to the mean of the first replicate.
  void draw(const Theta& theta, const Points& points, const PointView<ExecSpace>& others,
            const Block& white_cross, const std::vector<double>& trend_rest,
            const DrawOptions& draws, Prediction& prediction);
  /// Returns how often the determinant counts.
  double replicates() const { return static_cast<double>(m_replicates == 0 ? 1 : m_observed); }

  ExecSpace m_exec;
  CovarianceModel m_model;
  Points m_points;
  std::optional<Coincidence> m_coincidence;
  std::int64_t m_n;
  PointView<ExecSpace> m_device_points;
  PointView<ExecSpace> m_placed_points;  // as kernels take them at m_placed_at, where that matters
  Theta m_placed_at;
  std::vector<double> m_centre;  // of the points, about which they turn
  Vector m_error_variance;       // of each point; empty: none
  detail::CovarianceDispatch<ExecSpace> m_covariance;
  parallel::Communicator m_ranks;
  std::unique_ptr<linalg::CholeskyFactor<ExecSpace>> m_factor;
  Theta m_factored;  // whose factor that is; empty: none
  double m_log_determinant = 0, m_amplification = 1;
  Vector m_diagonal;

  std::int64_t m_replicates = 0, m_trends = 0;
  std::int64_t m_observed = 0;         // replicates that are observations
  Matrix m_data;                       // n x (replicates + trends)
  Matrix m_white;                      // L^-1 of the residuals, and of the trend
  Matrix m_weights;                    // Sigma^-1 of the residuals
  std::vector<double> m_coefficients;  // trends x replicates
  linalg::Matrix m_trend_covariance;   // (X' Sigma^-1 X)^-1
  std::vector<double> m_quadratic;     // of each replicate
};

}  // namespace tessera::gp
