// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

/// Numbers must be finite, and on a sphere angles.
void check_axis(config::Section& in, const std::string& name, bool sphere, bool first,
                const config::Numbers& values) {
  if (!values.is_made()) return;
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (bad != values.end()) {
    in.error(name,
             "number " + std::to_string(bad - values.begin() + 1) + " is missing or not finite");
    return;
  }
  if (!sphere) return;
  const double most = first ? 90 : 360;
  const auto beyond =
      std::find_if(values.begin(), values.end(), [&](double x) { return std::fabs(x) > most; });
  if (beyond != values.end()) {
    in.error(name, std::string(first ? "the latitude " : "the longitude ") +
                       config::yaml_text(*beyond) + " is outside " +
                       (first ? "-90 to 90" : "-360 to 360") + " degrees");
  }
}

void read_axes(config::Section& in, const std::vector<std::string>& names, bool sphere,
               PredictParameters& q) {
  config::NumbersOptions options;
  options.doc = "a number, a list of numbers, or one of these";
  options.fallback.product_first = true;
  for (const std::string& name : names) {
    if (!in.has(name))
      in.error("", "'predict.grid' needs '" + name + "', a range or a list of numbers");
    const config::Numbers values = config::read_numbers(in, name, options);
    check_axis(in, name, sphere, name == names[0], values);
    q.axes.push_back(values);
  }
  in.finish();
}

/// Numbers of points, or a mapping of the coordinates to their values; on a sphere the first ones
/// are latitudes.
void read_grid(config::Section& predict, const std::vector<std::string>& names, bool sphere,
               PredictParameters& q) {
  const std::string doc =
      "numbers of grid points along the coordinates, over the extent of the data, or where they "
      "lie: a range or a list " +
      std::string("for each coordinate, as in {x: {linspace: [0, 1, 64]}, y: [0.25, 0.5]}");
  if (predict.form("grid") != config::Form::mapping) {
    predict.get("grid", q.counts).range(1, 1e6).doc(doc);
    if (!q.counts.empty() && q.counts.size() != names.size() && !predict.documenting()) {
      predict.error("grid", "'predict.grid' has " + std::to_string(q.counts.size()) +
                                " elements, but there are " + std::to_string(names.size()) +
                                " coordinates");
    }
  } else {
    config::Section in = predict.section("grid", doc);
    read_axes(in, names, sphere, q);
  }
  double points = 1;
  for (const std::size_t n : q.grid_shape()) points *= static_cast<double>(n);
  if (points > 1e9) predict.error("grid", "the grid has more than 1e9 points");
}

void read_time(config::Section& in, bool has_time, PredictParameters& q) {
  if (in.documenting() || (has_time && in.has("grid")))
    in.require("time", q.time)
        .doc("time of the grid; with covariance.beta_time or covariance.time");
  else if (has_time)
    reject_alone(in, "time", "is that of 'grid'");
  else
    reject_alone(in, "time",
                 "needs a covariance in time: give 'covariance.beta_time' or 'covariance.time'");
}

void read_points_of_file(config::Section& points, const Parameters& p, PredictParameters& q) {
  points.require("file", q.points.file).path().doc("like data.file");
  read_column_names(points, p.model, p.data.columns.coordinates, q.points);
  q.points.covariates = p.data.columns.covariates;
  points.get("covariates", q.points.covariates)
      .doc("columns for those of data.covariates, in their order");
  points.get("groups", q.points.groups)
      .doc(
          "columns of the labels of data.groups, in their order; left out, effects of groupings "
          "are no part of what is predicted");
  points.get("error_variance", q.points.error_variance)
      .doc("column of the known variances of observations there, for 'of: observation'");
  points.finish();
}

void read_kind(config::Section& in, PredictParameters& q) {
  config::choose(in, "of", q.of_observation, {{"field", false}, {"observation", true}})
      .doc(
          "what variances and draws are of: the field, or another observation of it, which adds "
          "the nugget, a known error variance and the variances of groupings whose levels are not "
          "given");

  in.get("quantiles", q.quantiles)
      .doc(
          "probabilities, each above 0 and below 1, whose quantiles of an observation are "
          "predicted, as in [0.025, 0.5, 0.975]");
  for (const double p : q.quantiles) {
    if (!(p > 0 && p < 1))
      in.error("quantiles", "'predict.quantiles' has " + config::yaml_text(p) +
                                ", but probabilities are above 0 and below 1");
  }
  in.get("draws", q.draws)
      .range(0, 1e4)
      .doc(
          "fields drawn from the conditional distribution at the predicted points (with 'method: "
          "exact' their covariance matrix must fit in memory); with 'likelihood' predictors and an "
          "observation of each");
  in.get("jitter", q.jitter)
      .range(0, 1e-2)
      .doc(
          "added to the conditional variances of draws, in units of sigma2: smooth fields on fine "
          "grids are determined to rounding");
}

}  // namespace

void read_predict(config::Section& root, Parameters& p) {
  config::Section in = root.section("predict",
                                    "kriging: on a grid, at points of a file, or at observations "
                                    "that are left out of everything else");
  if (!in.present()) return;
  PredictParameters& q = p.predict;
  q.given = true;
  int targets = 0;
  const std::vector<std::string> names = name_coordinates(p);
  read_grid(in, names, p.model.metric != Metric::euclidean, q);
  targets += in.has("grid");
  read_time(in, p.model.has_time, q);
  config::Section points = in.section("points", "points of a file");
  if (points.present()) {
    if (!in.documenting()) ++targets;
    read_points_of_file(points, p, q);
  }
  targets += in.get("held_out", q.held_out)
                 .doc(
                     "column of the data file that is 1 for observations to leave out and predict, "
                     "and 0 for the others")
                 .given();
  targets +=
      in.get("fraction", q.fraction)
          .range(0, 0.95)
          .doc("leave out this fraction of the observations, drawn at random, and predict them")
          .given();
  read_kind(in, q);
  if (!in.documenting() && targets != 1) {
    in.error("", targets == 0
                     ? "'predict' needs one of 'grid', 'points', 'held_out' and 'fraction'"
                     : "'predict' takes only one of 'grid', 'points', 'held_out' and 'fraction'");
  }
  if (!q.held_out.empty() && !p.data.given && !in.documenting())
    in.error("held_out", "'held_out' names a column of 'data', and there is no 'data'");
  in.finish();
}

void read_cross_validation(config::Section& root, Parameters& p) {
  config::Section validation =
      root.section("cross_validation", "predicts each observation from those outside its fold");
  if (!validation.present()) return;
  p.cross_validate = true;
  validation.get("folds", p.folds)
      .range(0, 1e6)
      .doc("number of folds, drawn at random; 0: leave one out");
  validation.get("by", p.fold_group)
      .doc(
          "a grouping whose levels are divided into folds instead of the observations: how well "
          "new "
          "levels are predicted");
  if (p.folds == 1)
    validation.error(
        "folds", "one fold leaves nothing to predict from; use 2 or more, or 0 to leave one out");
  validation.finish();
}

}  // namespace tessera::gp::input
