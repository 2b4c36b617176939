// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/gp/covariance/cross_correlations.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

namespace {

constexpr double kHalfTurn = 3.14159265358979323846;
constexpr double kMostZ = 4;           // Fisher's z of a partial correlation of 0.9993
constexpr double kLeastExcess = 1e-4;  // of a smoothness

/// Distance between opposite corners of the box around the points.
double diameter(const CovarianceModel& model, const Points& points) {
  const auto [middle, half] = extent(points, model.metric);
  Points corners;
  for (std::size_t k = 0; k < middle.size(); ++k)
    corners.coordinate.push_back({middle[k] - half[k], middle[k] + half[k]});
  CovarianceModel straight = model;
  // beyond half the circumference corners come closer again
  if (model.metric != Metric::euclidean) straight.metric = Metric::chordal;
  return std::max(distance(straight, corners, 0, 1), 1e-300);
}

/// Returns where a fit starts the nugget of a variable.
double nugget_start(const ResidualMoments& moments, int variable) {
  const double variance = moments.variance[static_cast<std::size_t>(variable)];
  return 0.01 * (variance > 0 ? variance : 1);
}

/// Standard deviation of the numbers of a coordinate; 1 where they are equal.
double deviation(const std::vector<double>& column) {
  const auto count = static_cast<double>(column.size());
  double mean = 0, squares = 0;
  for (const double x : column) mean += x / count;
  for (const double x : column) squares += (x - mean) * (x - mean) / count;
  return squares > 0 ? std::sqrt(squares) : 1;
}

}  // namespace

std::vector<double> correlations_at_places(const CovarianceModel& model, const Points& points,
                                           const std::vector<double>& residuals) {
  constexpr int kFewest = 10;
  struct Sums {
    int count = 0;
    double products = 0, first = 0, second = 0;
  };
  std::vector<Sums> pairs(static_cast<std::size_t>(model.cross_correlations()));
  Points places = points;
  places.variable.clear();
  std::vector<std::size_t> members;  // of one place
  const auto close = [&] {
    for (const std::size_t i : members) {
      for (const std::size_t j : members) {
        const int v = points.variable_of(i), w = points.variable_of(j);
        if (v >= w) continue;
        Sums& sums = pairs[static_cast<std::size_t>(model.cross_correlation(v, w) - model.time())];
        ++sums.count;
        sums.products += residuals[i] * residuals[j];
        sums.first += residuals[i] * residuals[i];
        sums.second += residuals[j] * residuals[j];
      }
    }
  };
  for (const auto& [first, second] : find_duplicates(model, places)) {
    if (members.empty() || members[0] != first) {
      close();
      members = {first};
    }
    members.push_back(second);
  }
  close();
  std::vector<double> correlations;
  for (const Sums& sums : pairs) {
    const double square = sums.first * sums.second;
    correlations.push_back(
        sums.count < kFewest || !(square > 0) ? 0 : sums.products / std::sqrt(square));
  }
  return correlations;
}

