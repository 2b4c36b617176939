// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/repeated_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/points/points.hpp"

namespace tessera::gp {

std::size_t Places::largest() const { return *std::max_element(count.begin(), count.end()); }

std::optional<Places> find_places(const CovarianceModel& model, const Points& points) {
  const auto pairs = find_duplicates(model, points);
  if (pairs.empty()) return std::nullopt;
  std::vector<std::size_t> into(points.size());
  std::iota(into.begin(), into.end(), std::size_t(0));
  for (const auto& [first, second] : pairs) into[second] = first;
  Places places;
  places.of.resize(points.size());
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (into[i] == i) {
      places.of[i] = places.first.size();
      places.first.push_back(i);
      places.count.push_back(0);
    } else {
      places.of[i] = places.of[into[i]];  // the first of a place comes before the others
    }
    ++places.count[places.of[i]];
  }
  return places;
}

RepeatedPlaces::RepeatedPlaces(const CovarianceModel& model, const Points& points,
                               const Places& places, const Make& make)
    : m_model(model), m_points(points), m_places(places), m_make(make) {}

/// Returns the variance of the error of an observation.
double RepeatedPlaces::variance(const Theta& theta, std::size_t i) const {
  return nugget(theta) + (m_points.error_variance.empty() ? 0 : m_points.error_variance[i]);
}

/// Errors must be of one kind, so that the variance of a mean is in proportion to the nugget or
/// known, and what the trend says of a place the same for all its observations.
bool RepeatedPlaces::can_merge(const std::vector<std::vector<double>>& trend) const {
  if (m_model.has_nugget != m_points.error_variance.empty()) return false;
  for (std::size_t i = 0; i < m_places.of.size(); ++i) {
    const std::size_t place = m_places.of[i], first = m_places.first[place];
    if (m_places.count[place] == 1) continue;
    if (!m_points.error_variance.empty() && !(m_points.error_variance[i] > 0)) return false;
    for (const std::vector<double>& column : trend) {
      if (column[i] != column[first]) return false;
    }
  }
  return true;
}

void RepeatedPlaces::warn_of_repeats() const {
  const bool both = m_model.has_nugget && !m_points.error_variance.empty();
  logging::warning(
      std::to_string(m_points.size()) + " observations lie at " +
      std::to_string(m_places.first.size()) + " places, up to " +
      std::to_string(m_places.largest()) + " at one, and stay apart, for " +
      (both ? "they have both a nugget and known variances of their errors"
       : !m_model.has_nugget && m_points.error_variance.empty()
           ? "their covariance has no nugget"
           : "at one place their covariates differ, or some have no error") +
      ". So the nearest data that Vecchia's approximation takes are those of fewer places: take "
      "more method.vecchia.neighbours and method.vecchia.prediction_neighbours, give the means of "
      "each place with data.error_variance and no nugget, or use method: exact");
}

/// Returns the theta of the means, whose errors stand with the points.
Theta RepeatedPlaces::of_means(const Theta& theta) const {
  Theta of_means = theta;
  if (m_merged && m_model.has_nugget) of_means[m_model.nugget()] = 0;
  return of_means;
}

std::vector<double> RepeatedPlaces::mean_variances(const Theta& theta) const {
  std::vector<double> precision(m_places.first.size(), 0.0);
  for (std::size_t i = 0; i < m_places.of.size(); ++i)
    precision[m_places.of[i]] += 1 / variance(theta, i);
  for (double& p : precision) p = 1 / p;  // 0 where the precision is infinite
  return precision;
}

void RepeatedPlaces::set_data(const std::vector<double>& values,
                              const std::vector<std::vector<double>>& trend) {
  set_all(values, trend, values.size() / m_points.size());
}

void RepeatedPlaces::set_columns(const std::vector<double>& columns, std::int64_t observed) {
  set_all(columns, {}, static_cast<std::size_t>(observed));
}

