// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/local_fields.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/points/local_variance.hpp"

namespace tessera::gp {

void complete_local_model(const Observations& o, Parameters& p) {
  LocalModel& local = p.model.local;
  local.centre = p.local.centre;
  for (std::size_t k = local.centre.size(); k < local.covariates.size(); ++k) {
    const std::vector<double>& x = o.points.local[k];
    local.centre.push_back(std::accumulate(x.begin(), x.end(), 0.0) /
                           static_cast<double>(x.size()));
  }
  for (std::size_t k = 0; k < local.coordinates.size(); ++k) {
    const std::vector<double>& x = o.points.coordinate[k];
    const auto [least, largest] = std::minmax_element(x.begin(), x.end());
    local.first[k] = p.local.lower.empty() ? *least : p.local.lower[k];
    local.last[k] = p.local.upper.empty() ? *largest : p.local.upper[k];
    if (local.first[k] < local.last[k]) continue;
    throw Error(ErrorKind::input,
                "the knots of the coordinate '" + local.coordinates[k] + "' go from " +
                    number(local.first[k]) + " to " + number(local.last[k]),
                "give covariance.warp.lower and upper, or leave out covariance.warp");
  }
}

namespace {

/// Throws where the covariate of a free coefficient says nothing besides those before it.
void require_varied(const Parameters& p, const Points& points, int first, int last) {
  constexpr double kSmallest = 1e-8;  // of what is left of a column, relative to it
  const CovarianceModel& model = p.model;
  const std::vector<std::string> names = model.names();
  std::vector<std::vector<double>> before{std::vector<double>(points.size(), 1.0)};
  for (int k = first; k < last; ++k) {
    const std::string& name = names[static_cast<std::size_t>(model.first_of_local() + k)];
    if (std::find(p.fit.fixed.begin(), p.fit.fixed.end(), name) != p.fit.fixed.end()) continue;
    const auto covariate = static_cast<std::size_t>(model.local.covariate(k));
    const std::vector<double>& column = points.local[covariate];
    const std::vector<double> rest = regression_residuals(column, before);
    const double left = std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0),
                 all = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
    if (!(left > kSmallest * kSmallest * all)) {
      throw Error(ErrorKind::input,
                  "the covariate '" + model.local.covariates[covariate] + "' of the covariance " +
                      (before.size() == 1 ? "is constant over the points"
                                          : "is a combination of those before it at these points") +
                      ", so that " + name + " cannot be estimated",
                  "leave it out of covariance.by_covariates, or name " + name + " in fit.fixed");
    }
    before.push_back(column);
  }
}

}  // namespace

void require_varied_covariates(const Parameters& p, const Points& points) {
  const LocalModel& local = p.model.local;
  require_varied(p, points, 0, local.first_of_range());
  require_varied(p, points, local.first_of_range(), local.first_of_nugget());
  require_varied(p, points, local.first_of_nugget(), local.first_of_warp());
}

void write_local(const io::Group& results, const CovarianceModel& model, const Theta& theta,
                 const Points& points) {
  const LocalModel& local = model.local;
  if (!model.is_local() ||
      std::any_of(theta.begin(), theta.end(), [](double x) { return !std::isfinite(x); }))
    return;
  const io::Group group = results.group("local");
  if (!local.covariates.empty()) {
    group.write("covariates", local.covariates,
                io::Attributes{"1", "covariates that the covariance depends on"});
    group.write("centre", local.centre,
                io::Attributes{"1", "of each covariate: where sigma2, beta and nugget hold"});
    std::vector<double> variance, range, nugget;
    for (std::size_t i = 0; i < points.size(); ++i) {
      variance.push_back(field_variance(model, theta, points, i));
      range.push_back(range_ratio(model, theta, points, i));
      nugget.push_back(nugget_variance(model, theta, points, i));
    }
    group.write("variance", variance,
                io::Attributes{"1", "variance of the field at the points of /coordinates"});
    group.write("range_ratio", range,
                io::Attributes{"1", "range at the points of /coordinates, in units of beta"});
    group.write("nugget", nugget,
                io::Attributes{"1", "variance of the errors at the points of /coordinates"});
  }
  if (local.knots == 0) return;
  std::vector<double> knots, slopes, warped;
  for (std::size_t c = 0; c < local.coordinates.size(); ++c) {
    const Warp warp = make_warp(model, theta, static_cast<int>(c));
    for (int k = 0; k < warp.knots; ++k) {
      knots.push_back(warp.first + k * warp.spacing);
      slopes.push_back(warp.slope[k]);
      warped.push_back(warp.value(knots.back()));
    }
  }
  const io::Shape shape{local.coordinates.size(), static_cast<std::uint64_t>(local.knots)};
  group.write("knots", knots, shape, io::Attributes{"1", "knots of the warp, a row a coordinate"});
  group.write("slopes", slopes, shape, io::Attributes{"1", "slopes of the warp there"});
  group.write("warped", warped, shape, io::Attributes{"1", "where the warp brings the knots"});
}

}  // namespace tessera::gp
