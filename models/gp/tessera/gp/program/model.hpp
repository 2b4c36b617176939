// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/likelihood/evaluation_log.hpp"
#include "tessera/gp/likelihood/fisher_scoring.hpp"
#include "tessera/gp/likelihood/group_solver.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/likelihood/tukey_law.hpp"
#include "tessera/gp/points/variogram.hpp"
#include "tessera/gp/program/observations.hpp"
#include "tessera/gp/program/parameters.hpp"
#include "tessera/gp/program/search_space.hpp"

namespace tessera::gp {

/// The result of the fit of one replicate (or of all jointly).
struct FitResult {
  Theta theta;
  double loglik = 0;
  std::vector<double> errors;  ///< standard errors of theta
  std::vector<double> trend, trend_errors;
  std::vector<int> at_bound;  ///< for each parameter: -1, 0, 1
  int evaluations = 0, failed = 0;
  int best_start = 0;  ///< whose search ended with the largest likelihood
  Theta prepared;      ///< whose neighbours that search had
  bool converged = false;
  bool stuck = false;  ///< the search found no better point along its last direction
  /// More than half of the trial points of the search had no likelihood
  bool mostly_failed = false;
  std::string reason;
};

/// Names and numbers of scores of predictions.
using Scores = std::vector<std::pair<std::string, double>>;

/// The run of an input file: simulate, evaluate, fit, predict and validate, as far as the input
/// asks for it; one likelihood, or one stage, a step.
class GpModel final : public Model {
 public:
  GpModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  std::string indivisible() const override {
    return m_parameters.method.vecchia.block > 1 ? "method.vecchia.block works on one device" : "";
  }
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  enum class Stage { simulate, evaluate, fit, information, predict, validate, finished };

  void simulate();
  void add_effects();
  void find_effects();
  GroupSolver* group_solver() const { return dynamic_cast<GroupSolver*>(m_solver.get()); }
  void evaluate_next();
  void evaluate_with_neighbours(int neighbours);
  [[noreturn]] void reject_listed(std::size_t k, const std::string& problem) const;
  void set_all_data(Solver& solver) const;
  void begin_search();
  void start_search(const Theta& theta);
  std::size_t start_sample_size() const;
  void make_start_solver();
  void end_start_search(const optimize::Outcome& outcome);
  void step_search();
  void end_search();
  void require_support(const Theta& theta, const Evaluation& evaluation) const;
  void record(const Theta& theta, const Evaluation& evaluation, int start);
  void begin_information();
  void find_bounds();
  Theta beside(int parameter, double step) const;
  double difference_step(int parameter) const;
  void step_information();
  linalg::Matrix inner_information();
  bool confirm_maximum(const linalg::Matrix& information);
  void confirm_along(const std::vector<double>& gradient);
  void find_trend_errors(const linalg::Matrix& covariance);
  void end_information(const linalg::Matrix& information);
  void predict();
  void score_prediction();
  Scores scores_by_variable(const std::vector<double>& truth, const std::vector<double>& mean,
                            const std::vector<double>& variance, const Points& points) const;
  std::vector<double> target_error_variance() const;
  void describe_target_levels() const;
  void add_errors();
  void find_quantiles();
  /// Returns the laws of the first replicate with Tukey's marginals, the variances of the Gaussian
  /// ones increased by `error`; empty: as they are.
  std::vector<TukeyLaw> tukey_laws(const Prediction& prediction,
                                   const std::vector<double>& error) const;
  void transform(Prediction& prediction) const;
  void validate();
  void make_folds();
  void after_data();
  void next_stage(Stage after);

