// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

void check_region(config::Section& in, bool sphere, const SimulateParameters& s) {
  if (s.lower.size() != s.upper.size() || s.lower.empty() || s.lower.size() > kMostCoordinates) {
    in.error("upper", "'lower' and 'upper' need the same number of elements, 1 to " +
                          std::to_string(kMostCoordinates));
  } else {
    for (std::size_t k = 0; k < s.lower.size(); ++k) {
      if (!(s.lower[k] < s.upper[k]))
        in.error("upper", "'simulate.upper' must be above 'simulate.lower' in every coordinate");
    }
    if (sphere && (s.lower.size() != 2 || s.lower[0] < -90 || s.upper[0] > 90 ||
                   s.upper[1] - s.lower[1] > 360)) {
      in.error("lower",
               "on the sphere 'lower' and 'upper' are [latitude, longitude] in degrees, with "
               "latitudes from -90 to 90");
    }
  }
}

void read_new_points(config::Section& in, const CovarianceModel& model, SimulateParameters& s) {
  const bool sphere = model.metric != Metric::euclidean;
  in.get("points", s.points).range(4, 1e9).doc("number of new points");
  const bool has_layout =
      in.get("layout", s.layout)
          .one_of({"jittered", "regular", "uniform"})
          .doc(
              "a grid whose points are moved by up to 0.4 of its spacing (as in ExaGeoStat), a "
              "grid, or at random; grids take the nearest power; in more than three coordinates "
              "uniform")
          .given();

  config::choose(in, "method", s.circulant, {{"cholesky", false}, {"circulant", true}})
      .doc(
          "factorisation of the covariance matrix (with Vecchia's approximation point by point), "
          "or circulant embedding: for layout regular, up to 1e8 points");

  if (s.circulant && !math::fft_available())
    in.error("method",
             "this build has no FFTW, which 'method: circulant' needs (Debian: libfftw3-dev)");
  if (s.circulant &&
      (s.layout != "regular" || sphere || model.has_time || !model.is_own() || model.rotated)) {
    in.error("method",
             "'method: circulant' needs 'layout: regular', 'metric: euclidean', and a covariance "
             "without time, bins, GSL and angle");
  }
  in.get("lower", s.lower)
      .doc("corner of the region, one number a coordinate (latitude, longitude on the sphere)");
  in.get("upper", s.upper).doc("opposite corner");
  check_region(in, sphere, s);
  if (s.lower.size() > 3) {
    if (has_layout && s.layout != "uniform")
      in.error("layout",
               "a grid of more than three coordinates has too many points: use 'layout: "
               "uniform'");
    s.layout = "uniform";
  }
  if (model.has_time || in.documenting())
    in.get("times", s.times)
        .range(1, 1e6)
        .doc(
            "number of times 0, 1, 2 ... at each place; with covariance.beta_time or "
            "covariance.time");
  else
    reject_alone(in, "times",
                 "needs a covariance in time: give 'covariance.beta_time' or 'covariance.time'");
}

/// Reads the groupings of new points.
void read_new_groups(config::Section& in, SimulateParameters& s) {
  in.get("groups", s.groups)
      .doc(
          "names of groupings, whose levels have random effects of groups.variance; with 'data' "
          "they are data.groups");
  in.get("levels", s.levels)
      .range(2, 1e6)
      .doc("number of levels of each grouping, among which points are divided at random");
  if (s.levels.size() == s.groups.size() || in.documenting()) return;
  in.error("levels", "'simulate.levels' has " + std::to_string(s.levels.size()) +
                         " elements, but 'simulate.groups' names " +
                         std::to_string(s.groups.size()) + " groupings");
  s.groups.clear();
}

void require_theta(config::Section& root, const Parameters& p) {
  const std::vector<std::string> names = p.model.names();
  config::Section covariance = root.section("covariance");
  for (std::size_t k = 0; k < p.theta.size(); ++k) {
    if (!std::isnan(p.theta[k])) continue;
    if (static_cast<int>(k) >= p.model.group()) {
      root.section("simulate")
          .error("", "'simulate' needs 'groups.variance', a number for each grouping");
      return;
    }
    if (p.model.has_tukey && static_cast<int>(k) >= p.model.g()) {
      root.section("marginal").error("", "'simulate' needs 'marginal." + names[k] + "'");
      continue;
    }
    covariance.error("", p.model.has_variables()
                             ? "'simulate' needs " + names[k] + ", from 'covariance." +
                                   names[k].substr(0, names[k].find('_')) + "'"
                             : "'simulate' needs 'covariance." + names[k] + "'");
  }
}

/// Reads g and h, unless a section `marginal` has them.
void read_marginals(config::Section& in, const Parameters& p, SimulateParameters& s) {
  std::optional<double> g, h;
  in.get("tukey_g", g)
      .doc("g of Tukey's g-and-h marginals: skewness; 'marginal' simulates and fits them")
      .otherwise("0");
  in.get("tukey_h", h)
      .range(0, 1)
      .doc("h of Tukey's g-and-h marginals: heavy tails")
      .otherwise("0");
  s.tukey = p.model.has_tukey || g || h;
  if (!p.model.has_tukey) {
    s.g = g.value_or(0);
    s.h = h.value_or(0);
    return;
  }
  if (g) in.error("tukey_g", "'tukey_g' says again what 'marginal' says: leave it out");
  if (h) in.error("tukey_h", "'tukey_h' says again what 'marginal' says: leave it out");
  s.g = p.theta[static_cast<std::size_t>(p.model.g())];
  s.h = p.theta[static_cast<std::size_t>(p.model.h())];
}

}  // namespace

void read_simulate(config::Section& root, Parameters& p) {
  config::Section in = root.section("simulate",
                                    "draws the observations from the covariance: at the points of "
                                    "`data`, whose values are not read then, or at new ones");
  if (!in.present()) return;
  SimulateParameters& s = p.simulate;
  s.given = true;
  const bool sphere = p.model.metric != Metric::euclidean;
  const std::size_t dimension = p.model.dimension;
  s.lower.assign(dimension, sphere ? -10.0 : 0.0);
  s.upper.assign(dimension, sphere ? 10.0 : 1.0);
  if (!p.data.given || in.documenting()) {
    read_new_points(in, p.model, s);
    read_new_groups(in, s);
  }
  in.get("replicates", s.replicates).range(1, 1e6).doc("number of independent fields");
  in.get("mean", s.mean).doc("mean of the field");
  read_marginals(in, p, s);
  in.finish();
  if (!p.data.given) spread_ranges(p, s.lower.size());
}

void check_simulate(config::Section& root, const Parameters& p) {
  if (p.simulate.given && !root.documenting()) require_theta(root, p);
}

}  // namespace tessera::gp::input
