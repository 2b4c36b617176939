// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/covariance.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/bessel/bessel.hpp"
#include "tessera/gp/covariance/cross_correlations.hpp"

namespace tessera::gp {

namespace {

std::vector<std::string> names_of_variables(const CovarianceModel& model) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    for (int v = 1; v <= model.variables; ++v) names.push_back(name + "_" + std::to_string(v));
  };
  const auto add_pairs = [&](const std::string& name) {
    for (int v = 1; v < model.variables; ++v) {
      for (int w = v + 1; w <= model.variables; ++w)
        names.push_back(name + "_" + std::to_string(v) + std::to_string(w));
    }
  };
  add("sigma2");
  if (model.has_full_cross()) {
    add("beta");
    add_pairs("beta");
  } else {
    names.push_back("beta");
  }
  add("nu");
  if (model.has_full_cross()) add_pairs("excess");
  add_pairs("rho");
  if (model.has_nugget) add("nugget");
  return names;
}

}  // namespace

std::vector<std::string> CovarianceModel::names() const {
  if (has_variables()) return names_of_variables(*this);
  std::vector<std::string> names{"sigma2"};
  if (anisotropic) {
    for (int k = 1; k <= dimension; ++k) names.push_back("beta_" + std::to_string(k));
  } else {
    names.push_back("beta");
  }
  if (angles() == 1) names.push_back("angle");
  for (int k = 1; k <= angles() && angles() > 1; ++k) names.push_back("angle_" + std::to_string(k));
  if (family == Family::matern) names.push_back("nu");
  if (family == Family::powered_exponential) names.push_back("exponent");
  if (has_time) names.push_back("beta_time");
  if (interacts()) {
    names.push_back("alpha");
    names.push_back("interaction");
    if (has_delta) names.push_back("delta");
  }
  if (has_nugget) names.push_back("nugget");
  for (const std::string& name : local.names()) names.push_back(name);
  if (has_tukey) names.insert(names.end(), {"g", "h"});
  for (const std::string& group : groups) names.push_back("variance_" + group);
  return names;
}

double pair_smoothness(const CovarianceModel& model, const Theta& theta, int v, int w) {
  const double mean = 0.5 * (theta[model.shape() + v] + theta[model.shape() + w]);
  return v == w || !model.has_full_cross() ? mean : mean + theta[model.excess() + model.pair(v, w)];
}

double time_decay(const CovarianceModel& model, const Theta& theta) {
  const double half = 0.5 * model.space_dimension();
  return model.has_delta ? theta[model.delta()] + theta[model.interaction()] * half : half;
}

double matern_smoothness(const CovarianceModel& model, const Theta& theta) {
  switch (model.family) {
    case Family::matern:
      return theta[model.shape()];
    case Family::matern12:
      return 0.5;
    case Family::matern32:
      return 1.5;
    case Family::matern52:
      return 2.5;
    default:
      return 0;
  }
}

namespace {

/// Returns -log M(1).
double fall_at_one(const CovarianceModel& model, const Theta& theta) {
  const double nu = matern_smoothness(model, theta);
  return nu > 0 ? (nu - 1) * std::log(2.0) + std::lgamma(nu) - bessel::log_bessel_k(nu, 1.0) : 1;
}

}  // namespace

double time_scale(const CovarianceModel& model, const Theta& theta) {
  if (!model.interacts()) return theta[model.time()];
  const double most = 50;  // for a correlation that hardly decays
  const double power = std::min(fall_at_one(model, theta) / time_decay(model, theta), most),
               lag = theta[model.time()] * std::pow(std::expm1(power), 0.5 / theta[model.alpha()]);
  return model.convention == RangeConvention::scaled
             ? lag * std::sqrt(2 * matern_smoothness(model, theta))
             : lag;
}

std::string check(const CovarianceModel& model, const Theta& theta) {
  const std::vector<std::string> names = model.names();
  if (theta.size() != names.size()) {
    return "theta has " + std::to_string(theta.size()) + " elements instead of " +
           std::to_string(names.size());
  }
  for (std::size_t k = 0; k < theta.size(); ++k) {
    if (model.is_signed(static_cast<int>(k))) {
      if (!std::isfinite(theta[k]))
        return names[k] + " is " + std::to_string(theta[k]) + ", but must be finite";
      continue;
    }
    const bool may_vanish = model.may_vanish(static_cast<int>(k));
    if (!std::isfinite(theta[k]) || theta[k] < 0 || (theta[k] == 0 && !may_vanish)) {
      return names[k] + " is " + std::to_string(theta[k]) + ", but must be " +
             (may_vanish ? "at least 0" : "greater than 0");
    }
  }
  if (model.family == Family::powered_exponential && theta[model.shape()] > 2)
    return "exponent is " + std::to_string(theta[model.shape()]) + ", but must be at most 2";
  for (int v = 0; v < model.variables && model.family == Family::matern; ++v) {
    const auto k = static_cast<std::size_t>(model.shape() + v);
    if (theta[k] > kMostSmoothness)
      return names[k] + " is " + std::to_string(theta[k]) + ", but must be at most 100";
  }
  if (model.has_tukey && theta[model.h()] > 1)
    return "h is " + std::to_string(theta[model.h()]) + ", but must be at most 1";
  if (model.has_variables()) return check_cross_correlations(model, theta);
  if (model.interacts() && theta[model.alpha()] > 1)
    return "alpha is " + std::to_string(theta[model.alpha()]) + ", but must be at most 1";
  if (model.interacts() && theta[model.interaction()] > 1)
    return "interaction is " + std::to_string(theta[model.interaction()]) +
           ", but must be between 0 (space and time do not interact) and 1";
  return {};
}

}  // namespace tessera::gp
