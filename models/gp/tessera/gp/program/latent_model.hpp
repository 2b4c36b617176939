// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/latent/latent.hpp"
#include "tessera/gp/program/latent_forecast.hpp"
#include "tessera/gp/program/latent_log.hpp"
#include "tessera/gp/program/latent_search.hpp"
#include "tessera/gp/program/observations.hpp"
#include "tessera/gp/program/parameters.hpp"
#include "tessera/gp/program/search_space.hpp"

namespace tessera::gp {

/// The run of an input with a section `likelihood`: simulate, evaluate, fit and predict
/// observations that are not Gaussian; one likelihood, or one stage, a step.
class LatentModel final : public Model {
 public:
  LatentModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;
  std::string indivisible() const override { return ""; }
  bool restartable() const override { return true; }
  void save(io::Group& state) const override;
  void load(const io::Group& state) override;

 private:
  enum class Stage { evaluate, fit, information, predict, validate, finished };

  void simulate();
  void make_solver();
  void set_start();
  void start_response(const std::vector<double>& values);
  void require_maximum() const;
  void next_stage();
  void begin_search(const LatentPoint& start, const SearchSpace* space);
  void step_search();
  /// `last`: of the best point, where it is known already.
  void end_search(const LatentEvaluation* last);
  void warn_of_rough_fields() const;
  void warn_of_end(const optimize::Outcome& outcome) const;
  std::string remedy_of_bound(const std::string& name, const std::string& side,
                              bool is_theta) const;
  void begin_information();
  void step_information();
  void end_information();
  void predict();
  void draw(const std::vector<std::vector<double>>& columns, const std::vector<double>& offset);
  double nugget() const;
  bool uses_parameters() const { return m_parameters.predict.given || m_parameters.cross_validate; }
  void begin_validation();
  void validate_fold();
  LatentEvaluation evaluate(const LatentPoint& point, LatentGradient gradient);
  bool by_gradients() const;
  bool with_errors() const { return m_parameters.fit.information.value_or("") != "none"; }
  std::vector<bool> free_response() const;
  std::vector<std::string> trend_columns() const;
  /// Returns the logarithms of the exposures of some rows of the observations; empty: none.
  std::vector<double> offsets(const std::vector<std::size_t>& rows) const;
  std::vector<double> values(const std::vector<std::size_t>& rows) const;

  void write_parameters(const io::Group& results) const;
  void write_prediction(const io::Group& results) const;
  void write_validation(const io::Group& results) const;

  Parameters m_parameters;
  RunSettings m_settings;
  Observations m_observations;
  Points m_kept, m_targets;
  std::vector<std::vector<double>> m_trend;
  std::unique_ptr<LatentSolver> m_solver;

  Stage m_stage = Stage::evaluate;
  std::string m_status;
  std::uint64_t m_likelihoods = 0;

  std::optional<SearchSpace> m_space;
  std::optional<LatentSearch> m_variables;
  std::unique_ptr<optimize::Maximizer> m_search;
  std::vector<double> m_point;  // where it is to be evaluated
  LatentPoint m_start;          // of the fit; its response and coefficients, of all else
  int m_refreshed = 0;
  std::vector<double> m_gradients;   // about the maximum, in turn
  std::vector<std::size_t> m_inner;  // variables away from their bounds

  struct Found {
    LatentPoint point;
    LatentEvaluation evaluation;
  };
  std::vector<Found> m_listed;   // of the section loglik
  std::optional<Found> m_found;  // the fit's, or that of the input
  optimize::Outcome m_outcome;
  std::vector<double> m_errors;
  struct Series {
    std::vector<double> loglik, theta, response, coefficients;
    std::vector<std::int64_t> iteration, valid, newton_steps, cg_iterations;
  } m_series;

  std::optional<LatentLog> m_log;

  LatentPrediction m_prediction;
  LatentForecast m_forecast;
  std::vector<double> m_draws, m_response_draws;

  std::vector<std::int64_t> m_fold;  // of each point
  std::size_t m_folds = 0, m_folds_done = 0;
  LatentPrediction m_validation;
  LatentForecast m_validation_forecast;
};

}  // namespace tessera::gp
