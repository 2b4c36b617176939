// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/tukey_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/likelihood/repeated_places.hpp"
#include "tessera/gp/likelihood/tukey.hpp"
#include "tessera/gp/points/not_positive_definite.hpp"

namespace tessera::gp {

namespace {

constexpr int kMostSteps = 100;
constexpr int kMostHalvings = 30;
// the rise of the likelihood that a step may promise at the end: far below what differences of
// gradients tell
constexpr double kPromise = 1e-14;
constexpr double kLongestStep = 2;  // of a location, in units of s

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<double> multiply(const linalg::Matrix& matrix, const std::vector<double>& vector) {
  std::vector<double> product;
  for (const std::vector<double>& row : matrix) product.push_back(dot(row, vector));
  return product;
}

/// Changes the inverse of an information so that a step explains the change of the gradient
/// (Broyden, Fletcher, Goldfarb and Shanno).
void update_inverse(linalg::Matrix& inverse, const std::vector<double>& step,
                    const std::vector<double>& fall) {
  const double product = dot(step, fall);
  if (!(product > 0)) return;
  const std::vector<double> moved = multiply(inverse, fall);
  const double share = (1 + dot(fall, moved) / product) / product;
  for (std::size_t i = 0; i < step.size(); ++i) {
    for (std::size_t j = 0; j < step.size(); ++j)
      inverse[i][j] +=
          share * step[i] * step[j] - (moved[i] * step[j] + step[i] * moved[j]) / product;
  }
}

}  // namespace

TukeySolver::TukeySolver(const CovarianceModel& model, const Points& points,
                         std::unique_ptr<Solver> gaussian)
    : m_model(model), m_points(points), m_solver(std::move(gaussian)) {
  if (dynamic_cast<const RepeatedPlaces*>(m_solver.get()) == nullptr) return;
  throw Error(ErrorKind::input,
              "several observations lie at one place, which Vecchia's approximation merges, and "
              "merged ones do not have Tukey's marginals",
              "use method: exact, or take one observation of each place");
}

bool TukeySolver::prepare(const Theta& theta) {
  m_found_at.clear();
  return m_solver->prepare(gaussian(theta));
}

std::vector<double> TukeySolver::simulate(const Theta& theta, const std::vector<double>& normals,
                                          const std::vector<double>& noise) {
  return m_solver->simulate(gaussian(theta), normals, noise);
}

void TukeySolver::set_data(const std::vector<double>& values,
                           const std::vector<std::vector<double>>& trend) {
  if (values.size() != m_points.size())
    throw Error(ErrorKind::input, "Tukey's marginals are for one column of observations",
                "give one number for each point");
  m_values = values;
  m_trend = trend;
  m_found_at.clear();
  start_coefficients();
}

void TukeySolver::set_error_variance(const std::vector<double>&) {
  throw Error(ErrorKind::input, "Tukey's marginals do not go with known variances of errors",
              "leave them out");
}

/// Starts from ordinary least squares, whose constant is moved to the median of the residuals:
/// there tau(y / s) is 0.
void TukeySolver::start_coefficients() {
  m_start.clear();
  m_constant = -1;
  if (m_trend.empty()) return;
  linalg::Matrix normal;
  std::vector<double> products;
  for (std::size_t i = 0; i < m_trend.size(); ++i) {
    const std::vector<double>& column = m_trend[i];
    std::vector<double>& row = normal.emplace_back();
    for (const std::vector<double>& other : m_trend) row.push_back(dot(column, other));
    products.push_back(dot(column, m_values));
    const auto differs = [&](double x) { return x != column[0]; };
    if (m_constant < 0 && column[0] != 0 && std::none_of(column.begin(), column.end(), differs))
      m_constant = static_cast<int>(i);
  }
  m_start = multiply(linalg::inverse_positive_definite(normal), products);
  if (m_constant < 0) return;
  std::vector<double> rest = location(m_start, m_trend, m_values.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = m_values[i] - rest[i];
  const auto column = static_cast<std::size_t>(m_constant);
  m_start[column] += shape_of_quantiles(rest).median / m_trend[column][0];
}

std::vector<double> TukeySolver::location(const std::vector<double>& coefficients,
                                          const std::vector<std::vector<double>>& trend,
                                          std::size_t count) const {
  std::vector<double> sum(count, 0.0);
  for (std::size_t k = 0; k < trend.size(); ++k) {
    for (std::size_t i = 0; i < count; ++i) sum[i] += coefficients[k] * trend[k][i];
  }
  return sum;
}

/// Returns where a search at theta begins: with h = 0 the constant is moved so that tau takes all
/// observations.
std::vector<double> TukeySolver::coefficients_within(const Theta& theta) const {
  std::vector<double> start = m_start;
  if (h(theta) > 0 || g(theta) == 0 || m_constant < 0) return start;
  const std::vector<double> at = location(start, m_trend, m_values.size());
  double least = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    least = std::min(least, g(theta) * (m_values[i] - at[i]) / std::sqrt(theta[0]));
  constexpr double kLeast = -0.9;
  if (least < kLeast) {
    const auto column = static_cast<std::size_t>(m_constant);
    start[column] += (least - kLeast) * std::sqrt(theta[0]) / g(theta) / m_trend[column][0];
  }
  return start;
}

/// Computes the likelihood at the coefficients of the place and, where there are any, its
/// derivatives. The Gaussian solver has y as data and D as trend then; returns false without a
/// likelihood, and why.
bool TukeySolver::evaluate_at(const Theta& theta, Place& place, std::string& problem) {
  const std::size_t n = m_values.size(), count = m_trend.size();
  const double scale = std::sqrt(theta[0]);
  const std::vector<double> at = location(place.coefficients, m_trend, n);
  std::vector<std::vector<double>> columns(count, std::vector<double>(n));
  place.y.resize(n);
  place.gradient.assign(count, 0.0);
  place.information.assign(count, std::vector<double>(count, 0.0));
  long double logs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = inverse_tukey_g_and_h((m_values[i] - at[i]) / scale, g(theta), h(theta));
    if (!std::isfinite(u)) {
      problem = "the observation " + number(m_values[i]) + " at " + m_points.text(i) +
                " lies beyond " + number(at[i] - scale / g(theta)) +
                ", where the values of the marginals end with h = 0 and g = " + number(g(theta));
      m_fails_by_marginals = true;
      return false;
    }
    const TukeySlopes slopes = tukey_slopes(u, g(theta), h(theta));
    place.y[i] = scale * u;
    logs += slopes.log_slope;
    const double bend = -slopes.log_slope_by_u / (scale * slopes.slope);  // dlog tau' / dlocation
    for (std::size_t k = 0; k < count; ++k) {
      columns[k][i] = -m_trend[k][i] / slopes.slope;
      place.gradient[k] -= bend * m_trend[k][i];
      for (std::size_t l = 0; l < count; ++l)
        place.information[k][l] += bend * bend * m_trend[k][i] * m_trend[l][i];
    }
  }
  m_solver->set_data(place.y, columns);
  const Theta of_covariance = gaussian(theta);
  const Evaluation evaluation = m_solver->evaluate(of_covariance, false);
  problem = evaluation.problem;
  if (!evaluation.valid) return false;
  place.loglik = evaluation.loglik - static_cast<double>(logs);
  if (count > 0) {  // the trend lowers y' Sigma^-1 y by d' (D' Sigma^-1 D) d
    std::vector<double> shift, errors;
    m_solver->trend_coefficients(of_covariance, shift, errors);
    const linalg::Matrix normal = linalg::inverse_positive_definite(m_solver->trend_covariance());
    const std::vector<double> products = multiply(normal, shift);
    place.loglik -= 0.5 * dot(shift, products);
    for (std::size_t k = 0; k < count; ++k) {
      place.gradient[k] -= products[k];
      for (std::size_t l = 0; l < count; ++l) place.information[k][l] += normal[k][l];
    }
  }
  return std::isfinite(place.loglik);
}

/// Shortens a step so that no location changes by more than a few s.
void TukeySolver::shorten(const Theta& theta, std::vector<double>& step) const {
  double longest = 0;
  for (const double change : location(step, m_trend, m_values.size()))
    longest = std::max(longest, std::fabs(change));
  const double most = kLongestStep * std::sqrt(theta[0]);
  for (double& s : step) s *= longest > most ? most / longest : 1;
}

/// Finds the coefficients of the largest likelihood at theta.
bool TukeySolver::find_coefficients(const Theta& theta, std::string& problem) {
  if (m_found_at == theta) return true;
  m_found_at.clear();
  m_fails_by_marginals = false;
  m_best.coefficients = coefficients_within(theta);
  if (!evaluate_at(theta, m_best, problem)) return false;
  linalg::Matrix inverse;
  if (!m_trend.empty()) inverse = linalg::inverse_positive_definite(m_best.information);
  bool found = m_trend.empty();
  for (int k = 0; k < kMostSteps && !found; ++k) {
    std::vector<double> step = multiply(inverse, m_best.gradient);
    const double promise = 0.5 * dot(step, m_best.gradient);
    if (promise < kPromise) {
      found = true;
      break;
    }
    shorten(theta, step);
    Place next;
    const double noise = 1e-12 * (1 + std::fabs(m_best.loglik));
    int halvings = 0;
    for (; halvings < kMostHalvings; ++halvings) {
      next.coefficients = m_best.coefficients;
      for (std::size_t j = 0; j < step.size(); ++j) next.coefficients[j] += step[j];
      if (evaluate_at(theta, next, problem) && next.loglik >= m_best.loglik - noise) break;
      for (double& s : step) s *= 0.5;
    }
    if (halvings == kMostHalvings) {
      found = promise < noise;  // rounding hides the rest
      break;
    }
    std::vector<double> fall;
    for (std::size_t j = 0; j < step.size(); ++j)
      fall.push_back(m_best.gradient[j] - next.gradient[j]);
    update_inverse(inverse, step, fall);
    m_best = std::move(next);
  }
  if (!found) {
    problem = "the mean has no coefficients of largest likelihood near those of least squares";
    m_fails_by_marginals = true;
    return false;
  }
  m_found_at = theta;
  return true;
}

void TukeySolver::require_coefficients(const Theta& theta) {
  std::string problem = check(m_model, theta);
  if (problem.empty() && find_coefficients(theta, problem)) return;
  throw Error(ErrorKind::numerical, problem,
              m_fails_by_marginals
                  ? "choose g and h nearer to the data, or fit them; h above 0 takes "
                    "every observation"
                  : remedy_not_positive_definite(m_model));
}

/// Returns the derivatives of the likelihood in sigma2, at a constant covariance, g and h. With the
/// columns dy as data and y as trend the Gaussian solver's coefficients are dy' Sigma^-1 y /
/// y' Sigma^-1 y.
std::vector<double> TukeySolver::marginal_gradient(const Theta& theta) {
  const std::size_t n = m_values.size();
  const double scale = std::sqrt(theta[0]);
  std::vector<double> columns(3 * n), gradient(3, 0.0), coefficients, errors;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = m_best.y[i] / scale, x = tukey_g_and_h(u, g(theta), h(theta));
    const TukeySlopes s = tukey_slopes(u, g(theta), h(theta));
    // u changes so that the observation stays where it is
    const double by_sigma2 = 0.5 / scale, by_scale = -x / (scale * s.slope),
                 u_by[3] = {by_sigma2 * by_scale, -s.by_g / s.slope, -s.by_h / s.slope},
                 own[3] = {0, s.log_slope_by_g, s.log_slope_by_h};
    for (std::size_t k = 0; k < 3; ++k) {
      columns[k * n + i] = scale * u_by[k] + (k == 0 ? by_sigma2 * u : 0);
      gradient[k] -= s.log_slope_by_u * u_by[k] + own[k];
    }
  }
  m_solver->set_data(columns, {m_best.y});
  m_solver->trend_coefficients(gaussian(theta), coefficients, errors);
  for (std::size_t k = 0; k < 3; ++k)
    gradient[k] -= coefficients[k] / m_solver->trend_covariance()[0][0];
  return gradient;
}

