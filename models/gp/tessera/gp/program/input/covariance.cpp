// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/bessel/paper.hpp"
#include "tessera/core/config/choice.hpp"
#include "tessera/gp/covariance/distance.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

/// A family, and whether it is by a series of Legendre polynomials.
using NamedFamily = std::pair<Family, bool>;
const config::Names<NamedFamily> kFamilies{
    {"matern", {Family::matern, false}},
    {"matern12", {Family::matern12, false}},
    {"matern32", {Family::matern32, false}},
    {"matern52", {Family::matern52, false}},
    {"powered_exponential", {Family::powered_exponential, false}},
    {"squared_exponential", {Family::squared_exponential, false}},
    {"legendre_matern", {Family::matern, true}}};

/// The elements of theta that the section gives.
struct Numbers {
  std::optional<double> sigma2, beta, nu, exponent, beta_time, alpha, interaction, delta, nugget;
  std::vector<double> ranges, angles;
  // of several variables, where there is one for each (or for each pair)
  std::vector<double> variances, smoothnesses, cross_correlations, nuggets;
  // of a full cross-covariance
  std::vector<double> cross_ranges;
  std::optional<double> excess;
  bool has_ranges = false;
  bool for_each = false;  ///< ranges: each, of coordinates that are not known yet
};

/// Reads the angles by which the axes of the ranges are turned. Returns whether they are given, and
/// as many as so many ranges need.
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
  if (ranges < 2 || ranges > 3) {
    in.error("angle",
             "'angle' turns the axes of ranges: give one for each of two or three coordinates, as "
             "in 'beta: [12, 4]'");
  } else if (angles.size() != wanted) {
    in.error("angle", "'covariance.angle' has " + std::to_string(angles.size()) +
                          " elements, but " + std::to_string(ranges) + " coordinates need " +
                          std::to_string(wanted));
  }
  return ranges >= 2 && ranges <= 3 && angles.size() == wanted;
}

void read_distance(config::Section& in, CovarianceModel& model) {
  config::choose(in, "metric", model.metric,
                 {{"euclidean", Metric::euclidean},
                  {"great_circle", Metric::great_circle},
                  {"chordal", Metric::chordal}})
      .doc(
          "distance; on the sphere along its surface, or straight through it; great_circle with "
          "'family: legendre_matern'");

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
}

/// Reads the family; returns whether it is by a Legendre series.
bool read_family(config::Section& in, CovarianceModel& model) {
  NamedFamily named{Family::matern, false};
  config::choose(in, "family", named, kFamilies)
      .doc(
          "correlation as a function of u = distance / range; legendre_matern: on the sphere, for "
          "any nu, a series of Legendre polynomials of the great-circle angle");
  model.family = named.first;
  return named.second;
}

/// Reads the terms of a Legendre series.
void read_terms(config::Section& in, bool by_series, CovarianceModel& model) {
  if (!by_series && !in.documenting()) {
    reject_alone(in, "terms", "is for 'family: legendre_matern'");
    return;
  }
  int terms = 500;
  in.get("terms", terms)
      .range(10, 20000)
      .doc(
          "of 'family: legendre_matern': what changes within pi radius / terms is left out, and "
          "smooth");
  if (!by_series) return;
  model.legendre_terms = terms;
  if (model.metric != Metric::great_circle)
    in.error("metric", "'family: legendre_matern' needs 'metric: great_circle'");
  if (model.convention != RangeConvention::plain)
    in.error("range_convention", "'family: legendre_matern' needs 'range_convention: plain'");
}

/// Reads how many variables there are.
void read_variables(config::Section& in, CovarianceModel& model) {
  in.get("variables", model.variables)
      .range(1, kMostVariables)
      .doc(
          "variables that depend on each other, each a column of data.values, in which missing "
          "values are places where it was not observed; then sigma2, nu and nugget may be lists "
          "with a number for each. With 1 several columns are replicates of one field");
  if (!model.has_variables() && !in.documenting()) {
    reject_alone(in, "cross", "is of several variables: it needs 'variables'");
    return;
  }
  config::choose(in, "cross", model.cross,
                 {{"parsimonious", CrossCovariance::parsimonious}, {"full", CrossCovariance::full}})
      .doc(
          "cross-covariance of several variables: parsimonious, one range for all and smoothnesses "
          "of pairs that are means; full, of two variables: beta may be a list of both ranges and "
          "that of the pair, whose smoothness is the mean and an excess");
  if (model.has_full_cross() && model.variables != 2) {
    in.error("cross", "'cross: full' is for two variables: use 'cross: parsimonious'");
    model.cross = CrossCovariance::parsimonious;
  }
}

