// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/fit/intervals.hpp"

#include <algorithm>

#include "tessera/core/error.hpp"
#include "tessera/stable/fit/goodness.hpp"
#include "tessera/stable/fit/optimizer.hpp"

namespace tessera::stable {

namespace {

void require_level(double level) {
  if (!(level > 0 && level < 1)) {
    throw Error(ErrorKind::input, "stable: intervals at level " + std::to_string(level),
                "give a level between 0 and 1");
  }
}

void require_converged(const FitResult& fit) {
  if (fit.status > FitStatus::boundary)
    throw Error(ErrorKind::input, "stable: intervals of a fit that has not converged");
}

/// The standard error of a quantity, with parameters at the end of their range taken as known; NaN
/// where there is none, or where no double holds its square.
double find_standard_error(const Quantity& quantity, const FitResult& fit, bool sandwich) {
  const std::array<double, 4> gradient = find_gradient(quantity, fit.parameters());
  if (quantity.is_parameter()) {
    const double error = fit.standard_error[quantity.parameter()];
    if (!sandwich || std::isnan(error)) return error;
  }
  const double* const covariance = sandwich ? fit.sandwich : fit.covariance;
  double variance = 0;
  bool any = false;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double c = covariance[FitResult::index(i, j)];
      if (std::isnan(fit.standard_error[i]) || std::isnan(fit.standard_error[j])) continue;
      any = true;
      variance += detail::product_or_none(gradient[static_cast<std::size_t>(i)],
                                          gradient[static_cast<std::size_t>(j)], c);
    }
  }
  return any ? std::sqrt(variance) : NAN;
}

/// Searches go in ln sigma, and in other quantities as they are.
double to_coordinate(const Quantity& quantity, double value) {
  return quantity.kind == QuantityKind::sigma ? std::log(value) : value;
}
double from_coordinate(const Quantity& quantity, double u) {
  return quantity.kind == QuantityKind::sigma ? std::exp(u) : u;
}

