// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/likelihood/solver.hpp"

namespace tessera::gp {

/// What the data say of the levels of a grouping: of each level that has observations its number,
/// as in Points::level, how many observations it has, and of its effect, of the first replicate,
/// the mean and the standard deviation given the data at theta.
struct GroupEffects {
  std::vector<int> level;
  std::vector<std::int64_t> observations;
  std::vector<double> mean, deviation;
};

/// Observations with random effects of groupings beside the field,
///
///     z = X b + sum_g Z_g u_g + field + errors,     u_g ~ N(0, v_g I),
///
/// Z_g having a column for each level of grouping g (Points::level). The elements of theta are
/// those of the covariance, then v_g (CovarianceModel::groups). With Sigma that of the field and
/// its errors, D = diag(sqrt(v)) and M = I + D Z' Sigma^-1 Z D, of all levels,
///
///     log |Sigma + Z D^2 Z'| = log |Sigma| + log |M|,
///
/// and coefficients and effects solve one system, that of the levels beside the columns of X with
/// the penalty I. Sigma^-1 is that of the solver that this one stands around, exact or by Vecchia's
/// approximation, whose derivatives serve too: with w = z - X b - Z u and M^-1 = C C',
///
///     -2 dl/dtheta_j = d log |Sigma| + w' dSigma^-1 w + sum_k (Z D c_k)' dSigma^-1 (Z D c_k),
///
/// in all of which only columns of data enter. So a likelihood costs, beside that solver's, the
/// products of the levels, and m^3 / 3 multiply-adds of m levels; a gradient m^3 more, and a column
/// of data for each level.
///
/// A prediction is that of the field, of X b and of the effects at levels that are known: a level
/// without observations has the mean 0 and the variance v_g. Where Points::level is -1, or empty,
/// effects do not belong to what is predicted. Simulations are those of the field and its errors.
/// Cross-validation predicts each fold from the others at the same theta, a solver a fold.
///
/// Accuracy: as the solver within (tests/unit/gp_groups.cpp). Errors: as Solver. There is no Fisher
/// information.
class GroupSolver final : public Solver {
 public:
  using Make = std::function<std::unique_ptr<GaussianSolver>(const Points&)>;

  /// `make` builds the solver of some points, with model.gaussian(). Throws Error (resource) when
  /// there are more levels than the host's memory has room for.
  GroupSolver(const CovarianceModel& model, const Points& points, const Make& make);

  std::int64_t size() const override { return m_solver->size(); }
  double amplification() const override { return m_solver->amplification(); }
  std::vector<Neighbourhood> neighbourhoods() const override { return m_solver->neighbourhoods(); }
  std::int64_t levels() const override { return m_solver->levels(); }
  bool prepare(const Theta& theta) override;
  std::vector<double> simulate(const Theta& theta, const std::vector<double>& normals,
                               const std::vector<double>& noise) override;
  void set_data(const std::vector<double>& values,
                const std::vector<std::vector<double>>& trend) override;
  void set_error_variance(const std::vector<double>& variance) override;
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

  /// Returns what the data say of each grouping.
  std::vector<GroupEffects> effects(const Theta& theta);

  /// Returns how many DrawOptions::trend_normals a draw at these points takes: one for each column
  /// of the trend and each level, those that have no observations included.
  std::size_t numbers_of_draw(const Points& points) const;

 private:
  /// A level at a target: its column, or the place of its effect among those without observations.
  struct TargetLevel {
    bool known;
    std::size_t index;
    std::size_t group;
  };
  /// The levels at each target, as far as they belong to what is predicted.
  struct TargetLevels {
    std::vector<std::vector<TargetLevel>> of;
    std::size_t unseen = 0;  ///< levels without observations
  };

  std::size_t groups() const { return m_level.size(); }
  std::size_t unknowns() const { return m_effects + m_trend.size(); }
  std::size_t replicates() const { return m_values.size() / m_points.size(); }
  /// Returns theta as the solver within takes it.
  Theta of_field(const Theta& theta) const {
    return {theta.begin(), theta.begin() + m_model.group()};
  }
  double variance(const Theta& theta, std::size_t group) const {
    return theta[static_cast<std::size_t>(m_model.group()) + group];
  }
  /// Returns the factors sqrt(v) of the effects, and 1 of the columns of the trend.
  std::vector<double> scales(const Theta& theta) const;

  void number_levels();
  void require_memory() const;
  void take_mean_away();
  void make_design();
  bool solve(const Theta& theta, std::string& problem);
  bool solve_system(const Theta& theta, std::string& problem);
  void require_solution(const Theta& theta);
  std::vector<double> residuals() const;
  std::vector<double> field_gradient(const Theta& theta, std::string& problem);
  std::vector<double> variance_gradient(const Theta& theta);
  TargetLevels find_levels(const Points& points) const;
  std::vector<double> unexplained(const Theta& theta, const Points& points,
                                  const std::vector<std::vector<double>>& trend,
                                  const TargetLevels& levels, std::size_t first);
  void add_uncertainty(const Theta& theta, const std::vector<double>& rest,
                       const TargetLevels& levels, std::size_t first, const DrawOptions& draws,
                       Prediction& prediction) const;
  void add_means(const std::vector<std::vector<double>>& trend, const TargetLevels& levels,
                 Prediction& prediction) const;
  Prediction predict_fold(const Theta& theta, const std::vector<std::size_t>& inside,
                          const std::vector<std::size_t>& outside) const;

  CovarianceModel m_model;
  Points m_points;
  Make m_make;
  std::unique_ptr<GaussianSolver> m_solver;

  std::vector<std::vector<int>> m_level;   // of each grouping: the levels that have observations
  std::vector<std::vector<int>> m_number;  // of each grouping: where a level stands there, or -1
  std::vector<std::size_t> m_first;        // the column of the first level of each grouping
  std::size_t m_effects = 0;               // levels of all groupings

  std::vector<double> m_values;  // less the mean by ordinary least squares,
  std::vector<double> m_offset;  // whose coefficients these are: trends x replicates
  std::vector<std::vector<double>> m_trend;
  DesignMatrix m_design;  // levels, trend, values

  Theta m_solved_at;                  // theta of the following; empty: none
  double m_field_loglik = 0;          // of the field and its errors, without squares
  double m_log_determinant = 0;       // of M
  std::vector<double> m_products;     // of the design
  std::vector<double> m_factor;       // of the system, column by column
  std::vector<double> m_coefficient;  // effects and coefficients: unknowns x replicates
  std::vector<double> m_quadratic;    // of each replicate
  linalg::Matrix m_trend_covariance;
};

}  // namespace tessera::gp
