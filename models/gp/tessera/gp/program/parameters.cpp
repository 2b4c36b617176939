// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/parameters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/io/file_format.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/program/observations.hpp"

namespace tessera::gp {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

const config::Names<Family> kFamilies{{"matern", Family::matern},
                                      {"matern12", Family::matern12},
                                      {"matern32", Family::matern32},
                                      {"matern52", Family::matern52},
                                      {"powered_exponential", Family::powered_exponential},
                                      {"squared_exponential", Family::squared_exponential}};

/// The angles by which the axes of the ranges are turned; whether they are given, and as many as so
/// many ranges need.
bool read_angles(config::Section& in, std::size_t ranges, std::vector<double>& angles) {
  if (in.form("angle") == config::Form::list) {
    in.get("angle", angles);
  } else {
    std::optional<double> angle;
    in.get("angle", angle)
        .doc(
            "turns the axes of the ranges, in radians: in the plane the direction of the first "
            "range, counter-clockwise from the first coordinate; in space [yaw, pitch, roll], "
            "about the third axis, the new second and the newest first one")
        .otherwise("the axes are those of the coordinates");
    if (angle) angles.push_back(*angle);
  }
  if (!in.has("angle")) return false;
  const std::size_t wanted = ranges == 2 ? 1 : 3;
  if (ranges < 2) {
    in.error("angle",
             "'angle' turns the axes of ranges: give one for each of two or three coordinates, as "
             "in 'beta: [12, 4]'");
  } else if (angles.size() != wanted) {
    in.error("angle", "'covariance.angle' has " + std::to_string(angles.size()) +
                          " elements, but " + std::to_string(ranges) + " coordinates need " +
                          std::to_string(wanted));
  }
  return ranges >= 2 && angles.size() == wanted;
}

/// A key that has a use only with another one is answered with that, where it stands alone.
void reject_alone(config::Section& in, const std::string& key, const std::string& needed) {
  if (in.documenting() || !in.has(key)) return;
  in.error(key, "'" + key + "' " + needed);
  if (in.form(key) == config::Form::list) {
    std::vector<std::string> values;
    in.get(key, values);
  } else if (in.form(key) != config::Form::mapping) {
    std::string value;
    in.get(key, value);
  }
}

/// The covariance section; the elements of theta that it does not give stay NaN.
void read_covariance(config::Section& root, Parameters& p) {
  CovarianceModel& model = p.model;
  config::Section in = root.section(
      "covariance",
      "the covariance function; its numbers hold for simulations, and are where a fit starts");
  config::choose(in, "family", model.family, kFamilies)
      .doc("correlation as a function of u = distance / range");

  config::choose(in, "metric", model.metric,
                 {{"euclidean", Metric::euclidean},
                  {"great_circle", Metric::great_circle},
                  {"chordal", Metric::chordal}})
      .doc("distance; on the sphere along its surface, or straight through it");

  if (model.metric != Metric::euclidean || in.documenting()) {
    in.get("radius", model.radius)
        .positive()
        .doc("of the sphere, in the unit of beta; the Earth's in km by default");
  } else {
    reject_alone(in, "radius", "is of the sphere: it needs 'metric: great_circle' or 'chordal'");
  }
  config::choose(in, "range_convention", model.convention,
                 {{"plain", RangeConvention::plain}, {"scaled", RangeConvention::scaled}})
      .doc("u = r / beta, or sqrt(2 nu) r / beta as in GPyTorch and scikit-learn");
  if (model.convention == RangeConvention::scaled &&
      (model.family == Family::powered_exponential ||
       model.family == Family::squared_exponential)) {
    in.error("range_convention", "'range_convention: scaled' is for the Matern families");
  }

  std::optional<double> sigma2, beta, nu, exponent, beta_time, nugget;
  std::vector<double> ranges, angles;
  in.get("sigma2", sigma2)
      .positive()
      .doc("variance")
      .otherwise("a fit starts from that of the data");
  const bool has_list = in.form("beta") == config::Form::list;
  if (has_list) {
    in.get("beta", ranges).positive();
  } else {
    in.get("beta", beta)
        .positive()
        .doc(
            "range, in the unit of the coordinates (of the radius on the sphere); or, as in [12, "
            "4], one for each coordinate");
  }
  const bool has_ranges =
      in.get("ranges", ranges).positive().doc("the same as a list for beta").given() || has_list;
  const std::string key = has_list ? "beta" : "ranges";
  if (in.has("beta") && in.has("ranges"))
    in.error("ranges", "give either 'beta' or 'ranges', not both");
  if (has_ranges && model.metric != Metric::euclidean)
    in.error(key, "a range for each coordinate needs 'metric: euclidean'");
  if (has_ranges && (ranges.empty() || ranges.size() > 3)) {
    in.error(key, "'covariance." + key + "' has " + std::to_string(ranges.size()) +
                      " elements, but must have one for each coordinate");
    ranges.assign(2, 1.0);
  }
  model.rotated = read_angles(in, has_ranges ? ranges.size() : 0, angles);
  if (model.family == Family::matern || in.documenting())
    in.get("nu", nu).range(0.01, 50).positive().doc("smoothness of the Matern family");
  if (model.family == Family::powered_exponential || in.documenting())
    in.get("exponent", exponent).range(0.01, 2).positive().doc("of the powered exponential");
  if (model.family == Family::matern || in.documenting()) {
    in.get("bins", model.bins)
        .range(0, 4096)
        .doc(
            "above 0: the Matern function by the algorithm of Geng et al. with so many bins, to "
            "compare with; 0: to rounding error, from a table");
  }
  if (model.family != Family::matern) {
    reject_alone(in, "nu", "is the smoothness of 'family: matern'; others have none");
    reject_alone(in, "bins", "is for 'family: matern'");
  }
  if (model.family != Family::powered_exponential)
    reject_alone(in, "exponent", "is for 'family: powered_exponential'");
  in.get("beta_time", beta_time)
      .positive()
      .doc("range in time, of an exponential factor")
      .otherwise("no such factor");
  in.get("nugget", nugget)
      .non_negative()
      .doc("variance of independent errors; a parameter of the model where it is given, also as 0")
      .otherwise("no such errors");
  in.finish();

  model.anisotropic = has_ranges;
  model.has_time = beta_time.has_value();
  model.has_nugget = nugget.has_value();
  model.dimension = has_ranges ? static_cast<int>(ranges.size()) : 2;
  p.theta.push_back(sigma2.value_or(kNotGiven));
  if (has_ranges) {
    p.theta.insert(p.theta.end(), ranges.begin(), ranges.end());
    if (model.rotated) p.theta.insert(p.theta.end(), angles.begin(), angles.end());
  } else {
    p.theta.push_back(beta.value_or(kNotGiven));
  }
  if (model.family == Family::matern) p.theta.push_back(nu.value_or(kNotGiven));
  if (model.family == Family::powered_exponential) p.theta.push_back(exponent.value_or(kNotGiven));
  if (model.has_time) p.theta.push_back(*beta_time);
  if (model.has_nugget) p.theta.push_back(*nugget);
}

/// Where points are: coordinates, or latitude and longitude, and perhaps the time.
void read_column_names(config::Section& in, const CovarianceModel& model, ColumnsParameters& p) {
  if (model.metric == Metric::euclidean || in.documenting()) {
    std::vector<std::string> names{"x", "y"};
    in.get("coordinates", names)
        .doc(
            "columns of the coordinates, 1 to 3: names, numbers from 1 (.npy, and text without a "
            "line of names), or datasets (.h5)");
    p.coordinates = names;
    if (names.empty() || names.size() > 3)
      in.error("coordinates", "'coordinates' names " + std::to_string(names.size()) +
                                  " columns; 1 to 3 are possible");
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
      in.error("coordinates", "'coordinates' names a column twice");
  }
  if (model.metric != Metric::euclidean || in.documenting()) {
    std::string latitude = "latitude", longitude = "longitude";
    if (in.documenting()) {
      std::optional<std::string> column;
      in.get("latitude", column)
          .doc(
              "column of the latitude in degrees; for metric great_circle and chordal, instead of "
              "coordinates")
          .otherwise("required with these metrics");
      in.get("longitude", column)
          .doc("column of the longitude in degrees, likewise")
          .otherwise("required with these metrics");
    } else {
      if (in.has("coordinates")) {
        std::vector<std::string> names;
        in.get("coordinates", names);
        in.error("coordinates",
                 "with 'metric: " +
                     std::string(model.metric == Metric::chordal ? "chordal" : "great_circle") +
                     "' name the columns as 'latitude' and 'longitude' instead of 'coordinates'");
      }
      in.require("latitude", latitude).doc("column of the latitude in degrees");
      in.require("longitude", longitude).doc("column of the longitude in degrees");
    }
    p.coordinates = {latitude, longitude};
  }
  if (model.metric == Metric::euclidean && !in.documenting() &&
      (in.has("latitude") || in.has("longitude"))) {
    std::string name;
    in.get("latitude", name);
    in.get("longitude", name);
    in.error(in.has("latitude") ? "latitude" : "longitude",
             "latitude and longitude need 'metric: great_circle' or 'chordal'; for 'metric: "
             "euclidean' name the columns as 'coordinates'");
  }
  if (model.has_time || in.documenting()) {
    std::string time = model.has_time ? "t" : "";
    in.get("time", time).doc("column of the time; with covariance.beta_time");
    p.time = time;
  } else {
    reject_alone(in, "time", "needs the range in time: give 'covariance.beta_time'");
  }
}

const config::Names<Ordering> kOrderings{{"maxmin", Ordering::maxmin},
                                         {"random", Ordering::random},
                                         {"coordinate", Ordering::coordinate},
                                         {"given", Ordering::given}};

/// A name, or a mapping with covariates.
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

/// The covariates must be expressions of what there is.
void check_covariates(config::Section& root, const Parameters& p) {
  if (p.covariates.empty()) return;
  config::Section mean = root.section("mean"), predict = root.section("predict"),
                  points = predict.section("points");
  try {
    const Covariates covariates(p.covariates, p.covariate_names());
  } catch (const CovariateError& error) {
    mean.error_within("covariates", error.index(), error.offset(), error.what());
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

/// A name, or the options of Vecchia's approximation.
void read_method(config::Section& root, Parameters& p) {
  MethodParameters& method = p.method;
  const std::string doc =
      "exact: one dense Cholesky factorisation a likelihood; vecchia: each point given its nearest "
      "predecessors, for millions of points; auto: exact up to 8192 points (on a GPU 32768) and "
      "half of the memory, then vecchia";
  if (root.form("method") != config::Form::mapping) {
    config::choose(
        root, "method", method.method,
        {{"exact", Method::exact}, {"vecchia", Method::vecchia}, {"auto", Method::automatic}})
        .doc(doc +
             "; or, with options, {vecchia: {neighbours: 30, ordering: maxmin, refresh: 2, "
             "prediction_neighbours: 60}}");

    return;
  }
  config::Section in = root.section("method", doc);
  config::Section options = in.section("vecchia", "options of Vecchia's approximation");

  options.get("neighbours", method.vecchia.neighbours)
      .range(1, 1000)
      .doc("earlier points that each one is conditioned on");

  config::choose(options, "ordering", method.vecchia.ordering, kOrderings)
      .doc(
          "of the points: far from each other first, at random, by the first coordinate, as they "
          "come");
  options.get("refresh", method.refresh)
      .range(0, 100)
      .doc(
          "times that a fit finds the neighbours again, in coordinates divided by the ranges; "
          "counts where ranges differ (ranges, beta_time)");
  options.get("block", method.vecchia.block)
      .range(1, 256)
      .doc(
          "a power of two: points next to each other that are conditioned on the neighbours of all "
          "of them, for a closer likelihood; on one device");
  if (!std::has_single_bit(static_cast<unsigned>(method.vecchia.block))) {
    options.error("block", "blocks of " + std::to_string(method.vecchia.block) +
                               " points: give a power of two");
  }
  options.get("prediction_neighbours", method.vecchia.prediction_neighbours)
      .range(1, 1000)
      .doc("data points that a prediction is made from");
  options.finish();
  in.finish();
  method.method = Method::vecchia;
}

void read_data(config::Section& root, Parameters& p) {
  config::Section in = root.section("data", "observations; left out, `simulate` makes them");
  if (!in.present()) return;
  p.data.given = true;
  in.require("file", p.data.columns.file)
      .path()
      .doc(
          "file with a column for each coordinate and each replicate: text (CSV), numpy (.npy) or "
          "HDF5 (.h5)");
  read_column_names(in, p.model, p.data.columns);
  p.data.values = {"z"};
  in.get("values", p.data.values)
      .doc("columns of the observations; several are replicates of the same field");
  in.get("covariates", p.data.columns.covariates).doc("columns that mean.covariates is made of");
  in.get("error_variance", p.data.columns.error_variance)
      .doc(
          "column of known variances, at least 0, of the errors of the observations, beside the "
          "nugget");

  config::choose(in, "missing", p.data.drop_missing, {{"error", false}, {"drop", true}})
      .doc(
          "what to do with rows in which a value is missing: empty, NaN, NA, N/A, #N/A, NULL, "
          "None, - or .");

  config::choose(in, "duplicates", p.data.average_duplicates, {{"error", false}, {"average", true}})
      .doc(
          "what to do with observations at the same place, or within 1e-6 of the usual spacing; "
          "with a nugget they are welcome and kept");
  in.get("sample", p.data.sample).non_negative().doc("take so many rows at random; 0: all");

  if (p.data.values.empty() && !in.documenting())
    in.error("values", "'data.values' names no column");
  in.finish();
}

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
    in.get("points", s.points).range(4, 1e9).doc("number of new points");
    in.get("layout", s.layout)
        .one_of({"jittered", "regular", "uniform"})
        .doc(
            "a grid whose points are moved by up to 0.4 of its spacing (as in ExaGeoStat), a grid, "
            "or at random; grids take the nearest power");

    config::choose(in, "method", s.circulant, {{"cholesky", false}, {"circulant", true}})
        .doc(
            "factorisation of the covariance matrix (with Vecchia's approximation point by point), "
            "or circulant embedding: for layout regular, up to 1e8 points");

    if (s.circulant && !math::fft_available())
      in.error("method",
               "this build has no FFTW, which 'method: circulant' needs (Debian: libfftw3-dev)");
    if (s.circulant && (s.layout != "regular" || sphere || p.model.has_time || p.model.bins > 0 ||
                        p.model.rotated)) {
      in.error("method",
               "'method: circulant' needs 'layout: regular', 'metric: euclidean', and a covariance "
               "without time, bins and angle");
    }
    in.get("lower", s.lower)
        .doc("corner of the region, one number a coordinate (latitude, longitude on the sphere)");
    in.get("upper", s.upper).doc("opposite corner");
    if (s.lower.size() != s.upper.size() || s.lower.empty() || s.lower.size() > 3) {
      in.error("upper", "'lower' and 'upper' need the same number of elements, 1 to 3");
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
    if (p.model.has_time || in.documenting())
      in.get("times", s.times)
          .range(1, 1e6)
          .doc("number of times 0, 1, 2 ... at each place; with covariance.beta_time");
    else
      reject_alone(in, "times", "needs the range in time: give 'covariance.beta_time'");
  }
  in.get("replicates", s.replicates).range(1, 1e6).doc("number of independent fields");
  in.get("mean", s.mean).doc("mean of the field");
  s.tukey = in.get("tukey_g", s.g).doc("g of Tukey's g-and-h marginals: skewness").given();
  s.tukey = in.get("tukey_h", s.h)
                .range(0, 1)
                .doc("h of Tukey's g-and-h marginals: heavy tails")
                .given() ||
            s.tukey;
  in.finish();
  if (in.documenting()) return;
  const std::vector<std::string> names = p.model.names();
  config::Section covariance = root.section("covariance");
  for (std::size_t k = 0; k < p.theta.size(); ++k) {
    if (std::isnan(p.theta[k]))
      covariance.error("", "'simulate' needs 'covariance." + names[k] + "'");
  }
}

void read_loglik(config::Section& root, Parameters& p) {
  config::Section in = root.section("loglik", "evaluates the log-likelihood at given parameters");
  if (!in.present()) return;
  config::Matrix rows;
  if (in.documenting()) rows = {{1, 0.1, 0.5}};
  in.require("theta", rows)
      .doc(
          "a list of parameter vectors, each in the order of theta: sigma2, beta (ranges), angle, "
          "nu or exponent, beta_time, nugget");
  p.loglik = rows;
  in.get("neighbours", p.loglik_neighbours)
      .range(1, 1000)
      .doc(
          "with 'method: vecchia', evaluates with these numbers of neighbours, too: how the "
          "likelihood depends on them");
  if (!p.loglik_neighbours.empty() && p.method.method != Method::vecchia && !in.documenting())
    in.error("neighbours", "'loglik.neighbours' is for 'method: vecchia'");
  for (const Theta& theta : rows) {
    if (in.documenting()) break;
    if (const std::string problem = check(p.model, theta); !problem.empty())
      in.error("theta", problem + " (theta is " + joined(p.model.names()) + ")");
  }
  in.finish();
}

void read_fit(config::Section& root, Parameters& p) {
  config::Section in = root.section("fit",
                                    "maximum likelihood; lists are in the order of theta: sigma2, "
                                    "beta (ranges), angle, nu or exponent, beta_time, nugget");
  if (!in.present()) return;
  FitParameters& f = p.fit;
  f.given = true;

  in.get("method", f.method)
      .one_of({"bobyqa", "lbfgs", "scoring"})
      .doc(
          "BOBYQA needs likelihoods alone; L-BFGS exact gradients, three times as dear each; "
          "Fisher scoring gradient and Fisher's information, in few steps")
      .otherwise("bobyqa for the exact solver, scoring for Vecchia's approximation");
  std::optional<Theta> start, lower, upper;
  config::Parameter<Theta> start_list = in.get("start", start), lower_list = in.get("lower", lower),
                           upper_list = in.get("upper", upper);
  if (!p.model.rotated) {  // angles may be negative
    start_list.non_negative();
    lower_list.non_negative();
    upper_list.positive();
  }
  start_list.doc("where to start")
      .otherwise(
          "the numbers of the covariance section, and a guess from the data where it has none");
  lower_list.doc("lower bounds").otherwise("from the data");
  upper_list.doc("upper bounds").otherwise("from the data");
  f.start = start.value_or(Theta());
  f.lower = lower.value_or(Theta());
  f.upper = upper.value_or(Theta());
  in.get("fixed", f.fixed).doc("names of parameters that stay as they start");
  in.get("tolerance", f.tolerance)
      .positive()
      .doc("how near the log-likelihood comes to its maximum");
  in.get("max_evaluations", f.max_evaluations)
      .range(1, 1e6)
      .doc("of the likelihood, for each start");
  in.get("starts", f.starts)
      .range(1, 1e4)
      .doc(
          "number of starts; those after the first are drawn between the bounds, and the best one "
          "counts");
  in.get("start_sample", f.start_sample)
      .range(0, 1e9)
      .doc("points, drawn at random, whose fit gives the first start of the fit of all; 0: none")
      .otherwise(
          "10000 for Vecchia's approximation of more than 100000 points, none for fewer and for "
          "the exact solver");
  if (f.start_sample.value_or(0) > 0 && *f.start_sample < 50)
    in.error("start_sample", "'fit.start_sample' is " + std::to_string(*f.start_sample) +
                                 ", but must be 0, or 50 and more");

  config::choose(in, "replicates", f.separate, {{"joint", false}, {"separate", true}})
      .doc("several replicates: one theta for all, or each its own");

  in.get("standard_errors", f.information)
      .one_of({"observed", "fisher", "none"})
      .doc(
          "from second derivatives of the likelihood (differences of exact gradients), from "
          "Fisher's information (the exact solver needs a matrix more for each parameter), or none")
      .otherwise("observed for the exact solver, fisher for Vecchia's approximation");
  const bool by_scoring = f.method ? *f.method == "scoring" : p.method.method == Method::vecchia;
  if (!optimize::Maximizer::available() && !in.documenting() && !by_scoring)
    in.error("",
             "this build has no NLopt, which 'fit' needs unless 'method: scoring' (Debian: "
             "libnlopt-dev)");
  if (p.model.bins > 0 && !in.documenting() &&
      (f.method.value_or("bobyqa") != "bobyqa" || f.information.value_or("observed") != "none")) {
    in.error("",
             "with 'covariance.bins' there are no derivatives: use 'method: bobyqa' and "
             "'standard_errors: none'");
  }
  const std::vector<std::string> names = p.model.names();
  for (const auto& [key, list] :
       {std::pair<std::string, const std::vector<double>*>{"start", &f.start},
        {"lower", &f.lower},
        {"upper", &f.upper}}) {
    if (!list->empty() && list->size() != names.size()) {
      in.error(key, "'fit." + key + "' has " + std::to_string(list->size()) +
                        " elements, but theta has " + std::to_string(names.size()) + ": " +
                        joined(names));
      continue;
    }
    for (std::size_t k = 0; k < list->size(); ++k) {
      if (!((*list)[k] >= 0) && !p.model.is_angle(static_cast<int>(k)))
        in.error(key, names[k] + " must be at least 0 in 'fit." + key + "'");
    }
  }
  for (std::size_t k = 0;
       k < names.size() && f.lower.size() == names.size() && f.upper.size() == names.size(); ++k) {
    if (!(f.lower[k] < f.upper[k]))
      in.error("upper", "the upper bound of " + names[k] + " must be above its lower bound");
  }
  for (const std::string& name : f.fixed) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      in.error("fixed", "'fit.fixed' names '" + name + "', but theta has: " + joined(names));
  }
  if (!names.empty() && f.fixed.size() >= names.size())
    in.error("fixed", "every parameter is fixed: nothing is left to fit (use 'loglik')");
  in.finish();
}

/// The names of the coordinates, as the input has them.
std::vector<std::string> name_coordinates(const Parameters& p) {
  if (p.data.given) return p.data.columns.coordinates;
  if (p.model.metric != Metric::euclidean) return {"latitude", "longitude"};
  std::vector<std::string> names{"x", "y", "z"};
  names.resize(std::min(names.size(), p.simulate.lower.size()));
  return names;
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
    config::NumbersOptions options;
    options.doc = "a number, a list of numbers, or one of these";
    options.fallback.product_first = true;
    for (const std::string& name : names) {
      if (!in.has(name))
        in.error("", "'predict.grid' needs '" + name + "', a range or a list of numbers");
      const config::Numbers values = config::read_numbers(in, name, options);
      if (values.is_made()) {
        const auto bad =
            std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
        if (bad != values.end())
          in.error(name, "number " + std::to_string(bad - values.begin() + 1) +
                             " is missing or not finite");
        const double most = !sphere            ? std::numeric_limits<double>::infinity()
                            : name == names[0] ? 90
                                               : 360;
        const auto beyond = std::find_if(values.begin(), values.end(),
                                         [&](double x) { return std::fabs(x) > most; });
        if (beyond != values.end() && bad == values.end()) {
          in.error(name, std::string(most == 90 ? "the latitude " : "the longitude ") +
                             config::yaml_text(*beyond) + " is outside " +
                             (most == 90 ? "-90 to 90" : "-360 to 360") + " degrees");
        }
      }
      q.axes.push_back(values);
    }
    in.finish();
  }
  double points = 1;
  for (const std::size_t n : q.grid_shape()) points *= static_cast<double>(n);
  if (points > 1e9) predict.error("grid", "the grid has more than 1e9 points");
}

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
  if (in.documenting() || (p.model.has_time && in.has("grid")))
    in.require("time", q.time).doc("time of the grid; with covariance.beta_time");
  else if (p.model.has_time)
    reject_alone(in, "time", "is that of 'grid'");
  else
    reject_alone(in, "time", "needs the range in time: give 'covariance.beta_time'");
  config::Section points = in.section("points", "points of a file");
  if (points.present()) {
    if (!in.documenting()) ++targets;
    points.require("file", q.points.file).path().doc("like data.file");
    read_column_names(points, p.model, q.points);
    q.points.covariates = p.data.columns.covariates;
    points.get("covariates", q.points.covariates)
        .doc("columns for those of data.covariates, in their order");
    points.get("error_variance", q.points.error_variance)
        .doc("column of the known variances of observations there, for 'of: observation'");
    points.finish();
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

  config::choose(in, "of", q.of_observation, {{"field", false}, {"observation", true}})
      .doc(
          "what variances and draws are of: the field, or another observation of it, which adds "
          "the nugget and a known error variance");

  in.get("draws", q.draws)
      .range(0, 1e4)
      .doc(
          "fields drawn from the conditional distribution at the predicted points (their "
          "covariance matrix must fit in memory)");
  in.get("jitter", q.jitter)
      .range(0, 1e-2)
      .doc(
          "added to the conditional variances of draws, in units of sigma2: smooth fields on fine "
          "grids are determined to rounding");
  if (!in.documenting() && targets != 1) {
    in.error("", targets == 0
                     ? "'predict' needs one of 'grid', 'points', 'held_out' and 'fraction'"
                     : "'predict' takes only one of 'grid', 'points', 'held_out' and 'fraction'");
  }
  if (!q.held_out.empty() && !p.data.given && !in.documenting())
    in.error("held_out", "'held_out' names a column of 'data', and there is no 'data'");
  in.finish();
}

