// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/section.hpp"
#include "tessera/stable/fit/distribution_quantity.hpp"
#include "tessera/stable/fit/fit_types.hpp"
#include "tessera/stable/fit/hypothesis.hpp"
#include "tessera/stable/fit/rounded_values.hpp"
#include "tessera/stable/garch/garch_settings.hpp"
#include "tessera/stable/law/paper_integrator.hpp"
#include "tessera/stable/law/parameterization.hpp"
#include "tessera/stable/program/data.hpp"
#include "tessera/stable/program/multivariate_settings.hpp"
#include "tessera/stable/regression/regression_types.hpp"

namespace tessera::stable {

enum class Task {
  evaluate,
  quantile,
  sample,
  fit,
  fit_many,
  bias_map,
  precision,
  speed,
  regress,
  garch,
  multivariate
};

/// How functions of a distribution are computed. The last two are to compare with.
enum class Method {
  contour,  ///< integrals along contours, and tables of them
  paper,    ///< the paper's integrals
  newton,   ///< quantiles by the paper's iteration
};

/// The distributions whose speed is measured.
enum class SpeedDistributions { random, one, map };

/// The index of "alpha", "beta", "sigma" or "mu" in the arrays of a FitTask; 4 for another name.
std::size_t find_parameter(const std::string& name);

/// The responses and the regressors of task regress.
struct RegressionData {
  std::string file, response;
  Design design;
  std::vector<double> y;
  std::vector<Series> groups;  ///< a regression for each; one of all rows has no label
  /// The number in the file of every row here, without rows that were left out; empty: the same
  std::vector<std::size_t> row;

  bool has_groups() const { return !row.empty(); }
};

/// Everything an input file says about a stable run. Files that the input names have been read.
struct Parameters {
  Task task = Task::fit;
  double alpha = 1.5, beta = 0, sigma = 1, mu = 0;
  Parameterization parameterization = Parameterization::S0;
  config::Matrix distributions;  ///< rows (alpha, beta): evaluate and quantile for each of them
  bool scores = false;
  bool direct = false;  ///< without a table
  Method method = Method::contour;
  PaperQuadrature quadrature;
  double paper_tolerance = 1e-4;  ///< of the paper's iteration
  std::int64_t integrand = 0;     ///< places at which the paper's integrand is wanted
  config::Numbers x, p;
  std::int64_t n = 1000;
  std::shared_ptr<const Numbers> data;  ///< of the file that the input names; null: none

  // fits
  std::string estimator = "ml";      ///< ml, mcculloch; one sample also koutrouvelis, grid
  FitOptions fit{.goodness = true};  ///< also for regressions and GARCH, as far as they have them
  std::int64_t window = 1000, step = 500;  ///< window 0: whole series
  std::int64_t together = 0;               ///< fits of a call that is timed; 0: not timed
  std::vector<std::string> fixed;
  double tick = 0;        ///< values are multiples of it; 0: exact
  CountedValues counted;  ///< with a tick: the values of the data and how often they occur
  bool compare = false;
  std::string profile;
  std::vector<double> profile_values;

  // intervals
  std::vector<std::string> intervals;  ///< wald, profile, bootstrap
  double level = 0.95;
  std::vector<double> quantiles, risk;  ///< probabilities and confidence levels
  bool sandwich = false;
  std::int64_t interval_refits = 1999, boundary_refits = 199;
  bool coverage = false;  ///< of intervals, in maps

  // tests of a fit
  std::vector<std::string> goodness_statistics;  ///< ad, ks, cvm
  std::vector<Hypothesis> against;
  std::int64_t refits = 9999;
  double refit_tolerance = 1e-6;

  std::shared_ptr<const RegressionData> regression;
  GarchSettings garch;
  MultivariateSettings multivariate;

  // bias_map, precision, speed
  std::vector<double> alphas, betas;
  std::vector<double> sigmas, mus;  ///< without numbers: sigma and mu
  std::int64_t repeats = 20;        ///< samples of each distribution; timed calls

  // speed
  std::vector<double> speed_points{1000, 100000};
  std::vector<std::string> speed_functions, speed_methods;
  SpeedDistributions speed_distributions = SpeedDistributions::random;

  bool by_paper() const { return method == Method::paper; }
  bool by_newton() const { return method == Method::newton; }
  /// Returns whether maps also have axes of sigma and mu.
  bool maps_places() const { return !sigmas.empty() || !mus.empty(); }
  bool wants_interval(const std::string& kind) const;
  /// The parameters, then quantiles, values at risk and shortfalls.
  std::vector<Quantity> quantities() const;

  FitTask make_task(std::int64_t begin, std::int64_t count) const;

  LocationScale where() const { return {sigma, mu, parameterization}; }

  /// Declares, reads and checks all sections; problems are recorded in `root`. Throws Error (file)
  /// when a file cannot be read.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::stable
