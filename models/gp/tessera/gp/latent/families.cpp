// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/latent/families.hpp"

#include <cmath>

namespace tessera::gp {

namespace {

bool is_count(double y) { return y >= 0 && y == std::floor(y) && y < 0x1p53; }

double normaliser(const Response& r, double y) {
  switch (r.family) {
    case ResponseFamily::poisson:
      return -std::lgamma(y + 1);
    case ResponseFamily::negative_binomial:
      return std::lgamma(y + r.a) - std::lgamma(r.a) - std::lgamma(y + 1) + r.a * std::log(r.a);
    case ResponseFamily::gamma:
      return r.a * std::log(r.a) - std::lgamma(r.a) + (r.a - 1) * std::log(y);
    case ResponseFamily::student_t:
      return std::lgamma(0.5 * (r.b + 1)) - std::lgamma(0.5 * r.b) -
             0.5 * std::log(r.b * 3.141592653589793238) - std::log(r.a);
    default:
      return 0;
  }
}

}  // namespace

std::vector<std::string> response_parameters(ResponseFamily family) {
  switch (family) {
    case ResponseFamily::negative_binomial:
      return {"size"};
    case ResponseFamily::gamma:
      return {"shape"};
    case ResponseFamily::student_t:
      return {"scale", "degrees_of_freedom"};
    default:
      return {};
  }
}

bool has_log_link(ResponseFamily family) {
  return family == ResponseFamily::poisson || family == ResponseFamily::negative_binomial ||
         family == ResponseFamily::gamma;
}

std::string check_response(ResponseFamily family, double y) {
  switch (family) {
    case ResponseFamily::bernoulli_probit:
    case ResponseFamily::bernoulli_logit:
      return y == 0 || y == 1 ? "" : "is not 0 or 1";
    case ResponseFamily::poisson:
    case ResponseFamily::negative_binomial:
      return is_count(y) ? "" : y < 0 ? "is negative" : "is not an integer";
    case ResponseFamily::gamma:
      return y > 0 ? "" : "is not positive";
    default:
      return "";
  }
}

double log_normaliser(const Response& response, const std::vector<double>& values) {
  long double sum = 0;
  for (const double y : values) sum += normaliser(response, y);
  return static_cast<double>(sum);
}

}  // namespace tessera::gp