/// At the coefficients of the largest likelihood its derivatives in them vanish.
Evaluation TukeySolver::evaluate(const Theta& theta, bool with_gradient, bool with_information) {
  if (with_information)
    throw Error(ErrorKind::input, "Tukey's marginals have no Fisher's information",
                "maximise by gradients");
  Evaluation evaluation;
  evaluation.problem = check(m_model, theta);
  if (!evaluation.problem.empty()) return evaluation;
  evaluation.valid = find_coefficients(theta, evaluation.problem);
  if (!evaluation.valid) return evaluation;
  evaluation.loglik = m_best.loglik;
  if (!with_gradient) return evaluation;
  const std::vector<double> of_marginal = marginal_gradient(theta);
  m_solver->set_data(m_best.y, {});
  const Evaluation of_covariance = m_solver->evaluate(gaussian(theta), true);
  if (!of_covariance.valid) return of_covariance;
  evaluation.gradient = of_covariance.gradient;
  evaluation.gradient[0] += of_marginal[0];
  evaluation.gradient.insert(evaluation.gradient.end(), of_marginal.begin() + 1, of_marginal.end());
  return evaluation;
}

void TukeySolver::trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                                     std::vector<double>& errors) {
  require_coefficients(theta);
  coefficients = m_best.coefficients;
  errors.clear();
  m_covariance.clear();
  if (!m_trend.empty()) m_covariance = linalg::inverse_positive_definite(m_best.information);
  for (std::size_t k = 0; k < m_covariance.size(); ++k)
    errors.push_back(std::sqrt(m_covariance[k][k]));
}

Prediction TukeySolver::predict(const Theta& theta, const Points& points,
                                const std::vector<std::vector<double>>& trend,
                                const DrawOptions& draws) {
  require_coefficients(theta);
  m_solver->set_data(m_best.y, {});
  Prediction prediction = m_solver->predict(gaussian(theta), points, {}, draws);
  prediction.location = location(m_best.coefficients, trend, points.size());
  return prediction;
}

Prediction TukeySolver::cross_validate(const Theta& theta, const std::vector<int>& fold) {
  require_coefficients(theta);
  m_solver->set_data(m_best.y, {});
  Prediction prediction = m_solver->cross_validate(gaussian(theta), fold);
  prediction.location = location(m_best.coefficients, m_trend, m_values.size());
  return prediction;
}

std::vector<double> TukeySolver::fisher_information(const Theta&) {
  throw Error(ErrorKind::input, "Tukey's marginals have no Fisher's information",
              "take the observed one");
}

std::vector<double> TukeySolver::misspecified_variance(const Theta&, const Theta&, const Points&) {
  throw Error(ErrorKind::input, "a misspecified variance is that of Gaussian observations",
              "take a model without Tukey's marginals");
}

}  // namespace tessera::gp