/// Returns whether a key has a list, which there is with several variables alone.
bool has_list(config::Section& in, const CovarianceModel& model, const char* key) {
  return model.has_variables() && in.form(key) == config::Form::list;
}

/// Makes a list of as many numbers, of one for all or of a list.
void complete_list(config::Section& in, const std::string& key, std::optional<double> number,
                   int count, std::vector<double>& list) {
  if (list.empty()) list.assign(static_cast<std::size_t>(count), number.value_or(kNotGiven));
  if (list.size() == static_cast<std::size_t>(count)) return;
  in.error(
      key,
      "'covariance." + key + "' has " + std::to_string(list.size()) + " elements, but must have " +
          std::to_string(count) +
          (key == "rho" ? ": rho_12, rho_13 ..., rho_23 ..., one for each pair of variables"
           : key == "beta"
               ? ": beta_1, beta_2 and beta_12, one for each variable and that of the pair"
           : key == "nu" && count == 2 && list.size() == 3
               ? ", one for each variable (with 'cross: full', 'excess' gives nu_12: it is the "
                 "mean of nu_1 and nu_2 and the excess)"
               : ", one for each variable"));
  list.assign(static_cast<std::size_t>(count), kNotGiven);
}

/// Reads the cross-correlations.
void read_cross_correlations(config::Section& in, const CovarianceModel& model, Numbers& numbers) {
  if (!model.has_variables() && !in.documenting()) {
    reject_alone(in, "rho", "is the correlation of several variables: it needs 'variables'");
    return;
  }
  std::optional<double> one;
  if (in.form("rho") == config::Form::list) {
    in.get("rho", numbers.cross_correlations).range(-1, 1);
  } else {
    in.get("rho", one)
        .range(-1, 1)
        .doc(
            "of several variables: their correlation at one place, or a list of those of all pairs "
            "(rho_12, rho_13, rho_23); smoothnesses that differ bound it more than 1 does")
        .otherwise("a fit starts from that of the data");
  }
  if (model.has_variables())
    complete_list(in, "rho", one, model.cross_correlations(), numbers.cross_correlations);
}

/// Reads by how much the smoothness of a pair is above the mean of both.
void read_excess(config::Section& in, const CovarianceModel& model, Numbers& numbers) {
  if (!model.has_full_cross() && !in.documenting()) {
    reject_alone(in, "excess", "is of a full cross-covariance: it needs 'cross: full'");
    return;
  }
  in.get("excess", numbers.excess)
      .range(0, 50)
      .doc(
          "of 'cross: full': nu_12 - (nu_1 + nu_2) / 2; with a smoothness nu_12 below the mean no "
          "correlation but 0 would be valid")
      .otherwise("a fit starts from 0.1");
}

/// Names what serves one variable alone, and leaves it out.
void check_several(config::Section& in, CovarianceModel& model, Numbers& numbers) {
  if (!model.has_variables() || in.documenting()) return;
  bool refused = false;
  const auto refuse = [&](bool wrong, const char* key, const std::string& message) {
    if (wrong) in.error(key, message);
    refused = refused || wrong;
  };
  refuse(model.family != Family::matern, "family",
         "several variables need 'family: matern' (a smoothness can be fixed with fit.fixed)");
  refuse(model.metric != Metric::euclidean, "metric", "several variables need 'metric: euclidean'");
  refuse(model.convention != RangeConvention::plain, "range_convention",
         "several variables need 'range_convention: plain'");
  refuse(numbers.has_ranges, in.has("ranges") ? "ranges" : "beta",
         "several variables have one range for all coordinates: give one number for 'beta' (with "
         "'cross: full', two variables have a range each), and scale coordinates in the file");
  refuse(model.has_time, in.has("time") ? "time" : "beta_time",
         "a covariance of several variables has no time");
  refuse(!model.is_own(), model.gsl ? "bessel" : "bins",
         "the Matern functions to compare with are for one variable");
  if (!refused) return;
  const int variables = model.variables;
  const CrossCovariance cross = model.cross;
  model = {};
  model.variables = variables;
  model.cross = cross;
  numbers.has_ranges = numbers.for_each = false;
}

