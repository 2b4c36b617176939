// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

void read_lists(config::Section& in, const CovarianceModel& model, FitParameters& f) {
  std::optional<Theta> start, lower, upper;
  config::Parameter<Theta> start_list = in.get("start", start), lower_list = in.get("lower", lower),
                           upper_list = in.get("upper", upper);
  if (!model.rotated && !model.has_variables() && !model.has_tukey &&
      !model.is_local()) {  // others may be negative
    start_list.non_negative();
    lower_list.non_negative();
    upper_list.positive();
  }
  start_list
      .doc(
          "where to start; angle, rho, g and coefficients of covariates and warps may have "
          "either sign")
      .otherwise(
          "the numbers of the covariance section, and a guess from the data where it has none");
  lower_list.doc("lower bounds").otherwise("from the data");
  upper_list.doc("upper bounds").otherwise("from the data");
  f.start = start.value_or(Theta());
  f.lower = lower.value_or(Theta());
  f.upper = upper.value_or(Theta());
}

/// Records an error where a search needs NLopt or derivatives, and there are none.
void check_search(config::Section& in, const Parameters& p) {
  if (in.documenting()) return;
  const FitParameters& f = p.fit;
  const bool by_scoring =
      !p.response.given() && (f.method ? *f.method == "scoring" : p.model.is_own());
  if (!optimize::Maximizer::available() && !by_scoring)
    in.error("",
             "this build has no NLopt, which 'fit' needs unless 'method: scoring' (Debian: "
             "libnlopt-dev)");
  if (!p.model.is_own() &&
      (f.method.value_or("bobyqa") != "bobyqa" || f.information.value_or("observed") != "none")) {
    in.error("",
             "with 'covariance." + std::string(p.model.gsl ? "bessel: gsl" : "bins") +
                 "' there are no derivatives: use 'method: bobyqa' and 'standard_errors: none'");
  }
}

void check_list(config::Section& in, const CovarianceModel& model, const std::string& key,
                const std::vector<double>& list) {
  const std::vector<std::string> names = model.names();
  if (!list.empty() && list.size() != names.size()) {
    in.error(key, "'fit." + key + "' has " + std::to_string(list.size()) +
                      " elements, but theta has " + std::to_string(names.size()) + ": " +
                      joined(names));
    return;
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!(list[k] >= 0) && !model.is_signed(static_cast<int>(k)))
      in.error(key, names[k] + " must be at least 0 in 'fit." + key + "'");
    const int parameter = static_cast<int>(k);
    if (model.interacts() && (parameter == model.alpha() || parameter == model.interaction()) &&
        list[k] > 1)
      in.error(key, names[k] + " must be at most 1 in 'fit." + key + "'");
  }
}

void check_bounds(config::Section& in, const CovarianceModel& model, const FitParameters& f) {
  const std::vector<std::string> names = model.names();
  if (f.lower.size() != names.size() || f.upper.size() != names.size()) return;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!(f.lower[k] < f.upper[k]))
      in.error("upper", "the upper bound of " + names[k] + " must be above its lower bound");
  }
}

void check_fixed(config::Section& in, const Parameters& p) {
  const FitParameters& f = p.fit;
  std::vector<std::string> names = p.model.names();
  for (const std::string& name : response_parameters(p.response.family)) names.push_back(name);
  for (const std::string& name : f.fixed) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      in.error("fixed", "'fit.fixed' names '" + name + "', but theta has: " + joined(names));
  }
  if (!names.empty() && f.fixed.size() >= names.size())
    in.error("fixed", "every parameter is fixed: nothing is left to fit (use 'loglik')");
}

}  // namespace

void read_loglik(config::Section& root, Parameters& p) {
  config::Section in = root.section("loglik", "evaluates the log-likelihood at given parameters");
  if (!in.present()) return;
  config::Matrix rows;
  if (in.documenting()) rows = {{1, 0.1, 0.5}};
  in.require("theta", rows)
      .doc(
          "a list of parameter vectors, each in the order of theta: sigma2, beta (ranges), angle, "
          "nu or exponent, beta_time, alpha, interaction, delta, nugget, the coefficients of "
          "by_covariates and warp, g, h, and the variances of data.groups; of two variables "
          "sigma2_1, sigma2_2, beta, nu_1, nu_2, rho_12, nugget_1, nugget_2, with 'cross: full' "
          "beta_1, beta_2, beta_12 for beta, and excess_12 before rho_12");
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
                                    "beta (ranges), angle, nu or exponent, beta_time, alpha, "
                                    "interaction, delta, nugget, the coefficients of by_covariates "
                                    "and warp, g, h, and the variances of data.groups");
  if (!in.present()) return;
  FitParameters& f = p.fit;
  f.given = true;

  in.get("method", f.method)
      .one_of({"bobyqa", "lbfgs", "scoring"})
      .doc(
          "BOBYQA needs likelihoods alone; L-BFGS exact gradients, three times as dear each; "
          "scoring gradients and an information (Fisher's, or the average information of the exact "
          "solver), in few steps")
      .otherwise(
          "scoring, or bobyqa where covariance.bins or bessel: gsl leave no derivatives; lbfgs "
          "with a section likelihood or marginal, or data.groups");
  read_lists(in, p.model, f);
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
      .otherwise(
          "observed for the exact solver, with a section likelihood or marginal and with "
          "data.groups, fisher for Vecchia's approximation");
  check_search(in, p);
  check_list(in, p.model, "start", f.start);
  check_list(in, p.model, "lower", f.lower);
  check_list(in, p.model, "upper", f.upper);
  check_bounds(in, p.model, f);
  check_fixed(in, p);
  in.finish();
}

}  // namespace tessera::gp::input