double normal_probability(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

}  // namespace

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return NAN;
  double low = -40, high = 40;
  for (int k = 0; k < 80; ++k) {
    const double middle = 0.5 * (low + high);
    (normal_probability(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double critical_deviance(double level) {
  require_level(level);
  const double z = normal_quantile(0.5 + 0.5 * level);
  return z * z;
}

double find_critical_deviance(const std::vector<FitResult>& refits, const Quantity& quantity,
                              double value, int side, double level) {
  require_level(level);
  // Signed roots, positive where the full fit lies on the inner side of the end.
  std::vector<double> roots;
  for (std::size_t k = 0; k + 1 < refits.size(); k += 2) {
    if (refits[k].status > FitStatus::boundary || refits[k + 1].status > FitStatus::boundary)
      continue;
    const double inwards =
        (evaluate(quantity, refits[k + 1].parameters()) - value) * (side == 0 ? 1 : -1);
    roots.push_back(std::copysign(std::sqrt(likelihood_ratio(refits[k], refits[k + 1])), inwards));
  }
  if (roots.empty()) return NAN;
  std::sort(roots.begin(), roots.end());
  const auto index = static_cast<std::size_t>(
      std::ceil((0.5 + 0.5 * level) * static_cast<double>(roots.size() + 1)));
  const double root =
      std::max(roots[std::min(std::max<std::size_t>(index, 1), roots.size()) - 1], 0.0);
  return std::max(root * root, 1e-3);
}

bool is_next_to_normal(const FitResult& fit, const Interval& alpha) {
  return 2 * alpha.upper - fit.alpha >= kMaxAlpha;
}

FitOptions profile_options() {
  FitOptions options;
  options.tolerance = 1e-7;
  options.standard_errors = false;
  return options;
}

Interval wald_interval(const Quantity& quantity, const FitResult& fit, double level,
                       bool sandwich) {
  require_level(level);
  require_converged(fit);
  const double estimate = evaluate(quantity, fit.parameters()),
               z = normal_quantile(0.5 + 0.5 * level);
  const double error = find_standard_error(quantity, fit, sandwich);
  if (quantity.kind == QuantityKind::sigma) {
    return {estimate * std::exp(-z * error / estimate), estimate * std::exp(z * error / estimate)};
  }
  const std::array<double, 2> range = find_range(quantity);
  if (std::isnan(error)) return {};
  return {std::max(estimate - z * error, range[0]), std::min(estimate + z * error, range[1])};
}

Interval bootstrap_interval(const Quantity& quantity, const FitResult& fit,
                            const std::vector<FitResult>& refits, double level) {
  require_level(level);
  require_converged(fit);
  const double estimate = evaluate(quantity, fit.parameters());
  std::vector<double> values;
  for (const FitResult& refit : refits) {
    if (refit.status > FitStatus::boundary) continue;
    values.push_back(evaluate(quantity, refit.parameters()));
  }
  if (values.size() < 2 || std::isnan(estimate)) return {};
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  // The share of refits below the estimate, ties by half: its bias in units of the normal
  // distribution.
  const auto below = std::lower_bound(values.begin(), values.end(), estimate),
             above = std::upper_bound(values.begin(), values.end(), estimate);
  const double share =
      (static_cast<double>(below - values.begin()) + static_cast<double>(above - values.begin())) /
      (2 * n);
  const double bias = normal_quantile(std::clamp(share, 1 / (n + 1), n / (n + 1)));
  const auto percentile = [&](double p) {
    const double index = normal_probability(2 * bias + normal_quantile(p)) * (n + 1) - 1;
    const double at = std::clamp(index, 0.0, n - 1);
    const auto i = static_cast<std::size_t>(std::min(at, n - 2));
    return values[i] + (at - static_cast<double>(i)) * (values[i + 1] - values[i]);
  };
  return {percentile(0.5 - 0.5 * level), percentile(0.5 + 0.5 * level)};
}

ProfileSearches::ProfileSearches(const FitTask& task, const FitResult& fit,
                                 const std::vector<Quantity>& quantities,
                                 const std::vector<CriticalDeviances>& critical)
    : m_task(task), m_fit(fit), m_quantities(quantities), m_curves(quantities.size()) {
  require_converged(fit);
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const Quantity& quantity = quantities[k];
    const double estimate = evaluate(quantity, fit.parameters());
    const std::array<double, 2> range = find_range(quantity);
    const bool fixed =
        quantity.is_parameter() ? task.is_fixed(quantity.parameter()) : task.is_fixed(3);
    m_curves[k].emplace_back(estimate, 0.0);
    for (int side = 0; side < 2; ++side) {
      const double root = std::sqrt(side == 0 ? critical[k].lower : critical[k].upper);
      double step = root * find_standard_error(quantity, fit, false);
      if (!(step > 0))
        step = quantity.kind == QuantityKind::alpha || quantity.kind == QuantityKind::beta
                   ? 0.1
                   : 0.1 * fit.sigma;
      if (quantity.kind == QuantityKind::sigma) step /= estimate;
      const double limit =
          fixed || std::isinf(estimate) ? estimate : range[static_cast<std::size_t>(side)];
      const detail::ProfileSearch search(to_coordinate(quantity, estimate),
                                         to_coordinate(quantity, limit), step, root * root);
      m_ends.push_back({search, fit.parameters(), k});
    }
  }
}

double ProfileSearches::next_value(const End& end) const {
  return from_coordinate(m_quantities[end.quantity], end.search.next());
}

std::vector<FitTask> ProfileSearches::next() {
  m_asked.clear();
  std::vector<FitTask> tasks;
  for (std::size_t e = 0; e < m_ends.size(); ++e) {
    End& end = m_ends[e];
    if (end.search.done()) continue;
    m_asked.push_back(e);
    tasks.push_back(hold(m_quantities[end.quantity], next_value(end), m_task, end.start));
  }
  return tasks;
}

void ProfileSearches::take(const std::vector<FitResult>& fits) {
  for (std::size_t k = 0; k < m_asked.size(); ++k) {
    End& end = m_ends[m_asked[k]];
    const FitResult& fit = fits[k];
    const double deviance = 2 * (m_fit.log_likelihood - fit.log_likelihood);
    if (fit.status <= FitStatus::boundary) {
      m_curves[end.quantity].emplace_back(next_value(end), std::max(deviance, 0.0));
      end.start = fit.parameters();
    }
    end.search.take(fit.status <= FitStatus::boundary ? deviance : NAN);
  }
}

std::vector<ProfileInterval> ProfileSearches::intervals() const {
  std::vector<ProfileInterval> found(m_quantities.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].lower = from_coordinate(m_quantities[k], m_ends[2 * k].search.end());
    found[k].upper = from_coordinate(m_quantities[k], m_ends[2 * k + 1].search.end());
    auto curve = m_curves[k];
    std::sort(curve.begin(), curve.end());
    for (const auto& [value, deviance] : curve) {
      found[k].value.push_back(value);
      found[k].deviance.push_back(deviance);
    }
  }
  return found;
}

}  // namespace tessera::stable