/// Reads the key `ranges`: a list, or `each`. Returns whether it is there.
bool read_range_list(config::Section& in, Numbers& numbers) {
  const std::string doc =
      "the same as a list for beta; or, with the word each, one for each coordinate, which all "
      "start at beta or, without beta, where the data suggest";
  if (in.form("ranges") != config::Form::scalar)
    return in.get("ranges", numbers.ranges).positive().doc(doc).given();
  std::string word = "each";
  in.get("ranges", word).one_of({"each"}).doc(doc);
  numbers.for_each = true;
  return true;
}

/// One range, or one for each coordinate, and the angles that turn their axes.
void read_ranges(config::Section& in, CovarianceModel& model, Numbers& numbers) {
  std::vector<double>& ranges = numbers.ranges;
  const bool is_full = model.has_full_cross() && in.form("beta") == config::Form::list,
             has_list = !is_full && in.form("beta") == config::Form::list;
  if (is_full) {
    in.get("beta", numbers.cross_ranges).positive();
  } else if (has_list) {
    in.get("beta", ranges).positive();
  } else {
    in.get("beta", numbers.beta)
        .positive()
        .doc(
            "range, in the unit of the coordinates (of the radius on the sphere); or, as in [12, "
            "4], one for each coordinate");
  }
  numbers.has_ranges = read_range_list(in, numbers) || has_list;
  const std::string key = has_list ? "beta" : "ranges";
  if (in.has("beta") && in.has("ranges") && (has_list || !numbers.for_each))
    in.error("ranges",
             "give either 'beta' or 'ranges', not both; 'ranges: each' goes with a number "
             "for 'beta', where all ranges start");
  if (numbers.has_ranges && model.metric != Metric::euclidean)
    in.error(key, "a range for each coordinate needs 'metric: euclidean'");
  if (numbers.for_each) {
    ranges.assign(1, numbers.beta.value_or(kNotGiven));
  } else if (numbers.has_ranges && (ranges.empty() || ranges.size() > kMostCoordinates)) {
    in.error(key, "'covariance." + key + "' has " + std::to_string(ranges.size()) +
                      " elements, but must have one for each coordinate, of which there may be 1 "
                      "to " +
                      std::to_string(kMostCoordinates));
    ranges.assign(2, 1.0);
  }
  model.rotated = read_angles(in, numbers.has_ranges ? ranges.size() : 0, numbers.angles);
}

/// Whose Bessel function the Matern function takes.
void read_bessel(config::Section& in, CovarianceModel& model) {
  config::choose(in, "bessel", model.gsl, {{"own", false}, {"gsl", true}})
      .doc(
          "the Bessel function of the Matern function: this code's, or that of the GNU Scientific "
          "Library, on the host, where this build has it; to compare with");
  if (!model.gsl) return;
  if (!bessel::has_gsl()) {
    in.error("bessel",
             "'bessel: gsl' is not in this build: install GSL (Debian: libgsl-dev), configure "
             "again with -DTESSERA_ENABLE_GSL=ON, and build again");
  }
  if (model.bins > 0) in.error("bessel", "give either 'bins' or 'bessel: gsl', not both");
}

/// A Legendre series has no Bessel function.
void check_series(config::Section& in, const CovarianceModel& model) {
  if (model.legendre_terms == 0 || model.is_own()) return;
  in.error(model.gsl ? "bessel" : "bins",
           "the Matern functions to compare with do not go with 'family: legendre_matern'");
}

void read_smoothness(config::Section& in, CovarianceModel& model, Numbers& numbers) {
  if (has_list(in, model, "nu"))
    in.get("nu", numbers.smoothnesses).range(0.01, 50).positive();
  else if (model.family == Family::matern || in.documenting())
    in.get("nu", numbers.nu).range(0.01, 50).positive().doc("smoothness of the Matern family");
  if (model.family == Family::powered_exponential || in.documenting())
    in.get("exponent", numbers.exponent)
        .range(0.01, 2)
        .positive()
        .doc("of the powered exponential");
  if (model.family == Family::matern || in.documenting()) {
    in.get("bins", model.bins)
        .range(0, 4096)
        .doc(
            "above 0: the Matern function by the algorithm of Geng et al. with so many bins, to "
            "compare with; 0: to rounding error, from a table");
    read_bessel(in, model);
    check_series(in, model);
  }
  if (model.family != Family::matern) {
    reject_alone(in, "nu", "is the smoothness of 'family: matern'; others have none");
    reject_alone(in, "bins", "is for 'family: matern'");
    reject_alone(in, "bessel", "is for 'family: matern'");
  }
  if (model.family != Family::powered_exponential)
    reject_alone(in, "exponent", "is for 'family: powered_exponential'");
}