SearchSpace::SearchSpace(const Parameters& p, const Points& points, const ResidualMoments& moments)
    : m_model(p.model) {
  const CovarianceModel& model = p.model;
  const std::size_t count = static_cast<std::size_t>(model.parameters());
  const double s2 = moments.variance[0] > 0 ? moments.variance[0] : 1,
               whole = diameter(model, points);
  const auto [middle, half] = extent(points, model.metric);
  m_start.assign(count, 0.0);
  m_lower = m_upper = m_start;
  m_scale.assign(count, 1.0);
  const auto set = [&](int index, double start, double low, double high) {
    set_parameter(index, start, low, high);
  };
  set(0, s2, 1e-3 * s2, 100 * s2);
  for (int k = 0; k < model.ranges(); ++k) {
    const double length = model.anisotropic ? 2 * half[k] : whole;
    if (model.anisotropic && model.is_high_dimensional()) {
      const double spread = deviation(points.coordinate[static_cast<std::size_t>(k)]);
      set(model.beta() + k, spread * std::sqrt(0.5 * model.dimension), spread / 300, 300 * spread);
    } else {
      set(model.beta() + k, 0.1 * length, 1e-3 * length, 3 * length);
    }
  }
  if (model.family == Family::matern) {
    const bool limited = model.metric == Metric::great_circle && model.legendre_terms == 0;
    set(model.shape(), limited ? 0.4 : 0.8, 0.05, limited ? 0.5 : 5.0);
  }
  if (model.family == Family::powered_exponential) {
    const bool limited = model.metric == Metric::great_circle;
    set(model.shape(), limited ? 0.8 : 1, 0.1, limited ? 1 : 2);
  }
  if (model.has_time) {
    const auto [first, last] = std::minmax_element(points.time.begin(), points.time.end());
    const double length = std::max(*last - *first, 1e-300);
    set(model.time(), 0.2 * length, 1e-3 * length, 10 * length);
  }
  if (model.interacts()) {
    set(model.alpha(), 0.5, 0.05, 1);
    set(model.interaction(), 0.5, 0, 1);
    if (model.has_delta) set(model.delta(), 0.5, 1e-3, 100);
  }
  if (model.has_nugget) set(model.nugget(), 0.1 * s2, 1e-8 * s2, 2 * s2);
  if (model.has_tukey) {
    set(model.g(), std::clamp(moments.g, -1.5, 1.5), -3, 3);
    set(model.h(), std::clamp(moments.h, 0.02, 0.4), 0, 1);
  }

  for (int k = model.group(); k < model.parameters(); ++k) set(k, 0.1 * s2, 1e-6 * s2, 100 * s2);

  if (model.has_variables()) set_variables(moments);
  set_local(points);

  for (int k = model.angle(); k < model.shape(); ++k) {
    const double start = p.fit.start.empty() ? p.theta[k] : p.fit.start[k];
    set(k, start, start - kHalfTurn, start + kHalfTurn);
  }

  if (!p.fit.lower.empty()) m_lower = p.fit.lower;
  if (!p.fit.upper.empty()) m_upper = p.fit.upper;
  const std::vector<std::string> names = model.names();
  for (std::size_t k = 0; k < count; ++k) {
    const bool fixed =
        std::find(p.fit.fixed.begin(), p.fit.fixed.end(), names[k]) != p.fit.fixed.end();
    const bool given = !p.fit.start.empty() || !std::isnan(p.theta[k]);
    if (given) m_start[k] = p.fit.start.empty() ? p.theta[k] : p.fit.start[k];
    if (fixed) continue;
    m_free.push_back(static_cast<int>(k));
    const int first_nugget = model.nugget(), parameter = static_cast<int>(k);
    const bool is_nugget =
        model.has_nugget && parameter >= first_nugget && parameter < model.first_of_local();
    if (model.may_vanish(static_cast<int>(k)) && m_start[k] == 0 && m_lower[k] > 0)
      // a logarithm of 0 is no start
      m_start[k] = std::min(std::max(is_nugget ? nugget_start(moments, parameter - first_nugget)
                                     : parameter >= model.group() ? 0.01 * s2
                                                                  : 0.01,
                                     m_lower[k]),
                            m_upper[k]);
    if (!given) m_start[k] = std::min(std::max(m_start[k], m_lower[k]), m_upper[k]);
    if (m_start[k] < m_lower[k] || m_start[k] > m_upper[k]) {
      throw Error(ErrorKind::input,
                  "the fit starts at " + names[k] + " = " + number(m_start[k]) +
                      ", outside its bounds " + number(m_lower[k]) + " to " + number(m_upper[k]) +
                      (p.fit.lower.empty() ? " (which come from the data)" : ""),
                  "set fit.start, or fit.lower and fit.upper");
    }
  }
  if (model.has_variables()) bring_correlations_inside();
  if (model.rotated) separate_ranges();
  if (model.anisotropic) require_extent(p, points);
}

