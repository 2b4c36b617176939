// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

bool has_twins(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() < names.size();
}

void check_fit(config::Section& root, const Parameters& p) {
  const FitParameters& f = p.fit;
  if (!f.given) return;
  config::Section in = root.section("fit");
  if (f.method.value_or("") == "scoring")
    in.error("method", "with groupings there is no Fisher scoring: take 'lbfgs' or 'bobyqa'");
  if (f.information.value_or("") == "fisher")
    in.error("standard_errors", "with groupings standard errors are 'observed', or 'none'");
  if (!f.method && !optimize::Maximizer::available())
    in.error("",
             "this build has no NLopt, which a fit with groupings needs (Debian: libnlopt-dev)");
}

}  // namespace

void read_groups(config::Section& root, Parameters& p) {
  const std::vector<std::string>& columns =
      p.data.given ? p.data.columns.groups : p.simulate.groups;
  config::Section in = root.section(
      "groups",
      "random effects of the groupings that data.groups or simulate.groups name, beside the field: "
      "theta ends with a variance for each");
  std::optional<std::vector<std::string>> given_names;
  std::optional<std::vector<double>> given_variance;
  if (in.present()) {
    in.get("names", given_names).doc("names of the groupings").otherwise("those of the columns");
    in.get("variance", given_variance)
        .non_negative()
        .doc("of the effects of each grouping: for simulations, and where a fit starts")
        .otherwise("a fit starts from the data");
    const std::vector<std::string> simulated(p.simulate.groups.size(), "0.1");
    if (in.documenting() && !simulated.empty()) {
      root.write_out("groups");
      in.write_out("variance", "[" + joined(simulated) + "]");
    }
    const auto check = [&](const char* key, std::size_t count) {
      if (in.documenting() || !in.has(key) || columns.empty() || count == columns.size()) return;
      in.error(key, "'groups." + std::string(key) + "' has " + std::to_string(count) +
                        " elements, but there are " + std::to_string(columns.size()) +
                        " groupings: " + joined(columns));
    };
    check("names", given_names.value_or(columns).size());
    check("variance", given_variance.value_or(std::vector<double>()).size());
    if (columns.empty() && !in.documenting())
      in.error("", "'groups' needs the columns of the labels: give 'data.groups'");
    in.finish();
  }
  if (root.documenting() || columns.empty()) return;
  const std::vector<std::string> names =
      given_names && given_names->size() == columns.size() ? *given_names : columns;
  std::vector<double> variance = given_variance.value_or(std::vector<double>());
  if (has_twins(names)) {
    const bool own = in.has("names");
    config::Section place = own ? in : root.section(p.data.given ? "data" : "simulate");
    place.error(own ? "names" : "groups", "two groupings have the same name: " + joined(names));
    return;
  }
  p.model.groups = names;
  variance.resize(columns.size(), variance.empty() ? kNotGiven : 0);
  p.theta.insert(p.theta.end(), variance.begin(), variance.end());
}

void check_groups(config::Section& root, const Parameters& p) {
  if (root.documenting()) return;
  const std::vector<std::string>& names = p.model.groups;
  if (!p.fold_group.empty() && std::find(names.begin(), names.end(), p.fold_group) == names.end())
    root.section("cross_validation")
        .error("by", "there is no grouping '" + p.fold_group + "'" +
                         (names.empty() ? ": name its column in 'data.groups'"
                                        : "; the groupings are " + joined(names)));
  const std::size_t columns = names.size(), given = p.predict.points.groups.size();
  if (given > 0 && given != columns) {
    config::Section predict = root.section("predict"), points = predict.section("points");
    points.error(
        "groups",
        "'predict.points.groups' names " + std::to_string(given) + " columns, but there " +
            (columns == 0 ? "are no groupings: name their columns in 'data.groups'"
                          : "are " + std::to_string(columns) + " groupings: " + joined(names)));
  }
  if (names.empty()) return;
  const auto refuse = [&](bool wrong, const char* section, const char* key,
                          const std::string& message) {
    if (!wrong) return;
    config::Section in = root.section(section);
    in.error(key, message);
  };
  const std::string without = ": leave it out, or the groupings";
  refuse(p.response.given(), "likelihood", "",
         "groupings are for Gaussian observations: leave out 'likelihood', or the groupings");
  refuse(p.model.has_tukey, "marginal", "", "groupings do not go with 'marginal'" + without);
  refuse(p.model.has_variables(), "covariance", "variables",
         "groupings are for one variable: leave out 'variables', or the groupings");
  refuse(p.generate.given, "generate", "", "'generate' has no groupings: leave it out");
  refuse(p.data.average_duplicates, "data", "duplicates",
         "with groupings observations are not averaged: give the covariance a nugget");
  refuse(p.simulate.tukey, "simulate", "tukey_h",
         "groupings do not go with 'tukey_g' and 'tukey_h': leave them out");
  refuse(p.cross_validate && p.folds == 0 && p.fold_group.empty(), "cross_validation", "folds",
         "with groupings each fold is predicted by a solver of its own: give a number of folds, "
         "such as 10");
  if (p.method.vecchia.block > 1)
    root.section("method").section("vecchia").error(
        "block", "groupings take points one by one: leave out 'block'");
  check_fit(root, p);
}

}  // namespace tessera::gp::input