  void make_solver(const Points& points);
  /// Makes another solver of the same method.
  std::unique_ptr<Solver> make_solver_of_kind(const Points& points, VecchiaOptions options) const;
  Solver& search_solver() const { return m_start_solver ? *m_start_solver : *m_solver; }
  Evaluation likelihood(const Theta& theta, bool with_gradient, bool with_information = false);
  bool is_preliminary() const;
  bool ask_search();
  std::string fit_method() const {
    const CovarianceModel& model = m_parameters.model;
    return m_parameters.fit.method.value_or(!model.is_own()           ? "bobyqa"
                                            : model.has_information() ? "scoring"
                                                                      : "lbfgs");
  }
  std::string information_kind() const {
    return m_parameters.fit.information.value_or(
        m_vecchia && m_parameters.model.has_information() ? "fisher" : "observed");
  }
  void use_replicate(std::size_t replicate);
  void use_all_replicates();
  std::size_t fits() const { return m_parameters.fit.separate ? m_observations.replicates : 1; }
  /// Returns the parameters that predictions use: the fitted ones, or those of the input.
  const Theta& theta() const { return m_fits.empty() ? m_parameters.theta : m_fits.front().theta; }
  std::vector<double> kept_values(std::size_t replicate) const;
  double mean_error_variance() const;
  void warn_of_close_places(const Points& points) const;
  void warn_of_rounding(const Theta& theta);
  bool has_old_neighbours(const FitResult& fit) const;
  void warn_of_end() const;
  void warn_of_idle_nuggets() const;
  void warn_of_ends() const;
  /// Returns the variance of the field and the nugget, without the errors of known variance.
  double residual_variance() const;
  /// Returns the residuals of an ordinary regression of the first replicate on the trend.
  std::vector<double> ordinary_residuals() const;
  ResidualMoments moments() const;
  double units_total() const;

  void write_observations(io::ResultsFile& file) const;
  void write_by_neighbours(const io::Group& results) const;
  void write_fit(io::ResultsFile& file) const;
  void write_prediction(io::ResultsFile& file) const;
  void write_neighbours(io::ResultsFile& file) const;
  void write_groups(io::ResultsFile& file) const;

  Parameters m_parameters;
  RunSettings m_settings;
  Observations m_observations;
  Points m_kept;
  std::vector<std::vector<double>> m_trend;  // at the kept points
  std::unique_ptr<Solver> m_solver;
  // the solver of the points whose fit gives the start of the full one, while that goes on
  std::unique_ptr<Solver> m_start_solver;
  bool m_vecchia = false;  // which solver it is, and why
  std::string m_method_reason;

  Stage m_stage = Stage::simulate;
  double m_units_done = 0;  // stages, starts and likelihoods of the list
  std::uint64_t m_likelihoods = 0;
  std::string m_status;
  EvaluationLog m_log;

  std::vector<double> m_listed;         // log-likelihoods of the `loglik` section
  std::vector<double> m_by_neighbours;  // the same with each number of neighbours in turn

  std::optional<SearchSpace> m_space;
  std::unique_ptr<optimize::Maximizer> m_search;
  std::optional<FisherScoring> m_scoring;  // instead
  std::optional<FisherScoring> m_ascent;   // the last steps to the maximum
  int m_refreshed = 0;                     // neighbours found again in this search
  bool m_from_sample = false;              // it starts where the fit of a sample ended
  Theta m_prepared;                        // whose neighbours it has
  std::vector<double> m_point;
  int m_start = 0;
  int m_evaluated_before = 0, m_failed_before = 0;  // this start
  bool m_warned_of_rounding = false;
  FitResult m_current;
  std::vector<FitResult> m_fits;
  std::vector<int> m_inner;           // free parameters away from their bounds
  std::vector<double> m_differences;  // gradients at the neighbours of the maximum, in turn
  struct Series {
    std::vector<std::int64_t> iteration, replicate, start, valid;
    std::vector<double> loglik, theta;
  } m_series;

  std::vector<GroupEffects> m_effects;
  std::vector<std::vector<double>> m_simulated_effects;  // of each grouping, the first replicate

  Points m_targets;
  std::vector<double> m_truth;           // where predicted points were observed
  std::vector<double> m_truth_variance;  // of the prediction of what was observed there
  Prediction m_prediction;
  std::vector<double> m_quantiles;  // of observations, a row for each target
  std::uint64_t m_simulation_levels = 0, m_draw_levels = 0;  // of Vecchia's approximation
  Scores m_scores, m_validation_scores;
  Prediction m_validation;
  std::vector<int> m_fold;
  Variogram m_variogram;
};

}  // namespace tessera::gp