/// A coordinate that is the same at all points says nothing of its range.
void SearchSpace::require_extent(const Parameters& p, const Points& points) const {
  const std::vector<std::string> names = m_model.names(), coordinates = input::name_coordinates(p);
  for (int k = 0; k < m_model.ranges(); ++k) {
    const int index = m_model.beta() + k;
    const auto column = static_cast<std::size_t>(k);
    const auto [low, high] =
        std::minmax_element(points.coordinate[column].begin(), points.coordinate[column].end());
    if (*low < *high || std::find(m_free.begin(), m_free.end(), index) == m_free.end()) continue;
    throw Error(ErrorKind::input,
                "the coordinate '" + coordinates[column] + "' is " + number(*low) +
                    " at all points, so that its range " + names[static_cast<std::size_t>(index)] +
                    " cannot be estimated",
                "leave the coordinate out, or name " + names[static_cast<std::size_t>(index)] +
                    " in fit.fixed");
  }
}

void SearchSpace::separate_ranges() {
  double* const range = m_start.data() + m_model.beta();
  const auto move = [&](int k, double factor) {
    const int index = m_model.beta() + k;
    if (std::find(m_free.begin(), m_free.end(), index) != m_free.end())
      range[k] = std::min(std::max(range[k] * factor, m_lower[index]), m_upper[index]);
  };
  for (int k = 0; k + 1 < m_model.ranges(); ++k) {
    for (int l = k + 1; l < m_model.ranges(); ++l) {
      if (range[k] != range[l]) continue;
      move(k, 1.2);
      move(l, 1 / 1.2);
    }
  }
}

/// Sets the coefficients of covariates and warps.
void SearchSpace::set_local(const Points& points) {
  constexpr double kMost = 4;
  const LocalModel& local = m_model.local;
  for (int k = 0; k < local.coefficients(); ++k) {
    const int index = m_model.first_of_local() + k;
    double& scale = m_scale[static_cast<std::size_t>(index)];
    if (k < local.first_of_warp())
      scale = deviation(points.local[static_cast<std::size_t>(local.covariate(k))]);
    set_parameter(index, 0, -kMost / scale, kMost / scale);
  }
}

/// Sets what each variable has for itself, and what pairs of them have.
void SearchSpace::set_variables(const ResidualMoments& moments) {
  for (int v = 0; v < m_model.variables; ++v) {
    const double own = moments.variance[static_cast<std::size_t>(v)], s2 = own > 0 ? own : 1;
    set_parameter(v, s2, 1e-3 * s2, 100 * s2);
    set_parameter(m_model.shape() + v, 0.8, 0.05, 5);
    if (m_model.has_nugget) set_parameter(m_model.nugget() + v, 0.1 * s2, 1e-8 * s2, 2 * s2);
  }
  for (int k = m_model.excess(); k < m_model.time(); ++k) set_parameter(k, 0.1, kLeastExcess, 5);
  for (int k = 0; k < m_model.cross_correlations(); ++k)
    set_parameter(m_model.time() + k, moments.correlation[static_cast<std::size_t>(k)], -1, 1);
}

/// Brings starts of cross-correlations that come from the data between their bounds.
void SearchSpace::bring_correlations_inside() {
  constexpr double kMostPartial = 0.95;
  std::vector<double> partial = partial_correlations(m_model, m_start);
  for (double& z : partial) z = std::isfinite(z) ? std::clamp(z, -kMostPartial, kMostPartial) : 0;
  const std::vector<double> rho =
      cross_correlations(m_model, m_start, partial, fixed_cross_correlations()).rho;
  std::copy(rho.begin(), rho.end(), m_start.begin() + m_model.time());
}

/// Returns which cross-correlations stay as they start.
std::vector<bool> SearchSpace::fixed_cross_correlations() const {
  std::vector<bool> fixed(static_cast<std::size_t>(m_model.cross_correlations()), true);
  for (const int parameter : m_free) {
    if (m_model.is_cross_correlation(parameter))
      fixed[static_cast<std::size_t>(parameter - m_model.time())] = false;
  }
  return fixed;
}

