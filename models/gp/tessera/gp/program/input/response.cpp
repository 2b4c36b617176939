// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

// bernoulli stands for both of its links
const config::Names<ResponseFamily> kFamilies{
    {"gaussian", ResponseFamily::gaussian},
    {"bernoulli", ResponseFamily::bernoulli_logit},
    {"poisson", ResponseFamily::poisson},
    {"negative_binomial", ResponseFamily::negative_binomial},
    {"gamma", ResponseFamily::gamma},
    {"student_t", ResponseFamily::student_t}};

const config::Names<Determinant> kDeterminants{{"auto", Determinant::automatic},
                                               {"cholesky", Determinant::cholesky},
                                               {"stochastic", Determinant::stochastic}};

void read_link(config::Section& in, ResponseFamily& family) {
  if (family == ResponseFamily::bernoulli_logit || in.documenting()) {
    bool probit = false;
    config::choose(in, "link", probit, {{"logit", false}, {"probit", true}})
        .doc("of 'family: bernoulli': the probability of 1 is 1 / (1 + e^-f), or Phi(f)");
    if (family != ResponseFamily::bernoulli_logit) in.comment_out("link");
    if (probit) family = ResponseFamily::bernoulli_probit;
  } else {
    reject_alone(in, "link", "is for 'family: bernoulli'");
  }
}

void read_number(config::Section& in, const std::string& key, ResponseFamily family,
                 ResponseFamily owner, const std::string& name, std::optional<double>& value,
                 const std::string& doc) {
  if (family == owner || in.documenting()) {
    in.get(key, value).positive().doc(doc).otherwise("a fit starts from the data");
    if (in.documenting() && family == owner) in.write_out(key, "1");
  } else {
    reject_alone(in, key, "is for 'family: " + name + "'");
  }
}

void read_parameters(config::Section& in, ResponseParameters& r) {
  read_number(in, "size", r.family, ResponseFamily::negative_binomial, "negative_binomial", r.a,
              "of the negative binomial: the variance is mean + mean^2 / size");
  read_number(in, "shape", r.family, ResponseFamily::gamma, "gamma", r.a,
              "of the gamma law: the variance is mean^2 / shape");
  read_number(in, "scale", r.family, ResponseFamily::student_t, "student_t", r.a, "of Student's t");
  read_number(in, "degrees_of_freedom", r.family, ResponseFamily::student_t, "student_t", r.b,
              "of Student's t");
}

void read_options(config::Section& in, LatentOptions& options) {
  config::choose(in, "determinant", options.determinant, kDeterminants)
      .doc(
          "of the precision of the field given the observations: by a sparse Cholesky factor, or "
          "estimated with random vectors, with a standard error; auto: cholesky up to 100000 "
          "points");
  in.get("probes", options.probes)
      .range(2, 10000)
      .doc("random vectors of an estimated determinant");
  in.get("samples", options.samples)
      .range(10, 1e6)
      .doc(
          "fields drawn for the variances of predictions with 'determinant: stochastic', whose "
          "relative error is (2 / samples)^1/2");
  in.get("newton_steps", options.newton_steps)
      .range(1, 10000)
      .doc("of the search for the mode of the field, at most");
  in.get("cg_iterations", options.cg_iterations)
      .range(1, 1e6)
      .doc("of conjugate gradients, for each system, at most");
}

}  // namespace

void read_response(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "likelihood",
      "the law of an observation whose predictor f is the mean and the field, by Laplace's "
      "approximation; left out, observations are Gaussian");
  if (!in.present()) return;
  ResponseParameters& r = p.response;
  config::choose(in, "family", r.family, kFamilies)
      .doc(
          "0 or 1; counts with mean e^f; counts that vary more; positive numbers with mean e^f; "
          "numbers with heavy tails about f");
  read_link(in, r.family);
  read_parameters(in, r);
  std::string exposure;
  in.get("exposure", exposure)
      .doc("column of the data by which the mean e^f is multiplied, such as an area or a time");
  if (!exposure.empty() && !has_log_link(r.family) && !in.documenting())
    in.error("exposure",
             "'likelihood.exposure' multiplies a mean e^f: it is for 'family: poisson', "
             "'negative_binomial' and 'gamma'");
  in.get("coefficients", r.coefficients)
      .doc("of the mean, in the order of results/trend_names; where a fit starts")
      .otherwise("those of the largest likelihood");
  read_options(in, r.options);
  in.finish();
  if (in.documenting()) {
    if (r.given()) root.comment_out("method");
    r = {};
    return;
  }
  p.data.columns.exposure = exposure;
  if (!r.given()) return;
  if (!root.has("method") || p.method.method == Method::automatic)
    p.method.method = Method::vecchia;
  if (!optimize::Maximizer::available())
    in.error("", "this build has no NLopt, which 'likelihood' needs (Debian: libnlopt-dev)");
}

