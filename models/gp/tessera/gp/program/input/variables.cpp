// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "tessera/gp/covariance/cross_correlations.hpp"
#include "tessera/gp/program/input/keys.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

namespace {

/// A fit searches by Fisher scoring, and the bounds of cross-correlations follow from the others.
void check_fit(config::Section& root, const Parameters& p) {
  const FitParameters& f = p.fit;
  if (!f.given) return;
  config::Section in = root.section("fit");
  if (f.method.value_or("scoring") != "scoring")
    in.error("method", "a fit of several variables needs 'method: scoring'");
  const auto count = static_cast<std::size_t>(p.model.parameters());
  for (const auto& [key, list, bound] :
       {std::tuple("lower", &f.lower, -1.0), std::tuple("upper", &f.upper, 1.0)}) {
    for (std::size_t k = 0; list->size() == count && k < count; ++k) {
      if (p.model.is_cross_correlation(static_cast<int>(k)) && (*list)[k] != bound) {
        in.error(key, "the bounds of " + p.model.names()[k] +
                          " follow from the smoothnesses and the other "
                          "cross-correlations: give -1 "
                          "and 1 for them");
      }
    }
  }
  for (int k = p.model.excess(); k < p.model.time(); ++k) {
    if (f.lower.size() == count && !(f.lower[static_cast<std::size_t>(k)] > 0)) {
      const std::string name = p.model.names()[static_cast<std::size_t>(k)];
      in.error("lower", "the lower bound of " + name +
                            " must be above 0; 'covariance.excess: 0' "
                            "and 'fit.fixed: [" +
                            name + "]' keep it at 0");
    }
  }
  if (f.start.size() != count) return;
  if (const std::string problem = check(p.model, f.start); !problem.empty())
    in.error("start", problem);
}

}  // namespace

void set_dimension_of_variables(Parameters& p) {
  if (p.model.has_variables())
    p.model.dimension = static_cast<int>(p.data.given ? p.data.columns.coordinates.size()
                                                      : p.simulate.lower.size());
}

void check_variables(config::Section& root, const Parameters& p) {
  if (!p.model.has_variables() || root.documenting()) return;
  const auto refuse = [&](bool wrong, const char* section, const char* key,
                          const std::string& message) {
    if (wrong) root.section(section).error(key, message);
  };
  refuse(p.model.dimension > 3, "data", "coordinates",
         "several variables are for up to three coordinates");
  if (p.method.vecchia.block > 1) {
    root.section("method").section("vecchia").error(
        "block", "blocks of points work with one variable: leave out 'block'");
  }
  refuse(p.response.given(), "likelihood", "",
         "'likelihood' is for one variable: leave out 'covariance.variables'");
  refuse(p.generate.given, "generate", "",
         "'generate' is for one variable: leave out 'covariance.variables'");
  refuse(!p.data.columns.error_variance.empty(), "data", "error_variance",
         "'data.error_variance' is for one variable: give the covariance a nugget");
  refuse(p.simulate.circulant, "simulate", "method",
         "'method: circulant' is for one variable: leave it out");
  refuse(p.simulate.tukey && (p.simulate.g != 0 || p.simulate.h != 0), "simulate", "tukey_h",
         "'tukey_g' and 'tukey_h' are for one variable: leave them out");
  refuse(p.fit.separate, "fit", "replicates", "'replicates: separate' is for one variable");
  const std::string problem = check_cross_correlations(p.model, p.theta);
  refuse(!problem.empty(), "covariance", "rho", problem);
  check_fit(root, p);
}

}  // namespace tessera::gp::input