Theta SearchSpace::theta(const std::vector<double>& x) const {
  if (m_model.has_variables()) return theta_of_variables(x);
  Theta theta = m_start;
  for (std::size_t k = 0; k < m_free.size(); ++k) {
    const double value = logarithmic(k) ? std::exp(x[k]) : x[k] / scale(k);
    // exp of a bound may round beyond it
    theta[m_free[k]] = std::min(std::max(value, lower(k)), upper(k));
  }
  return theta;
}

/// The cross-correlations follow from the partial ones, the smoothnesses and the ranges.
Theta SearchSpace::theta_of_variables(const std::vector<double>& x) const {
  Theta theta = m_start;
  std::vector<double> partial(static_cast<std::size_t>(m_model.cross_correlations()), 0.0);
  for (std::size_t k = 0; k < m_free.size(); ++k) {
    if (m_model.is_cross_correlation(m_free[k])) {
      partial[static_cast<std::size_t>(m_free[k] - m_model.time())] = std::tanh(x[k]);
    } else {
      const double value = logarithmic(k) ? std::exp(x[k]) : x[k];
      theta[m_free[k]] = std::min(std::max(value, lower(k)), upper(k));
    }
  }
  const std::vector<double> rho =
      cross_correlations(m_model, theta, partial, fixed_cross_correlations()).rho;
  std::copy(rho.begin(), rho.end(), theta.begin() + m_model.time());
  return theta;
}

std::vector<double> SearchSpace::variables(const Theta& theta) const {
  std::vector<double> x, partial;
  if (m_model.has_variables()) partial = partial_correlations(m_model, theta);
  for (std::size_t k = 0; k < m_free.size(); ++k) {
    if (m_model.is_cross_correlation(m_free[k])) {
      const double z = partial[static_cast<std::size_t>(m_free[k] - m_model.time())];
      x.push_back(std::atanh(std::clamp(z, -1.0, 1.0)));
    } else {
      x.push_back(logarithmic(k) ? std::log(theta[m_free[k]]) : theta[m_free[k]] * scale(k));
    }
  }
  return x;
}

/// With several variables theta's cross-correlations depend on smoothnesses and ranges, too.
linalg::Matrix SearchSpace::slopes(const Theta& theta) const {
  const std::size_t count = m_free.size(), all = theta.size();
  linalg::Matrix slopes(all, std::vector<double>(count));
  const std::vector<double> partial = partial_correlations(m_model, theta);
  const CrossCorrelations rho =
      cross_correlations(m_model, theta, partial, fixed_cross_correlations());
  for (std::size_t k = 0; k < count; ++k) {
    const int parameter = m_free[k], pair = parameter - m_model.time();
    const double own = logarithmic(k) ? theta[parameter] : 1;
    if (m_model.is_cross_correlation(parameter)) {
      const double z = partial[static_cast<std::size_t>(pair)];
      for (std::size_t i = 0; i < partial.size(); ++i)
        slopes[m_model.time() + i][k] =
            rho.by_partial[i][static_cast<std::size_t>(pair)] * (1 - z * z);
      continue;
    }
    slopes[parameter][k] = own;
    for (std::size_t i = 0; i < partial.size(); ++i)
      slopes[m_model.time() + i][k] = rho.by_theta[i][static_cast<std::size_t>(parameter)] * own;
  }
  return slopes;
}

std::vector<double> SearchSpace::gradient(const Theta& theta,
                                          const std::vector<double>& gradient) const {
  std::vector<double> result;
  if (gradient.empty()) return result;
  if (m_model.has_variables()) {
    const linalg::Matrix slope = slopes(theta);
    result.assign(m_free.size(), 0.0);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      for (std::size_t k = 0; k < result.size(); ++k) result[k] += gradient[i] * slope[i][k];
    }
    return result;
  }
  for (std::size_t k = 0; k < m_free.size(); ++k)
    result.push_back(gradient[m_free[k]] * (logarithmic(k) ? theta[m_free[k]] : 1 / scale(k)));
  return result;
}