void check_response_sections(config::Section& root, const Parameters& p) {
  if (root.documenting() || !p.response.given()) return;
  const auto refuse = [&](bool wrong, const char* section, const char* key,
                          const std::string& message) {
    if (!wrong) return;
    if (*key == 0) {
      root.error(section, message);
    } else {
      config::Section in = root.section(section);
      in.error(key, message);
    }
  };
  refuse(p.method.method == Method::exact, "method", "",
         "'likelihood' needs Vecchia's approximation: leave 'method' out, or set 'method: "
         "vecchia'");
  refuse(p.method.vecchia.block > 1, "method", "", "'likelihood' has no blocks: leave out 'block'");
  refuse(p.method.vecchia.prediction_block > 1, "method", "",
         "'likelihood' predicts each target by itself: leave out 'prediction_block'");
  refuse(!p.data.columns.error_variance.empty(), "data", "error_variance",
         "'data.error_variance' is for Gaussian observations: leave out 'likelihood', or this");
  refuse(p.data.average_duplicates, "data", "duplicates",
         "with 'likelihood' observations are not averaged: give the covariance a nugget, however "
         "small");
  refuse(p.data.given && !p.simulate.given && p.data.values.size() > 1, "data", "values",
         "'likelihood' takes one column of observations");
  const bool skewed = p.simulate.tukey && (p.simulate.g != 0 || p.simulate.h != 0);
  refuse(p.simulate.given && (p.simulate.replicates > 1 || skewed), "simulate", "",
         "'likelihood' takes one simulated field, without 'tukey_g' and 'tukey_h'");
  refuse(p.simulate.given && p.simulate.circulant, "simulate", "method",
         "with 'likelihood' fields are simulated point by point: leave out 'method'");
  refuse(!p.loglik_neighbours.empty(), "loglik", "neighbours",
         "'loglik.neighbours' is for Gaussian observations");
  const bool has_parameters =
      response_parameters(p.response.family).size() ==
      static_cast<std::size_t>(p.response.a.has_value()) + p.response.b.has_value();
  const bool uses_parameters = p.predict.given || p.cross_validate;
  refuse(!has_parameters &&
             (p.simulate.given || !p.loglik.empty() || (uses_parameters && !p.fit.given)),
         "likelihood", "",
         "'" + joined(response_parameters(p.response.family)) +
             "' must be given where they are not fitted");
  const FitParameters& f = p.fit;
  refuse(f.method.value_or("") == "scoring", "fit", "method",
         "with 'likelihood' there is no Fisher scoring: take 'lbfgs' or 'bobyqa'");
  refuse(f.information.value_or("") == "fisher", "fit", "standard_errors",
         "with 'likelihood' standard errors are 'observed', or 'none'");
  refuse(f.starts > 1, "fit", "starts", "with 'likelihood' a fit has one start");
  refuse(f.start_sample.value_or(0) > 0, "fit", "start_sample",
         "with 'likelihood' a fit starts without a sample");
  for (std::size_t k = 0; k < p.theta.size() && uses_parameters && !f.given; ++k) {
    refuse(std::isnan(p.theta[k]), "covariance", "",
           "predictions need 'covariance." + p.model.names()[k] + "', or a 'fit'");
  }
  refuse(p.predict.of_observation, "predict", "of",
         "with 'likelihood' predictions are of the field and of observations: leave out 'of'");
}

}  // namespace tessera::gp::input
