// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tessera/gp/points/covariates.hpp"
#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

/// Reads the covariates of one parameter, and numbers them among all.
std::vector<int> read_list(config::Section& in, const std::string& key, const std::string& doc,
                           std::vector<std::string>& all) {
  std::vector<std::string> names;
  in.get(key, names).doc(doc);
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
    in.error(key, "'by_covariates." + key + "' names a covariate twice");
  std::vector<int> numbers;
  for (const std::string& name : names) {
    const auto found = std::find(all.begin(), all.end(), name);
    numbers.push_back(static_cast<int>(found - all.begin()));
    if (found == all.end()) all.push_back(name);
  }
  return numbers;
}

/// Reads numbers that need not be given.
void read_numbers(config::Section& in, const std::string& key, const std::string& doc,
                  const std::string& otherwise, std::vector<double>& numbers) {
  std::optional<std::vector<double>> given;
  in.get(key, given).doc(doc).otherwise(otherwise);
  numbers = given.value_or(std::vector<double>());
}

void read_by_covariates(config::Section& covariance, Parameters& p) {
  config::Section in = covariance.section(
      "by_covariates",
      "parameters that depend on covariates x of a place, as in sigma2 exp(b (x - centre)): lists "
      "of expressions of the coordinates and of data.covariates");
  if (!in.present()) return;
  LocalModel& local = p.model.local;
  std::vector<std::string>& all = local.covariates;
  local.sigma2 = read_list(in, "sigma2", "of the variance of the field", all);
  local.beta =
      read_list(in, "beta", "of the range: the covariance of Paciorek and Schervish (2006)", all);
  local.nugget = read_list(in, "nugget", "of the variance of the errors", all);
  read_numbers(in, "coefficients",
               "b, per unit of the covariate: those of sigma2, then of beta, then of nugget; "
               "elements of theta such as sigma2_elevation",
               "a fit starts from 0", p.local.coefficients);
  read_numbers(
      in, "centre",
      "of each covariate, in the order in which they are named first: where the parameters "
      "are sigma2, beta and nugget themselves",
      "its mean over the points, written as results/local/centre", p.local.centre);
  if (all.empty() && !in.documenting())
    in.error("", "'by_covariates' needs 'sigma2', 'beta' or 'nugget', a list of covariates each");
  const auto count = static_cast<std::size_t>(local.first_of_warp());
  if (!p.local.coefficients.empty() && p.local.coefficients.size() != count)
    in.error("coefficients", "'by_covariates.coefficients' has " +
                                 std::to_string(p.local.coefficients.size()) +
                                 " elements, but there are " + std::to_string(count) +
                                 " coefficients: " + joined(local.names()));
  if (!p.local.centre.empty() && p.local.centre.size() != all.size())
    in.error("centre", "'by_covariates.centre' has " + std::to_string(p.local.centre.size()) +
                           " elements, but there are " + std::to_string(all.size()) +
                           " covariates: " + joined(all));
  if (!local.nugget.empty() && !p.model.has_nugget && !in.documenting())
    in.error("nugget", "the covariance has no nugget: give 'covariance.nugget', where it starts");
  in.finish();
}

void read_warp(config::Section& covariance, Parameters& p) {
  config::Section in = covariance.section(
      "warp",
      "each coordinate through an increasing function with a slope at some knots, whose logarithm "
      "is linear between them");
  if (!in.present()) return;
  int knots = 5;
  in.get("knots", knots)
      .range(2, kMostKnots)
      .doc(
          "of each coordinate, equidistant; the logarithms of the slopes at all of them but the "
          "last, which is minus their sum, are elements of theta such as warp_x_1");
  read_numbers(in, "lower", "the first knot, one number a coordinate",
               "the least of the points, written as results/local/knots", p.local.lower);
  read_numbers(in, "upper", "the last knot, likewise", "the largest of the points", p.local.upper);
  read_numbers(in, "coefficients", "those of the first coordinate, then of the next",
               "a fit starts from 0", p.local.warp);
  in.finish();
  p.model.local.knots = knots;
}

/// Names what such a covariance does not go with. Returns whether there was something.
bool refuse_others(config::Section& root, const Parameters& p, std::size_t coordinates) {
  config::Section covariance = root.section("covariance");
  const std::string key = covariance.has("by_covariates") ? "by_covariates" : "warp";
  bool refused = false;
  const auto refuse = [&](bool wrong, const std::string& place, const std::string& message) {
    if (wrong) covariance.error(place, message);
    refused = refused || wrong;
  };
  const CovarianceModel& model = p.model;
  const std::string what = "'" + key + "' ";
  refuse(model.has_variables(), "variables", what + "is for one variable: leave out 'variables'");
  refuse(model.has_time, covariance.has("time") ? "time" : "beta_time",
         what + "is for a covariance without time");
  refuse(model.metric == Metric::great_circle, "metric",
         what + "needs straight distances: use 'metric: chordal'");
  refuse(!model.is_own(), model.gsl ? "bessel" : "bins",
         "the Matern functions to compare with do not go with '" + key + "'");
  refuse(coordinates > 3, key, what + "is for up to three coordinates: leave it out");
  refuse(model.has_tukey, key, what + "does not go with 'marginal': leave out one of them");
  refuse(p.response.given(), key, what + "is for Gaussian observations: leave out 'likelihood'");
  refuse(p.method.vecchia.block > 1, key,
         what + "does not go with blocks of points: leave out 'method.vecchia.block'");
  refuse(root.has("generate"), key, what + "does not go with 'generate': leave it out");
  refuse(p.simulate.circulant, key,
         what + "does not go with 'simulate.method: circulant': leave that out");
  refuse(p.simulate.tukey && (p.simulate.g != 0 || p.simulate.h != 0), key,
         what + "does not go with 'simulate.tukey_g' and 'tukey_h': leave them out");
  if (model.local.knots == 0) return refused;
  refuse(model.metric != Metric::euclidean, "warp", "'warp' needs 'metric: euclidean'");
  refuse(model.rotated, "angle", "'angle' does not go with 'warp': leave out one of them");
  return refused;
}