linalg::Matrix SearchSpace::information(const Theta& theta,
                                        const std::vector<double>& information) const {
  linalg::Matrix result(m_free.size(), std::vector<double>(m_free.size()));
  if (m_model.has_variables()) {
    const linalg::Matrix by = slopes(theta);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      for (std::size_t j = 0; j < theta.size(); ++j) {
        for (std::size_t k = 0; k < m_free.size(); ++k) {
          for (std::size_t l = 0; l < m_free.size(); ++l)
            result[k][l] += information[i * theta.size() + j] * by[i][k] * by[j][l];
        }
      }
    }
    return result;
  }
  const auto slope = [&](std::size_t k) {
    return logarithmic(k) ? theta[m_free[k]] : 1 / scale(k);
  };
  for (std::size_t i = 0; i < m_free.size(); ++i) {
    for (std::size_t j = 0; j < m_free.size(); ++j)
      result[i][j] = information[m_free[i] * theta.size() + m_free[j]] * slope(i) * slope(j);
  }
  return result;
}

std::vector<bool> SearchSpace::away_from_bounds(const std::vector<int>& side) const {
  std::vector<bool> away;
  bool all = true;
  for (int k = 0; k < m_model.cross_correlations(); ++k) {
    away.push_back(side[static_cast<std::size_t>(m_model.time() + k)] == 0);
    all = all && away.back();
  }
  return all ? std::vector<bool>() : away;
}

Theta SearchSpace::keep_at_bounds(const Theta& theta, Theta moved,
                                  const std::vector<int>& side) const {
  const std::vector<bool> away = away_from_bounds(side);
  if (away.empty()) return moved;
  const std::vector<double> rho =
      cross_correlations(m_model, moved, partial_correlations(m_model, theta), away).rho;
  std::copy(rho.begin(), rho.end(), moved.begin() + m_model.time());
  return moved;
}

linalg::Matrix SearchSpace::slopes_at_bounds(const Theta& theta,
                                             const std::vector<bool>& away) const {
  linalg::Matrix slopes(theta.size(), std::vector<double>(theta.size()));
  for (std::size_t k = 0; k < theta.size(); ++k) slopes[k][k] = 1;
  const CrossCorrelations rho =
      cross_correlations(m_model, theta, partial_correlations(m_model, theta), away);
  for (std::size_t i = 0; i < away.size(); ++i) {
    if (!away[i]) slopes[static_cast<std::size_t>(m_model.time()) + i] = rho.by_theta[i];
  }
  return slopes;
}

std::vector<double> SearchSpace::gradient_at_bounds(const Theta& theta,
                                                    const std::vector<double>& gradient,
                                                    const std::vector<int>& side) const {
  const std::vector<bool> away = away_from_bounds(side);
  if (away.empty()) return gradient;
  const linalg::Matrix by = slopes_at_bounds(theta, away);
  std::vector<double> result(theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    for (std::size_t k = 0; k < theta.size(); ++k) result[k] += gradient[i] * by[i][k];
  }
  return result;
}

std::vector<double> SearchSpace::information_at_bounds(const Theta& theta,
                                                       const std::vector<double>& information,
                                                       const std::vector<int>& side) const {
  const std::vector<bool> away = away_from_bounds(side);
  if (away.empty()) return information;
  const std::size_t count = theta.size();
  const linalg::Matrix by = slopes_at_bounds(theta, away);
  std::vector<double> result(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t l = 0; l < count; ++l)
          result[k * count + l] += information[i * count + j] * by[i][k] * by[j][l];
      }
    }
  }
  return result;
}

double SearchSpace::slope(const Theta& theta, std::size_t k) const {
  return logarithmic(k) || m_model.is_absolute(m_free[k]) ? 1 : 1 / theta[m_free[k]];
}

