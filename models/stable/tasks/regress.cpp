// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/tasks/regress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tessera/stable/evaluate.hpp"
#include "tessera/stable/tasks/fit_report.hpp"

namespace tessera::stable {

using io::Attributes;
using io::Shape;

namespace {

std::string with_error(const std::string& name, double value, double error) {
  char text[120];
  if (error > 0) {
    std::snprintf(text, sizeof text, "%s %.5g (%.2g)", name.c_str(), value, error);
  } else {
    std::snprintf(text, sizeof text, "%s %.5g", name.c_str(), value);
  }
  return text;
}

}  // namespace

std::string describe(const RegressionResult& found, const Design& design) {
  std::string text =
      with_error("alpha", found.alpha, found.standard_error[0]) + ", " + with_error("beta", found.beta, found.standard_error[1]);
  std::size_t k = 2;
  for (std::size_t j = 0; j < design.location.size(); ++j, ++k) {
    text += (j == 0 ? "; location: " : ", ") + with_error(design.location[j].name, found.location[j], found.standard_error[k]);
  }
  for (std::size_t j = 0; j < design.scale.size(); ++j, ++k) {
    text += (j == 0 ? "; ln scale: " : ", ") + with_error(design.scale[j].name, found.scale[j], found.standard_error[k]);
  }
  const auto censored = std::count_if(design.censored.begin(), design.censored.end(), [](int mark) { return mark != 0; });
  if (censored > 0) text += "; " + std::to_string(censored) + " of " + std::to_string(design.censored.size()) + " rows censored";
  char end[60];
  std::snprintf(end, sizeof end, "; log-likelihood %.6f, ", found.log_likelihood);
  return text + end + describe(found.status);
}

void write_regression(const io::Group& results, const RegressionResult& found, const Design& design, const std::vector<double>& y) {
  std::vector<std::string> names{"alpha", "beta"};
  std::vector<double> estimates{found.alpha, found.beta};
  for (std::size_t j = 0; j < design.location.size(); ++j) {
    names.push_back("location: " + design.location[j].name);
    estimates.push_back(found.location[j]);
  }
  for (std::size_t j = 0; j < design.scale.size(); ++j) {
    names.push_back("scale: " + design.scale[j].name);
    estimates.push_back(found.scale[j]);
  }
  results.write("names", names, Attributes{"1", "parameters: shape, coefficients of the location and of the logarithm of the scale"});
  results.write("estimate", estimates, Attributes{"1", "of the parameters"});
  results.write("se", found.standard_error, Attributes{"1", "standard errors, from the observed information; 0: fixed; NaN: not known"});
  results.write("covariance", found.covariance, Shape{names.size(), names.size()}, Attributes{"1", "inverse of the observed information"});
  results.write_scalar("loglik", found.log_likelihood, Attributes{"1", "log-likelihood"});
  results.write_scalar("gradient_norm", found.gradient_norm, Attributes{"1", "largest component of the gradient by the number of rows"});
  results.write_scalar("iterations", found.iterations, Attributes{"1", "quasi-Newton steps"});
  results.write_scalar("evaluations", found.evaluations, Attributes{"1", "evaluations of the likelihood"});
  results.write_scalar("status", static_cast<std::int32_t>(found.status),
                       Attributes{"1", "0 converged, 1 at the end of a range, 2 not converged"});
  results.write_scalar("status_text", describe(found.status), Attributes{"1", "the status in words"});
  const StableDistribution distribution(found.alpha, found.beta);
  std::vector<double> fitted, scale, residual, cdf;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double location = 0, log_scale = 0;
    for (std::size_t j = 0; j < design.location.size(); ++j) location += found.location[j] * design.location[j].values[i];
    for (std::size_t j = 0; j < design.scale.size(); ++j) log_scale += found.scale[j] * design.scale[j].values[i];
    fitted.push_back(location);
    scale.push_back(std::exp(log_scale));
    residual.push_back((y[i] - location) / scale.back());
    cdf.push_back(evaluate<Quantities::sf>(distribution, residual.back()).cdf);
  }
  if (!design.censored.empty()) {
    results.write("censored", design.censored, Attributes{"1", "1: the response is at least what was given, -1: at most"});
  }
  results.write("fitted", fitted, Attributes{"1", "fitted location of every row"});
  results.write("scale", scale, Attributes{"1", "fitted scale of every row"});
  results.write("residual", residual, Attributes{"1", "what is left, by the scale"});
  results.write("residual_cdf", cdf, Attributes{"1", "distribution function of the errors at the residuals"});
}

}  // namespace tessera::stable
