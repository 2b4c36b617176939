// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/gp/likelihood/solver.hpp"

namespace tessera::gp {

/// The places and times of observations, and which observations lie at each.
struct Places {
  std::vector<std::size_t> first;  ///< of each place: its first observation, ascending
  std::vector<std::size_t> of;     ///< of each observation: its place
  std::vector<std::size_t> count;  ///< of each place: its observations

  std::size_t largest() const;
};

/// Finds the places; nothing when every observation has its own place.
std::optional<Places> find_places(const CovarianceModel& model, const Points& points);

/// Vecchia's approximation of data with several observations at some places. The nearest data of a
/// point would be repeats of one or two places. The n observations y_k of a place, with errors of
/// variances v_k, say of the field what their mean
///
///     y = V sum_k y_k / v_k     with an error of the variance     V = 1 / sum_k 1 / v_k
///
/// says; their likelihood is that of the mean and of what is left within the place,
///
///     -1/2 [ (n - 1) log 2 pi + sum_k log v_k - log V + sum_k (y_k - y)^2 / v_k ].
///
/// So likelihoods, predictions, draws and cross-validations are those of the means, by the solver
/// of the places, and nothing is approximated besides. v_k is the nugget, or the known variance of
/// the error. Observations that have both, or whose covariates differ at one place, are not merged;
/// a warning says so.
///
/// Cross-validation predicts each fold from the means of what is outside it. Errors: as Solver.
class RepeatedPlaces final : public GaussianSolver {
 public:
  using Make = std::function<std::unique_ptr<GaussianSolver>(const Points&)>;

  /// `make` builds the solver of some points by Vecchia's approximation as it stands.
  RepeatedPlaces(const CovarianceModel& model, const Points& points, const Places& places,
                 const Make& make);

  std::int64_t size() const override { return static_cast<std::int64_t>(m_points.size()); }
  bool prepare(const Theta& theta) override;
  std::vector<Neighbourhood> neighbourhoods() const override;
  std::int64_t levels() const override { return m_levels; }
  double amplification() const override { return m_solver ? m_solver->amplification() : 1; }
  std::vector<double> simulate(const Theta& theta, const std::vector<double>& normals,
                               const std::vector<double>& noise) override;
  void set_data(const std::vector<double>& values,
                const std::vector<std::vector<double>>& trend) override;
  void set_error_variance(const std::vector<double>& variance) override;
  void set_columns(const std::vector<double>& columns, std::int64_t observed) override;
  std::int64_t most_columns() const override { return m_solver ? m_solver->most_columns() : 64; }
  std::vector<double> products(const Theta& theta, const DesignMatrix& design) override;
  Evaluation evaluate(const Theta& theta, bool with_gradient,
                      bool with_information = false) override;
  void trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                          std::vector<double>& errors) override;
  const linalg::Matrix& trend_covariance() const override { return m_solver->trend_covariance(); }
  Prediction predict(const Theta& theta, const Points& points,
                     const std::vector<std::vector<double>>& trend,
                     const DrawOptions& draws) override;
  Prediction cross_validate(const Theta& theta, const std::vector<int>& fold) override;
  std::vector<double> fisher_information(const Theta& theta) override;

  /// Returns the variance of the predictor that takes each observation by itself, without merging.
  std::vector<double> misspecified_variance(const Theta& truth, const Theta& used,
                                            const Points& points) override;

 private:
  /// Sets data of which the first `observed` columns are observations.
  void set_all(const std::vector<double>& values, const std::vector<std::vector<double>>& trend,
               std::size_t observed);
  bool can_merge(const std::vector<std::vector<double>>& trend) const;
  void warn_of_repeats() const;
  /// Returns the first observation that is not alone at its place.
  std::size_t find_repeated() const;
  void require_errors(const Theta& theta) const;
  double nugget(const Theta& theta) const {
    return m_model.has_nugget ? theta[m_model.nugget()] : 0;
  }
  double variance(const Theta& theta, std::size_t i) const;
  std::vector<double> mean_variances(const Theta& theta) const;
  Theta of_means(const Theta& theta) const;
  /// The solver, with the data of theta's errors.
  GaussianSolver& solver(const Theta& theta);
  void add_within(const Theta& theta, Evaluation& evaluation) const;
  Prediction leave_one_out(const Theta& theta);
  Prediction predict_fold(const Theta& theta, const std::vector<std::size_t>& inside,
                          const std::vector<std::size_t>& outside) const;
  std::vector<double> first_replicate(const std::vector<std::size_t>& rows) const;

  CovarianceModel m_model;
  Points m_points;
  Places m_places;
  Make m_make;
  // the solver of the places where they are merged, else of all observations
  std::unique_ptr<GaussianSolver> m_solver;
  bool m_merged = true;
  double m_nugget = -1;  // whose errors the solver has; below 0: none
  std::int64_t m_levels = 0;
  std::size_t m_replicates = 0, m_observed = 0;
  std::vector<double> m_values;
  std::vector<std::vector<double>> m_trend;
};

}  // namespace tessera::gp
