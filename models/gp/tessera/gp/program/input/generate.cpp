// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

void read_generate(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "generate",
      "times the generation of the covariance matrix of points at random in the unit square, its "
      "lower triangle, which the ranks share; nothing else is done then");
  if (!in.present()) return;
  GenerateParameters& g = p.generate;
  g.given = true;
  in.get("points", g.points).range(2, 1e7).doc("numbers of points, one after the other");
  in.get("repeats", g.repeats).range(1, 1e6).doc("timed generations of each matrix");
  in.finish();
  if (in.documenting()) return;
  if (g.points.empty()) in.error("points", "'generate.points' is empty");
  for (const char* other : {"data", "simulate", "loglik", "fit", "predict", "cross_validation"}) {
    if (root.has(other))
      root.error(other, std::string("with 'generate' there is no '") + other + "'");
  }
  const std::vector<std::string> names = p.model.names();
  config::Section covariance = root.section("covariance");
  for (std::size_t k = 0; k < p.theta.size(); ++k) {
    if (std::isnan(p.theta[k]))
      covariance.error("", "'generate' needs 'covariance." + names[k] + "'");
  }
  if (p.model.metric != Metric::euclidean || p.model.has_time)
    covariance.error("",
                     "'generate' takes points of the plane, or the axes of 'ranges', without "
                     "time and with 'metric: euclidean'");
  if (p.method.method == Method::vecchia)
    root.error("method", "'generate' makes the matrix of 'method: exact'");
}

}  // namespace tessera::gp::input
