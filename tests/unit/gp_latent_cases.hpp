// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tessera/gp/latent/families.hpp"
#include "tests/unit/gp_points.hpp"

/// Observations of every law that is not Gaussian, for the tests of Laplace's approximation.

namespace tessera::test::latent {

struct Case {
  std::string name;
  gp::Response response;
};

inline std::vector<Case> cases() {
  return {{"probit", {gp::ResponseFamily::bernoulli_probit, 1, 1}},
          {"logit", {gp::ResponseFamily::bernoulli_logit, 1, 1}},
          {"poisson", {gp::ResponseFamily::poisson, 1, 1}},
          {"negative binomial", {gp::ResponseFamily::negative_binomial, 1.7, 1}},
          {"gamma", {gp::ResponseFamily::gamma, 2.5, 1}},
          {"student t", {gp::ResponseFamily::student_t, 0.4, 4}}};
}

inline gp::CovarianceModel matern() { return {}; }

/// Observations that a smooth function and some noise make.
inline std::vector<double> observations(const gp::Response& response, const gp::Points& points) {
  std::vector<double> values;
  const std::vector<double> noise = normals(points.size(), 9);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double f = std::sin(7 * points.coordinate[0][i]) + std::cos(9 * points.coordinate[1][i]);
    switch (response.family) {
      case gp::ResponseFamily::bernoulli_probit:
      case gp::ResponseFamily::bernoulli_logit:
        values.push_back(f + noise[i] > 0 ? 1 : 0);
        break;
      case gp::ResponseFamily::poisson:
      case gp::ResponseFamily::negative_binomial:
        values.push_back(std::floor(2 * std::exp(f + 0.5 * noise[i])));
        break;
      case gp::ResponseFamily::gamma:
        values.push_back(std::exp(f + 0.6 * noise[i]));
        break;
      default:
        values.push_back(f + 0.4 * noise[i]);
    }
  }
  return values;
}

}  // namespace tessera::test::latent
