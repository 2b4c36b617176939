// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/section.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/latent/latent.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/points.hpp"
#include "tessera/gp/program/group_table.hpp"

namespace tessera::gp {

/// A file of points: which columns are what.
struct ColumnsParameters {
  std::string file;
  std::vector<std::string> coordinates;  ///< latitude and longitude on the sphere
  std::string time;                      ///< empty: none
  std::vector<std::string> covariates;   ///< for the mean
  std::string error_variance;            ///< of each observation's error; empty: none
  std::string exposure;                  ///< of each observation; empty: none
  std::vector<std::string> groups;       ///< labels of groupings
};

/// Columns of a file, as long as each other.
using Columns = std::vector<std::vector<double>>;

/// The `data:` section, with what the file holds.
struct DataParameters {
  bool given = false;
  ColumnsParameters columns;
  std::shared_ptr<const Columns>
      /// coordinates, time, covariates, error variance, exposure, levels of groupings, values and
      /// held_out, as far as the run needs them; complete rows
      table;
  std::shared_ptr<const GroupTable> groups;  ///< of all rows
  std::vector<std::string> values;
  bool drop_missing = false;
  bool average_duplicates = false;
  std::int64_t sample = 0;  ///< take so many rows at random; 0: all
};

/// The keys `by_covariates` and `warp` of the `covariance:` section, as far as they are given; what
/// they say of the model is in CovarianceModel::local.
struct LocalParameters {
  std::vector<double> coefficients;  ///< of covariates
  std::vector<double> centre;
  std::vector<double> lower, upper;  ///< the first and the last knot of each coordinate
  std::vector<double> warp;          ///< its coefficients
};

/// The `simulate:` section.
struct SimulateParameters {
  bool given = false;
  std::int64_t points = 400;
  std::string layout = "jittered";
  bool circulant = false;
  std::vector<double> lower, upper;
  int times = 1;
  std::vector<std::string> groups;  ///< names of groupings of new points,
  std::vector<int> levels;          ///< and how many levels each has
  int replicates = 1;
  double mean = 0;
  bool tukey = false;
  double g = 0, h = 0;
};

/// The `generate:` section.
struct GenerateParameters {
  bool given = false;
  std::vector<int> points{10000};
  int repeats = 5;
};

/// The `method` key.
enum class Method { exact, vecchia, automatic };
struct MethodParameters {
  Method method = Method::exact;
  VecchiaOptions vecchia;
  int refresh = 2;  ///< times that a fit finds the neighbours again
};

/// The `likelihood:` section.
struct ResponseParameters {
  ResponseFamily family = ResponseFamily::gaussian;
  /// Of the family's parameters, as many as it has; not given: a fit starts from the data
  std::optional<double> a, b;
  std::vector<double> coefficients;  ///< of the mean; empty: those of the largest likelihood
  LatentOptions options;

  bool given() const { return family != ResponseFamily::gaussian; }
};

/// The `fit:` section. Lists are in the order of theta.
struct FitParameters {
  bool given = false;
  std::optional<std::string> method;  ///< not given: as the solver has it
  std::vector<double> start, lower, upper;
  std::vector<std::string> fixed;
  double tolerance = 1e-6;
  int max_evaluations = 500;
  int starts = 1;
  bool separate = false;
  std::optional<std::int64_t> start_sample;  ///< likewise; 0: none
  std::optional<std::string> information;    ///< likewise
};

/// The `predict:` section.
struct PredictParameters {
  bool given = false;
  /// Numbers of grid points along each coordinate, over the extent of the data
  std::vector<int> counts;
  std::vector<config::Numbers> axes;  ///< or: the grid points along each coordinate
  double time = 0;
  ColumnsParameters points;
  std::shared_ptr<const Points> targets;  ///< of the file of `points`
  std::string held_out;
  double fraction = 0;
  bool of_observation = false;    ///< variances and draws include the errors
  std::vector<double> quantiles;  ///< probabilities
  int draws = 0;
  double jitter = 1e-10;

  /// Grid points along each coordinate; empty: no grid.
  std::vector<std::size_t> grid_shape() const;
};

/// Everything an input says about a run of tessera-gp.
struct Parameters {
  CovarianceModel model;
  Theta theta;  ///< as far as the covariance section gives it; NaN where it does not
  bool range_for_each = false;  ///< covariance.ranges: each
  LocalParameters local;
  Mean mean = Mean::constant;
  std::vector<std::string> covariates;  ///< of the mean: expressions of coordinates and columns
  MethodParameters method;
  DataParameters data;
  SimulateParameters simulate;
  GenerateParameters generate;
  std::vector<Theta> loglik;
  std::vector<int> loglik_neighbours;  ///< numbers of neighbours with which they are evaluated too
  ResponseParameters response;
  FitParameters fit;
  PredictParameters predict;
  bool cross_validate = false;
  int folds = 10;
  std::string fold_group;  ///< the grouping whose levels are divided into folds; empty: points

  /// The names that covariates are made of: of the coordinates, then of the columns of
  /// data.covariates.
  std::vector<std::string> covariate_names() const;

  /// Returns the labels of each grouping, by level; those of new points are numbers from 1 on.
  std::vector<std::vector<std::string>> group_labels() const;

  /// Declares, reads and checks all sections, and reads the files that they name; problems are
  /// recorded in `root`. Throws Error (file) when a file cannot be opened.
  static Parameters read(config::Section& root);
};

}  // namespace tessera::gp
