// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/optimize/maximizer.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

void check_fit(config::Section& root, const Parameters& p) {
  const FitParameters& f = p.fit;
  if (!f.given) return;
  config::Section in = root.section("fit");
  if (f.method.value_or("") == "scoring")
    in.error("method", "with 'marginal' there is no Fisher scoring: take 'lbfgs' or 'bobyqa'");
  if (f.information.value_or("") == "fisher")
    in.error("standard_errors", "with 'marginal' standard errors are 'observed', or 'none'");
  if (!f.method && !optimize::Maximizer::available())
    in.error("", "this build has no NLopt, which a fit of 'marginal' needs (Debian: libnlopt-dev)");
  const auto h = static_cast<std::size_t>(p.model.h());
  if (f.upper.size() == h + 1 && f.upper[h] > 1)
    in.error("upper", "h must be at most 1 in 'fit.upper'");
}

}  // namespace

void read_marginal(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "marginal",
      "the law of the field and its nugget at a point; left out, it is Gaussian. Its numbers hold "
      "for simulations, and are where a fit starts");
  if (!in.present()) return;
  bool tukey = false;
  config::choose(in, "family", tukey, {{"gaussian", false}, {"tukey_g_and_h", true}})
      .doc(
          "tukey_g_and_h: with s^2 = sigma2, an observation is the mean and s tau(y / s) of a "
          "Gaussian y with the covariance, tau(u) = (e^(g u) - 1) / g e^(h u^2 / 2)");
  std::optional<double> g, h;
  if (tukey || in.documenting()) {
    in.get("g", g).doc("skewness, of either sign").otherwise("a fit starts from the data");
    in.get("h", h).range(0, 1).doc("heaviness of the tails").otherwise("likewise");
    for (const char* key : {"g", "h"}) {
      if (!in.documenting()) break;
      tukey ? in.write_out(key, "0.1") : in.comment_out(key);
    }
  } else {
    for (const char* key : {"g", "h"}) reject_alone(in, key, "is for 'family: tukey_g_and_h'");
  }
  in.finish();
  if (!tukey || in.documenting()) return;
  if (p.model.has_variables()) {
    in.error("", "'marginal' is for one variable: leave out 'covariance.variables'");
    return;
  }
  p.model.has_tukey = true;
  p.theta.push_back(g.value_or(kNotGiven));
  p.theta.push_back(h.value_or(kNotGiven));
}

void check_marginal(config::Section& root, const Parameters& p) {
  if (!p.model.has_tukey || root.documenting()) return;
  const auto refuse = [&](bool wrong, const char* section, const char* key,
                          const std::string& message) {
    if (!wrong) return;
    config::Section in = root.section(section);
    in.error(key, message);
  };
  refuse(p.response.given(), "likelihood", "",
         "'marginal' is for Gaussian fields: leave out 'likelihood', or 'marginal'");
  refuse(!p.data.columns.error_variance.empty(), "data", "error_variance",
         "'marginal' takes no known variances of errors: give the covariance a nugget");
  refuse(p.data.average_duplicates, "data", "duplicates",
         "with 'marginal' observations are not averaged: give the covariance a nugget, however "
         "small, and use 'method: exact'");
  refuse(p.data.given && !p.simulate.given && p.data.values.size() > 1, "data", "values",
         "'marginal' takes one column of observations");
  refuse(p.simulate.replicates > 1, "simulate", "replicates", "'marginal' takes one field");
  refuse(p.generate.given, "generate", "", "'generate' has no marginals: leave out 'marginal'");
  check_fit(root, p);
}

}  // namespace tessera::gp::input