void RepeatedPlaces::set_all(const std::vector<double>& values,
                             const std::vector<std::vector<double>>& trend, std::size_t observed) {
  const bool merges = can_merge(trend);
  if (!m_solver || merges != m_merged) {
    m_merged = merges;
    m_solver = m_make(merges ? m_points.subset(m_places.first) : m_points);
    if (!merges) warn_of_repeats();
  }
  m_values = values;
  m_trend = trend;
  m_replicates = values.size() / m_points.size();
  m_observed = observed;
  m_nugget = -1;
  const auto set = [&](const std::vector<double>& columns,
                       const std::vector<std::vector<double>>& of_trend) {
    m_observed < m_replicates
        ? m_solver->set_columns(columns, static_cast<std::int64_t>(m_observed))
        : m_solver->set_data(columns, of_trend);
  };
  if (!m_merged) {
    set(values, trend);
    return;
  }
  const std::size_t n = m_points.size(), places = m_places.first.size();
  std::vector<double> means(places * m_replicates, 0.0), weights(places, 0.0);
  const auto weight = [&](std::size_t i) {
    return m_places.count[m_places.of[i]] == 1 || m_model.has_nugget
               ? 1
               : 1 / m_points.error_variance[i];
  };
  for (std::size_t i = 0; i < n; ++i) {
    weights[m_places.of[i]] += weight(i);
    for (std::size_t r = 0; r < m_replicates; ++r)
      means[m_places.of[i] + r * places] += weight(i) * values[i + r * n];
  }
  for (std::size_t k = 0; k < means.size(); ++k) means[k] /= weights[k % places];
  std::vector<std::vector<double>> of_places;
  for (const std::vector<double>& column : trend) {
    std::vector<double>& to = of_places.emplace_back();
    for (const std::size_t i : m_places.first) to.push_back(column[i]);
  }
  set(means, of_places);
}

void RepeatedPlaces::set_error_variance(const std::vector<double>& variance) {
  m_points.error_variance = variance;
  m_solver.reset();
  if (!m_values.empty()) set_all(m_values, m_trend, m_observed);
}

GaussianSolver& RepeatedPlaces::solver(const Theta& theta) {
  if (!m_solver) {
    m_merged = can_merge({});
    m_solver = m_make(m_merged ? m_points.subset(m_places.first) : m_points);
  }
  if (m_merged && m_nugget != nugget(theta)) {
    m_solver->set_error_variance(mean_variances(theta));
    m_nugget = nugget(theta);
  }
  return *m_solver;
}

bool RepeatedPlaces::prepare(const Theta& theta) { return solver(theta).prepare(of_means(theta)); }

std::vector<Neighbourhood> RepeatedPlaces::neighbourhoods() const {
  if (!m_solver) return {};
  std::vector<Neighbourhood> all = m_solver->neighbourhoods();
  if (!m_merged) return all;
  for (Neighbourhood& one : all) {
    one.row = m_places.first[one.row];
    for (std::size_t& neighbour : one.neighbours) neighbour = m_places.first[neighbour];
  }
  return all;
}

std::vector<double> RepeatedPlaces::simulate(const Theta& theta, const std::vector<double>& normals,
                                             const std::vector<double>& noise) {
  const std::unique_ptr<Solver> all = m_make(m_points);
  std::vector<double> fields = all->simulate(theta, normals, noise);
  m_levels = all->levels();
  return fields;
}

/// Adds what the observations of each place say beyond their mean.
void RepeatedPlaces::add_within(const Theta& theta, Evaluation& evaluation) const {
  constexpr long double kLogTwoPi = 1.83787706640934548356065947281123527L;
  const std::size_t n = m_points.size(), places = m_places.first.size();
  const std::vector<double> of_mean = mean_variances(theta);
  long double logs = 0, squares = 0;
  for (std::size_t p = 0; p < places; ++p)
    logs -= m_places.count[p] > 1 ? std::log(static_cast<long double>(of_mean[p])) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (m_places.count[m_places.of[i]] > 1)
      logs += std::log(static_cast<long double>(variance(theta, i)));
  }
  std::vector<long double> mean(places);
  for (std::size_t r = 0; r < m_replicates; ++r) {
    std::fill(mean.begin(), mean.end(), 0.0L);
    const auto repeats = [&](std::size_t i) { return m_places.count[m_places.of[i]] > 1; };
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t p = m_places.of[i];
      if (repeats(i))
        mean[p] += static_cast<long double>(of_mean[p]) / variance(theta, i) * m_values[i + r * n];
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!repeats(i)) continue;
      const long double rest = m_values[i + r * n] - mean[m_places.of[i]];
      squares += rest * rest / variance(theta, i);
    }
  }
  const long double freedom =
      static_cast<long double>(m_observed) * static_cast<long double>(n - places);
  evaluation.loglik -= static_cast<double>(
      0.5L * (freedom * kLogTwoPi + static_cast<long double>(m_observed) * logs + squares));
  if (!m_model.has_nugget || evaluation.gradient.empty()) return;
  // The variances of the means are in proportion to the nugget.
  const auto at = static_cast<std::size_t>(m_model.nugget()), count = theta.size();
  const long double v = nugget(theta);
  evaluation.gradient[at] =
      static_cast<double>((evaluation.error_slope + 0.5L * (squares - freedom)) / v);
  if (evaluation.information.empty()) return;
  for (std::size_t k = 0; k < count; ++k) {
    const double element = static_cast<double>(evaluation.error_information[k] / v);
    evaluation.information[at * count + k] = evaluation.information[k * count + at] = element;
  }
  evaluation.information[at * count + at] =
      static_cast<double>((evaluation.error_information[count] + 0.5L * freedom) / (v * v));
}