/// A key that names columns of a file.
struct ColumnsKey {
  config::Section section;
  std::string key;
  std::vector<std::string> names;
  bool is_list = true;

  bool has_numbers() const {
    return !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
      return !name.empty() && name.size() < 9 &&
             name.find_first_not_of("0123456789") == std::string::npos;
    });
  }
};

/// The keys of a section that says where points are.
std::vector<ColumnsKey> list_columns(config::Section& in, const ColumnsParameters& c,
                                     const CovarianceModel& model) {
  std::vector<ColumnsKey> keys;
  if (model.metric == Metric::euclidean) {
    keys.push_back({in, "coordinates", c.coordinates});
  } else {
    keys.push_back({in, "latitude", {c.coordinates[0]}, false});
    keys.push_back({in, "longitude", {c.coordinates[1]}, false});
  }
  if (!c.time.empty()) keys.push_back({in, "time", {c.time}, false});
  if (!c.covariates.empty()) keys.push_back({in, "covariates", c.covariates});
  if (!c.error_variance.empty()) keys.push_back({in, "error_variance", {c.error_variance}, false});
  return keys;
}

/// Whether there is a number 0 among the names of columns.
bool has_zero(const std::vector<ColumnsKey>& keys) {
  for (const ColumnsKey& key : keys) {
    for (std::size_t k = 0; key.has_numbers() && k < key.names.size(); ++k) {
      if (std::stoul(key.names[k]) == 0) return true;
    }
  }
  return false;
}