/// Reads how the covariance depends on the time.
void read_time_model(config::Section& in, CovarianceModel& model, Numbers& numbers) {
  const bool has_model =
      config::choose(in, "time", model.time_model,
                     {{"separable", TimeModel::separable}, {"gneiting", TimeModel::gneiting}})
          .doc(
              "dependence on the time, where there is one: a factor of the "
              "covariance in space, or Gneiting's class, in which space and "
              "time interact")
          .given();
  in.get("beta_time", numbers.beta_time)
      .positive()
      .doc("range in time: of an exponential factor, or of Gneiting's psi")
      .otherwise("no dependence on the time; with 'time', a fit starts from the times covered");
  model.has_time = has_model || numbers.beta_time.has_value();
  if (model.interacts() || in.documenting()) {
    in.get("alpha", numbers.alpha)
        .range(0.01, 1)
        .positive()
        .doc("smoothness in time, of 'time: gneiting'; 0.5: as rough as an exponential")
        .otherwise("a fit starts from 0.5");
    in.get("interaction", numbers.interaction)
        .range(0, 1)
        .doc(
            "of space and time, of 'time: gneiting': 0 for none; the larger, the slower the "
            "covariance of distant points decays in time")
        .otherwise("a fit starts from 0.5");
    in.get("delta", numbers.delta)
        .non_negative()
        .doc(
            "with 'time: gneiting' the correlation in time is psi^-(delta + interaction d / 2); a "
            "parameter of the model where it is given, also as 0")
        .otherwise("it is psi^-(d / 2), whatever the interaction");
    model.has_delta = numbers.delta.has_value();
  } else {
    for (const char* key : {"alpha", "interaction", "delta"})
      reject_alone(in, key, "is of Gneiting's covariance: it needs 'time: gneiting'");
  }
  if (!model.interacts()) return;
  if (model.metric == Metric::great_circle) {
    in.error("time",
             "'time: gneiting' is not positive definite with distances along the sphere: use "
             "'metric: chordal'");
  }
  if (!model.is_own()) {
    in.error(model.gsl ? "bessel" : "bins",
             "the Matern functions to compare with do not go with 'time: gneiting'");
  }
}

/// Lists theta of several variables.
Theta list_several(config::Section& in, const CovarianceModel& model, Numbers& numbers) {
  complete_list(in, "sigma2", numbers.sigma2, model.variables, numbers.variances);
  complete_list(in, "nu", numbers.nu, model.variables, numbers.smoothnesses);
  Theta theta = numbers.variances;
  complete_list(in, "beta", numbers.beta, model.ranges(), numbers.cross_ranges);
  const auto append = [&](const std::vector<double>& list) {
    theta.insert(theta.end(), list.begin(), list.end());
  };
  append(numbers.cross_ranges);
  append(numbers.smoothnesses);
  if (model.has_full_cross()) theta.push_back(numbers.excess.value_or(kNotGiven));
  append(numbers.cross_correlations);
  if (!model.has_nugget) return theta;
  complete_list(in, "nugget", numbers.nugget, model.variables, numbers.nuggets);
  append(numbers.nuggets);
  return theta;
}

Theta list_theta(const CovarianceModel& model, const Numbers& numbers) {
  Theta theta{numbers.sigma2.value_or(kNotGiven)};
  if (numbers.has_ranges) {
    theta.insert(theta.end(), numbers.ranges.begin(), numbers.ranges.end());
    if (model.rotated) theta.insert(theta.end(), numbers.angles.begin(), numbers.angles.end());
  } else {
    theta.push_back(numbers.beta.value_or(kNotGiven));
  }
  if (model.family == Family::matern) theta.push_back(numbers.nu.value_or(kNotGiven));
  if (model.family == Family::powered_exponential)
    theta.push_back(numbers.exponent.value_or(kNotGiven));
  if (model.has_time) theta.push_back(numbers.beta_time.value_or(kNotGiven));
  if (model.interacts()) {
    theta.push_back(numbers.alpha.value_or(kNotGiven));
    theta.push_back(numbers.interaction.value_or(kNotGiven));
    if (model.has_delta) theta.push_back(*numbers.delta);
  }
  if (model.has_nugget) theta.push_back(*numbers.nugget);
  return theta;
}

}  // namespace