Evaluation RepeatedPlaces::evaluate(const Theta& theta, bool with_gradient, bool with_information) {
  if (!m_merged) return solver(theta).evaluate(theta, with_gradient, with_information);
  Evaluation evaluation;
  evaluation.problem = check(m_model, theta);
  if (!evaluation.problem.empty()) return evaluation;
  if (m_model.has_nugget && theta[0] + nugget(theta) == theta[0]) {
    evaluation.problem = "several observations at one place, as at " +
                         m_points.text(find_repeated()) + ", need a nugget above 0";
    return evaluation;
  }
  evaluation = solver(theta).evaluate(of_means(theta), with_gradient, with_information);
  if (evaluation.valid) add_within(theta, evaluation);
  evaluation.error_slope = 0;
  evaluation.error_information.clear();
  return evaluation;
}

std::size_t RepeatedPlaces::find_repeated() const {
  const auto repeated = std::find_if(m_places.count.begin(), m_places.count.end(),
                                     [](std::size_t count) { return count > 1; });
  return m_places.first[static_cast<std::size_t>(repeated - m_places.count.begin())];
}

void RepeatedPlaces::require_errors(const Theta& theta) const {
  if (!m_merged || !m_model.has_nugget || theta[0] + nugget(theta) != theta[0]) return;
  throw Error(ErrorKind::numerical,
              "several observations at one place, as at " + m_points.text(find_repeated()) +
                  ", need a nugget above 0",
              "give covariance.nugget a larger value, or set data.duplicates: average and leave "
              "the nugget out");
}

void RepeatedPlaces::trend_coefficients(const Theta& theta, std::vector<double>& coefficients,
                                        std::vector<double>& errors) {
  require_errors(theta);
  solver(theta).trend_coefficients(of_means(theta), coefficients, errors);
}

Prediction RepeatedPlaces::predict(const Theta& theta, const Points& points,
                                   const std::vector<std::vector<double>>& trend,
                                   const DrawOptions& draws) {
  require_errors(theta);
  Prediction prediction = solver(theta).predict(of_means(theta), points, trend, draws);
  m_levels = m_solver->levels();
  return prediction;
}

std::vector<double> RepeatedPlaces::products(const Theta& theta, const DesignMatrix& design) {
  if (!m_merged) return solver(theta).products(theta, design);
  require_errors(theta);
  GaussianSolver& of_places = solver(theta);
  const std::vector<double> of_mean = mean_variances(theta);
  std::vector<double> share;  // of each observation in the mean of its place
  std::vector<std::vector<std::size_t>> members(m_places.first.size());
  for (std::size_t i = 0; i < m_points.size(); ++i) {
    const std::size_t place = m_places.of[i];
    share.push_back(m_places.count[place] == 1 ? 1 : of_mean[place] / variance(theta, i));
    members[place].push_back(i);
  }
  std::vector<double> sums = of_places.products(of_means(theta), mean_rows(design, members, share));
  DesignProducts within(design);
  for (const std::vector<std::size_t>& rows : members) {
    for (std::size_t k = 0; k < rows.size() && rows.size() > 1; ++k) {
      within.add_row(rows[k], 1);
      for (const std::size_t i : rows) within.add_row(i, -share[i]);
      within.close_row(1 / variance(theta, rows[k]));
    }
  }
  const std::vector<double> more = within.take();
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
  return sums;
}