/// Answers an input that counts the columns of an .npy file from 0 with their numbers.
bool reject_numbers_from_zero(const std::string& file, std::vector<ColumnsKey>& keys) {
  if (io::find_format(file) != io::FileFormat::npy || !has_zero(keys)) return false;
  for (ColumnsKey& key : keys) {
    if (!key.has_numbers()) continue;
    std::vector<std::string> numbers;
    for (const std::string& name : key.names)
      numbers.push_back(std::to_string(std::stoul(name) + 1));
    key.section.error(key.key, "columns are counted from 1: write '" + key.key + ": " +
                                   (key.is_list ? "[" + joined(numbers) + "]" : numbers[0]) + "'");
  }
  return true;
}

void read_data_file(config::Section& root, Parameters& p) {
  config::Section data = root.section("data"), predict = root.section("predict");
  std::vector<ColumnsKey> keys = list_columns(data, p.data.columns, p.model);
  if (!p.simulate.given) keys.push_back({data, "values", p.data.values});
  if (!p.predict.held_out.empty())
    keys.push_back({predict, "held_out", {p.predict.held_out}, false});
  if (reject_numbers_from_zero(p.data.columns.file, keys)) return;
  if (!config::record_errors(
          data, "file", [&] { p.data.table = std::make_shared<const Columns>(read_table(p)); }))
    return;
  if (p.data.sample > static_cast<std::int64_t>(p.data.table->front().size())) {
    data.error("sample", "data.sample asks for " + std::to_string(p.data.sample) +
                             " rows, and there are " +
                             std::to_string(p.data.table->front().size()));
  }
}