void read_covariance(config::Section& root, Parameters& p) {
  CovarianceModel& model = p.model;
  config::Section in = root.section(
      "covariance",
      "the covariance function; its numbers hold for simulations, and are where a fit starts");
  const bool by_series = read_family(in, model);
  if (by_series) model.metric = Metric::great_circle;
  read_variables(in, model);
  read_distance(in, model);
  read_terms(in, by_series, model);
  Numbers numbers;
  if (has_list(in, model, "sigma2")) {
    in.get("sigma2", numbers.variances).positive();
  } else {
    in.get("sigma2", numbers.sigma2)
        .positive()
        .doc("variance")
        .otherwise("a fit starts from that of the data");
  }
  read_ranges(in, model, numbers);
  read_smoothness(in, model, numbers);
  read_time_model(in, model, numbers);
  read_excess(in, model, numbers);
  read_cross_correlations(in, model, numbers);
  if (has_list(in, model, "nugget")) {
    in.get("nugget", numbers.nuggets).non_negative();
  } else {
    in.get("nugget", numbers.nugget)
        .non_negative()
        .doc(
            "variance of independent errors; a parameter of the model where it is given, also as 0")
        .otherwise("no such errors");
  }
  check_several(in, model, numbers);

  model.anisotropic = numbers.has_ranges;
  model.has_nugget = numbers.nugget.has_value() || !numbers.nuggets.empty();
  model.dimension = numbers.has_ranges ? static_cast<int>(numbers.ranges.size()) : 2;
  p.theta = model.has_variables() ? list_several(in, model, numbers) : list_theta(model, numbers);
  read_local(in, p);
  in.finish();
  p.range_for_each = numbers.for_each;
}

void spread_ranges(Parameters& p, std::size_t coordinates) {
  if (!p.range_for_each || coordinates == 0 || coordinates > kMostCoordinates) return;
  const auto first = p.theta.begin() + p.model.beta();
  const double start = *first;
  p.theta.insert(p.theta.erase(first, first + p.model.ranges()), coordinates, start);
  p.model.dimension = static_cast<int>(coordinates);
}

namespace {

/// Names what serves up to three coordinates alone.
void check_high_dimension(config::Section& root, const Parameters& p) {
  if (!p.model.is_high_dimensional() || root.documenting()) return;
  if (p.model.interacts()) {
    root.section("covariance")
        .error("time", "'time: gneiting' is for up to three coordinates: use 'time: separable'");
  }
  if (!p.model.is_own()) {
    root.section("covariance")
        .error(p.model.gsl ? "bessel" : "bins",
               "the Matern functions to compare with are for up to three coordinates");
  }
  if (p.method.vecchia.block > 1) {
    root.section("method").section("vecchia").error(
        "block", "blocks of points work in up to three coordinates: leave out 'block'");
  }
  if (p.method.vecchia.prediction_block > 1) {
    root.section("method").section("vecchia").error(
        "prediction_block",
        "predictions in blocks are for up to three coordinates: leave out 'prediction_block'");
  }
}

}  // namespace

void check_dimension(config::Section& root, Parameters& p) {
  const int ranges = p.model.dimension;
  if (p.generate.given) {  // points of as many coordinates as there are ranges
    if (!p.model.anisotropic) p.model.dimension = 2;
    return;
  }
  p.model.dimension =
      static_cast<int>(p.data.given ? p.data.columns.coordinates.size() : p.simulate.lower.size());
  check_high_dimension(root, p);
  if (!p.model.anisotropic || ranges == p.model.dimension || root.documenting()) return;
  config::Section covariance = root.section("covariance");
  const std::string key = covariance.has("ranges") ? "ranges" : "beta";
  covariance.error(key, "'covariance." + key + "' has " + std::to_string(ranges) +
                            " elements, but there are " + std::to_string(p.model.dimension) +
                            " coordinates");
  p.model.rotated = false;
}

}  // namespace tessera::gp::input
