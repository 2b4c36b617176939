// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

void read_mean(config::Section& root, Parameters& p) {
  const config::Names<Mean> means{{"zero", Mean::zero},
                                  {"constant", Mean::constant},
                                  {"linear", Mean::linear},
                                  {"quadratic", Mean::quadratic}};
  const std::string doc =
      "of the field: known to be 0, an unknown constant, linear or quadratic in the coordinates "
      "(generalised least squares)";
  if (root.form("mean") != config::Form::mapping) {
    config::choose(root, "mean", p.mean, means)
        .doc(doc +
             "; or, with covariates, {coordinates: constant, covariates: [elevation, "
             "log(distance)]}");
    return;
  }
  config::Section in = root.section("mean", doc);
  config::choose(in, "coordinates", p.mean, means).doc("the part that depends on the coordinates");
  in.get("covariates", p.covariates).doc("expressions of the coordinates and of data.covariates");
  in.finish();
}

void check_covariates(config::Section& root, const Parameters& p) {
  if (p.covariates.empty() && p.model.local.covariates.empty()) {
    if (!p.data.columns.covariates.empty() && !root.documenting()) {
      logging::warning(
          "the columns of 'data.covariates' are not used: name them in mean.covariates or "
          "covariance.by_covariates, or leave them out");
    }
    return;
  }
  config::Section predict = root.section("predict"), points = predict.section("points");
  try {
    const Covariates covariates(p.covariates, p.covariate_names());
  } catch (const CovariateError& error) {
    root.section("mean").error_within("covariates", error.index(), error.offset(), error.what());
  }
  const std::size_t columns = p.data.columns.covariates.size();
  if (columns > 0 && !p.predict.grid_shape().empty())
    predict.error("grid",
                  "a grid has no 'data.covariates': predict at 'points' of a file that has them");
  if (!p.predict.points.file.empty() && p.predict.points.covariates.size() != columns) {
    points.error("covariates", "'predict.points.covariates' names " +
                                   std::to_string(p.predict.points.covariates.size()) +
                                   " columns, and 'data.covariates' " + std::to_string(columns));
  }
}

}  // namespace tessera::gp::input