void read_files(config::Section& root, Parameters& p) {
  if (p.data.given && !p.data.columns.file.empty() && !p.data.columns.coordinates.empty())
    read_data_file(root, p);
  if (p.predict.given && !p.predict.points.file.empty() && !p.predict.points.coordinates.empty()) {
    config::Section predict = root.section("predict");
    config::Section points = predict.section("points");
    std::vector<ColumnsKey> keys = list_columns(points, p.predict.points, p.model);
    if (reject_numbers_from_zero(p.predict.points.file, keys)) return;
    config::record_errors(points, "file", [&] {
      p.predict.targets = std::make_shared<const Points>(read_points(p));
    });
  }
}

/// --print-defaults prints an input that is valid: with simulated observations where it has no
/// data, and without the keys of other covariances and metrics.
void choose_defaults(config::Section& root, const Parameters& p) {
  const bool sphere = p.model.metric != Metric::euclidean, has_data = root.has("data");
  config::Section covariance = root.section("covariance"), data = root.section("data"),
                  simulate = root.section("simulate");
  config::Section predict = root.section("predict"), points = predict.section("points");
  if (!sphere) covariance.comment_out("radius");
  if (p.model.family != Family::matern) {
    for (const char* key : {"nu", "bins"}) covariance.comment_out(key);
  }
  for (config::Section* in : {&data, &points}) {
    for (const char* key : {"latitude", "longitude"})
      sphere ? in->write_out(key, key) : in->comment_out(key);
    if (sphere) in->comment_out("coordinates");
    if (!p.model.has_time) in->comment_out("time");
  }
  if (!p.model.has_time) {
    simulate.comment_out("times");
    predict.comment_out("time");
  }
  if (has_data) {
    for (const char* key : {"points", "layout", "method", "lower", "upper", "times"})
      simulate.comment_out(key);
  } else {
    root.write_out("simulate");
  }
  const bool has_task = root.has("simulate") || root.has("loglik") || root.has("predict") ||
                        root.has("cross_validation");
  if (has_data && !has_task) root.write_out("fit");
  if (has_data && !root.has("simulate")) return;
  const std::map<std::string, std::string> examples{
      {"sigma2", "1"}, {"beta", sphere ? "1000" : "0.1"}, {"nu", "0.5"}, {"exponent", "1"}};
  const std::vector<std::string> names = p.model.names();
  for (std::size_t k = 0; k < p.theta.size(); ++k) {
    if (std::isnan(p.theta[k])) covariance.write_out(names[k], examples.at(names[k]));
  }
}

}  // namespace

