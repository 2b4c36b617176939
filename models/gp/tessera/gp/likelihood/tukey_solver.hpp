// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/gp/likelihood/solver.hpp"

namespace tessera::gp {

/// Observations with Tukey's g-and-h marginals (tukey.hpp): with s^2 = sigma2 and a Gaussian y of
/// mean zero whose covariance is that of the model, nugget included,
///
///     z = X b + s tau(y / s),
///     l = l_Gauss(theta; y) - sum_i log tau'(y_i / s).
///
/// The elements of theta are those of the covariance, then g and h (CovarianceModel::has_tukey).
/// The coefficients b are those of the largest likelihood at theta, found on the host by a
/// quasi-Newton search that begins with the information
///
///     D' Sigma^-1 D + sum_i (dlog tau'_i / db) (dlog tau'_i / db)',     D = dy/db,
///
/// the expected one by Stein's identity; its inverse has the standard errors. A search takes about
/// four likelihoods of the Gaussian solver; the exact one keeps its factor meanwhile.
///
/// Predictions, cross-validations and simulations are those of y, with the coefficients as if they
/// were known; Prediction::location has X b, so that z follows at each point. One column of data.
///
/// Accuracy: as the Gaussian solver's (tests/unit/gp_tukey.cpp). Errors: as Solver; evaluate() says
/// which observation lies beyond the values of tau, with h = 0. There is no Fisher's information.
class TukeySolver final : public Solver {
 public:
  /// `gaussian` has the same points, and model.gaussian(). Throws Error (input) when it merges
  /// points at one place.
  TukeySolver(const CovarianceModel& model, const Points& points, std::unique_ptr<Solver> gaussian);

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
  const linalg::Matrix& trend_covariance() const override { return m_covariance; }
  Prediction predict(const Theta& theta, const Points& points,
                     const std::vector<std::vector<double>>& trend,
                     const DrawOptions& draws) override;
  Prediction cross_validate(const Theta& theta, const std::vector<int>& fold) override;
  std::vector<double> fisher_information(const Theta& theta) override;
  std::vector<double> misspecified_variance(const Theta& truth, const Theta& used,
                                            const Points& points) override;

 private:
  /// The likelihood at some coefficients, with its derivatives in them.
  struct Place {
    std::vector<double> coefficients, y;
    double loglik = 0;
    std::vector<double> gradient;
    linalg::Matrix information;  // as expected
  };

  /// Returns theta as the Gaussian solver takes it.
  Theta gaussian(const Theta& theta) const { return {theta.begin(), theta.begin() + m_model.g()}; }
  double g(const Theta& theta) const { return theta[static_cast<std::size_t>(m_model.g())]; }
  double h(const Theta& theta) const { return theta[static_cast<std::size_t>(m_model.h())]; }

  std::vector<double> location(const std::vector<double>& coefficients,
                               const std::vector<std::vector<double>>& trend,
                               std::size_t count) const;
  void start_coefficients();
  std::vector<double> coefficients_within(const Theta& theta) const;
  bool evaluate_at(const Theta& theta, Place& place, std::string& problem);
  bool find_coefficients(const Theta& theta, std::string& problem);
  void require_coefficients(const Theta& theta);
  void shorten(const Theta& theta, std::vector<double>& step) const;
  std::vector<double> marginal_gradient(const Theta& theta);

  CovarianceModel m_model;
  Points m_points;
  std::unique_ptr<Solver> m_solver;
  std::vector<double> m_values;
  std::vector<std::vector<double>> m_trend;
  std::vector<double> m_start;  // coefficients with which searches begin
  int m_constant = -1;          // the column of the trend that is the same at all points
  Place m_best;
  Theta m_found_at;                   // of m_best; empty: none
  bool m_fails_by_marginals = false;  // why there is no m_best
  linalg::Matrix m_covariance;
};

}  // namespace tessera::gp
