// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp::input {

void choose_defaults(config::Section& root, const Parameters& p) {
  const bool sphere = p.model.metric != Metric::euclidean, has_data = root.has("data");
  config::Section covariance = root.section("covariance"), data = root.section("data"),
                  simulate = root.section("simulate");
  config::Section predict = root.section("predict"), points = predict.section("points");
  if (!sphere) covariance.comment_out("radius");
  if (p.model.family != Family::matern) {
    for (const char* key : {"nu", "bins", "bessel"}) covariance.comment_out(key);
  }
  if (p.model.legendre_terms == 0) covariance.comment_out("terms");
  if (!p.model.interacts()) {
    for (const char* key : {"alpha", "interaction", "delta"}) covariance.comment_out(key);
  }
  if (!p.model.has_variables()) {
    for (const char* key : {"cross", "rho"}) covariance.comment_out(key);
  }
  if (!p.model.has_full_cross()) covariance.comment_out("excess");
  for (config::Section* in : {&data, &points}) {
    for (const char* key : {"latitude", "longitude"})
      sphere ? in->write_out(key, key) : in->comment_out(key);
    if (sphere) in->comment_out("coordinates");
    if (!p.model.has_time) in->comment_out("time");
  }
  if (!p.model.has_time) {
    covariance.comment_out("time");
    simulate.comment_out("times");
    predict.comment_out("time");
  }
  if (has_data) {
    for (const char* key : {"points", "layout", "method", "lower", "upper", "times"})
      simulate.comment_out(key);
  } else if (!root.has("generate")) {
    root.write_out("simulate");
  }
  const bool has_task = root.has("simulate") || root.has("loglik") || root.has("predict") ||
                        root.has("cross_validation");
  if (has_data && !has_task) root.write_out("fit");
  if (has_data && !root.has("simulate")) return;
  const std::map<std::string, std::string> examples{
      {"sigma2", "1"},        {"beta", sphere ? "1000" : "0.1"},
      {"nu", "0.5"},          {"exponent", "1"},
      {"beta_time", "1"},     {"alpha", "0.5"},
      {"interaction", "0.5"}, {"rho", "0.5"},
      {"excess", "0"}};
  const std::vector<std::string> names = p.model.names();
  for (std::size_t k = 0; k < p.theta.size(); ++k) {
    if (!std::isnan(p.theta[k])) continue;
    const std::string& name = names[k];
    const std::string key = p.model.has_variables() ? name.substr(0, name.find('_')) : name;
    covariance.write_out(key, examples.at(key));
  }
}

}  // namespace tessera::gp::input