std::vector<std::string> Parameters::covariate_names() const {
  std::vector<std::string> names = name_coordinates(*this);
  names.insert(names.end(), data.columns.covariates.begin(), data.columns.covariates.end());
  return names;
}

std::vector<std::size_t> PredictParameters::grid_shape() const {
  std::vector<std::size_t> shape(counts.begin(), counts.end());
  for (const config::Numbers& values : axes) shape.push_back(values.size());
  return shape;
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  read_covariance(root, p);
  read_mean(root, p);
  read_method(root, p);
  if (p.method.method == Method::vecchia && p.model.bins > 0) {
    config::Section covariance = root.section("covariance");
    covariance.error("bins",
                     "'method: vecchia' takes the Matern function from a table: leave out 'bins', "
                     "or use 'method: exact'");
  }
  read_data(root, p);
  read_simulate(root, p);
  read_loglik(root, p);
  read_fit(root, p);
  read_predict(root, p);
  config::Section validation =
      root.section("cross_validation", "predicts each observation from those outside its fold");
  if (validation.present()) {
    p.cross_validate = true;
    validation.get("folds", p.folds)
        .range(0, 1e6)
        .doc("number of folds, drawn at random; 0: leave one out");
    if (p.folds == 1)
      validation.error(
          "folds", "one fold leaves nothing to predict from; use 2 or more, or 0 to leave one out");
    validation.finish();
  }
  if (!p.data.given && !p.simulate.given && !root.documenting())
    root.error("", "the input has neither 'data' nor 'simulate': there is nothing to work on");
  const bool has_task =
      p.simulate.given || p.fit.given || p.predict.given || p.cross_validate || !p.loglik.empty();
  if (p.data.given && !has_task && !root.documenting())
    root.error("",
               "the input says nothing to do with its data: add one of 'fit', 'predict', 'loglik' "
               "and 'cross_validation' ('fit: {}' will do)");
  const int ranges = p.model.dimension;
  p.model.dimension =
      static_cast<int>(p.data.given ? p.data.columns.coordinates.size() : p.simulate.lower.size());
  if (p.model.anisotropic && ranges != p.model.dimension && !root.documenting()) {
    config::Section covariance = root.section("covariance");
    const std::string key = covariance.has("ranges") ? "ranges" : "beta";
    covariance.error(key, "'covariance." + key + "' has " + std::to_string(ranges) +
                              " elements, but there are " + std::to_string(p.model.dimension) +
                              " coordinates");
    p.model.rotated = false;
  }
  if (!root.documenting()) check_covariates(root, p);
  if (root.documenting()) {
    choose_defaults(root, p);
  } else if (!root.has_errors()) {
    read_files(root, p);
  }
  return p;
}

}  // namespace tessera::gp
