// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/sphere.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/legendre_matern.hpp"
#include "tessera/gp/covariance/number_text.hpp"

namespace tessera::gp {

namespace {

/// Returns the largest nu or exponent that the input names.
double largest_shape(const Parameters& p) {
  const auto shape = static_cast<std::size_t>(p.model.shape());
  double largest = 0;
  const auto look = [&](const Theta& theta) {
    if (theta.size() > shape && std::isfinite(theta[shape]))
      largest = std::max(largest, theta[shape]);
  };
  look(p.theta);
  look(p.fit.start);
  look(p.fit.upper);
  for (const Theta& theta : p.loglik) look(theta);
  return largest;
}

}  // namespace

void warn_of_great_circle(const Parameters& p) {
  const CovarianceModel& model = p.model;
  if (model.metric != Metric::great_circle || model.legendre_terms > 0) return;
  const bool is_power =
      model.family == Family::powered_exponential || model.family == Family::squared_exponential;
  const double limit = is_power ? 1 : 0.5, largest = model.has_shape() ? largest_shape(p)
                                                     : model.family == Family::squared_exponential
                                                         ? 2
                                                         : matern_smoothness(model, {});
  const std::string name = is_power ? "exponent" : "nu";
  if (largest > limit) {
    logging::warning("with great-circle distances a " +
                     std::string(is_power ? "powered exponential" : "Matern covariance") +
                     " is positive definite for all points only up to " + name + " = " +
                     number(limit) + ", and " + name + " is " + number(largest) +
                     " in this input: use metric: chordal, which is valid for any");
  } else if (p.fit.given && p.fit.upper.empty() && model.has_shape()) {
    logging::info("with great-circle distances " + name + " is fitted up to " + number(limit) +
                  ", where every covariance is positive definite; metric: chordal allows any");
  }
}

void warn_of_truncation(const CovarianceModel& model, const Theta& theta) {
  if (model.legendre_terms == 0 || !check(model, theta).empty()) return;
  const double nu = theta[static_cast<std::size_t>(model.shape())],
               beta = theta[static_cast<std::size_t>(model.beta())],
               tail = legendre_tail(nu, model.radius / beta, model.legendre_terms);
  if (tail <= 0.01) return;
  logging::warning("the Legendre series of " + std::to_string(model.legendre_terms) +
                   " terms leaves out up to " + number(100 * tail, "%.2g") +
                   " % of the variance of the whole one at nu = " + number(nu) +
                   " and beta = " + number(beta) + ", of what changes within " +
                   number(3.14159265 * model.radius / model.legendre_terms) +
                   ": take more covariance.terms, or give the covariance a nugget");
}

}  // namespace tessera::gp