std::vector<double> RepeatedPlaces::first_replicate(const std::vector<std::size_t>& rows) const {
  std::vector<double> values;
  for (const std::size_t i : rows) values.push_back(m_values[i]);
  return values;
}

/// Predicts the observations inside a fold from those outside.
Prediction RepeatedPlaces::predict_fold(const Theta& theta, const std::vector<std::size_t>& inside,
                                        const std::vector<std::size_t>& outside) const {
  const Points rest = m_points.subset(outside);
  const auto take = [&](const std::vector<std::size_t>& rows) {
    std::vector<std::vector<double>> columns;
    for (const std::vector<double>& column : m_trend) {
      std::vector<double>& to = columns.emplace_back();
      for (const std::size_t i : rows) to.push_back(column[i]);
    }
    return columns;
  };
  std::unique_ptr<Solver> solver;
  if (const std::optional<Places> places = find_places(m_model, rest)) {
    solver = std::make_unique<RepeatedPlaces>(m_model, rest, *places, m_make);
  } else {
    solver = m_make(rest);
  }
  solver->set_data(first_replicate(outside), take(outside));
  solver->prepare(theta);
  return solver->predict(theta, m_points.subset(inside), take(inside), {});
}

/// Predicts each observation from all others: the field at its place from the other places, then
/// with what else was observed there.
Prediction RepeatedPlaces::leave_one_out(const Theta& theta) {
  const std::size_t n = m_points.size(), places = m_places.first.size();
  std::vector<int> alone(places);
  std::iota(alone.begin(), alone.end(), 0);
  const Prediction from_others = solver(theta).cross_validate(of_means(theta), alone);
  const std::vector<double> of_mean = mean_variances(theta);
  std::vector<double> sum(places, 0.0), precision(places, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (m_places.count[m_places.of[i]] == 1) continue;
    sum[m_places.of[i]] += m_values[i] / variance(theta, i);
    precision[m_places.of[i]] += 1 / variance(theta, i);
  }
  Prediction prediction{std::vector<double>(n), std::vector<double>(n), {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t p = m_places.of[i];
    const double field = std::max(from_others.variance[p] - of_mean[p], 0.0);
    double mean = from_others.mean[p], left = field;
    if (m_places.count[p] > 1) {
      const double more = precision[p] - 1 / variance(theta, i),
                   value = (sum[p] - m_values[i] / variance(theta, i)) / more;
      const double gain = field * more / (1 + field * more);
      mean += gain * (value - mean);
      left = field / (1 + field * more);
    }
    prediction.mean[i] = mean;
    prediction.variance[i] = left + variance(theta, i);
  }
  return prediction;
}

Prediction RepeatedPlaces::cross_validate(const Theta& theta, const std::vector<int>& fold) {
  require_errors(theta);
  if (!m_merged) return solver(theta).cross_validate(theta, fold);
  const std::size_t n = m_points.size(),
                    folds =
                        static_cast<std::size_t>(*std::max_element(fold.begin(), fold.end())) + 1;
  if (folds == n) return leave_one_out(theta);
  Prediction prediction{std::vector<double>(n), std::vector<double>(n), {}};
  for (std::size_t f = 0; f < folds; ++f) {
    std::vector<std::size_t> inside, outside;
    for (std::size_t i = 0; i < n; ++i)
      (fold[i] == static_cast<int>(f) ? inside : outside).push_back(i);
    if (inside.empty()) continue;
    const Prediction one = predict_fold(theta, inside, outside);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      prediction.mean[inside[k]] = one.mean[k];
      prediction.variance[inside[k]] = one.variance[k] + variance(theta, inside[k]);
    }
  }
  return prediction;
}

std::vector<double> RepeatedPlaces::fisher_information(const Theta& theta) {
  const Evaluation evaluation = evaluate(theta, true, true);
  if (!evaluation.valid)
    throw Error(ErrorKind::numerical, evaluation.problem,
                "use a larger nugget, or one for repeated observations");
  return evaluation.information;
}

std::vector<double> RepeatedPlaces::misspecified_variance(const Theta& truth, const Theta& used,
                                                          const Points& points) {
  const std::unique_ptr<Solver> all = m_make(m_points);
  all->set_data(m_values, m_trend);
  all->prepare(used);
  return all->misspecified_variance(truth, used, points);
}

}  // namespace tessera::gp