/// Takes numbers that the input gives, or as many that are not known.
std::vector<double> given_or_unknown(const std::vector<double>& given, int count) {
  return given.empty() ? std::vector<double>(static_cast<std::size_t>(count), kNotGiven) : given;
}

void complete_warp(config::Section& root, Parameters& p) {
  LocalModel& local = p.model.local;
  if (local.knots == 0) return;
  local.coordinates = name_coordinates(p);
  const std::size_t count = local.coordinates.size();
  config::Section in = root.section("covariance").section("warp");
  const auto require = [&](const char* key, const std::vector<double>& list, std::size_t size) {
    if (list.empty() || list.size() == size) return true;
    in.error(key, "'warp." + std::string(key) + "' has " + std::to_string(list.size()) +
                      " elements, but must have " + std::to_string(size));
    return false;
  };
  const bool has_ends =
      require("lower", p.local.lower, count) && require("upper", p.local.upper, count);
  for (std::size_t k = 0; has_ends && k < p.local.lower.size() && k < p.local.upper.size(); ++k) {
    if (!(p.local.lower[k] < p.local.upper[k]))
      in.error("upper", "'warp.upper' must be above 'warp.lower' in every coordinate");
  }
  const auto coefficients = count * static_cast<std::size_t>(local.warp_coefficients());
  if (!require("coefficients", p.local.warp, coefficients)) p.local.warp.clear();
}

}  // namespace

void read_local(config::Section& covariance, Parameters& p) {
  read_by_covariates(covariance, p);
  read_warp(covariance, p);
  if (!covariance.documenting()) return;
  p.model.local = {};
  p.local = {};
}

void complete_local(config::Section& root, Parameters& p) {
  LocalModel& local = p.model.local;
  if (local.covariates.empty() && local.knots == 0) return;
  const std::size_t coordinates =
      p.data.given ? p.data.columns.coordinates.size() : p.simulate.lower.size();
  if (root.has_errors() || refuse_others(root, p, coordinates)) {
    local = {};
    return;
  }
  complete_warp(root, p);
  if (local.coefficients() > kMostLocalCoefficients) {
    root.section("covariance")
        .error(local.knots > 0 ? "warp" : "by_covariates",
               "there are " + std::to_string(local.coefficients()) +
                   " coefficients of 'by_covariates' and 'warp', and at most " +
                   std::to_string(kMostLocalCoefficients) +
                   " are possible: take fewer covariates or knots");
    local = {};
    return;
  }
  const int of_warp = local.coefficients() - local.first_of_warp();
  std::vector<double> all = given_or_unknown(p.local.coefficients, local.first_of_warp());
  const std::vector<double> warp = given_or_unknown(p.local.warp, of_warp);
  all.insert(all.end(), warp.begin(), warp.end());
  p.theta.insert(p.theta.end(), all.begin(), all.end());
  const std::vector<std::string> names = p.model.names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) ==
        names.begin() + static_cast<std::ptrdiff_t>(k))
      continue;
    root.section("covariance")
        .error(local.covariates.empty() ? "warp" : "by_covariates",
               "two elements of theta are called " + names[k] +
                   ": give the covariate, or the coordinate, another name");
    break;
  }
  if (!p.simulate.given) return;
  config::Section covariance = root.section("covariance");
  if (local.first_of_warp() > 0 && p.local.coefficients.empty())
    covariance.section("by_covariates").error("", "'simulate' needs 'by_covariates.coefficients'");
  if (of_warp > 0 && p.local.warp.empty())
    covariance.section("warp").error("", "'simulate' needs 'warp.coefficients'");
}

void check_local(config::Section& root, const Parameters& p) {
  const LocalModel& local = p.model.local;
  if (local.covariates.empty()) return;
  config::Section in = root.section("covariance").section("by_covariates");
  try {
    const Covariates covariates(local.covariates, p.covariate_names());
  } catch (const CovariateError& error) {
    const int wrong = std::max(error.index(), 0);
    const auto report = [&](const char* key, const std::vector<int>& list) {
      const auto found = std::find(list.begin(), list.end(), wrong);
      if (found == list.end()) return false;
      in.error_within(key, static_cast<int>(found - list.begin()), error.offset(), error.what());
      return true;
    };
    report("sigma2", local.sigma2) || report("beta", local.beta) || report("nugget", local.nugget);
  }
}

}  // namespace tessera::gp::input