/// Returns the bounds of the variables of the search.
std::vector<double> SearchSpace::bounds(const Theta& theta, double side) const {
  if (!m_model.has_variables()) return variables(theta);
  Theta apart = theta;  // bounds of cross-correlations are those of their partial ones
  std::fill_n(apart.begin() + m_model.time(), m_model.cross_correlations(), 0.0);
  std::vector<double> x = variables(apart);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (m_model.is_cross_correlation(m_free[k])) x[k] = side * kMostZ;
  }
  return x;
}

Theta SearchSpace::start(int k, std::uint64_t seed) const {
  if (k == 0) return m_start;
  const std::vector<double> u =
      uniforms(seed, Stream::starts, m_free.size(), static_cast<std::size_t>(k));
  const std::vector<double> low = lowest(), high = highest();
  std::vector<double> x;
  for (std::size_t i = 0; i < m_free.size(); ++i) x.push_back(low[i] + u[i] * (high[i] - low[i]));
  return theta(x);
}

optimize::Problem SearchSpace::problem(const FitParameters& fit, const Theta& start) const {
  optimize::Problem problem;
  problem.method =
      fit.method.value_or("") == "lbfgs" ? optimize::Method::lbfgs : optimize::Method::bobyqa;
  problem.start = variables(start);
  problem.lower = lowest();
  problem.upper = highest();
  for (std::size_t k = 0; k < m_free.size(); ++k) {
    const double width = problem.upper[k] - problem.lower[k];
    problem.step.push_back(logarithmic(k) ? std::min(0.3, 0.2 * width) : 0.1 * width);
    problem.start[k] = std::min(std::max(problem.start[k], problem.lower[k]), problem.upper[k]);
  }
  problem.value_tolerance = fit.tolerance;
  problem.max_evaluations = fit.max_evaluations;
  // otherwise the derivatives say more
  problem.probe = fit.information.value_or("observed") == "none";
  return problem;
}

std::string describe_limit(const CovarianceModel& model, const Theta& theta, int parameter,
                           int side) {
  const auto index = static_cast<std::size_t>(parameter);
  if (model.is_excess(parameter) && side < 0 && theta[index] < 10 * kLeastExcess) {
    return "the fit ends with " + model.names()[index] + " = " + number(theta[index]) +
           ", its lower bound: the data do not ask for a cross-covariance smoother than the mean; "
           "keep it there by covariance.excess: 0 and fit.fixed: [" +
           model.names()[index] + "]";
  }
  Theta beyond = theta;
  beyond[index] += 1e-3 * side * (theta[index] > 0 ? theta[index] : 1);
  if (check(model, beyond).empty()) return "";
  return "the fit ends with " + model.names()[index] + " = " + number(theta[index]) + ", the " +
         (side < 0 ? "least" : "most") + " that it can be: it has no standard error";
}

linalg::Matrix covariance_of_estimates(const linalg::Matrix& information) {
  const std::size_t count = information.size();
  // The information is scaled to a unit diagonal, since the parameters have different units.
  linalg::Matrix scaled = information;
  const auto scale = [&](std::size_t i, std::size_t j) {
    return std::sqrt(information[i][i] * information[j][j]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (!std::isfinite(information[i][j]) || !(information[i][i] > 0)) return {};
      scaled[i][j] = 0.5 * (information[i][j] + information[j][i]) / scale(i, j);
    }
  }
  try {
    linalg::Matrix covariance = linalg::inverse_positive_definite(scaled);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) covariance[i][j] /= scale(i, j);
    }
    return covariance;
  } catch (const Error&) {
    return {};
  }
}

std::vector<double> standard_errors(std::size_t parameters, const std::vector<int>& used,
                                    const linalg::Matrix& information) {
  std::vector<double> errors(parameters, std::numeric_limits<double>::quiet_NaN());
  const linalg::Matrix covariance = covariance_of_estimates(information);
  for (std::size_t i = 0; i < covariance.size(); ++i) errors[used[i]] = std::sqrt(covariance[i][i]);
  return errors;
}

}  // namespace tessera::gp
