// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/points/not_positive_definite.hpp"

#include "tessera/gp/covariance/number_text.hpp"

namespace tessera::gp {

namespace {

std::string theta_text(const CovarianceModel& model, const Theta& theta) {
  std::string text;
  const std::vector<std::string> names = model.names();
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : ", ") + names[k] + " = " + number(theta[k], "%.4g");
  return text;
}

}  // namespace

std::string explain_not_positive_definite(const CovarianceModel& model, const Points& points,
                                          const Theta& theta, std::size_t row) {
  std::size_t nearest = row == 0 ? 1 : 0;
  double shortest = 1e300;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == row) continue;
    if (!points.time.empty() && points.time[i] != points.time[row]) continue;
    if (points.variable_of(i) != points.variable_of(row)) continue;
    if (const double d = distance(model, points, row, i); d < shortest) {
      shortest = d;
      nearest = i;
    }
  }
  std::string text = "the covariance matrix of " + std::to_string(points.size()) +
                     " points is not positive definite in double precision (" +
                     theta_text(model, theta) + "): it fails at point " + std::to_string(row + 1) +
                     " at " + points.text(row);
  if (points.size() < 2) return text;
  text += ", whose nearest neighbour, point " + std::to_string(nearest + 1) + ", is " +
          number(shortest, "%.4g") + " away";
  const int shape = model.shape() + points.variable_of(row);
  const double smoothness = model.family == Family::matern                ? theta[shape]
                            : model.family == Family::matern52            ? 2.5
                            : model.family == Family::matern32            ? 1.5
                            : model.family == Family::squared_exponential ? 1e9
                                                                          : 0.5;
  const int variable = points.variable_of(row);
  const double range = theta[model.range(variable, variable)];
  if (shortest == 0) return text + ". Likely cause: the two points are duplicates";
  if (model.metric == Metric::great_circle && smoothness > 0.5 && model.legendre_terms == 0) {
    return text +
           ". Likely cause: the metric; a Matern covariance of the great-circle distance need not "
           "be positive definite for nu > 0.5";
  }
  if (shortest < 1e-6 * range)
    return text + ". Likely cause: the two points are almost duplicates for this range";
  return text +
         ". Likely cause: the field is too smooth for points this close (range and smoothness are "
         "large), so that rounding decides";
}

std::string explain_unsolved(const CovarianceModel& model, const Points& points, const Theta& theta,
                             std::size_t row, const Points& targets, std::size_t count) {
  return "the covariance matrix of the " + std::to_string(count) + " of " +
         std::to_string(points.size()) + " points that point " + std::to_string(row + 1) + " at " +
         targets.text(row) + " is predicted from is not positive definite in double precision (" +
         theta_text(model, theta) +
         "). Likely cause: the field is too smooth for points this close, so that rounding decides";
}

std::string remedy_not_positive_definite(const CovarianceModel& model) {
  std::string text = model.has_nugget ? "use a larger nugget" : "give the covariance a nugget";
  text += ", a smaller range or ";
  text += model.family == Family::squared_exponential ? "a rougher family (matern52)"
                                                      : "a lower smoothness";
  if (model.has_variables()) text += ", or cross-correlations nearer to 0";
  text += ", or take out points that almost coincide";
  if (model.legendre_terms > 0)
    text += "; a series of Legendre polynomials needs more terms where points are dense";
  else if (model.metric == Metric::great_circle)
    text += "; with latitude and longitude, metric: chordal is valid for any smoothness";
  return text;
}

}  // namespace tessera::gp
